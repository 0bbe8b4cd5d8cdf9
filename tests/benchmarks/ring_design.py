"""Designs of rings compared: cells, width, gap and borders, by what is read and measured of them past figures.

`python -m tests.benchmarks.ring_design 3` prints what `docs/decisions/coded-rings.md` quotes: from three tables full of
rings, a dark, a grey and a light one; more words choose designs by name.  Every design is seen at the same places, past
the same figures; its words are as far apart as the search of `hardware/rings/word_search.py` finds in a short while.
"""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingBand, RingBorder, RingKind, RingLayout
from hardware.rings.word_search import WordRules, find_words, write_word
from tests.base_outlines import make_oval
from tests.vision.rings import rendered_rings
from tests.vision.rings.rendered_rings import Figure, Grey, PlacedRing, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.marker_numbers import number_ring
from vision.rings.decoding import decode_rings
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.word_proposals import RingHypothesis

WORDS = 128
DRAWS = 400_000
BASE_MM = (25.0, 32.0)
PITCH_MM = 75.0
TABLE_GREYS = (55.0, 95.0, 170.0)
OFF_MM = 0.7
"""By how much a ring's place is guessed wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A way to draw a ring."""

    name: str
    kind: RingKind = RingKind.HALO
    cells: int = 36
    inner_mm: float = 0.3
    outer_mm: float = 3.3
    borders: tuple[tuple[float, float, bool], ...] = ()
    shades: tuple[float, float] = (35.0, 215.0)

    @property
    def band(self) -> RingBand:
        """Where it lies."""
        return RingBand(
            kind=self.kind,
            inner_mm=self.inner_mm,
            outer_mm=self.outer_mm,
            height_mm=0.25 if self.kind is RingKind.HALO else None,
            borders=tuple(RingBorder(from_mm=a, to_mm=b, is_light=light) for a, b, light in self.borders),
        )


LIGHT, DARK = True, False
RIM = Design(name="rim 3 mm, no line", kind=RingKind.RIM, inner_mm=-3.5, outer_mm=-0.5)
CHOSEN = Design(name="halo 3.8 mm, no line", outer_mm=4.1)
DESIGNS = (
    CHOSEN,
    Design(name="halo 3 mm, no line"),
    Design(name="halo 3 mm, light line of 0.8 mm outside", borders=((3.3, 4.1, LIGHT),)),
    Design(name="halo 3 mm, dark line of 0.8 mm outside", borders=((3.3, 4.1, DARK),)),
    Design(name="halo 3.3 mm, dark line of 0.5 mm outside", outer_mm=3.6, borders=((3.6, 4.1, DARK),)),
    Design(name="halo 3.8 mm, light line of 0.5 mm outside", outer_mm=4.1, borders=((4.1, 4.6, LIGHT),)),
    Design(name="halo 3.8 mm, dark line of 0.5 mm outside", outer_mm=4.1, borders=((4.1, 4.6, DARK),)),
    Design(name="halo 3.8 mm, gap of 0.5 mm", inner_mm=0.5, outer_mm=4.3),
    Design(name="halo 4.3 mm, no line", outer_mm=4.6),
    replace(CHOSEN, name="halo 3.8 mm, 30 cells", cells=30),
    replace(CHOSEN, name="halo 3.8 mm, 40 cells", cells=40),
    replace(CHOSEN, name="halo 3.8 mm, grey on black", shades=(35.0, 120.0)),
    RIM,
    replace(RIM, name="rim 3 mm, light line of 0.8 mm inside", borders=((-4.3, -3.5, LIGHT),)),
    replace(RIM, name="rim 3 mm, light line of 0.5 mm outside", borders=((-0.5, 0.0, LIGHT),)),
    replace(RIM, name="rim 3.5 mm, to the edge", outer_mm=0.0),
)


