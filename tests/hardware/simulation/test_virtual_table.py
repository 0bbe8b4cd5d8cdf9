import threading

import numpy as np
import pytest

from hardware.simulation.lighting import build_letterboxed_projector
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import Placement, VirtualScene, VirtualTerrain
from hardware.simulation.sprite import PixelRect
from hardware.simulation.virtual_table import VirtualTable, merge_rects
from tests.hardware.simulation.sample_scene import HULL, OVAL, RECT, ROUND, SCENE

CAMERA = build_overhead_camera(image_size=(960, 540))
HAND = ((200.0, 200.0), (420.0, 240.0), (400.0, 420.0), (210.0, 380.0))


def draw_ring(radius_px: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    y, x = np.mgrid[:1080, :1920]
    image = np.zeros((1080, 1920, 3), dtype=np.uint8)
    image[abs(np.hypot(x - 700, y - 600) - radius_px) < 15] = (0, 200, 255)
    return image


@pytest.mark.parametrize("colour", [True, False])
def test_what_is_drawn_step_by_step_is_what_is_drawn_at_once(colour: bool) -> None:
    def table() -> VirtualTable:
        return VirtualTable(SCENE, CAMERA, seed=3, noise=0.0, blur_px=0.7, colour=colour)

    rng = np.random.default_rng(5)
    stepped = table()
    for step in range(12):
        for base in (ROUND, OVAL, RECT, HULL):
            if rng.random() < 0.6:
                # Near one another, over the table's edge and the picture's, on the ground and in the air.
                x, y, facing, z = rng.uniform([250, -60, 0, 0], [1580, 900, 6, 90])
                stepped.move(base.marker, Placement(x_mm=x, y_mm=y, facing_rad=facing, z_mm=z * (step % 2)))
        stepped.move(OVAL.marker, None if step == 5 else Placement(x_mm=300 + 9 * step, y_mm=310, facing_rad=step))
        stepped.project_picture(draw_ring(150 + 20 * step) if step % 3 else None)
        stepped.hold_hand(HAND if step % 4 == 1 else None)
        shown = stepped.render()
        if step % 3:
            continue

        fresh = table()
        for tag in SCENE.placements:
            fresh.move(tag, stepped.get_placements().get(tag))
        fresh.project_picture(draw_ring(150 + 20 * step) if step % 3 else None)
        fresh.hold_hand(HAND if step % 4 == 1 else None)
        assert np.array_equal(shown, fresh.render()), f"step {step}"


def test_light_that_changes_over_standing_and_lifted_bases_is_drawn_as_at_once() -> None:
    # From far aside, so that light on a lifted base is light on quite another place of the table.
    aside = build_letterboxed_projector(eye_mm=(-600.0, 559.0, 1500.0))
    lifted = Placement(x_mm=1200, y_mm=900, z_mm=150)

    def table() -> VirtualTable:
        table = VirtualTable(SCENE, CAMERA, projector=aside, noise=0.0)
        table.move(HULL.marker, lifted)
        return table

    def spot(at: Placement, height_mm: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        image = np.zeros((1080, 1920, 3), dtype=np.uint8)
        x, y = aside.project(np.array([[at.x_mm, at.y_mm]]), np.array([at.z_mm + height_mm]))[0].round().astype(int)
        image[y - 9 : y + 10, x - 9 : x + 10] = (0, 255, 0)
        return image

    stepped = table()
    dark = stepped.render()
    for image in (spot(lifted, HULL.height_mm), spot(SCENE.placements[ROUND.marker], ROUND.height_mm)):
        fresh = table()
        fresh.project_picture(image)
        stepped.project_picture(image)
        shown = stepped.render()
        assert np.array_equal(shown, fresh.render())
        assert not np.array_equal(shown, dark)
    stepped.project_picture(None)
    assert np.array_equal(stepped.render(), dark)


def test_light_on_a_hill_is_drawn_as_at_once() -> None:
    hill = VirtualTerrain(outline_mm=((1100, 700), (1300, 700), (1300, 900), (1100, 900)), height_mm=150, raised=True)
    aside = build_letterboxed_projector(eye_mm=(-600.0, 559.0, 1500.0))
    stepped, fresh = (VirtualTable(VirtualScene(terrain=(hill,)), CAMERA, projector=aside, noise=0.0) for _ in range(2))
    x, y = aside.project(np.array([[1200.0, 800.0]]), np.array([150.0]))[0].round().astype(int)
    small, large = np.zeros((2, 1080, 1920, 3), dtype=np.uint8)
    small[y - 9 : y + 10, x - 9 : x + 10] = 255
    large[:] = small
    large[0, 0] = large[-1, -1] = 1
    stepped.project_picture(small)
    fresh.project_picture(large)
    u, v = CAMERA.project(np.array([[1200.0, 800.0, 150.0]]))[0].round().astype(int)
    shown = stepped.render()[v, u].astype(int)
    assert np.abs(shown - fresh.render()[v, u]).max() <= 1, "as if all of the picture had changed"
    stepped.project_picture(None)
    assert (shown - stepped.render()[v, u]).min() > 40


def test_it_can_be_changed_while_it_renders() -> None:
    table, fresh = (VirtualTable(SCENE, CAMERA, noise=0.0) for _ in range(2))
    places = {
        tag: [Placement(x_mm=200 + 9 * k + 60 * tag, y_mm=500, facing_rad=k) for k in range(8)] for tag in range(4)
    }

    lights = [draw_ring(100 + 50 * tag) for tag in places]

    def move(tag: int) -> None:
        for place in places[tag]:
            table.move(tag, place)
            table.project_picture(lights[tag])

    threads = [threading.Thread(target=move, args=(tag,)) for tag in places]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        table.render()
    table.project_picture(None)
    for tag in places:
        fresh.move(tag, places[tag][-1])
    assert np.array_equal(table.render(), fresh.render())


def test_the_higher_base_is_drawn_on_top_in_whatever_order_they_came() -> None:
    low, high = Placement(x_mm=760, y_mm=560), Placement(x_mm=770, y_mm=565, z_mm=60)
    pictures = []
    for tags in ([ROUND.marker, OVAL.marker], [OVAL.marker, ROUND.marker]):
        table = VirtualTable(SCENE, CAMERA, noise=0.0)
        for tag in tags:
            table.move(tag, None)
        table.render()
        for tag in tags:
            table.move(tag, high if tag == ROUND.marker else low)
            pictures.append(table.render())
    assert np.array_equal(pictures[1], pictures[3])
    centre = CAMERA.project(np.array([[770.0, 565.0, 64.0]]))[0].round().astype(int)
    around = PixelRect(*centre, *centre).grow(6).slices
    assert np.array_equal(pictures[1][around], pictures[0][around]), "the lifted round base hides the oval one"
    assert not np.array_equal(pictures[2][around], pictures[3][around])


def test_the_same_calls_give_the_same_pictures() -> None:
    first, second, other = (VirtualTable(SCENE, CAMERA, seed=seed) for seed in (1, 1, 2))
    pictures = [first.render() for _ in range(3)]
    assert all(np.array_equal(picture, second.render()) for picture in pictures)
    assert not np.array_equal(pictures[0], other.render())
    assert not np.array_equal(pictures[0], pictures[1]), "noise is new in every picture"


def test_noise_has_the_strength_it_is_given() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=3.0)
    difference = table.render().astype(float) - table.render()
    assert difference.std() == pytest.approx(3.0 * np.sqrt(2), rel=0.05)
    assert difference.mean() == pytest.approx(0.0, abs=0.05)


def test_a_base_on_a_hill_hides_no_less_than_one_on_the_ground() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=0.0)
    with_base = table.render()
    table.move(RECT.marker, None)
    hidden = np.abs(with_base.astype(int) - table.render()).max(axis=2) > 20
    x, y = CAMERA.project(np.array([[1100.0, 780.0, 55.0]]))[0]
    assert hidden[round(y) - 3 : round(y) + 4, round(x) - 3 : round(x) + 4].mean() > 0.5
    assert hidden.sum() < 3000, "and nothing elsewhere"


