"""Commands as nobody would give them: whatever stands in the files and in the arguments, there is an answer.

A command that does its work is mutated by a seed, in one of its files or in one of its arguments, and run in this
process.  It ends with status 0 and, with --json, JSON; or with 2 or 3 and one line that says why.
"""

import contextlib
import io
import json
import logging
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from assistant import cli
from assistant.features.demo.catalogue import DEMOS, SETUP
from assistant.features.demo.script import read_script
from assistant.features.session_plan import SessionPlan
from assistant.game.situation_file import read_situation
from assistant.setup.draft import DRAFT_FILE, read_draft, read_draft_entries
from assistant.setup.editing import read_projector
from assistant.setup.file import read_setup
from assistant.setup.lighting import read_lighting
from overtable_errors import OvertableError
from tests.trials.command_files import LENS, PICTURE, PROJECTOR, ROSTER, TABLE, draw_picture, read_example
from tests.trials.mutations import nest, replace_anything, replace_number
from tests.trials.questions import Fault, ask, build_fault, describe_bad_sentence, look_for_faults
from tests.trials.situations import make_document
from tests.trials.textual_mutations import TEXT_MUTATIONS, mutate_arguments
from tests.trials.trial import Contradiction, Document, register

Files = Mapping[str, str]
"""What stands in files by their names; a byte that is no UTF-8 as a lone surrogate."""


@dataclass(frozen=True, slots=True)
class Command:
    """Arguments, and the files that they name; one that is called `read` stands for a reader of its own."""

    arguments: tuple[str, ...]
    files: Files


# --- commands that do their work --------------------------------------------------------------------------------------


def build_command(seed: int) -> Command:
    """Return a command that does its work."""
    rng = random.Random(f"command {seed}")
    kind = rng.choice(tuple(_KINDS))
    return _KINDS[kind](rng, seed)


def _ask_referee(rng: random.Random, seed: int) -> Command:
    document = make_document(seed)
    move = document["move"]
    model = rng.choice(list(move["paths"]) or ["a1"])
    rolls = [word for die in move.get("rolls", ()) for word in ("--roll", str(die))]
    action = ("--action", str(move["action"]), *rolls)
    arguments = rng.choice(
        (
            ("judge", "s.json"),
            ("judge", "s.json", "--all"),
            ("actions", "s.json", "--unit", str(move["unit"])),
            ("zone", "s.json", "--model", str(model), *action, "--facing", "keep", "--alone"),
            ("zone", "s.json", "--unit", str(move["unit"]), *action, "--facing", "keep"),
        )
    )
    return Command((*arguments, *rng.choice(((), ("--json",)))), {"s.json": json.dumps(document)})


def _check_armies(rng: random.Random, _seed: int) -> Command:
    files = {"a.toml": read_example("army"), "b.txt": ROSTER, "setup.toml": read_example("setup")}
    some = rng.choice((("a.toml",), ("b.txt",), ("a.toml", "b.txt")))
    compose = ("--setup", "setup.toml", "--rulebook", "warhammer-40k-10e", "--out", "game.json")
    arguments = rng.choice(
        (
            ("army", "check", *some),
            ("army", "check", *some, "--json"),
            ("army", "check", *some, "--rulebook", "warhammer-40k-10e"),
            ("army", "compose", *some, *compose),
            ("army", "compose", *some, *compose, "--placed"),
        )
    )
    return Command(arguments, files)


def _run_cases(rng: random.Random, _seed: int) -> Command:
    case = read_example("cases")
    arguments = rng.choice(
        (("cases", "run", "cases"), ("cases", "run", "cases", "--json", "--tolerance-mm", "0.1"),
         ("cases", "pages", "cases", "--out", "pages"), ("cases", "pack", "cases", "--out", "kit.pyz"))
    )  # fmt: skip
    return Command(arguments, {f"cases/{json.loads(case)['name']}.json": case})


def _print_sheets(rng: random.Random, _seed: int) -> Command:
    arguments = rng.choice(
        (
            ("tags", "--setup", "setup.toml"),
            ("tags", "--tags", "0-39,45", "--size", "12"),
            ("anchors", "--setup", "setup.toml", "--paper", "letter"),
            ("enrol", "--setup", "setup.toml"),
            ("enrol", "--base", "oval:60x35", "--base", "round:32"),
            ("board",),
        )
    )
    return Command(("print", *arguments, "--out", "sheets.pdf"), {"setup.toml": read_example("setup")})


