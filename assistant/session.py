"""One table at work: what was seen becomes events, events become state, and the state is referred to the rulebook."""

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import replace

from assistant.announced import Pick, plain_move
from assistant.answer import Answer, reaching, refer
from assistant.calibrated import doubt_said, event_of
from assistant.decisions import (
    accepted,
    check_announced,
    check_moved,
    gone_on,
    members,
    restored,
    restoring_began,
    ruled,
    status_told,
    swapped,
    unruled,
)
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
    about_past,
)
from assistant.game.history import History, other_of
from assistant.game.state import NO_RULEBOOK, Declaration, GameState, Restoring, Ruling, Setting
from assistant.ingest import Memory, ingest, recalled, under_way
from assistant.poses import PoseEntry, entry_of, pose_of
from assistant.record.calibrations import CalibrationSeen
from assistant.record.called import Called
from assistant.record.journal import FilmKept, Happening, Journal, Picture, PosesSeen, Seen
from assistant.record.recorder import Recorder
from assistant.restoring import Compared, compared
from assistant.rules.judge import rulebook
from assistant.rules.sequence import removal
from assistant.rules.validity import on_the_table
from assistant.zones import AtOnce, Reach, Wanted, wanted
from vision.types import TableSnapshot

__all__ = ["Answer", "Pick", "Session"]

NOTICED_NS = 150_000_000
"""A model that is held for a shorter time is shown as if it were seen: a hand's shadow must not make it flicker."""
STILL_MM = 0.05
STILL_DEG = 0.2


