"""The fifth edition's own mechanics, and its zones held to its verdicts."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import shapely

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes import Base, Oval, Rect, Round
from assistant.rules.judge import Zone, coherency_links, engagement_mm, judge, options, zone
from assistant.rules.verdict import Finding, Outcome

ROUND = Round(radius_mm=16)
OVAL = Oval(length_mm=60, width_mm=35)
RECT = Rect(length_mm=50, width_mm=30)
MIDDLE = (250.0, 200.0)
_OUTLINES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((0, 0), (60, 0), (60, 40), (0, 40)),
    ((0, 0), (70, 10), (50, 80)),
    ((0, 0), (90, 0), (90, 80), (45, 80), (45, 30), (0, 30)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What sort of situation is drawn."""

    action: str = "move"
    rolls: tuple[int, ...] = ()
    intent: Mapping[str, Setting] = field(default_factory=dict)
    parameters: dict[str, Setting] = field(default_factory=dict)
    base: Base = ROUND
    sigma_mm: float = 0.0
    traits: tuple[str, ...] = ()
    """Of the terrain, a feature each."""
    start_in: str = ""
    """A trait of terrain that the mover starts in."""
    enemies: int = 2
    friends: int = 2
    near: tuple[float, ...] = ()
    """How far enemies are from the mover's base: they are within the inch."""
    mates: int = 0
    alone: bool = True


def situation(rng: random.Random, kind: Kind) -> GameState:
    """Draw a situation; the mover is ``m`` of the unit ``u``."""
    x, y = MIDDLE

    def at(name: str, base: Base, place: tuple[float, float]) -> Model:
        pose = Pose(x_mm=place[0], y_mm=place[1], facing_rad=rng.uniform(-3, 3), sigma_mm=kind.sigma_mm)
        return Model(id=name, base=base, pose=pose)

    def around(low: float, high: float) -> tuple[float, float]:
        turn, away = rng.uniform(-3.1, 3.1), rng.uniform(low, high)
        return x + away * math.cos(turn), y + away * math.sin(turn)

    mover = at("m", kind.base, MIDDLE)
    mates = [at(f"m{i}", ROUND, around(60, 100)) for i in range(kind.mates)]
    friends = [at(f"f{i}", rng.choice((ROUND, OVAL, RECT)), around(60, 150)) for i in range(kind.friends)]
    foes = [at(f"e{i}", rng.choice((ROUND, OVAL, RECT)), around(100, 220)) for i in range(kind.enemies)]
    for place, gap in enumerate(kind.near):
        foes.append(at(f"n{place}", ROUND, around(32 + gap, 32 + gap)))
    terrain = [_feature(rng, f"t{i}", trait) for i, trait in enumerate(kind.traits)]
    if kind.start_in:
        square = ((x - 40, y - 30), (x + 10, y - 30), (x + 10, y + 30), (x - 40, y + 30))
        terrain.append(Terrain(id="under", outline_mm=square, traits=frozenset({kind.start_in})))
    profile: dict[str, Setting] = {"move_in": 4, "random_dice": len(kind.rolls) or 1}
    return GameState(
        rulebook="warhammer-40k-5e",
        table=Table(width_mm=500, depth_mm=330),
        units=(
            Unit(id="u", player="red", profile=profile, models=(mover, *mates)),
            *([Unit(id="friends", player="red", models=tuple(friends))] if friends else []),
            *([Unit(id="foes", player="blue", models=tuple(foes))] if foes else []),
        ),
        terrain=tuple(terrain),
        parameters=kind.parameters,
    )


def _feature(rng: random.Random, name: str, trait: str) -> Terrain:
    outline, turn, away, about = rng.choice(_OUTLINES), rng.uniform(-3, 3), rng.uniform(40, 120), rng.uniform(-3, 3)
    x, y = MIDDLE[0] + away * math.cos(about), MIDDLE[1] + away * math.sin(about)
    cos, sin = math.cos(turn), math.sin(turn)
    placed = tuple((x + cos * u - sin * v, y + sin * u + cos * v) for u, v in outline)
    return Terrain(id=name, outline_mm=placed, traits=frozenset({trait}))


