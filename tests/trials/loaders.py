"""Loaders: whatever stands in a file that somebody brings, it is read or refused in one sentence, and soon.

Real files are mutated by a seed, by their structure and by their bytes.
"""

import atexit
import base64
import io
import json
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np

from assistant.armies.base_sizes import parse_base
from assistant.armies.formats import read_armies
from assistant.armies.own_bases import read_own_bases
from assistant.conformance.case_file import read_case
from assistant.errors import BadInput
from assistant.features.demo.catalogue import DEMOS, SETUP
from assistant.features.demo.script import read_script
from assistant.features.refinement.recording import read_camera
from assistant.files.documents import read_json
from assistant.game.base_spec import BaseSpec
from assistant.game.situation_file import read_situation
from assistant.game.state import GameState
from assistant.layouts import packs
from assistant.layouts.imports import import_layouts
from assistant.layouts.layout import read_layout
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about, read_pictures
from assistant.recording.verification import verify
from assistant.replay.recorded_game import RecordedGame
from assistant.setup.draft import DRAFT_FILE, parse_tags, read_draft, read_draft_entries
from assistant.setup.file import read_setup
from assistant.setup.lighting import read_lighting
from assistant.setup.ring_words import read_ring_words
from assistant.web.battle_page import MARK, read_battle_texts
from calibration.lens.file import LensFile
from calibration.projector.file import ProjectorFile
from calibration.table.file import TableFile
from hardware.camera.address import identify_camera, redact_text
from hardware.camera.frame_source import read_identity_beside
from hardware.camera.images import read_still
from overtable_errors import OvertableError
from tests.assistant.armies.formats import test_points_list
from tests.assistant.armies.formats.test_battlescribe import XML
from tests.assistant.layouts.test_imports import LAYOUT, PATTERNS, TEMPLATES
from tests.assistant.replay.sample_recording import play_sample_game
from tests.docs.test_formats import EXAMPLE, read_page
from tests.rulebook_cases import list_case_files
from tests.shared_pictures import SHARED
from tests.trials.byte_mutations import mutate_archive, mutate_bytes, mutate_json, mutate_recording, mutate_text
from tests.trials.command_files import LENS, PROJECTOR, ROSTER, TABLE
from tests.trials.questions import Fault, ask, look_for_faults
from tests.trials.trial import Contradiction, Document, register
from vision.boards.detection import parse_board

PATIENCE_S = 2.0
"""Of the processor, for one file."""
ROOM_BYTES = 500_000_000
"""Of memory, for one file."""
MOST_BYTES = 6_000_000
"""Of a file; more than any loader takes of most kinds."""
Mutate = Callable[[random.Random, bytes], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loader:
    """A reader of files."""

    name: str
    """What the file is called."""
    seeds: Callable[[], Sequence[bytes]]
    """Files that it reads."""
    read: Callable[[Path], object]
    mutate: Mutate = mutate_json
    """By structure; bytes are changed besides."""
    weight: int = 4
    """How often it is tried; what takes long is tried less often."""

    def encode(self, data: bytes) -> Document:
        """Return content for it as a document."""
        return {"name": self.name, "data": base64.b64encode(data).decode()}


def _list_pages(*names: str) -> Callable[[], list[bytes]]:
    """Return the examples on pages of formats."""
    return lambda: [text.encode() for name in names for _, text in EXAMPLE.findall(read_page(name))]


def _list_files(folder: Path, pattern: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for path in sorted(folder.glob(pattern)) if path.is_file()]


def _list_rosters() -> list[bytes]:
    """Return lists in every format; also those that people shared, where they lie beside the checkout."""
    texts = [value for value in vars(test_points_list).values() if isinstance(value, str) and "\n" in value]
    texts += [ROSTER, XML]
    own = [text.encode() for text in texts if "\n" in text.strip()]
    return own + _list_files(SHARED / "rosters", "**/*")()


def _list_cases() -> list[bytes]:
    """Return some cases, called as the file is."""
    return [json.dumps({**json.loads(path.read_bytes()), "name": "case"}).encode() for path in list_case_files()[::20]]


def _pack_roster() -> list[bytes]:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("moss.ros", XML)
    return [written.getvalue()]


def _record() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "game.overtable")
        play_sample_game(path).journal.close()
        return [path.read_bytes()]


