"""One table at work: what was seen becomes events, events become state, and the state is referred to the rulebook."""

import math
from dataclasses import dataclass

from assistant.errors import BadInput
from assistant.game.events import Accepted, Declared, Event, ModelSettled, Stamped, Withdrawn
from assistant.game.reduce import reduce
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Move
from assistant.geometry.shapes import Round
from assistant.ingest import Memory, ingest
from assistant.overlay.compose import compose
from assistant.overlay.shapes import OverlayShape
from assistant.poses import PoseEntry, entry_of
from assistant.record.journal import Journal, PosesSeen
from assistant.rules.judge import ActionOption, Zone, judge, options, zone
from assistant.rules.verdict import Verdict
from vision.types import TableSnapshot

STILL_MM = 0.05
STILL_DEG = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The unit that is looked at, and the model whose zone is shown."""

    unit: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the referee says of the table as it stands."""

    verdict: Verdict | None
    options: tuple[ActionOption, ...]
    zone: Zone | None
    note: str
    """What is missing before more can be said, in one sentence; empty if nothing is."""
    shapes: tuple[OverlayShape, ...]


class Session:
    """Holds the state of one game, and writes every event to the journal before it counts.  Used from one thread."""

    def __init__(self, state: GameState, journal: Journal | None = None) -> None:
        """Begin with a state; without a journal nothing is recorded."""
        self.state = state
        self.pick: Pick | None = None
        self.poses: dict[str, PoseEntry] = {}
        """How every model that has been seen was last shown."""
        self.anchors_seen = 0
        self.now_ns = 0
        """The capture time of the latest picture: the only clock there is."""
        self.trouble = ""
        """Why the game is not being recorded, in one sentence; empty while it is."""
        self._journal = journal
        self._memory = Memory()
        self._answered: tuple[GameState, Pick | None, Answer] | None = None

    def see(self, snapshot: TableSnapshot) -> None:
        """Take in what one picture showed: poses, and the events that follow from them."""
        self.now_ns = snapshot.captured_ns
        changed = tuple(
            entry for entry in map(entry_of, snapshot.poses) if _differs(self.poses.get(entry.model), entry)
        )
        seen = PosesSeen(anchors_seen=snapshot.anchors_seen, calibration=snapshot.calibration, poses=changed)
        if changed:
            self._write((snapshot.captured_ns, seen))
        self.show(seen)
        self._memory, events = ingest(self._memory, snapshot, self.state)
        for event in events:
            self.happen(event)
            if isinstance(event, ModelSettled):
                self._take_up(event.model)

    def show(self, seen: PosesSeen) -> None:
        """Take in poses that are only looked at, as in a replay."""
        self.anchors_seen = seen.anchors_seen
        self.poses.update({entry.model: entry for entry in seen.poses})

    def happen(self, event: Event) -> None:
        """Record an event, then let it change the state."""
        after = reduce(self.state, event)
        self._write(Stamped(captured_ns=self.now_ns, event=event))
        self.state = after
        match event:
            case Declared(declaration=declaration) if self.pick is None or self.pick.unit != declaration.unit:
                self.pick = Pick(unit=declaration.unit, model=after.unit(declaration.unit).models[0].id)
            case Withdrawn() | Accepted():
                self.pick = None

    def declare(self, *, unit: str, action: str | None, rolls: tuple[int, ...] = (), model: str | None = None) -> None:
        """Pick a unit and one of its models, and announce an action for it if one is given.

        Raises:
            BadInput: there is no such unit, model or action.

        """
        try:
            members = [m.id for m in self.state.unit(unit).models]
        except KeyError:
            raise BadInput(f"there is no unit {unit!r} in this game") from None
        if model is not None and model not in members:
            raise BadInput(f"unit {unit} has no model {model!r}")
        if action is not None and action not in {option.action for option in _options(self.state, unit)}:
            raise BadInput(f"{self.state.rulebook} has no action {action!r}")
        if action is not None:
            self.happen(Declared(declaration=Declaration(unit=unit, action=action, rolls=rolls)))
        elif self.state.declared and self.state.declared.unit != unit:
            self.happen(Withdrawn())
        self.pick = Pick(unit=unit, model=model or members[0])

    def withdraw(self) -> None:
        """Take the announcement back and pick nothing."""
        if self.state.declared:
            self.happen(Withdrawn())
        self.pick = None

    def accept(self) -> None:
        """Let the declared unit's models start from where they stand now, whatever the verdict.

        With nothing declared this goes for every model that has moved, and no verdict is given on how it did.
        """
        move = the_move(self.state)
        verdict = self.answer().verdict if move else None
        self.happen(
            Accepted(
                models=tuple(move.paths if move else self.state.tracks),
                outcome=verdict.outcome.value if verdict else "unjudged",
            )
        )

    def answer(self) -> Answer:
        """Return what the referee says; worked out anew only when the state or the pick has changed."""
        if self._answered is None or self._answered[0] is not self.state or self._answered[1] != self.pick:
            self._answered = (self.state, self.pick, refer(self.state, self.pick))
        return self._answered[2]

    def _write(self, happening: Stamped | tuple[int, PosesSeen]) -> None:
        """Write to the journal; when the disk is full the game goes on, and the pages say so."""
        if self._journal is None:
            return
        try:
            self._journal.append(happening)
            self.trouble = ""
        except OSError as error:
            self.trouble = str(error)

    def _take_up(self, model: str) -> None:
        """Follow a model that was moved with nothing announced: its unit makes its first allowed move without dice."""
        if self.state.declared:
            return
        unit = self.state.unit_of(model).id
        allowed = [o.action for o in _options(self.state, unit) if o.allowed and o.dice == 0 and o.limit_mm]
        self.declare(unit=unit, action=allowed[0] if allowed else None, model=model)


