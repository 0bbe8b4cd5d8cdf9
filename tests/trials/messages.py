"""Messages: whatever a page says on its socket, it is obeyed or refused in one sentence, and what all see can be shown.

A few commands that fit the game are given one after another, some of them mutated by a seed; models move in between.
"""

import asyncio
import json
import logging
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from functools import cache
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

from assistant.features.armies.controller import ArmiesController
from assistant.features.camera.markers import build_markers
from assistant.features.decisions import GameController, JudgeController
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import DemoController
from assistant.features.enrolment.controller import EnrolmentController
from assistant.features.feature import Asker
from assistant.features.laying.controller import LayingController
from assistant.features.lens.controller import LensController
from assistant.features.light.controller import LightController
from assistant.features.projector.controller import ProjectorController
from assistant.features.shown_calls import ShownCalls
from assistant.features.tools.controller import ToolsController
from assistant.features.wizard.controller import Wizard
from assistant.game.state import GameState
from assistant.runtime.dispatch import FeatureSet
from assistant.setup.draft import SetupDraft
from assistant.setup.file import read_setup
from assistant.table.background_worker import BackgroundWorker
from assistant.web.commands import REGISTRY, Resync
from assistant.web.hub import Hub
from assistant.web.messages.message import Role
from assistant.web.views.session import Source, build_view
from tests.assistant.replay.sample_recording import RecordedTable
from tests.assistant.snapshot_script import build_crossing_game
from tests.trials.bounds import limit_memory
from tests.trials.byte_mutations import mutate_json, mutate_text
from tests.trials.loaders import PATIENCE_S, ROOM_BYTES
from tests.trials.questions import Fault, ask, build_fault, look_for_faults
from tests.trials.textual_mutations import WORDS
from tests.trials.trial import Contradiction, Document, register
from vision.pipeline import Pipeline

SAID_IN_A_ROW = 12
_SOURCE = Source(
    name="trial", title="Trial", virtual=True, replay=False, state="live", text="", fps=0.0, latency_ms=0.0
)
_COMMANDS = (Resync, *REGISTRY)


# --- what is said -----------------------------------------------------------------------------------------------------


def build_chain(seed: int) -> Document:
    """Return what a page says, one text after another, and where models are pushed in between."""
    rng = random.Random(f"messages {seed}")
    words = _list_words(build_crossing_game())
    said: list[Any] = []
    for _ in range(SAID_IN_A_ROW):
        if rng.random() < 0.2:
            said.append([rng.choice(("s1", "s2", "w1")), rng.uniform(50, 1450), rng.uniform(50, 1050)])
        data = json.dumps(_fill(rng, _read_schema(rng.choice(_COMMANDS)), words)).encode()
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            data = rng.choice((mutate_json, mutate_json, mutate_text))(rng, data)
        said.append(data.decode("utf-8", "replace"))
    return {"role": rng.choice(("host", "host", *get_args(Role))), "said": said}


def _list_words(state: GameState) -> Mapping[str, tuple[str, ...]]:
    """Return what a field of a name may hold that the game knows."""
    models = tuple(model.id for _, model in state.iterate_models())
    units = tuple(unit.id for unit in state.units)
    return {
        "unit": units, "model": models, "models": models, "lost": models, "subjects": (*models, *units),
        "player": ("red", "blue"), "action": ("normal", "advance", "fall-back", "remain-stationary", "disembark"),
        "id": (*models, *units), "status": ("battle-shocked", "advanced", "embarked:b1", "reserves"),
        "rule": ("10e-17", "10e-04"), "name": ("army.txt", "setup.toml"), "text": ("5 Scouts 32mm", "# Red"),
    }  # fmt: skip


@cache
def _read_schema(command: Any) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = command.model_json_schema()
    return schema


def _fill(rng: random.Random, schema: Mapping[str, Any], words: Mapping[str, tuple[str, ...]]) -> Any:
    """Return something that a schema allows, mostly."""
    definitions = schema.get("$defs", {})

    def fill(form: Mapping[str, Any], name: str) -> Any:
        if "$ref" in form:
            form = definitions[form["$ref"].rpartition("/")[2]]
        if "const" in form:
            return form["const"]
        if "enum" in form:
            return rng.choice(form["enum"])
        if "anyOf" in form:
            return fill(rng.choice(form["anyOf"]), name)
        match form.get("type"):
            case "object" if "properties" in form:
                needed = form.get("required", ())
                return {
                    key: fill(part, key)
                    for key, part in form["properties"].items()
                    if key in needed or rng.random() < 0.5
                }
            case "object":
                part = form.get("additionalProperties")
                return {rng.choice(_KEYS): fill(part if isinstance(part, dict) else {}, name) for _ in range(2)}
            case "array" if "prefixItems" in form:
                return [fill(part, name) for part in form["prefixItems"]]
            case "array":
                count = rng.choice((form.get("minItems", 0), form.get("minItems", 0), 1, 2, form.get("maxItems", 3)))
                return [fill(form.get("items", {}), name) for _ in range(max(form.get("minItems", 0), min(count, 50)))]
            case "number" | "integer" as kind:
                low, high = form.get("minimum", form.get("exclusiveMinimum", -3)), form.get("maximum", 2000)
                number = rng.choice((low, high, rng.uniform(low, high), rng.uniform(low, min(high, low + 12))))
                return int(number) if kind == "integer" else number
            case "boolean":
                return rng.random() < 0.5
            case "null":
                return None
        chosen: str = rng.choice(words[name] if name in words and rng.random() < 0.8 else WORDS)
        return chosen

    return fill(schema, "")


