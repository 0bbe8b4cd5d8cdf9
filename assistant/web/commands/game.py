"""Game commands: what is announced, decided, ruled, measured, pushed and replayed at the table."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from assistant.files.documents import Degrees, Id, Length, Place
from assistant.web.commands.registry import AT_THE_TABLE, DECIDE, OWNERS, CommandEntry, Roles, enter
from assistant.web.messages.message import Message

Decided = Annotated[int, Field(ge=0)]
"""How much had been decided, as ``MoveView.decided`` says."""


class Declare(Message):
    """Announce an action for a unit, with its dice, and pick the model whose zone is shown."""

    type: Literal["declare"]
    unit: Id
    action: Id | None = None
    """None: the unit is picked, no action is announced yet."""
    rolls: Annotated[list[Annotated[int, Field(ge=1, le=20)]], Field(max_length=100)] = Field(default_factory=list)
    """May still lack dice: the move's note then asks for them."""
    model: Id | None = None
    """None: the unit's first model."""
    intent: dict[Id, str | bool | list[Id]] = Field(default_factory=dict)
    """The rulebook's fields of a move."""
    lost: Annotated[list[Id], Field(max_length=1000)] = Field(default_factory=list)
    """The models that failed tests cost, by their owner's choice."""


class Withdraw(Message):
    """Take the announcement back and pick nothing."""

    type: Literal["withdraw"]


class Shown(Message):
    """What a page showed when a person decided by it; if it is no longer so, they decided about something else."""

    decided: Decided
    outcome: Literal["legal", "illegal", "too-close", "unobserved"] | None
    moved: Annotated[list[Id], Field(max_length=1000)]


class Accept(Message):
    """Accept what stands: every model's present place is its new starting place."""

    type: Literal["accept"]
    shown: Shown | None = None
    """None: whatever stands when it arrives."""


class Bumped(Message):
    """Say that models were pushed by mistake: they stand where they are, and have made no move."""

    type: Literal["bumped"]
    models: Annotated[list[Id], Field(min_length=1, max_length=1000)]


class PutBack(Message):
    """Say that models are put back where they were accepted: what moves them there is no move."""

    type: Literal["put-back"]
    models: Annotated[list[Id], Field(min_length=1, max_length=1000)]


class TakeTerrain(Message):
    """Say that a piece of terrain that was moved lies from now on where it was seen to lie."""

    type: Literal["take-terrain"]
    piece: Id


class MoveTerrain(Message):
    """Say that a terrain feature lies elsewhere from now on than the game has it."""

    type: Literal["move-terrain"]
    piece: Id
    dx_mm: Place = 0.0
    dy_mm: Place = 0.0
    turn_deg: Degrees = 0.0
    """About the middle of the box around it."""


class Swapped(Message):
    """Say that two models carry each other's markers: what is seen of one counts for the other."""

    type: Literal["swapped"]
    models: Annotated[list[Id], Field(min_length=2, max_length=2)]
    since_ns: Annotated[int, Field(ge=0)] | None = None
    """When it was so already, since the game's beginning; None: from now on."""


class Restore(Message):
    """Put the table back to a moment: until that is done, what moves models is no move."""

    type: Literal["restore"]
    at_ns: Annotated[int, Field(ge=0)] | None = None
    """Since the game's beginning; None for where everything was last accepted."""


class RestoreDone(Message):
    """End that: models that are back stand exactly where they stood, the others stay where they are."""

    type: Literal["restore-done"]
    missing: Annotated[int, Field(ge=0)] | None = None
    """How many were not back as the page showed it; None: however many are not."""


class Remove(Message):
    """Say that models are destroyed."""

    type: Literal["remove"]
    models: Annotated[list[Id], Field(min_length=1, max_length=1000)]


class GoOn(Message):
    """Begin the next step of the turn, or the next player's turn."""

    type: Literal["go-on"]
    player: Id | None = None
    """Who goes first in the turn that begins, where that is left to people to say."""
    decided: Decided | None = None
    """Of the move that the page showed; None: whatever was decided since."""


class SetStatus(Message):
    """Say what the status of a unit is: a test that failed, or a correction."""

    type: Literal["status"]
    unit: Id
    status: Annotated[list[Id], Field(max_length=50)]


