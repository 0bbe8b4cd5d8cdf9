"""The wizard's controller: takes what pages enter, keeps it in its folder, and says which live table is wanted."""

import hashlib
import logging
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.armies.own_bases import find_own_file
from assistant.errors import BadInput
from assistant.features.armies.controller import ArmiesController
from assistant.features.arriving_file import ArrivingFile, show_name
from assistant.features.camera.marker_sizes import TableSight, estimate_sight
from assistant.features.camera.markers import find_lens, solve_table_file
from assistant.features.feature import Feature, Handles, Moment
from assistant.features.layout_editor.controller import LayoutEditor
from assistant.features.projector.controller import ProjectorController
from assistant.features.session_plan import SessionPlan, name_recording
from assistant.features.wizard import chosen_game as game
from assistant.features.wizard.earlier_games import EarlierGame, list_earlier_games
from assistant.features.wizard.markers import MarkedKind, assign_markers, choose_markers, lay_marker
from assistant.features.wizard.partial_setup import (
    USUAL_MM,
    USUAL_PICTURE_PX,
    build_partial_setup,
    build_virtual_setup,
    drop_faulty_files,
    list_enrolments,
    list_terrain_marks,
    needs_4k,
    read_hall,
    read_stamps,
)
from assistant.features.wizard.state import (
    ArmiesStanding,
    LiveStatus,
    WizardFacts,
    build_sentence,
    list_hindrances,
    read_status,
)
from assistant.features.wizard.views import build_setup_view
from assistant.files.documents import write_atomically
from assistant.game.state import Pose, Table
from assistant.layouts.packs import find_packed_layout
from assistant.setup.bases import BaseSection
from assistant.setup.draft import DRAFT_FILE as DRAFT
from assistant.setup.draft import (
    DraftReading,
    SetupDraft,
    entries_from_setup,
    lay_out_anchors,
    read_draft,
    read_draft_entries,
    write_draft,
)
from assistant.setup.editing import SETUP_FILE, keep_hall, keep_named_file, write_setup_from_draft
from assistant.setup.file import read_setup
from assistant.setup.hall_file import HallFile, check_picture_size, parse_hall_file
from assistant.table.session import GameSession
from assistant.web.commands.setup import (
    SetupArmies,
    SetupBegin,
    SetupEnd,
    SetupEnter,
    SetupGoOn,
    SetupHall,
    SetupLeaveHall,
    SetupLook,
    SetupMeasure,
    SetupMiddle,
)
from assistant.web.messages import View
from hardware.camera.address import REDACTED, redact_address
from hardware.camera.usb import list_cameras
from hardware.frame import Frame
from hardware.printing.sheets import ENROLMENT_TAGS
from hardware.rings.words import RingList, load_ring_list
from vision.anchors.camera_pose import observe_anchors
from vision.images import convert_to_grey

_log = logging.getLogger(__name__)
HALL_FILE = "hall.json"
"""What lets the table into a tournament's hall."""
GAMES = "games"
"""The folder of recordings."""
ARMIES, COMPOSED, SIGHT, PLAYING = "armies", "composed", "sight", "playing"
"""Where the draft keeps what was entered of armies, which of it the game was made of, how fine the camera was last seen
to be, and the recording of a game that nobody has ended."""
OTHER_SIGHT = 0.1
"""A camera that sees the table by a smaller share finer or coarser is as it was: no marker is chosen anew."""