def refer(state: GameState, pick: Pick | None) -> Answer:
    """Ask the rulebook everything that the pages show."""
    now = state.standing({model: track.poses[-1] for model, track in state.tracks.items()})
    if state.rulebook == NO_RULEBOOK:
        shapes = compose(state=now, tracks=state.tracks, verdict=None, zone=None, unit=None)
        return Answer(verdict=None, options=(), zone=None, note="", shapes=shapes)
    declared = state.declared
    verdict, reach, missing = None, None, _missing_dice(state)
    strangers = _strangers(state)
    try:
        if declared is None:
            verdict = judge(now, None)
        elif not missing:
            verdict = judge(starting(state, declared.unit), the_move(state))
            reach = _reach(state, now, declared, pick.model) if pick and pick.unit == declared.unit else None
        trouble = ""
    except BadInput as error:
        trouble = str(error)
    return Answer(
        verdict=verdict,
        options=_options(state, pick.unit) if pick else (),
        zone=reach,
        note=" ".join(part for part in (missing, strangers, trouble) if part),
        shapes=compose(state=now, tracks=state.tracks, verdict=verdict, zone=reach, unit=pick.unit if pick else None),
    )


def _options(state: GameState, unit: str) -> tuple[ActionOption, ...]:
    """Return what a unit may choose, from where it started; nothing on a table that is only watched."""
    return () if state.rulebook == NO_RULEBOOK else options(starting(state, unit), unit)


def _missing_dice(state: GameState) -> str:
    """Return the sentence that asks for the dice that the declared action still lacks."""
    if state.declared is None:
        return ""
    option = next(o for o in _options(state, state.declared.unit) if o.action == state.declared.action)
    lacking = option.dice - len(state.declared.rolls)
    return f"Enter {lacking} {'die' if lacking == 1 else 'dice'} for the {option.label}." if lacking > 0 else ""


def _strangers(state: GameState) -> str:
    """Return the sentence that names models which moved but do not belong to the declared unit."""
    if state.declared is None:
        return ""
    mine = {model.id for model in state.unit(state.declared.unit).models}
    moved = [model for model in state.tracks if model not in mine]
    if not moved:
        return ""
    verb = "has" if len(moved) == 1 else "have"
    return f"{', '.join(moved)} {verb} moved too, which is not part of this move and is not judged."


def the_move(state: GameState) -> Move | None:
    """Return the declared unit's move so far; None if nothing is declared."""
    if state.declared is None:
        return None
    mine = {m.id for m in state.unit(state.declared.unit).models}
    tracks = {model: track for model, track in state.tracks.items() if model in mine}
    return Move(
        unit=state.declared.unit,
        action=state.declared.action,
        paths={model: track.poses for model, track in tracks.items()},
        rolls=state.declared.rolls,
        observed=all(track.observed for track in tracks.values()),
    )


def starting(state: GameState, unit: str) -> GameState:
    """Return the state that a unit's move is judged in: its models at their start, all others where they are now."""
    mine = {model.id for model in state.unit(unit).models}
    return state.standing({model: track.poses[-1] for model, track in state.tracks.items() if model not in mine})


def _reach(state: GameState, now: GameState, declared: Declaration, model: str) -> Zone | None:
    """Where a model may end: from where it started, among the others as they stand now."""
    placed = state.model(model)
    if placed.pose is None:
        return None
    return zone(
        now.standing({model: placed.pose}),
        model=model,
        action=declared.action,
        rolls=declared.rolls,
        facing="any" if isinstance(placed.base, Round) else "keep",
        alone=True,
    )


def _differs(shown: PoseEntry | None, entry: PoseEntry) -> bool:
    """Whether a pose has changed by more than an average at rest still drifts, so that a still table stays still."""
    if shown is None or (shown.state, shown.moving) != (entry.state, entry.moving):
        return True
    steps = (entry.x_mm - shown.x_mm, entry.y_mm - shown.y_mm, entry.z_mm - shown.z_mm)
    return max(map(abs, steps)) > STILL_MM or abs(math.remainder(entry.facing_deg - shown.facing_deg, 360)) > STILL_DEG
