from types import SimpleNamespace
from typing import Any, cast

from hardware.simulation.optics import build_overhead_camera
from tests.calibration.virtual_camera import camera_from_model
from tests.vision.quality.test_hindrance import CORNERS, STILL, TAG, cover, draw, enrol_tag
from vision.quality.hindrance_watch import HindranceWatch
from vision.types import Hindrance, PoseState


def build_tracks(state: PoseState) -> Any:
    return {TAG: SimpleNamespace(state=state, corners_px=CORNERS, step_px=STILL, moving=False, bias=None, sightings=9)}


def test_what_is_told_holds_until_the_base_is_seen_or_nobody_knows_where_the_camera_is() -> None:
    camera = camera_from_model(build_overhead_camera())
    markers = cast("Any", SimpleNamespace(tagged={TAG: enrol_tag(20.0)}, followed={TAG: enrol_tag(20.0)}))
    watch, held = HindranceWatch(), build_tracks(PoseState.HELD)
    watch.ask(cover(draw(), 0.4), camera, markers, held, [])
    assert watch.list_hindered(held) == {TAG: Hindrance.COVERED}
    assert watch.list_hindered(build_tracks(PoseState.SEEN)) == {}
    assert watch.list_hindered(held) == {TAG: Hindrance.COVERED}
    watch.forget()
    assert watch.list_hindered(held) == {}


def test_what_is_of_another_size_is_told_until_it_is_followed() -> None:
    camera = camera_from_model(build_overhead_camera())
    markers = cast("Any", SimpleNamespace(tagged={TAG: enrol_tag(500.0)}, followed={TAG: enrol_tag(500.0)}))
    watch = HindranceWatch()
    watch.note_sizes(camera, markers, [cast("Any", SimpleNamespace(tag=TAG, corners_px=CORNERS))], {})
    watch.ask(draw(), camera, markers, {}, [])
    assert watch.list_hindered({}) == {TAG: Hindrance.OTHER_SIZE}
    watch.ask(draw(), camera, markers, build_tracks(PoseState.SEEN), [])
    assert watch.list_hindered({}) == {}
