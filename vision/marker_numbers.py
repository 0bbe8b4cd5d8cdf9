"""Marker numbers: one number for each marker on the table, whether it is a tag or a ring.

A tag's number is its own id.  Rings are counted from `FIRST_RING` on, so that tracks, journals and lists hold both
kinds in one space, in one order.  Files and people never see these numbers: they see "tag 17" or "ring 17".
"""

FIRST_RING = 1000
"""Above every tag of the family."""


def number_ring(ring: int) -> int:
    """Return the marker number of a ring."""
    return FIRST_RING + ring


def is_ring(marker: int) -> bool:
    """Whether a marker is a ring."""
    return marker >= FIRST_RING


def get_ring(marker: int) -> int:
    """Return the ring's own id; ValueError for a tag."""
    if not is_ring(marker):
        raise ValueError(f"marker {marker} is a tag")
    return marker - FIRST_RING


def name_marker(marker: int) -> str:
    """Return what people call a marker.

    >>> name_marker(17), name_marker(number_ring(17))
    ('tag 17', 'ring 17')
    """
    return f"ring {get_ring(marker)}" if is_ring(marker) else f"tag {marker}"
