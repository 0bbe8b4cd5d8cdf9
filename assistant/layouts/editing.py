"""Editing a layout: each change returns another layout, and what stands on the other half follows by its symmetry."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import shapely

from assistant.errors import BadInput
from assistant.files.documents import check
from assistant.game.state import Table
from assistant.game.terrain_places import TWIN
from assistant.layouts.layout import FeatureForm, Layout, Symmetry, encode_layout, parse_layout
from assistant.layouts.placing import place_layout
from assistant.layouts.templates import TEMPLATES

BESIDE_MM = 50.0
"""Where a copy comes to lie, from what it is a copy of."""
PLACES = 2
MARKER_MM = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """How a piece is moved."""

    dx_mm: float = 0.0
    dy_mm: float = 0.0
    turn_deg: float = 0.0
    """About the middle of what it covers."""
    flip: bool = False
    """As in a mirror along its own length."""


def begin_layout(table: Table) -> Layout:
    """Return a bare table, symmetric by half a turn."""
    size = {"width_mm": table.width_mm, "depth_mm": table.depth_mm}
    return parse_layout(
        {"format": Layout.name, "title": "My table", "table": size, "symmetry": "half-turn"}, "a bare table"
    )


def move_piece(layout: Layout, piece: str, motion: Motion) -> Layout:
    """Return a layout with a feature or an objective moved; where its twin is, as the symmetry moves that.

    Raises:
        BadInput: there is no such piece, or it cannot lie there.

    """
    own, is_twin = _find_own_id(layout, piece)
    if is_twin:
        motion = _reflect_motion(layout.symmetry, motion)
    if own in {one.id for one in layout.objectives}:
        return _revise_list(layout, "objectives", own, lambda one: _shift(one, motion.dx_mm, motion.dy_mm))
    return _revise_list(layout, "features", own, lambda one: _move_feature(layout, one, motion))


def add_template(layout: Layout, template: str, x_mm: float, y_mm: float) -> Layout:
    """Return a layout with one more piece of a template, its middle at a place; BadInput if there is none such."""
    if template not in TEMPLATES:
        raise BadInput(f"there is no template {template!r}; expected one of {', '.join(TEMPLATES)}")
    feature = {"id": _find_free_id(layout, template), "template": template, "x_mm": _round(x_mm), "y_mm": _round(y_mm)}
    return _revise(layout, features=[*_list_features(layout), feature])


def add_outline(layout: Layout, outline_mm: Sequence[tuple[float, float]]) -> Layout:
    """Return a layout with one more piece, of an outline of its own; BadInput if it is none, as one that crosses."""
    if len(outline_mm) < 3:
        raise BadInput("an outline has three corners or more: draw around the piece")
    middle = shapely.Polygon(outline_mm).centroid
    outline = [(_round(x - middle.x), _round(y - middle.y)) for x, y in outline_mm]
    feature = {"id": _find_free_id(layout, "piece"), "outline_mm": outline}
    return _revise(
        layout, features=[*_list_features(layout), {**feature, "x_mm": _round(middle.x), "y_mm": _round(middle.y)}]
    )


def add_objective(layout: Layout, x_mm: float, y_mm: float) -> Layout:
    """Return a layout with one more objective, of the size and range that the others have."""
    markers = encode_layout(layout).get("objectives", [])
    like = {key: value for key, value in (markers[0] if markers else {"radius_mm": MARKER_MM}).items() if key != "id"}
    taken = _list_ids(layout)
    letters = [chr(code) for code in range(ord("A"), ord("Z") + 1)]
    name = next((one for one in letters if one not in taken), _find_free_id(layout, "marker"))
    return _revise(layout, objectives=[*markers, {**like, "id": name, "x_mm": _round(x_mm), "y_mm": _round(y_mm)}])


def copy_piece(layout: Layout, piece: str) -> Layout:
    """Return a layout with a copy of a feature beside it; BadInput if there is no such feature."""
    own, _ = _find_own_id(layout, piece)
    found = next((one for one in _list_features(layout) if one["id"] == own), None)
    if found is None:
        raise BadInput(f"{piece} cannot be copied: add another marker instead")
    kind = found.get("template", "piece")
    return _revise(
        layout,
        features=[*_list_features(layout), {**_shift(found, BESIDE_MM, -BESIDE_MM), "id": _find_free_id(layout, kind)}],
    )


def remove_piece(layout: Layout, piece: str) -> Layout:
    """Return a layout without a feature or an objective, and without its twin; BadInput if there is none such."""
    own, _ = _find_own_id(layout, piece)
    document = encode_layout(layout)
    return _revise(
        layout,
        **{kind: [one for one in document.get(kind, []) if one["id"] != own] for kind in ("features", "objectives")},
    )


def change_piece(layout: Layout, piece: str, *, height_mm: float | None = None, kind: str | None = None) -> Layout:
    """Return a layout with a feature of another height, or an outline of another kind.

    Args:
        layout: the layout.
        piece: a feature, or its twin.
        height_mm: of its highest part; None to leave it.
        kind: what an outline is, such as ``woods``, with the traits that each game's rulebook has for that; None to
            leave it.

    Raises:
        BadInput: there is no such feature, or it cannot be so.

    """
    own, _ = _find_own_id(layout, piece)
    changes: dict[str, Any] = {} if height_mm is None else {"height_mm": height_mm}
    if kind is not None:
        changes |= {"kind": kind, "traits": None}
    return _revise_list(layout, "features", own, lambda one: {**one, **changes})


def change_symmetry(layout: Layout, symmetry: Symmetry) -> Layout:
    """Return a layout whose other half follows in another way."""
    return _revise(layout, symmetry=symmetry)


def name_layout(layout: Layout, title: str) -> Layout:
    """Return a layout of another title; BadInput where that is empty or too long."""
    return _revise(layout, title=title.strip())


def _find_own_id(layout: Layout, piece: str) -> tuple[str, bool]:
    """Return by which id a piece is written, and whether the named one is its twin."""
    known = _list_ids(layout)
    own = piece if piece in known else piece.removesuffix(TWIN)
    if own not in known:
        raise BadInput(f"there is no piece {piece!r} on this layout any more")
    return own, own != piece


def _list_ids(layout: Layout) -> set[str]:
    features, markers = {one.id for one in layout.features}, {one.id for one in layout.objectives}
    return features | markers | {zone.id for zone in layout.deployment}


def _find_free_id(layout: Layout, kind: str) -> str:
    taken = _list_ids(layout)
    return next(name for number in range(1, len(taken) + 2) if (name := f"{kind}-{number}") not in taken)


def _list_features(layout: Layout) -> list[dict[str, Any]]:
    features: list[dict[str, Any]] = encode_layout(layout).get("features", [])
    return features


def _revise(layout: Layout, **changes: object) -> Layout:
    """Return a layout with some keys changed, checked as if it had been read, twins and all."""
    changed = parse_layout({**encode_layout(layout), **changes}, "this layout")
    place_layout(changed)
    return changed


def _revise_list(layout: Layout, kind: str, own: str, change: Any) -> Layout:  # noqa: ANN401 - a function on JSON
    entries = encode_layout(layout).get(kind, [])
    return _revise(layout, **{kind: [change(one) if one["id"] == own else one for one in entries]})


def _shift(entry: dict[str, Any], dx_mm: float, dy_mm: float) -> dict[str, Any]:
    x_mm, y_mm = entry.get("x_mm", 0.0) + dx_mm, entry.get("y_mm", 0.0) + dy_mm
    return {**entry, "x_mm": _round(x_mm), "y_mm": _round(y_mm)}


def _move_feature(layout: Layout, entry: dict[str, Any], motion: Motion) -> dict[str, Any]:
    changed = {
        **entry,
        "facing_deg": round((entry.get("facing_deg", 0.0) + motion.turn_deg) % 360.0, PLACES),
        "mirrored": entry.get("mirrored", False) != motion.flip,
    }
    before, after = _find_middle(layout, entry), _find_middle(layout, changed)
    return _shift(changed, before.x - after.x + motion.dx_mm, before.y - after.y + motion.dy_mm)


def _find_middle(layout: Layout, entry: dict[str, Any]) -> shapely.Point:
    """Return the middle of what a feature covers."""
    alone = layout.model_copy(
        update={
            "features": (check(entry, FeatureForm, "this layout"),),
            "symmetry": "none",
            "objectives": (),
            "deployment": (),
        }
    )
    return shapely.Polygon(place_layout(alone).features[0].pieces[0].outline_mm).centroid


def _reflect_motion(symmetry: Symmetry, motion: Motion) -> Motion:
    """Return how the original moves when its twin does so."""
    match symmetry:
        case "half-turn":
            return replace(motion, dx_mm=-motion.dx_mm, dy_mm=-motion.dy_mm)
        case "left-right":
            return replace(motion, dx_mm=-motion.dx_mm, turn_deg=-motion.turn_deg)
        case "near-far":
            return replace(motion, dy_mm=-motion.dy_mm, turn_deg=-motion.turn_deg)
        case "none":
            return motion


def _round(mm: float) -> float:
    return round(mm, PLACES)
