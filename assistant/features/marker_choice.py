"""The choice of markers: which marker suits each kind of base, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from assistant.features.camera.marker_sizes import (
    CELL_PX,
    TableSight,
    advise_on_cells,
    find_cell_mm,
    find_halo_band,
    find_tag_mm,
    format_px,
)
from assistant.game.base_spec import BaseSpec
from assistant.game.state import GameState, Unit
from assistant.setup.bases import trace_base
from hardware.printing.page import RIM
from hardware.rings.layout import RingKind
from hardware.rings.words import RingList


class MarkerKind(StrEnum):
    """What a base may carry; a ring's kinds are called as `RingKind` calls them."""

    HALO = "halo"
    RIM = "rim"
    TAG = "tag"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseKind:
    """Models whose bases are alike, so that they are marked alike."""

    key: str
    """Such as ``round:32``, or ``roof rect:110x70`` for hulls."""
    base: BaseSpec
    has_roof: bool
    """Whether there is something flat and high above the base that carries a tag, as a vehicle's hull does."""
    models: tuple[str, ...]
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerOption:
    """One kind of marker for a kind of base."""

    is_read: bool
    """Whether the camera reads it all over the table."""
    text: str
    """How large it is in the picture, or what is wrong with it, in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerAdvice:
    """What is best for a kind of base."""

    kind: MarkerKind
    why: str
    """In a line, without its capital and its full stop."""


def list_base_kinds(state: GameState) -> tuple[BaseKind, ...]:
    """Return the kinds of bases in a game, in the order in which they come first."""
    kinds: dict[str, BaseKind] = {}
    for unit, model in state.iterate_models():
        base = BaseSpec.from_shape(model.base)
        has_roof = is_hull(unit, base)
        key = _name_kind(base, has_roof=has_roof)
        known = kinds.get(key)
        kinds[key] = BaseKind(
            key=key,
            base=base,
            has_roof=has_roof,
            models=(*(known.models if known else ()), model.id),
            units=tuple(dict.fromkeys((*(known.units if known else ()), unit.id))),
        )
    return tuple(kinds.values())


def is_hull(unit: Unit, base: BaseSpec) -> bool:
    """Whether a model has a roof: it stands without a base, or is a vehicle as long and wide as its base."""
    return base.outline_mm is not None or (base.rect_mm is not None and "vehicle" in unit.keywords)


def weigh_markers(kind: BaseKind, rings: RingList, sight: TableSight) -> dict[MarkerKind, MarkerOption]:
    """Return what a camera makes of each marker on a kind of base."""
    return {
        MarkerKind.HALO: _weigh_ring(kind.base, RingKind.HALO, rings, sight),
        MarkerKind.RIM: _weigh_ring(kind.base, RingKind.RIM, rings, sight),
        MarkerKind.TAG: _weigh_tag(kind, sight),
    }


def recommend_marker(kind: BaseKind, options: Mapping[MarkerKind, MarkerOption]) -> MarkerAdvice:
    """Return the marker that suits a kind of base best, given what the camera makes of each."""
    halo, rim, tag = (options[marker] for marker in (MarkerKind.HALO, MarkerKind.RIM, MarkerKind.TAG))
    if kind.has_roof and tag.is_read:
        return MarkerAdvice(kind=MarkerKind.TAG, why=f"nothing hides a tag on its roof; {tag.text}")
    if kind.base.rect_mm is not None and rim.is_read and not kind.has_roof:
        return MarkerAdvice(kind=MarkerKind.RIM, why=f"in ranks a halo would lie under its neighbours; {rim.text}")
    if halo.is_read:
        return MarkerAdvice(kind=MarkerKind.HALO, why=f"a figure hides a tag on its base; {halo.text}")
    return MarkerAdvice(kind=MarkerKind.HALO, why=halo.text)


def _weigh_ring(base: BaseSpec, ring_kind: RingKind, rings: RingList, sight: TableSight) -> MarkerOption:
    is_halo = ring_kind is RingKind.HALO
    band = find_halo_band(base, rings, sight.px_per_mm) if is_halo else rings.bands[ring_kind]
    cell_px = find_cell_mm(base, band, rings) * sight.px_per_mm
    if not cell_px:
        return MarkerOption(is_read=False, text=f"there is no room for a {ring_kind}")
    if cell_px < CELL_PX:
        return MarkerOption(is_read=False, text=advise_on_cells(base, rings, cell_px, sight))
    wide = "" if band == rings.bands[ring_kind] else f"a halo of {band.outer_mm - band.inner_mm:g} mm, "
    return MarkerOption(is_read=True, text=f"{wide}{format_px(cell_px)} px a cell, {CELL_PX:g} are needed")


def _weigh_tag(kind: BaseKind, sight: TableSight) -> MarkerOption:
    room_mm = float(np.floor(np.ptp(trace_base(kind.base.shape), axis=0).min() / RIM))
    needed_mm = find_tag_mm(sight.px_per_mm)
    if room_mm < needed_mm:
        return MarkerOption(is_read=False, text=f"there is room for {room_mm:g} mm, {needed_mm:g} are needed")
    if not kind.has_roof:
        return MarkerOption(is_read=True, text=f"{needed_mm:g} mm are needed, beside the figure")
    return MarkerOption(is_read=True, text=f"{needed_mm:g} mm or more are needed")


def _name_kind(base: BaseSpec, *, has_roof: bool) -> str:
    if base.outline_mm is not None:
        wide_mm, deep_mm = np.ptp(np.array(base.outline_mm), axis=0)
        return f"outline:{wide_mm:.0f}x{deep_mm:.0f}"
    return f"roof {base.name}" if has_roof else base.name


def describe_base(base: BaseSpec) -> str:
    """Return what people call a base: "32 mm, round"."""
    if base.outline_mm is not None:
        wide_mm, deep_mm = np.ptp(np.array(base.outline_mm), axis=0)
        return f"{wide_mm:.0f} × {deep_mm:.0f} mm, no base"
    shape, _, size = base.name.partition(":")
    return f"{size.replace('x', ' × ')} mm, {SHAPE_WORDS[shape]}"


SHAPE_WORDS = {"round": "round", "oval": "oval", "rect": "rectangular"}
