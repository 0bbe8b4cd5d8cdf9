"""Rings on the virtual table: their cells are drawn where they belong, and it is known which of them are to be seen."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.rings.layout import RingKind, RingLayout
from hardware.rings.words import load_ring_list
from hardware.simulation.drawing import BODY, HALO, draw_base, place_ring
from hardware.simulation.figures import fit_figure
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.ring_truth import count_visible_cells, measure_visible_shares
from hardware.simulation.scene import FigureKind, Outline, Placement, VirtualBase, VirtualRing, VirtualScene
from hardware.simulation.tag_print import INK, PAPER
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline

CAMERA = build_overhead_camera(image_size=(1920, 1080), eye_mm=(762, 559, 1800))
ROUND = build_oval_outline(length_mm=32, width_mm=32)
OVAL = build_oval_outline(length_mm=75, width_mm=42)
RECT = build_rect_outline(length_mm=50, width_mm=25)
BELOW_EYE, FAR_OUT = Placement(x_mm=762, y_mm=559, facing_rad=0.7), Placement(x_mm=1440, y_mm=1040, facing_rad=2.0)


def build_ringed(
    number: int, kind: RingKind, outline: Outline = ROUND, figure: FigureKind | None = None
) -> VirtualBase:
    ring_list = load_ring_list()
    words = ring_list.choose_words(is_round=outline is ROUND)
    return VirtualBase(
        marker=1000 + number,
        ring=VirtualRing(
            layout=RingLayout.build(outline, ring_list.bands[kind], words.cells),
            word=words.ids[number],
            x_mm=0.2,
            y_mm=-0.1,
            facing_rad=0.02,
        ),
        outline_mm=outline,
        height_mm=4,
        figure=None if figure is None else fit_figure(figure, outline, seed=number, colour=(126, 74, 22)),
    )


def lay_table(*placed: tuple[VirtualBase, Placement]) -> VirtualTable:
    scene = VirtualScene(bases=tuple(base for base, _ in placed), placements={base.marker: at for base, at in placed})
    table = VirtualTable(scene, CAMERA, noise=0.0, blur_px=0.0)
    table.render()
    return table


def tell_print(base: VirtualBase, at: Placement, pixels: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is printed at (n, 2) pixels, from the layout alone: a grey level, nan beside the print."""
    assert base.ring is not None
    layout = base.ring.layout
    z_mm = place_ring(base.ring, np.zeros((1, 2)), at, base.height_mm)[0, 2]
    table = CAMERA.table_from_image(pixels, z_mm=float(z_mm)) @ (1, 1j)
    in_base = (table - complex(at.x_mm, at.y_mm)) * np.exp(-1j * at.facing_rad)
    in_ring = (in_base - complex(base.ring.x_mm, base.ring.y_mm)) * np.exp(-1j * base.ring.facing_rad)
    along, offset = layout.locate(np.column_stack([in_ring.real, in_ring.imag]))
    bits = np.array([PAPER if bit == "1" else INK for bit in base.ring.word], dtype=float)
    grey = np.where(
        (offset >= layout.band.inner_mm) & (offset <= layout.band.outer_mm), bits[along.astype(int) % len(bits)], np.nan
    )
    for line in layout.band.borders:
        inside = (offset >= line.from_mm) & (offset <= line.to_mm)
        grey[inside] = PAPER if line.is_light else INK
    return grey


@pytest.mark.parametrize(
    ("kind", "outline"), [(RingKind.HALO, ROUND), (RingKind.HALO, RECT), (RingKind.RIM, ROUND), (RingKind.RIM, OVAL)]
)
def test_of_each_pixel_a_ring_covers_as_much_as_it_should(kind: RingKind, outline: Outline) -> None:
    base, fine = build_ringed(7, kind, outline), 8
    layer = HALO if kind is RingKind.HALO else BODY
    (sprite,) = (s for s in draw_base(base, FAR_OUT, floor_mm=0.0, camera=CAMERA) if s.level[1] == layer)
    rows, columns = np.nonzero(sprite.surface[:, :, 3] == 255)
    chosen = np.random.default_rng(0).permutation(len(rows))[:1200]
    rows, columns = rows[chosen], columns[chosen]
    inner = (np.arange(fine) + 0.5) / fine - 0.5
    x, y = (part.ravel() for part in np.meshgrid(inner, inner))
    points = np.stack([columns[:, None] + sprite.rect.left + x, rows[:, None] + sprite.rect.top + y], axis=-1)
    exact = tell_print(base, FAR_OUT, points.reshape(-1, 2)).reshape(len(rows), -1).mean(axis=1)
    off = (sprite.surface[rows, columns, 0] - exact)[np.isfinite(exact)]  # of pixels that lie wholly on the print
    assert len(off) > 80
    assert abs(off.mean()) < 3, "what is dark is a little too large, as if the ink had run"
    assert np.sqrt((off**2).mean()) < 6


