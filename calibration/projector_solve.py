"""One fit of a projector's numbers to tags of light, robust against tags that do not belong to the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.least_squares import solve
from calibration.projector import Floats, ProjectorOverTable, cast_light, radius_px

CENTRE_SIGMA = 0.5
"""Of a principal point, as a share of the picture's size: a lens shift may put it on the picture's edge."""
LENS_SIGMA = (0.15, 0.08, 0.01, 0.01)
"""Of k1, k2, p1, p2 as lenses are made, where distances are counted in half diagonals."""
BLEED_SIGMA_PX = 1.0
"""Light spills over edges: a dark square seems smaller, by the same amount on every side."""
ROUNDS, AGAIN = 5, 3
DOUBTFUL = 2.5
"""A tag so many times farther off than is usual counts half."""
LEAST_SIGMA_MM = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedTag:
    """A tag of light: where it was thrown from, and where it was seen to fall."""

    tag: int
    pixels: Floats
    """(4, 2) corners of its dark square in the projector's picture, counter-clockwise seen on the table."""
    places_mm: Floats
    """(4, 2) where the camera sees them on the table."""
    covariance_mm2: Floats
    """(8, 8) of these, from the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """Parameters and what is left."""

    parameters: Floats
    covariance: Floats
    bleed_px: float


def centres_off_mm(tags: Sequence[ProjectedTag], parameters: Floats, image_size: tuple[int, int]) -> Floats:
    """(n, 2) how far each tag's centre is seen from where it should be, mm; bleeding edges do not move it."""
    places = np.concatenate([tag.places_mm for tag in tags])
    projector = ProjectorOverTable(image_size=image_size, parameters=parameters, covariance=np.zeros((14, 14)))
    off_px = projector.projector_from_table(places) - np.concatenate([tag.pixels for tag in tags])
    off_mm = np.linalg.solve(projector.scale_px_per_mm(places), off_px[:, :, None])
    return np.asarray(off_mm.reshape(-1, 4, 2).mean(axis=1))


def fit_once(
    tags: Sequence[ProjectedTag], image_size: tuple[int, int], free: tuple[int, ...], start: Fitted | None = None
) -> Fitted:
    """Fit the homography and the parameters that are free; from another fit it takes fewer rounds."""
    places, pixels = np.array([tag.places_mm for tag in tags]), np.array([tag.pixels for tag in tags])
    noise_mm2 = np.array([tag.covariance_mm2 for tag in tags]) + LEAST_SIGMA_MM**2 * np.eye(8)
    inward = -_outward(pixels).reshape(-1, 8)
    unit_px = radius_px(image_size)
    opened = np.array([*range(8), *free])
    prior, sigma = _prior(image_size)
    spread = sigma[opened]
    information = np.zeros((len(opened) + 1, len(opened) + 1))
    information[8:-1, 8:-1] = np.diag(spread[8:] ** -2.0)
    information[-1, -1] = BLEED_SIGMA_PX**-2
    parameters, bleed_px = (start.parameters, start.bleed_px) if start else (prior.copy(), 0.0)
    if start is None:
        parameters[:8] = _first(places.reshape(-1, 2), pixels.reshape(-1, 2))
    weight, covariance = np.ones(len(tags)), np.zeros((14, 14))
    for _ in range(ROUNDS if start is None else AGAIN):
        projector = ProjectorOverTable(image_size=image_size, parameters=parameters, covariance=covariance)
        local = np.zeros((len(tags), 8, 8))
        steps = projector.scale_px_per_mm(places.reshape(-1, 2)).reshape(-1, 4, 2, 2)
        for k in range(4):
            local[:, 2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = steps[:, k]
        whitening = np.linalg.inv(np.linalg.cholesky(local @ noise_mm2 @ local.transpose(0, 2, 1)))
        whitening *= np.sqrt(weight)[:, None, None]

        def residuals(now: Floats, whitening: Floats = whitening) -> tuple[Floats, Floats]:
            whole = prior.copy()
            whole[opened] = now[:-1]
            seen, slope = cast_light(places.reshape(-1, 2), whole, unit_px)
            off = (seen - pixels.reshape(-1, 2)).reshape(-1, 8) - now[-1] * inward
            slopes = np.concatenate([slope[:, :, opened].reshape(-1, 8, len(opened)), -inward[:, :, None]], axis=2)
            return (whitening @ off[:, :, None]).ravel(), (whitening @ slopes).reshape(-1, len(opened) + 1)

        found = solve(
            residuals=residuals,
            start=np.append(parameters[opened], bleed_px),
            prior=np.append(prior[opened], 0.0),
            information=information,
        )
        parameters, bleed_px = prior.copy(), float(found.parameters[-1])
        parameters[opened] = found.parameters[:-1]
        off_mm = np.linalg.norm(centres_off_mm(tags, parameters, image_size), axis=1)
        usual = max(LEAST_SIGMA_MM, 1.48 * float(np.median(off_mm)))
        weight = 1 / (1 + (off_mm / (DOUBTFUL * usual)) ** 2)
        # What tags are off beyond their pictures' noise is another for each tag: the floor learns it.
        noise_mm2 = np.array([tag.covariance_mm2 for tag in tags]) + _shared(usual)
        covariance[np.ix_(opened, opened)] = found.covariance[:-1, :-1]
    return Fitted(parameters=parameters, covariance=covariance, bleed_px=bleed_px)


def _shared(sigma_mm: float) -> Floats:
    """(8, 8) covariance of a tag whose corners are all off by the same unknown step, and a little each."""
    whole = np.kron(np.ones((4, 4)), np.eye(2)) * (sigma_mm**2 / 2)
    return np.asarray(whole + (0.3 * sigma_mm + LEAST_SIGMA_MM) ** 2 * np.eye(8))


def _prior(image_size: tuple[int, int]) -> tuple[Floats, Floats]:
    """(14,) what is known of a projector that nobody has measured, and (14,) how surely; the homography is open."""
    width, height = image_size
    middle = [(width - 1) / 2, (height - 1) / 2]
    mean = np.array([*[0.0] * 8, *middle, 0.0, 0.0, 0.0, 0.0])
    return mean, np.array([*[np.inf] * 8, CENTRE_SIGMA * width, CENTRE_SIGMA * height, *LENS_SIGMA])


def _first(places: Floats, pixels: Floats) -> Floats:
    """(8,) a homography that most corners agree to."""
    rows = np.array(cv2.findHomography(places, pixels, cv2.LMEDS)[0], dtype=np.float64)
    if rows.shape != (3, 3) or not np.isfinite(rows).all() or abs(rows[2, 2]) < 1e-12:
        raise Unsolvable("the projected tags fit no projector; take away what stands in the light and try again")
    return np.asarray((rows / rows[2, 2]).ravel()[:8])


def _outward(squares: Floats) -> Floats:
    """(n, 4, 2) how far each corner moves when every edge moves outward by one pixel, whichever way round it goes."""
    along = np.roll(squares, -1, axis=1) - squares
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    return np.asarray(np.roll(along, 1, axis=1) - along)
