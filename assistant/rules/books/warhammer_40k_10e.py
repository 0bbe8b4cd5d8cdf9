"""Warhammer 40,000, tenth edition: the Movement phase.

Figures beyond the chapter (engagement range, coherency, pivots) are parameters.
"""

from assistant.errors import BadInput
from assistant.game.state import Setting
from assistant.rules.constraints import Allowance, Climb, Coherency, Constraint, KeepOut, OnTable, Parties, Pivot, Stay
from assistant.rules.keepout import clear_of_enemies
from assistant.rules.rulebook import Action, Choice, Coverage, Dice, Key, Number, Question, Rule, Rulebook
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.words import inches

_MM = 25.4
_FREE_HEIGHT_MM = 2 * _MM
"""Terrain up to this height is moved over as if absent, so heights that differ by no more are one level."""
_LATER = "not yet judged"

_RULES = """
10e-01 S   units move first, reserves arrive when all units are done
10e-02 S   one unit at a time, finished before the next
10e-03 O   outside engagement range a unit may make a Normal move, Advance or Remain Stationary
10e-04 O   within engagement range a unit may only Remain Stationary or Fall Back
10e-05 S   any of a unit's models move, in any order
10e-06 G   any path, with pivots on the way
10e-07 G   no part of a base crosses an enemy model
10e-08 G   no part of a base crosses the edge of the table
10e-09 G   friendly models may be passed over
10e-10 G   no model ends on top of another
10e-11 G   a Monster or Vehicle does not pass over a friendly Monster or Vehicle
10e-12 G   the part of the base that travels furthest is measured, along its path
10e-13 G   without a base the part of the model that travels furthest is measured
10e-14 G   Remain Stationary: no model of the unit moves
10e-15 G   Normal move: each model at most its Move
10e-16 G   Normal move: never within engagement range of an enemy
10e-17 G   Advance: each model at most its Move and the roll
10e-18 G   Advance: never within engagement range of an enemy
10e-19 E   after an Advance the unit neither shoots nor charges this turn
10e-20 G   Fall Back: each model at most its Move
10e-21 G   Fall Back may pass through engagement range
10e-22 G/O Fall Back ends outside engagement range, or cannot be chosen
10e-23 E   after a Fall Back the unit neither shoots nor charges this turn
10e-24 G/E Fall Back may cross enemy models, with a Desperate Escape test for each model that does
10e-25 E   a Battle-shocked unit that Falls Back tests for every model
10e-26 E   a test of 1 or 2 destroys a model of the unit
10e-27 E   a model causes at most one test a phase
10e-28 G   over terrain, never through it
10e-29 G   terrain of up to 2" is moved over as if absent
10e-30 G   on higher terrain the way up and down counts
10e-31 G   no model ends its move in mid-climb
10e-32 G   Fly: over enemy models and through engagement range
10e-33 G   a Monster or Vehicle that can Fly passes over Monsters and Vehicles
10e-34 G   Fly ends neither on a model nor within engagement range
10e-35 G   Fly that starts or ends on terrain is measured through the air
10e-36 S   reserves arrive in the Reinforcements step, one unit at a time
10e-37 G   the distance for setting up comes from the rule that allows it
10e-38 G   distances of reserves to enemies are horizontal
10e-39 E   an arrived unit counts as having made a Normal move
10e-40 E   still in reserve at the end of the battle is destroyed
10e-41 O   a transport carries certain kinds of models, and so many
10e-42 S   starting embarked is declared before the transport is set up
10e-43 E   Firing Deck: so many embarked models lend a weapon
10e-44 G/O a unit embarks when every model ends within 3" of the transport
10e-45 O   no embarking after disembarking in the same phase
10e-46 S   an embarked unit is off the table
10e-47 O   only a unit that began the phase embarked disembarks
10e-48 G   disembarking: wholly within 3", outside engagement range, every model or none
10e-49 E   out of a transport that has not moved a unit acts as usual
10e-50 O   a disembarked unit may not Remain Stationary
10e-51 E   out of a transport that made a Normal move a unit neither moves nor charges
10e-52 O   no disembarking from a transport that Advanced or Fell Back
10e-53 S   units disembark before a destroyed transport is removed
10e-54 E   they are not hurt by its Deadly Demise
10e-55 E   each disembarking model rolls: a 1 is a mortal wound on its unit
10e-56 E   the unit is Battle-shocked until its next Command phase
10e-57 E   the unit counts as having made a Normal move and does not charge
10e-58 G   emergency: wholly within 6", outside engagement range
10e-59 E   emergency: wounds on 1 to 3, and a model without a place is destroyed
10e-60 G   unit coherency at the end of every move
"""
_COVERED = {
    **dict.fromkeys((3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 29, 60), Coverage.JUDGED),
    19: Coverage.REPORTED,
    **dict.fromkeys((1, 2, 5), Coverage.TRACKED),
}


def _rule(line: str) -> Rule:
    rule, kind, statement = line.split(maxsplit=2)
    coverage = _COVERED.get(int(rule.removeprefix("10e-")), Coverage.NOT_COVERED)
    reason = _LATER if coverage is Coverage.NOT_COVERED else ""
    return Rule(id=rule, kind=kind, statement=statement, coverage=coverage, reason=reason)


def _range(low: float, high: float, name: str, statement: str, default: float | None = None) -> Key:
    return Key(name=name, values=Number(low=low, high=high), statement=statement, default=default)


def _move_mm(asked: Question) -> float | None:
    return _sum_mm(asked.unit.profile.get("move_in"))