def zone_of(state: GameState, kind: Kind, facing: Any = "keep") -> Zone:
    return zone(
        state,
        model="m",
        action=kind.action,
        rolls=kind.rolls,
        intent=kind.intent,
        facing=facing,
        alone=kind.alone,
    )


def may_end(state: GameState, kind: Kind, place: tuple[float, float], turns: tuple[float, ...] = (0.0,)) -> bool:
    """Return whether the unseen move to a place is legal, at some facing."""
    start = state.model("m").pose
    assert start is not None
    for turn in turns:
        end = replace(start, x_mm=place[0], y_mm=place[1], facing_rad=start.facing_rad + turn)
        move = Move(
            unit="u",
            action=kind.action,
            paths={"m": (start, end)},
            rolls=kind.rolls,
            observed=False,
            intent=kind.intent,
        )
        found = [f for f in judge(state, move).findings if not (kind.alone and _of_the_unit(f))]
        if all(f.outcome in {Outcome.UNOBSERVED, Outcome.NOTE} for f in found):
            return True
    return False


def _of_the_unit(found: Finding) -> bool:
    return found.rule in {"5e-08", "5e-09"} or found.subjects[0] != "m"


def places(rng: random.Random, region: shapely.MultiPolygon, count: int) -> list[tuple[float, float]]:
    """Return places near a zone's edge, inside of it, and anywhere."""
    found = [(rng.uniform(60, 440), rng.uniform(5, 325)) for _ in range(count)]
    if not region.is_empty:
        ends = [region.boundary.interpolate(rng.uniform(0, region.boundary.length)) for _ in range(2 * count)]
        found += [(end.x + rng.gauss(0, 0.3), end.y + rng.gauss(0, 0.3)) for end in ends]
        inside = region.representative_point()
        found.append((inside.x, inside.y))
    return found


TOWARD = {"toward_closest": True}
KINDS = {
    "move": Kind(traits=("impassable", "difficult")),
    "move within error": Kind(traits=("impassable", "dangerous"), sigma_mm=0.3),
    "from within the inch": Kind(near=(3.0, 15.0), traits=("impassable",)),
    "from contact within error": Kind(near=(0.1, 20.0), sigma_mm=0.2),
    "from an overlap": Kind(near=(-5.0,), friends=0),
    "out of a wall": Kind(start_in="impassable"),
    "oval": Kind(base=OVAL, traits=("impassable",), near=(25.0,)),
    "with mates": Kind(mates=3, alone=False, friends=1, sigma_mm=0.1),
    "random": Kind(action="random", rolls=(2,), traits=("difficult", "difficult", "impassable")),
    "random within error": Kind(action="random", rolls=(1, 2), traits=("difficult", "difficult"), sigma_mm=0.3),
    "random out of a bog": Kind(action="random", rolls=(3,), start_in="difficult", traits=("difficult",)),
    "the roll instead": Kind(action="random", rolls=(3,), intent={"instead": True}, traits=("difficult", "difficult")),
    "random oval": Kind(action="random", rolls=(3,), base=OVAL, traits=("difficult", "impassable")),
    "compulsory": Kind(intent=TOWARD, parameters={"short_by_mm": 8}, friends=4),
    "compulsory among walls": Kind(intent=TOWARD, parameters={"short_by_mm": 5}, traits=("impassable",) * 4, friends=1),
    "compulsory within error": Kind(intent=TOWARD, sigma_mm=0.1, friends=4, parameters={"direction_tolerance_deg": 20}),
    "compulsory through bogs": Kind(
        action="random",
        rolls=(4,),
        intent={**TOWARD, "instead": True},
        traits=("difficult",) * 4,
        parameters={"short_by_mm": 6, "direction_tolerance_deg": 10},
    ),
    "compulsory rect": Kind(intent=TOWARD, base=RECT, friends=4, parameters={"short_by_mm": 6}),
}
SEEDS = (0, 1, 2)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_zone_is_where_judge_agrees(kind: Kind) -> None:
    seen = set[bool]()
    for seed in SEEDS:
        rng = random.Random(seed)
        state = situation(rng, kind)
        answer = zone_of(state, kind)
        for place in places(rng, answer.region, 8):
            point = shapely.Point(place)
            if answer.region.is_empty or answer.region.boundary.distance(point) > answer.error_mm:
                inside = answer.region.contains(point)
                assert may_end(state, kind, place) == inside, (seed, place)
                seen.add(inside)
    assert seen == {True, False}


