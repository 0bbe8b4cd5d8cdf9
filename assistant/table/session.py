"""The game session: one table at work, from what the camera saw and what people decide to a recorded, judged game.

What was seen becomes events, events become state, and the state is referred to the rules.  Every event is written to
the journal before anybody sees it.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Self

from assistant.errors import BadInput
from assistant.game.events import (
    Accepted,
    Bumped,
    CalibrationChanged,
    Decision,
    Declared,
    Event,
    Exchanged,
    ModelPlaced,
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
    is_about_past,
)
from assistant.game.history import History, exchange_model
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Restoring, Ruling, Setting
from assistant.recording.journal.row_encoding import TimedRow
from assistant.recording.journal.row_types import (
    CalibrationSeen,
    Called,
    KeptPicture,
    ObservationRow,
    PosesSeen,
    VideoRow,
)
from assistant.recording.journal.writer import Journal, Recorder
from assistant.recording.poses import PoseEntry, pose_from_entry
from assistant.rules.books import find_rulebook
from assistant.rules.sequence import build_removal
from assistant.rules.validation import remove_absent_units
from assistant.table.decisions import (
    check_declaration,
    check_moved,
    decide_acceptance,
    decide_advance,
    decide_restoring_end,
    decide_restoring_start,
    decide_ruling,
    decide_ruling_withdrawal,
    decide_status,
    decide_swap,
    list_members,
)
from assistant.table.declared_move import Pick, choose_plain_move
from assistant.table.ingest import Memory, ingest, predict_settling, recall_memory
from assistant.table.observations import Observations, build_calibration_event, describe_doubt
from assistant.table.referee_report import RefereeReport, compile_report, replace_zone
from assistant.table.restore import PlacementDifference, compare_placements
from assistant.table.zone_query import ImmediateZoneSolver, ZoneRequest, ZoneSolver, build_zone_request
from vision.types import TableSnapshot


class RecordedGame:
    """Holds the state of one game, and writes events to the journal before anybody sees them.  Used from one thread."""

    def __init__(self, state: GameState, journal: Journal | None = None, *, reach: ZoneSolver | None = None) -> None:
        """Begin with a state; without a journal nothing is recorded, without `reach` zones are worked out at once."""
        played = state.rulebook != NO_RULEBOOK
        # Where a unit that is off the table was last seen is no place to be set up from.
        self._history = History(state=remove_absent_units(find_rulebook(state.rulebook), state) if played else state)
        self.pick: Pick | None = None
        self.sights = Observations()
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
        self._reach = reach or ImmediateZoneSolver()
        self._wanted: ZoneRequest | None = None
        self._answered: tuple[GameState, Pick | None, RefereeReport] | None = None

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

    def is_briefly_hidden(self, model: str) -> bool:
        """Whether a held model was seen until so short a time ago that nobody needs to be told."""
        return self.sights.is_briefly_hidden(model, self.now_ns)

    @property
    def trouble(self) -> str:
        """Why the game is not being recorded, and what to do about it; empty while it is."""
        return self._recorder.trouble if self._recorder else ""

    def fork(self, *, reach: ZoneSolver | None = None) -> Self:
        """Return a session that goes on from here by itself, and is recorded nowhere."""
        other = copy(self)
        other.sights, other.changed = self.sights.copy(), dict(self.changed)
        other._calibrations = set(self._calibrations)
        other._recorder, other._reach = None, reach or ImmediateZoneSolver()
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

    def observe(self, snapshot: TableSnapshot) -> None:
        """Take in what one picture showed: poses, and the events that follow from them."""
        self.now_ns = snapshot.captured_ns
        snapshot = self.sights.identify(snapshot, self.state.carried)
        if self._recorder is None:
            self._process_snapshot(snapshot)
            return
        self._recorder.retry_if_due(self.now_ns)
        with self._recorder.write_together():
            self._process_snapshot(snapshot)

    def predict_settling(self) -> ModelSettled | None:
        """Return the way of a model that is moving, as if it came to rest where it is; None while none moves.

        Of several it is the picked model's, or else one of the announced or picked unit.
        """
        moving = {pose.model: pose for pose in self._latest.poses if pose.moving} if self._latest else {}
        if not moving or self.state.restoring is not None:
            return None
        pick = self.pick
        own = [model.id for model in self.state.find_unit(pick.unit).models] if pick else list(moving)
        first = [pick.model] if pick else []
        found = (predict_settling(self._memory, moving[m], self.state) for m in (*first, *own) if m in moving)
        return next((event for event in found if event is not None), None)

    def knows_calibration(self, calibration: str) -> bool:
        """Whether what an id stands for has been recorded."""
        return calibration in self._calibrations

    def record_calibration(self, seen: CalibrationSeen, captured_ns: int) -> None:
        """Record what poses rest on, before the first that names it."""
        self._write((captured_ns, seen))
        self._calibrations.add(seen.calibration)

    def record_picture(self, jpeg: bytes) -> None:
        """Keep the camera's picture of now."""
        self._write(KeptPicture(captured_ns=self.now_ns, jpeg=jpeg))

    def record_footage(self, captured_ns: int, kept: VideoRow) -> None:
        """Record what was written into the video beside the journal, or what the eyes were told for it."""
        self._write((captured_ns, kept))

    def apply_observation(self, seen: ObservationRow) -> None:
        """Take in what is only looked at, as in a replay."""
        if isinstance(seen, CalibrationSeen):
            self._calibrations.add(seen.calibration)
        if isinstance(seen, Called):
            self.called = self.state, seen
        if isinstance(seen, PosesSeen):
            self.sights.apply(seen, self.now_ns)

    def record_event(self, event: Event) -> None:
        """Record an event, then let it change the state."""
        after, last = self._history.apply(event), self.last_decision
        self._write(Stamped(captured_ns=self.now_ns, event=event))
        self._history = after
        if is_about_past(event):
            self.ruled = (self.now_ns, event.ruling) if isinstance(event, Ruled) else None
            return
        self.decided += isinstance(event, Decision | Undone)
        self.gone_on = self.gone_on and not isinstance(event, Accepted | Bumped | PutBack | Restored)
        match event:
            case Declared(declaration=declaration) if self.pick is None or self.pick.unit != declaration.unit:
                self.pick = Pick(unit=declaration.unit, model=self.state.find_unit(declaration.unit).models[0].id)
            case Withdrawn() | Accepted() | TurnBegan() | StepBegan() | RestoringBegan():
                self.pick = None
            case Restored():
                self.pick = self._pick_declared()  # what was announced before still is, and is to be seen
            case Swapped(models=models) | Exchanged(models=models):
                self._exchange_memory(models)
                self.exchanged_ns = self.now_ns
            case CalibrationChanged():
                self.changed[event.tag] = (self.now_ns, event)
            case Undone():
                if isinstance(last, Swapped):
                    self._exchange_memory(last.models)
                self.pick = self._pick_declared()
        if self.pick is not None:
            left = self.state.find_unit(self.pick.unit).models
            if all(model.id != self.pick.model for model in left):
                self.pick = replace(self.pick, model=left[0].id) if left else None

    def _pick_declared(self) -> Pick | None:
        told = self.state.declared
        return Pick(unit=told.unit, model=self.state.find_unit(told.unit).models[0].id) if told else None

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
        found = list_members(self.state, unit, (*lost, *((model,) if model is not None else ())))
        if action is not None:
            declaration = Declaration(
                unit=unit, action=action, rolls=rolls, intent=dict(intent or {}), lost=tuple(dict.fromkeys(lost))
            )
            if declaration != self.state.declared:  # picking another model of the unit decides nothing
                check_declaration(self.state, declaration)
                self.record_event(Declared(declaration=declaration))
        elif self.state.declared and self.state.declared.unit != unit:
            self.record_event(Withdrawn())
        self.pick = Pick(unit=unit, model=model or found[0])

    def withdraw(self) -> None:
        """Take the announcement back and pick nothing."""
        if self.state.declared:
            self.record_event(Withdrawn())
        self.pick = None

    def consult_referee(self) -> RefereeReport:
        """Return what the referee says; worked out anew only when the state, the pick or the zone has changed."""
        known = self._answered
        if known is None or known[0] is not self.state or known[1] != self.pick:
            known = self._answered = (self.state, self.pick, compile_report(self.state, self.pick))
            self._wanted = build_zone_request(self.state, self.pick)
        zone = self._reach(self._wanted) if self._wanted else None
        if known[2].zone is not zone:
            known = self._answered = (self.state, self.pick, replace_zone(known[2], zone))
        return known[2]

    def record_call(self) -> None:
        """Record what the referee says of the game as it stands, once for each state that the pages show."""
        if self._recorder is None or self._told is self.state:
            return
        self._told = self.state
        verdict = self.consult_referee().verdict
        if verdict is not None:
            self._write((self.now_ns, Called.from_verdict(verdict)))

    def resume_recording(self, journal: Journal) -> None:
        """Record from here on, where all that the journal holds has been played into this session."""
        self._recorder, self.gone_on = Recorder(journal), True
        self._memory = recall_memory(self.state, self.poses, self.now_ns)

    def close(self) -> None:
        """Write what could not be written before, if that is possible by now."""
        if self._recorder:
            self._recorder.catch_up(self.now_ns)

    def _process_snapshot(self, snapshot: TableSnapshot) -> None:
        seen = self.sights.extract_news(snapshot)
        if seen.poses or seen.troubles != self.sights.seen.troubles:
            self._write((snapshot.captured_ns, seen))
        self.apply_observation(seen)
        for change in snapshot.changes:
            self.record_event(build_calibration_event(change))
        if seen.doubt is not None:
            self._latest = None
            return  # where models stand is not known until it is known where the camera does
        self._memory, events = ingest(self._memory, snapshot, self.state)
        self._latest = snapshot
        for event in events:
            self.record_event(event)
            if isinstance(event, ModelSettled):
                self._declare_moved_unit(event.model)

    def _exchange_memory(self, models: tuple[str, str]) -> None:
        """Let what is remembered of one model be of the other."""
        journeys = {exchange_model(models, model): journey for model, journey in self._memory.journeys.items()}
        self._memory, self._latest = Memory(journeys=journeys), None

    def _write(self, happening: TimedRow | KeptPicture) -> None:
        """Write to the journal; when the disk is full the game goes on, and the pages say so."""
        if self._recorder:
            self._recorder.write(happening)

    def _declare_moved_unit(self, model: str) -> None:
        """Follow a model that was moved with nothing announced."""
        if not self.state.declared and self.state.restoring is None:
            unit = self.state.find_unit_of(model).id
            self.declare(unit=unit, action=choose_plain_move(self.state, unit), model=model)


