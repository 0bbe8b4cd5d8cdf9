"""Sheets of coded rings: those of a set-up's models, of an army's, or of bases and ids as they are named."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.armies.army import Army
from assistant.armies.game_composition import IdAllocator
from assistant.errors import BadInput
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import RingedBase, lay_ring, trace_base
from hardware.printing.coded_rings import Cutter, RingPrint, build_ring_pages, fits_sheet, measure_room_mm
from hardware.printing.page import Page, Paper
from hardware.rings.layout import RingKind
from hardware.rings.words import RingList

LEAST_CELL_MM = 1.2
"""Shorter cells blur into one another in a print and in every picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RingOrder:
    """A ring that somebody wants printed."""

    ring: int
    kind: RingKind
    base: BaseSpec
    label: str = ""
    band_mm: tuple[float, float] | None = None
    """Other than the kind's own."""


def order_setup_rings(bases: Iterable[object]) -> list[RingOrder]:
    """Return the rings of a set-up's models."""
    return [
        RingOrder(ring=b.ring, kind=RingKind(b.ring_kind), base=b.base, label=b.model, band_mm=b.band_mm)
        for b in bases
        if isinstance(b, RingedBase)
    ]


def order_army_rings(armies: Sequence[Army], kind: RingKind, rings: RingList, first: int) -> list[RingOrder]:
    """Return a ring for each model of some armies, under the ids that a game of theirs has.

    Args:
        armies: whose models.
        kind: of all of the rings.
        rings: which there are.
        first: the lowest that is given out.

    Raises:
        BadInput: there are more models than rings, or a unit has no base.

    """
    ids, orders, taken = IdAllocator(), list[RingOrder](), set[int]()
    for army in armies:
        for unit in army.units:
            base = unit.require_base(army.player)
            listed = rings.choose_words(is_round=base.round_mm is not None).ids
            free = (ring for ring in sorted(listed) if ring >= first and ring not in taken)
            for model in ids.allocate(unit, army.player)[1]:
                ring = next(free, None)
                if ring is None:
                    raise BadInput(
                        f"{army.player}, {unit.name}: there is no ring left for {model};"
                        f" for such a base there are {min(listed)} to {max(listed)}, given out from {first} on"
                    )
                taken.add(ring)
                orders.append(RingOrder(ring=ring, kind=kind, base=base, label=model))
    return orders


def build_coded_ring_sheets(
    orders: Sequence[RingOrder], rings: RingList, paper: Paper, cutter: Cutter, *, is_open: bool = False
) -> list[Page]:
    """Return the sheets of some rings; those for which the paper has no room are named at their foot.

    Args:
        orders: which rings.
        rings: the words and bands there are.
        paper: what is printed on.
        cutter: what the rings are cut out with.
        is_open: cut out the middles of halos, too.

    Raises:
        BadInput: a ring is not on the list, or has no room on its base, or the paper has no room for any.

    """
    prints = [build_ring_print(order, rings, is_open=is_open) for order in orders]
    fitting = [one for one in prints if fits_sheet(one, paper, cutter)]
    too_large = [one for one in prints if not fits_sheet(one, paper, cutter)]
    if not fitting:
        room_mm, high_room_mm = measure_room_mm(paper, cutter)
        raise BadInput(
            f"{_describe_size(too_large[0])}; {paper.name} paper has room for {room_mm:.0f} x {high_room_mm:.0f} mm:"
            " use a tag on this base"
        )
    note = f"no room on {paper.name} paper, use tags: {'; '.join(map(_describe_size, too_large))}" if too_large else ""
    return build_ring_pages(fitting, paper, cutter, note)


def _describe_size(one: RingPrint) -> str:
    wide_mm, high_mm = one.size_mm
    whose = f" of {one.label}" if one.label else ""
    return f"ring {one.ring}{whose} for {one.base_name} is {wide_mm:.0f} x {high_mm:.0f} mm"


def build_ring_print(order: RingOrder, rings: RingList, *, is_open: bool = False) -> RingPrint:
    """Return a ring as it is printed; errors as in `build_coded_ring_sheets`."""
    who = f"{order.label}: " if order.label else ""
    is_round = order.base.round_mm is not None
    words = rings.choose_words(is_round=is_round)
    if order.ring not in words.ids:
        raise BadInput(
            f"{who}there is no ring {order.ring} for {'round bases' if is_round else 'bases that are not round'};"
            f" expected one of {min(words.ids)} to {max(words.ids)}"
        )
    band = rings.bands[order.kind]
    try:
        layout = lay_ring(order.base.shape, band if order.band_mm is None else band.resize(*order.band_mm), words.cells)
    except ValueError as error:
        raise BadInput(f"{who}ring {order.ring}: {error}") from None
    if layout.cell_mm < LEAST_CELL_MM:
        raise BadInput(
            f"{who}ring {order.ring}: the {words.cells} cells of a {order.kind} for {order.base.name} are"
            f" {layout.cell_mm:.2f} mm long; {LEAST_CELL_MM:g} mm are needed:"
            f" use a {'halo' if order.kind is RingKind.RIM else 'larger base'}"
        )
    return RingPrint(
        ring=order.ring,
        word=words.ids[order.ring],
        layout=layout,
        outline_mm=tuple((float(x), float(y)) for x, y in trace_base(order.base.shape)),
        base_name=order.base.name,
        label=order.label,
        is_open=is_open,
    )
