"""Messages of the set-up: its steps, the armies that are entered, and enrolment."""

from typing import Literal

from assistant.game.base_spec import BaseSpec
from assistant.web.messages.message import Message, Point


class StepView(Message):
    """A step of the set-up, by its name; in the order in which they are taken."""

    title: str
    state: Literal["todo", "good", "weak", "bad"]
    text: str
    """A sentence: what is good, what is not, what to do."""


class SourceView(Message):
    """A camera that was found."""

    spec: str
    """As a set-up names it."""
    name: str


class AnchorView(Message):
    """An anchor that is to lie on the table."""

    tag: int
    lay: str
    """``measured``, a corner such as ``near-left``, or ``anywhere``."""
    x_mm: float | None
    y_mm: float | None
    """Where it is said to lie; None where that is not said."""
    turn_deg: float
    off_mm: float | None
    """How far it is seen from there; None while it is not seen."""
    corners: list[Point]
    """Where it is in the picture, in shares of its width and height; empty while it is not seen."""
    expected: Point | None
    """Where its middle would be if it lay where it is said to."""
    left_out: bool
    """The others contradict it, so it is not used."""


class OfferView(Message):
    """A game that may be taken as it is."""

    rulebook: str
    title: str
    """The rulebook's, as people say it."""
    width_mm: float
    depth_mm: float
    models: int


class LayoutOfferView(Message):
    """A layout that may be laid on a table of this size; its picture is ``/layouts/NAME.svg``."""

    name: str
    title: str
    rulebook: str
    """For whose games it was made; empty for any."""
    credit: str
    objectives: int


MarkerName = Literal["halo", "rim", "tag"]


class MarkerOptionView(Message):
    """One of the markers that a kind of base may carry."""

    kind: MarkerName
    readable: bool
    """Whether the camera reads it all over the table."""
    text: str
    """How large it is in the picture, or what is wrong with it, in a sentence."""


class BaseKindView(Message):
    """Models whose bases are alike and are marked alike."""

    key: str
    """By which entries name it, such as ``marker.round:32``."""
    name: str
    """As people say it."""
    models: int
    units: list[str]
    """As people call them."""
    chosen: MarkerName
    best: MarkerName
    """What is recommended."""
    why: str
    """Why, in a sentence."""
    options: list[MarkerOptionView]
    high: bool
    """Whether it is to be entered how high above the table the tag is: it is on a roof."""


class MarkerOfView(Message):
    """The marker of a model."""

    model: str
    name: str
    """As people call the model."""
    unit: str
    base: str
    """As people say it."""
    marker: str
    """Which, and how large or of which kind, such as ``tag 5 of 16 mm``."""
    known: Literal["no", "roughly", "measured"]
    """Whether it is known where the marker is in the base; a model of which it is not known is not looked for."""
    read: bool
    """Whether the camera has found it."""
    advice: str
    """Why it may not be read, and what to do; empty where nothing is to be said."""


class EarlierGameView(Message):
    """A recorded game that can be gone on with."""

    recording: str
    """The file's name."""
    title: str
    ended_s: int
    """When something was last written to it, in seconds since 1970."""


class TournamentView(Message):
    """The tournament's hall that a table belongs to."""

    event: str
    table: str


class SetupView(Message):
    """The set-up under way; the only key is ``setup``."""

    folder: str
    entries: dict[str, str]
    """What was entered, by name, as it was entered; an entry that is missing has its usual value."""
    wrong: dict[str, str]
    """What is wrong with an entry, in a sentence, by its name."""
    sources: list[SourceView] | None
    """None where the system does not tell which cameras there are."""
    virtual: bool
    anchors: list[AnchorView]
    unplaced: str
    """Why it is not known where anchors lie; empty while it is."""
    offers: list[OfferView]
    layouts: list[LayoutOfferView]
    """Those for a table of this size; the chosen one is the entry ``layout``, which is empty for a bare table."""
    kinds: list[BaseKindView]
    markers: list[MarkerOfView]
    """Those with advice first."""
    hindered: list[str]
    """What keeps a game from being begun, a sentence each."""
    recording: str
    """The file of the game that is played; empty while none is."""
    earlier: list[EarlierGameView]
    """Those of the game that is chosen, the latest first."""
    tournament: TournamentView | None
    """None where the table is one of its own."""


class RulebookView(Message):
    """A rulebook to choose."""

    id: str
    title: str


class ColumnView(Message):
    """A profile key of the rulebook, as a column of the table."""

    key: str
    label: str
    unit: str
    """``in`` or ``cm``; empty where it has none."""
    choices: list[str]
    """What it may be; empty where anything may be entered."""
    statement: str


class ArmiesView(Message):
    """What all armies have in common; the only key is ``armies``, which is missing where none are entered."""

    rulebook: str
    rulebooks: list[RulebookView]
    columns: list[ColumnView]
    bases: list[str]
    """Common bases, to choose from."""
    forces: list[str]
    """The armies' keys, in order."""
    taken: str
    """The situation that is played in place of the armies, as its file is called; empty if none is."""
    undo: str
    """What was dropped last and can be brought back, in a few words; empty if nothing was."""
    state: Literal["todo", "good", "weak", "bad"]
    text: str
    """Why, in a sentence."""


class ProblemView(Message):
    """What is wrong with a unit."""

    field: str
    """The column; empty for the whole."""
    text: str
    """A sentence."""


