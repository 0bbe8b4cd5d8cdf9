"""Tries an installed release as a stranger would: `tests/release.py FOLDER`, whose `env/bin/overtable` is the program.

Commands that need no table, sheets, a game on the virtual table with its pages, what is made of its recording, and the
files beside the program.  What fails is said, with all that the program printed.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

FIRST_WORDS_S, PLAYED_S = 60, 5
PAGES = (
    "/",
    "/tablet",
    "/projector",
    "/judge",
    "/stream",
    "/setup",
    "/help/guide/playing",
    "/help/guide/pictures/figures.jpg",
    "/static/tablet/tablet.js",
    "/picture.jpg",
)


def main() -> None:
    """Try everything, one after another."""
    folder = Path(sys.argv[1]).resolve()
    home = folder / "home"
    home.mkdir()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "XDG_", "VIRTUAL"))
    }
    environment |= {"HOME": str(home), "PATH": f"{folder / 'env/bin'}:/usr/bin:/bin"}
    os.chdir(home)  # nothing of the checkout is found from here

    def run(*words: str) -> str:
        done = subprocess.run(
            ["overtable", *words], env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        if done.returncode:
            sys.exit(f"overtable {' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        print(f"overtable {' '.join(words)}")
        return done.stdout

    assert re.search(r"\d+\.\d+", run("--version"))
    books = json.loads(run("rulebooks", "--json"))
    assert books, books
    for words in (["--help"], ["manual"], ["completion", "bash"], ["layout", "list"], ["schema", "situation"]):
        assert run(*words).strip()
    for sheet in (["board"], ["anchors"], ["tags", "--tags", "1-10", "--size", "15"]):
        run("print", *sheet, "--out", f"{sheet[0]}.pdf")
        assert Path(f"{sheet[0]}.pdf").read_bytes().startswith(b"%PDF-")
    play(environment)
    run("verify", "game.overtable")
    run("stats", "game.overtable", "--json")
    for format_name in ("html", "json", "webm"):
        run("export", "game.overtable", "--to", format_name, "--out", f"game.{format_name}")
        assert Path(f"game.{format_name}").stat().st_size
    shared = folder / "env/share"
    for path in ("applications/overtable.desktop", "icons/hicolor/scalable/apps/overtable.svg"):
        assert (shared / path).is_file(), path
    print("The release works outside the checkout.")


def play(environment: dict[str, str]) -> None:
    """Run the demo for a moment, open its pages, and end it as a service manager does."""
    words = ["overtable", "demo", "--no-open", "--host", "127.0.0.1", "--port", "0", "--recording", "game.overtable"]
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as program:
        assert program.stdout is not None
        said = program.stdout.readline()
        found = re.search(r"http://localhost:\d+", said)
        try:
            assert found, said
            opener = build_opener(ProxyHandler({}))
            deadline = time.monotonic() + FIRST_WORDS_S
            for page in PAGES:
                while True:
                    try:
                        with opener.open(found[0] + page, timeout=30) as answer:
                            assert answer.read(), page
                        break
                    except OSError:  # the first picture takes a moment
                        assert time.monotonic() < deadline, page
                        time.sleep(0.5)
            time.sleep(PLAYED_S)
        finally:
            program.terminate()
            rest = program.communicate(timeout=60)[0]
        assert program.returncode == 130, (program.returncode, rest)
        assert "Traceback" not in rest, rest
    print(" ".join(words))


main()
