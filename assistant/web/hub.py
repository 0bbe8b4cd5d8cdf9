"""The hub: where one table thread and many pages meet.

The table publishes what is to be seen and takes the pages' commands; it never waits for a page.  Every page is served
from the server's event loop; a page that does not keep up loses its queue and later gets the whole view instead.
"""

import asyncio
import re
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from assistant.files.documents import describe_validation_error
from assistant.game.state import GameState
from assistant.web.auth.pace import Pace
from assistant.web.auth.roles import describe_refusal, find_allowed_roles, hide_sections
from assistant.web.commands import FromPage, Resync
from assistant.web.messages import Delta, Full, Refused, View
from assistant.web.messages.message import Message, Role, YouView
from assistant.web.messages.table import NoticeView
from assistant.web.views.differences import diff_views

QUEUED_DELTAS = 64
"""A page further behind than this is sent the whole view: about four seconds of a camera at 15 fps."""
QUEUED_REFUSALS = 16
QUEUED_COMMANDS = 1000
COMES_BACK_S = 20.0
"""A device that is gone for longer has left the table; what it had picked is forgotten."""
HEARD_PER_S, HEARD_AT_ONCE = 120.0, 240.0
"""So many messages of a page are heard; a hand that drags sends one with each picture of its screen."""
RESYNC_COUNTS = 24.0
"""Messages; the whole view takes so much longer to write."""
_DEVICE_NAME = re.compile("[0-9a-f]{16,64}")

_FROM_PAGE: TypeAdapter[Message] = TypeAdapter(FromPage)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCommand:
    """A page's command, and the way to tell that page why it was not obeyed."""

    message: Message
    refuse: Callable[[str], None]
    """Called with one sentence; may be called from any thread, and after the page has gone."""
    role: Role = "host"
    """Who gave it; what a script does, the host has begun."""
    device: str = ""
    """Which of the connected devices gave it; empty for none of them."""
    person: str = ""
    """Who gave it, where the device is one person's; empty where nobody said."""


class Client:
    """One page's end of the hub; made by `Hub.connect_client` and used in its event loop."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        role: Role,
        token: str,
        device: str,
        seq: int,
        view: View,
        person: str = "",
    ) -> None:
        self.role = role
        self.person = person
        self.device = device
        """By which it is told from the others that are connected."""
        self.seq = seq
        """Of the last message that was meant for it."""
        self.view = view
        """What it is to show."""
        self.token = token
        """What the device carries; empty for the host's."""
        self.pace = Pace(HEARD_PER_S, HEARD_AT_ONCE)
        """What it says beyond that waits, and so does only the page itself."""
        self.dismissed = False
        """The device was sent away: it hears nothing more, and its connection is to be closed."""
        self.behind = True
        """The page needs the whole view before any delta."""
        self.deltas: deque[str] = deque()
        self.refusals: deque[str] = deque(maxlen=QUEUED_REFUSALS)
        self.loop = loop
        self.bell = asyncio.Event()
        """Rung in the loop when there may be something to send."""
        self.bell.set()

    def wake(self) -> None:
        """Let the page's sender look again; called from any thread while the page is connected."""
        self.loop.call_soon_threadsafe(self.bell.set)

    async def wait_until_ready(self) -> None:
        """Wait until there may be something to send."""
        await self.bell.wait()
        self.bell.clear()

    def show(self, view: View, steps: "_ViewSteps") -> bool:
        """Let it show a view from now on; return whether it is told of that."""
        step = steps.find(self.view, view)
        if step is None:
            return False
        self.view, self.seq = view, self.seq + 1
        if len(self.deltas) == QUEUED_DELTAS:
            self.drop_backlog()
        elif not self.behind:
            self.deltas.append(f'{{"type":"delta","seq":{self.seq},{step}')
        return True

    def drop_backlog(self) -> None:
        """Drop what is queued: the whole view is sent instead."""
        self.behind = True
        self.deltas.clear()


