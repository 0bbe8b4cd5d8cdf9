"""Whether a calibration belongs to a camera."""

import pytest

from calibration.camera_match import CameraMark, CameraMatch, match_cameras, require_same_camera
from calibration.errors import WrongPairing

SIZE = (1920, 1080)
MARK = CameraMark(identity="usb 046d:0825 serial 1", image_size=SIZE, focus=30.0)


def build_mark(**changed: object) -> CameraMark:
    return MARK.model_copy(update=changed)


def test_the_same_camera_is_taken_without_a_word() -> None:
    assert match_cameras(MARK, build_mark(focus=30.2)).match is CameraMatch.SAME
    assert require_same_camera("lens.json", MARK, MARK) == ""
    assert require_same_camera("lens.json", build_mark(focus=None), build_mark(focus=None)) == ""


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"identity": "usb 046d:0825 serial 2"}, "another camera: usb 046d:0825 serial 1, but this is usb 046d:0825 s"),
        ({"focus": 45.0}, "made with the focus at 30, but it is at 45 now: set it back"),
        ({"image_size": (1280, 720)}, "made at 1920x1080, but the pictures are 1280x720, of the same shape: set the"),
        ({"image_size": (1600, 1200)}, "made at 1920x1080, but the pictures are 1600x1200, of another shape"),
        ({"image_size": (1080, 1920)}, "of another shape"),
    ],
)
def test_another_camera_is_refused_with_the_reason(changed: dict[str, object], sentence: str) -> None:
    with pytest.raises(WrongPairing, match="^lens.json was made") as refusal:
        require_same_camera("lens.json", MARK, build_mark(**changed))
    assert sentence in str(refusal.value)


@pytest.mark.parametrize(
    ("made_with", "used_with", "sentence"),
    [
        (None, MARK, "lens.json does not say which camera it was made with; it is used all the same"),
        (build_mark(identity=None), MARK, "does not say which camera"),
        (
            MARK,
            build_mark(identity=None),
            "was made with usb 046d:0825 serial 1, and what camera this is cannot be told",
        ),
        (MARK, build_mark(focus=None), "with the focus at 30, and now there is a focus that cannot be told"),
        (build_mark(focus=None), MARK, "with a focus that cannot be told, and now there is the focus at 30"),
    ],
)
def test_what_cannot_be_told_is_said(made_with: CameraMark | None, used_with: CameraMark, sentence: str) -> None:
    assert match_cameras(made_with, used_with).match is CameraMatch.CANNOT_TELL
    assert sentence in require_same_camera("lens.json", made_with, used_with)


def test_an_unknown_camera_of_another_size_is_still_another() -> None:
    assert match_cameras(CameraMark(image_size=(1280, 720)), CameraMark(image_size=SIZE)).match is CameraMatch.DIFFERENT
