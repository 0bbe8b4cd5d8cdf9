"""The course of a game: what was seen becomes events, events become state, and the state is referred to rules."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Self

from assistant.announced import Pick, plain_move
from assistant.answer import Answer, reaching, refer
from assistant.calibrated import event_of
from assistant.decisions import (
    check_announced,
    members,
)
from assistant.game.events import (
    Accepted,
    Bumped,
    CalibrationChanged,
    Decision,
    Declared,
    Event,
    Exchanged,
    ModelSettled,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    Stamped,
    StepBegan,
    Swapped,
    TurnBegan,
    Undone,
    Withdrawn,
    about_past,
)
from assistant.game.history import History, other_of
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Ruling, Setting
from assistant.ingest import Memory, ingest, recalled, under_way
from assistant.poses import PoseEntry
from assistant.record.calibrations import CalibrationSeen
from assistant.record.called import Called
from assistant.record.journal import FilmKept, Happening, Journal, Picture, PosesSeen, Seen
from assistant.record.recorder import Recorder
from assistant.rules.judge import rulebook
from assistant.rules.validity import on_the_table
from assistant.sights import Sights
from assistant.zones import AtOnce, Reach, Wanted, wanted
from vision.types import TableSnapshot


class Course:
    """Holds the state of one game, and writes events to the journal before anybody sees them.  Used from one thread."""

    def __init__(self, state: GameState, journal: Journal | None = None, *, reach: Reach | None = None) -> None:
        """Begin with a state; without a journal nothing is recorded, without `reach` zones are worked out at once."""
        played = state.rulebook != NO_RULEBOOK
        # Where a unit that is off the table was last seen is no place to be set up from.
        self._history = History(state=on_the_table(rulebook(state.rulebook), state) if played else state)
        self.pick: Pick | None = None
        self.sights = Sights()
        """How the table was last seen."""
        self.changed: dict[int | None, tuple[int, CalibrationChanged]] = {}
        """When the calibration last changed and how, by the anchor that it was about; None: the camera."""
        self.ruled: tuple[int, Ruling] | None = None
        """When a ruling on the past was last made, and which, unless it was taken back."""
        self.exchanged_ns = 0
        """When two models were last found to carry each other's tags."""
        self.gone_on = False
        """The game was taken up from a recording, and nobody has said yet what became of the models meanwhile."""
        self.now_ns = 0
        """The capture time of the latest picture: the only clock there is."""
        self._calibrations: set[str] = set()
        self.called: tuple[GameState, Called] | None = None
        """In a replay: what the referee was recorded to have said last, and of which state."""
        self._told: GameState | None = None
        """The state of which it was recorded last what the referee says."""
        self.decided = 0
        """How many decisions there were, taking back included, but for those about the past; it only grows."""
        self._recorder = None if journal is None else Recorder(journal)
        self._memory = Memory()
        self._latest: TableSnapshot | None = None
        self._reach = reach or AtOnce()
        self._wanted: Wanted | None = None
        self._answered: tuple[GameState, Pick | None, Answer] | None = None

    @property
    def state(self) -> GameState:
        """The game as it stands."""
        return self._history.state

    @property
    def poses(self) -> dict[str, PoseEntry]:
        """How every model that has been seen was last shown."""
        return self.sights.poses

    @property
    def seen(self) -> PosesSeen:
        """What the latest picture told, and what was wrong with it."""
        return self.sights.seen

    def only_just_hidden(self, model: str) -> bool:
        """Whether a held model was seen until so short a time ago that nobody needs to be told."""
        return self.sights.only_just_hidden(model, self.now_ns)

    @property
    def trouble(self) -> str:
        """Why the game is not being recorded, and what to do about it; empty while it is."""
        return self._recorder.trouble if self._recorder else ""

    def aside(self, *, reach: Reach | None = None) -> Self:
        """Return a session that goes on from here by itself, and is recorded nowhere."""
        other = copy(self)
        other.sights, other.changed = self.sights.copy(), dict(self.changed)
        other._calibrations = set(self._calibrations)
        other._recorder, other._reach = None, reach or AtOnce()
        return other

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """What people decided in the whole game and did not take back, the oldest first."""
        return self._history.rulings

    @property
    def swaps(self) -> tuple[Swapped, ...]:
        """Which models people said to carry each other's tags, and did not take back, the oldest first."""
        return self._history.swaps

    @property
    def can_undo(self) -> bool:
        """Whether anything that a person did is there to be taken back."""
        return self._history.past is not None

    @property
    def last_decision(self) -> Event | None:
        """What `undo` would take back; None if nothing is there."""
        return self._history.past.decision if self._history.past else None

    def see(self, snapshot: TableSnapshot) -> None:
        """Take in what one picture showed: poses, and the events that follow from them."""
        self.now_ns = snapshot.captured_ns
        snapshot = self.sights.identified(snapshot, self.state.carried)
        if self._recorder is None:
            self._see(snapshot)
            return
        self._recorder.look(self.now_ns)
        with self._recorder.together():
            self._see(snapshot)

    def under_way(self) -> ModelSettled | None:
        """Return the way of a model that is moving, as if it came to rest where it is; None while none moves.

        Of several it is the picked model's, or else one of the announced or picked unit.
        """
        moving = {pose.model: pose for pose in self._latest.poses if pose.moving} if self._latest else {}
        if not moving or self.state.restoring is not None:
            return None
        pick = self.pick
        own = [model.id for model in self.state.unit(pick.unit).models] if pick else list(moving)
        first = [pick.model] if pick else []
        found = (under_way(self._memory, moving[m], self.state) for m in (*first, *own) if m in moving)
        return next((event for event in found if event is not None), None)

    def knows(self, calibration: str) -> bool:
        """Whether what an id stands for has been recorded."""
        return calibration in self._calibrations

    def calibrated(self, seen: CalibrationSeen, captured_ns: int) -> None:
        """Record what poses rest on, before the first that names it."""
        self._write((captured_ns, seen))
        self._calibrations.add(seen.calibration)

    def keep(self, jpeg: bytes) -> None:
        """Keep the camera's picture of now."""
        self._write(Picture(captured_ns=self.now_ns, jpeg=jpeg))

    def filmed(self, captured_ns: int, kept: FilmKept) -> None:
        """Record what was written into the video beside the journal, or what the eyes were told for it."""
        self._write((captured_ns, kept))

    def show(self, seen: Seen) -> None:
        """Take in what is only looked at, as in a replay."""
        if isinstance(seen, CalibrationSeen):
            self._calibrations.add(seen.calibration)
        if isinstance(seen, Called):
            self.called = self.state, seen
        if isinstance(seen, PosesSeen):
            self.sights.show(seen, self.now_ns)

    def happen(self, event: Event) -> None:
        """Record an event, then let it change the state."""
        after, last = self._history.after(event), self.last_decision
        self._write(Stamped(captured_ns=self.now_ns, event=event))
        self._history = after
        if about_past(event):
            self.ruled = (self.now_ns, event.ruling) if isinstance(event, Ruled) else None
            return
        self.decided += isinstance(event, Decision | Undone)
        self.gone_on = self.gone_on and not isinstance(event, Accepted | Bumped | PutBack | Restored)
        match event:
            case Declared(declaration=declaration) if self.pick is None or self.pick.unit != declaration.unit:
                self.pick = Pick(unit=declaration.unit, model=self.state.unit(declaration.unit).models[0].id)
            case Withdrawn() | Accepted() | TurnBegan() | StepBegan() | RestoringBegan():
                self.pick = None
            case Restored():
                self.pick = self._announced()  # what was announced before still is, and is to be seen
            case Swapped(models=models) | Exchanged(models=models):
                self._exchange(models)
                self.exchanged_ns = self.now_ns
            case CalibrationChanged():
                self.changed[event.tag] = (self.now_ns, event)
            case Undone():
                if isinstance(last, Swapped):
                    self._exchange(last.models)
                self.pick = self._announced()
        if self.pick is not None:
            left = self.state.unit(self.pick.unit).models
            if all(model.id != self.pick.model for model in left):
                self.pick = replace(self.pick, model=left[0].id) if left else None

    def _announced(self) -> Pick | None:
        told = self.state.declared
        return Pick(unit=told.unit, model=self.state.unit(told.unit).models[0].id) if told else None

    def declare(
        self,
        *,
        unit: str,
        action: str | None,
        rolls: tuple[int, ...] = (),
        model: str | None = None,
        intent: Mapping[str, Setting] | None = None,
        lost: tuple[str, ...] = (),
    ) -> None:
        """Pick a unit and one of its models, and announce an action for it if one is given.

        Args:
            unit: the unit.
            action: the rulebook's action.
            rolls: its dice so far.
            model: the model whose zone is shown; None for the unit's first.
            intent: the rulebook's fields of the move.
            lost: the models that failed tests cost, by their owner's choice.

        Raises:
            BadInput: there is no such unit, model or action, or the action takes no such fields.

        """
        found = members(self.state, unit, (*lost, *((model,) if model is not None else ())))
        if action is not None:
            declaration = Declaration(
                unit=unit, action=action, rolls=rolls, intent=dict(intent or {}), lost=tuple(dict.fromkeys(lost))
            )
            if declaration != self.state.declared:  # picking another model of the unit decides nothing
                check_announced(self.state, declaration)
                self.happen(Declared(declaration=declaration))
        elif self.state.declared and self.state.declared.unit != unit:
            self.happen(Withdrawn())
        self.pick = Pick(unit=unit, model=model or found[0])

    def withdraw(self) -> None:
        """Take the announcement back and pick nothing."""
        if self.state.declared:
            self.happen(Withdrawn())
        self.pick = None

    def answer(self) -> Answer:
        """Return what the referee says; worked out anew only when the state, the pick or the zone has changed."""
        known = self._answered
        if known is None or known[0] is not self.state or known[1] != self.pick:
            known = self._answered = (self.state, self.pick, refer(self.state, self.pick))
            self._wanted = wanted(self.state, self.pick)
        zone = self._reach(self._wanted) if self._wanted else None
        if known[2].zone is not zone:
            known = self._answered = (self.state, self.pick, reaching(known[2], zone))
        return known[2]

    def call(self) -> None:
        """Record what the referee says of the game as it stands, once for each state that the pages show."""
        if self._recorder is None or self._told is self.state:
            return
        self._told = self.state
        verdict = self.answer().verdict
        if verdict is not None:
            self._write((self.now_ns, Called.of(verdict)))

    def go_on_in(self, journal: Journal) -> None:
        """Record from here on, where all that the journal holds has been played into this session."""
        self._recorder, self.gone_on = Recorder(journal), True
        self._memory = recalled(self.state, self.poses, self.now_ns)

    def close(self) -> None:
        """Write what could not be written before, if that is possible by now."""
        if self._recorder:
            self._recorder.catch_up(self.now_ns)

    def _see(self, snapshot: TableSnapshot) -> None:
        seen = self.sights.news(snapshot)
        if seen.poses or seen.troubles != self.sights.seen.troubles:
            self._write((snapshot.captured_ns, seen))
        self.show(seen)
        for change in snapshot.changes:
            self.happen(event_of(change))
        if seen.doubt is not None:
            self._latest = None
            return  # where models stand is not known until it is known where the camera does
        self._memory, events = ingest(self._memory, snapshot, self.state)
        self._latest = snapshot
        for event in events:
            self.happen(event)
            if isinstance(event, ModelSettled):
                self._take_up(event.model)

    def _exchange(self, models: tuple[str, str]) -> None:
        """Let what is remembered of one model be of the other."""
        journeys = {other_of(models, model): journey for model, journey in self._memory.journeys.items()}
        self._memory, self._latest = Memory(journeys=journeys), None

    def _write(self, happening: Happening | Picture) -> None:
        """Write to the journal; when the disk is full the game goes on, and the pages say so."""
        if self._recorder:
            self._recorder.write(happening)

    def _take_up(self, model: str) -> None:
        """Follow a model that was moved with nothing announced."""
        if not self.state.declared and self.state.restoring is None:
            unit = self.state.unit_of(model).id
            self.declare(unit=unit, action=plain_move(self.state, unit), model=model)
