"""What is said of a picture, and what to do about it."""

import pytest

from assistant.features.camera.picture_quality import (
    QualityGrade,
    describe_flicker,
    describe_focus,
    describe_light,
    describe_noise,
    describe_smear,
)
from vision.quality.exposure import Exposure


def build_exposure(white: float = 180, burnt: float = 0.0, drowned: float = 0.0, noise: float | None = 2.0) -> Exposure:
    return Exposure(white=white, black=20, burnt=burnt, drowned=drowned, noise=noise)


@pytest.mark.parametrize(
    ("blur_px", "tags", "best_px", "grade", "says"),
    [
        (0.8, 4, None, "good", "edges are blurred by 0.8 px"),
        (0.9, 4, 0.8, "good", "edges are blurred by 0.9 px; best so far 0.8 px"),
        (1.5, 4, None, "weak", "focus on the table, clean the lens"),
        (2.5, 4, 2.0, "bad", "turn the lens until the number falls below 1.3 px"),
        (1.8, 4, 0.9, "weak", "turn the lens back to where it was 0.9 px"),
        (0.0, 0, None, "bad", "lay the anchors on the table"),
        (1.2, 0, 1.0, "weak", "lay a printed tag on the table"),
        (3.0, 0, 1.0, "bad", "turn the lens until the number falls"),
    ],
)
def test_how_sharp_it_is(blur_px: float, tags: int, best_px: float | None, grade: QualityGrade, says: str) -> None:
    said = describe_focus(blur_px=blur_px, tags=tags, best_px=best_px)
    assert said.grade == grade
    assert says in f"{said.text} {said.advice}"


@pytest.mark.parametrize(
    ("light", "grade", "says"),
    [
        (build_exposure(), "good", "the white of tags is at 180 of 255"),
        (build_exposure(white=90), "weak", "more light"),
        (build_exposure(white=60), "bad", "more light"),
        (build_exposure(burnt=0.1), "weak", "shorten the exposure"),
        (build_exposure(white=252), "weak", "white that is burnt out moves the edges of tags"),
        (build_exposure(drowned=0.8), "bad", "light the whole table evenly"),
    ],
)
def test_how_it_is_lit(light: Exposure, grade: QualityGrade, says: str) -> None:
    said = describe_light(light, tags=True)
    assert said.grade == grade
    assert says in f"{said.text} {said.advice}"


def test_how_steady_it_is() -> None:
    assert describe_noise(build_exposure(noise=None)) is None
    graded = [
        describe_noise(build_exposure(noise=7)),
        describe_flicker(0.001),
        describe_flicker(0.08),
        describe_smear(1.1),
        describe_smear(3),
    ]
    assert [said and said.grade for said in graded] == ["weak", "good", "bad", "good", "bad"]
