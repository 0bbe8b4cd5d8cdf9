"""The game session: one table at work, from what the camera saw and what people decide to a recorded, judged game.

What was seen becomes events, events become state, and the state is referred to the rules.  Every event is written to
the journal before anybody sees it.

A session is composed.  The timeline knows the state and what can be taken back, observations how the table was last
seen, the motion tracker how models came where they are, the recorder what is written, and the referee's desk what the
referee says.  The session itself has the clock, and the order in which these are used: that of the journal's rows.
"""

from collections.abc import Callable, Collection, Mapping
from copy import copy
from typing import Self

from assistant.errors import BadInput
from assistant.game.events import (
    Bumped,
    Declared,
    Event,
    Exchanged,
    ModelPlaced,
    ModelSettled,
    PutBack,
    Stamped,
    Swapped,
    Undone,
    Withdrawn,
    is_about_past,
)
from assistant.game.history import History
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Restoring, Ruling, Score, Setting
from assistant.game.terrain_places import lay_as_seen
from assistant.recording.journal.row_types import (
    CalibrationSeen,
    Called,
    KeptPicture,
    ObservationRow,
    PosesSeen,
)
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import PoseEntry, pose_from_entry
from assistant.rules.books import find_rulebook
from assistant.rules.sequence import build_removal
from assistant.rules.validation import remove_absent_units
from assistant.table.decisions import (
    check_declaration,
    check_moved,
    decide_acceptance,
    decide_advance,
    decide_parameters,
    decide_restoring_end,
    decide_restoring_start,
    decide_ruling,
    decide_ruling_withdrawal,
    decide_score,
    decide_status,
    decide_swap,
    decide_terrain,
    decide_terrain_move,
    list_members,
)
from assistant.table.declared_move import MoveJudgement, Pick, choose_plain_move, follow_pick
from assistant.table.device_picks import DevicePicks, has_begun
from assistant.table.ingest import MotionTracker, recall_motion
from assistant.table.observations import Observations, build_calibration_event, describe_doubt, list_carried
from assistant.table.referee_report import RefereeDesk, RefereeReport
from assistant.table.restore import PlacementDifference, compare_placements
from assistant.table.session_recorder import SessionRecorder
from assistant.table.terrain_watch import follow_terrain, list_resting
from assistant.table.timeline import GameTimeline
from assistant.table.zone_query import ZoneSolver
from vision.types import TableSnapshot


def ignore_event(event: Event) -> None:
    """Do nothing."""