def _look_through_camera(rng: random.Random, _seed: int) -> Command:
    setup = SETUP.read_text(encoding="utf-8")
    if rng.random() < 0.7:
        named = 'table = "table.json"\nlens = "lens.json"\n'
        setup = setup.replace('source = "virtual:"\n', f'source = "images:."\n{named}')
    files = {
        "setup.toml": setup,
        "lens.json": json.dumps(LENS),
        "table.json": json.dumps(TABLE),
    }
    arguments = rng.choice(
        (
            ("locate", "--setup", "setup.toml", PICTURE, "--json"),
            ("locate", "--setup", "setup.toml", "--lens", "lens.json", PICTURE),
            ("calibrate", "table", "--setup", "setup.toml", "--out", "solved.json", PICTURE),
            ("calibrate", "lens", PICTURE, "--board", "chess:9x6:25", "--out", "solved.json"),
            ("calibrate", "compare", "lens.json", "lens.json", "--setup", "setup.toml", "--json"),
            ("enrol", "--setup", "setup.toml", "--model", "a1", "--base", "round:32", "--size", "12", PICTURE),
        )
    )
    return Command(arguments, files)


def _begin_game(rng: random.Random, seed: int) -> Command:
    game = {**make_document(seed), "table": {"width_mm": 1524.0, "depth_mm": 1118.0}}
    files = {"setup.toml": SETUP.read_text(encoding="utf-8"), "s.json": json.dumps(game)}
    arguments = rng.choice(
        (
            ("run", "--setup", "setup.toml", "--situation", "s.json", "--port", "8080"),
            ("demo", "--rulebook", "warmaster-revolution", "--fps", "10"),
            ("schema", "situation"),
            ("rulebooks", "--json"),
        )
    )
    return Command(arguments, files)


def _read_alone(rng: random.Random, _seed: int) -> Command:
    book = rng.choice(sorted(folder.name for folder in DEMOS.iterdir() if folder.is_dir()))
    files = {
        "script.json": (DEMOS / book / "script.json").read_text(encoding="utf-8"),
        "situation.json": (DEMOS / book / "situation.json").read_text(encoding="utf-8"),
        DRAFT_FILE: read_example("draft"),
        "setup.light.json": read_example("light"),
        "projector.json": json.dumps(PROJECTOR),
        "setup.toml": SETUP.read_text(encoding="utf-8") + '\n[projector]\ncalibration = "projector.json"\n',
    }
    return Command(("read", rng.choice(tuple(_READERS))), files)


_KINDS = {
    "referee": _ask_referee,
    "armies": _check_armies,
    "cases": _run_cases,
    "sheets": _print_sheets,
    "camera": _look_through_camera,
    "game": _begin_game,
    "readers": _read_alone,
}

_READERS: Mapping[str, Callable[[], object]] = {
    "script": lambda: read_script(Path("script.json"), read_situation(Path("situation.json")).state),
    "draft": lambda: read_draft_entries(read_draft(Path()).entries),
    "light": lambda: read_lighting(Path("setup.toml")),
    "projector": lambda: _read_projector(Path("setup.toml")),
}
"""What is read only while pages are served."""


def _read_projector(setup: Path) -> object:
    file, notice = read_projector(read_setup(setup), setup)
    return notice if file is None else (file.measured, file.nudge.value)


# --- mutated ----------------------------------------------------------------------------------------------------------


def build_mutated(seed: int) -> Document:
    """Return a command, mutated in a file or in an argument, once or a few times."""
    rng = random.Random(f"commands {seed}")
    command = build_command(seed)
    arguments, files = list(command.arguments), dict(command.files)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if files and (rng.random() < 0.6 or arguments[0] == "read"):
            name = rng.choice(sorted(files))
            files[name] = _mutate_file(rng, name, files[name])
        else:
            mutate_arguments(rng, arguments)
    return {"arguments": arguments, "files": files}


