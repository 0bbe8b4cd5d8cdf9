"""Joined devices: a six-digit code for each role, a password for the host's, and the token that a device carries then.

Six digits can be typed, so guesses at them are slowed down.  A QR code carries a longer code that nobody guesses:
whoever scans it joins even while others guess at the digits.
"""

import math
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path

from assistant.errors import BadInput
from assistant.web.auth import pairings, password
from assistant.web.auth.pairings import Pairing, Pairings, hash_token, make_program_token
from assistant.web.auth.password import HostPassword
from assistant.web.auth.roles import JOINED
from assistant.web.messages.message import Role

CODE_DIGITS = 6
SCANNED_BYTES = 8
"""Of the code that is scanned in place of them."""
WINDOW_S = 300.0
"""Wrong codes count for so long."""
WRONG_FROM_ONE = 8
WRONG_FROM_ALL = 60
"""Within the window.  With three codes among a million, guessing for ten hours succeeds with 2 in 100 at the most."""
MOST_DEVICES = 500
"""When so many have joined, the address from which most did loses its oldest for each that comes."""
_IPV6_SUBNET_BITS = 64
"""One device may take any address below it."""


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
    origins: tuple[str, ...] = ()
    """The other web sites whose pages may ask in its name; only a program has any."""
    person: str = ""
    """Who it is, where it came in by a code of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A device that was let in."""

    visitor: Visitor
    gone: frozenset[str]
    """What was carried and opens nothing any more: by the device before, or by the one that made room for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Device:
    role: Role
    network: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Code:
    digits: str
    """What a person types."""
    scanned: str
    """What a QR code carries."""

    def is_scanned(self, entered: bytes) -> bool:
        return secrets.compare_digest(self.scanned.encode(), entered)

    def is_typed(self, entered: bytes) -> bool:
        return secrets.compare_digest(self.digits.encode(), entered)


class DeviceRegistry:
    """Codes and the devices that joined by them, which are forgotten when the program ends unless they are to stay.

    Used from the server's event loop; only `get_code` and `list_secrets` may be called from elsewhere.
    """

    def __init__(
        self,
        *,
        open_table: bool = False,
        state: Path | None = None,
        clock_s: Callable[[], float] = time.monotonic,
        keep: Callable[[object], None] = lambda _: None,
    ) -> None:
        """Make the codes.

        Args:
            open_table: every device is a player without any code.
            state: the folder that holds the host's password and the devices that stay joined; None: there is neither.
            clock_s: seconds that only go forward, for slowing those down who guess.
            keep: told what `restore` takes whenever it changes.

        """
        self._keep = keep
        self.open_table = open_table
        self.password = HostPassword(state and state / password.FILE)
        self._pairings = Pairings(state and state / pairings.FILE)
        self._carried: dict[str, str] = {}
        """What those that stay joined and were seen since the program began carry, by its digest."""
        self._clock_s = clock_s
        self._codes: dict[Role, _Code] = {}
        self._devices: dict[str, _Device] = {}
        """By what they carry, the oldest first."""
        self._wrong: deque[tuple[float, str]] = deque()
        """When a wrong code came, and from which network."""
        for role in JOINED:
            self._make_code(role)

    def restore(self, kept: object) -> None:
        """Take up codes and devices as they were kept; of anything else take nothing."""
        match kept:
            case {"codes": codes, "devices": devices}:
                self._codes = {role: _Code(digits=digits, scanned=scanned) for role, digits, scanned in codes}
                self._devices = {token: _Device(role=role, network=network) for token, role, network in devices}
        self._tell()

    def _tell(self) -> None:
        codes = [(role, code.digits, code.scanned) for role, code in self._codes.items()]
        devices = [(token, device.role, device.network) for token, device in self._devices.items()]
        self._keep({"codes": codes, "devices": devices})

    def get_code(self, role: Role) -> str:
        """Return the code by which a device joins as this, as a person types it."""
        return self._codes[role].digits

    def get_scanned_code(self, role: Role) -> str:
        """Return the code by which a device joins as this, as a QR code carries it: too long to be guessed."""
        return self._codes[role].scanned

    def list_secrets(self) -> frozenset[str]:
        """Return all that lets somebody in, as it is written and as it is said; any thread may ask."""
        codes = tuple(self._codes.copy().values())
        typed, scanned = [code.digits for code in codes], [code.scanned for code in codes]
        said = (f"{digits[: CODE_DIGITS // 2]} {digits[CODE_DIGITS // 2 :]}" for digits in typed)
        return frozenset((*typed, *scanned, *said, *self._devices.copy(), *self._carried.copy().values()))

    def count_devices(self, role: Role) -> int:
        """Return how many devices have joined as this."""
        lasting = sum(pairing.role == role and not pairing.program for pairing in self._pairings.list())
        return lasting + sum(device.role == role for device in self._devices.values())

    def list_pairings(self) -> tuple[Pairing, ...]:
        """Return the devices and programs that stay joined, the latest first."""
        return self._pairings.list()

    def pair_program(self, role: Role, name: str, origins: tuple[str, ...] = ()) -> str:
        """Return what another program is to carry, which is kept nowhere; BadInput as `Pairings.add_program`."""
        made = make_program_token()
        self._pairings.add_program(made, role, name, origins)
        return made

    def list_origins(self) -> frozenset[str]:
        """Return the other web sites whose pages may use the interface for programs, by one token or another."""
        return frozenset(origin for pairing in self._pairings.list() for origin in pairing.origins)

    def renew_code(self, role: Role) -> None:
        """Make a new code; who joined by the old one stays."""
        self._make_code(role)
        self._tell()

    def _make_code(self, role: Role) -> None:
        taken = {code.digits for code in self._codes.values()}
        while (digits := f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}") in taken:
            pass
        self._codes[role] = _Code(digits=digits, scanned=secrets.token_hex(SCANNED_BYTES))

    def dismiss_devices(self, role: Role, *, but: str = "") -> frozenset[str]:
        """Forget every device that joined as this, but one that carries this, and make a new code.

        Returns:
            what the devices carried that were seen since the program began.

        """
        gone = frozenset(token for token, device in self._devices.items() if device.role == role and token != but)
        for token in gone:
            del self._devices[token]
        if role in JOINED:
            self._make_code(role)
        self._tell()
        return gone | self._withdraw(
            lambda pairing: pairing.role == role and not pairing.program and pairing.digest != hash_token(but)
        )

    def withdraw_pairing(self, name: str) -> frozenset[str]:
        """Forget the device or program that stays joined under this id; return what it carried, if it was seen."""
        return self._withdraw(lambda pairing: pairing.id == name)

    def _withdraw(self, which: Callable[[Pairing], bool]) -> frozenset[str]:
        gone = self._pairings.withdraw(which)
        return frozenset(token for digest in gone if (token := self._carried.pop(digest, "")))

    def find_visitor(self, token: str, *, secure: bool = True) -> Visitor:
        """Return who carries this token.

        What makes a host counts only while there is a password, and where nobody else can have read the token.
        """
        device = self._devices.get(token)
        role, person = device.role if device else None, ""
        if role is None and token and (pairing := self._pairings.find(token)) and not pairing.program:
            role, person = pairing.role, pairing.name if pairing.personal else ""
            self._carried[pairing.digest] = token
        if role is None or (role == "host" and not (secure and self.password.is_set)):
            return Visitor(role="player" if self.open_table else None)
        return Visitor(role=role, token=token, person=person)

    def find_program(self, token: str) -> Visitor:
        """Return who carries this token in place of a code."""
        pairing = self._pairings.find(token) if token else None
        if pairing is None or not pairing.program:
            return Visitor(role=None)
        self._carried[pairing.digest] = token
        return Visitor(role=pairing.role, token=token, origins=pairing.origins)

    def is_current(self, visitor: Visitor) -> bool:
        """Whether whoever carries a token is still who they were when they came."""
        return visitor in (self.find_visitor(visitor.token), self.find_program(visitor.token))

    def join(self, code: str, *, address: str, token: str = "", stays_as: str = "") -> Joined:
        """Let a device in.

        Args:
            code: as a person entered it, whose spaces and dashes do not count, or as it was scanned; or a code that is
                one person's own, which their devices then carry.
            address: where the device is, which is slowed down when it guesses.
            token: what it carries from before, which this replaces.
            stays_as: by what name it stays joined when the program ends; empty: it does not.

        Raises:
            JoinRefused: the code is wrong, or it was typed and too many wrong ones came.

        """
        network = find_network(address)
        if (known := self._pairings.find(code)) is not None and known.personal:
            return Joined(visitor=self.find_visitor(code), gone=frozenset())
        entered = "".join(c for c in code if not c.isspace() and c not in "-–").encode()
        # Each is compared, and in constant time: how long it takes tells nothing about any of them.
        fits = [role for role in JOINED if self._codes[role].is_scanned(entered)]
        if not fits:
            self._check_rate_limit(network)
            fits = [role for role in JOINED if self._codes[role].is_typed(entered)]
        if not fits:
            self._wrong.append((self._clock_s(), network))
            raise JoinRefused(
                "This code is not right: look at it again on the screen of the machine that runs the table."
            )
        (role,) = fits
        return self._let_in(role, network, token, stays_as)

    def begin_guess(self, address: str) -> tuple[float, str]:
        """Note that a password is about to be tried, which takes a while: as a wrong one, until it was the right one.

        Returns:
            what `join_as_host` takes back.

        Raises:
            JoinRefused: too many wrong ones came.

        """
        network = find_network(address)
        self._check_rate_limit(network)
        guess = (self._clock_s(), network)
        self._wrong.append(guess)
        return guess

    def join_as_host(self, guess: tuple[float, str], *, token: str = "", stays_as: str = "") -> Joined:
        """Let a device in whose guess at the password was right; the rest as in `join`."""
        if guess in self._wrong:
            self._wrong.remove(guess)
        return self._let_in("host", guess[1], token, stays_as)

    def _let_in(self, role: Role, network: str, token: str, stays_as: str) -> Joined:
        gone = self._make_room(token)
        visitor = Visitor(role=role, token=secrets.token_hex(32))
        if stays_as:
            self._pairings.add(visitor.token, role, stays_as)
            self._carried[hash_token(visitor.token)] = visitor.token
        else:
            self._devices[visitor.token] = _Device(role=role, network=network)
        self._tell()
        return Joined(visitor=visitor, gone=gone)

    def _make_room(self, token: str) -> frozenset[str]:
        """Forget what a device carried before, or where there are too many another; return what is forgotten."""
        if lasting := self._withdraw(lambda pairing: pairing.digest == hash_token(token) and not pairing.personal):
            return lasting
        if token not in self._devices and len(self._devices) >= MOST_DEVICES:
            ((crowded, _),) = Counter(device.network for device in self._devices.values()).most_common(1)
            token = next(token for token, device in self._devices.items() if device.network == crowded)
        return frozenset() if self._devices.pop(token, None) is None else frozenset({token})

    def _check_rate_limit(self, network: str) -> None:
        """Raise JoinRefused while too many wrong codes came, whether or not the next one is right.

        Those that came from everywhere together stop only who has never joined: a device that was let in before, and
        whoever else is where it is, may come back while strangers guess.
        """
        now_s = self._clock_s()
        while self._wrong and now_s - self._wrong[0][0] >= WINDOW_S:
            self._wrong.popleft()
        here = [when_s for when_s, other in self._wrong if other == network]
        known = any(device.network == network for device in self._devices.values())
        if len(here) < WRONG_FROM_ONE and (known or len(self._wrong) < WRONG_FROM_ALL):
            return
        wait_s = WINDOW_S - (now_s - (here[0] if len(here) >= WRONG_FROM_ONE else self._wrong[0][0]))
        minutes = math.ceil(wait_s / 60)
        raise JoinRefused(
            "Too many wrong codes or passwords were entered: scan the QR code, or try again in "
            f"{minutes} {'minute' if minutes == 1 else 'minutes'}.",
            wait_s=wait_s,
        )


def find_network(address: str) -> str:
    """Return what counts as one place: an IPv4 address, or all of an IPv6 subnet.

    >>> find_network("192.0.2.7"), find_network("::ffff:192.0.2.7"), find_network("2001:db8::1:7")
    ('192.0.2.7', '192.0.2.7', '2001:db8::/64')
    """
    try:
        given = ip_address(address)
    except ValueError:  # of a test, or of a socket that has no address
        return address
    if not isinstance(given, IPv6Address):
        return address
    if given.ipv4_mapped is not None:
        return str(given.ipv4_mapped)
    return str(ip_network((given.packed, _IPV6_SUBNET_BITS), strict=False))
