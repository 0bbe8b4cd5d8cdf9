"""Misplaced anchors: which anchor is not where, how, or what it is said to be, in values and in words."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from calibration.errors import Unsolvable
from calibration.spaces import Floats, Lens
from calibration.table.anchor_layout import SAME_SIGMA, StatedAnchor, TableSize, forget_place, turn_sigma
from calibration.table.anchor_sizes import WrongSize, describe_wrong_sizes, find_wrong_sizes
from calibration.table.bundle_adjustment import AnchorSighting, TableFit, solve_places

SuspectKind = Literal["misplaced", "turned", "swapped", "other-size"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """An anchor that is not as it is said to be."""

    tag: int
    kind: SuspectKind
    other: int | None = None
    """The anchor that it is swapped with."""
    off_mm: tuple[float, float] = (0.0, 0.0)
    """How far it lies from where it is said to lie, along x and y."""
    off_sigma_mm: float = 0.0
    turn_rad: float = 0.0
    """How far it is turned from how it is said to lie."""
    turn_sigma_rad: float = 0.0
    size_mm: float = 0.0
    """The edge that it seems to have."""
    size_sigma_mm: float = 0.0

    @property
    def text(self) -> str:
        """What is wrong, in one sentence."""
        match self.kind:
            case "swapped":
                return f"anchors {self.tag} and {self.other} seem swapped: each lies where the other is said to lie"
            case "turned":
                way = ("", "90 degrees counter-clockwise", "180 degrees", "90 degrees clockwise")
                turned = way[round(self.turn_rad / (math.pi / 2)) % 4]
                return f"anchor {self.tag} seems turned by {turned} against what the set-up says"
            case "other-size":
                return (
                    f"anchor {self.tag} looks {self.size_mm:.1f} ± {self.size_sigma_mm:.1f} mm large:"
                    " its size_mm is not what the set-up says"
                )
            case "misplaced":
                x_mm, y_mm = self.off_mm
                turn = math.degrees(self.turn_rad)
                return (
                    f"anchor {self.tag} lies {math.hypot(x_mm, y_mm):.1f} ± {self.off_sigma_mm:.1f} mm"
                    f" (x {x_mm:+.1f}, y {y_mm:+.1f}) and {turn:+.1f} ± {math.degrees(self.turn_sigma_rad):.1f} degrees"
                    " from where the set-up says"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorExamination:
    """What an examination of the anchors found."""

    suspects: tuple[Suspect, ...] = ()
    undecided: tuple[int, ...] = ()
    """Anchors of which one or more must be wrong, without a way to tell which."""
    wrong_sizes: tuple[WrongSize, ...] = ()
    """Anchors that lie where they are said to, and are larger or smaller than they are said to be."""
    seen: int = 0
    """How many anchors there were to examine, where sizes are wrong."""

    @property
    def left_out(self) -> frozenset[int]:
        """The anchors on which nothing should rest; what is of another size stays where nothing else tells enough."""
        tags = {suspect.tag for suspect in self.suspects} | {s.other for s in self.suspects if s.other is not None}
        if self.seen - len(self.wrong_sizes) >= LEAST_ANCHORS:
            tags |= {wrong.tag for wrong in self.wrong_sizes}
        return frozenset(tags)

    @property
    def blocking_text(self) -> str:
        """What has to be set right before anything can rest on the anchors, in one sentence; empty for nothing."""
        swapped = next((suspect for suspect in self.suspects if suspect.kind == "swapped"), None)
        if swapped is not None:
            return f"{swapped.text}; exchange them on the table or in the set-up"
        return self.texts[-1] if self.undecided else ""

    @property
    def texts(self) -> tuple[str, ...]:
        """One sentence for everything that is wrong."""
        sentences = [suspect.text for suspect in self.suspects]
        sentences += describe_wrong_sizes(self.wrong_sizes, self.seen)
        if self.undecided:
            tags = [str(tag) for tag in self.undecided]
            names = f"{', '.join(tags[:-1])} and {tags[-1]}"
            sentences.append(
                f"anchors {names} contradict each other, and it cannot be told which of them is wrong: measure their"
                " places anew, or lay one more anchor at a known place"
            )
        return tuple(sentences)


LAYING_SIGMA_MM = 0.5
"""Nobody lays an anchor better than this, one sigma, whatever the set-up says; so much is never held against one."""
SUSPICIOUS_CHI2 = 20.0
"""A set-up that is so much likelier (squared sigma; three are free) with one anchor elsewhere is wrong there."""
SWAP_CHI2 = 8.0
"""The same for anchors that are swapped or turned by a right angle, which leaves nothing free."""
CLEAR_CHI2 = 10.0
"""The next best explanation must be so much worse."""
CREDIBLE_SIGMAS = 2.5
"""What is left over without the suspects may be so much, in sigma of a corner's coordinate, and no more."""
COST_TOLERANCE = 0.05
"""What is weighed here, in squared sigma, need not be known better."""
LEAST_ANCHORS = 4
"""With fewer anchors, the others alone do not tell where one should lie."""
QUARTER_TOLERANCE_RAD = math.radians(10)
"""What is turned by 90 degrees give or take this was laid the wrong way round."""