class ArmyRowView(Message):
    """A unit as it was entered."""

    key: int
    line: str
    """The roster's line that it was read from; empty if it was entered by itself."""
    name: str
    count: str
    base: str
    profile: dict[str, str]
    """By profile key; what was not entered is left out."""
    keywords: str
    status: str
    part_of: str
    """The unit that its models belong to, where that is not theirs alone."""
    ids: str
    """What its models will be called, and their base, such as ``scouts-1 to scouts-5, round 32 mm``; empty while
    something is wrong."""
    problems: list[ProblemView]
    guess: str
    """Where its base or its move comes from, until somebody agrees to it; empty where nothing is guessed."""
    note: str
    """What of its line was not understood, in a sentence; empty if all was."""


class PassedView(Message):
    """Lines of a roster that are no units, those of one unit together, and why they are passed over."""

    lines: list[str]
    """Empty where the reason names them."""
    note: str


class ForceView(Message):
    """One player's army, by key."""

    player: str
    text: str
    """The roster as it was entered."""
    rows: list[ArmyRowView]
    passed: list[PassedView]
    others: list[str]
    """Other players whom headings in it name, who may have armies of their own."""


class TagView(Message):
    """Where a model's tag is in its base, and how surely that is known."""

    tag: int
    size_mm: float
    """Edge of its black square."""
    x_mm: float
    y_mm: float
    facing_deg: float
    """In the base's frame, whose x is the model's front."""
    sigma_mm: float
    """One standard deviation of its place; 0 where nobody measured it."""
    sigma_deg: float
    height_mm: float
    height_sigma_mm: float


class RingView(Message):
    """A model's ring, and how surely it is known how it lies in its base."""

    ring: int
    kind: Literal["halo", "rim"]
    sigma_mm: float
    """One standard deviation of its place; 0 where nobody said."""
    sigma_deg: float
    height_mm: float
    """Of the base."""


class EnrolledView(Message):
    """A model that has a marker or may get one, by id; with neither tag nor ring it is not enrolled."""

    base: BaseSpec
    tag: TagView | None
    ring: RingView | None = None


class EnrollingView(Message):
    """An enrolment under way; the only key is ``enrolling``, which is missing while there is none."""

    model: str
    base: BaseSpec
    base_name: str
    """As the sheet calls it."""
    way: Literal["sheet", "turn", "halo", "rim"]
    step: Literal["sheet", "model", "hand", "front", "turning", "show", "measured"]
    """What a person is to do next."""
    note: str
    """What is in the way, in a sentence; empty if nothing is."""
    places: int
    """How often the model was measured on the sheet."""
    turned_deg: float
    """How much of a turn was seen."""
    found: TagView | None
    ring: RingView | None = None
    """The ring that was shown."""
    advice: str
    """What would make it surer."""
    kept: bool
    """What was found has been written to the set-up."""


class TrayMarkerView(Message):
    """A marker that lies on a tray."""

    marker: int
    """Its number among all markers."""
    name: str
    """As people call it, such as ``ring 17``."""
    at: Point
    """Its middle in the picture, in shares of its width and height."""
    model: str | None
    """Which it becomes; None for nobody."""
    choices: list[str]
    """The models that it may become."""


class TrayView(Message):
    """A tray that is being enrolled; the only key is ``tray``, which is missing while there is none."""

    way: Literal["halo", "rim", "tag"]
    unit: str | None
    """Of which the models are; None for all."""
    note: str
    """What is in the way or left out, in a sentence; empty if nothing is."""
    read: bool
    """Whether the tray has been read: only people change anything from then on."""
    markers: list[TrayMarkerView]
    """In reading order."""
    kept: bool
    """It has been written to the set-up."""


class LayoutPartView(Message):
    """A part of a piece, or its footprint."""

    outline_mm: tuple[tuple[float, float], ...]
    fill: str
    """A CSS colour, and so is the line."""
    line: str


class LayoutPieceView(Message):
    """A terrain feature on a layout that is being made."""

    id: str
    own: str
    """Of the piece that is written; that of its twin is another."""
    kind: str
    """Its template, or ``outline``."""
    made_of: str
    """What an outline is; empty where nobody said it."""
    facing_deg: float
    """Of the piece that is written."""
    height_mm: float
    parts: list[LayoutPartView]
    """The footprint first; table frame."""


class LayoutMarkerView(Message):
    """An objective on a layout that is being made."""

    id: str
    own: str
    x_mm: float
    y_mm: float
    radius_mm: float
    range_mm: float | None


class LayoutZoneView(Message):
    """A deployment zone."""

    side: int
    """From 1."""
    outline_mm: tuple[tuple[float, float], ...]


class LayoutTemplateView(Message):
    """A piece that can be put on the table."""

    name: str
    title: str
    parts: list[LayoutPartView]
    """In its own frame."""


class LayoutEditorView(Message):
    """A layout that is being made; the only key is ``layout``, which is missing while none is open."""

    title: str
    width_mm: float
    depth_mm: float
    symmetry: Literal["half-turn", "left-right", "near-far", "none"]
    pieces: list[LayoutPieceView]
    markers: list[LayoutMarkerView]
    zones: list[LayoutZoneView]
    templates: list[LayoutTemplateView]
    kinds: list[str]
    """What an outline may be."""
    faults: list[str]
    """What would keep two players from a fair game on it, a sentence each."""
    selected: str
    """What was added last; empty if nothing was."""
    saved: str
    """By which name it is kept as it is now; empty if it is not."""
    can_undo: bool
    can_redo: bool
