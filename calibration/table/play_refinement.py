"""Play refinement: the camera and its lens, known better by tags that lay still all over the table in a game.

A tag on a base is a square of known size at a known height, wherever it lies: that it is a square, and as large in one
part of the table as in another, is what a game tells of the lens.  However long it lies there, it is one observation:
what its print and the light do to its corners stays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.design_prediction import map_error
from calibration.errors import Unsolvable
from calibration.least_squares import solve_least_squares
from calibration.spaces import CameraOverTable, Floats, Lens, project
from calibration.table.camera_pose import (
    BLEED_SIGMA_PX,
    LEAST_SIGMA_PX,
    compare_with_known,
    compute_outward_steps,
    differentiate_by_place,
    differentiate_by_point,
)

LEAST_TAGS = 24
"""Fewer do not tell the lens, and leave nothing to hold out."""
SHARED_SIGMAS = np.array([BLEED_SIGMA_PX, 0.02, 0.02, 0.02, 0.02, 0.005])
"""What all tags share, one standard deviation each: how far their edges bleed (px), and how much more at the right and
the top rim of the picture, and in its corners than in the middle (px: light and focus differ); by which share all
prints are too large, and wider than they are high."""
FREE = 5
"""Of a tag's eight numbers: three say where it lies."""
MEDIAN_OF_FREE = 4.35
"""Of the sum of squares of so many normal deviates."""
STUDENT_FREEDOM = 6
"""Of Student's distribution of what tags are off (Lange, Little and Taylor, Journal of the American Statistical
Association 84, 1989): fewer, and a tag that is far off weighs less."""
FIRST_SIGMA_PX = 0.1
CAMERA = 15
"""Parameters of a camera over the table: turn, shift and lens."""
LENS = slice(6, CAMERA)
NOTHING = 1e-6
"""What is known of the camera's place without the anchors, beside what they tell; not zero, for the rounding."""
SQUARE = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j]) / 2
NEIGHBOURHOODS = (4, 3)
"""Parts of the picture in which tags may be off alike."""
ROUNDS = 4
PLACINGS = 3
"""How often tags and anchors are asked in turn."""
BETTER_SHARE = 0.8
"""The error to expect is better where it is no more than this share of what it was: bases would lie otherwise by about
as much as they are off, and by a smaller gain they are often worse off by luck."""
BETTER_SIGMAS = 3.5
"""Held-out tags bear a lens out where they fit better by so many standard deviations of by how much they do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingTag:
    """A tag that lay still: where is open."""

    tag: int
    size_mm: float
    height_mm: float
    """Above the table."""
    corners_px: Floats
    """(4, 2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayRefinement:
    """What a game tells of the lens beyond what was known."""

    camera: CameraOverTable
    """By the anchors, with the lens."""
    lens: Lens
    """As the tags tell it: what the anchors tell is added wherever they are seen."""
    tags: int
    before_mm: float
    """The largest error to expect on the table by the calibration in use."""
    after_mm: float
    """The same as it would be with the lens that is offered."""
    held_out_before_px: float
    """Root mean square by which the corners of tags are off squares, with the calibration in use."""
    held_out_px: float
    """The same with what the other half of the tags tells."""
    held_out_before_mm: float
    held_out_mm: float
    """Both as they are on the table."""
    gain_sigmas: float
    """By how many standard deviations held-out tags fit better."""

    @property
    def text(self) -> str:
        """What it comes to, for people."""
        return (
            f"{self.tags} tags that lay still tell more of the lens: the largest error to expect on the table would be"
            f" {self.after_mm:.2f} mm instead of {self.before_mm:.2f} mm. Tags that it was not made from fit within"
            f" {self.held_out_mm:.3f} mm instead of {self.held_out_before_mm:.3f} mm."
        )

    @property
    def is_better(self) -> bool:
        """Whether it is worth having: surer, and borne out by tags that it was not made from."""
        return self.after_mm < BETTER_SHARE * self.before_mm and self.gain_sigmas > BETTER_SIGMAS


PlaceCamera = Callable[[Lens, CameraOverTable], CameraOverTable]
"""Returns the camera that the anchors make of a lens, beginning with another camera."""


def refine_from_play(
    *,
    known: Lens,
    in_use: CameraOverTable,
    place: PlaceCamera,
    resting: Sequence[RestingTag],
    width_mm: float,
    depth_mm: float,
) -> PlayRefinement:
    """Add what tags at rest tell to a camera that is known by its anchors, and compare both on tags held out.

    Args:
        known: what is known of the lens but for the table.
        in_use: the camera by the anchors alone, with its covariance.
        place: solves the camera from the anchors anew, with another lens.
        resting: tags all over the table, seen from the same place as the anchors.
        width_mm: of the table.
        depth_mm: of the table.

    Raises:
        Unsolvable: too few tags.

    """
    if len(resting) < LEAST_TAGS:
        raise Unsolvable(
            f"tags lay still at only {len(resting)} places where they could be measured; {LEAST_TAGS} are needed"
        )
    whole = _PlayProblem(known=known, in_use=in_use, place=place, tags=tuple(resting))
    camera, lens = whole.solve()
    held_out, held_out_before = np.zeros(len(resting)), np.zeros(len(resting))
    for half in (slice(None, None, 2), slice(1, None, 2)):
        there = _PlayProblem(known=known, in_use=in_use, place=place, tags=tuple(resting[half]))
        at = np.ones(len(resting), dtype=bool)
        at[half] = False
        rest = [tag for tag, is_other in zip(resting, at, strict=True) if is_other]
        held_out[at] = _measure_misfits(there.solve()[0], rest)
        held_out_before[at] = _measure_misfits(in_use, rest)
    gain = held_out_before - held_out
    edges_px = np.array([cv2.arcLength(tag.corners_px.astype(np.float32), True) / 4 for tag in resting])
    mm2_per_px2 = (np.array([tag.size_mm for tag in resting]) / edges_px) ** 2
    size = {"width_mm": width_mm, "depth_mm": depth_mm}
    return PlayRefinement(
        camera=camera,
        lens=lens,
        tags=len(resting),
        before_mm=map_error(in_use, **size).worst_mm,
        after_mm=map_error(camera, **size).worst_mm,
        held_out_before_px=float(np.sqrt(held_out_before.mean())),
        held_out_px=float(np.sqrt(held_out.mean())),
        held_out_before_mm=float(np.sqrt((held_out_before * mm2_per_px2).mean())),
        held_out_mm=float(np.sqrt((held_out * mm2_per_px2).mean())),
        gain_sigmas=float(gain.mean() / max(gain.std() / np.sqrt(len(gain)), 1e-12)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlayProblem:
    known: Lens
    in_use: CameraOverTable
    place: PlaceCamera
    tags: tuple[RestingTag, ...]

    def solve(self) -> tuple[CameraOverTable, Lens]:
        """Return the camera by the anchors with the lens that the tags tell, and that lens.

        What the anchors tell is linear near their own solve only; with an open lens the answer is far from there, and
        the sum of both would be surer than it may be.  It is where to begin: what tags tell there makes a lens, with
        which the anchors are asked anew, as they are when it is used.
        """
        prior = np.concatenate([self.in_use.parameters, [self.in_use.bleed_px], np.zeros(len(SHARED_SIGMAS) - 1)])
        information = np.diag(np.concatenate([np.zeros(CAMERA), SHARED_SIGMAS**-2]))
        information[:CAMERA, :CAMERA] = _invert(self.in_use.covariance)
        sigmas, found = np.full(len(self.tags), FIRST_SIGMA_PX), prior
        for _ in range(ROUNDS):
            whitened = self._build_residuals(sigmas)
            solution = solve_least_squares(residuals=whitened, start=found, prior=prior, information=information)
            found = solution.parameters
            sigmas = self._estimate_sigmas(found, solution.covariance)
        camera = _place_camera(self.in_use, found, solution.covariance[:CAMERA, :CAMERA])
        for _ in range(PLACINGS):
            lens = self._forget_anchors(np.concatenate([camera.parameters, found[CAMERA:]]), sigmas)
            camera = self.place(lens, camera)
        return camera, lens

    def _build_residuals(self, sigmas: Floats) -> Callable[[Floats], tuple[Floats, Floats]]:
        def whitened(parameters: Floats) -> tuple[Floats, Floats]:
            off, slopes = self._compute_offsets(parameters)
            return (off / sigmas[:, None]).ravel(), (slopes / sigmas[:, None, None]).reshape(-1, len(parameters))

        return whitened

    def _compute_offsets(self, parameters: Floats) -> tuple[Floats, Floats]:
        camera = _place_camera(self.in_use, parameters, self.in_use.covariance)
        return _compute_offsets(camera, parameters[CAMERA:], self.tags)

    def _estimate_sigmas(self, parameters: Floats, covariance: Floats) -> Floats:
        """(n,) Return how far a coordinate of each tag's corners is off, px, one standard deviation.

        What neighbours are off they may have in common: then they tell less together than each by itself.  How much
        less is told by what all of a neighbourhood pull on the parameters, beside what they would if each were off by
        itself.
        """
        off, slopes = self._compute_offsets(parameters)
        squares = (off**2).sum(axis=1)
        variance = max(float(np.median(squares)) / MEDIAN_OF_FREE, LEAST_SIGMA_PX**2)
        own = variance * np.maximum(1.0, (STUDENT_FREEDOM + squares / variance) / (STUDENT_FREEDOM + FREE))
        pulls = np.einsum("npi,np->ni", slopes, off) / own[:, None]
        informs = slopes.transpose(0, 2, 1) @ slopes / own[:, None, None]
        middles = np.array([tag.corners_px.mean(axis=0) for tag in self.tags])
        parts = (middles / self.known.image_size * NEIGHBOURHOODS).astype(int) @ (1, NEIGHBOURHOODS[0])
        together = expected = 0.0
        for part in np.unique(parts):
            pull, inform = pulls[parts == part].sum(axis=0), informs[parts == part].sum(axis=0)
            together += float(pull @ covariance @ pull)
            expected += float(np.trace(covariance @ (inform - inform @ covariance @ inform)))
        return np.asarray(np.sqrt(own * max(1.0, together / expected)))

    def _forget_anchors(self, parameters: Floats, sigmas: Floats) -> Lens:
        """Return the lens as surely as it is known by the tags and what was known of it, without the anchors.

        They are seen again wherever the lens is used, and would count twice.  It is told by what both pull on the
        parameters where all of them together leave it: there its shape is right however open the focal length is.
        """
        off, slopes = self._compute_offsets(parameters)
        known, by_lens = compare_with_known(self.known, parameters[LENS])
        weighted = slopes / sigmas[:, None, None] ** 2
        informed = np.einsum("npi,npj->ij", slopes, weighted)
        informed[LENS, LENS] += by_lens.T @ by_lens
        informed[CAMERA:, CAMERA:] += np.diag(SHARED_SIGMAS**-2)
        informed[:6, :6] += NOTHING * np.diag(_invert(self.in_use.covariance).diagonal()[:6])
        pull = np.einsum("npi,np->i", weighted, off)
        pull[LENS] += by_lens.T @ known
        pull[CAMERA:] += (parameters[CAMERA:] - [self.in_use.bleed_px, 0, 0, 0, 0, 0]) / SHARED_SIGMAS**2
        covariance = _invert(informed)
        return Lens(
            image_size=self.known.image_size,
            parameters=(parameters - covariance @ pull)[LENS],
            covariance=covariance[LENS, LENS],
            model=self.known.model,
        )


def _invert(matrix: Floats) -> Floats:
    """Return the inverse of a covariance, or of an inverse of one, whose parameters' units differ by magnitudes."""
    scale = np.sqrt(np.diag(matrix))
    inverse = np.linalg.inv(matrix / np.outer(scale, scale)) / np.outer(scale, scale)
    return np.asarray((inverse + inverse.T) / 2)


def _place_camera(in_use: CameraOverTable, parameters: Floats, covariance: Floats) -> CameraOverTable:
    lens = replace(in_use.lens, parameters=parameters[6:CAMERA], covariance=covariance[6:, 6:], is_guess=False)
    return replace(in_use, lens=lens, rotation=parameters[:3], translation_mm=parameters[3:6], covariance=covariance)


def _compute_offsets(camera: CameraOverTable, shared: Floats, tags: Sequence[RestingTag]) -> tuple[Floats, Floats]:
    """Return (n, 8) how far corners are off the squares that lie where they fit best, px, and (n, 8, 21) derivatives.

    Args:
        camera: the camera.
        shared: (6,) what all tags share, in the order of `SHARED_SIGMAS`.
        tags: the tags.

    """
    seen_px = np.array([tag.corners_px for tag in tags])
    heights = np.array([tag.height_mm for tag in tags])
    outward = compute_outward_steps(seen_px)
    half = np.array(camera.lens.image_size) / 2
    across = seen_px.mean(axis=1) / half - 1
    bleeds = np.column_stack([np.ones(len(tags)), across, (across**2).sum(axis=1) / 2])
    without_bleed = seen_px - (bleeds @ shared[:4])[:, None, None] * outward
    spots = camera.table_from_image(without_bleed.reshape(-1, 2), heights.repeat(4)).reshape(-1, 4, 2) @ (1, 1j)
    turns = spots @ SQUARE.conj()
    arms = (turns / np.abs(turns))[:, None] * (np.array([tag.size_mm for tag in tags])[:, None] * SQUARE)
    wider = (turns / np.abs(turns))[:, None] * (np.array([tag.size_mm for tag in tags])[:, None] * SQUARE.conj() / 2)
    placed = spots.mean(axis=1)[:, None] + (1 + shared[4]) * arms + shared[5] * wider
    squares_mm = np.stack([placed.real, placed.imag, np.repeat(heights[:, None], 4, axis=1)], axis=2)
    pixels, slope = project(squares_mm.reshape(-1, 3), camera.parameters, camera.lens.model)
    off = pixels.reshape(-1, 4, 2) - without_bleed
    per_mm = differentiate_by_point(slope, camera.parameters).reshape(-1, 4, 2, 3)
    prints = np.stack([np.stack([way.real, way.imag], axis=2) for way in (arms, wider)], axis=3)
    slopes = np.concatenate(
        [
            slope.reshape(-1, 4, 2, CAMERA),
            outward[..., None] * bleeds[:, None, None],
            per_mm[..., :2] @ prints,
        ],
        axis=3,
    ).reshape(-1, 8, CAMERA + len(shared))
    ways = (per_mm @ differentiate_by_place(squares_mm)).reshape(-1, 8, 3)
    free = np.eye(8) - ways @ np.linalg.pinv(ways)
    return (free @ off.reshape(-1, 8, 1))[..., 0], free @ slopes


def _measure_misfits(camera: CameraOverTable, resting: Sequence[RestingTag]) -> Floats:
    """(n,) mean square of how far the corners of tags are off squares, what all tags share left aside, px2."""
    off, slopes = _compute_offsets(camera, np.array([camera.bleed_px, 0, 0, 0, 0, 0]), resting)
    shared = slopes[..., CAMERA:].reshape(off.size, -1) * SHARED_SIGMAS
    sigma2 = max(float(np.median((off**2).sum(axis=1))) / MEDIAN_OF_FREE, LEAST_SIGMA_PX**2)
    told = np.linalg.solve(shared.T @ shared + sigma2 * np.eye(len(SHARED_SIGMAS)), shared.T @ off.ravel())
    return np.asarray(((off.ravel() - shared @ told).reshape(-1, 8) ** 2).sum(axis=1) / FREE)