def _advance_mm(asked: Question) -> float | None:
    return _sum_mm(asked.unit.profile.get("move_in"), *asked.rolls) if asked.rolls else None


def _sum_mm(move_in: Setting | None, *rolls: int) -> float | None:
    return round((move_in + sum(rolls)) * _MM, 9) if isinstance(move_in, int | float) else None


def _engagement(asked: Question, *, rule: str = "10e-04") -> KeepOut:
    return KeepOut(
        rule=rule,
        parties=Parties.ENEMIES,
        range_mm=asked.number("engagement_in") * _MM,
        vertical_mm=asked.number("engagement_vertical_in") * _MM,
        on_the_way=True,
        name="engagement range",
    )


def _coherency(asked: Question) -> Coherency | None:
    standing = sum(model.pose is not None for model in asked.unit.models)
    if standing < 2:
        return None
    return Coherency(
        rule="10e-60",
        range_mm=asked.number("coherency_in") * _MM,
        vertical_mm=asked.number("coherency_vertical_in") * _MM,
        needed=2 if standing >= 7 else 1,
    )


def _standing(asked: Question) -> tuple[Constraint, ...]:
    on_top = KeepOut(
        rule="10e-10",
        parties=Parties.OTHERS,
        range_mm=0.0,
        vertical_mm=_FREE_HEIGHT_MM,
        on_the_way=False,
        name="on top of",
    )
    coherency = _coherency(asked)
    return (OnTable(rule="10e-08"), on_top, *([coherency] if coherency else []))


def _moving(asked: Question, limit_mm: float | None, distance: str, engagement: str) -> tuple[Constraint, ...]:
    """Return what a Normal move and an Advance have in common; each cites its own rules."""
    if limit_mm is None:
        raise BadInput(f'unit "{asked.unit.id}": profile.move_in is missing; a move is measured against it')
    across = KeepOut(
        rule="10e-07",
        parties=Parties.ENEMIES,
        range_mm=0.0,
        vertical_mm=_FREE_HEIGHT_MM,
        on_the_way=True,
        name="across",
    )
    pivot = Pivot(str(asked.parameters["pivot"]))
    return (
        Allowance(rule=distance, limit_mm=limit_mm, pivot=pivot, pivot_mm=2 * _MM),
        across,
        _engagement(asked, rule=engagement),
        Climb(rule="10e-30", free_mm=_FREE_HEIGHT_MM),
        *_standing(asked),
    )


def _may_move(asked: Question) -> tuple[Finding, ...]:
    return (clear_of_enemies(_engagement(asked), asked), *_not_stationary(asked))


def _not_stationary(asked: Question) -> tuple[Finding, ...]:
    if "stationary" not in asked.unit.status:
        return ()
    text = f"{asked.unit.id} remains stationary for the rest of the phase"
    return (Finding(rule="10e-14", outcome=Outcome.ILLEGAL, subjects=(asked.unit.id,), text=text),)


_ACTIONS = (
    Action(id="remain-stationary", label="Remain Stationary", constraints=lambda _: (Stay(rule="10e-14"),)),
    Action(
        id="normal",
        label="Normal move",
        may=_may_move,
        limit_mm=_move_mm,
        constraints=lambda asked: _moving(asked, _move_mm(asked), "10e-15", "10e-16"),
    ),
    Action(
        id="advance",
        label="Advance",
        dice=Dice(count=1, sides=6),
        may=_may_move,
        limit_mm=_advance_mm,
        constraints=lambda asked: _moving(asked, _advance_mm(asked), "10e-17", "10e-18"),
        effects=(("10e-19", "cannot-shoot"), ("10e-19", "cannot-charge")),
    ),
    Action(id="fall-back", label="Fall Back", not_judged="10e-20"),
    Action(id="set-up", label="Set up", not_judged="10e-37"),
    Action(id="embark", label="Embark", not_judged="10e-44"),
    Action(id="disembark", label="Disembark", not_judged="10e-48"),
    Action(id="emergency-disembark", label="Emergency disembarkation", not_judged="10e-58"),
)

BOOK = Rulebook(
    id="warhammer-40k-10e",
    title="Warhammer 40,000 (10th edition), Movement phase",
    rules=tuple(_rule(line) for line in _RULES.strip().splitlines()),
    actions=_ACTIONS,
    profile=(_range(0, 100, "move_in", "Move, inches"),),
    statuses=(
        "battle-shocked",
        "advanced",
        "fell-back",
        "normal-moved",
        "stationary",
        "disembarked",
        "embarked:",
        "reserves",
    ),
    parameters=(
        _range(0, 24, "engagement_in", "engagement range, horizontal, inches", 1.0),
        _range(0, 24, "engagement_vertical_in", "engagement range, vertical, inches", 5.0),
        _range(0, 24, "coherency_in", "coherency, horizontal, inches", 2.0),
        _range(0, 24, "coherency_vertical_in", "coherency, vertical, inches", 5.0),
        Key(
            name="pivot",
            values=Choice(words=tuple(Pivot)),
            statement="how turning counts; a round base turns free",
            default=Pivot.FURTHEST_POINT.value,
        ),
        _range(0, 100, "reserve_distance_in", "distance of arriving reserves from enemies, inches", 9.0),
    ),
    intent=(Key(name="transport", values=str, statement="the model to embark in or to disembark from"),),
    say=inches,
    standing=_standing,
    engagement=_engagement,
    coherency=_coherency,
)
