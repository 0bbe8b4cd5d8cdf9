"""Picture quality in words: how sharp and how well lit a camera's pictures are, and what to do about it."""

from dataclasses import dataclass
from typing import Literal

from vision.quality.exposure import WHITE, Exposure

QualityGrade = Literal["good", "weak", "bad"]

DARK, DIM = 70.0, 110.0
"""Grey levels of a tag's white that are too dark to be read surely, and darker than need be."""
TOLD_BURNT, BURNT, MUCH_BURNT = 0.005, 0.03, 0.2
"""Shares of the picture that are as good as white: worth a word, too many, far too many."""
DROWNED, MUCH_DROWNED = 0.3, 0.7
"""Shares that are as good as black; dark rooms and black tables have some."""
NOISY, VERY_NOISY = 5.0, 12.0
SOFT_PX, BLURRED_PX = 1.3, 2.2
"""Blur of an edge, one standard deviation."""
BEST_SHARE = 1.15
"""A blur within this much of the best so far is as good as it."""
FLICKERS, MUCH_FLICKER = 0.01, 0.04
"""Shares of the brightness by which one picture differs from the next."""
SMEARED, MUCH_SMEARED = 1.6, 2.5
"""How many times wider edges are one way than the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRemark:
    """What is said of one side of a picture."""

    about: str
    """Which, in a word."""
    grade: QualityGrade
    text: str
    """How it is, in a sentence without its capital and its full stop."""
    advice: str = ""
    """What to do about it; empty where all is well."""


def describe_focus(*, blur_px: float, tags: int, best_px: float | None = None) -> QualityRemark:
    """Say how sharp pictures are.

    Args:
        blur_px: blur of edges, one standard deviation.
        tags: by how many tags it is known; without any it is no measure of the lens, and only compared with the best.
        best_px: the least blur since somebody began to turn the lens; None where nobody does.

    """
    so_far = "" if best_px is None else f"; best so far {best_px:.1f} px"
    if not tags and best_px is None:
        advice = "lay the anchors on the table, and focus on them"
        return QualityRemark(about="focus", grade="bad", text="no tag is seen by which it could be told", advice=advice)
    if not tags:
        text = f"no tag is seen; the sharpest edges are blurred by about {blur_px:.1f} px{so_far}"
        if blur_px > BLURRED_PX:
            return QualityRemark(about="focus", grade="bad", text=text, advice="turn the lens until the number falls")
        advice = "lay a printed tag on the table, by which the focus is told surely"
        return QualityRemark(about="focus", grade="weak", text=text, advice=advice)
    text = f"edges are blurred by {blur_px:.1f} px{so_far}"
    if blur_px <= SOFT_PX:
        return QualityRemark(about="focus", grade="good", text=text)
    advice = "focus on the table, clean the lens, and keep the camera from shaking"
    if best_px is not None:
        better = blur_px > BEST_SHARE * best_px and best_px <= SOFT_PX
        goal = f"turn the lens back to where it was {best_px:.1f} px" if better else "turn the lens"
        advice = f"{goal} until the number falls below {SOFT_PX:g} px; if it does not, clean the lens"
    return QualityRemark(about="focus", grade="bad" if blur_px > BLURRED_PX else "weak", text=text, advice=advice)


def describe_light(light: Exposure, *, tags: bool) -> QualityRemark:
    """Say how pictures are lit; the white of tags tells it surely."""
    what = "the white of tags" if tags else "the lightest part"
    text = f"{what} is at {light.white:.0f} of 255"
    if light.burnt >= TOLD_BURNT:
        text += f", {100 * light.burnt:.0f} % of the picture is burnt out"
    if light.white < DIM:
        advice = "give the table more light, or the camera a longer exposure"
        return QualityRemark(about="light", grade="bad" if light.white < DARK else "weak", text=text, advice=advice)
    if tags and light.white >= WHITE:
        advice = "shorten the exposure: white that is burnt out moves the edges of tags"
        return QualityRemark(about="light", grade="weak", text=text, advice=advice)
    if light.burnt > BURNT:
        advice = "shorten the exposure, or turn away the lamp that the table mirrors"
        return QualityRemark(
            about="light", grade="bad" if light.burnt > MUCH_BURNT else "weak", text=text, advice=advice
        )
    if light.drowned > DROWNED:
        text = f"{text}, {100 * light.drowned:.0f} % is drowned in black"
        advice = "light the whole table evenly"
        return QualityRemark(
            about="light", grade="bad" if light.drowned > MUCH_DROWNED else "weak", text=text, advice=advice
        )
    return QualityRemark(about="light", grade="good", text=text)


def describe_noise(light: Exposure) -> QualityRemark | None:
    """Say how noisy pictures are; None from a single one."""
    if light.noise is None:
        return None
    text = f"pixels differ by {light.noise:.1f} grey levels from picture to picture"
    if light.noise <= NOISY:
        return QualityRemark(about="noise", grade="good", text=text)
    advice = "give the table more light, so that the camera amplifies less"
    return QualityRemark(about="noise", grade="bad" if light.noise > VERY_NOISY else "weak", text=text, advice=advice)


def describe_flicker(share: float) -> QualityRemark:
    """Say how steady the light is, by how much of the brightness one picture differs from the next."""
    text = f"brightness differs by {100 * share:.1f} % from picture to picture"
    if share <= FLICKERS:
        return QualityRemark(about="flicker", grade="good", text=text)
    advice = (
        "lamps flicker: set the exposure to a multiple of their beat (10 ms in Europe, 8.3 ms in America), or lock it"
    )
    return QualityRemark(about="flicker", grade="bad" if share > MUCH_FLICKER else "weak", text=text, advice=advice)


def describe_smear(ratio: float) -> QualityRemark:
    """Say whether pictures are smeared one way, by how many times wider edges are that way."""
    if ratio <= SMEARED:
        return QualityRemark(about="shake", grade="good", text="edges are as sharp across as along")
    text = f"edges are {ratio:.1f} times wider one way than the other"
    advice = "fix the camera so that nothing shakes it, or shorten the exposure"
    return QualityRemark(about="shake", grade="bad" if ratio > MUCH_SMEARED else "weak", text=text, advice=advice)
