"""What the rulebook asks of a situation before it judges: one clear sentence for each mistake."""

import re
from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.game.state import GameState, Move, Pose, Setting
from assistant.rules.referee import judge
from assistant.rules.verdict import Outcome
from tests.assistant.rules.books.warmaster_revolution.table_builders import build_box, build_table, build_unit

MARSH = build_box("marsh", 900, 200, 1000, 400, "marsh")


def build_game(status: tuple[str, ...] = (), hero: tuple[str, ...] = (), **parameters: Setting) -> GameState:
    """Return a unit and its friends with a character, against one enemy 90 mm ahead and its character."""
    state = build_table(
        build_unit("a", "red", (300, 300, 0), status=status),
        build_unit("b", "red", (300, 600, 0)),
        build_unit("h", "red", (300, 800, 0), troop="character", status=hero),
        build_unit("e", "blue", (410, 300, 180)),
        build_unit("g", "blue", (410, 800, 180), troop="character"),
        terrain=(MARSH,),
    )
    return replace(state, parameters=parameters)


def expect_error(sentence: str, state: GameState, move: Move | None = None) -> None:
    with pytest.raises(BadInput, match=f"^{re.escape(sentence)}$"):
        judge(state, move)


def build_charge(**intent: Setting) -> Move:
    start = Pose(x_mm=300, y_mm=300)
    return Move(unit="a", action="charge", intent=intent, paths={"a1": (start, replace(start, x_mm=380))})


def build_game_with_profile(**profile: Setting) -> GameState:
    state = build_game()
    first, *others = state.units
    return replace(state, units=(replace(first, profile=profile), *others))


def test_a_situation_in_order_is_judged() -> None:
    state = build_game(("lost-stands:2", "confused"), ("joined:a",), agreed_terrain={"marsh": ("cavalry", "monster")})
    assert judge(state, build_charge(toward="e", ignores=("e",))).outcome is Outcome.LEGAL


TROOPS = "infantry, cavalry, chariot, artillery, monster, flyer, character, machine"


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        ({}, f'unit "a": profile.troop is missing; expected one of {TROOPS}'),
        ({"troop": "ogre"}, f"units[0].profile.troop: expected one of {TROOPS}, not 'ogre'"),
        ({"troop": "machine"}, 'unit "a": profile.move_cm is missing; a machine has a full pace of its own'),
        (
            {"troop": "infantry", "move_cm": "far"},
            "units[0].profile.move_cm: expected a number from 0 to 1000, not 'far'",
        ),
        (
            {"troop": "infantry", "half_move_cm": 30},
            'unit "a": profile.half_move_cm is 30; expected no more than full pace, which is 20',
        ),
    ],
)
def test_a_unit_says_what_it_is(profile: dict[str, Setting], sentence: str) -> None:
    expect_error(sentence, build_game_with_profile(**profile))


@pytest.mark.parametrize("count", ["x", "0", "-1", "1.5", "\N{SUPERSCRIPT TWO}"])
def test_lost_stands_are_a_number(count: str) -> None:
    expect_error(
        f'units[0].status[1]: "{count}" is no number of stands; expected such as lost-stands:1',
        build_game(("confused", f"lost-stands:{count}")),
    )


def test_lost_stands_are_said_once() -> None:
    expect_error(
        'units[0].status[0]: unit "a" says twice how many stands it lost; expected it once',
        build_game(("lost-stands:1", "lost-stands:2")),
    )


@pytest.mark.parametrize("name", ["nobody", "e", "g", "h"])
def test_a_character_joins_a_unit_of_its_side(name: str) -> None:
    expect_error(
        f'units[2].status[0]: there is no friendly unit "{name}" to join; expected one of a, b',
        build_game(hero=(f"joined:{name}",)),
    )


def test_where_all_are_characters_there_is_none_to_join() -> None:
    hero = build_unit("h", "red", (300, 800, 0), troop="character", status=("joined:a",))
    expect_error(
        'units[0].status[0]: there is no friendly unit "a" to join; expected none, for there is none', build_table(hero)
    )


def test_only_characters_join() -> None:
    expect_error(
        'units[0].status[0]: unit "a" is no character, and only characters join units',
        build_game(("joined:b",)),
    )


@pytest.mark.parametrize(
    ("agreed", "sentence"),
    [
        ({"bog": ("cavalry",)}, "parameters.agreed_terrain.bog: there is no terrain 'bog' in this situation"),
        ({"marsh": ("ogre",)}, f"parameters.agreed_terrain.marsh: expected some of {TROOPS}, not 'ogre'"),
    ],
)
def test_agreed_terrain_names_terrain_and_troops(agreed: dict[str, tuple[str, ...]], sentence: str) -> None:
    expect_error(sentence, build_game(agreed_terrain=agreed))


@pytest.mark.parametrize(
    ("intent", "sentence"),
    [
        ({}, "move.toward is missing; expected the id of the enemy unit that a charges"),
        ({"toward": "b"}, 'move.toward: "b" is no enemy unit (characters aside); expected the id of one'),
        ({"toward": "g"}, 'move.toward: "g" is no enemy unit (characters aside); expected the id of one'),
        ({"toward": "x"}, 'move.toward: there is no enemy unit (characters aside) "x" in this situation'),
        (
            {"toward": "e", "ignores": ("b",)},
            'move.ignores[0]: "b" is no enemy unit (characters aside); expected the id of one',
        ),
        ({"toward": "e", "ignores": "e"}, "move.ignores: expected a list of ids, not 'e'"),
        ({"toward": "e", "ordered": "yes"}, "move.ordered: expected true or false, not 'yes'"),
    ],
)
def test_a_charge_names_an_enemy(intent: dict[str, Setting], sentence: str) -> None:
    expect_error(sentence, build_game(), build_charge(**intent))


def test_who_charges_into_its_target_is_told_how_deep() -> None:
    move = build_charge(toward="e")
    start = move.paths["a1"][0]
    verdict = judge(build_game(), replace(move, paths={"a1": (start, replace(start, x_mm=392))}))
    assert verdict.outcome is Outcome.ILLEGAL
    assert [finding.text for finding in verdict.findings] == ["a1 moves across e1 by 0.2 cm"]
