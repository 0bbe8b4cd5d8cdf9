"""The wizard's markers: how each kind of base is marked, and which marker each model gets.

A model keeps the marker that it has; the others get the next that are free.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.errors import BadInput
from assistant.features.camera.marker_sizes import TableSight, find_halo_band, find_tag_mm
from assistant.features.demo.catalogue import TAG_HEIGHT_MM, glue_tag
from assistant.features.enrolment.laid_rings import MIDDLE_SIGMA_DEG, MIDDLE_SIGMA_MM, lay_ring_by_hand
from assistant.features.marker_choice import (
    BaseKind,
    MarkerAdvice,
    MarkerKind,
    MarkerOption,
    list_base_kinds,
    recommend_marker,
    weigh_markers,
)
from assistant.game.base_spec import BaseSpec
from assistant.game.state import GameState, Model
from assistant.setup.bases import BaseSection, RingedBase, TaggedBase, TagInBase, trace_base
from assistant.setup.draft import DraftReading
from hardware.printing.page import RIM
from hardware.printing.sheets import ENROLMENT_FIRST_TAG
from hardware.rings.layout import RingKind
from hardware.rings.words import RingList
from vision.marker_numbers import number_ring

HEIGHT_SIGMA_MM = 1.0
"""How well anybody knows how high something is who has not measured it."""
ROOF_MM, ROOF_SIGMA_MM = 40.0, 15.0
"""How high the roof of a hull is of which nobody has said it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedKind:
    """A kind of base, and how it is marked."""

    kind: BaseKind
    options: Mapping[MarkerKind, MarkerOption]
    advice: MarkerAdvice
    chosen: MarkerKind


def choose_markers(
    state: GameState,
    choices: Mapping[str, str],
    enrolments: Sequence[BaseSection],
    *,
    rings: RingList,
    sight: TableSight,
) -> tuple[MarkedKind, ...]:
    """Return how each kind of base is marked: as somebody chose, as it is already, or as is best.

    Args:
        state: the game.
        choices: what somebody chose, by kind of base.
        enrolments: the enrolments there are, of this game's models or of others.
        rings: which there are.
        sight: how fine the camera sees the table.

    """
    has = {base.model: name_marker_kind(base) for base in enrolments}
    marked = []
    for kind in list_base_kinds(state):
        options = weigh_markers(kind, rings, sight)
        advice = recommend_marker(kind, options)
        there = next((has[model] for model in kind.models if model in has), advice.kind)
        chosen = MarkerKind(choices[kind.key]) if choices.get(kind.key) in set(MarkerKind) else there
        marked.append(MarkedKind(kind=kind, options=options, advice=advice, chosen=chosen))
    return tuple(marked)


def name_marker_kind(base: BaseSection) -> MarkerKind:
    """Return what an enrolled base carries."""
    return MarkerKind.TAG if isinstance(base, TaggedBase) else MarkerKind(base.ring_kind)


def assign_markers(
    state: GameState,
    marked: Sequence[MarkedKind],
    enrolments: Sequence[BaseSection],
    *,
    taken: frozenset[int],
    rings: RingList,
    sight: TableSight,
) -> tuple[BaseSection, ...]:
    """Return a marker for every model of a game: the one that it has, or the next that is free.

    Args:
        state: the game.
        marked: how each of its kinds of base is marked.
        enrolments: the enrolments there are, of this game's models or of others.
        taken: tags that lie on the table.
        rings: which there are.
        sight: how fine the camera sees the table.

    Raises:
        BadInput: there are more models than markers.

    """
    chosen = {model: entry.chosen for entry in marked for model in entry.kind.models}
    has = {base.model: base for base in enrolments}
    models = [model for _, model in state.iterate_models()]
    kept = {
        model.id: base
        for model in models
        if (base := has.get(model.id)) is not None
        and base.base == BaseSpec.from_shape(model.base)
        and name_marker_kind(base) is chosen[model.id]
        and base.marker not in taken
    }
    free = _MarkerSupply(taken | {base.marker for base in kept.values()}, rings)
    return tuple(kept.get(model.id) or _give_marker(model, chosen[model.id], free, sight) for model in models)


