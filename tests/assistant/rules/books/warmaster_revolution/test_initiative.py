from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from assistant.errors import BadInput, MissingField
from assistant.game.state import GameState, Turn
from assistant.rules.books.warmaster_revolution.initiative import (
    IGNORES,
    ORDERED,
    TOWARD,
    check_charge,
    check_evade,
    check_order,
)
from assistant.rules.books.warmaster_revolution.parties import list_foes
from assistant.rules.context import RuleContext
from assistant.rules.rulebook import Action
from assistant.rules.validation import check_intent
from assistant.rules.verdict import Finding, Outcome
from tests.assistant.altered_rulebook import add_rulebook
from tests.assistant.rules.books.warmaster_revolution.table_builders import (
    Place,
    build_box,
    build_question,
    build_table,
    build_unit,
)

HERE, AHEAD = (300.0, 300.0, 0.0), (400.0, 300.0, 180.0)
May = Callable[[RuleContext], Iterable[Finding]]
LEGAL, DOUBT = "legal", "too-close"


def build_foe(
    name: str, *places: Place, troop: str = "infantry", sigma_mm: float = 0.0, player: str = "blue"
) -> GameState:
    return build_table(build_unit(name, player, *places, troop=troop, sigma_mm=sigma_mm))


def build_meeting(
    *tables: GameState,
    places: tuple[Place, ...] = (HERE,),
    troop: str = "infantry",
    keywords: tuple[str, ...] = (),
    status: tuple[str, ...] = (),
    sigma_mm: float = 0.0,
) -> GameState:
    """Return a table with the unit ``a`` and others."""
    own = build_unit("a", "red", *places, troop=troop, keywords=keywords, status=status, sigma_mm=sigma_mm)
    return build_table(own, *(each for other in tables for each in other.units))


def list_answers(
    may: May, state: GameState, **intent: str | bool | tuple[str, ...]
) -> list[tuple[str, str, float | None]]:
    found = may(build_question(state, moving=True, intent=intent))
    return [
        (each.rule, each.outcome.value, None if each.margin_mm is None else round(each.margin_mm, 6))
        for each in found
        if each.outcome is not Outcome.LEGAL
    ]


def test_foes_are_the_nearest_first_and_no_characters() -> None:
    state = build_meeting(
        build_foe("f", (470, 260, 180)),
        build_foe("e", (420, 345, 180), (420, 385, 180), sigma_mm=0.3),
        build_foe("h", (330, 300, 0), troop="character"),
        build_foe("b", (340, 300, 0), player="red"),
        places=((300, 300, 0), (300, 340, 0)),
        sigma_mm=0.4,
    )
    first, second = list_foes(build_question(state))
    assert (first.unit.id, first.stands) == ("e", ("a2", "e1"))
    assert first.gap.mm == pytest.approx(100)
    assert first.sigma_mm == pytest.approx(0.5)
    assert first.gap.near[0] == pytest.approx(310)
    assert second.unit.id == "f"
    assert second.gap.mm == pytest.approx(150)
    assert list_foes(build_question(state.place_models({"a1": None, "a2": None}))) == ()


@pytest.mark.parametrize("may", [check_charge, check_evade])
@pytest.mark.parametrize(
    ("x", "sigma_mm", "expected"),
    [
        (520.0, 0.0, []),
        (521.0, 0.0, [("wm-36", "illegal", -1.0)]),
        (520.1, 0.1, [("wm-36", "too-close", -0.1)]),
        (519.9, 0.1, [("wm-36", "too-close", 0.1)]),
        (521.0, 0.1, [("wm-36", "illegal", -1.0)]),
    ],
)
def test_within_twenty_centimetres(may: May, x: float, sigma_mm: float, expected: list[object]) -> None:
    state = build_meeting(build_foe("e", (x, 300, 180), sigma_mm=sigma_mm), sigma_mm=sigma_mm)
    assert list_answers(may, state, toward="e") == expected


def test_a_doubt_gives_way_to_what_is_sure() -> None:
    doubtful = build_foe("e", (520.1, 300, 180), sigma_mm=0.1)
    closer = build_foe("f", (450, 360, 180))
    assert list_answers(check_charge, build_meeting(doubtful, closer, sigma_mm=0.1), toward="e") == [
        ("wm-41", "illegal", -68.570536)
    ]
    house = replace(
        build_meeting(doubtful, sigma_mm=0.1), terrain=(build_box("house", 400, 100, 420, 500, "building"),)
    )
    assert list_answers(check_charge, house, toward="e") == [("wm-38", "illegal", None)]


