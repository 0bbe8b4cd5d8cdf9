"""Rings that the camera sees too small: a sentence in numbers, and where none can be read at all a refusal."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.errors import BadInput
from assistant.features.camera.ring_legibility import RingSight, describe_illegible_rings
from assistant.features.demo.catalogue import SETUP
from assistant.features.feature import Moment
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import RingedBase
from assistant.setup.file import Setup, read_setup
from calibration.spaces import CameraOverTable
from hardware.simulation.optics import build_overhead_camera
from tests.calibration.virtual_camera import camera_from_model

TABLE = read_setup(SETUP)


def look_with(size: tuple[int, int]) -> CameraOverTable:
    table = TABLE.table
    return camera_from_model(build_overhead_camera(width_mm=table.width_mm, depth_mm=table.depth_mm, image_size=size))


CAMERA_1080P, CAMERA_480P = look_with((1920, 1080)), look_with((640, 480))


def ring(models: list[str], base: str = "round:32", **said: Any) -> Setup:
    bases = tuple(
        RingedBase.model_validate(
            {"ring": at, "ring_kind": "halo", "model": model, "base": BaseSpec.parse(base), "height_mm": 4.0, **said}
        )
        for at, model in enumerate(models)
    )
    return Setup.model_validate({**dict(TABLE), "bases": bases})


def test_a_ring_that_is_read_is_not_talked_about() -> None:
    assert describe_illegible_rings(ring(["a"]), CAMERA_1080P) == {}
    assert describe_illegible_rings(TABLE, CAMERA_480P) == {}


def test_a_narrow_ring_is_told_in_numbers_with_what_would_help() -> None:
    setup = ring(["a", "b", "c", "d", "e"], band_mm=(0.3, 1.6))
    (sentence,) = describe_illegible_rings(setup, CAMERA_1080P).values()
    assert sentence.startswith("the halo of round:32 (a, b, c and 2 more) is too narrow: this camera sees 1.")
    assert " px a cell, 2 are needed: use a halo of " in sentence
    assert sentence.endswith(" mm or a 4K camera")


def test_where_no_ring_can_be_read_at_all_it_is_refused() -> None:
    hopeless = ring(["a"], band_mm=(0.3, 0.9))
    with pytest.raises(BadInput, match=r"this camera sees 0\.\d px a cell, 2 are needed: use a halo of "):
        describe_illegible_rings(hopeless, CAMERA_1080P)
    some = Setup.model_validate({**dict(TABLE), "bases": (*hopeless.bases, ring(["x", "b"]).bases[1])})
    assert len(describe_illegible_rings(some, CAMERA_1080P)) == 1


def test_a_game_tells_it_once_the_camera_is_known_and_not_twice(capsys: pytest.CaptureFixture[str]) -> None:
    sight = RingSight(setup=ring(["a"], band_mm=(0.3, 1.1)))

    def follow(camera: CameraOverTable | None) -> list[str]:
        sight.follow(cast("Moment", SimpleNamespace(pipeline=SimpleNamespace(camera=camera))))
        (view,) = sight.build_views(cast("Any", None))
        return [notice.text for notice in view.notices.values()]

    assert follow(None) == []
    (told,) = follow(CAMERA_1080P)
    assert told.startswith("The halo of round:32 (a) is too narrow: this camera sees 0.")
    assert follow(look_with((1920, 1080))) == [told]
    assert capsys.readouterr().err.count("too narrow") == 1
    assert follow(look_with((7680, 4320))) == []