class SetScore(Message):
    """Say how many points a player has, and what the army is called."""

    type: Literal["score"]
    player: Id
    points: Annotated[int, Field(ge=-9999, le=9999)]
    army: Annotated[str, Field(max_length=80)] = ""


class AgreeOnRounds(Message):
    """Say in how many rounds this game is played, as its mission or scenario has it."""

    type: Literal["rounds"]
    rounds: Annotated[int, Field(ge=1, le=20)]


class AllowMeasuring(Message):
    """Agree whether players of this game may measure at any time, where the rules do not say."""

    type: Literal["allow-measuring"]
    allowed: bool


class Undo(Message):
    """Take back the last thing that was decided; what was seen since stays seen."""

    type: Literal["undo"]
    decided: Decided | None = None
    """Of the move that the page showed; None: whatever was decided last."""


class Rule(Message):
    """Decide what a call comes to, whatever the referee says: by agreement of the players, or as their judge."""

    type: Literal["rule"]
    outcome: Literal["legal", "illegal", "again"]
    """``again``: the move is made again from where it began."""
    by: Literal["players", "judge"] = "players"
    note: Annotated[str, Field(max_length=1000)] = ""
    """Why, in a sentence; a judge always says it."""
    rule: Id | None = None
    """The finding that it is about, by its rule and its subjects; None for the verdict as a whole."""
    subjects: Annotated[list[Id], Field(max_length=1000)] = Field(default_factory=list)
    agreed_mm: Length | None = None
    """The length that was agreed on in place of the measured one."""


def _find_ruling_roles(rule: Rule) -> Roles:
    """Return who may rule so: a judge's own ruling is no agreement of the players."""
    return DECIDE if rule.by == "judge" else AT_THE_TABLE


GAME = (
    *enter("game", AT_THE_TABLE, Declare, Withdraw, Accept, while_restoring=False),
    CommandEntry(command=Rule, feature="game", roles=AT_THE_TABLE, roles_of=_find_ruling_roles, while_restoring=False),
    *enter("game", AT_THE_TABLE, Bumped, PutBack, Swapped, while_restoring=False),
    *enter("game", AT_THE_TABLE, Restore, RestoreDone),
    *enter("game", AT_THE_TABLE, Remove, GoOn, SetStatus, AgreeOnRounds, AllowMeasuring, while_restoring=False),
    *enter("game", AT_THE_TABLE, SetScore, TakeTerrain, MoveTerrain),
    *enter("game", AT_THE_TABLE, Undo),
)


class RulePast(Message):
    """Rule, as a judge, on something that is past."""

    type: Literal["rule-past"]
    at_ns: Annotated[int, Field(ge=0)]
    """The moment, since the game's beginning."""
    found: Annotated[int, Field(ge=1)] | None = None
    """The number of the finding that it is about; None for the verdict of that moment as a whole."""
    outcome: Literal["legal", "illegal"]
    note: Annotated[str, Field(max_length=1000)]
    judge: Annotated[str, Field(max_length=100)] = ""
    """Who rules, where that is known."""
    """Why, in a sentence."""


class UnrulePast(Message):
    """Take back a ruling on something that is past."""

    type: Literal["unrule-past"]
    ruling: Annotated[int, Field(ge=1)]
    """Its number, in the order in which rulings were made."""


JUDGE = enter("judge", DECIDE, RulePast, UnrulePast)


class TakeOver(Message):
    """Stop the script of a demo for good; any other command of a page that is for the table does so, too."""

    type: Literal["take-over"]


class Drag(Message):
    """Push a model of the virtual table, as a hand would; ``done`` when the hand lets go."""

    type: Literal["drag"]
    model: Id
    x_mm: Place
    y_mm: Place
    facing_deg: Degrees
    done: bool


DEMO = enter("demo", AT_THE_TABLE, TakeOver, Drag)


