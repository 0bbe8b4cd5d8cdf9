"""Orders of some things in which each is linked to the next, by the best links that there are."""

from collections.abc import Collection, Mapping
from itertools import pairwise

Link = tuple[int, int]
"""From one thing to the next."""
Worth = tuple[int, float]
"""The grade of a link, the higher the better, and what tells links of one grade apart."""


def best_order(count: int, links: Mapping[Link, Worth]) -> tuple[int, ...]:
    """Return an order of all things in which the lowest grade of a link is as high as it can be.

    Exact in the grade: where the best links, taken as they come, do not do, orders by links of the highest grades are
    searched for.  Such links are few, for they join neighbours.

    Args:
        count: how many things there are, 0 to count - 1.
        links: from every one to every other.

    """
    order = _greedy(count, links)
    reached = min((links[link][0] for link in pairwise(order)), default=0)
    for grade in sorted({grade for grade, _ in links.values() if grade > reached}, reverse=True):
        found = _linked(count, {link for link, worth in links.items() if worth[0] >= grade})
        if found is not None:
            return found
    return order


def _greedy(count: int, links: Mapping[Link, Worth]) -> tuple[int, ...]:
    """Return the order that joins all things by the best links first, as far as each fits those before it."""
    after, before = dict[int, int](), dict[int, int]()
    for one, two in sorted(links, key=links.__getitem__, reverse=True):
        if one not in after and two not in before and _last(two, after) != one:
            after[one], before[two] = two, one
    first = next((thing for thing in range(count) if thing not in before), 0)
    order = [first] if count else []
    while order and order[-1] in after:
        order.append(after[order[-1]])
    return tuple(order)


def _last(thing: int, after: Mapping[int, int]) -> int:
    while thing in after:
        thing = after[thing]
    return thing


def _linked(count: int, links: Collection[Link]) -> tuple[int, ...] | None:
    """Return an order by some links only; None if there is none."""
    onward = {thing: [two for one, two in links if one == thing] for thing in range(count)}
    if count - len({two for _, two in links}) > 1 or sum(not ways for ways in onward.values()) > 1:
        return None  # an order has one first and one last

    def extended(order: tuple[int, ...]) -> tuple[int, ...] | None:
        if len(order) == count:
            return order
        tried = (extended((*order, two)) for two in onward[order[-1]] if two not in order)
        return next((found for found in tried if found is not None), None)

    started = (extended((first,)) for first in range(count))
    return next((found for found in started if found is not None), None)