class _MarkerSupply:
    """Gives out markers that are free, the lowest first."""

    def __init__(self, taken: frozenset[int] | set[int], rings: RingList) -> None:
        self.rings = rings
        self._taken = set(taken)

    def take_tag(self) -> int:
        return self._take(range(1, ENROLMENT_FIRST_TAG), 0, "tags")

    def take_ring(self, *, is_round: bool) -> int:
        ids = self.rings.choose_words(is_round=is_round).ids
        what = "rings for round bases" if is_round else "rings for bases that are not round"
        return self._take(sorted(ids.keys() - {0}), number_ring(0), what)

    def _take(self, numbers: Sequence[int], offset: int, what: str) -> int:
        for number in numbers:
            if offset + number not in self._taken:
                self._taken.add(offset + number)
                return number
        raise BadInput(f"there are more models than {what}, of which there are {len(numbers)}")


def _give_marker(model: Model, kind: MarkerKind, free: _MarkerSupply, sight: TableSight) -> BaseSection:
    if kind is MarkerKind.TAG:
        return _glue_readable_tag(free.take_tag(), model, sight)
    base = BaseSpec.from_shape(model.base)
    band_mm = None
    if kind is MarkerKind.HALO:
        band = find_halo_band(base, free.rings, sight.px_per_mm)
        if band != free.rings.bands[RingKind.HALO]:
            band_mm = (band.inner_mm, band.outer_mm)
    return RingedBase(
        ring=free.take_ring(is_round=base.round_mm is not None),
        ring_kind="halo" if kind is MarkerKind.HALO else "rim",
        model=model.id,
        base=base,
        height_mm=TAG_HEIGHT_MM,
        band_mm=band_mm,
    )


def _glue_readable_tag(tag: int, model: Model, sight: TableSight) -> TaggedBase:
    """Return a base with a tag that the camera reads, as far as there is room for it."""
    usual = glue_tag(tag, model)
    room_mm = math.floor(np.ptp(trace_base(model.base), axis=0).min() / RIM)
    size_mm = max(usual.size_mm, min(float(room_mm), find_tag_mm(sight.px_per_mm)))
    return usual if size_mm == usual.size_mm else glue_tag(tag, model, size_mm)


def lay_marker(base: BaseSection, kind: BaseKind, reading: DraftReading) -> BaseSection:
    """Return a base whose marker was given out, as it is once somebody has put it there by eye.

    A tag is glued in the middle; a ring is laid around the base, or stuck along its edge.
    """
    if isinstance(base, TaggedBase):
        said_mm = reading.heights_mm.get(kind.key)
        height_mm, sigma_mm = reading.tag_height_mm if said_mm is None else said_mm, HEIGHT_SIGMA_MM
        if kind.has_roof and said_mm is None:
            height_mm, sigma_mm = ROOF_MM, ROOF_SIGMA_MM
        return base.model_copy(
            update={
                "size_mm": round(base.size_mm * reading.stretch, 2),
                "tag_in_base": TagInBase(sigma_mm=MIDDLE_SIGMA_MM, sigma_deg=MIDDLE_SIGMA_DEG),
                "height_mm": height_mm,
                "height_sigma_mm": sigma_mm,
            }
        )
    return base.model_copy(
        update={
            "ring_in_base": lay_ring_by_hand(base.base),
            "height_mm": reading.tag_height_mm,
            "height_sigma_mm": HEIGHT_SIGMA_MM,
        }
    )


def is_measured(base: BaseSection) -> bool:
    """Whether it is known well where the marker of a base is: a tag was measured, a ring is laid around its base."""
    inside = base.tag_in_base if isinstance(base, TaggedBase) else base.ring_in_base
    return 0 < inside.sigma_mm < MIDDLE_SIGMA_MM