def _read_recording(path: Path) -> object:
    about, entries = read_about(path), list(read_entries(path))
    past = RecordedGame(path)
    moment = past.find_moment(past.find_end_ns())
    return about, entries, list(read_pictures(path)), verify(path), read_camera(path), moment


def _read_draft(path: Path) -> object:
    return read_draft_entries(read_draft(path.parent).entries)


@cache
def _read_demo_state() -> GameState:
    return read_situation(min(DEMOS.glob("*/situation.json"))).state


def _read_words(path: Path) -> object:
    """Read what people type: bases, boards, tags, addresses."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for line in (each[:100] for each in text.splitlines()[:20]):
        answers = [ask("words", partial(parse, line), patience_s=PATIENCE_S) for parse in _WORDS]
        if fault := next((answer for answer in answers if isinstance(answer, Fault)), None):
            return fault
    return None


def _read_tags(text: str) -> list[int]:
    """As those do who ask for tags: they say where."""
    try:
        return list(parse_tags(text))
    except BadInput as error:
        raise BadInput(f"tags: {error}") from None


_WORDS: tuple[Callable[[str], object], ...] = (
    BaseSpec.parse,
    parse_base,
    parse_board,
    _read_tags,
    identify_camera,
    redact_text,
)
_TYPED = b"""round:32
oval:60x35
60x35 oval
square 25
chess:9x6:25
charuco:11x8:25:18:5X5_100:legacy
580-583, 590
rtsp://me:secret@10.0.0.5:554/one?two=3&password=four
http://camera.example/get?user=me&token=5
"""
_SELECTION = {
    "name": "Moss Guard", "type": "unit", "number": 1, "categories": [{"name": "Infantry"}],
    "profiles": [{"name": "Moss Guard", "typeName": "Unit", "characteristics": [{"name": "M", "$text": '6"'}]}],
    "costs": [{"name": "pts", "value": 90}],
    "selections": [{"name": "Guard w/ Club", "type": "model", "number": 5, "selections": []}],
}  # fmt: skip
_NEW_RECRUIT = {"roster": {"name": "Moss", "forces": [{"name": "Army", "selections": [_SELECTION]}]}}
_REPORT = f"""<!doctype html>
<html><head><meta name="format" {MARK}></head><body>
<h1 data-text="title" contenteditable="true">Moss &amp; Sky</h1>
<p class="story" data-hint="Write" data-text="opening" contenteditable="true">It <b>began</b><br>well.<div>So.</div></p>
<figcaption data-text="chapter-1">The first turn</figcaption></body></html>
"""
LOADERS: tuple[Loader, ...] = (
    Loader(
        name="situation.json",
        seeds=lambda: [
            json.dumps(json.loads(path.read_bytes())["situation"]).encode() for path in list_case_files()[::20]
        ],
        read=read_situation,
    ),
    Loader(name="case.json", seeds=_list_cases, read=read_case),
    Loader(
        name="setup.toml",
        seeds=lambda: [*_list_pages("setup")(), SETUP.read_bytes()],
        read=read_setup,
        mutate=mutate_text,
    ),
    Loader(
        name="layout.json",
        seeds=lambda: [*_list_pages("layout")(), *_list_files(Path(packs.__file__).parent / "packs", "*/*.json")()],
        read=read_layout,
    ),
    Loader(
        name="open.json",
        seeds=lambda: [json.dumps({"layouts": [LAYOUT], "templates": TEMPLATES, "patterns": PATTERNS}).encode()],
        read=lambda path: import_layouts([str(path)]),
    ),
    Loader(name="army.toml", seeds=_list_pages("army"), read=lambda path: read_armies(path, None), mutate=mutate_text),
    Loader(
        name="army.txt", seeds=_list_rosters, read=lambda path: read_armies(path, None), mutate=mutate_text, weight=8
    ),
    Loader(
        name="army.ros", seeds=lambda: [XML.encode()], read=lambda path: read_armies(path, None), mutate=mutate_text
    ),
    Loader(
        name="army.rosz",
        seeds=_pack_roster,
        read=lambda path: read_armies(path, None),
        mutate=mutate_archive(mutate_text),
    ),
    Loader(
        name="army.json",
        seeds=lambda: [json.dumps(_NEW_RECRUIT).encode(), test_points_list.ROSTERIZER.encode()],
        read=lambda path: read_armies(path, None),
    ),
    Loader(name="bases.json", seeds=_list_pages("bases"), read=read_own_bases),
    Loader(
        name="script.json",
        seeds=_list_files(DEMOS, "*/script.json"),
        read=lambda path: read_script(path, _read_demo_state()),
    ),
    Loader(name=DRAFT_FILE, seeds=_list_pages("draft"), read=_read_draft),
    Loader(
        name="setup.light.json",
        seeds=_list_pages("light"),
        read=lambda path: read_lighting(path.with_name("setup.toml")),
    ),
    Loader(name="rings.json", seeds=_list_pages("rings"), read=read_ring_words, weight=1),
    Loader(name="lens.json", seeds=lambda: [json.dumps(LENS).encode()], read=lambda path: read_json(path, LensFile)),
    Loader(name="table.json", seeds=lambda: [json.dumps(TABLE).encode()], read=lambda path: read_json(path, TableFile)),
    Loader(
        name="projector.json",
        seeds=lambda: [json.dumps(PROJECTOR).encode()],
        read=lambda path: read_json(path, ProjectorFile),
    ),
    Loader(name="camera.json", seeds=_list_pages("camera"), read=read_identity_beside, weight=2),
    Loader(name="report.html", seeds=lambda: [_REPORT.encode()], read=read_battle_texts, mutate=mutate_text),
    Loader(
        name="picture.png",
        seeds=lambda: [_draw(".png")],
        read=lambda path: read_still(path, colour=True),
        mutate=mutate_bytes,
        weight=2,
    ),
    Loader(
        name="picture.jpg",
        seeds=lambda: [_draw(".jpg")],
        read=lambda path: read_still(path, colour=False),
        mutate=mutate_bytes,
        weight=2,
    ),
    Loader(name="typed.txt", seeds=lambda: [_TYPED], read=_read_words, mutate=mutate_text),
    Loader(name="game.overtable", seeds=_record, read=_read_recording, mutate=mutate_recording, weight=2),
)


def _draw(kind: str) -> bytes:
    grey = np.add.outer(np.arange(60), np.arange(80)).astype(np.uint8)
    return bytes(cv2.imencode(kind, grey)[1])


@cache
def list_seeds(loader: Loader) -> Sequence[bytes]:
    """Return the files that a loader's are made of."""
    return loader.seeds()