def test_an_any_facing_zone_is_where_judge_agrees_at_some_facing() -> None:
    for name, seed in (("oval", 1), ("compulsory rect", 0)):
        kind, rng = KINDS[name], random.Random(seed)
        state = situation(rng, kind)
        kept, answer = zone_of(state, kind), zone_of(state, kind, "any")
        assert shapely.difference(kept.region, answer.region).area < 1e-6
        within, many = shapely.buffer(answer.region, -0.5), tuple(math.pi * k / 16 for k in range(17))
        for place in places(rng, answer.region, 1):
            if within.contains(shapely.Point(place)):
                assert may_end(state, kind, place, many), (name, place)
            elif answer.region.distance(shapely.Point(place)) > answer.error_mm:
                assert not may_end(state, kind, place, many[::8]), (name, place)


# -- by hand


def model(name: str, x: float, y: float, base: Base = ROUND, **pose: float) -> Model:
    return Model(id=name, base=base, pose=Pose(x_mm=x, y_mm=y, **pose))


def game(own: tuple[Model, ...], *others: Model, **more: Any) -> GameState:
    """Return a game of a red unit; those of the others that are called e are blue."""
    unit = {key: more.pop(key) for key in ("profile", "status", "keywords") if key in more}
    friends = tuple(other for other in others if not other.id.startswith("e"))
    foes = tuple(other for other in others if other.id.startswith("e"))
    return GameState(
        rulebook="warhammer-40k-5e",
        table=Table(width_mm=1524, depth_mm=1118),
        units=(
            Unit(id="a", player="red", models=own, **unit),
            Unit(id="friends", player="red", models=friends),
            Unit(id="foes", player="blue", models=foes),
        ),
        **more,
    )


def moved(state: GameState, paths: dict[str, Any], action: str = "move", **more: Any) -> dict[str, list[Finding]]:
    """Return what is said of a move, by rule; paths go from where the models stand to some places or poses."""
    full = dict[str, tuple[Pose, ...]]()
    for name, places_mm in paths.items():
        start = state.model(name).pose
        assert start is not None
        full[name] = (start, *(p if isinstance(p, Pose) else replace(start, x_mm=p[0], y_mm=p[1]) for p in places_mm))
    found: dict[str, list[Finding]] = {}
    for each in judge(state, Move(unit="a", action=action, paths=full, **more), everything=True).findings:
        found.setdefault(each.rule, []).append(each)
    return found


def test_a_gap_is_passed_only_by_who_goes_through_it() -> None:
    state = game((model("a1", 300, 300),), model("b1", 370, 276), model("b2", 370, 328))
    (through,) = moved(state, {"a1": [(440, 300)]})["5e-05"]
    assert through.outcome is Outcome.ILLEGAL
    assert through.margin_mm == pytest.approx(-12)
    assert through.text == 'a1 goes between b1 and b2: they leave 0.79", its base takes 1.26"'
    for path in ([(300, 200), (440, 200), (440, 300)], [(340, 300), (300, 300)], [(370, 240), (300, 300)]):
        assert "5e-05" not in moved(state, {"a1": path})
    assert "5e-05" not in moved(state, {"a1": [(440, 300)]}, observed=False)


def test_between_friends_that_touch_or_overlap_there_is_no_gap() -> None:
    for apart, margin in ((32, -32), (20, -44)):
        state = game((model("a1", 300, 300),), model("b1", 370, 300 - apart / 2), model("b2", 370, 300 + apart / 2))
        (found,) = moved(state, {"a1": [(440, 300)]})["5e-05"]
        assert found.margin_mm == pytest.approx(margin)


