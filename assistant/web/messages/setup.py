"""The set-up wizard: how far each step is, what was entered, and what there is to choose from."""

from typing import Literal

from assistant.web.messages.message import Message


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


class OfferView(Message):
    """A game that may be taken as it is."""

    rulebook: str
    title: str
    """The rulebook's, as people say it."""
    width_mm: float
    depth_mm: float
    models: int


class TagOfView(Message):
    """The tag of a model."""

    model: str
    unit: str
    base: str
    """As a command line names it, such as ``round:32``."""
    tag: int
    size_mm: float
    known: Literal["no", "roughly", "measured"]
    """Whether it is known where the tag is in the base; a model whose tag is not known is not looked for."""


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
    tags: list[TagOfView]
    hindered: list[str]
    """What keeps a game from being begun, a sentence each."""
    recording: str
    """The file of the game that is played; empty while none is."""
