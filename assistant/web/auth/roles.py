"""Roles: who may give a command, by its entry in the registry, which addresses a role may open, and what it sees.

Whatever is not listed here is the host's alone.  Judges decide about the game and leave what it rests on alone: they
neither calibrate nor enrol.  Players play, and enrol their own models.  Viewers change nothing.
"""

from collections.abc import Mapping
from typing import Literal

from assistant.web.commands import REGISTRY
from assistant.web.commands.registry import AT_THE_TABLE, DECIDE, EVERYONE, HOST, OWNERS, Roles
from assistant.web.messages import View
from assistant.web.messages.message import Message, Role

CodeRole = Literal["player", "judge", "viewer"]
JOINED: tuple[CodeRole, ...] = ("player", "judge", "viewer")
"""The roles that a code is for."""

OPEN = ("/join", "/you.json", "/static", "/help", "/camera")
"""Addresses that a device may use before it has joined; the guide is for who does not know how, and the camera's takes
pictures from whoever has its key."""
ROUTES: Mapping[str, Roles] = {
    "/": EVERYONE,
    "/ws": EVERYONE,
    "/picture.jpg": EVERYONE,
    "/table.jpg": EVERYONE,
    "/tablet": EVERYONE,
    "/stream": EVERYONE,
    "/judge": EVERYONE,
    "/past": EVERYONE,
    "/report": EVERYONE,
    "/stats": EVERYONE,
    "/projector": AT_THE_TABLE,
    "/api/1": EVERYONE,
    "/api/1/actions": AT_THE_TABLE,  # who touches nothing lets the machine work nothing out
    "/api/1/zone": AT_THE_TABLE,
    "/api/1/recordings": DECIDE,  # other games are in them, too
    "/enrol": OWNERS,
    "/board": EVERYONE,
    "/lens": OWNERS,  # its guidance is read with the board in the hand; its commands are the host's
    "/setup": HOST,
    "/hall": DECIDE,
    "/hall/board": EVERYONE,
    "/hall/air": EVERYONE,  # what is broadcast
    "/sheets": HOST,
    "/layouts": HOST,
    "/codes": HOST,
}
"""Who may open an address and what lies below it, such as ``/past`` and ``/past/view.json``."""

API = "/api"
"""The interface for programs, in every version of it."""
API_PER_S, API_AT_ONCE = 20.0, 60.0
"""So many requests of a program are answered; a view is there to be listened to, and not to be asked for."""
COSTS: Mapping[str, float] = {
    "/api/1/live": 5.0,
    "/api/1/situation": 5.0,
    "/api/1/verdict": 5.0,
    "/api/1/actions": 5.0,
    "/api/1/zone": 20.0,
    "/api/1/recordings": 20.0,
}
"""Requests, as many as an address and what lies below it takes the place of; 1 where none is listed."""

SECTIONS: Mapping[str, Roles] = {
    "setup": HOST,  # with the folder and all that was entered
    "steps": HOST,
    "optics": HOST,
    "ahead": AT_THE_TABLE,  # who touches nothing needs none of it
    "armies": OWNERS,
    "forces": OWNERS,
    "layout_editor": OWNERS,
    "lens": OWNERS,
    "sighting": OWNERS,
    "enrolled": OWNERS,
    "enrolling": OWNERS,
    "tray": OWNERS,
    "tiles": DECIDE,
    "calls": DECIDE,
}
"""Who sees a section of the view; what is not listed is the game, which everybody watches."""


def hide_sections(view: View, role: Role) -> View:
    """Return what a role may see of a view; the view itself where that is all of it."""
    hidden: dict[str, dict[str, Message]] = {
        name: {} for name, roles in SECTIONS.items() if role not in roles and getattr(view, name)
    }
    return view.model_copy(update=hidden) if hidden else view


def find_allowed_roles(command: Message) -> Roles:
    """Return who may give this command; one that is not entered is the host's."""
    entry = REGISTRY.get(type(command))
    if entry is None:
        return HOST
    return entry.roles_of(command) if entry.roles_of else entry.roles


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
    prefixes = [prefix for prefix in ROUTES if _is_below(path, prefix)]
    return ROUTES[max(prefixes, key=len)] if prefixes else HOST


def is_for_programs(path: str) -> bool:
    """Whether a path belongs to the interface for programs."""
    return _is_below(path, API)


def find_cost(path: str) -> float:
    """Return how many requests one for this path takes the place of."""
    return next((cost for prefix, cost in COSTS.items() if _is_below(path, prefix)), 1.0)


def _is_below(path: str, prefix: str) -> bool:
    """Whether a path is an address, below it, or the same as another kind of file (``/report.pdf``)."""
    return path == prefix or (prefix != "/" and path.startswith((f"{prefix}/", f"{prefix}.")))