def examine_anchors(
    *, lens: Lens, stated: Sequence[StatedAnchor], table: TableSize, pictures: Sequence[AnchorSighting]
) -> AnchorExamination:
    """Return which anchors are not as they are said to be.

    All anchors are solved with a place of their own.  By how much each then lies off what is said of it, against what
    the others leave open, is the test of one anchor.  Where it fails, every explanation by one anchor, by two that are
    swapped, and by a pair is solved, and the likeliest is taken if it is credible and clearly likelier than any other
    that blames another anchor.

    """
    trial = _Trial.from_statements(lens, stated, table, pictures)
    whole = trial.fit(trial.stated)
    sized = AnchorExamination() if whole is None else trial.examine_sizes(whole)
    if whole is not None and not _is_suspicious(whole):
        return sized
    if len(sized.wrong_sizes) > 1 and trial.is_explained_by(sized):
        return sized
    plain = math.inf if whole is None else whole.cost
    tried: list[_Explanation] = []
    rivals: list[_Explanation] = []
    for explanations in (trial.explain_by_one(), trial.explain_by_exchange(), trial.explain_by_two()):
        tried = sorted([*tried, *explanations], key=lambda explanation: explanation.score)
        if not tried or tried[0].score > plain:
            continue
        best = tried[0]
        rivals = [r for r in tried[1:] if not r.blamed >= best.blamed and r.score < best.score + CLEAR_CHI2]
        if not rivals and trial.is_credible(best.fit):
            return AnchorExamination(suspects=tuple(trial.list_suspects(best)))
    if whole is not None and trial.is_credible(whole) and (not tried or tried[0].score > plain):
        return AnchorExamination()
    blamed = tried[0].blamed.union(*(rival.blamed for rival in rivals)) if rivals else frozenset(trial.tags)
    return AnchorExamination(undecided=tuple(sorted(blamed)) if len(blamed) > 1 else ())