def build_mutated(seed: int) -> Document:
    """Return a file, mutated once or a few times."""
    rng = random.Random(f"loaders {seed}")
    (loader,) = rng.choices(LOADERS, [each.weight for each in LOADERS])
    data = rng.choice(list_seeds(loader))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = (loader.mutate if rng.random() < 0.75 else rng.choice((mutate_bytes, mutate_text)))(rng, data)
        data = data[:MOST_BYTES]
    return loader.encode(data)


def find_fault(document: Document) -> Fault | str:
    """Read a file; return what is wrong with the answer, or else what it was."""
    loader = next(each for each in LOADERS if each.name == document["name"])
    path = _find_folder(loader.name) / loader.name
    path.write_bytes(base64.b64decode(document["data"]))
    read = ask(loader.name, lambda: loader.read(path), patience_s=PATIENCE_S, room_bytes=ROOM_BYTES)
    return read if isinstance(read, Fault) else "refused" if isinstance(read, OvertableError) else "read"


@cache
def _find_folder(_loader: str) -> Path:
    """Return a folder of this process in which nothing else lies, in memory where there is such a one."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="overtable-trial-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@register("loaders")
def try_loaders(seed: int) -> Iterator[str | Contradiction]:
    """Read a file that no program wrote."""
    document = build_mutated(seed)
    found = find_fault(document)
    yield (look_for_faults(document, find_fault, _list_smaller) or "wavers") if isinstance(found, Fault) else found


def _list_smaller(document: Document) -> Iterator[Document]:
    """Yield a file with something left out."""
    data = base64.b64decode(document["data"])
    for pieces in (2, 4, 8, 16, 64, 256):
        size = -(-len(data) // pieces)
        for at in range(0, len(data), max(size, 1)):
            yield {**document, "data": base64.b64encode(data[:at] + data[at + size :]).decode()}