def test_light_adds_where_it_falls_and_nowhere_else() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=0.0)
    dark = table.render().astype(int)
    image = np.zeros((1080, 1920, 3), dtype=np.uint8)
    x, y, w = table.projector.projector_from_table @ [400.0, 600.0, 1.0]
    image[round(y / w) - 20 : round(y / w) + 21, round(x / w) - 20 : round(x / w) + 21] = (0, 0, 255)
    table.project_picture(image)
    gain = table.render().astype(int) - dark
    u, v = CAMERA.project(np.array([[400.0, 600.0, 0.0]]))[0].round().astype(int)
    assert gain[v, u, 2] > 40, "red light on grass"
    assert abs(gain[v, u, :2]).max() <= 1, "and nothing but red"
    lit = np.argwhere(gain[:, :, 2] > 10)
    assert lit.mean(axis=0) == pytest.approx([v, u], abs=1.0)
    assert np.ptp(lit, axis=0).max() < 30
    table.project_picture(None)
    assert np.array_equal(table.render(), dark)


def test_light_on_paper_is_stronger_than_on_ink() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=0.0, blur_px=0.0)
    before = table.render().astype(int)
    table.project_picture(np.full((1080, 1920, 3), 60, dtype=np.uint8))
    gain = table.render().astype(int) - before
    paper, ink = CAMERA.project(np.array([[60.0 - 22.5, 60.0, 0.0], [60.0 - 17.5, 60.0, 0.0]])).round().astype(int)
    assert gain[paper[1], paper[0]].min() > 25
    assert gain[ink[1], ink[0]].max() < 15


