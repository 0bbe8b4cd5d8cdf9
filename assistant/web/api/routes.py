"""The routes of the interface for programs, version 1.

Who may open which, and how much each counts against the pace, stands with the roles (`assistant.web.auth.roles`).
What is worked out is worked out one at a time, so that questions cannot take the machine from the table.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Annotated, Any, Literal, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Query, Request, Response, Security
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict

from assistant.errors import BadInput
from assistant.game.situation_file import SituationForm
from assistant.rules.answer_documents import ActionsForm, VerdictForm, ZoneForm
from assistant.web.api import game_answers
from assistant.web.api.recordings import CopyResponse, RecordingsForm, copy_aside, find_recording, list_recordings
from assistant.web.api.reference import render_reference
from assistant.web.auth.guard import get_visitor
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.message import Role
from assistant.web.replay_routes import NOTHING, Archive

T = TypeVar("T")
MOST_WAITING = 4
"""So many questions wait for the one that is being worked out; the next is told to come again."""
BUSY = "The machine is working out what others asked: ask again in a moment."
COPYING = "Another recording is being downloaded: ask again when that is done."
NOWHERE = "There is nothing at this address: /api/1/openapi.json says what there is."
Name = Annotated[str, Query(max_length=200)]
Rolls = Annotated[list[Annotated[int, Query(ge=0, le=100)]], Query(max_length=100, alias="roll")]
SENTENCE: dict[str, Any] = {"content": {"text/plain": {"schema": {"type": "string"}}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    401: {"description": "No token, or one that opens nothing; the sentence says which.", **SENTENCE},
    403: {"description": "This role may not, or pages of this web site may not.", **SENTENCE},
    409: {"description": "There is no answer now; the sentence says why.", **SENTENCE},
    422: {"description": "What is asked makes no sense; the sentence says where.", **SENTENCE},
    429: {"description": "Too many requests; `Retry-After` and the sentence say when to ask again.", **SENTENCE},
    503: {"description": "Others are waiting already; ask again in a moment.", **SENTENCE},
}
ABOUT = """What other programs may ask of a table. Each request carries a token, as `Authorization: Bearer TOKEN`, which
`overtable token make` makes for a role; whoever asks from the machine that runs the table needs none. Lengths are
millimetres in the table's frame, angles degrees counter-clockwise, times nanoseconds. `/api/1/live` is a WebSocket:
`overtable schema live` prints what is said on it. What version 1 answers keeps its meaning; it may grow by keys."""


class YouForm(BaseModel):
    """Who asks, and whom."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
    role: Role
    """What the token is for."""
    program: str
    """The version of overtable."""
    interface: Literal[1] = 1


class _WorkedOut:
    """Answers questions one at a time, in a thread that is not the pages' own."""

    def __init__(self) -> None:
        self._one, self._waiting = CapacityLimiter(1), 0

    async def respond(self, ask: Callable[[], Any]) -> Response:
        if self._waiting > MOST_WAITING:
            return PlainTextResponse(BUSY, 503, headers={"Retry-After": "1"})
        self._waiting += 1
        try:
            return JSONResponse(await to_thread.run_sync(ask, limiter=self._one))
        except BadInput as error:
            return _refuse(error)
        finally:
            self._waiting -= 1