def test_a_gap_on_another_floor_is_none() -> None:
    up = model("b1", 370, 276, z_mm=80), model("b2", 370, 328, z_mm=80)
    level = game((model("a1", 300, 300),), *up)
    assert "5e-05" not in moved(level, {"a1": [(440, 300)]})
    climbing = Pose(x_mm=440, y_mm=300, z_mm=80)
    assert "5e-05" in moved(level, {"a1": [climbing]}), "where it goes through it is half-way up, on their level"
    late = Pose(x_mm=300, y_mm=300, z_mm=20), Pose(x_mm=440, y_mm=300, z_mm=20), Pose(x_mm=440, y_mm=300, z_mm=80)
    assert "5e-05" not in moved(level, {"a1": late})


def test_a_wrecked_friend_bounds_no_gap_and_blocks_nobody() -> None:
    state = game((model("a1", 300, 300),), model("b1", 370, 276), model("b2", 370, 328))
    wreck = replace(
        state, units=(state.units[0], replace(state.units[1], keywords=frozenset({"wreck"})), state.units[2])
    )
    assert not {"5e-04", "5e-05"} & moved(wreck, {"a1": [(440, 300)]}).keys()


BROKEN = (model("a1", 300, 300), model("a2", 500, 300))
WALL = Terrain(id="wall", outline_mm=((390, 0), (410, 0), (410, 1118), (390, 1118)), traits=frozenset({"impassable"}))


def test_a_broken_unit_may_not_hold_if_it_can_come_together() -> None:
    hold = options(game(BROKEN), "a")[0]
    assert not hold.allowed
    ((rule, text),) = hold.because
    assert rule == "5e-09"
    assert text.startswith("a is broken and holds only if it cannot come together: the longest link")


def test_whether_a_broken_unit_can_come_together_may_be_left_to_a_person() -> None:
    apart = game(BROKEN, terrain=(WALL,))
    (found,) = moved(apart, {}, "hold")["5e-09"]
    assert (found.outcome, found.margin_mm) == (Outcome.TOO_CLOSE, None)
    assert "too close to call whether that is an offence" in found.text
    assert options(apart, "a")[0].allowed
    assert [f.outcome for f in moved(game(BROKEN), {}, "hold")["5e-09"]] == [Outcome.ILLEGAL]


def test_a_unit_of_three_groups_comes_together_one_by_one() -> None:
    three = (*BROKEN, model("a3", 300, 480), model("a4", 330, 500))
    assert [f.outcome for f in moved(game(three), {}, "hold")["5e-09"]] == [Outcome.ILLEGAL]


def test_who_must_go_straight_cannot_restore_its_coherency() -> None:
    state = game(BROKEN, model("e1", 1400, 300))
    ahead = {"a2": [(652.4, 300)], "a1": [(452.4, 300)]}
    move = moved(state, ahead, intent={"toward_closest": True})
    assert [found.outcome for found in move["5e-09"]] == [Outcome.LEGAL]
    assert moved(state, ahead)["5e-09"][0].outcome is Outcome.ILLEGAL
    paths = {name: (state.model(name).pose, Pose(x_mm=x, y_mm=300)) for name, x in (("a2", 652.4), ("a1", 452.4))}
    effects = judge(state, Move(unit="a", action="move", paths=paths, intent={"toward_closest": True})).effects  # type: ignore[arg-type]
    assert [effect.effect for effect in effects] == ["cannot-shoot", "cannot-assault"]


BOG = Terrain(id="bog", outline_mm=((360, 250), (420, 250), (420, 350), (360, 350)), traits=frozenset({"difficult"}))


def test_whether_difficult_terrain_slowed_may_be_too_close_to_call() -> None:
    state = game((model("a1", 300, 234, sigma_mm=0.3),), terrain=(BOG,))
    (found,) = moved(state, {"a1": [(570, 234)]}, "random", rolls=(6,))["5e-15"]
    assert (found.outcome, found.margin_mm) == (Outcome.TOO_CLOSE, None)
    assert found.text.endswith("if difficult terrain slowed it, which is too close to call")
    assert "5e-15" not in moved(state, {"a1": [(640, 234)]}, "random", rolls=(6,)), "too far either way"
    (short,) = moved(state, {"a1": [(500, 234)]}, "random", rolls=(6,))["5e-15"]
    assert short.outcome is Outcome.LEGAL


