"""All pairs: the clearances of every two shapes that stand together."""

import numpy as np

from assistant.geometry.clearance.pairwise import PairClearances, measure_pairs
from assistant.geometry.clearance.shape_arrays import ShapeArrays


def measure_all_pairs(standing: ShapeArrays) -> PairClearances:
    """Return the clearances of all pairs, first < second."""
    first, second = np.triu_indices(standing.count, k=1)
    return measure_pairs(standing, first, second)
