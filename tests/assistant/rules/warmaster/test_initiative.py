from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from assistant.errors import BadInput, MissingField
from assistant.game.state import GameState, Turn
from assistant.rules.books.warmaster_revolution.foes import foes
from assistant.rules.books.warmaster_revolution.initiative import may_charge, may_evade, may_order
from assistant.rules.books.warmaster_revolution.names import IGNORES, ORDERED, TOWARD
from assistant.rules.rulebook import Action, Question
from assistant.rules.validity import check_intent
from assistant.rules.verdict import Finding, Outcome
from tests.assistant.made_up import play
from tests.assistant.rules.warmaster.tables import Place, ask, box, table, unit

HERE, AHEAD = (300.0, 300.0, 0.0), (400.0, 300.0, 180.0)
May = Callable[[Question], Iterable[Finding]]
LEGAL, DOUBT = "legal", "too-close"


def foe(name: str, *places: Place, troop: str = "infantry", sigma_mm: float = 0.0, player: str = "blue") -> GameState:
    return table(unit(name, player, *places, troop=troop, sigma_mm=sigma_mm))


def met(
    *tables: GameState,
    places: tuple[Place, ...] = (HERE,),
    troop: str = "infantry",
    keywords: tuple[str, ...] = (),
    status: tuple[str, ...] = (),
    sigma_mm: float = 0.0,
) -> GameState:
    """Return a table with the unit ``a`` and others."""
    own = unit("a", "red", *places, troop=troop, keywords=keywords, status=status, sigma_mm=sigma_mm)
    return table(own, *(each for other in tables for each in other.units))


def answer(may: May, state: GameState, **intent: str | bool | tuple[str, ...]) -> list[tuple[str, str, float | None]]:
    found = may(ask(state, moving=True, intent=intent))
    return [
        (each.rule, each.outcome.value, None if each.margin_mm is None else round(each.margin_mm, 6))
        for each in found
        if each.outcome is not Outcome.LEGAL
    ]


def test_foes_are_the_nearest_first_and_no_characters() -> None:
    state = met(
        foe("f", (470, 260, 180)),
        foe("e", (420, 345, 180), (420, 385, 180), sigma_mm=0.3),
        foe("h", (330, 300, 0), troop="character"),
        foe("b", (340, 300, 0), player="red"),
        places=((300, 300, 0), (300, 340, 0)),
        sigma_mm=0.4,
    )
    first, second = foes(ask(state))
    assert (first.unit.id, first.stands) == ("e", ("a2", "e1"))
    assert first.gap.mm == pytest.approx(100)
    assert first.sigma_mm == pytest.approx(0.5)
    assert first.gap.near[0] == pytest.approx(310)
    assert second.unit.id == "f"
    assert second.gap.mm == pytest.approx(150)
    assert foes(ask(state.standing({"a1": None, "a2": None}))) == ()


@pytest.mark.parametrize("may", [may_charge, may_evade])
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
    state = met(foe("e", (x, 300, 180), sigma_mm=sigma_mm), sigma_mm=sigma_mm)
    assert answer(may, state, toward="e") == expected


def test_a_doubt_gives_way_to_what_is_sure() -> None:
    doubtful = foe("e", (520.1, 300, 180), sigma_mm=0.1)
    closer = foe("f", (450, 360, 180))
    assert answer(may_charge, met(doubtful, closer, sigma_mm=0.1), toward="e") == [("wm-41", "illegal", -68.570536)]
    house = replace(met(doubtful, sigma_mm=0.1), terrain=(box("house", 400, 100, 420, 500, "building"),))
    assert answer(may_charge, house, toward="e") == [("wm-38", "illegal", None)]


def test_seen_or_why_not() -> None:
    assert answer(may_charge, met(foe("e", (200, 300, 0))), toward="e") == [("wm-37", "illegal", None)]
    friends = foe("b", *((340.0, 250.0 + 40 * place, 0.0) for place in range(4)), player="red")
    assert answer(may_evade, met(foe("e", AHEAD), friends), toward="e") == [("wm-38", "illegal", None)]
    barely = met(foe("e", (300.1, 380, 0), sigma_mm=0.2), sigma_mm=0.2)
    assert answer(may_charge, barely, toward="e") == [("wm-37", "too-close", None)]
    wall = box("wall", 350, 100, 360, 319.9, "wall")
    past = replace(met(foe("e", AHEAD, sigma_mm=0.1), sigma_mm=0.1), terrain=(wall,))
    assert answer(may_charge, past, toward="e") == [("wm-38", "too-close", None)]