def test_terrain_that_is_not_on_the_way_slows_nobody_who_went_too_far() -> None:
    far = replace(BOG, outline_mm=((360, 450), (420, 450), (420, 550), (360, 550)))
    state = game((model("a1", 300, 300),), terrain=(far,))
    found = moved(state, {"a1": [(650, 300)]}, "random", rolls=(5,), observed=False)
    assert "5e-15" not in found
    assert found["5e-14"][0].outcome is Outcome.ILLEGAL
    assert found["5e-14"][0].margin_mm == pytest.approx(279.4 - 350)


def test_a_unit_nobody_saw_is_slowed_by_one_model_that_cannot_have_gone_around() -> None:
    state = game((model("a1", 300, 300), model("a2", 300, 390)), terrain=(BOG,))
    found = moved(state, {"a1": [(400, 300)], "a2": [(400, 390)]}, "random", rolls=(6,), observed=False)
    assert [f.limit_mm for f in found["5e-15"]] == pytest.approx([228.6, 228.6])


def test_dangerous_terrain_that_cannot_have_been_avoided_is_tested_for() -> None:
    mire = replace(
        BOG, id="mire", outline_mm=((360, 0), (420, 0), (420, 1118), (360, 1118)), traits=frozenset({"dangerous"})
    )
    for terrain, tests in ((mire, ["dangerous-terrain-test"]), (replace(BOG, traits=mire.traits), [])):
        state = game((model("a1", 300, 300),), terrain=(terrain,))
        path = {"a1": (Pose(x_mm=300, y_mm=300), Pose(x_mm=500, y_mm=300))}
        move = Move(unit="a", action="random", rolls=(6,), paths=path, observed=False)
        assert [effect.effect for effect in judge(state, move).effects] == tests


TO_CLOSEST = {"toward_closest": True}


def test_who_stays_behind_must_go_too_unless_it_cannot() -> None:
    own = model("a1", 300, 300), model("a2", 300, 340)
    path = {"a1": [(452.4, 300)]}
    free = moved(game(own, model("e1", 1400, 300)), path, intent=TO_CLOSEST)["5e-14"]
    assert {f.subjects: f.outcome for f in free} == {("a1",): Outcome.LEGAL, ("a2",): Outcome.ILLEGAL}
    assert 'a2 moves 0" and stops short: straight ahead it can go 6"' in [f.text for f in free]
    blocked = game(own, model("e1", 1400, 300), model("b1", 332.2, 340))
    assert {f.outcome for f in moved(blocked, path, intent=TO_CLOSEST)["5e-14"]} == {Outcome.LEGAL}


def test_of_two_closest_enemies_the_mover_takes_either() -> None:
    state = game((model("a1", 300, 300),), model("e1", 300, 600), model("e2", 600, 300))
    for end in ((452.4, 300), (300, 452.4)):
        assert moved(state, {"a1": [end]}, intent=TO_CLOSEST)["5e-14"][0].outcome is Outcome.LEGAL
    (between,) = moved(state, {"a1": [(300 + 107.7, 300 + 107.7)]}, intent=TO_CLOSEST)["5e-14"]
    assert between.outcome is Outcome.ILLEGAL
    assert "45.0° off the straight line" in between.text
    assert zone(state, model="a1", action="move", intent=TO_CLOSEST).region.area > 10


def test_a_compulsory_move_stops_at_the_edge_and_at_friends() -> None:
    state = game((model("a1", 300, 1000),), model("e1", 300, 1117), parameters={"keep_out_in": 0})
    assert moved(state, {"a1": [(300, 1084.9)]}, intent=TO_CLOSEST)["5e-14"][0].outcome is Outcome.LEGAL
    state = game((model("a1", 300, 300),), model("e1", 900, 300), model("b1", 400, 300, OVAL))
    (found,) = moved(state, {"a1": [(350, 300)]}, intent=TO_CLOSEST)["5e-14"]
    assert found.outcome is Outcome.ILLEGAL
    assert found.limit_mm == pytest.approx(100 - 30 - 16, abs=1e-5)