class GameSession(RecordedGame):
    """A game in its course, and what people decide in it."""

    def accept(self) -> None:
        """Let the declared unit's models start from where they stand now, whatever the verdict.

        With nothing declared this goes for every model that has moved, and no verdict is given on how it did.

        Raises:
            BadInput: the announced move lacks something that its action needs, or it is not known where models stand.

        """
        self._require_known_positions()
        answer = self.consult_referee()
        self.record_call()
        self.record_event(decide_acceptance(self.state, answer))

    def make_ruling(self, ruling: Ruling) -> None:
        """Decide what a call comes to: of the move being made, or of a past moment; errors as in `decide_ruling`."""
        verdict = self.consult_referee().verdict
        self.record_call()
        self.record_event(decide_ruling(ruling, self.state, verdict, self.now_ns))

    def advance_turn(self, player: str | None = None) -> None:
        """Begin the turn's next step, the next player's part of it, or the next turn; errors as in `decide_advance`."""
        self.record_event(decide_advance(self.state, player))

    def set_status(self, unit: str, status: tuple[str, ...]) -> None:
        """Say what the status of a unit is; BadInput if there is no such unit or status."""
        self.record_event(decide_status(self.state, unit, status))
        if not find_rulebook(self.state.rulebook).absent(self.state.find_unit(unit)):
            self._place_visible_models(unit)

    def remove_models(self, models: tuple[str, ...]) -> None:
        """Say that models are destroyed.

        Raises:
            BadInput: there is no such model, or a unit must leave it first.

        """
        self.record_event(build_removal(self.state, models))

    def record_bump(self, models: tuple[str, ...]) -> None:
        """Say that models were pushed by mistake: they stand where they are, and have made no move.

        Raises:
            BadInput: one of them is not in the game, or has not moved.

        """
        check_moved(self.state, models)
        self.record_event(Bumped(models=models))

    def put_back(self, models: tuple[str, ...]) -> None:
        """Say that models are put back where they were accepted: what moves them there is no move; errors as above."""
        check_moved(self.state, models)
        self.record_event(PutBack(models=models))

    def swap_tags(self, one: str, two: str, since_ns: int | None = None) -> None:
        """Say that two models carry each other's tags, and did since a captured time; errors as in `decide_swap`.

        Where they stand, and how they came there since they were last accepted, is exchanged with it.
        """
        said = decide_swap(self.state, self.poses, (one, two), since_ns=since_ns, now_ns=self.now_ns)
        carried = self.state.carried
        self.record_event(said)
        self.sights.remember_names(said.models, carried)
        self._record_exchanged_poses(said.models)
        for model in said.models:
            if model in self.state.tracks:
                self._declare_moved_unit(model)

    def begin_restoring(self, restoring: Restoring) -> None:
        """Begin to put the table back: what moves models is no move until `finish_restoring`; another may follow.

        Raises:
            BadInput: no model of this game stood anywhere then.

        """
        self.record_event(decide_restoring_start(self.state, restoring))

    def finish_restoring(self) -> None:
        """End that: models that are back stand exactly where they stood, the others stay where they are.

        Raises:
            BadInput: nothing is being put back, or it is not known where models stand.

        """
        self._require_known_positions()
        self.record_event(decide_restoring_end(self.state, self.compare_placements()))

    def compare_placements(self) -> tuple[PlacementDifference, ...]:
        """Return how far each model is from where it is being put back; nothing while none is."""
        if self.state.restoring is None:
            return ()
        return compare_placements(self.state.restoring.places, self.sights.list_visible(self.now_ns))

    def undo(self) -> None:
        """Take back the last thing that a person did; what was seen since stays seen.

        Raises:
            BadInput: there is nothing to take back.

        """
        if not self.can_undo:
            raise BadInput("there is nothing to take back")
        last = self.last_decision
        self.record_event(Undone())
        if isinstance(last, Swapped):
            self._record_exchanged_poses(last.models)

    def withdraw_ruling(self, ruling: Ruling) -> None:
        """Take back a ruling on what is past, whatever was decided since; BadInput if it does not hold any more."""
        self.record_event(decide_ruling_withdrawal(ruling, self.rulings))

    def _require_known_positions(self) -> None:
        """Raise BadInput while it is not known where models stand."""
        if self.seen.doubt is not None:
            raise BadInput(describe_doubt(self.seen.doubt, self.seen.astray))

    def _place_visible_models(self, unit: str) -> None:
        """Let the models of a unit that is on the table again stand where they are seen."""
        for model in self.state.find_unit(unit).models:
            entry = self.poses.get(model.id)
            if model.pose is None and entry is not None and entry.state == "seen" and not entry.moving:
                self.record_event(ModelPlaced(model=model.id, pose=pose_from_entry(entry)))

    def _record_exchanged_poses(self, models: tuple[str, str]) -> None:
        """Show, and record, each of two models as it was seen that is now known to be the other."""
        seen = self.sights.exchange(models)
        self._write((self.now_ns, seen))
        self.apply_observation(seen)