class Session:
    """Holds the state of one game, and writes every event to the journal before it counts.  Used from one thread."""

    def __init__(self, state: GameState, journal: Journal | None = None, *, reach: Reach | None = None) -> None:
        """Begin with a state; without a journal nothing is recorded, without `reach` zones are worked out at once."""
        played = state.rulebook != NO_RULEBOOK
        # Where a unit that is off the table was last seen is no place to be set up from.
        self._history = History(state=on_the_table(rulebook(state.rulebook), state) if played else state)
        self.pick: Pick | None = None
        self.poses: dict[str, PoseEntry] = {}
        """How every model that has been seen was last shown."""
        self.seen = PosesSeen(anchors_seen=0, calibration="", poses=())
        """What the latest picture told, and what was wrong with it."""
        self.changed: dict[int | None, tuple[int, CalibrationChanged]] = {}
        """When the calibration last changed and how, by the anchor that it was about; None: the camera."""
        self.ruled: tuple[int, Ruling] | None = None
        """When a ruling on the past was last made, and which, unless it was taken back."""
        self.exchanged_ns = 0
        """When two models were last found to carry each other's tags."""
        self.named: dict[int, str] = {}
        """What the set-up calls the model with a tag, for the tags that the game knows to be on another."""
        self.now_ns = 0
        """The capture time of the latest picture: the only clock there is."""
        self._calibrations: set[str] = set()
        self._hidden_ns: dict[str, int] = {}
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
    def trouble(self) -> str:
        """Why the game is not being recorded, and what to do about it; empty while it is."""
        return self._recorder.trouble if self._recorder else ""

    def aside(self, *, reach: Reach | None = None) -> "Session":
        """Return a session that goes on from here by itself, and is recorded nowhere."""
        other = copy(self)
        other.poses, other.changed, other._hidden_ns = dict(self.poses), dict(self.changed), dict(self._hidden_ns)
        other.named = dict(self.named)
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
        snapshot = self._identified(snapshot)
        if self._recorder:
            self._recorder.look(self.now_ns)
        changed = tuple(
            entry for entry in map(entry_of, snapshot.poses) if _differs(self.poses.get(entry.model), entry)
        )
        seen = PosesSeen(
            anchors_seen=snapshot.anchors_seen,
            calibration=snapshot.calibration,
            poses=changed,
            shown_twice=snapshot.shown_twice,
            wrong_anchors=snapshot.wrong_anchors,
            doubt=None if snapshot.doubt is None else snapshot.doubt.value,
            astray=snapshot.astray,
            slipped_mm={tag: round(far_mm, 1) for tag, far_mm in snapshot.slipped_mm.items()},
        )
        if changed or seen.troubles != self.seen.troubles:
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

    def _identified(self, snapshot: TableSnapshot) -> TableSnapshot:
        """Return what a picture showed with every tag's pose under the model that carries it.

        From here on, the record included, a model is what the game knows it to be, while the tag says what was seen.
        """
        carried = self.state.carried
        if not carried:
            return snapshot
        self.named.update({pose.tag: pose.model for pose in snapshot.poses if pose.tag in carried})
        poses = (replace(pose, model=carried.get(pose.tag, pose.model)) for pose in snapshot.poses)
        return replace(snapshot, poses=tuple(poses))

    def set_up_name(self, model: str) -> str:
        """Return what the set-up calls the base that carries a model."""
        carried = self.state.carried
        return next((name for tag, name in self.named.items() if carried.get(tag) == model), model)

    def _exchange(self, models: tuple[str, str]) -> None:
        """Let what is remembered of one model be of the other."""
        journeys = {other_of(models, model): journey for model, journey in self._memory.journeys.items()}
        self._memory, self._latest = Memory(journeys=journeys), None

    def _see_exchanged(self, models: tuple[str, str]) -> None:
        """Show, and record, each of two models as it was seen that is now known to be the other."""
        seen = self.exchanged(models)
        self._write((self.now_ns, seen))
        self.show(seen)

    def exchanged(self, models: tuple[str, str]) -> PosesSeen:
        """Return what the latest picture told, were two models each other; nobody knows where one was never seen."""
        seen = [self.poses[model] for model in models if model in self.poses]
        poses = [entry.model_copy(update={"model": other_of(models, entry.model)}) for entry in seen]
        if len(seen) == 1:
            poses.append(seen[0].model_copy(update={"state": "lost", "moving": False}))
        return self.seen.model_copy(update={"poses": tuple(poses)})

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
        if not isinstance(seen, PosesSeen):
            return
        self.seen = seen
        for entry in seen.poses:
            before = self.poses.get(entry.model)
            if entry.state == "held" and before is not None and before.state == "seen":
                self._hidden_ns[entry.model] = self.now_ns
            elif entry.state != "held":
                self._hidden_ns.pop(entry.model, None)
            self.poses[entry.model] = entry

    def stand(self, poses: Mapping[str, PoseEntry], hidden_ns: Mapping[str, int], seen: PosesSeen | None) -> None:
        """Take in at once what `show` would have come to, picture after picture.

        Args:
            poses: how every model was last shown.
            hidden_ns: since when those are hidden that are held.
            seen: what the last picture told; None where there was none.

        """
        self.poses, self._hidden_ns = dict(poses), dict(hidden_ns)
        self.seen = seen or self.seen

    def only_just_hidden(self, model: str) -> bool:
        """Whether a held model was seen until so short a time ago that nobody needs to be told."""
        hidden_ns = self._hidden_ns.get(model)
        return hidden_ns is not None and self.now_ns - hidden_ns < NOTICED_NS

    def happen(self, event: Event) -> None:
        """Record an event, then let it change the state."""
        after, last = self._history.after(event), self.last_decision
        self._write(Stamped(captured_ns=self.now_ns, event=event))
        self._history = after
        if about_past(event):
            self.ruled = (self.now_ns, event.ruling) if isinstance(event, Ruled) else None
            return
        self.decided += isinstance(event, Decision | Undone)
        match event:
            case Declared(declaration=declaration) if self.pick is None or self.pick.unit != declaration.unit:
                self.pick = Pick(unit=declaration.unit, model=self.state.unit(declaration.unit).models[0].id)
            case Withdrawn() | Accepted() | TurnBegan() | StepBegan() | RestoringBegan() | Restored():
                self.pick = None
            case Swapped(models=models) | Exchanged(models=models):
                self._exchange(models)
                self.exchanged_ns = self.now_ns
            case CalibrationChanged():
                self.changed[event.tag] = (self.now_ns, event)
            case Undone():
                if isinstance(last, Swapped):
                    self._exchange(last.models)
                told = self.state.declared
                self.pick = Pick(unit=told.unit, model=self.state.unit(told.unit).models[0].id) if told else None
        if self.pick is not None:
            left = self.state.unit(self.pick.unit).models
            if all(model.id != self.pick.model for model in left):
                self.pick = replace(self.pick, model=left[0].id) if left else None

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

    def accept(self) -> None:
        """Let the declared unit's models start from where they stand now, whatever the verdict.

        With nothing declared this goes for every model that has moved, and no verdict is given on how it did.

        Raises:
            BadInput: the announced move lacks something that its action needs, or it is not known where models stand.

        """
        self._know_where()
        answer = self.answer()
        self.call()
        self.happen(accepted(self.state, answer))

    def rule(self, ruling: Ruling) -> None:
        """Decide what a call comes to: of the move that is being made, or of a past moment; errors as in `ruled`."""
        verdict = self.answer().verdict
        self.call()
        self.happen(ruled(ruling, self.state, verdict, self.now_ns))

    def go_on(self, player: str | None = None) -> None:
        """Begin the next step of the turn, the next player's part of it, or the next turn; errors as in `gone_on`."""
        self.happen(gone_on(self.state, player))

    def set_status(self, unit: str, status: tuple[str, ...]) -> None:
        """Say what the status of a unit is; BadInput if there is no such unit or status."""
        self.happen(status_told(self.state, unit, status))
        if not rulebook(self.state.rulebook).absent(self.state.unit(unit)):
            self._find(unit)

    def remove(self, models: tuple[str, ...]) -> None:
        """Say that models are destroyed.

        Raises:
            BadInput: there is no such model, or a unit must leave it first.

        """
        self.happen(removal(self.state, models))

    def bumped(self, models: tuple[str, ...]) -> None:
        """Say that models were pushed by mistake: they stand where they are, and have made no move.

        Raises:
            BadInput: one of them is not in the game, or has not moved.

        """
        check_moved(self.state, models)
        self.happen(Bumped(models=models))

    def put_back(self, models: tuple[str, ...]) -> None:
        """Say that models are put back where they were accepted: what moves them there is no move; errors as above."""
        check_moved(self.state, models)
        self.happen(PutBack(models=models))

    def swap(self, one: str, two: str, since_ns: int | None = None) -> None:
        """Say that two models carry each other's tags, and did since a captured time; errors as in `swapped`.

        Where they stand, and how they came there since they were last accepted, is exchanged with it.
        """
        said = swapped(self.state, self.poses, (one, two), since_ns=since_ns, now_ns=self.now_ns)
        carried, seen = self.state.carried, [self.poses[model] for model in said.models if model in self.poses]
        self.happen(said)
        self.named.update({entry.tag: entry.model for entry in seen if entry.tag not in carried})
        self._see_exchanged(said.models)
        for model in said.models:
            if model in self.state.tracks:
                self._take_up(model)

    def restore(self, restoring: Restoring) -> None:
        """Begin to put the table back: until `restored`, what moves models is no move; another moment may take over.

        Raises:
            BadInput: no model of this game stood anywhere then.

        """
        self.happen(restoring_began(self.state, restoring))

    def restored(self) -> None:
        """End that: models that are back stand exactly where they stood, the others stay where they are.

        Raises:
            BadInput: nothing is being put back, or it is not known where models stand.

        """
        self._know_where()
        self.happen(restored(self.state, self.compared()))

    def compared(self) -> tuple[Compared, ...]:
        """Return how far each model is from where it is being put back; nothing while none is."""
        if self.state.restoring is None:
            return ()
        shown = {
            model: entry for model, entry in self.poses.items() if entry.state == "seen" or self.only_just_hidden(model)
        }
        return compared(self.state.restoring.places, shown)

    def undo(self) -> None:
        """Take back the last thing that a person did; what was seen since stays seen.

        Raises:
            BadInput: there is nothing to take back.

        """
        if not self.can_undo:
            raise BadInput("there is nothing to take back")
        last = self.last_decision
        self.happen(Undone())
        if isinstance(last, Swapped):
            self._see_exchanged(last.models)

    def unrule(self, ruling: Ruling) -> None:
        """Take back a ruling on what is past, whatever was decided since; BadInput if it does not hold any more."""
        self.happen(unruled(ruling, self.rulings))

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

    def _know_where(self) -> None:
        """Raise BadInput while it is not known where models stand."""
        if self.seen.doubt is not None:
            raise BadInput(doubt_said(self.seen.doubt, self.seen.astray))

    def go_on_in(self, journal: Journal) -> None:
        """Record from here on, where all that the journal holds has been played into this session."""
        self._recorder = Recorder(journal)
        self._memory = recalled(self.state, self.poses, self.now_ns)

    def close(self) -> None:
        """Write what could not be written before, if that is possible by now."""
        if self._recorder:
            self._recorder.catch_up(self.now_ns)

    def _write(self, happening: Happening | Picture) -> None:
        """Write to the journal; when the disk is full the game goes on, and the pages say so."""
        if self._recorder:
            self._recorder.write(happening)

    def _find(self, unit: str) -> None:
        """Let the models of a unit that is on the table again stand where they are seen."""
        for model in self.state.unit(unit).models:
            entry = self.poses.get(model.id)
            if model.pose is None and entry is not None and entry.state == "seen" and not entry.moving:
                self.happen(ModelPlaced(model=model.id, pose=pose_of(entry)))

    def _take_up(self, model: str) -> None:
        """Follow a model that was moved with nothing announced."""
        if not self.state.declared and self.state.restoring is None:
            unit = self.state.unit_of(model).id
            self.declare(unit=unit, action=plain_move(self.state, unit), model=model)


def _manner(entry: PoseEntry) -> tuple[object, ...]:
    return entry.state, entry.moving, entry.other_z_mm


def _differs(shown: PoseEntry | None, entry: PoseEntry) -> bool:
    """Whether a pose has changed by more than an average at rest still drifts, so that a still table stays still."""
    if shown is None or _manner(shown) != _manner(entry):
        return True
    steps = (entry.x_mm - shown.x_mm, entry.y_mm - shown.y_mm, entry.z_mm - shown.z_mm)
    return max(map(abs, steps)) > STILL_MM or abs(math.remainder(entry.facing_deg - shown.facing_deg, 360)) > STILL_DEG