def test_a_picture_belongs_to_whom_it_was_given() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=0.0)
    picture = table.render()
    kept = picture.copy()
    picture[:] = 0
    assert np.array_equal(table.render(), kept)


def test_what_cannot_be_is_refused() -> None:
    table = VirtualTable(SCENE, CAMERA)
    with pytest.raises(ValueError, match="no base on this table has marker 99"):
        table.move(99, Placement(x_mm=0, y_mm=0))
    with pytest.raises(ValueError, match=r"expected \(1080, 1920, 3\) uint8"):
        table.project_picture(np.zeros((10, 10, 3), dtype=np.uint8))


def test_far_off_the_table_nothing_is_drawn() -> None:
    table = VirtualTable(SCENE, CAMERA, noise=0.0)
    table.move(0, None)
    without = table.render()
    table.move(0, Placement(x_mm=40_000, y_mm=-9_000))
    assert np.array_equal(table.render(), without)


def test_merged_rectangles_do_not_overlap_and_cover_the_same() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        rects = [PixelRect(x, y, x + w, y + h) for x, y, w, h in rng.integers(0, 30, (6, 4)).tolist()]
        before, after = np.zeros((80, 80), dtype=int), np.zeros((80, 80), dtype=int)
        for rect in rects:
            before[rect.slices] = 1
        for rect in merge_rects(rects):
            after[rect.slices] += 1
        assert after.max() <= 1
        assert np.all(after >= before)


def test_terrain_that_is_laid_elsewhere_is_drawn_as_if_it_had_lain_there() -> None:
    def block(x_mm: float) -> VirtualTerrain:
        ring = ((x_mm, 500.0), (x_mm + 200, 500.0), (x_mm + 200, 650.0), (x_mm, 650.0))
        return VirtualTerrain(outline_mm=ring, height_mm=60, raised=True)

    def table(x_mm: float) -> VirtualTable:
        scene = VirtualScene(bases=SCENE.bases, placements=SCENE.placements, terrain=(block(x_mm),))
        return VirtualTable(scene, CAMERA, seed=3, noise=0.0)

    moved, there = table(400), table(620)
    for each in (moved, there):
        each.project_picture(draw_ring(300))
        each.hold_hand(HAND)
        each.render()
    moved.lay_terrain((block(620),))
    assert np.array_equal(moved.render(), there.render())
