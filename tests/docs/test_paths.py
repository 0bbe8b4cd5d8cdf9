"""Pages that people read name files, modules, classes and functions: all of these are there, under these names."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.docs.source_names import ROOMS, ROOT, read_source_names
from tests.tutorials import list_files as list_files_of_tutorial

FOLDERS = (*ROOMS, "docs", r"changelog\.d", r"\.ci", r"\.github")
PATH = re.compile(rf"(?<![\w./<>-])((?:{'|'.join(FOLDERS)})/[\w./*<>{{}},-]*)")
DOTTED = re.compile(rf"(?<![\w./<>:@-])((?:{'|'.join(ROOMS)})(?:\.[A-Za-z_]\w*)+)\b(?!/)")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
URL = re.compile(r"\w+://[^\s)`]+")
FILE = re.compile(r"(?:\.\./)*[\w/]+\.py")
FOLDER = re.compile(r"[a-z][\w-]*(?:/[\w-]+)*/")
CALL = re.compile(r"([a-z]\w+)\(.*\)")
CLASS = re.compile(r"([A-Z][a-z0-9]+(?:[A-Z]\w*)+)(?:\.(\w+))?")
OF_OTHERS = {"VideoCapture", "ArucoDetector", "MultiPolygon", "CreateMutex", "PyAV"}
"""Names of other people's classes and projects that pages mention."""
UNLISTED = ("CHANGELOG.md", "changelog.d/")
"""Tell what once was, under the names of then."""


