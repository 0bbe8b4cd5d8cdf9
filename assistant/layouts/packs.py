"""Packs: folders of layouts, one for each rulebook that come with the program, and those in the user's own folder.

A layout's name is its file's; one of the user's own goes before one that comes with the program.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import platformdirs

from assistant.errors import BadInput
from assistant.files.documents import shorten
from assistant.game.state import Table
from assistant.layouts.layout import Layout, read_layout
from assistant.layouts.placing import PlacedLayout, place_layout

SHIPPED = Path(__file__).parent / "packs"
SUFFIX = ".json"
SAME_MM = 8.0
"""Tables that differ by no more are laid alike: a table of 44 inches is made as one of 1.12 m, or 1.11."""
NAME = re.compile(r"[\w-]+")


@dataclass(frozen=True, kw_only=True)
class PackedLayout:
    """A layout, and where it was found."""

    name: str
    """By which people choose it."""
    pack: str
    """The folder's name: the rulebook's for those that come with the program."""
    path: Path
    layout: Layout

    @cached_property
    def objectives(self) -> int:
        """How many it puts on its table; the wizard's page says so with each picture, and placing takes 2 ms."""
        return len(place_layout(self.layout).objectives)

    def fits(self, table: Table) -> bool:
        """Return whether a table has the size that it is for."""
        mine = self.layout.table
        return abs(mine.width_mm - table.width_mm) <= SAME_MM and abs(mine.depth_mm - table.depth_mm) <= SAME_MM

    def lay_on(self, table: Table, rulebook: str) -> PlacedLayout:
        """Return what it puts on a table, by a rulebook's words.

        Raises:
            BadInput: it is for a table of another size.

        """
        mine = self.layout.table
        if not self.fits(table):
            raise BadInput(
                f"the layout {self.layout.title!r} is for a table of {mine.width_mm:g} x {mine.depth_mm:g} mm, but"
                f" yours is {table.width_mm:g} x {table.depth_mm:g} mm: choose another layout, or change the table"
            )
        return place_layout(self.layout, rulebook)


def find_own_folder() -> Path:
    """Return the folder of the user's own layouts, whether it is there or not."""
    return platformdirs.user_data_path("overtable") / "layouts"


def list_layouts(own: Path | None = None) -> tuple[PackedLayout, ...]:
    """Return all layouts, the user's own first; what of them is no layout is left out, as `list_faulty` tells.

    Args:
        own: the user's folder, if it is another than the usual one.

    """
    found: dict[str, PackedLayout] = {}
    for path in _list_files(own):
        one = _try_read(path, path.stat().st_mtime_ns)
        if isinstance(one, PackedLayout):
            found.setdefault(one.name, one)
    return tuple(found.values())


def list_faulty(own: Path | None = None) -> tuple[str, ...]:
    """Return what is wrong with files in the packs that are no layouts, a sentence each."""
    read = (_try_read(path, path.stat().st_mtime_ns) for path in _list_files(own))
    return tuple(one for one in read if isinstance(one, str))


def find_layout(name: str, own: Path | None = None) -> PackedLayout:
    """Return the layout of a name, or in a file.

    Raises:
        BadInput: there is none, or the file cannot be read.

    """
    found = {one.name: one for one in list_layouts(own)}
    if name in found:
        return found[name]
    path = Path(name).expanduser()
    if path.suffix == SUFFIX and path.is_file():
        return PackedLayout(name=path.stem, pack=path.parent.name, path=path, layout=read_layout(path))
    raise BadInput(f"there is no layout {shorten(name)!r}; expected a file, or one of {', '.join(found)}")


def find_packed_layout(name: str) -> PackedLayout:
    """Return the layout of a name in a pack, and of no file elsewhere; BadInput if there is none."""
    found = next((one for one in list_layouts() if one.name == name), None)
    if found is None:
        raise BadInput(f"there is no layout {shorten(name)!r} any more: choose another one")
    return found


def name_file(title: str) -> str:
    """Return a title as the name of a layout's file, without its ending."""
    return "-".join(NAME.findall(title.lower())) or "layout"


def _list_files(own: Path | None) -> Iterator[Path]:
    for folder in (own or find_own_folder(), SHIPPED):
        if folder.is_dir():
            yield from sorted(folder.glob(f"**/*{SUFFIX}"))


@lru_cache(maxsize=1024)
def _try_read(path: Path, _written_ns: int) -> PackedLayout | str:
    """Return the layout in a file, or what is wrong with it; read once each time that it was written."""
    try:
        return PackedLayout(name=path.stem, pack=path.parent.name, path=path, layout=read_layout(path))
    except BadInput as error:
        return str(error)