def test_seen_or_why_not() -> None:
    assert list_answers(check_charge, build_meeting(build_foe("e", (200, 300, 0))), toward="e") == [
        ("wm-37", "illegal", None)
    ]
    friends = build_foe("b", *((340.0, 250.0 + 40 * place, 0.0) for place in range(4)), player="red")
    assert list_answers(check_evade, build_meeting(build_foe("e", AHEAD), friends), toward="e") == [
        ("wm-38", "illegal", None)
    ]
    barely = build_meeting(build_foe("e", (300.1, 380, 0), sigma_mm=0.2), sigma_mm=0.2)
    assert list_answers(check_charge, barely, toward="e") == [("wm-37", "too-close", None)]
    wall = build_box("wall", 350, 100, 360, 319.9, "wall")
    past = replace(build_meeting(build_foe("e", AHEAD, sigma_mm=0.1), sigma_mm=0.1), terrain=(wall,))
    assert list_answers(check_charge, past, toward="e") == [("wm-38", "too-close", None)]


def test_all_round_vision_is_for_evading() -> None:
    behind = build_meeting(build_foe("e", (190, 300, 0)), troop="cavalry", keywords=("all-round-vision",))
    assert list_answers(check_evade, behind, toward="e") == []
    assert list_answers(check_charge, behind, toward="e") == [("wm-44", "illegal", None)]
    # 0.1 mm of it is before the front edge at x 320, two sigma of the two are 0.28; the side edge sees it for sure.
    barely = build_meeting(
        build_foe("e", (310.1, 410, 0), sigma_mm=0.1), troop="cavalry", keywords=("all-round-vision",), sigma_mm=0.1
    )
    assert list_answers(check_evade, barely, toward="e") == []
    assert list_answers(check_charge, barely, toward="e") == [("wm-44", "too-close", None)]
    unlike = build_meeting(build_foe("e", (190, 300, 0)), troop="cavalry")
    assert list_answers(check_evade, unlike, toward="e") == [("wm-37", "illegal", None)]


NEAR, FAR = build_foe("e", (420, 340, 180)), build_foe("f", (470, 260, 180))


@pytest.mark.parametrize("may", [check_charge, check_evade])
def test_only_the_closest_that_is_seen(may: May) -> None:
    assert list_answers(may, build_meeting(NEAR, FAR), toward="e") == []
    assert list_answers(may, build_meeting(NEAR, FAR), toward="f") == [("wm-41", "illegal", -50.0)]
    assert list_answers(may, build_meeting(NEAR, build_foe("f", (420, 260, 180))), toward="f") == []  # equally close
    hidden = replace(build_meeting(NEAR, FAR), terrain=(build_box("house", 380, 300, 400, 460, "building"),))
    assert list_answers(may, hidden, toward="f") == []


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (420.1, [("wm-41", "too-close", -0.1)]),
        (419.9, [("wm-41", "too-close", 0.1)]),
        (421.0, [("wm-41", "illegal", -1.0)]),
        (419.0, []),
    ],
)
def test_who_is_closer_may_be_too_close_to_call(x: float, expected: list[object]) -> None:
    rival, named = build_foe("e", (420, 340, 180), sigma_mm=0.1), build_foe("f", (x, 260, 180), sigma_mm=0.1)
    assert list_answers(check_charge, build_meeting(rival, named, sigma_mm=0.1), toward="f") == expected


def test_a_closer_enemy_that_is_doubtfully_seen_leaves_it_open() -> None:
    beside = build_foe("e", (300.1, 380, 0), sigma_mm=0.2)
    state = build_meeting(beside, build_foe("f", (470, 260, 180), sigma_mm=0.2), sigma_mm=0.2)
    assert list_answers(check_charge, state, toward="f") == [("wm-41", "too-close", None)]


def test_what_is_rightly_ignored_does_not_count() -> None:
    works = build_box("works", 400, 330, 460, 400, "fortified")
    state = replace(build_meeting(NEAR, FAR), terrain=(works,))
    assert list_answers(check_charge, state, toward="f") == [("wm-41", "illegal", -50.0)]
    assert list_answers(check_charge, state, toward="f", ignores=("e",)) == []
    assert list_answers(check_charge, state, toward="e", ignores=("e",)) == []  # who is named counts
    riders = replace(build_meeting(build_foe("e", (420, 340, 180), troop="cavalry"), FAR), terrain=(works,))
    assert [rule for rule, *_ in list_answers(check_charge, riders, toward="f", ignores=("e",))] == ["wm-41"]
    edge = build_box("works", 429.9, 330, 460, 400, "fortified")
    doubtful = replace(build_meeting(build_foe("e", (420, 340, 180), sigma_mm=0.2), FAR), terrain=(edge,))
    assert list_answers(check_charge, doubtful, toward="f", ignores=("e",)) == [("wm-41", "too-close", None)]


TOLD = replace(build_meeting(build_foe("e", AHEAD)), orders_begun=True)
COUNTED = replace(
    build_meeting(build_foe("e", AHEAD)), turn=Turn(number=1, player="red", step="orders", done={"b": "order"})
)


def test_initiative_ends_with_the_first_order() -> None:
    for state in (TOLD, COUNTED):
        assert list_answers(check_charge, state, toward="e") == [("wm-39", "illegal", None)]
        assert list_answers(check_evade, state, toward="e") == [("wm-39", "illegal", None)]
        assert list_answers(check_charge, state, toward="e", ordered=True) == []
    assert list_answers(check_charge, replace(COUNTED, turn=Turn(number=1, player="red", step="x")), toward="e") == []