@cache
def find_best_words(cells: int) -> tuple[int, tuple[str, ...]]:
    """Return the greatest distance at which as many words are found as are wanted, and those."""
    fewest = 2 * round(0.44 * cells / 2)
    for distance in range(cells // 2, 2, -1):
        rules = WordRules(
            seed=21,
            cells=cells,
            count=WORDS,
            light_cells=(fewest, cells - fewest),
            longest_run=5,
            distances=(distance,) * cells,
        )
        words, _ = find_words(rules, draws=DRAWS)
        if len(words) == WORDS:
            return distance, tuple(write_word(int(word), cells) for word in words)
    raise AssertionError


@cache
def enroll(design: Design, base_mm: float) -> tuple[EnrolledRing, ...]:
    """Return a ring for each word."""
    layout = RingLayout.build(make_oval(base_mm, base_mm, corners=240), design.band, design.cells)
    return tuple(
        EnrolledRing(marker=number_ring(n), model=str(n), layout=layout, word=word, height_mm=4.0)
        for n, word in enumerate(find_best_words(design.cells)[1])
    )


def look_closer(camera: CameraOverTable, factor: int) -> CameraOverTable:
    """Return the camera with so many times the pixels along each side."""
    parameters = camera.lens.parameters.copy()
    parameters[:4] *= factor
    parameters[2:4] += (factor - 1) / 2
    size = (camera.lens.image_size[0] * factor, camera.lens.image_size[1] * factor)
    return replace(camera, lens=replace(camera.lens, image_size=size, parameters=parameters))


def stand_figure(lot: np.random.Generator, placed: PlacedRing, base_mm: float) -> Iterator[Figure]:
    """Yield what hides a ring: a body, a head, and two arms or weapons that reach out over it."""
    grow = base_mm / 32
    for z_mm, radius_mm, reach_mm in ((18, 7.5, 2), (34, 5, 4), (22, 3.2, 15), (24, 3.2, 15)):
        turn, reach = lot.uniform(0, math.tau), lot.uniform(0.4, 1.0) * reach_mm * grow
        yield Figure(
            x_mm=placed.x_mm + reach * math.cos(turn),
            y_mm=placed.y_mm + reach * math.sin(turn),
            z_mm=z_mm * grow,
            radius_mm=radius_mm * grow,
            grey=lot.uniform(25, 220),
        )


def render_table(camera: CameraOverTable, design: Design, round_: int) -> tuple[Grey, list[tuple[PlacedRing, float]]]:
    """Return a picture of a table full of rings; the places, figures and noise of a round are every design's."""
    lot = np.random.default_rng(round_)
    placed, figures = list[tuple[PlacedRing, float]](), list[Figure]()
    for x in np.arange(150.0, 1380.0, PITCH_MM * 2):
        for y in np.arange(130.0, 1000.0, PITCH_MM * 2):
            base_mm = BASE_MM[int(lot.integers(len(BASE_MM)))]
            ring = enroll(design, base_mm)[int(lot.integers(WORDS))]
            dx, dy = lot.uniform(-10, 10, 2)
            one = PlacedRing(ring=ring, x_mm=x + dx, y_mm=y + dy, facing_rad=lot.uniform(-math.pi, math.pi))
            placed.append((one, base_mm))
            figures += stand_figure(lot, one, base_mm)
    rendered_rings.DARK, rendered_rings.LIGHT = design.shades
    rendered_rings.TABLE = TABLE_GREYS[round_ % len(TABLE_GREYS)]
    picture = render_rings(camera, [one for one, _ in placed], figures, blur_px=0.8, noise=4.0, seed=round_)
    coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), dtype=np.uint8), placed


def measure(camera: CameraOverTable, design: Design, rounds: int) -> str:
    """Return a row of the table: what is read of a design, and how well it is placed."""
    total, wrongs, margins, errors = 0, 0, list[float](), list[tuple[float, ...]]()
    for round_ in range(rounds):
        picture, placed = render_table(camera, design, round_)
        lot = np.random.default_rng(1000 + round_)
        for base_mm in BASE_MM:
            mine = [one for one, its_mm in placed if its_mm == base_mm]
            off = lot.uniform(-OFF_MM, OFF_MM, (len(mine), 2))
            guesses = [
                RingHypothesis(shape=one.ring.shape, x_mm=one.x_mm + dx, y_mm=one.y_mm + dy)
                for one, (dx, dy) in zip(mine, off, strict=True)
            ]
            readings = decode_rings(camera, picture, guesses, enroll(design, base_mm))
            total += len(mine)
            for one, reading in zip(mine, readings, strict=True):
                if reading is None:
                    continue
                if reading.marker != one.ring.marker:
                    wrongs += 1
                    continue
                margins.append(reading.margin)
                fit = reading.fit
                height_mm = camera.height_mm - one.ring.ring_height_mm
                away_mm = math.hypot(fit.x_mm - one.x_mm, fit.y_mm - one.y_mm)
                turn = abs(math.remainder(fit.facing_rad - one.facing_rad, math.tau))
                errors.append((away_mm, math.degrees(turn), height_mm * (1 - 1 / fit.scale)))
    away, turn, rise = np.array(errors).T
    usual_mm = np.median(rise)
    return (
        f"| {design.name} | {find_best_words(design.cells)[0]} | {100 * len(margins) / total:.1f} | {wrongs}"
        f" | {np.percentile(margins, 5):.0f} | {away.mean():.3f} / {np.percentile(away, 99):.2f} | {turn.mean():.2f}"
        f" | {usual_mm:+.1f} ± {np.percentile(np.abs(rise - usual_mm), 68):.1f} |"
    )


def main() -> None:
    """Print a table for each camera: of so many rounds, and of the designs whose names have one of some words."""
    cv2.setNumThreads(1)
    only = sys.argv[2:]
    for factor in (1, 2):
        camera = look_closer(CAMERA, factor)
        print(f"\n{camera.lens.image_size[0]} x {camera.lens.image_size[1]}:")
        print(
            "| design | distance | read, % | wrong | margin, 5 % | centre, mean / 99 %, mm | facing, ° | height, mm |"
        )
        print("|---|---|---|---|---|---|---|---|")
        for design in DESIGNS:
            if not only or any(word in design.name for word in only):
                print(measure(camera, design, int(sys.argv[1])), flush=True)


if __name__ == "__main__":
    main()