def test_all_round_vision_is_for_evading() -> None:
    behind = met(foe("e", (190, 300, 0)), troop="cavalry", keywords=("all-round-vision",))
    assert answer(may_evade, behind, toward="e") == []
    assert answer(may_charge, behind, toward="e") == [("wm-44", "illegal", None)]
    # 0.1 mm of it is before the front edge at x 320, two sigma of the two are 0.28; the side edge sees it for sure.
    barely = met(foe("e", (310.1, 410, 0), sigma_mm=0.1), troop="cavalry", keywords=("all-round-vision",), sigma_mm=0.1)
    assert answer(may_evade, barely, toward="e") == []
    assert answer(may_charge, barely, toward="e") == [("wm-44", "too-close", None)]
    unlike = met(foe("e", (190, 300, 0)), troop="cavalry")
    assert answer(may_evade, unlike, toward="e") == [("wm-37", "illegal", None)]


NEAR, FAR = foe("e", (420, 340, 180)), foe("f", (470, 260, 180))


@pytest.mark.parametrize("may", [may_charge, may_evade])
def test_only_the_closest_that_is_seen(may: May) -> None:
    assert answer(may, met(NEAR, FAR), toward="e") == []
    assert answer(may, met(NEAR, FAR), toward="f") == [("wm-41", "illegal", -50.0)]
    assert answer(may, met(NEAR, foe("f", (420, 260, 180))), toward="f") == []  # equally close
    hidden = replace(met(NEAR, FAR), terrain=(box("house", 380, 300, 400, 460, "building"),))
    assert answer(may, hidden, toward="f") == []


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
    rival, named = foe("e", (420, 340, 180), sigma_mm=0.1), foe("f", (x, 260, 180), sigma_mm=0.1)
    assert answer(may_charge, met(rival, named, sigma_mm=0.1), toward="f") == expected


def test_a_closer_enemy_that_is_doubtfully_seen_leaves_it_open() -> None:
    beside = foe("e", (300.1, 380, 0), sigma_mm=0.2)
    state = met(beside, foe("f", (470, 260, 180), sigma_mm=0.2), sigma_mm=0.2)
    assert answer(may_charge, state, toward="f") == [("wm-41", "too-close", None)]


def test_what_is_rightly_ignored_does_not_count() -> None:
    works = box("works", 400, 330, 460, 400, "fortified")
    state = replace(met(NEAR, FAR), terrain=(works,))
    assert answer(may_charge, state, toward="f") == [("wm-41", "illegal", -50.0)]
    assert answer(may_charge, state, toward="f", ignores=("e",)) == []
    assert answer(may_charge, state, toward="e", ignores=("e",)) == []  # who is named counts
    riders = replace(met(foe("e", (420, 340, 180), troop="cavalry"), FAR), terrain=(works,))
    assert [rule for rule, *_ in answer(may_charge, riders, toward="f", ignores=("e",))] == ["wm-41"]
    edge = box("works", 429.9, 330, 460, 400, "fortified")
    doubtful = replace(met(foe("e", (420, 340, 180), sigma_mm=0.2), FAR), terrain=(edge,))
    assert answer(may_charge, doubtful, toward="f", ignores=("e",)) == [("wm-41", "too-close", None)]


TOLD = replace(met(foe("e", AHEAD)), orders_begun=True)
COUNTED = replace(met(foe("e", AHEAD)), turn=Turn(number=1, player="red", step="orders", done={"b": "order"}))


def test_initiative_ends_with_the_first_order() -> None:
    for state in (TOLD, COUNTED):
        assert answer(may_charge, state, toward="e") == [("wm-39", "illegal", None)]
        assert answer(may_evade, state, toward="e") == [("wm-39", "illegal", None)]
        assert answer(may_charge, state, toward="e", ordered=True) == []
    assert answer(may_charge, replace(COUNTED, turn=Turn(number=1, player="red", step="x")), toward="e") == []


