"""Cell evidence: what a cell that has been read tells for being light, for being dark, and for neither.

A cell that is covered may look like anything.  So the logarithm of how much likelier light or dark is than anything
else saturates: a covered cell counts neither way, and one that contradicts a word counts against it no more than its
being covered by something of just that shade is unlikely.
"""

import math

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]

LEVEL_SIGMA = 0.1
"""Standard deviation of how light a cell that is seen looks, as a share of the contrast: light, shadow, print."""
ROUGH_SIGMA = 0.1
"""Root mean square of what is left of the samples of one that is seen, as a share of the contrast."""
COVERED_SHARE = 0.2
"""Of the cells that are covered, before anything is known of them."""
COVERED_SPAN = 1.6
"""What covers a cell is as likely to have any level within so much of the contrast."""
COVERED_ROUGH = 0.25
"""And leaves so much of its samples, root mean square."""


def weigh_cells(levels: Singles, rough: Singles) -> tuple[Singles, Singles]:
    """Return in nats how much likelier being light, and being dark, makes what cells look like than anything else does.

    Args:
        levels: how light they look, from 0 to 1.
        rough: root mean square of what this does not explain, as a share of the contrast.

    """
    peak = COVERED_SPAN / (LEVEL_SIGMA * math.sqrt(math.tau)) * COVERED_ROUGH / ROUGH_SIGMA
    smooth = peak * np.exp(-0.5 * rough**2 * (ROUGH_SIGMA**-2 - COVERED_ROUGH**-2))

    def weigh(level: float) -> Singles:
        seen = smooth * np.exp(-0.5 * ((levels - level) / LEVEL_SIGMA) ** 2)
        return np.asarray(np.log((1 - COVERED_SHARE) * seen + COVERED_SHARE), dtype=np.float32)

    return weigh(1.0), weigh(0.0)