@cache
def list_files() -> tuple[str, ...]:
    """Return every file of the repository, those that are not committed yet as well, and its folders with a slash."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    files = [Path(file) for file in listed if (ROOT / file).exists()]
    folders = {parent for file in files for parent in file.parents} - {Path()}
    return tuple(sorted([file.as_posix() for file in files] + [f"{folder.as_posix()}/" for folder in folders]))


def list_pages() -> list[str]:
    return [file for file in list_files() if file.endswith(".md") and not file.startswith(UNLISTED)]


def is_path(path: str, page: Path) -> bool:
    """Whether a path that may have wildcards, alternatives or `<placeholders>` is there."""
    path = path.rstrip(".,")
    if "<" in path:  # what the reader puts there is not; the folder before it is
        path = path[: path.index("<")].rpartition("/")[0]
    if alternatives := re.search(r"\{([^}]*)\}", path):
        before, after = path[: alternatives.start()], path[alternatives.end() :]
        return all(is_path(before + part.strip() + after, page) for part in alternatives[1].split(","))
    if "*" in path:
        return any(ROOT.glob(path))
    if "how-to" in page.parts and any(
        f"{step.path}/".startswith(f"{path.rstrip('/')}/") for step in list_files_of_tutorial(page.stem)
    ):
        return True  # the tutorial's reader makes it; a test makes it, too
    return (ROOT / path).exists() or (ROOT / f"{path}.py").exists()


def is_below(name: str, page: Path) -> bool:
    """Whether a file or folder, as a page in some folder names it, is there: seen from there, or anywhere beneath."""
    folder = Path() if "docs" in page.parts else page.parent
    if name.startswith("../"):
        return (ROOT / folder / name).exists()
    beneath = "" if folder == Path() else f"{folder.as_posix()}/"
    return any(file.startswith(beneath) and f"/{file}".endswith(f"/{name}") for file in list_files())


def find_in_span(span: str, page: Path) -> str | None:
    """Return what is not there of a name in backticks; None where it is, or where it is not a name of ours."""
    names = read_source_names()
    if PATH.fullmatch(span):
        return None  # looked for as a path
    if FILE.fullmatch(span):
        return None if "how-to" in page.parts or is_below(span, page) else "file"
    if FOLDER.fullmatch(span):
        return None if is_below(span, page) else "folder"
    if call := CALL.fullmatch(span):
        return None if call[1] in names.functions else "function"
    if named := CLASS.fullmatch(span):
        known = named[1] in names.classes and (named[2] is None or names.is_member(named[1], named[2]))
        return None if known or named[1] in OF_OTHERS or is_below(span, page) else "class"
    return None


def list_modules_of_table(text: str) -> list[str]:
    """Return what stands in backticks in the first column of tables of modules, rooms or steps."""
    cells, inside = list[str](), False
    for line in text.splitlines():
        first = line.split("|")[1] if line.startswith("|") else ""
        if not line.startswith("|"):
            inside = False
        elif first.strip() in {"module", "room"}:
            inside = True
        elif inside:
            cells += SPAN.findall(first)
    return cells


def find_stale_names(text: str, page: Path) -> list[str]:
    """Return every name on a page that nothing in the repository has."""
    text = URL.sub("", text)
    stale = [f"path {path}" for path in PATH.findall(text) if not is_path(path, page)]
    if "how-to" not in page.parts:
        stale += [f"name {name}" for name in DOTTED.findall(text) if not read_source_names().resolves(name)]
    stale += [f"{kind} {span}" for span in SPAN.findall(text) if (kind := find_in_span(span, page))]
    stale += [
        f"link {target}"
        for target in LINK.findall(text)
        if not target.startswith(("#", "mailto:")) and not ((ROOT / page).parent / target.partition("#")[0]).exists()
    ]
    stale += [
        f"module {name}"
        for name in list_modules_of_table(text)
        if not any(is_below(name.rstrip("/") + ending, page) for ending in ("", ".py", "/"))
    ]
    return stale


@pytest.mark.parametrize("page", list_pages())
def test_what_a_page_names_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert find_stale_names(text, Path(page)) == []


@pytest.mark.parametrize(
    "line",
    [
        "see vision/pipelines.py",
        "`tests/cases/<rulebook>/` and `tests/kases/<rulebook>/`",
        "`assistant/{game,rulez}`",
        "`assistant/rules/books/*.rs`",
        "`assistant.recording.poses.entry_to_pose` tells",
        "python -m tests.benchmarks.trial_of_vision",
        "`glance.py` compares",
        "`glimpses/` and",
        "`reduce_all(state, event)` does",
        "`GameSession.obey` does",
        "`GameSeance` does",
        "[this](nowhere.md)",
        "| module | what |\n|---|---|\n| `hugs` | arcs |\n",
    ],
)
def test_a_stale_name_is_found(line: str) -> None:
    assert len(find_stale_names(line, Path("README.md"))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "https://example.org/vision/nowhere.md and [that](https://example.org/docs/x)",
        "`my-table.toml`, `lens.json`, `turn.counted`, `lens.before-1.json`, `FILE.video`",
        "`overtable run --setup my-table.toml --recording games/last.overtable`",
        "`tests/cases/<rulebook>/<rule>-<what>.json`",
        "`assistant/{game,rules}`, `assistant/rules/books/*.py` and vision/pipeline.py.",
        "`reduce(state, event)`, `Pipeline.step`, `GameState`, `assistant.game.reduce.reduce`",
        "| file | what |\n|---|---|\n| `nothing` | here |\n",
    ],
)
def test_nothing_else_is_taken_for_one(line: str) -> None:
    assert find_stale_names(line, Path("README.md")) == []


@pytest.mark.parametrize("folder", ["decisions", "formats", "guide", "how-to"])
def test_every_page_of_a_folder_is_in_its_index(folder: str) -> None:
    index = (ROOT / "docs" / folder / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs" / folder).glob("*.md")} - {"README.md"}
    assert len(pages) >= 4
    assert pages - set(LINK.findall(index)) == set()


def test_the_glossary_defines_each_word_once_and_in_a_sentence() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", (ROOT / "docs/glossary.md").read_text("utf-8"), re.MULTILINE)
    words = [word for word, _ in rows]
    assert len(words) >= 60
    assert sorted(words) == sorted(set(words))
    assert [word for word, meaning in rows if not meaning.endswith(".")] == []
