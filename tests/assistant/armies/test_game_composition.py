import itertools
from dataclasses import replace
from typing import Any

import pytest

from assistant.armies import game_composition
from assistant.armies.army import Army, ArmyUnit
from assistant.armies.formats.roster import parse_roster
from assistant.armies.game_composition import IdAllocator, compose_situation
from assistant.armies.unit_entry import unit_from_entry
from assistant.errors import BadInput
from assistant.game.base_spec import BaseSpec
from assistant.game.situation_file import parse_situation
from assistant.game.state import DeploymentZone, GameState, Pose, Table, Terrain
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Outline, PlacedShape
from assistant.rules.books import find_rulebook
from assistant.rules.referee import judge
from assistant.rules.verdict import Outcome

TABLE = Table(width_mm=1524, depth_mm=1118)
BLOCK = Terrain(id="block", outline_mm=((100, 20), (900, 20), (900, 300), (100, 300)), height_mm=100)
ROUND = BaseSpec(round_mm=32.0)


def build_army(player: str, *units: ArmyUnit) -> Army:
    return Army(player=player, units=units)


def build_unit(name: str, count: int = 1, **more: Any) -> ArmyUnit:
    return ArmyUnit(name=name, count=count, base=ROUND, **more)


def build_rostered_armies(text: str, book: str) -> list[Army]:
    units: dict[str, list[ArmyUnit]] = {}
    for line in parse_roster(text, (find_rulebook(book),)):
        if line.entry:
            entered, problems = unit_from_entry(line.entry, find_rulebook(book))
            assert entered is not None, problems
            units.setdefault(line.player or "", []).append(entered)
    return [Army(player=player, units=tuple(members)) for player, members in units.items()]


def build_game(document: dict[str, Any]) -> GameState:
    return parse_situation(document, "composed").state


def test_models_wait_to_be_seen_and_have_short_ids_of_their_own() -> None:
    state = build_game(
        compose_situation(
            TABLE,
            "warhammer-40k-10e",
            [
                build_army(
                    "Red",
                    build_unit("Scouts", 2, profile={"move_in": 6}),
                    build_unit("Scouts"),
                    build_unit("Élan’s Guard"),
                ),
                build_army(
                    "Blue",
                    build_unit("Scouts"),
                    build_unit("Heroes", 2, models=("Ann", "Bo")),
                    build_unit("Gun", id="Big Gun"),
                ),
            ],
            [BLOCK],
        )
    )
    assert [(u.id, u.player, [m.id for m in u.models]) for u in state.units] == [
        ("scouts", "Red", ["scouts-1", "scouts-2"]),
        ("red-scouts", "Red", ["red-scouts-1"]),
        ("elans-guard", "Red", ["elans-guard-1"]),
        ("blue-scouts", "Blue", ["blue-scouts-1"]),
        ("heroes", "Blue", ["ann", "bo"]),
        ("Big Gun", "Blue", ["Big Gun-1"]),
    ]
    assert all(model.pose is None for _, model in state.iterate_models())
    assert state.terrain == (BLOCK,)
    assert state.find_unit("scouts").profile == {"move_in": 6}


@pytest.mark.parametrize(
    ("book", "roster"),
    [
        (
            "warhammer-40k-10e",
            "# A\n12 Scouts 32\nTank 100x60\n20 Boyz 25\n# B\n5 Riders 75x42\nKnight 170\n10 Guards 32",
        ),
        (
            "warmaster-revolution",
            "# A\n3 Halberdiers 20x40 infantry\n3 Knights 40x20 cavalry\n# B\n2 Guns 40x20 artillery",
        ),
        ("priority-skirmish", "# A\n7 Scouts 40\n# B\n3 Scouts 50"),
    ],
)
def test_models_in_rows_stand_apart_from_all_else_as_the_rules_would_have_it(book: str, roster: str) -> None:
    clear = ((1300.0, 900.0), (1500.0, 900.0), (1500.0, 1100.0), (1300.0, 1100.0))
    state = build_game(
        compose_situation(TABLE, book, build_rostered_armies(roster, book), [BLOCK], placed=True, avoid_mm=[clear])
    )
    placed = [model.place_base() for _, model in state.iterate_models()]
    blocks = [PlacedShape(shape=Outline(points_mm=outline), x_mm=0, y_mm=0) for outline in (BLOCK.outline_mm, clear)]
    assert all(clearance(one, other).mm > -1e-6 for one, other in itertools.combinations(placed, 2))
    assert all(clearance(one, block).mm > 1 for one in placed for block in blocks)
    assert judge(state, None).outcome is Outcome.LEGAL
    near, far = (
        {round(m.place_base().facing_rad, 3) for u, m in state.iterate_models() if u.player == player}
        for player in "AB"
    )
    assert (near, far) == ({1.571}, {-1.571})