def _is_suspicious(fit: TableFit) -> bool:
    """Whether any anchor would rather lie elsewhere, or be of another size, by what all others say."""
    off = fit.places - fit.stated_places
    # What its own statement leaves open is narrower than what the others do: so much do they know without it.
    for i, anchor in enumerate(fit.stated):
        if fit.scale[i] ** 2 > SUSPICIOUS_CHI2 * (SAME_SIGMA**2 - fit.scale_sigma[i] ** 2):
            return True
        if anchor.is_open:
            continue
        statement = np.diag([anchor.sigma_mm**2, anchor.sigma_mm**2, anchor.sigma_rad**2])
        if off[i] @ np.linalg.pinv(statement - fit.stated_covariance[i], hermitian=True) @ off[i] > SUSPICIOUS_CHI2:
            return True
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Explanation:
    kind: SuspectKind
    blamed: frozenset[int]
    fit: TableFit
    score: float
    """What it leaves unexplained, in squared sigma, with what it is free to choose held against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    lens: Lens
    stated: tuple[StatedAnchor, ...]
    """As they would be said to lie by somebody who knows how well anchors are laid."""
    table: TableSize
    pictures: tuple[AnchorSighting, ...]
    floor_px: float
    near: Lens | None = None
    """About what the lens is."""

    @classmethod
    def from_statements(
        cls, lens: Lens, stated: Sequence[StatedAnchor], table: TableSize, pictures: Sequence[AnchorSighting]
    ) -> "_Trial":
        in_view = {tag for picture in pictures for tag in picture.squares_px}
        there = tuple(_assume_sigma(anchor) for anchor in stated if anchor.tag in in_view)
        trial = cls(lens=lens, stated=there, table=table, pictures=tuple(pictures), floor_px=0.1)
        return trial._estimate_floor()

    @property
    def tags(self) -> tuple[int, ...]:
        return tuple(anchor.tag for anchor in self.stated if not anchor.is_open)

    def _estimate_floor(self) -> "_Trial":
        """Return the trial with what corners are off though every anchor may lie anywhere: no anchor's fault."""
        first = next((i for i, anchor in enumerate(self.stated) if not anchor.is_open), 0)
        fit = self.fit([anchor if i == first else forget_place(anchor) for i, anchor in enumerate(self.stated)])
        if fit is None:
            return self
        # Half of them: an anchor of another size than it is said to be has another shape to no purpose.
        rms = [float(np.sqrt((off**2).mean())) for picture in fit.off_px for off in picture.values()]
        # Three to five of a square's eight numbers are free.
        return replace(self, floor_px=max(0.05, 1.6 * float(np.median(rms))), near=fit.cameras[0].lens)

    def fit(self, stated: Sequence[StatedAnchor]) -> TableFit | None:
        """Return the solution if things are said so; None where there is none."""
        try:
            return solve_places(
                lens=self.lens,
                stated=stated,
                table=self.table,
                pictures=self.pictures,
                floor_px=self.floor_px,
                near=self.near,
                enough=COST_TOLERANCE,
            )
        except Unsolvable:
            return None

    def is_credible(self, fit: TableFit) -> bool:
        """Whether a solution leaves no more unexplained than it may."""
        count = 8 * sum(len(off) for off in fit.off_px)
        return fit.cost < CREDIBLE_SIGMAS**2 * count

    def examine_sizes(self, whole: TableFit) -> AnchorExamination:
        """Return which anchors are of another size, by where they all are said to lie; none where too few are."""
        if sum(not anchor.is_open for anchor in self.stated) < 2:
            return AnchorExamination()
        wrong = find_wrong_sizes(whole, self.pictures)
        return AnchorExamination(wrong_sizes=wrong, seen=len(whole.stated) if wrong else 0)

    def is_explained_by(self, sized: AnchorExamination) -> bool:
        """Whether nothing else is wrong once anchors have the sizes that they look; of swapped ones, two look wrong."""
        sizes_mm = {wrong.tag: wrong.size_mm for wrong in sized.wrong_sizes}
        if len({wrong.share > 0 for wrong in sized.wrong_sizes}) > 1:
            return False
        fit = self.fit([replace(anchor, size_mm=sizes_mm.get(anchor.tag, anchor.size_mm)) for anchor in self.stated])
        return fit is not None and not _is_suspicious(fit) and self.is_credible(fit)

    def explain_by_one(self) -> Iterator[_Explanation]:
        """Solve the table as it would be if one anchor were larger or lay elsewhere."""
        for i, anchor in enumerate(self.stated):
            yield from self._try_explanation("other-size", {i: replace(anchor, size_is_known=False)})
            if not anchor.is_open:
                yield from self._try_explanation("misplaced", {i: forget_place(anchor)})

    def explain_by_exchange(self) -> Iterator[_Explanation]:
        """Solve it as if two anchors were swapped or, where there are too few to tell it otherwise, one were turned."""
        fixed = [i for i, anchor in enumerate(self.stated) if not anchor.is_open]
        for i, j in combinations(fixed, 2):
            if not _share_place(self.stated[i], self.stated[j]):
                yield from self._try_explanation("swapped", _swap_anchors(i, self.stated[i], j, self.stated[j]))
        for i in fixed if len(fixed) < LEAST_ANCHORS else ():
            if self.stated[i].turn_rad is not None:
                for quarters in (1, 2, 3):
                    yield from self._try_explanation("turned", {i: _turn_anchor(self.stated[i], quarters)})

    def explain_by_two(self) -> Iterator[_Explanation]:
        """Solve it as if two anchors lay elsewhere."""
        fixed = [i for i, anchor in enumerate(self.stated) if not anchor.is_open]
        if len(fixed) > LEAST_ANCHORS:
            for i, j in combinations(fixed, 2):
                both = {i: forget_place(self.stated[i]), j: forget_place(self.stated[j])}
                yield from self._try_explanation("misplaced", both)

    def _try_explanation(self, kind: SuspectKind, changed: dict[int, StatedAnchor]) -> Iterator[_Explanation]:
        fit = self.fit([changed.get(i, anchor) for i, anchor in enumerate(self.stated)])
        if fit is not None:
            # By chance, something that may be anywhere always fits a little better.
            score = fit.cost + (SUSPICIOUS_CHI2 * len(changed) if kind in ("misplaced", "other-size") else SWAP_CHI2)
            yield _Explanation(kind=kind, blamed=frozenset(self.stated[i].tag for i in changed), fit=fit, score=score)

    def list_suspects(self, best: _Explanation) -> Iterator[Suspect]:
        """Say of each anchor that an explanation blames what is wrong with it."""
        if best.kind == "swapped":
            tag, other = sorted(best.blamed)
            yield Suspect(tag=tag, kind="swapped", other=other)
            return
        for i, anchor in enumerate(best.fit.stated):
            if anchor.tag in best.blamed:
                yield self._describe_suspect(best, i)

    def _describe_suspect(self, best: _Explanation, i: int) -> Suspect:
        fit, anchor = best.fit, next(statement for statement in self.stated if statement.tag == best.fit.stated[i].tag)
        if best.kind == "other-size":
            return Suspect(
                tag=anchor.tag,
                kind="other-size",
                size_mm=float(anchor.size_mm * (1 + fit.scale[i])),
                size_sigma_mm=float(anchor.size_mm * fit.scale_sigma[i]),
            )
        place = fit.places[i]
        centre = anchor.find_centre_mm(*fit.size_mm)
        turn_rad = math.remainder(float(place[2]) - anchor.find_turn_near(float(place[2])), math.tau)
        if best.kind == "turned":
            turn_rad = math.remainder(float(place[2]) - (anchor.turn_rad or 0.0), math.tau)
        spread = fit.covariance[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]
        off = (float(place[0]) - centre.real, float(place[1]) - centre.imag)
        quarter = abs(math.remainder(turn_rad, math.pi / 2)) < QUARTER_TOLERANCE_RAD < abs(turn_rad)
        stays = math.hypot(*off) < anchor.size_mm / 4
        return Suspect(
            tag=anchor.tag,
            kind="turned" if quarter and stays else "misplaced",
            off_mm=off,
            off_sigma_mm=_project_sigma(off, spread),
            turn_rad=turn_rad,
            turn_sigma_rad=math.sqrt(spread[2, 2]),
        )