def test_without_an_enemy_nobody_is_drawn_anywhere() -> None:
    state = game((model("a1", 300, 300),))
    assert "5e-14" not in moved(state, {"a1": [(330, 300)]}, intent=TO_CLOSEST)
    assert zone(state, model="a1", action="move", intent=TO_CLOSEST).region.area > 70000


def test_standing_contact_within_error_is_noted_and_an_overlap_is_an_offence() -> None:
    def found(x: float) -> list[tuple[str, Outcome, tuple[str, ...]]]:
        state = game((model("a1", 300, 300, sigma_mm=0.2),), model("e1", x, 300, sigma_mm=0.2))
        return [(f.rule, f.outcome, f.subjects) for f in judge(state, None).findings]

    notes = [("5e-06", Outcome.NOTE, ("a1", "e1")), ("5e-06", Outcome.NOTE, ("e1", "a1"))]
    assert found(332.3) == notes
    assert found(331.7) == notes
    assert found(331) == [("5e-06", Outcome.ILLEGAL, ("a1", "e1"))]
    assert found(334) == []


def test_what_is_drawn() -> None:
    state = game((*BROKEN, model("a3", 340, 300)), model("e1", 900, 300))
    assert engagement_mm(state) == pytest.approx(25.4)
    drawn = coherency_links(state, "a")
    assert [link.models for link in drawn.links] == [("a1", "a3")]
    assert drawn.breaking == ("a2",)


def test_models_off_the_table_count_for_nothing() -> None:
    away = Model(id="a3", base=ROUND, pose=None)
    found = moved(game((model("a1", 300, 300), model("a2", 340, 300), away), Model(id="e1", base=ROUND, pose=None)), {})
    assert [f.outcome for f in found["5e-08"]] == [Outcome.LEGAL]
    assert "5e-08" not in moved(game((model("a1", 300, 300), away)), {"a1": [(330, 300)]})


def test_a_unit_says_how_many_dice_it_takes() -> None:
    state = game((model("a1", 300, 300),), profile={"random_dice": 2})
    assert [(option.action, option.dice) for option in options(state, "a")] == [("hold", 0), ("move", 0), ("random", 2)]
    assert zone(state, model="a1", action="random", rolls=(2, 3)).limit_mm == pytest.approx(11 * 25.4)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (
            {"action": "move", "intent": {"instead": True}},
            "move.instead: move takes no instead; expected it only with random",
        ),
        (
            {"action": "hold", "intent": TO_CLOSEST},
            "move.toward_closest: hold takes no toward_closest; expected it only",
        ),
        (
            {"action": "move", "intent": {"toward_closest": "e1"}},
            "move.toward_closest: expected true or false, not 'e1'",
        ),
        ({"action": "random"}, "move.rolls: random takes 1 die, not 0"),
        ({"action": "random", "rolls": (1, 2)}, "move.rolls: random takes 1 die, not 2"),
        ({"action": "random", "rolls": (7,)}, r"move.rolls\[0\]: expected a whole number from 1 to 6, not 7"),
        ({"action": "move", "rolls": (1,)}, "move.rolls: move takes no dice, not 1"),
        (
            {"action": "charge"},
            "move.action: there is no action 'charge' in warhammer-40k-5e; expected one of hold, move",
        ),
    ],
)
def test_bad_moves_are_told_apart(move: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=f"^{message}"):
        judge(game((model("a1", 300, 300),)), Move(unit="a", **move))


def test_half_a_die_is_bad_input() -> None:
    state = game((model("a1", 300, 300),), profile={"random_dice": 1.5})
    with pytest.raises(
        BadInput, match=r"^units\[0\].profile.random_dice: expected a whole number from 1 to 6, not 1.5"
    ):
        options(state, "a")
