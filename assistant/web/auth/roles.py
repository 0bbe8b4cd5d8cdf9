"""Roles: which commands each role may give, and which addresses it may open.

Whatever is not listed here is the host's alone.  Judges decide about the game and leave what it rests on alone: they
neither calibrate nor enrol.  Players play, and enrol their own models.  Viewers change nothing.
"""

from collections.abc import Mapping
from typing import get_args

from assistant.web.commands import Command
from assistant.web.commands.armies import ArmiesCommand
from assistant.web.commands.demo import Drag, TakeOver
from assistant.web.commands.enrolment import Enrol, EnrolAgain, EnrolKeep, EnrolStop, EnrolTurn
from assistant.web.commands.game import (
    Accept,
    Bumped,
    Declare,
    GoOn,
    PutBack,
    Remove,
    Restore,
    RestoreDone,
    Rule,
    SetStatus,
    Swapped,
    Undo,
    Withdraw,
)
from assistant.web.commands.judge import RulePast, UnrulePast
from assistant.web.commands.lens import LensAgain, LensBegin, LensDrop, LensKeep, LensLeave, LensMore
from assistant.web.commands.lights import LightSettings
from assistant.web.commands.optics import OpticsCommand
from assistant.web.commands.projector import (
    NudgeBack,
    NudgeLight,
    ProjectorBegin,
    ProjectorKeep,
    ProjectorPage,
    ProjectorStop,
)
from assistant.web.commands.replay import ReplayCommand
from assistant.web.commands.setup import (
    SetupArmies,
    SetupBegin,
    SetupEnd,
    SetupEnter,
    SetupLook,
    SetupMeasure,
    SetupMiddle,
)
from assistant.web.commands.tools import HideThreat, Measure, ShowThreat, Unmeasure
from assistant.web.messages.message import Message
from assistant.web.messages.you import Role

Roles = frozenset[Role]
HOST: Roles = frozenset({"host"})
AT_THE_TABLE: Roles = frozenset({"host", "judge", "player"})
DECIDE: Roles = frozenset({"host", "judge"})
OWNERS: Roles = frozenset({"host", "player"})
EVERYONE: Roles = frozenset(get_args(Role))
JOINED: tuple[Role, ...] = ("player", "judge", "viewer")
"""The roles that a code is for."""

COMMANDS: Mapping[type[Message], Roles] = {
    Declare: AT_THE_TABLE,
    Withdraw: AT_THE_TABLE,
    Accept: AT_THE_TABLE,
    Rule: AT_THE_TABLE,  # as the players' agreement; a judge's own see `find_allowed_roles`
    Bumped: AT_THE_TABLE,
    PutBack: AT_THE_TABLE,
    Swapped: AT_THE_TABLE,
    Restore: AT_THE_TABLE,
    RestoreDone: AT_THE_TABLE,
    Remove: AT_THE_TABLE,
    GoOn: AT_THE_TABLE,
    SetStatus: AT_THE_TABLE,
    Undo: AT_THE_TABLE,
    Measure: AT_THE_TABLE,
    Unmeasure: AT_THE_TABLE,
    ShowThreat: AT_THE_TABLE,
    HideThreat: AT_THE_TABLE,
    LightSettings: AT_THE_TABLE,
    TakeOver: AT_THE_TABLE,
    Drag: AT_THE_TABLE,
    RulePast: DECIDE,
    UnrulePast: DECIDE,
    Enrol: OWNERS,
    EnrolTurn: OWNERS,
    EnrolAgain: OWNERS,
    EnrolKeep: OWNERS,
    EnrolStop: OWNERS,
    LensBegin: HOST,
    LensDrop: HOST,
    LensMore: HOST,
    LensAgain: HOST,
    LensKeep: HOST,
    LensLeave: HOST,
    ProjectorPage: AT_THE_TABLE,
    ProjectorBegin: HOST,
    ProjectorKeep: HOST,
    ProjectorStop: HOST,
    NudgeLight: HOST,
    NudgeBack: HOST,
    SetupEnter: HOST,
    SetupLook: HOST,
    SetupMeasure: HOST,
    SetupMiddle: HOST,
    SetupArmies: HOST,
    SetupBegin: HOST,
    SetupEnd: HOST,
    **dict.fromkeys(get_args(ReplayCommand), AT_THE_TABLE),
    **dict.fromkeys(get_args(ArmiesCommand), OWNERS),
    **dict.fromkeys(get_args(OpticsCommand), HOST),
}

OPEN = ("/join", "/you.json", "/static")
"""Addresses that a device may use before it has joined."""
ROUTES: Mapping[str, Roles] = {
    "/": EVERYONE,
    "/ws": EVERYONE,
    "/picture.jpg": EVERYONE,
    "/tablet": EVERYONE,
    "/stream": EVERYONE,
    "/judge": EVERYONE,
    "/past": EVERYONE,
    "/report": EVERYONE,
    "/stats": EVERYONE,
    "/projector": AT_THE_TABLE,
    "/enrol": OWNERS,
    "/lens": OWNERS,  # its guidance is read with the board in the hand; its commands are the host's
    "/setup": HOST,
    "/sheets": HOST,
    "/codes": HOST,
}
"""Who may open an address and what lies below it, such as ``/past`` and ``/past/view.json``."""


def find_allowed_roles(command: Command) -> Roles:
    """Return who may give this command."""
    if isinstance(command, Rule) and command.by == "judge":
        return DECIDE
    return COMMANDS.get(type(command), HOST)


def describe_refusal(role: Role, allowed: Roles) -> str:
    """Say in one sentence why a role may not do what others may, and how it could."""
    if "player" in allowed:
        about = "You are watching" if role == "viewer" else "This is for the players"
        return f"{about}: ask the host for the player's code."
    if "judge" in allowed:
        return "This is for a judge: ask the host for the judge's code."
    return "This can be done only on the machine that runs the table."


def find_path_roles(path: str) -> Roles | None:
    """Return who may open a path; None where a device need not even have joined.

    Viewers may read, and no more: whatever is not read (GET, HEAD) is closed to them wherever they may look.
    """
    if any(_is_below(path, prefix) for prefix in OPEN):
        return None
    known = [prefix for prefix in ROUTES if _is_below(path, prefix)]
    return ROUTES[max(known, key=len)] if known else HOST


def _is_below(path: str, prefix: str) -> bool:
    """Whether a path is an address, below it, or the same as another kind of file (``/report.pdf``)."""
    return path == prefix or (prefix != "/" and path.startswith((f"{prefix}/", f"{prefix}.")))