class _ViewSteps:
    """What pages see of views and the steps between them, each worked out once, however many pages take it."""

    def __init__(self) -> None:
        self._steps: dict[tuple[int, int], tuple[View, View, str | None]] = {}
        """By the views' identities; the views are kept, lest others get theirs."""
        self._shown: dict[tuple[int, Role], tuple[View, View]] = {}
        """What a role sees of a view, by its identity and the role; kept in the same way."""

    def hide(self, view: View, role: Role) -> View:
        """Return what a role may see of a view, the same for all of that role."""
        key = id(view), role
        if key not in self._shown:
            self._shown[key] = view, hide_sections(view, role)
        return self._shown[key][1]

    def find(self, old: View, new: View) -> str | None:
        """Return what a delta says after its number; None where nothing changes."""
        key = id(old), id(new)
        if key not in self._steps:
            changed, gone = diff_views(old, new)
            text = Delta(seq=0, set=changed, gone=gone).model_dump_json().partition('"seq":0,')[2]
            self._steps[key] = old, new, text if changed or gone else None
        return self._steps[key][2]


class Hub:
    """The meeting point; `publish` and `take` are the table's side, `connect_client` and the rest the server's."""

    def __init__(self) -> None:
        self.on_command: Callable[[], None] = lambda: None
        """Called in the server's thread whenever a command has arrived."""
        self.game: GameState | None = None
        """The game as the table has it, for what is asked of it beside the view; the table sets it."""
        self._lock = threading.Lock()
        self._view = View()
        self._seq = 0
        self._connected = 0
        """How many pages there have been."""
        self._clients: set[Client] = set()
        self._followers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        """Who follows the view beside the pages: a bell each, and the loop in which it is rung."""
        self._left_s: dict[str, float] = {}
        """When each device that may come back was last connected."""
        self._commands: deque[PageCommand] = deque()

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        """Show a view on every page, and return the number of the message that brings it there.

        Views and what is in them must not be changed afterwards.

        Args:
            view: what all pages show.
            own: what single devices show instead; their messages are numbered by themselves.

        """
        steps = _ViewSteps()
        if steps.find(self._view, view) is None:
            view = self._view
        with self._lock:
            if view is not self._view:
                self._view, self._seq = view, self._seq + 1
                for bell, loop in self._followers.items():
                    loop.call_soon_threadsafe(bell.set)
            woken = [
                client
                for client in self._clients
                if client.show(steps.hide((own or {}).get(client.device, view), client.role), steps)
            ]
            _wake_clients(woken)
            return self._seq

    def publish_notices(self, notices: dict[str, NoticeView]) -> int:
        """Show what was shown last, with more notices, while nothing newer can be shown."""
        return self.publish(self._view.model_copy(update={"notices": {**self._view.notices, **notices}}))

    def get_view(self, role: Role) -> View:
        """Return what a role is shown now."""
        return _tell_role(hide_sections(self._view, role), role)

    @property
    def devices(self) -> frozenset[str]:
        """The devices that are connected, or have left so lately that their page may only be loading anew."""
        with self._lock:
            since_s = time.monotonic() - COMES_BACK_S
            self._left_s = {device: left_s for device, left_s in self._left_s.items() if left_s > since_s}
            return frozenset({*self._left_s, *(client.device for client in self._clients)})

    @property
    def watched(self) -> bool:
        """Whether any page is open."""
        with self._lock:
            return bool(self._clients)

    def submit(self, command: PageCommand) -> None:
        """Give the table a command that no page gave; any thread may call."""
        with self._lock:
            self._commands.append(command)
        self.on_command()

    def take(self) -> list[PageCommand]:
        """Return the commands that have arrived since the last call, oldest first."""
        with self._lock:
            commands = list(self._commands)
            self._commands.clear()
        return commands

    @contextmanager
    def connect_client(
        self, *, role: Role = "host", token: str = "", name: str = "", person: str = ""
    ) -> Iterator[Client]:
        """Join a page for as long as it is connected; called in the event loop that serves it.

        Args:
            role: who it is.
            token: what it carries.
            name: by which it is known again when it comes back; without a sound one it is a new device each time.
            person: who it is, where it is one person's.

        """
        known = _DEVICE_NAME.fullmatch(name) is not None
        with self._lock:
            self._connected += 1
            client = Client(
                asyncio.get_running_loop(),
                role=role,
                token=token,
                device=f"{role}-{name}" if known else f"device-{self._connected}",
                seq=self._seq,
                view=hide_sections(self._view, role),
                person=person,
            )
            self._clients.add(client)
        try:
            yield client
        finally:
            with self._lock:
                self._clients.remove(client)
                if known:
                    self._left_s[client.device] = time.monotonic()

    async def follow(self, role: Role) -> AsyncIterator[View]:
        """Yield what a role is shown, now and whenever it changes; who takes long is given the latest, and no more.

        Whoever follows counts as no page: nothing is played or waited for because of it.
        """
        bell = asyncio.Event()
        bell.set()
        with self._lock:
            self._followers[bell] = asyncio.get_running_loop()
        try:
            while True:
                await bell.wait()
                bell.clear()
                yield hide_sections(self._view, role)
        finally:
            with self._lock:
                del self._followers[bell]

    def dismiss(self, tokens: frozenset[str]) -> None:
        """End the connections of the devices that carry these tokens, and obey nothing more that they ask."""
        with self._lock:
            for client in self._clients:
                if client.token in tokens:
                    client.dismissed = True
                    client.wake()

    async def wait_for_outgoing(self, client: Client) -> list[str]:
        """Wait until there is something to tell a page, and return it as JSON texts in the order to be sent."""
        await client.wait_until_ready()
        with self._lock:
            texts = [*client.refusals, *client.deltas]
            client.refusals.clear()
            client.deltas.clear()
            behind, client.behind = client.behind, False
            seq, view = client.seq, client.view
        if not behind:
            return texts
        return [*texts, Full(seq=seq, view=_tell_role(view, client.role)).model_dump_json()]

    def receive(self, client: Client, text: str) -> float:
        """Take what a page has sent: answer a resync, keep a command for the table, refuse anything else.

        Returns:
            for how many seconds nothing more is to be taken from this page; 0 unless it floods the table.

        """
        try:
            message = _FROM_PAGE.validate_json(text)
        except ValidationError as error:
            self._refuse(client, f"This cannot be done: {describe_validation_error(error)}.")
            return client.pace.count(1)
        if isinstance(message, Resync):
            with self._lock:
                client.drop_backlog()
                client.wake()
            return client.pace.count(RESYNC_COUNTS)
        allowed = find_allowed_roles(message)
        if client.role not in allowed:
            self._refuse(client, describe_refusal(client.role, allowed))
        else:
            self._keep_command(client, message)
        return client.pace.count(1)

    def _keep_command(self, client: Client, message: Message) -> None:
        with self._lock:
            if client.dismissed:
                return
            full = len(self._commands) == QUEUED_COMMANDS
            if not full:
                self._commands.append(
                    PageCommand(
                        message=message,
                        refuse=lambda why: self._refuse(client, why),
                        role=client.role,
                        device=client.device,
                        person=client.person,
                    )
                )
        if not full:
            self.on_command()
        else:
            self._refuse(client, "The table is too busy to take this; try again in a moment.")

    def _refuse(self, client: Client, why: str) -> None:
        with self._lock:
            if client in self._clients:
                client.refusals.append(Refused(text=why).model_dump_json())
                client.wake()


def _tell_role(view: View, role: Role) -> View:
    return view.model_copy(update={"you": {"you": YouView(role=role)}})


def _wake_clients(clients: Iterable[Client]) -> None:
    """Wake pages at one cost to the table, however many they are: a loop is called once for all that it serves."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Client]] = {}
    for client in clients:
        by_loop.setdefault(client.loop, []).append(client)
    for loop, served in by_loop.items():
        loop.call_soon_threadsafe(_ring_bells, served)


def _ring_bells(clients: Iterable[Client]) -> None:
    for client in clients:
        client.bell.set()