class GameSession:
    """One game with the parts that play it; used from one thread."""

    def __init__(
        self,
        state: GameState,
        journal: Journal | None = None,
        *,
        solve_zone: ZoneSolver | None = None,
        on_event: Callable[[Event], None] = ignore_event,
    ) -> None:
        """Begin with a state.

        Args:
            state: what the game begins with.
            journal: where it is recorded; None for nowhere.
            solve_zone: works zones out; without it they are worked out at once.
            on_event: is told every event after it has happened.

        """
        played = state.rulebook != NO_RULEBOOK
        # Where a unit that is off the table was last seen is no place to be set up from.
        state = remove_absent_units(find_rulebook(state.rulebook), state) if played else state
        self.timeline = GameTimeline(history=History(state=state))
        self.observations = Observations()
        """How the table was last seen."""
        self.recorder = SessionRecorder(journal)
        self.pick: Pick | None = None
        self.picks = DevicePicks()
        """What devices look at beside it."""
        self.now_ns = 0
        """The capture time of the latest picture: the only clock there is."""
        self.recorded_call: tuple[GameState, Called] | None = None
        """In a replay: what the referee was recorded to have said last, and of which state."""
        self._cancelled = frozenset[str]()
        """The units whose move was cancelled after it had begun, until they are moved again."""
        self.motion = MotionTracker()
        self._desk = RefereeDesk(solve_zone)
        self._on_event = on_event

    def fork(self, *, solve_zone: ZoneSolver | None = None) -> Self:
        """Return a session that goes on from here by itself, and is recorded nowhere."""
        other = copy(self)  # all other parts are values
        other.observations, other.recorder = self.observations.copy(), self.recorder.fork()
        other.picks = DevicePicks()
        other._desk, other._on_event = self._desk.fork(solve_zone), ignore_event
        return other

    @property
    def state(self) -> GameState:
        """The game as it stands."""
        return self.timeline.state

    @property
    def poses(self) -> dict[str, PoseEntry]:
        """How every model that has been seen was last shown."""
        return self.observations.poses

    @property
    def seen(self) -> PosesSeen:
        """What the latest picture told, and what was wrong with it."""
        return self.observations.seen

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """What people decided in the whole game and did not take back, the oldest first."""
        return self.timeline.history.rulings

    @property
    def swaps(self) -> tuple[Swapped, ...]:
        """Which models people said to carry each other's markers, and did not take back, the oldest first."""
        return self.timeline.history.swaps

    @property
    def last_decision(self) -> Event | None:
        """What `undo` would take back; None if nothing is there."""
        return self.timeline.last_decision

    @property
    def can_undo(self) -> bool:
        """Whether anything that a person did is there to be taken back."""
        return self.last_decision is not None

    @property
    def shown_pick(self) -> Pick | None:
        """What pages show: what somebody picked, or else a model on its way, so that its zone leads the hand."""
        if self.pick is not None or self.state.declared is not None:
            return self.pick
        model = self.motion.find_underway(self.state)
        return None if model is None else Pick(unit=self.state.find_unit_of(model).id, model=model)

    def find_pick(self, device: str = "") -> Pick | None:
        """Return what a device's pages show: its own pick, or else the table's."""
        return self.picks.own.get(device, self.shown_pick)

    def is_briefly_hidden(self, model: str) -> bool:
        """Whether a held model was seen until so short a time ago that nobody needs to be told."""
        return self.observations.is_briefly_hidden(model, self.now_ns)

    def observe(self, snapshot: TableSnapshot) -> None:
        """Take in what one picture showed: poses, and the events that follow from them."""
        self.now_ns = snapshot.captured_ns
        snapshot = self.observations.identify(snapshot, list_carried(self.state))
        with self.recorder.write_together(self.now_ns):
            self._process_snapshot(snapshot)

    def _process_snapshot(self, snapshot: TableSnapshot) -> None:
        news = self.observations.extract_news(snapshot)
        if news.poses or news.troubles != self.seen.troubles:
            self.recorder.write((snapshot.captured_ns, news))
        self.apply_observation(news)
        for change in snapshot.changes:
            self.record_event(build_calibration_event(change))
        if news.doubt is not None:
            self.motion = self.motion.lose_sight()
            return  # where models stand is not known until it is known where the camera does
        for shift in follow_terrain(list_resting(snapshot.terrain), self.state):
            self.record_event(shift)
        # What a base stands on is where it lies, whatever people say of it yet.
        self.motion, events = self.motion.follow(snapshot, lay_as_seen(self.state))
        for event in events:
            self.record_event(event)
            if isinstance(event, ModelSettled):
                self._cancelled -= {self.state.find_unit_of(event.model).id}
                self._declare_moved_unit(event.model)

    def apply_observation(self, seen: ObservationRow) -> None:
        """Take in what is only looked at, as in a replay."""
        if isinstance(seen, CalibrationSeen):
            self.recorder.calibrations.add(seen.calibration)
        if isinstance(seen, Called):
            self.recorded_call = self.state, seen
        if isinstance(seen, PosesSeen):
            self.observations.apply(seen, self.now_ns)

    def predict_settling(self) -> ModelSettled | None:
        """Return the way of a model that is moving, as if it came to rest where it is; None while none moves."""
        return self.motion.predict_settling(lay_as_seen(self.state), self.pick)

    def lose_track(self) -> None:
        """Let nobody have seen what becomes of the models from here to the next picture."""
        self.motion = recall_motion(self.state, self.poses, self.now_ns)

    def record_event(self, event: Event) -> None:
        """Record an event, then let it change the state."""
        timeline, last_decision = self.timeline.after(event, self.now_ns), self.last_decision
        before = self.state
        self.recorder.write(Stamped(captured_ns=self.now_ns, event=event))
        self.timeline = timeline
        if not is_about_past(event):
            self.pick = follow_pick(self.pick, event, self.state)
            self.picks.follow(event, before, self.state)
            swapped = last_decision if isinstance(event, Undone) else event
            if isinstance(swapped, Swapped | Exchanged):
                self.motion = self.motion.exchange(swapped.models)
        self._on_event(event)

    def consult_referee(self, device: str = "") -> RefereeReport:
        """Return what the referee says of the game as it stands, as it is shown on a device."""
        own = device if device in self.list_own_picks() else ""
        return self._desk.report(self.state, self.find_pick(own), own)

    def judge(self) -> MoveJudgement:
        """Return the judgement of the game as it stands, which what is shown of it then need not make again.

        Raises:
            BadInput: the game does not fit its rulebook.

        """
        return self._desk.judge(self.state)

    def keep_devices(self, devices: Collection[str]) -> None:
        """Forget what other devices looked at, and what was answered them."""
        self.picks.keep_only(devices)
        self._desk.keep_only(self.list_own_picks())

    def list_own_picks(self) -> tuple[str, ...]:
        """Return the devices that show something else than the table does."""
        shown = self.shown_pick
        return tuple(device for device, pick in self.picks.own.items() if pick != shown)

    def record_call(self) -> None:
        """Record what the referee says of the game as it stands, once for each state that the pages show."""
        self.recorder.record_call(self.state, self.now_ns, lambda: self.consult_referee().verdict)

    def record_picture(self, jpeg: bytes) -> None:
        """Keep the camera's picture of now."""
        self.recorder.write(KeptPicture(captured_ns=self.now_ns, jpeg=jpeg))

    def resume_recording(self, journal: Journal) -> None:
        """Record from here on, where all that the journal holds has been played into this session."""
        self.recorder.resume(journal)
        self.timeline = self.timeline.resume()
        self.lose_track()

    def close(self) -> None:
        """Write what could not be written before, if that is possible by now."""
        self.recorder.close(self.now_ns)

    def declare(
        self,
        *,
        unit: str,
        action: str | None,
        rolls: tuple[int, ...] = (),
        model: str | None = None,
        intent: Mapping[str, Setting] | None = None,
        lost: tuple[str, ...] = (),
        device: str = "",
    ) -> None:
        """Pick a unit and one of its models, and announce an action for it if one is given.

        What is announced for another unit ends with that, unless its models have begun to move or another device has
        announced it: then the unit is only looked at, on this device alone.

        Args:
            unit: the unit.
            action: the rulebook's action.
            rolls: its dice so far.
            model: the model whose zone is shown; None for the unit's first.
            intent: the rulebook's fields of the move.
            lost: the models that failed tests cost, by their owner's choice.
            device: which device asks; empty for the table itself.

        Raises:
            BadInput: there is no such unit, model or action, the action takes no such fields, or another unit is being
                moved in somebody else's hand.

        """
        members = list_members(self.state, unit, (*lost, *((model,) if model is not None else ())))
        pick, declared = Pick(unit=unit, model=model or members[0]), self.state.declared
        if action is not None:
            self.picks.check_announcement(self.state, unit, device)
            declaration = Declaration(
                unit=unit, action=action, rolls=rolls, intent=dict(intent or {}), lost=tuple(dict.fromkeys(lost))
            )
            if declaration != self.state.declared:  # picking another model of the unit decides nothing
                check_declaration(self.state, declaration)
                self.record_event(Declared(declaration=declaration))
                self.picks.announcer = device
        elif declared is not None and declared.unit != unit:
            if device and (has_begun(self.state) or self.picks.announcer not in {"", device}):
                self.picks.own[device] = pick
                return
            self.record_event(Withdrawn())
        if device:
            self.picks.own[device] = pick
        turn = self.state.turn
        if action is not None or not turn or not self.pick or self.state.find_unit(unit).player == turn.player:
            # In a counted turn, the light stays with whoever's turn it is.
            self.pick, self.picks.picker = pick, device

    def withdraw(self, device: str = "") -> None:
        """Take the announcement back and pick nothing; a device that looks at another unit only leaves that."""
        pick, declared = self.find_pick(device), self.state.declared
        self.picks.own.pop(device, None)
        if declared is None and device:
            self.picks.own[device] = None
            if self.picks.picker not in {"", device}:
                return
        if declared is not None:
            if pick is not None and pick.unit != declared.unit:
                return
            self._cancelled |= {declared.unit}
            self.record_event(Withdrawn())
        self.pick = None

    def accept(self) -> None:
        """Let the declared unit's models start from where they stand now, whatever the verdict.

        With nothing declared this goes for every model that has moved, and no verdict is given on how it did.

        Raises:
            BadInput: the announced move lacks something that its action needs, or it is not known where models stand.

        """
        self._require_known_positions()
        report = self.consult_referee()
        self.record_call()
        self.record_event(decide_acceptance(self.state, report))
        moved = [m for m in self.state.tracks if self.state.find_unit_of(m).id not in self._cancelled]
        if moved:  # a unit that was moved meanwhile is judged now
            self._declare_moved_unit(moved[0])

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

    def agree_on_parameters(self, parameters: Mapping[str, Setting]) -> None:
        """Say by what parameters of the rulebook players go on; BadInput if it has no such parameter or value."""
        self.record_event(decide_parameters(self.state, parameters))

    def set_score(self, player: str, score: Score) -> None:
        """Say what a player's score is; BadInput where there is no such player, or it is so already."""
        self.record_event(decide_score(self.state, player, score))

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

    def take_terrain(self, piece: str) -> None:
        """Say that a piece of terrain, with its parts, lies from now on where it was seen to lie.

        Raises:
            BadInput: there is no such piece, it lies where the game has it, or it lies beside the table.

        """
        self.record_event(decide_terrain(self.state, piece))

    def move_terrain(self, piece: str, dx_mm: float, dy_mm: float, turn_rad: float) -> None:
        """Say that a piece of terrain, with its parts, lies elsewhere from now on.

        Args:
            piece: the feature's footprint.
            dx_mm: how far it goes to the right, and dy_mm away from the near edge.
            dy_mm: see there.
            turn_rad: how far it turns, counter-clockwise, about the middle of the box around it.

        Raises:
            BadInput: there is no such piece, or it would lie beside the table.

        """
        self.record_event(decide_terrain_move(self.state, piece, dx_mm, dy_mm, turn_rad))

    def swap_markers(self, one: str, two: str, since_ns: int | None = None) -> None:
        """Say that two models carry each other's markers, and did since a captured time; errors as in `decide_swap`.

        Where they stand, and how they came there since they were last accepted, is exchanged with it.
        """
        swap = decide_swap(self.state, self.poses, (one, two), since_ns=since_ns, now_ns=self.now_ns)
        carried = list_carried(self.state)
        self.record_event(swap)
        self.observations.remember_names(swap.models, carried)
        self._record_exchanged_poses(swap.models)
        for model in swap.models:
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
        return compare_placements(self.state.restoring.places, self.observations.list_visible(self.now_ns))

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
        seen = self.observations.exchange(models)
        self.recorder.write((self.now_ns, seen))
        self.apply_observation(seen)

    def _declare_moved_unit(self, model: str) -> None:
        """Follow a model that was moved with nothing announced."""
        if not self.state.declared and self.state.restoring is None:
            unit = self.state.find_unit_of(model).id
            self.declare(unit=unit, action=choose_plain_move(self.state, unit), model=model)
