"""The tile scan: where the picture is searched for tags that are missing."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.tags.detection import ImageRegion
from vision.tracking.search import (
    IDLE_FRAMES,
    MOST_TILES,
    STRIDE_PX,
    TILE_PX,
    UNSEARCHED_FRAMES,
    WITHIN_FRAMES,
    TileScan,
)

Grey = NDArray[np.uint8]

WIDTH, HEIGHT = 3840, 2160
TILES_ACROSS, TILES_DOWN = 15, 9
TAG_PX = 40
"""With its rim."""


@pytest.fixture(scope="module")
def table() -> Grey:
    """A grey table whose brightness changes slowly from place to place."""
    along = np.linspace(0, 7, WIDTH)[None, :] + np.linspace(0, 4, HEIGHT)[:, None]
    return (110 + 20 * np.sin(along)).astype(np.uint8)


def begin_scan(grey: Grey, least_step: int = 0) -> TileScan:
    scan = TileScan(overlap_px=TAG_PX, least_step=least_step)
    scan.mark_whole_searched(grey)
    return scan


def put_tag(grey: Grey, left: int, top: int, *, dark: int = 30, light: int = 210) -> None:
    """Put a checkered tag with a white rim down."""
    cells = np.indices((8, 8)).sum(axis=0) % 2 * (light - dark) + dark
    grey[top : top + TAG_PX, left : left + TAG_PX] = light + 10
    grey[top + 4 : top + 36, left + 4 : left + 36] = np.kron(cells, np.ones((4, 4)))


def contains_tag(region: ImageRegion, left: int, top: int) -> bool:
    return region.left <= left and region.top <= top and region.right >= left + TAG_PX and region.bottom >= top + TAG_PX


def area(regions: list[ImageRegion]) -> int:
    return sum((r.right - r.left) * (r.bottom - r.top) for r in regions)


SPOTS = [
    (left, top)
    for left, top in np.random.default_rng(8).integers((0, 0), (WIDTH - TAG_PX, HEIGHT - TAG_PX), (24, 2)).tolist()
] + [(0, 0), (WIDTH - TAG_PX, HEIGHT - TAG_PX), (WIDTH // 2 - 20, 0), (0, HEIGHT // 2)]


@pytest.mark.parametrize("restless", [0, 5, 20])
def test_a_tag_put_down_anywhere_is_looked_for_in_time(table: Grey, restless: int) -> None:
    late = []
    for number, (left, top) in enumerate(SPOTS):
        late.append(count_frames_until_found(table, left, top, restless=restless, seed=number))
    assert max(late) <= WITHIN_FRAMES + 1
    if restless == 0:
        assert max(late) == 1, "with nothing else to look at it is looked for at once"


def count_frames_until_found(table: Grey, left: int, top: int, *, restless: int, seed: int) -> int:
    """Return how many pictures it takes while so many tiles change in each picture, each in its middle."""
    grey, rng = table.copy(), np.random.default_rng(seed)
    scan = begin_scan(grey)
    middles = np.argwhere(np.ones((TILES_ACROSS, TILES_DOWN))) * (WIDTH // TILES_ACROSS, HEIGHT // TILES_DOWN) + 100
    places = rng.permutation(middles)[:restless]
    for frame in range(-5, WITHIN_FRAMES + 10):
        for x, y in places:
            grey[y : y + 60, x : x + 60] = rng.integers(0, 255, (60, 60), dtype=np.uint8)
        if frame == 0:
            put_tag(grey, left, top)
        regions = scan.choose_regions(grey, scan.overlap_px)
        assert len(regions) <= MOST_TILES
        if frame >= 0 and any(contains_tag(region, left, top) for region in regions):
            return frame + 1
    return 10 * WITHIN_FRAMES


def test_a_tag_put_down_while_a_hand_leaves_is_looked_for_when_it_can_be_seen(table: Grey) -> None:
    grey = table.copy()
    scan = begin_scan(grey)
    for edge in range(1600, 800, -100):
        grey[:] = table
        put_tag(grey, 900, 700)
        grey[600:1100, 700:edge] = 170  # the sleeve
        scan.choose_regions(grey, scan.overlap_px)
    grey[:] = table
    put_tag(grey, 900, 700)
    found = [
        any(contains_tag(region, 900, 700) for region in scan.choose_regions(grey, scan.overlap_px))
        for _ in range(WITHIN_FRAMES + 1)
    ]
    assert any(found)


def test_where_nothing_changes_a_tile_is_looked_at_now_and_then_and_each_gets_its_turn(table: Grey) -> None:
    scan = begin_scan(table)
    tiles = math.ceil(WIDTH * HEIGHT / TILE_PX) + 12
    rng = np.random.default_rng(0)
    looked = np.zeros((HEIGHT // STRIDE_PX, WIDTH // STRIDE_PX), dtype=bool)
    busy = 0
    sheet = rng.normal(0, 3, (HEIGHT, WIDTH)).astype(np.int16)
    noisy = np.clip(table + sheet, 0, 255).astype(np.uint8)
    for frame in range(tiles * IDLE_FRAMES):
        regions = scan.choose_regions(noisy if frame % 2 else table, scan.overlap_px)
        assert len(regions) <= 1
        assert area(regions) < 2 * TILE_PX
        busy += len(regions)
        for r in regions:
            looked[-(-r.top // STRIDE_PX) : r.bottom // STRIDE_PX, -(-r.left // STRIDE_PX) : r.right // STRIDE_PX] = (
                True
            )
    assert busy <= tiles
    assert looked.all()


def test_a_change_that_stays_is_looked_at_once(table: Grey) -> None:
    grey = table.copy()
    scan = begin_scan(grey)
    put_tag(grey, 1000, 1000)
    seen = [region for _ in range(3 * WITHIN_FRAMES) for region in scan.choose_regions(grey, scan.overlap_px)]
    here = [region for region in seen if contains_tag(region, 1000, 1000) and area([region]) < TILE_PX / 2]
    assert 1 <= len(here) <= 4, "in each tile that it touches"


def test_a_small_change_is_looked_at_closely(table: Grey) -> None:
    grey = table.copy()
    scan = begin_scan(grey)
    put_tag(grey, 1100, 1500)
    (region, *_) = scan.choose_regions(grey, scan.overlap_px)
    assert area([region]) < (3 * TAG_PX + 2 * STRIDE_PX) ** 2


def test_what_is_looked_through_anyway_is_not_scanned_and_what_lies_beside_it_is(table: Grey) -> None:
    grey = table.copy()
    scan = begin_scan(grey)
    put_tag(grey, 1000, 800)
    there = ImageRegion(left=980, top=780, right=1060, bottom=860)
    assert scan.choose_regions(grey, TAG_PX, [there]) == []
    put_tag(grey, 1200, 800)
    (region,) = scan.choose_regions(grey, TAG_PX, [there])
    assert contains_tag(region, 1200, 800)


@pytest.mark.parametrize(("least_step", "searched"), [(0, True), (40, False)])
def test_a_faint_change_is_searched_if_markers_may_be_as_faint(table: Grey, least_step: int, *, searched: bool) -> None:
    dim = table // 3
    scan = begin_scan(dim, least_step)
    grey = dim.copy()
    put_tag(grey, 900, 700, dark=45, light=60)
    regions = scan.choose_regions(grey, TAG_PX)
    assert any(contains_tag(region, 900, 700) for region in regions) == searched


@pytest.mark.parametrize("least_step", [0, 40])
def test_what_is_put_down_where_noise_hides_it_in_single_pixels_is_searched_and_noise_is_not(
    table: Grey, least_step: int
) -> None:
    rng, noise = np.random.default_rng(3), 8.0
    dim = table[:1080, :1920] // 2

    def look(grey: Grey) -> list[ImageRegion]:
        picture = np.clip(grey + rng.normal(0, noise, grey.shape), 0, 255).astype(np.uint8)
        return scan.choose_regions(picture, TAG_PX, noise=math.sqrt(2) * noise)

    scan = begin_scan(np.clip(dim + rng.normal(0, noise, dim.shape), 0, 255).astype(np.uint8), least_step)
    for _ in range(IDLE_FRAMES - 1):
        assert look(dim) == []
    grey = dim.copy()
    put_tag(grey, 900, 700, dark=30, light=75)
    assert any(contains_tag(region, 900, 700) for _ in range(2) for region in look(grey))


def test_table_that_is_laid_bare_is_not_searched_and_what_is_put_down_there_again_is(table: Grey) -> None:
    there = table.copy()
    put_tag(there, 900, 700)
    scan = begin_scan(there, least_step=40)
    assert scan.choose_regions(table, TAG_PX) == []
    assert any(contains_tag(region, 900, 700) for region in scan.choose_regions(there, TAG_PX))


def test_what_was_looked_through_hurriedly_is_looked_through_tile_by_tile(table: Grey) -> None:
    scan = TileScan(overlap_px=TAG_PX, tags_only=True)
    scan.mark_whole_searched(table, hurried=True)
    looked_at = [
        region
        for _ in range(TILES_ACROSS * TILES_DOWN * UNSEARCHED_FRAMES)
        for region in scan.choose_regions(table, TAG_PX)
    ]
    assert len(looked_at) == TILES_ACROSS * TILES_DOWN
    assert all(any(contains_tag(region, left, top) for region in looked_at) for left, top in SPOTS)


def test_what_is_looked_through_for_tags_alone_is_narrowed_to_them(table: Grey) -> None:
    scan = TileScan(overlap_px=TAG_PX, tags_only=True)
    scan.mark_whole_searched(table)
    picture = table.copy()
    put_tag(picture, 1000, 700)
    picture[900:1100, 1400:1700] += 60  # a card
    looked_at = [region for _ in range(WITHIN_FRAMES) for region in scan.choose_regions(picture, TAG_PX)]
    assert any(contains_tag(region, 1000, 700) for region in looked_at)
    assert not any(contains_tag(region, 1530, 980) for region in looked_at)


def test_closer_looks_begin_where_most_is_to_be_seen_that_no_tag_explains(table: Grey) -> None:
    grey = table.copy()
    for left in (1100, 1160, 2000):
        put_tag(grey, left, 700)
    read = [np.array([[left, 700.0], [left + TAG_PX, 700.0 + TAG_PX]]) for left in (1100, 1160)]
    tile = begin_scan(grey).choose_close_look(grey, read)
    assert tile
    assert contains_tag(tile, 2000, 700)


def test_closer_looks_at_a_large_picture_are_rare_while_something_changes(table: Grey) -> None:
    grey = table.copy()
    put_tag(grey, 1000, 700)

    def count_looks(second: Grey) -> int:
        scan, count = begin_scan(grey), 0
        for number in range(36):
            scan.choose_regions((grey, second)[number % 2], TAG_PX)
            count += scan.has_time and scan.choose_close_look(grey, ()) is not None
        return count

    assert count_looks(grey) == 36 / 2
    assert count_looks(table) == 36 / 9