def test_names_are_shown_as_they_were_written() -> None:
    red = build_army(
        "Red",
        *[build_unit(name) for name in ("Ork Boyz", "ork  boyz", "Ork Boyz 3", "Ork Boyz")],
        build_unit("Big", id="the-big"),
    )
    blue = build_army("Blue", build_unit("Ork Boyz"), build_unit("orks"), build_unit("Élan’s  Guard"))
    document = compose_situation(TABLE, "warhammer-40k-10e", [red, blue])
    assert [(unit.id, unit.name) for unit in build_game(document).units] == [
        ("ork-boyz", "Ork Boyz"),
        ("red-ork-boyz", "ork boyz 2"),
        ("ork-boyz-3", "Ork Boyz 3"),
        ("ork-boyz-b", "Ork Boyz 4"),
        ("the-big", ""),
        ("blue-ork-boyz", "Ork Boyz"),
        ("orks", ""),
        ("elans-guard", "Élan’s Guard"),
    ]
    assert [unit.get("name") for unit in document["units"]][1:3] == ["ork boyz 2", "Ork Boyz 3"]


@pytest.mark.parametrize(
    ("armies", "says"),
    [
        ([], "there is no army yet"),
        ([build_army("Red", build_unit("A")), build_army("Red", build_unit("B"))], "player 'Red' has two armies"),
        (
            [Army(player="Red", rulebook="warmaster-revolution", units=(build_unit("A"),))],
            "is for warmaster-revolution",
        ),
        (
            [build_army("Red", build_unit("A", profile={"speed": 3}))],
            "Red, A: profile.speed: this profile key is not known",
        ),
        (
            [build_army("Red", build_unit("A"), build_unit("B", status=("asleep",)))],
            r"Red, B: status\[0\]: the status 'asleep' is not known",
        ),
        ([build_army("Red", build_unit("A", id="x"), build_unit("B", id="x"))], "Red, B: its id is taken already"),
    ],
)
def test_what_is_wrong_is_said_in_the_rosters_words(armies: list[Army], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        compose_situation(TABLE, "warhammer-40k-10e", armies)


def test_no_room_is_said_and_not_overlapped() -> None:
    with pytest.raises(BadInput, match="there is no room on the table for many-1"):
        compose_situation(
            Table(width_mm=300, depth_mm=300),
            "warhammer-40k-10e",
            [build_army("Red", build_unit("Many", 100))],
            placed=True,
        )


def test_room_is_not_looked_for_again_where_a_unit_of_the_same_size_found_none(monkeypatch: pytest.MonkeyPatch) -> None:
    looked, look = list[object](), game_composition._list_rooms

    def count(block: Any, *others: Any, **more: Any) -> Any:
        looked.append(block)
        return look(block, *others, **more)

    monkeypatch.setattr(game_composition, "_list_rooms", count)
    table, counts = Table(width_mm=600, depth_mm=600), list[int]()
    for units in (20, 60):
        looked.clear()
        army = build_army("Red", *(build_unit(f"Unit {number}", 5) for number in range(units)))
        with pytest.raises(BadInput, match="there is no room on the table for"):
            compose_situation(table, "warhammer-40k-10e", [army], placed=True)
        counts.append(len(looked))
    assert counts[0] == counts[1]


def test_a_unit_goes_into_a_gap_that_has_room_for_it_in_other_rows() -> None:
    corridor = ((0.0, 0.0), (600.0, 0.0), (600.0, 140.0), (0.0, 140.0))
    table, zone = Table(width_mm=600, depth_mm=600), DeploymentZone(id="z", player="Red", outline_mm=corridor)
    wall = Terrain(id="wall", outline_mm=((95.0, 0.0), (600.0, 0.0), (600.0, 140.0), (95.0, 140.0)), height_mm=80.0)
    for unit in (build_unit("Tank"), build_unit("Pair", 2)):
        army = build_army("Red", unit)
        game = compose_situation(table, "warhammer-40k-10e", [army], [wall], deployment=[zone], placed=True)
        assert all(model["pose"]["x_mm"] < 95 for one in game["units"] for model in one["models"])


def test_what_finds_no_room_in_a_crowded_zone_stands_before_it_and_the_largest_goes_in_first() -> None:
    table = Table(width_mm=600, depth_mm=600)
    zone = DeploymentZone(id="z", player="Red", outline_mm=((0.0, 0.0), (600.0, 0.0), (600.0, 130.0), (0.0, 130.0)))
    tank = ArmyUnit(name="Tank", count=1, base=BaseSpec(round_mm=75.0))
    army = build_army("Red", *(build_unit(f"Squad {at}", 5) for at in range(4)), tank)
    document = compose_situation(table, "warhammer-40k-10e", [army], deployment=[zone], placed=True)
    state = parse_situation(document, "the game").state
    assert judge(state, None).outcome is Outcome.LEGAL
    places = {unit.id: [model.pose.y_mm for model in unit.models if model.pose] for unit in state.units}
    assert max(places.pop("tank")) < 130
    assert 130 < max(y for rows in places.values() for y in rows) < 300


def test_models_are_set_up_in_their_players_zones_and_in_a_wood_only_for_want_of_room() -> None:
    left = ((0.0, 0.0), (200.0, 0.0), (200.0, 800.0), (0.0, 800.0))
    right = ((1000.0, 0.0), (1200.0, 0.0), (1200.0, 800.0), (1000.0, 800.0))
    zones = [
        DeploymentZone(id="l", player="Red", outline_mm=left),
        DeploymentZone(id="r", player="Blue", outline_mm=right),
    ]
    wood = Terrain(id="wood", outline_mm=((0.0, 0.0), (200.0, 0.0), (200.0, 500.0), (0.0, 500.0)))
    unit = build_unit("Scouts", 8)

    def place(units: int, *terrain: Terrain) -> GameState:
        armies = [build_army(player, *[unit] * units) for player in ("Red", "Blue")]
        table = Table(width_mm=1200, depth_mm=800)
        return parse_situation(
            compose_situation(table, "warhammer-40k-5e", armies, terrain, deployment=zones, placed=True), "a"
        ).state

    def list_poses(state: GameState, player: str) -> list[Pose]:
        return [model.pose for one, model in state.iterate_models() if one.player == player and model.pose]

    state = place(1, wood)
    assert all(pose.x_mm < 180 and pose.facing_rad == 0 and pose.y_mm > 500 for pose in list_poses(state, "Red"))
    assert all(pose.x_mm > 1020 for pose in list_poses(state, "Blue"))
    crowd = place(3, wood)
    assert any(pose.y_mm < 500 for pose in list_poses(crowd, "Red"))
    before = place(3, replace(wood, height_mm=50.0))
    assert any(200 < pose.x_mm < 600 for pose in list_poses(before, "Red"))


def test_there_are_ids_for_any_number_of_units_of_one_name() -> None:
    ids = IdAllocator()
    units = [ids.allocate(build_unit("Scouts"), "Red")[0] for _ in range(800)]
    assert len(set(units)) == 800


@pytest.mark.parametrize(
    ("name", "unit_id"),
    [
        ("Élan’s Guard & Sons", "elans-guard-sons"),
        ("Στρατιώτες", "στρατιωτες"),
        ("Йод и ёж", "йод-и-ёж"),
        ("ガンダム 戦士", "ガンダム-戦士"),
        ("전사단", "전사단"),
        ("सैनिक", "सैनिक"),
        ("فرسان الطحلب", "فرسان-الطحلب"),
        ("🐉 Łoś!", "łos"),
        ("🐉", "🐉"),
        ("?!", "unit"),
    ],
)
def test_a_name_in_any_alphabet_makes_an_id_that_is_read_as_it_was_typed(name: str, unit_id: str) -> None:
    unit, models = IdAllocator().allocate(build_unit(name, 2), "Red")
    assert (unit, models) == (unit_id, (f"{unit_id}-1", f"{unit_id}-2"))