def _project_sigma(off_mm: tuple[float, float], spread: Floats) -> float:
    """Return the standard deviation of a distance, mm."""
    way = np.array(off_mm) / max(math.hypot(*off_mm), 1e-9)
    return float(np.sqrt(way @ spread[:2, :2] @ way))


def _assume_sigma(anchor: StatedAnchor) -> StatedAnchor:
    """Return what is said of an anchor with a sigma where none was given."""
    sigma_mm = anchor.sigma_mm or LAYING_SIGMA_MM
    return replace(anchor, sigma_mm=sigma_mm, sigma_rad=anchor.sigma_rad or turn_sigma(sigma_mm, anchor.size_mm))


def _turn_anchor(anchor: StatedAnchor, quarters: int) -> StatedAnchor:
    assert anchor.turn_rad is not None
    return replace(anchor, turn_rad=anchor.turn_rad + quarters * math.pi / 2)


def _swap_anchors(i: int, one: StatedAnchor, j: int, other: StatedAnchor) -> dict[int, StatedAnchor]:
    """Return two anchors that each lie where the other is said to lie."""

    def at(there: StatedAnchor, anchor: StatedAnchor) -> StatedAnchor:
        return replace(there, tag=anchor.tag, size_mm=anchor.size_mm, size_is_known=anchor.size_is_known)

    return {i: at(other, one), j: at(one, other)}


def _share_place(one: StatedAnchor, other: StatedAnchor) -> bool:
    return (one.x_mm, one.y_mm, one.corner) == (other.x_mm, other.y_mm, other.corner)