def test_a_base_hides_of_its_halo_what_lies_behind_it() -> None:
    halo = build_ringed(1, RingKind.HALO)
    below = measure_visible_shares(lay_table((halo, BELOW_EYE)))[halo.marker]
    aside = measure_visible_shares(lay_table((halo, FAR_OUT)))[halo.marker]
    assert below.min() > 0.85, "it was not laid quite straight"
    assert 0.4 < aside.min() < 0.75
    assert np.median(aside) > 0.85
    lowest = float(np.argmin(aside)) + 0.5
    assert halo.ring is not None
    middle = place_ring(halo.ring, halo.ring.layout.place(np.array(lowest), np.array(1.8))[None], FAR_OUT, 4.0)[0]
    outward = (middle[:2] - (FAR_OUT.x_mm, FAR_OUT.y_mm)) @ (FAR_OUT.x_mm - 762, FAR_OUT.y_mm - 559)
    assert outward > 0, "on the side away from the camera's foot"
    rim = build_ringed(2, RingKind.RIM)
    assert measure_visible_shares(lay_table((rim, FAR_OUT)))[rim.marker].min() > 0.9


@pytest.mark.parametrize("kind", RingKind)
def test_a_base_in_the_air_takes_along_what_it_and_its_figure_shade_of_its_ring(kind: RingKind) -> None:
    """Or its ring would look smaller than on the table as soon as it is lifted, and lower than it is."""
    base = build_ringed(3, kind, ROUND, FigureKind.INFANTRY)
    ring = base.ring
    assert ring is not None
    layout = ring.layout
    spots = layout.place(np.arange(layout.cells, dtype=np.float64) + 0.5, np.full(layout.cells, layout.band.middle_mm))

    def look(height_mm: float) -> NDArray[np.float64]:
        at = replace(BELOW_EYE, z_mm=height_mm)
        picture = lay_table((base, at)).render()
        places_px = CAMERA.project(place_ring(ring, spots, at, base.height_mm)).astype(np.float32)
        grey = cv2.remap(picture.mean(axis=2).astype(np.float32), places_px[:, :1], places_px[:, 1:], cv2.INTER_LINEAR)
        return np.asarray(grey, dtype=np.float64).ravel()

    standing, lifted = look(0.0), look(6.0)
    is_light = np.array([bit == "1" for bit in ring.word])
    assert standing[is_light].min() < 0.75 * standing[is_light].max(), "some of it lies in the shade"
    assert np.abs(lifted - standing)[is_light].max() < 30


def test_of_halos_that_overlap_the_same_one_always_lies_on_top() -> None:
    first, second = build_ringed(1, RingKind.HALO), build_ringed(2, RingKind.HALO)
    beside = Placement(x_mm=762 + 33.0, y_mm=559, facing_rad=-1.0)
    for here, there in ((BELOW_EYE, beside), (beside, BELOW_EYE)):
        seen = count_visible_cells(lay_table((first, here), (second, there)))
        assert seen[second.marker] < 36, "the other's base stands on it"
        assert seen[first.marker] < seen[second.marker]


def test_a_hand_hides_cells_and_the_edge_of_the_picture_does() -> None:
    halo, gone = build_ringed(1, RingKind.HALO), build_ringed(2, RingKind.RIM)
    table = lay_table((halo, BELOW_EYE), (gone, Placement(x_mm=9000, y_mm=500)))
    assert count_visible_cells(table) == {halo.marker: 36, gone.marker: 0}
    table.hold_hand(((700, 500), (762, 500), (762, 620), (700, 620)))
    table.render()
    assert 16 <= count_visible_cells(table)[halo.marker] <= 20


@pytest.mark.parametrize(("kind", "median", "tenth"), [(RingKind.HALO, (32, 35), 27), (RingKind.RIM, (27, 32), 24)])
def test_figures_leave_as_many_cells_to_be_seen_as_at_a_club(
    kind: RingKind, median: tuple[int, int], tenth: int
) -> None:
    turn = np.random.default_rng(2)
    placed = [
        (
            build_ringed(number, kind, ROUND, FigureKind.INFANTRY),
            Placement(x_mm=70 + number % 8 * 197, y_mm=60 + number // 8 * 198, facing_rad=float(turn.uniform(0, 6.28))),
        )
        for number in range(48)
    ]
    seen = np.array(list(count_visible_cells(lay_table(*placed)).values()))
    assert median[0] <= np.median(seen) <= median[1]
    assert np.percentile(seen, 10) >= tenth
