"""The worlds: each is a table on which as much moves as it says, damaged as much as it says."""

import numpy as np
import pytest

from tests.vision.random_films import RandomFilm
from tests.vision.worlds import WORLDS, RoomFaults, draw_damage, draw_glare

MANY = 400


@pytest.mark.parametrize("ringed", [False, True])
@pytest.mark.parametrize("name", WORLDS)
def test_a_film_of_each_world_can_be_made_and_moves_what_is_said(name: str, ringed: bool) -> None:
    world = WORLDS[name]
    film = RandomFilm(5, frames=60, ringed=ringed, world=world)
    again = RandomFilm(5, frames=60, ringed=ringed, world=world)
    assert film.scene == again.scene
    assert all(getattr(film.conditions, lot) == value for lot, value in world.lots.items())
    moved = set(film.scene.placements) - set(film.list_resting())
    assert len(moved) == min(world.movers, len(film.scene.placements)) if world.movers else moved
    assert (film.markers.lens is None) == (not film.conditions.lens_known)


def test_prints_are_damaged_and_mirror_lamps_as_often_as_is_said() -> None:
    rng, room = np.random.default_rng(2), RoomFaults(glare=0.3, painted=0.4, creased=0.2)
    prints = [draw_damage(rng, room, seed) for seed in range(MANY)]
    assert sum(bool(damage and damage.paint) for damage in prints) == pytest.approx(0.4 * MANY, abs=40)
    assert sum(bool(damage and damage.crease) for damage in prints) == pytest.approx(0.2 * MANY, abs=35)
    assert not any(damage and (damage.smudge or damage.curl_mm) for damage in prints)
    assert len(draw_glare(rng, room, [(0.0, 0.0, 0.0)] * MANY)) == pytest.approx(0.3 * MANY, abs=40)
