"""The layout editor: what pages change, undo, redo and save."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.features.feature import Asker
from assistant.features.layout_editor.controller import LayoutEditor
from assistant.layouts.packs import find_own_folder, find_packed_layout
from assistant.table.session import GameSession
from assistant.web.commands.setup import (
    LayoutAdd,
    LayoutClose,
    LayoutMove,
    LayoutOpen,
    LayoutRedo,
    LayoutSave,
    LayoutUndo,
)
from assistant.web.messages.message import Message
from assistant.web.messages.setup import LayoutEditorView
from tests.assistant.snapshot_script import build_game


class Desk:
    """An editor, and what the page is shown."""

    def __init__(self) -> None:
        self.editor, self.session = LayoutEditor(), GameSession(build_game())

    def give(self, *commands: Message) -> LayoutEditorView | None:
        for command in commands:
            self.editor.handle(command, Asker(session=self.session))
        view = next(self.editor.build_views(self.session), None)
        return view.layout_editor["layout"] if view else None


def test_a_bare_table_is_filled_undone_and_redone() -> None:
    desk = Desk()
    assert desk.give() is None
    add = LayoutAdd(type="layout-add", template="ruin", x_mm=300, y_mm=300)
    view = desk.give(LayoutOpen(type="layout-open"), add)
    assert view is not None
    assert ([piece.id for piece in view.pieces], view.selected) == (["ruin-1", "ruin-1-twin"], "ruin-1")
    assert (view.can_undo, view.can_redo, view.saved) == (True, False, "")
    move = LayoutMove(type="layout-move", piece="ruin-1", turn_deg=45)
    view = desk.give(move, LayoutUndo(type="layout-undo"))
    assert view is not None
    assert (view.pieces[0].facing_deg, view.can_redo) == (0, True)
    view = desk.give(LayoutRedo(type="layout-redo"))
    assert view is not None
    assert (view.pieces[0].facing_deg, view.can_redo) == (45, False)
    with pytest.raises(BadInput, match="nothing to redo"):
        desk.give(LayoutRedo(type="layout-redo"))
    assert desk.give(LayoutClose(type="layout-close")) is None
    with pytest.raises(BadInput, match="no layout is open"):
        desk.give(add)


def test_what_is_wrong_is_told_while_it_is_made() -> None:
    view = Desk().give(LayoutOpen(type="layout-open"), LayoutAdd(type="layout-add", template="house", x_mm=5, y_mm=300))
    assert view is not None
    assert any("hangs over the table's edge" in fault for fault in view.faults)


def test_a_layout_of_ours_is_saved_as_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    desk = Desk()
    view = desk.give(LayoutOpen(type="layout-open", layout="crossed-streets"))
    assert view is not None
    assert view.saved == "crossed-streets"
    move = LayoutMove(type="layout-move", piece=view.pieces[0].id, dx_mm=20)
    view = desk.give(move, LayoutSave(type="layout-save", title="  Streets of mine "))
    assert view is not None
    assert view.saved == "streets-of-mine"
    saved = find_packed_layout("streets-of-mine")
    assert (saved.path.parent, saved.layout) == (find_own_folder(), desk.editor.layout)
    assert saved.layout.title == "Streets of mine"
