"""What the doctor says of the pictures."""

from assistant.features.diagnosis.camera import CameraSample, analyse_sample, check_picture
from hardware.camera.frame_source import Identity
from hardware.frame import Frame
from tests.assistant.features.camera.test_sight_reasons import build_markers
from tests.vision.quality.test_flicker import FPS, take_film


def list_troubles(share: float) -> dict[str, str]:
    frames = tuple(
        Frame(camera="x", sequence=n, captured_ns=round(n * 1e9 / FPS), image=picture)
        for n, picture in enumerate(take_film(share=share))
    )
    sight = analyse_sample(CameraSample(frames=frames, identity=Identity(), rate=FPS), build_markers())
    return {check.about: f"{check.level}: {check.fact}: {check.advice}" for check in check_picture(sight)}


def test_lamps_that_flicker_are_told_with_their_cure() -> None:
    told = list_troubles(0.08)["flicker"]
    assert told.startswith("could-be-better: lamps on 50 Hz mains flicker by ")
    assert told.endswith(": set the camera's exposure to 1/100 or 1/50 s")


def test_of_steady_lamps_nothing_is_said() -> None:
    assert "flicker" not in list_troubles(0.0)