@dataclass(kw_only=True)
class Wizard(Feature):
    """Leads through a set-up.  Used from the thread of the table, but for `facts`, which others may read."""

    name = "wizard"
    folder: Path
    draft: SetupDraft
    plan: SessionPlan = field(init=False)
    """The line that is wanted."""
    due: bool = True
    """Whether another line is wanted than the one that runs."""
    facts: WizardFacts = field(init=False)
    armies: ArmiesController = field(default_factory=ArmiesController)
    layouts: LayoutEditor = field(default_factory=LayoutEditor)
    projector: ProjectorController | None = None
    """Of the live table that runs."""
    recording: Path | None = None
    """Of the game that is played."""
    rests: tuple[SessionPlan, Mapping[str, Pose]] | None = None
    """The line that ran last, and where models rested when it ended."""
    resumes: str = ""
    """The recording with which it goes on by itself as soon as nothing is missing; empty: none."""
    sources: list[tuple[str, str]] | None = field(default_factory=list_cameras)
    _goes_on: bool = False
    """The game that is played was begun earlier."""
    _earlier: tuple[EarlierGame, ...] = ()
    _seen: LiveStatus = field(default_factory=LiveStatus)
    _fault: str = ""
    _lens_fault: str = ""
    _game_wrong: str = ""
    _frame: Frame | None = None
    _stamp: tuple[int, ...] = ()
    _view: View | None = None
    _hall: HallFile | None = None
    _arriving: ArrivingFile = field(default_factory=lambda: ArrivingFile(check_picture_size))
    _sheets: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "sheet"))
    _sheet: tuple[str, Future[HallFile]] | None = None
    """A hall's file or sheet that is being read, and what it is called."""
    _sheet_fault: str = ""
    """Why the one that was loaded last is not used, as a sentence."""

    def __post_init__(self) -> None:
        """Take up the draft where it was left."""
        if isinstance(saved := self.draft.rooms.get(ARMIES), dict):
            self.armies.load(saved, str(self.folder / DRAFT))
        self.armies.changed = self._keep_armies
        self._settle()

    @property
    def path(self) -> Path:
        """The set-up file."""
        return self.folder / SETUP_FILE

    @Handles(SetupEnter)
    def _enter(self, command: SetupEnter) -> None:
        self.enter(command.values)

    def enter(self, values: dict[str, str]) -> None:
        """Make entries, and see what they come to.

        Raises:
            BadInput: there is no such entry, a game is being played, or nothing can be written to the folder.

        """
        if self.recording is not None:
            raise BadInput("a game is being played: end it before you change the set-up")
        self.draft = self.draft.enter(self._fill_in_source(values))
        if "source" in values:
            self._lens_fault = ""
            self.draft = self.draft.keep_room(SIGHT, None)
        write_draft(self.folder, self.draft)
        if chosen := self._find_chosen_game(values):
            try:
                game.take_game(self.folder, chosen)
            except BadInput as error:
                self._game_wrong = str(error)
            else:
                self._game_wrong = ""
                self.draft = self.draft.enter({"game": chosen})
                write_draft(self.folder, self.draft)
        self.due, self._fault = self.due or bool(self._fault), ""
        self._settle()
        if "layout" in values and self.draft.entries.get("game") == game.ARMIES:
            self.compose()

    @Handles(SetupArmies)
    def compose(self) -> None:
        """Take the armies that were entered, on the layout that was chosen; on a virtual table they are set up.

        Raises:
            BadInput: the table comes first, an army is not right yet, or it cannot be written.

        """
        if self.reading.table_mm is None:
            raise BadInput("the table comes first: say how large it is")
        if self.recording is not None:
            raise BadInput("a game is being played: end it before you change the set-up")
        width_mm, depth_mm = self.reading.table_mm
        table, chosen = Table(width_mm=width_mm, depth_mm=depth_mm), self.draft.entries.get("layout")
        laid = find_packed_layout(chosen).lay_on(table, self.armies.draft.rulebook) if chosen else None
        placed = self.reading.source.startswith("virtual:")
        anchors = lay_out_anchors(self.reading.anchors, width_mm, depth_mm)
        lying = [anchor for section in anchors if (anchor := section.placed_anchor) is not None]
        avoid_mm = [tuple((x, y) for x, y, _ in anchor.square_mm.tolist()) for anchor in lying]
        self.armies.learn_bases()
        game.keep_composed(self.folder, self.armies.compose_game(table, laid=laid, placed=placed, avoid_mm=avoid_mm))
        self._game_wrong = ""
        self.draft = self.draft.keep_room(COMPOSED, self._digest_armies())
        self.enter({"game": game.ARMIES})

    @Handles(SetupLook)
    def look(self) -> None:
        """Look again which cameras there are, and try the one that was chosen again."""
        self.sources = list_cameras()
        self.due, self._fault, self._view = True, "", None

    @Handles(SetupMeasure)
    def measure(self) -> None:
        """Tell from the latest picture where the anchors lie, and use that.

        Raises:
            BadInput: there is no picture or no set-up yet, or the picture does not tell.

        """
        if not self.reading.is_complete or self._frame is None:
            raise BadInput("the camera and the table come first: there is no picture of the anchors yet")
        setup = read_setup(self.path)
        lens, _ = find_lens(drop_faulty_files(setup, self.path, lens=not self._lens_fault), self.path, None)
        grey = convert_to_grey(self._frame.image)
        observation = observe_anchors("the picture", grey, frozenset(self.reading.ids))
        if observation.shown_twice:
            raise BadInput(f"anchor {observation.shown_twice[0]} is in the picture twice: take one print away")
        if not observation.sighting.squares_px:
            raise BadInput("none of the anchors is seen: lay them on the table where the camera sees them")
        size = (grey.shape[1], grey.shape[0])
        file = solve_table_file(setup, self.path, lens, [observation.sighting], size)
        data = (file.model_dump_json(indent=1) + "\n").encode()
        keep_named_file(self.path, data, section="camera", key="table", default="table.json")
        self._settle()
        self.due = True

    @Handles(SetupMiddle)
    def assume_middle(self) -> None:
        """Take it that markers of which nothing was measured are where an eye puts them, and look for them.

        Raises:
            BadInput: there is no set-up or no game yet, or it cannot be written.

        """
        if not self.reading.is_complete or self.facts.state is None:
            raise BadInput("the table and the armies come first")
        reading = self.reading
        kinds = {model: entry.kind for entry in self.facts.marked for model in entry.kind.models}
        bases = [
            base if base.model in self.facts.enrolled else lay_marker(base, kinds[base.model], reading)
            for base in self.facts.given
        ]
        write_setup_from_draft(self.folder, reading, bases)
        self._settle()

    @Handles(SetupHall)
    def _take_hall(self, command: SetupHall) -> None:
        data = self._arriving.take(command)
        if data is not None:
            self._require_hall_changeable()
            name = show_name(command.name)
            # A code in a photo takes seconds to be read, for which no table stands still.
            self._sheet = name, self._sheets.submit(parse_hall_file, data, name)

    def take_sheet(self) -> None:
        """Let the table belong to the hall whose file or sheet was read meanwhile; what is wrong with it is shown."""
        if self._sheet is None or not self._sheet[1].done():
            return
        (name, reading), self._sheet, self._sheet_fault = self._sheet, None, ""
        try:
            self.join_hall(reading.result(), name)
        except BadInput as error:
            self._sheet_fault = build_sentence(str(error))
            self._settle()

    def join_hall(self, hall: HallFile, name: str) -> None:
        """Let the table belong to a tournament's hall: its games are told to that from now on.

        Args:
            hall: its file.
            name: what that is called.

        Raises:
            BadInput: it is out of date, there is no set-up yet, a game is being played, or it cannot be written.

        """
        self._require_hall_changeable()
        hall.check_date(name)
        write_atomically(self.folder / HALL_FILE, hall.model_dump_json(indent=1).encode(), private=True)
        keep_hall(self.path, HALL_FILE)
        self.due = True  # also where the file is called as the one before
        self._settle()

    @Handles(SetupLeaveHall)
    def leave_hall(self) -> None:
        """Let the table be one of its own; BadInput as in `join_hall`."""
        self._require_hall_changeable()
        self._sheet_fault = ""
        keep_hall(self.path, None)
        (self.folder / HALL_FILE).unlink(missing_ok=True)
        self._settle()

    def _require_hall_changeable(self) -> None:
        if self.recording is not None:
            raise BadInput("a game is being played: end it before you change the set-up")
        if not self.reading.is_complete:
            raise BadInput("the camera and the table come first: then the table can belong to a tournament")

    @Handles(SetupBegin)
    def begin(self) -> None:
        """Begin the game; it is recorded from now on.

        Raises:
            BadInput: something is missing.

        """
        if self.recording is not None:
            raise BadInput("the game is on already")
        if missing := list_hindrances(self.facts):
            raise BadInput(missing[0])
        folder = self.folder / GAMES
        folder.mkdir(exist_ok=True)
        self._play(name_recording(self._title, folder), goes_on=False)

    @Handles(SetupGoOn)
    def go_on(self, command: SetupGoOn) -> None:
        """Go on with a game that was broken off.

        Raises:
            BadInput: a game is being played, something is missing, or there is no such recording of this game.

        """
        if self.recording is not None:
            raise BadInput("the game is on already")
        if missing := list_hindrances(self.facts):
            raise BadInput(missing[0])
        game = next((each for each in self._earlier if each.path.name == command.recording), None)
        if game is None:
            raise BadInput(f"{command.recording} is no recording of the game that is chosen: begin a new one")
        self._play(game.path, goes_on=True)

    @Handles(SetupEnd)
    def end(self) -> None:
        """End the game; what was recorded stays."""
        self.recording = None
        self._keep_playing("")
        self._settle()

    def resume(self, *, at_once: bool = False) -> None:
        """Go on with the game that was played when the program ended.

        Args:
            at_once: the program only broke off; otherwise it waits until the camera sees what it must.

        """
        name = self.draft.rooms.get(PLAYING)
        if not isinstance(name, str) or not name:
            return
        if at_once:
            self._play(self.folder / GAMES / name, goes_on=True)
        else:
            self.resumes = name

    def _play(self, recording: Path, *, goes_on: bool) -> None:
        self.recording, self._goes_on, self.resumes = recording, goes_on, ""
        self._keep_playing(recording.name)
        self._settle()

    def _keep_playing(self, name: str) -> None:
        self.draft = self.draft.keep_room(PLAYING, name)
        write_draft(self.folder, self.draft)

    def _resume_if_due(self) -> None:
        if not self.resumes or self.recording is not None or list_hindrances(self.facts):
            return
        name, self.resumes = self.resumes, ""
        try:
            self.go_on(SetupGoOn(type="setup-go-on", recording=name))
        except BadInput as error:
            _log.warning("The game that was played last is not gone on with: %s", error)

    def fail(self, why: str, *, lens: bool = False) -> None:
        """Take note that the line could not be built, or has ended; of the lens's fault, that it goes without it."""
        if lens:
            self._lens_fault, self.due = why, True
        else:
            self._fault = why
        self.recording = None
        self._settle()

    def follow(self, moment: Moment) -> None:
        """Take in what the live table shows now, what calibrations have written, and a sheet that was read."""
        self.take_sheet()
        self._frame = moment.frame or self._frame
        if self._stamp != read_stamps(self.folder):  # a calibration was kept, and is in use already
            if self._lens_fault and self._stamp[1:] != read_stamps(self.folder)[1:]:
                self._lens_fault = ""
            due = self.due
            self._settle()
            self.due = due
        if self.due:
            return
        status = read_status(self._seen, moment, self.projector)
        if status != self._seen:
            self._seen, self.facts, self._view = status, replace(self.facts, seen=status), None
        self._follow_sight()
        self._resume_if_due()

    def note_started(self) -> None:
        """Take note that the line that is wanted is being run."""
        self.due, self._frame, self._seen = False, None, LiveStatus()
        self.facts, self._view = replace(self.facts, seen=self._seen), None

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        del session
        yield self.build_view()

    def build_view(self) -> View:
        """Return what the pages show."""
        if self._view is None:
            self._view = build_setup_view(
                self.facts,
                folder=self.folder,
                sources=self.sources,
                recording=self.recording,
                earlier=self._earlier,
                hall=self._hall,
            )
        return self._view

    @property
    def reading(self) -> DraftReading:
        """What was understood of the entries."""
        return self.facts.reading

    def _fill_in_source(self, values: dict[str, str]) -> dict[str, str]:
        """Return entries with the camera's address as it was entered before, where it comes back as it was shown."""
        source, known = values.get("source", ""), self.draft.entries.get("source", "")
        if REDACTED not in source:
            return values
        if source != redact_address(known):
            raise BadInput("the camera's password is not shown here: enter its address anew, with the password")
        return {**values, "source": known}

    def _follow_sight(self) -> None:
        """Keep how fine the camera is seen to be, where that is another than was taken of it."""
        seen, table_mm = self._seen.fit.sight, self.reading.table_mm
        if seen is None and self._frame is not None and table_mm is not None:
            height_px, width_px = self._frame.image.shape[:2]
            seen = estimate_sight((width_px, height_px), table_mm)
        if seen is None or self.facts.virtual or self.recording is not None:
            return
        known = self._find_sight(self.reading)
        is_same = abs(seen.px_per_mm / known.px_per_mm - 1) <= OTHER_SIGHT and seen.width_px == known.width_px
        if is_same:
            return
        self.draft = self.draft.keep_room(SIGHT, [round(seen.px_per_mm, 3), seen.width_px])
        write_draft(self.folder, self.draft)
        self._settle()

    def _find_sight(self, reading: DraftReading) -> TableSight:
        """Return how fine the camera sees the table, as far as that is known."""
        match self.draft.rooms.get(SIGHT):
            case [float(px_per_mm), int(width_px)] if px_per_mm > 0:
                return TableSight(px_per_mm=px_per_mm, width_px=width_px)
        return estimate_sight(USUAL_PICTURE_PX, reading.table_mm or USUAL_MM)

    def _keep_armies(self) -> None:
        self.draft = self.draft.keep_room(ARMIES, self.armies.save())
        write_draft(self.folder, self.draft)
        self.facts, self._view = replace(self.facts, armies=self._find_standing()), None

    def _digest_armies(self) -> str:
        """Return what tells the armies as they are entered now from others; agreeing to a guess changes nothing."""
        leaves_out = {"units": {"__all__": {"guess", "remark"}}}
        try:
            armies = [army.model_dump_json(exclude=leaves_out) for army in self.armies.list_armies()]
        except BadInput:
            armies = []
        return hashlib.sha256(repr((armies, self.armies.situation)).encode()).hexdigest()

    def _find_standing(self) -> ArmiesStanding:
        """Return whether the armies can be played with, and whether the game that was made of them is still theirs."""
        if self.draft.entries.get("game") == game.ARMIES:
            return "played" if self.draft.rooms.get(COMPOSED) in (None, self._digest_armies()) else "changed"
        return "entered" if self.armies.assess()[0] in ("good", "weak") else "none"

    @property
    def _title(self) -> str:
        return self.draft.entries.get("title") or self.folder.resolve().name

    def _find_chosen_game(self, values: dict[str, str]) -> str:
        """Return the game that is chosen by some entries; empty for none."""
        if values.get("game_file"):
            return f"{game.FROM_FILE}{values['game_file'].strip()}"
        chosen = values.get("game", "")
        return "" if chosen == game.ARMIES else chosen

    def _settle(self) -> None:
        """See what the draft comes to: write the set-up if it makes one, and want another line if that is another."""
        reading = read_draft_entries(self.draft.entries)
        state, fault = None, self._game_wrong
        if self.draft.entries.get("game") and not fault:
            try:
                state = game.read_game(self.folder, reading.table_mm)
            except BadInput as error:
                fault = str(error)
        virtual = reading.source.startswith("virtual:")
        enrolments = list_enrolments(self.path, self.draft.shelved, virtual=virtual)
        rings, sight = self._find_rings(), self._find_sight(reading)
        marked: tuple[MarkedKind, ...] = ()
        given: tuple[BaseSection, ...] = ()
        if state is not None:
            taken = frozenset(reading.ids) | ENROLMENT_TAGS | list_terrain_marks(self.path)
            marked = choose_markers(state, reading.markers, enrolments, rings=rings, sight=sight)
            given = assign_markers(state, marked, enrolments, taken=taken, rings=rings, sight=sight)
        enrolled = given if virtual else tuple(base for base in given if base in enrolments)
        if reading.is_complete:
            self._write(reading, enrolled, enrolments)
        hall_fault, self._hall = self._sheet_fault, None
        try:
            self._hall = read_hall(self.path)
        except BadInput as error:
            hall_fault = build_sentence(str(error))
        setup, unplaced, lens = build_partial_setup(self.path, reading, lens=not self._lens_fault)
        self.facts = WizardFacts(
            draft=self.draft,
            reading=reading,
            seen=self._seen,
            fault=self._fault,
            unplaced=unplaced,
            lens=lens,
            lens_fault=self._lens_fault,
            state=state,
            game_fault=fault,
            hall_fault=hall_fault,
            sight=sight,
            rings=rings,
            marked=marked,
            given=given,
            enrolled=frozenset(base.model for base in enrolled),
            playing=self.recording is not None,
            armies=self._find_standing(),
        )
        self._earlier = () if state is None else list_earlier_games(self.folder / GAMES, state)
        played = state or game.build_empty_table((setup.table.width_mm, setup.table.depth_mm))
        plan = SessionPlan(
            path=self.path,
            kept_at=self.path if reading.is_complete else None,
            setup=setup,
            state=played,
            title=self._title,
            recording=self.recording,
            go_on=self._goes_on,
            on_table=build_virtual_setup(setup, reading, state) if virtual else None,
            in_4k=needs_4k(setup),
        )
        self.due = self.due or plan != self.plan
        if self.due:  # what is seen now says nothing of the line that is to come
            self._seen = LiveStatus()
            self.facts = replace(self.facts, seen=self._seen)
        self.plan, self._view, self._stamp = plan, None, read_stamps(self.folder)

    def _find_rings(self) -> RingList:
        return read_setup(self.path).rings.ring_list if self.path.exists() else load_ring_list()

    def _write(
        self, reading: DraftReading, enrolled: tuple[BaseSection, ...], enrolments: tuple[BaseSection, ...]
    ) -> None:
        """Write the set-up; enrolments of models that are not in this game are put on the shelf."""
        write_setup_from_draft(self.folder, reading, enrolled)
        models = {base.model for base in enrolled}
        shelved = tuple(base for base in enrolments if base.model not in models)
        if shelved != self.draft.shelved:
            self.draft = self.draft.model_copy(update={"shelved": shelved})
            write_draft(self.folder, self.draft)


def open_wizard(folder: Path) -> Wizard:
    """Return a wizard that goes on where it was left in a folder, or begins with the set-up that is there.

    Raises:
        BadInput: the folder cannot be made, or what is in it cannot be read.

    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder}: this folder cannot be made ({error.strerror})") from None
    draft = read_draft(folder)
    if not draft.entries and (folder / SETUP_FILE).exists():
        draft = draft.enter(entries_from_setup(read_setup(folder / SETUP_FILE)))
    write_draft(folder, draft)
    return Wizard(folder=folder, draft=draft, armies=ArmiesController(bases=find_own_file()))