def build_api(hub: Hub, archive: Archive) -> FastAPI:
    """Return the interface, but for its socket, to be mounted where the guard stands before it.

    Args:
        hub: what it tells of.
        archive: the recording that is written or shown now.

    """
    carries_token = HTTPBearer(auto_error=False, description="as `overtable token make` prints it")
    api = FastAPI(
        title="overtable",
        version="1",
        description=ABOUT,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
        dependencies=[Security(carries_token)],
    )
    worked_out, copying = _WorkedOut(), asyncio.Lock()

    @api.exception_handler(404)
    async def nowhere(_: Request, __: Exception) -> Response:
        return PlainTextResponse(NOWHERE, 404)

    # Made when it is first asked for, which takes a third of a second: in a thread, so that no page waits for it.
    @api.get("/openapi.json", include_in_schema=False)
    def description() -> JSONResponse:
        return JSONResponse(api.openapi())

    @api.get("/", include_in_schema=False)
    def reference() -> HTMLResponse:
        return HTMLResponse(render_reference(api.openapi()))

    @api.get("/you", response_model=YouForm)
    async def you(request: Request) -> YouForm:
        """Say who asks and which program answers: a way to try a token."""
        role = get_visitor(request.scope).role
        assert role is not None
        return YouForm(role=role, program=version("overtable"))

    @api.get("/view", response_model=View)
    def view(request: Request) -> Response:
        """Say all that the pages show this role now; whoever wants every change listens at `/api/1/live`."""
        role = get_visitor(request.scope).role
        assert role is not None
        return Response(hub.get_view(role).model_dump_json(), media_type="application/json")

    @api.get("/situation", response_model=SituationForm)
    async def situation() -> Response:
        """Say where everything stands, as a situation that `overtable judge`, `zone` and `actions` take."""
        return await worked_out.respond(lambda: game_answers.describe_situation(hub.game))

    @api.get("/verdict", response_model=VerdictForm)
    async def verdict() -> Response:
        """Say what the referee says of the table as it stands, or of the move that is being made."""
        return await worked_out.respond(lambda: game_answers.describe_verdict(hub.game))

    @api.get("/verdict/situation", response_model=SituationForm)
    async def judged_situation() -> Response:
        """Say the position and the move of which the verdict is given, as a situation that `overtable judge` takes."""
        return await worked_out.respond(lambda: game_answers.describe_move(hub.game))

    @api.get("/actions", response_model=ActionsForm)
    async def actions(unit: Name) -> Response:
        """Say which actions a unit may choose from where it stands, and why not the others."""
        return await worked_out.respond(lambda: game_answers.describe_actions(hub.game, unit))

    @api.get("/zone", response_model=ZoneForm)
    async def zone(
        action: Name,
        model: Name = "",
        unit: Name = "",
        rolls: Rolls = [],  # noqa: B006 - FastAPI copies it
        facing: Literal["any", "keep"] = "any",
        *,
        alone: bool = False,
    ) -> Response:
        """Say where a model, or any model of a unit, may end an action from where it stands.

        `facing=keep` leaves it turned as it is; `alone` leaves aside what binds the unit as a whole.
        """
        ask = partial(game_answers.describe_zone, model=model, unit=unit, action=action, facing=facing, alone=alone)
        return await worked_out.respond(lambda: ask(hub.game, rolls=rolls))

    @api.get("/recordings", response_model=RecordingsForm)
    def recordings() -> Response:
        """List the recorded games in the folder of the one that is recorded or shown now, the latest first."""
        if archive.past is None:
            return PlainTextResponse(NOTHING, 409)
        return Response(list_recordings(archive.past.path).model_dump_json(), media_type="application/json")

    @api.get(
        "/recordings/{name}",
        response_class=Response,
        responses={200: {"content": {"application/vnd.sqlite3": {"schema": {"type": "string", "format": "binary"}}}}},
    )
    async def recording(name: str) -> Response:
        """Give a copy of a recording, whole at the moment when it was asked for, also of one that goes on."""
        if archive.past is None:
            return PlainTextResponse(NOTHING, 409)
        if copying.locked():
            return PlainTextResponse(COPYING, 503, headers={"Retry-After": "5"})
        await copying.acquire()
        try:
            path = find_recording(archive.past.path, name)
            return CopyResponse(await to_thread.run_sync(copy_aside, path), name, copying)
        except BaseException as error:
            copying.release()
            if isinstance(error, BadInput):
                return _refuse(error, 404)
            if isinstance(error, OSError):
                return PlainTextResponse(f"The copy cannot be made ({error.strerror or error}).", 503)
            raise

    return api


def _refuse(error: BadInput, status: int = 409) -> Response:
    sentence = str(error)
    return PlainTextResponse(f"{sentence[0].upper()}{sentence[1:]}.", status)