class End(Message):
    """What is measured from or to: a model, a unit or a piece of terrain by its id, or a point of the table."""

    kind: Literal["model", "unit", "terrain", "point"]
    id: Id | None = None
    x_mm: Place | None = None
    y_mm: Place | None = None

    @model_validator(mode="after")
    def _check_completeness(self) -> "End":
        point = self.x_mm is not None and self.y_mm is not None
        if (self.kind == "point" and not point) or (self.kind != "point" and self.id is None):
            raise ValueError("a point needs x_mm and y_mm, everything else an id")
        return self


class Measure(Message):
    """Lay a tape between two things; it follows them until it is taken away."""

    type: Literal["measure"]
    ends: tuple[End, End]


class Unmeasure(Message):
    """Take a tape away."""

    type: Literal["unmeasure"]
    tape: Id | None = None
    """Its number; None for all of them."""


class ShowThreat(Message):
    """Show what a unit may come to threaten with its next plain move."""

    type: Literal["show-threat"]
    unit: Id
    range_mm: Annotated[float, Field(ge=0, le=10_000)] | None = None
    """How far it can strike; None for the range of engagement."""


class HideThreat(Message):
    """Show a unit's threat no longer."""

    type: Literal["hide-threat"]
    unit: Id | None = None
    """None for all of them."""


TOOLS = enter("tools", AT_THE_TABLE, Measure, Unmeasure, ShowThreat, HideThreat)


class ShowCall(Message):
    """Show the call of a finding to everybody."""

    type: Literal["show-call"]
    rule: Annotated[str, Field(max_length=100)]
    subjects: Annotated[list[Id], Field(max_length=200)]
    at_ns: Annotated[int, Field(ge=0)] | None = None
    """Of which moment, since the game's beginning; None for what is being judged now."""


class CallJudge(Message):
    """Ask for a judge at the table, or say that it is not needed any more."""

    type: Literal["call-judge"]
    needed: bool
    about: Annotated[str, Field(max_length=500)] = ""
    """A sentence on what is in doubt."""


SHOWN_CALLS = (*enter("shown-calls", AT_THE_TABLE, ShowCall), *enter("shown-calls", AT_THE_TABLE, CallJudge))


class LayBegin(Message):
    """Begin to lay the table's terrain and objectives, one after the other."""

    type: Literal["lay-begin"]
    only: Id | None = None
    """The one piece that is to be put back; None: everything."""


class LayTick(Message):
    """Say that a piece lies where it belongs, or does not."""

    type: Literal["lay-tick"]
    step: Annotated[str, Field(min_length=1, max_length=300)]
    lies: bool


class LayMark(Message):
    """Say which mark lies on a piece; where on it, the camera learns."""

    type: Literal["lay-mark"]
    step: Annotated[str, Field(min_length=1, max_length=300)]
    kind: Literal["tag", "ring"]
    id: Annotated[int, Field(ge=0, le=99_999)]
    size_mm: Length
    """Edge of the tag's black square, or the diameter of the ring's disc."""
    height_mm: Annotated[float, Field(ge=0, le=1000)]
    """Above the table."""


class LayLearn(Message):
    """Say that a marked piece lies where it belongs, wherever the camera sees it: its mark is elsewhere on it."""

    type: Literal["lay-learn"]
    step: Annotated[str, Field(min_length=1, max_length=300)]


class LayEnd(Message):
    """End that: the light shows the game again."""

    type: Literal["lay-end"]


LAYING = (*enter("laying", AT_THE_TABLE, LayBegin, LayTick, LayEnd), *enter("laying", OWNERS, LayMark, LayLearn))


class Play(Message):
    """Go on playing; from the beginning once the end is reached."""

    type: Literal["play"]


class Pause(Message):
    """Stay at this moment."""

    type: Literal["pause"]


class Speed(Message):
    """Play faster or slower."""

    type: Literal["speed"]
    speed: Annotated[float, Field(ge=0.5, le=16)]


class Seek(Message):
    """Show a moment, and go on as before from there."""

    type: Literal["seek"]
    at_ns: Annotated[int, Field(ge=0)]
    """Since the game's beginning; what is after its end counts as its end."""


class Step(Message):
    """Show the moment at which the next model, or the one before, had moved, and stay there."""

    type: Literal["step"]
    back: bool = False


REPLAY = enter("replay", AT_THE_TABLE, Play, Pause, Speed, Seek, Step)
