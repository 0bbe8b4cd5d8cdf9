"""Cell evidence: what a cell that has been read tells for being light, for being dark, and for neither.

A cell that is covered may look like anything.  So the logarithm of how much likelier light or dark is than anything
else saturates: a covered cell counts neither way, and one that contradicts a word counts against it no more than its
being covered by something of just that shade is unlikely.

Most cells that show something else are covered in part: by a figure's edge, a shadow, a smudge, a crease.  What covers
them is hardly ever as light as paper.  So a light cell of which a part is covered still looks lighter than most that
covers it, and a dark one darker, and between words that tells something, though no word is borne out by it.
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
WHOLLY_COVERED = 0.5
"""Share of covered cells that show nothing of themselves, or what nobody thought of."""
COVER_LEVEL = 0.7
"""What covers a part of a cell is as likely to be of any level up to this, and as likely to leave any share of it."""
LEAST_LEFT = 0.05
"""But something of what covers it is seen."""
BEYOND = 0.3
"""By how much more than paper, and less than ink, uneven light makes cells look."""


def weigh_cells(levels: Singles, rough: Singles) -> tuple[Singles, Singles]:
    """Return in nats how much likelier being light, and being dark, makes what cells look like than anything else does.

    Args:
        levels: how light they look, from 0 to 1.
        rough: root mean square of what this does not explain, as a share of the contrast.

    """
    peak = COVERED_SPAN / (LEVEL_SIGMA * math.sqrt(math.tau)) * COVERED_ROUGH / ROUGH_SIGMA
    smooth = peak * np.exp(-0.5 * rough**2 * (ROUGH_SIGMA**-2 - COVERED_ROUGH**-2))

    def weigh(level: float, covered: Singles) -> Singles:
        seen = smooth * np.exp(-0.5 * ((levels - level) / LEVEL_SIGMA) ** 2)
        return np.asarray(np.log((1 - COVERED_SHARE) * seen + COVERED_SHARE * covered), dtype=np.float32)

    light, dark = weigh_covered(levels)
    return weigh(1.0, light), weigh(0.0, dark)


def weigh_covered(levels: Singles) -> tuple[Singles, Singles]:
    """Return how much likelier what covered cells look like is if they are light, and dark, than if they were neither.

    With a cover's level c, any up to C, a light cell looks as likely like anything from c to 1, and a dark one like
    anything from 0 to c.  What is to be seen then has the densities -log(1 - min(level, C)) / C and
    log(C / level) / C.
    """
    light = -np.log(1 - np.clip(levels, 0.0, COVER_LEVEL)) * np.exp(-np.maximum(levels - 1, 0.0) / BEYOND)
    dark = np.log(COVER_LEVEL / np.clip(levels, LEAST_LEFT, COVER_LEVEL)) * np.exp(np.minimum(levels, 0.0) / BEYOND)
    in_part = (1 - WHOLLY_COVERED) * COVERED_SPAN / COVER_LEVEL

    def add_whole(density: Singles) -> Singles:
        return np.asarray(WHOLLY_COVERED + in_part * density, dtype=np.float32)

    return add_whole(light), add_whole(dark)