def _mutate_file(rng: random.Random, name: str, text: str) -> str:
    if name.endswith(".json") and rng.random() < 0.6:
        with contextlib.suppress(LookupError, TypeError, AttributeError, ValueError, RecursionError):
            document: dict[str, Any] = json.loads(text)
            rng.choice((replace_anything, replace_number, replace_number, nest))(rng, document)
            return json.dumps(document)
    return rng.choice(TEXT_MUTATIONS)(rng, text)


# --- run --------------------------------------------------------------------------------------------------------------


def find_fault(document: Document) -> Fault | str:
    """Run a command; return what is wrong with its answer, or else how it ended."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in document["files"].items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(text.encode("utf-8", "surrogatepass" if "\ud800" in text else "surrogateescape"))
        arguments = [str(word) for word in document["arguments"]] or [""]
        if PICTURE in arguments or "images:." in "".join(document["files"].values()):
            Path(PICTURE).write_bytes(draw_picture())
        title = " ".join(arguments)[:200]
        if arguments[0] == "read":
            read = ask(title, _READERS[arguments[1]])
            return read if isinstance(read, Fault) else "refused" if isinstance(read, OvertableError) else "answered"
        ended = ask(title, partial(_run_main, arguments, title))
        assert not isinstance(ended, OvertableError), "a command tells it"
        return ended


class _BugCatcher(logging.Handler):
    """Keeps the exception that a command ended by."""

    error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.levelno >= logging.CRITICAL:
            self.error = record.exc_info[1]


def _run_main(arguments: list[str], title: str) -> Fault | str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")  # as strict as what a shell gives
    err, status = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline=""), 0
    bugs, log = _BugCatcher(), logging.getLogger("assistant.cli")
    log.addHandler(bugs)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            patch.object(sys, "argv", ["overtable", *arguments]),
            patch("assistant.runtime.logs.configure_logs"),
            patch("assistant.cli.configure_logs"),
            _serve_nothing(),
        ):
            cli.main(kept=False)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else -1
    finally:
        log.removeHandler(bugs)
    if bugs.error is not None:
        return build_fault(title, bugs.error)
    return _describe_ending(title, status, *map(_read_back, (out, err)))


def _read_back(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.detach()
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()


@contextlib.contextmanager
def _serve_nothing() -> Iterator[None]:
    """Let a game end where its pages would be served."""

    def end(plan: SessionPlan, *_: object) -> None:
        assert plan.setup is not None

    with patch("assistant.cli.run.serve_live_table", end), patch("assistant.cli.setup.serve_wizard"):
        yield


def _describe_ending(title: str, status: int, out: str, err: str) -> Fault | str:
    if status == 0:
        if "--json" in title.replace("--out --json", "").split() and "--help" not in out:
            try:
                json.loads(out.splitlines()[0] if title.startswith("locate") else out, parse_constant=_refuse)
            except (ValueError, IndexError) as error:
                return Fault("no JSON", f"{title}: {error}: {out[:200]!r}")
        return "answered"
    lines = err.splitlines()
    if status not in (2, 3) or not lines:
        return Fault("no answer", f"{title}: status {status}, {err[:300]!r}")
    wrong = describe_bad_sentence(lines[-1]) or ("" if len(lines) == 1 else "no one line")
    return Fault("the sentence", f"{title}: {wrong}: {err[:500]!r}") if wrong else "refused"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} stands in it")


@register("commands")
def fuzz_commands(seed: int) -> Iterator[str | Contradiction]:
    """Run a command as nobody would give it."""
    document = build_mutated(seed)
    found = find_fault(document)
    yield (look_for_faults(document, find_fault, _list_smaller) or "wavers") if isinstance(found, Fault) else found


def _list_smaller(document: Document) -> Iterator[Document]:
    """Yield a command with something left out of its arguments or files."""
    arguments, files = document["arguments"], document["files"]
    for name in files:
        yield {**document, "files": {key: text for key, text in files.items() if key != name}}
    for at in range(len(arguments)):
        yield {**document, "arguments": arguments[:at] + arguments[at + 1 :]}
    for name, text in files.items():
        for cut in ("\n", "},", ","):
            pieces = text.split(cut)
            if 1 < len(pieces) < 400:
                for at in range(len(pieces)):
                    yield {**document, "files": {**files, name: cut.join(pieces[:at] + pieces[at + 1 :])}}