_KEYS = (
    "width",
    "depth",
    "source",
    "rulebook",
    "game",
    "unit",
    "engages",
    "charge",
    "toward",
    "tags",
    "height",
    "red",
    "x",
)


# --- the table --------------------------------------------------------------------------------------------------------


class _Inline(Executor):
    """Does at once what it is given."""

    def submit(self, what: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(what(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future


class _Faults(logging.Handler):
    """Keeps what was logged as going wrong inside."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.error = self.error or error or RuntimeError(record.getMessage())


@cache
def _find_pipeline() -> Pipeline:
    return Pipeline(markers=build_markers(read_setup(SETUP), SETUP, None, ())[0])


def _build_features(folder: Path) -> FeatureSet:
    setup, pipeline = read_setup(SETUP), _find_pipeline()
    wizard = Wizard(folder=folder, draft=SetupDraft(), armies=ArmiesController(bases=folder / "bases.json"), sources=[])
    return FeatureSet(
        GameController(),
        JudgeController(),
        DemoController(push=lambda _: None),
        EnrolmentController(setup=setup, path=None, pipeline=pipeline),
        LensController(setup=setup, path=None, pipeline=pipeline, executor=_Inline()),
        ProjectorController(setup=setup, path=None, pipeline=pipeline),
        wizard.armies,
        wizard.layouts,
        wizard,
        ToolsController(BackgroundWorker(), BackgroundWorker()),
        ShownCalls(),
        LayingController(setup, None, pipeline),
        LightController(),
    )


def find_fault(document: Document) -> Fault | dict[str, int]:
    """Say it all at a table of its own; return what was wrong with an answer, or how many there were of each kind."""
    faults, root = _Faults(), logging.getLogger()
    root.addHandler(faults)
    loop = asyncio.new_event_loop()
    try:
        with tempfile.TemporaryDirectory() as name, limit_memory(ROOM_BYTES):
            homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), name)
            with patch.dict(os.environ, homes):
                return loop.run_until_complete(_say_all(document, Path(name), faults))
    finally:
        loop.close()
        root.removeHandler(faults)


async def _say_all(document: Document, folder: Path, faults: _Faults) -> Fault | dict[str, int]:
    table, features, hub = RecordedTable(folder / "game.overtable"), _build_features(folder / "setup"), Hub()
    counts = {"obeyed": 0, "refused": 0}
    with hub.connect_client(role=document["role"]) as client:
        for text in document["said"]:
            title = str(text)[:200]

            def step(text: Any = text) -> str | None:
                return _say(text, table, features, hub, client)

            refusal = ask(title, step, patience_s=PATIENCE_S, room_bytes=ROOM_BYTES)
            if isinstance(refusal, Fault):
                return refusal
            if faults.error is not None:
                return build_fault(title, faults.error)
            assert refusal is None or isinstance(refusal, str)
            if refusal is not None and (len(refusal) > 1000 or len(refusal.splitlines()) > 1):
                return Fault("the sentence", f"{title}: {refusal[:300]!r}")
            counts["obeyed" if refusal is None else "refused"] += isinstance(text, str)
    table.session.close()
    table.journal.close()
    return counts


def _say(text: Any, table: RecordedTable, features: FeatureSet, hub: Hub, client: Any) -> str | None:
    """Say one thing, or push a model; return why it is refused, if it is."""
    if not isinstance(text, str):
        model, x_mm, y_mm = text
        table.show(*table.script.slide(model, x_mm, y_mm, steps=4))
        return None
    client.refusals.clear()
    hub.receive(client, text)
    for command in hub.take():
        features.obey(command, Asker(session=table.session, role=command.role, device=command.device))
    table.wait()
    hub.publish(build_view(table.session, _SOURCE, *features.build_views(table.session)))
    return json.loads(client.refusals[-1])["text"] if client.refusals else None


@register("messages")
def try_messages(seed: int) -> Iterator[str | Contradiction]:
    """Say what no page says."""
    document = build_chain(seed)
    found = find_fault(document)
    if isinstance(found, Fault):
        yield look_for_faults(document, find_fault, _list_smaller) or "wavers"
    else:
        yield from (word for word, count in found.items() for _ in range(count))


def _list_smaller(document: Document) -> Iterator[Document]:
    """Yield less of what is said."""
    said = document["said"]
    yield from ({**document, "said": said[:at] + said[at + 1 :]} for at in range(len(said)))
