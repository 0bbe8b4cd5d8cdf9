"""What priority-skirmish does with engaging, costly ground, coherency and bad input, beyond its cases."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import shapely

from assistant.errors import BadInput
from assistant.game.situation_file import parse_situation
from assistant.rules.referee import Referee, judge
from assistant.rules.verdict import EVERYTHING, Finding, Outcome, Verdict

Place = tuple[float, ...]


def make_model(
    name: str, *place: float, base: Mapping[str, Any] | None = None, sigma_mm: float = 0.0
) -> dict[str, Any]:
    x, y, z = (*place, 0.0)[:3]
    pose = {"x_mm": x, "y_mm": y, "z_mm": z, "sigma_mm": sigma_mm}
    return {"id": name, "base": base or {"round_mm": 32}, "pose": pose}


def make_unit(name: str, player: str, *models: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return {"id": name, "player": player, "profile": {"move_in": 6}, "models": list(models), **settings}


def make_situation(units: Sequence[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    table = {"width_mm": 1000, "depth_mm": 1000}
    return {
        "format": "overtable.situation/1",
        "rulebook": "priority-skirmish",
        "table": table,
        "units": units,
        **settings,
    }


def make_wall(name: str, *box: float, height_mm: float = 50.8) -> dict[str, Any]:
    left, near, right, far = box
    outline = [[left, near], [right, near], [right, far], [left, far]]
    return {"id": name, "outline_mm": outline, "height_mm": height_mm, "traits": ["incline"]}


def judge_path(units: Sequence[dict[str, Any]], path: Sequence[Place], **settings: Any) -> Verdict:
    """Judge a move of ``a1`` of the unit ``a``."""
    known = {key: settings.pop(key) for key in ("terrain", "parameters") if key in settings}
    poses = [dict(zip(("x_mm", "y_mm", "z_mm"), place, strict=False)) for place in path]
    move = {"unit": "a", "action": "move", "paths": {"a1": poses}, **settings}
    read = parse_situation(make_situation(units, **known, move=move), "test")
    return judge(read.state, read.move, detail=EVERYTHING)


def find_finding(verdict: Verdict, rule: str) -> Finding | None:
    return next((finding for finding in verdict.findings if finding.rule == rule), None)


RED = make_unit("a", "red", make_model("a1", 300, 300))


def make_blue_unit(*models: dict[str, Any]) -> dict[str, Any]:
    return make_unit("e", "blue", *models)


# -- engaging


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        ([(300, 300), (400, 300)], None),
        ([(300, 300), (400, 300), (350, 300)], Outcome.ILLEGAL),
        ([(300, 300), (400, 300), (390, 300), (400, 300)], Outcome.ILLEGAL),
        ([(300, 300), (400, 268), (460, 268)], Outcome.ILLEGAL),
        ([(300, 300), (390, 300), (350, 300)], None),
    ],
    ids=["stays", "leaves", "leaves and comes back", "brushes past", "turns back before"],
)
def test_who_comes_into_contact_on_the_way_stays(path: list[Place], outcome: Outcome | None) -> None:
    found = find_finding(judge_path([RED, make_blue_unit(make_model("e1", 432, 300))], path, engages=["e1"]), "pri-17")
    assert (found and found.outcome) == outcome
    assert found is None or found.subjects == ("a1", "e1")


@pytest.mark.parametrize(
    ("end", "sigma_mm", "outcome"),
    [
        (350, 0.3, Outcome.TOO_CLOSE),
        (398.9, 0.3, Outcome.TOO_CLOSE),
        (399.4, 0.3, None),
        (350, 0.0, Outcome.ILLEGAL),
    ],
    ids=["contact in doubt", "leaving in doubt", "still in contact", "certain"],
)
def test_contact_on_the_way_may_be_in_doubt(end: float, sigma_mm: float, outcome: Outcome | None) -> None:
    enemy = make_blue_unit(make_model("e1", 432, 300, sigma_mm=sigma_mm))
    turn = 399.5 if end == 350 else 400.0
    found = find_finding(judge_path([RED, enemy], [(300, 300), (turn, 300), (end, 300)], engages=["e1"]), "pri-17")
    assert (found and found.outcome) == outcome


def test_one_who_is_engaged_and_may_have_been_measured_anew_is_for_a_person() -> None:
    units = [
        make_unit("a", "red", make_model("a1", 300, 300, sigma_mm=0.2)),
        make_blue_unit(make_model("e1", 332, 300)),
    ]
    still, nudged, gone = (
        find_finding(judge_path(units, [(300, 300), (300 - away, 300)]), "pri-17") for away in (0.0, 0.4, 20.0)
    )
    assert still is None
    assert nudged is not None
    assert (nudged.outcome, nudged.margin_mm) == (Outcome.TOO_CLOSE, None)
    assert gone is not None
    assert gone.outcome is Outcome.ILLEGAL


@pytest.mark.parametrize(
    ("gap_mm", "outcome"),
    [(0.5, Outcome.LEGAL), (1.2, Outcome.TOO_CLOSE), (10, Outcome.ILLEGAL), (25.5, Outcome.TOO_CLOSE), (26.5, None)],
)
def test_who_means_to_engage_ends_in_contact_or_an_inch_away(gap_mm: float, outcome: Outcome | None) -> None:
    enemy = make_blue_unit(make_model("e1", 432 + gap_mm, 300, sigma_mm=0.2))
    found = find_finding(judge_path([RED, enemy], [(300, 300), (400, 300)], engages=["e1"]), "pri-16")
    assert (found and found.outcome) == outcome


def test_an_unseen_way_does_not_brush_past_one_who_is_named() -> None:
    pen = [make_model(f"e{i}", 340, 300 + 33 * (i - 3) + (16.5 if i % 2 else 0)) for i in range(7)]
    names = [each["id"] for each in pen]
    through = judge_path([RED, make_blue_unit(*pen)], [(300, 300), (400, 300)], engages=names, observed=False)
    beside = judge_path([RED, make_blue_unit(*pen)], [(300, 300), (306, 300)], engages=names, observed=False)
    assert (found := find_finding(through, "pri-03")) is not None
    assert found.outcome is Outcome.ILLEGAL
    assert (found := find_finding(beside, "pri-03")) is not None
    assert found.outcome is Outcome.LEGAL


def test_models_on_another_level_or_off_the_table_are_not_engaged() -> None:
    above, gone = make_model("e1", 320, 300, 76.2), {"id": "e2", "base": {"round_mm": 32}, "pose": None}
    verdict = judge_path([RED, make_blue_unit(above, gone)], [(300, 300), (320, 300)], engages=["e1", "e2"])
    assert verdict.outcome is Outcome.LEGAL
    assert not verdict.effects


def test_a_unit_may_move_while_one_of_its_models_is_free() -> None:
    both = make_unit("a", "red", make_model("a1", 300, 300), make_model("a2", 300, 340))
    state = parse_situation(make_situation([both, make_blue_unit(make_model("e1", 332, 300))]), "test").state
    assert {option.action: option.allowed for option in Referee(state).list_options("a")}["move"]
    stuck = Referee(state).find_zone(model="a1", action="move").region
    assert stuck.within(shapely.Point(300, 300).buffer(0.05))
    assert Referee(state).find_zone(model="a2", action="move").region.area > 10_000
    alone = parse_situation(make_situation([RED, make_blue_unit(make_model("e1", 332, 300))]), "test").state
    (reason,) = next(option.because for option in Referee(alone).list_options("a") if option.action == "move")
    apart = "a1 is engaged with e1 and may not move, in contact: 0 mm apart, up to 1 mm counts"
    assert reason == ("pri-17", apart)


def test_the_zone_of_an_oval_that_engages_holds_places_in_contact_at_some_facing() -> None:
    oval = make_unit("a", "red", make_model("a1", 300, 300, base={"oval_mm": [60, 35]}))
    state = parse_situation(make_situation([oval, make_blue_unit(make_model("e1", 420, 300))]), "test").state
    region = Referee(state).find_zone(model="a1", action="move", intent={"engages": ("e1",)}).region
    for away, inside in ((33.0, False), (34.0, True), (46.5, True), (48.0, False), (72.0, True)):
        spots = [(420 + away * math.cos(turn), 300 + away * math.sin(turn)) for turn in (2.9, 3.1, 3.4)]
        assert {region.buffer(0.05).contains(shapely.Point(spot)) for spot in spots} == {inside}, away


# -- ground


def test_pieces_that_touch_are_climbed_as_one() -> None:
    ruin = [make_wall("w1", 320, 250, 340, 350), make_wall("w2", 340, 250, 360, 350)]
    units = [make_unit("a", "red", make_model("a1", 300, 300), profile={"move_in": 12})]
    for observed in (True, False):
        found = find_finding(judge_path(units, [(300, 300), (380, 300)], terrain=ruin, observed=observed), "pri-03")
        assert found is not None
        assert found.measured_mm == pytest.approx(80 + 4 * 50.8 if observed else 2 * math.hypot(20, 50) + 40)


def test_steps_between_pieces_that_touch_are_climbed_by_their_difference() -> None:
    stairs = [
        make_wall("low", 320, 200, 360, 400, height_mm=50.8),
        make_wall("high", 360, 200, 400, 400, height_mm=127.0),
    ]
    units = [make_unit("a", "red", make_model("a1", 330, 300, 50.8), profile={"move_in": 10})]
    up = 2 * (127.0 - 50.8)
    seen = judge_path(units, [(330, 300, 50.8), (360, 300, 50.8), (360, 300, 127), (380, 300, 127)], terrain=stairs)
    unseen = judge_path(units, [(330, 300, 50.8), (380, 300, 127)], terrain=stairs, observed=False)
    for verdict in (seen, unseen):
        assert (found := find_finding(verdict, "pri-03")) is not None
        assert found.measured_mm == pytest.approx(50 + up)


@pytest.mark.parametrize("path", [[(300, 300), (300, 300, 50.8)], [(300, 300, 50.8), (300, 300)]])
def test_a_climb_at_the_very_edge_counts_though_nobody_saw_it(path: list[Place]) -> None:
    units = [make_unit("a", "red", make_model("a1", *path[0]))]
    found = find_finding(
        judge_path(units, path, terrain=[make_wall("w", 300, 200, 400, 400)], observed=False), "pri-03"
    )
    assert found is not None
    assert found.measured_mm == pytest.approx(101.6)


def test_who_hangs_in_mid_climb_is_told_from_where() -> None:
    house = [make_wall("w", 290, 200, 400, 400, height_mm=76.2), make_wall("x", 500, 200, 600, 400, height_mm=40)]
    verdict = judge_path([RED], [(300, 300), (300, 300, 40)], terrain=house)
    assert (found := find_finding(verdict, "pri-09")) is not None
    assert (found.outcome, found.subjects, found.margin_mm) == (Outcome.ILLEGAL, ("a1", "w"), None)
    beside = find_finding(judge_path([RED], [(300, 300), (300, 300, 40)], terrain=house[1:]), "pri-09")
    assert beside is not None
    assert (beside.outcome, beside.subjects) == (Outcome.ILLEGAL, ("a1",))


@pytest.mark.parametrize(("x", "outcome"), [(339.9, Outcome.TOO_CLOSE), (330, None), (350, Outcome.ILLEGAL)])
def test_who_may_stand_over_a_gap_is_for_a_person(x: float, outcome: Outcome | None) -> None:
    gap = {"id": "g", "outline_mm": [[340, 0], [420, 0], [420, 900], [340, 900]], "traits": ["gap"], "gap_mm": 80}
    units = [make_unit("a", "red", make_model("a1", 300, 300, sigma_mm=0.2), profile={"move_in": 9})]
    found = [f for f in judge_path(units, [(300, 300), (x, 300)], terrain=[gap]).findings if f.rule == "pri-11"]
    assert [f.outcome for f in found if f.outcome is not Outcome.LEGAL] == ([outcome] if outcome else [])


# -- coherency


def test_only_sure_links_make_a_group_that_suffers() -> None:
    sour = make_unit("s", "red", make_model("s1", 300, 357.3, sigma_mm=0.2), profile={"move_in": 6, "integrity": -2})
    near = make_unit("n", "red", make_model("n1", 340, 300), profile={"move_in": 6, "coherency_in": 2, "integrity": 1})
    mine = make_unit(
        "a", "red", make_model("a1", 300, 300), make_model("a2", 260, 300), profile={"move_in": 6, "integrity": 3}
    )
    assert [e.effect for e in judge_path([mine, sour], [(300, 300)]).effects] == ["martial+3"]
    effects = judge_path([mine, sour, near], [(300, 300)]).effects
    assert [(e.effect, e.subjects) for e in effects] == [("martial-2", ("a1", "a2", "s1", "n1"))]


def test_models_out_of_coherency_are_named_in_their_order() -> None:
    apart = make_unit(
        "a", "red", *(make_model(f"a{i}", 300 + place, 300) for i, place in enumerate((0, 90, 140, 380), 1))
    )
    found = find_finding(judge_path([apart], [(300, 300)]), "pri-20")
    assert found is not None
    assert found.subjects == ("a1", "a4")
    assert found.measured_mm == pytest.approx(240 - 32)


def test_what_is_drawn_follows_the_units_own_range() -> None:
    pair = make_unit(
        "a", "red", make_model("a1", 300, 300), make_model("a2", 380, 300), profile={"move_in": 6, "coherency_in": 2}
    )
    state = parse_situation(make_situation([pair]), "test").state
    assert [link.models for link in Referee(state).find_coherency_links("a").links] == [("a1", "a2")]
    assert Referee(state).find_engagement_mm() == pytest.approx(25.4)


# -- the table's edge


def test_a_retreat_lets_the_zone_go_over_the_edge() -> None:
    units = [make_unit("a", "red", make_model("a1", 60, 300))]
    free = parse_situation(make_situation(units, parameters={"leaving": "a retreat"}), "test").state
    bound = parse_situation(make_situation(units), "test").state
    assert Referee(bound).find_zone(model="a1", action="move").region.bounds[0] == pytest.approx(16)
    assert Referee(free).find_zone(model="a1", action="move").region.bounds[0] < 0
    standing = parse_situation(
        make_situation([make_unit("a", "red", make_model("a1", 6, 300))], parameters={"leaving": "x"}), "test"
    ).state
    assert [f.outcome for f in judge(standing, None).findings] == [Outcome.NOTE]


# -- bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"engages": ["e9"]}, 'move.engages[0]: there is no enemy model "e9" in this situation'),
        ({"engages": ["e1", "a1"]}, 'move.engages[1]: "a1" is no enemy model; expected the id of one'),
        ({"engages": "e1"}, "move.engages: expected a list of ids, not 'e1'"),
        ({"action": "hold", "engages": ["e1"]}, "move.engages: hold takes no engages"),
        ({"charge": True}, "move.charge: this field of a move is not known; expected one of engages"),
        ({"rolls": [3]}, "move.rolls: move takes no dice, not 1"),
    ],
)
def test_a_move_that_does_not_fit_is_bad_input(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as raised:
        judge_path([RED, make_blue_unit(make_model("e1", 500, 300))], [(300, 300), (310, 300)], **changes)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("profile", "terrain", "message"),
    [
        ({"move_in": 6, "integrity": 1.5}, [], "units[0].profile.integrity: expected a whole number, not 1.5"),
        ({"move_in": 6, "integrity": 21}, [], "units[0].profile.integrity: expected a number from -20 to 20, not 21"),
        ({}, [], 'unit "a": profile.move_in is missing'),
        (
            {"move_in": 6},
            [{"id": "g", "outline_mm": [[0, 0], [9, 0], [9, 9]], "traits": ["gap"]}],
            'terrain[0]: "g" is a gap without gap_mm; expected how wide it is',
        ),
    ],
)
def test_a_situation_that_contradicts_the_book_is_bad_input(
    profile: dict[str, Any], terrain: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(BadInput) as raised:
        judge_path([make_unit("a", "red", make_model("a1", 300, 300), profile=profile)], [(300, 300)], terrain=terrain)
    assert str(raised.value).startswith(message)


def test_contact_is_said_to_be_a_tolerance() -> None:
    enemy = make_blue_unit(make_model("e1", 432.4, 300))
    verdict = judge_path([RED, enemy], [(300, 300), (400, 300)], engages=["e1"])
    found = find_finding(verdict, "pri-16")
    assert found is not None
    assert found.text == "a1 engages e1, in contact: 0.4 mm apart, up to 1 mm counts"