def test_who_moved_by_initiative_is_given_no_orders() -> None:
    state = met(foe("e", AHEAD), status=("initiative-moved",))
    assert answer(may_order, state) == [("wm-40", "illegal", None)]
    assert answer(may_charge, state, toward="e", ordered=True) == [("wm-40", "illegal", None)]
    assert answer(may_charge, state, toward="e") == []
    assert answer(may_order, met(foe("e", AHEAD))) == []


def test_artillery_and_characters() -> None:
    guns = met(foe("e", AHEAD), troop="artillery")
    assert answer(may_charge, guns, toward="e") == [("wm-45", "illegal", None)]
    assert answer(may_evade, guns, toward="e") == []
    assert answer(may_charge, guns, toward="e", ordered=True) == []
    assert answer(may_charge, replace(guns, orders_begun=True), toward="e") == [("wm-39", "illegal", None)]
    hero = met(foe("e", AHEAD), troop="character")
    for may in (may_charge, may_evade, may_order):
        assert answer(may, hero, **({} if may is may_order else {"toward": "e"})) == [("wm-57", "illegal", None)]


def test_a_move_names_an_enemy() -> None:
    with pytest.raises(MissingField) as caught:
        list(may_evade(ask(met(foe("e", AHEAD)), moving=True)))
    assert str(caught.value) == "move.toward is missing; expected the id of the enemy unit that a evades from"
    gone = met(foe("e", AHEAD)).standing({"e1": None})
    assert answer(may_charge, gone, toward="e") == [("wm-36", "illegal", None)]


# -- what a unit may choose, and whom


def options(state: GameState) -> list[list[str]]:
    return [
        [found.rule for found in may(ask(state)) if found.outcome is Outcome.ILLEGAL] for may in (may_charge, may_evade)
    ]


def offered(state: GameState, **intent: str | bool | tuple[str, ...]) -> list[str]:
    assert TOWARD.names is not None
    return list(TOWARD.names.offered(ask(state, intent=intent)))


def test_without_a_name_it_is_allowed_if_anyone_could_be_named() -> None:
    assert options(met(NEAR, FAR)) == [[], []]
    assert options(met()) == [["wm-36"], ["wm-36"]]
    assert options(met(foe("e", (700, 300, 180)))) == [["wm-36"], ["wm-36"]]
    assert options(met(foe("e", (200, 300, 0)), foe("f", (700, 300, 180)))) == [["wm-37"], ["wm-37"]]
    assert options(met(foe("e", (200, 300, 0)), FAR)) == [[], []]
    round_about = met(foe("e", (190, 300, 0)), troop="cavalry", keywords=("all-round-vision",))
    assert options(round_about) == [["wm-44"], []]
    assert options(TOLD) == [["wm-39"], ["wm-39"]]
    assert options(met(foe("e", (520.1, 300, 180), sigma_mm=0.1), sigma_mm=0.1)) == [[], []]  # a person decides


def test_who_is_offered() -> None:
    assert offered(met(FAR, NEAR)) == ["e"]
    assert offered(met(NEAR, foe("f", (420, 260, 180)))) == ["e", "f"]
    assert offered(met(FAR, NEAR, foe("g", (900, 300, 180))), ordered=True) == ["e", "f", "g"]
    works = box("works", 400, 330, 460, 400, "fortified")
    assert offered(replace(met(FAR, NEAR), terrain=(works,))) == ["e", "f"]
    assert IGNORES.names is not None
    assert list(IGNORES.names.offered(ask(replace(met(FAR, NEAR), terrain=(works,))))) == ["e"]
    assert list(IGNORES.names.offered(ask(met(FAR, NEAR)))) == []


def test_nobody_charges_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    charge = Action(id="charge", label="Charge", intent=("toward", "ignores", "ordered"))
    book = play(monkeypatch, intent=(TOWARD, IGNORES, ORDERED), actions=(charge,))
    state = met(foe("e", AHEAD), foe("h", (340, 300, 0), troop="character"), foe("b", (900, 300, 0), player="red"))
    check_intent(book, charge, ask(state, intent={"toward": "e", "ignores": ("e",), "ordered": True}), "move")
    for name in ("h", "b"):
        with pytest.raises(
            BadInput, match=rf'^move.toward: "{name}" is no enemy unit \(characters aside\); expected the id of one$'
        ):
            check_intent(book, charge, ask(state, intent={"toward": name}), "move")