def test_who_moved_by_initiative_is_given_no_orders() -> None:
    state = build_meeting(build_foe("e", AHEAD), status=("initiative-moved",))
    assert list_answers(check_order, state) == [("wm-40", "illegal", None)]
    assert list_answers(check_charge, state, toward="e", ordered=True) == [("wm-40", "illegal", None)]
    assert list_answers(check_charge, state, toward="e") == []
    assert list_answers(check_order, build_meeting(build_foe("e", AHEAD))) == []


def test_artillery_and_characters() -> None:
    guns = build_meeting(build_foe("e", AHEAD), troop="artillery")
    assert list_answers(check_charge, guns, toward="e") == [("wm-45", "illegal", None)]
    assert list_answers(check_evade, guns, toward="e") == []
    assert list_answers(check_charge, guns, toward="e", ordered=True) == []
    assert list_answers(check_charge, replace(guns, orders_begun=True), toward="e") == [("wm-39", "illegal", None)]
    hero = build_meeting(build_foe("e", AHEAD), troop="character")
    for may in (check_charge, check_evade, check_order):
        assert list_answers(may, hero, **({} if may is check_order else {"toward": "e"})) == [
            ("wm-57", "illegal", None)
        ]


def test_a_move_names_an_enemy() -> None:
    with pytest.raises(MissingField) as caught:
        list(check_evade(build_question(build_meeting(build_foe("e", AHEAD)), moving=True)))
    assert str(caught.value) == "move.toward is missing; expected the id of the enemy unit that a evades from"
    gone = build_meeting(build_foe("e", AHEAD)).place_models({"e1": None})
    assert list_answers(check_charge, gone, toward="e") == [("wm-36", "illegal", None)]


# -- what a unit may choose, and whom


def list_refused_options(state: GameState) -> list[list[str]]:
    return [
        [found.rule for found in may(build_question(state)) if found.outcome is Outcome.ILLEGAL]
        for may in (check_charge, check_evade)
    ]


def list_offered(state: GameState, **intent: str | bool | tuple[str, ...]) -> list[str]:
    assert TOWARD.names is not None
    return list(TOWARD.names.offered(build_question(state, intent=intent)))


def test_without_a_name_it_is_allowed_if_anyone_could_be_named() -> None:
    assert list_refused_options(build_meeting(NEAR, FAR)) == [[], []]
    assert list_refused_options(build_meeting()) == [["wm-36"], ["wm-36"]]
    assert list_refused_options(build_meeting(build_foe("e", (700, 300, 180)))) == [["wm-36"], ["wm-36"]]
    assert list_refused_options(build_meeting(build_foe("e", (200, 300, 0)), build_foe("f", (700, 300, 180)))) == [
        ["wm-37"],
        ["wm-37"],
    ]
    assert list_refused_options(build_meeting(build_foe("e", (200, 300, 0)), FAR)) == [[], []]
    round_about = build_meeting(build_foe("e", (190, 300, 0)), troop="cavalry", keywords=("all-round-vision",))
    assert list_refused_options(round_about) == [["wm-44"], []]
    assert list_refused_options(TOLD) == [["wm-39"], ["wm-39"]]
    assert list_refused_options(build_meeting(build_foe("e", (520.1, 300, 180), sigma_mm=0.1), sigma_mm=0.1)) == [
        [],
        [],
    ]  # a person decides


def test_who_is_offered() -> None:
    assert list_offered(build_meeting(FAR, NEAR)) == ["e"]
    assert list_offered(build_meeting(NEAR, build_foe("f", (420, 260, 180)))) == ["e", "f"]
    assert list_offered(build_meeting(FAR, NEAR, build_foe("g", (900, 300, 180))), ordered=True) == ["e", "f", "g"]
    works = build_box("works", 400, 330, 460, 400, "fortified")
    assert list_offered(replace(build_meeting(FAR, NEAR), terrain=(works,))) == ["e", "f"]
    assert IGNORES.names is not None
    assert list(IGNORES.names.offered(build_question(replace(build_meeting(FAR, NEAR), terrain=(works,))))) == ["e"]
    assert list(IGNORES.names.offered(build_question(build_meeting(FAR, NEAR)))) == []


def test_nobody_charges_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    charge = Action(id="charge", label="Charge", intent=("toward", "ignores", "ordered"))
    book = add_rulebook(monkeypatch, intent=(TOWARD, IGNORES, ORDERED), actions=(charge,))
    state = build_meeting(
        build_foe("e", AHEAD),
        build_foe("h", (340, 300, 0), troop="character"),
        build_foe("b", (900, 300, 0), player="red"),
    )
    check_intent(
        book, charge, build_question(state, intent={"toward": "e", "ignores": ("e",), "ordered": True}), "move"
    )
    for name in ("h", "b"):
        with pytest.raises(
            BadInput, match=rf'^move.toward: "{name}" is no enemy unit \(characters aside\); expected the id of one$'
        ):
            check_intent(book, charge, build_question(state, intent={"toward": name}), "move")
