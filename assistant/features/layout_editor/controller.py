"""Layout editor controller: the layout that is being made, what can be undone of it, and what the page shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.errors import BadInput
from assistant.features.feature import Asker, Feature, Handles
from assistant.game.terrain_places import TWIN
from assistant.layouts import editing
from assistant.layouts.checking import find_faults
from assistant.layouts.editing import Motion
from assistant.layouts.layout import Layout, write_layout
from assistant.layouts.packs import SUFFIX, find_own_folder, find_packed_layout, name_file
from assistant.layouts.placing import PlacedLayout, place_layout
from assistant.layouts.templates import TEMPLATES
from assistant.overlay.palette import PALETTE
from assistant.overlay.terrain_kinds import KINDS, find_kind
from assistant.table.session import GameSession
from assistant.web.commands.setup import (
    LayoutAdd,
    LayoutChange,
    LayoutClose,
    LayoutCopy,
    LayoutDraw,
    LayoutMarker,
    LayoutMove,
    LayoutOpen,
    LayoutRedo,
    LayoutRemove,
    LayoutSave,
    LayoutSymmetry,
    LayoutUndo,
)
from assistant.web.messages import View
from assistant.web.messages.setup import (
    LayoutEditorView,
    LayoutMarkerView,
    LayoutPartView,
    LayoutPieceView,
    LayoutTemplateView,
    LayoutZoneView,
)

MOST_STEPS = 200
"""That can be undone."""


@dataclass(kw_only=True)
class LayoutEditor(Feature):
    """Keeps the layout that is being made.  Used from the thread of the table."""

    name = "layout-editor"
    layout: Layout | None = None
    """None while none is open."""
    saved: str = ""
    """By which name it was saved last, as it is now."""
    selected: str = ""
    """What was added last, which the page takes hold of."""
    _past: list[Layout] = field(default_factory=list)
    _future: list[Layout] = field(default_factory=list)
    _shown: tuple[object, ...] = ()
    _view: View | None = None

    @Handles(LayoutOpen)
    def open(self, command: LayoutOpen, asker: Asker) -> None:
        """Open a layout of the packs, or a bare table; BadInput if there is none of this name."""
        bare = editing.begin_layout(asker.session.state.table)
        self.layout = find_packed_layout(command.layout).layout if command.layout else bare
        self.saved, self.selected, self._past, self._future = command.layout, "", [], []

    @Handles(LayoutMove)
    def _move(self, command: LayoutMove) -> None:
        motion = Motion(dx_mm=command.dx_mm, dy_mm=command.dy_mm, turn_deg=command.turn_deg, flip=command.flip)
        self._change(editing.move_piece(self._require_layout(), command.piece, motion))

    @Handles(LayoutAdd)
    def _add(self, command: LayoutAdd) -> None:
        self._change(editing.add_template(self._require_layout(), command.template, command.x_mm, command.y_mm))

    @Handles(LayoutDraw)
    def _draw(self, command: LayoutDraw) -> None:
        self._change(editing.add_outline(self._require_layout(), command.outline_mm))

    @Handles(LayoutMarker)
    def _add_marker(self, command: LayoutMarker) -> None:
        self._change(editing.add_objective(self._require_layout(), command.x_mm, command.y_mm))

    @Handles(LayoutCopy)
    def _copy(self, command: LayoutCopy) -> None:
        self._change(editing.copy_piece(self._require_layout(), command.piece))

    @Handles(LayoutRemove)
    def _remove(self, command: LayoutRemove) -> None:
        self._change(editing.remove_piece(self._require_layout(), command.piece))

    @Handles(LayoutChange)
    def _change_piece(self, command: LayoutChange) -> None:
        layout = self._require_layout()
        self._change(editing.change_piece(layout, command.piece, height_mm=command.height_mm, kind=command.kind))

    @Handles(LayoutSymmetry)
    def _change_symmetry(self, command: LayoutSymmetry) -> None:
        self._change(editing.change_symmetry(self._require_layout(), command.symmetry))

    @Handles(LayoutUndo)
    def _undo(self) -> None:
        self._step(self._past, self._future, "there is nothing to undo")

    @Handles(LayoutRedo)
    def _redo(self) -> None:
        self._step(self._future, self._past, "there is nothing to redo")

    @Handles(LayoutSave)
    def _save(self, command: LayoutSave) -> None:
        """Keep it among the user's own layouts; what was there by this name is kept beside it."""
        self.layout = editing.name_layout(self._require_layout(), command.title)
        name = name_file(self.layout.title)
        write_layout(find_own_folder() / f"{name}{SUFFIX}", self.layout)
        self.saved = name

    @Handles(LayoutClose)
    def _close(self) -> None:
        self.layout = None

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the page shows; built anew only when something has changed."""
        del session
        if self.layout is None:
            return
        shown = (self.layout, self.saved, self.selected, len(self._past), len(self._future))
        if self._view is None or shown != self._shown:
            self._shown, self._view = shown, self._build_view(self.layout)
        yield self._view

    def _require_layout(self) -> Layout:
        if self.layout is None:
            raise BadInput("no layout is open: choose one to edit first")
        return self.layout

    def _change(self, after: Layout) -> None:
        before = self._require_layout()
        added = {one.id for one in after.features} - {one.id for one in before.features}
        self.selected = next(iter(added), self.selected)
        self._past = [*self._past, before][-MOST_STEPS:]
        self._future, self.saved, self.layout = [], "", after

    def _step(self, origin: list[Layout], target: list[Layout], nothing: str) -> None:
        before = self._require_layout()
        if not origin:
            raise BadInput(nothing)
        target.append(before)
        self.layout, self.saved = origin.pop(), ""

    def _build_view(self, layout: Layout) -> View:
        placed = place_layout(layout)
        return View(
            layout_editor={
                "layout": LayoutEditorView(
                    title=layout.title,
                    width_mm=layout.table.width_mm,
                    depth_mm=layout.table.depth_mm,
                    symmetry=layout.symmetry,
                    pieces=[*_build_pieces(layout, placed)],
                    markers=[*_build_markers(layout, placed)],
                    zones=[
                        LayoutZoneView(side=int(zone.player or "1"), outline_mm=zone.outline_mm)
                        for zone in placed.deployment
                    ],
                    templates=list(TEMPLATE_VIEWS),
                    kinds=list(KINDS),
                    faults=[*find_faults(layout)],
                    selected=self.selected,
                    saved=self.saved,
                    can_undo=bool(self._past),
                    can_redo=bool(self._future),
                )
            }
        )


def _build_pieces(layout: Layout, placed: PlacedLayout) -> Iterator[LayoutPieceView]:
    forms = {form.id: form for form in layout.features}
    for feature in placed.features:
        own = feature.id if feature.id in forms else feature.id.removesuffix(TWIN)
        yield LayoutPieceView(
            id=feature.id,
            own=own,
            kind=feature.what,
            made_of=feature.pieces[0].kind if feature.what == "outline" else "",
            facing_deg=forms[own].facing_deg,
            height_mm=max(piece.height_mm for piece in feature.pieces),
            parts=[_build_part(piece.outline_mm, find_kind(piece)) for piece in feature.pieces],
        )


def _build_markers(layout: Layout, placed: PlacedLayout) -> Iterator[LayoutMarkerView]:
    own = {form.id for form in layout.objectives}
    for marker in placed.objectives:
        yield LayoutMarkerView(
            id=marker.id,
            own=marker.id if marker.id in own else marker.id.removesuffix(TWIN),
            x_mm=marker.x_mm,
            y_mm=marker.y_mm,
            radius_mm=marker.radius_mm,
            range_mm=marker.range_mm,
        )


def _build_part(outline_mm: tuple[tuple[float, float], ...], kind: str) -> LayoutPartView:
    paint = PALETTE[f"terrain-{kind}"]
    return LayoutPartView(outline_mm=outline_mm, fill=paint.fill, line=paint.stroke)


TEMPLATE_VIEWS = tuple(
    LayoutTemplateView(
        name=name,
        title=template.title,
        parts=[_build_part(part.outline_mm, part.substance) for part in template.build()],
    )
    for name, template in TEMPLATES.items()
)
