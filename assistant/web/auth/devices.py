"""Joined devices: a six-digit code for each role, and the token that a device carries once it has given one."""

import math
import secrets
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from assistant.errors import BadInput
from assistant.web.auth.roles import JOINED
from assistant.web.messages.message import Role

CODE_DIGITS = 6
WINDOW_S = 300.0
"""Wrong codes count for so long."""
WRONG_FROM_ONE = 8
WRONG_FROM_ALL = 60
"""Within the window.  With three codes among a million, guessing for ten hours succeeds with 2 in 100 at the most."""
MOST_DEVICES = 500


class JoinRefused(BadInput):
    """A code that does not open; the sentence is for the person who entered it."""

    def __init__(self, text: str, *, wait_s: float = 0.0) -> None:
        """Say why, and after how many seconds the next try counts; 0: at once."""
        super().__init__(text)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Whoever sends a request."""

    role: Role | None
    """None: a device that has not joined."""
    token: str = ""
    """What the device carries; empty if it carries nothing that is known here."""


class DeviceRegistry:
    """Codes and the devices that joined by them.  Everything is forgotten when the program ends.

    Used from the server's event loop; only `get_code` and `list_secrets` may be called from elsewhere.
    """

    def __init__(self, *, open_table: bool = False, clock_s: Callable[[], float] = time.monotonic) -> None:
        """Make the codes.

        Args:
            open_table: every device is a player without any code.
            clock_s: seconds that only go forward, for slowing those down who guess.

        """
        self.open_table = open_table
        self._clock_s = clock_s
        self._codes: dict[Role, str] = {}
        self._devices: dict[str, Role] = {}
        self._wrong: deque[tuple[float, str]] = deque()
        """When a wrong code came, and from which address."""
        for role in JOINED:
            self.renew_code(role)

    def get_code(self, role: Role) -> str:
        """Return the code by which a device joins as this."""
        return self._codes[role]

    def list_secrets(self) -> frozenset[str]:
        """Return all that lets somebody in, as it is written and as it is said; any thread may ask."""
        codes = tuple(self._codes.copy().values())
        said = (f"{code[: CODE_DIGITS // 2]} {code[CODE_DIGITS // 2 :]}" for code in codes)
        return frozenset((*codes, *said, *self._devices.copy()))

    def count_devices(self, role: Role) -> int:
        """Return how many devices have joined as this."""
        return sum(joined == role for joined in self._devices.values())

    def renew_code(self, role: Role) -> None:
        """Make a new code; who joined by the old one stays."""
        taken = set(self._codes.values())
        while (code := f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}") in taken:
            pass
        self._codes[role] = code

    def dismiss_devices(self, role: Role) -> frozenset[str]:
        """Forget every device that joined as this, and make a new code; return what the devices carried."""
        gone = frozenset(token for token, joined in self._devices.items() if joined == role)
        for token in gone:
            del self._devices[token]
        self.renew_code(role)
        return gone

    def find_visitor(self, token: str) -> Visitor:
        """Return who carries this token."""
        role = self._devices.get(token)
        if role is None:
            return Visitor(role="player" if self.open_table else None)
        return Visitor(role=role, token=token)

    def join(self, code: str, *, address: str, token: str = "") -> Visitor:
        """Let a device in.

        Args:
            code: as a person entered it; spaces and dashes do not count.
            address: where the device is, which is slowed down when it guesses.
            token: what it carries from before, which this replaces.

        Raises:
            TurnedAway: the code is wrong, or too many wrong ones came.

        """
        self._check_rate_limit(address)
        entered = "".join(c for c in code if not c.isspace() and c not in "-–").encode()
        # Each is compared, and in constant time: how long it takes tells nothing about any of them.
        fits = [role for role in JOINED if secrets.compare_digest(self._codes[role].encode(), entered)]
        if not fits:
            self._wrong.append((self._clock_s(), address))
            raise JoinRefused(
                "This code is not right: look at it again on the screen of the machine that runs the table."
            )
        (role,) = fits
        self._devices.pop(token, None)
        if len(self._devices) >= MOST_DEVICES:
            raise JoinRefused("Too many devices have joined: ask the host to send some away.")
        visitor = Visitor(role=role, token=secrets.token_hex(32))
        self._devices[visitor.token] = role
        return visitor

    def _check_rate_limit(self, address: str) -> None:
        """Raise TurnedAway while too many wrong codes came, whether or not the next one is right."""
        now_s = self._clock_s()
        while self._wrong and now_s - self._wrong[0][0] >= WINDOW_S:
            self._wrong.popleft()
        here = [when_s for when_s, other in self._wrong if other == address]
        if len(here) < WRONG_FROM_ONE and len(self._wrong) < WRONG_FROM_ALL:
            return
        wait_s = WINDOW_S - (now_s - (here[0] if len(here) >= WRONG_FROM_ONE else self._wrong[0][0]))
        minutes = math.ceil(wait_s / 60)
        raise JoinRefused(
            f"Too many wrong codes were entered: try again in {minutes} {'minute' if minutes == 1 else 'minutes'}.",
            wait_s=wait_s,
        )
