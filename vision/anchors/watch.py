"""Anchor watch: the anchors averaged while the camera stands still, and watched for its being moved.

Three things may happen, and are told apart (`calibration.drift`): the camera or the table is bumped, an anchor slips,
or something is in the way of one, such as a hand.  While it is open which, and most anchors are not where they were,
the calibration is in **doubt**; once the picture is still again it is settled what has happened.  A change so slow that
no single picture shows it is told by the moving averages (as in rest detection), and is followed without a doubt.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.drift import (
    ALLOWANCE_PX,
    APART_CHI2,
    LEAST_SLIP_MM,
    DriftExplanation,
    DriftKind,
    ObservedSquare,
    carry,
    explain_drift,
    measure_motion,
    measure_shift,
    measure_slip_mm,
)
from calibration.spaces import CameraOverTable, Floats, Lens
from vision.anchors.averages import (
    LEAST_LOOKS,
    AnchorAverage,
    AnchorLooks,
    StillAnchors,
    average_from_still,
    begin_average,
    square_from_fit,
)
from vision.anchors.sway import Sway
from vision.tracking.rest_detection import DRIFT_CHI2, DRIFT_RATE
from vision.types import CalibrationChange, ChangeKind, Doubt, TagFit

STEADY_COUNT = 16
"""An anchor that was seen so often need not be looked at while nothing changes there."""
IN_VIEW_FRAMES = 24
"""An anchor is in view if it was seen within so many frames; each is looked at more often than that."""
STRAINED_CHI2 = 40.0
"""Squared distance, in sigma, from the shape that it had (5 degrees of freedom), of an anchor that is partly hidden."""
UNREST_DECAY = 0.995
"""What is left of the unrest after a frame without any."""
LEAST_UNREST_PX = 0.01
LEAST_WITNESSES = 3
"""How the camera was moved is told by so many anchors, where so many were in view; ..."""
PATIENCE_NS = 2_000_000_000
"""... or by fewer after this time, after which it is also said which anchors leave it undecided."""
TOLD_PX = 0.13
"""A camera that stays where it has strayed to is told of if anchors have gone farther in the picture."""
REPORTED_MM = 0.3
"""A slow change is told when places on the table have gone so far."""


@dataclass(kw_only=True)
class AnchorWatch:
    """What is known of the anchors of one table.  It is written to, and used from one thread."""

    squares_mm: Mapping[int, Floats]
    """(4, 3) corners on the table by tag."""
    lens: Lens | None = None
    """What is known of the lens but for the anchors."""
    means: dict[int, AnchorAverage] = field(default_factory=dict)
    slipped_mm: dict[int, float] = field(default_factory=dict)
    """How far anchors lie from their places that are left out for that, by tag."""
    doubt: Doubt | None = None
    astray: tuple[int, ...] = ()
    """The anchors in question while the doubt is that they are astray."""
    changes: list[CalibrationChange] = field(default_factory=list)
    """What the last frame brought to light."""
    moved_to: CameraOverTable | None = None
    """Where the last frame told that the camera was moved, with the lens as it was."""
    last_px: dict[int, Floats] = field(default_factory=dict)
    """(4, 2) where anchors were last seen while the camera sways or there is something to be found out."""
    unrest_px: float = 0.0
    """By how much the camera strays from where it is taken to be, one sigma: the table shakes, or the mount drifts."""
    _home_squares: dict[int, ObservedSquare] = field(default_factory=dict)
    """Where the anchors that have slipped would be seen if they had not."""
    _seen_at: dict[int, int] = field(default_factory=dict)
    _displaced: set[int] = field(default_factory=set)
    """Those that were last seen elsewhere than before."""
    _looks: AnchorLooks | None = None
    """The last looks while something is to be found out; None while all is well."""
    _is_creeping: bool = False
    """The anchors stray together, each by less than would be told of it alone."""
    _since_ns: int = 0
    """When the doubt began."""
    _doubted_at: int = 0
    """With which frame it began."""
    _reported: tuple[CameraOverTable, dict[int, ObservedSquare]] | None = None
    """The camera when a change was last told, and where it saw the anchors."""
    _restless: float = 1.0
    _solved_with: int = 1
    """Looks when a solve was last due."""
    _frames: int = 0

    def add(
        self,
        fits: Collection[TagFit],
        unchanged: Collection[int] = (),
        *,
        camera: CameraOverTable | None = None,
        captured_ns: int = 0,
        borne_out: bool = False,
        sway: Sway | None = None,
    ) -> bool:
        """Take in what one frame shows of the anchors; return whether a new solve is due.

        It is when an anchor is new or left out, when the number of all looks has doubled, and when the camera moved.

        Args:
            fits: the anchors that were seen.
            unchanged: those that look as before.
            camera: the calibration so far.
            captured_ns: when the frame was taken.
            borne_out: something else than the anchors shows that the camera stands where it stood.
            sway: how the camera strayed in this frame, which is taken out of what it shows.

        """
        self._frames += 1
        self.changes, self.moved_to = [], None
        self.unrest_px = UNREST_DECAY * self.unrest_px if self.unrest_px > LEAST_UNREST_PX else 0.0
        seen_px = {fit.tag: fit.corners_px for fit in fits}
        by_tag = {fit.tag: self._steady(fit, sway, camera) for fit in fits}
        self._seen_at |= {tag: self._frames for tag in (*by_tag, *unchanged) if tag in by_tag or tag in self.means}
        if camera is None:
            self.doubt, self._looks = None, None
        in_place, is_due = self._compare(by_tag, unchanged, camera)
        if camera is not None:
            self._watch(in_place, captured_ns, borne_out=borne_out)
            if self._looks is not None:
                self._looks.add(captured_ns, by_tag)
                is_due |= self._conclude(camera, captured_ns)
            if sway is not None or self._looks is not None:
                self.last_px |= seen_px
            else:
                self.last_px.clear()
            if sway is not None and (there := sway.settle(camera)):
                self._take_lasting(camera, there, far_px=sway.farthest_px)
                is_due = True
            is_due |= self._readmit_returned(camera)
            if self._reported is None and all(mean.count >= LEAST_LOOKS for mean in self.solved_from.values()):
                self._reported = camera, {tag: mean.square for tag, mean in self.solved_from.items()}
        count = sum(mean.count for mean in self.solved_from.values())
        is_due |= count >= 2 * self._solved_with
        if is_due:
            self._solved_with = max(1, count)
        return is_due

    @property
    def solved_from(self) -> dict[int, AnchorAverage]:
        """The anchors that the camera's place is solved from."""
        return {tag: mean for tag, mean in self.means.items() if mean.count and tag not in self.slipped_mm}

    @property
    def alert(self) -> bool:
        """Whether every anchor is to be looked at in every frame, lest something go on unnoticed."""
        return self._looks is not None

    @property
    def witnessed(self) -> bool:
        """Whether so many anchors were seen in the last frame that they tell how the camera was moved."""
        seen_now = sum(at == self._frames for tag, at in self._seen_at.items() if tag not in self.slipped_mm)
        return seen_now >= min(LEAST_WITNESSES, len(self.means) - len(self.slipped_mm))

    def has_strayed(self, tag: int) -> bool:
        """Whether an anchor was last seen elsewhere than before."""
        return tag in self._displaced

    def is_steady(self, tag: int) -> bool:
        """Whether an anchor has been seen often, and lately where it was before."""
        return self.means[tag].count >= STEADY_COUNT and not self.has_strayed(tag)

    def is_young(self, tag: int) -> bool:
        """Whether an anchor has hardly been seen: a camera that sways shows it in its first pictures."""
        return self.means[tag].count < STEADY_COUNT

    @property
    def in_view(self) -> list[int]:
        """The anchors that were seen lately and are not left out."""
        lately = (tag for tag, at in self._seen_at.items() if self._frames - at < IN_VIEW_FRAMES)
        return [tag for tag in lately if tag not in self.slipped_mm]

    @property
    def seen(self) -> list[int]:
        """Those of them that are seen now: in a doubt, what was seen before it began may be gone."""
        return [tag for tag in self.in_view if self.doubt is None or self._seen_at[tag] >= self._doubted_at]

    def _steady(self, fit: TagFit, sway: Sway | None, camera: CameraOverTable | None) -> TagFit:
        """Return what would be seen of an anchor if the camera did not sway."""
        if sway is None or camera is None:
            return fit
        return replace(fit, corners_px=sway.steady(camera, self.squares_mm[fit.tag], fit.corners_px))

    def _compare(
        self, fits: Mapping[int, TagFit], unchanged: Collection[int], camera: CameraOverTable | None
    ) -> tuple[set[int], bool]:
        """Average the looks at what is where it was; return those anchors, and whether one is new."""
        in_place = {tag for tag in unchanged if tag in self.means}
        self._displaced -= in_place
        is_new = False
        strays = []
        for tag, fit in fits.items():
            mean = self.means.get(tag)
            if mean is None:
                if self.doubt is None:  # in a doubt it waits
                    self.means[tag], is_new = begin_average(fit), True
                continue
            shift = measure_shift(mean.square, square_from_fit(fit), restless=self._restless)
            if shift.chi2 <= APART_CHI2:
                in_place.add(tag)
                self._displaced.discard(tag)
                strays += [shift.sigmas] if tag not in self.slipped_mm else []
                if self._looks is None:
                    self._restless += DRIFT_RATE * (max(1.0, min(shift.chi2 / 3, self._restless)) - self._restless)
                    self.means[tag] = mean.extend(fit, shift.sigmas)
                continue
            in_place.discard(tag)
            if camera is None or tag in self.slipped_mm:  # nothing rests on where it was
                self.means[tag], is_new = begin_average(fit), is_new or camera is None
            elif shift.strain_chi2 <= STRAINED_CHI2:
                self._displaced.add(tag)
        if strays and camera is not None:
            together = np.sum(strays, axis=0) / math.sqrt(len(strays))
            self._is_creeping |= float(together @ together) > DRIFT_CHI2 * self._restless
        return in_place - self.slipped_mm.keys(), is_new

    def _watch(self, in_place: set[int], captured_ns: int, *, borne_out: bool) -> None:
        """Be alert if something may have changed, and in doubt if that may be where the camera stands."""
        struck = self._displaced - self.slipped_mm.keys()
        drifting = self._is_creeping or any(self.means[tag].is_drifting(self._restless) for tag in in_place)
        doubted = len(struck) >= len(in_place) if struck else not (in_place or borne_out)
        if self._looks is None and (struck or drifting or doubted):
            self._looks = AnchorLooks()
        if self.doubt is None and doubted:
            self.doubt, self._since_ns, self._doubted_at = Doubt.MOVING, captured_ns, self._frames
        if self.doubt is not None and not self.in_view:
            self.doubt, self.astray = Doubt.HIDDEN, ()
        elif self.doubt is Doubt.HIDDEN:
            self.doubt = Doubt.MOVING

    def _conclude(self, camera: CameraOverTable, captured_ns: int) -> bool:
        """Settle what has happened if the picture is still; return whether a new solve is due."""
        assert self._looks is not None
        stand = self._looks.find_still()
        if stand is None:
            if self.doubt is Doubt.ASTRAY:
                self.doubt, self.astray = Doubt.MOVING, ()
            return False
        squares = {tag: mean.square for tag, mean in self.means.items() if tag not in self.slipped_mm}
        change = explain_drift(camera, self.squares_mm, squares, stand.squares, lens=self.lens)
        match change.kind:
            case DriftKind.BUMPED:
                awaited = min(LEAST_WITNESSES, len(squares))
                if len(stand.squares) < awaited and captured_ns - self._since_ns < PATIENCE_NS:
                    return False
                self._follow_bump(camera, change, stand)
                return True
            case DriftKind.STILL if change.slipped_mm:
                self.doubt, self.astray = None, ()
                if stand.long:  # a hand at an anchor makes it look shifted for a moment
                    self._record_slips(change.slipped_mm, stand)
                return stand.long
            case DriftKind.STILL:
                known = stand.squares.keys() & self.means.keys()
                drifting = self._is_creeping or any(self.means[tag].is_drifting(self._restless) for tag in known)
                if drifting:
                    self._note_creep(stand)
                    self._restart_averages(stand)
                    self._report_slow_change(camera)
                self._end_alert(stand)
                return drifting
            case DriftKind.UNDECIDED:
                if self.doubt is None:
                    self.doubt, self._since_ns = Doubt.MOVING, captured_ns
                if captured_ns - self._since_ns >= PATIENCE_NS:
                    self.doubt, self.astray = Doubt.ASTRAY, change.astray
                return False

    def _follow_bump(self, camera: CameraOverTable, change: DriftExplanation, stand: StillAnchors) -> None:
        """Take it that the camera was moved: what was known of the anchors goes with it, or is known anew."""
        there = self.moved_to = change.camera
        if self.doubt is not None:
            self._report_change(ChangeKind.CAMERA_MOVED, change.moved_mm, turned_rad=change.turned_rad)
            self._reported = None
        else:  # too slow to have been in doubt
            self._note_creep(stand)
        for tag, mean in self.means.items():
            now = carry(camera, there, self.squares_mm[tag], mean.square)
            self.means[tag] = replace(mean, corners_px=now.corners_px, noise_px2=now.noise_px2, count=0)
        self._home_squares = {
            tag: carry(camera, there, self.squares_mm[tag], home) for tag, home in self._home_squares.items()
        }
        self._record_slips(change.slipped_mm, stand)
        self._restart_averages(stand)
        self._report_slow_change(camera)

    def _take_lasting(self, camera: CameraOverTable, there: CameraOverTable, far_px: float) -> None:
        """Take it that the camera stands where it has strayed to: what was known of the anchors goes with it."""
        if far_px > TOLD_PX:
            turned_rad, moved_mm = measure_motion(camera, there)
            self._report_change(ChangeKind.CAMERA_MOVED, moved_mm, turned_rad=turned_rad)
            self._reported = None
        for tag, mean in self.means.items():
            self.means[tag] = replace(mean, corners_px=mean.corners_px + self._carry(camera, there, tag))
        for tag, home in self._home_squares.items():
            self._home_squares[tag] = replace(home, corners_px=home.corners_px + self._carry(camera, there, tag))
        self.doubt, self.astray, self._looks, self._is_creeping = None, (), None, False
        self._displaced.clear()
        if np.array_equal(camera.lens.parameters, there.lens.parameters):
            self._report_slow_change(camera)
        else:  # another focus is no motion
            self._reported = None

    def _carry(self, camera: CameraOverTable, there: CameraOverTable, tag: int) -> Floats:
        """(4, 2) how far an anchor goes in the picture with a camera that is moved, px."""
        points_mm = self.squares_mm[tag]
        return there.image_from_table(points_mm) - camera.image_from_table(points_mm)

    def _record_slips(self, slipped_mm: Mapping[int, float], stand: StillAnchors) -> None:
        """Leave out the anchors that are not where they lay; what has hardly slipped is taken where it is."""
        for tag, far_mm in slipped_mm.items():
            if far_mm >= LEAST_SLIP_MM:
                self._leave_out(tag, far_mm, self.means[tag].square)
            self.means[tag] = average_from_still(stand, tag)
        self._end_alert(stand)

    def _leave_out(self, tag: int, far_mm: float, home: ObservedSquare) -> None:
        self.slipped_mm[tag], self._home_squares[tag] = far_mm, home
        self._report_change(ChangeKind.ANCHOR_SLIPPED, far_mm, tag=tag)

    def _readmit_returned(self, camera: CameraOverTable) -> bool:
        """Take anchors in again that lie where they lay before they slipped; return whether one does."""
        back = False
        for tag in list(self.slipped_mm) if self.doubt is None else ():
            mean = self.means[tag]
            far_mm = measure_slip_mm(camera, self.squares_mm[tag], self._home_squares[tag].corners_px, mean.corners_px)
            if mean.count >= LEAST_LOOKS and far_mm < LEAST_SLIP_MM:
                del self.slipped_mm[tag], self._home_squares[tag]
                self._report_change(ChangeKind.ANCHOR_BACK, far_mm, tag=tag)
                back = True
            elif mean.count >= LEAST_LOOKS:
                self.slipped_mm[tag] = far_mm
        return back

    def _note_creep(self, stand: StillAnchors) -> None:
        """Take note of how far the camera has crept unnoticed: it may creep on."""
        steps_px = [
            stand.squares[tag].corners_px - self.means[tag].corners_px
            for tag in stand.squares.keys() & self.solved_from.keys()
        ]
        self.unrest_px = max([self.unrest_px, *(float(np.linalg.norm(step.mean(axis=0))) for step in steps_px)])

    def _restart_averages(self, stand: StillAnchors) -> None:
        """Forget the averages of what was just looked at for what the last looks show."""
        self.means |= {tag: average_from_still(stand, tag) for tag in stand.squares if tag in self.means}

    def _end_alert(self, stand: StillAnchors) -> None:
        self.doubt, self.astray, self._looks = None, (), None
        self._restless, self._is_creeping = stand.restless, False
        self.unrest_px = max(self.unrest_px, ALLOWANCE_PX * math.sqrt(stand.restless - 1))
        self._displaced.clear()

    def _report_slow_change(self, camera: CameraOverTable) -> None:
        """Tell of what changed so slowly that it was followed, once it has gone far."""
        if self._reported is None:
            return
        camera_before, squares_before = self._reported
        squares = {tag: mean.square for tag, mean in self.solved_from.items()}
        off_px = {
            tag: (squares_before[tag].corners_px, squares[tag].corners_px)
            for tag in squares_before.keys() & squares.keys()
        }
        if (
            max((measure_slip_mm(camera, self.squares_mm[tag], *px) for tag, px in off_px.items()), default=0.0)
            < REPORTED_MM
        ):
            return
        change = explain_drift(camera_before, self.squares_mm, squares_before, squares)
        if change.kind is DriftKind.BUMPED:
            self._report_change(ChangeKind.CAMERA_DRIFTED, change.moved_mm, turned_rad=change.turned_rad)
        for tag, far_mm in change.slipped_mm.items():
            if far_mm >= LEAST_SLIP_MM:
                self._leave_out(
                    tag, far_mm, carry(camera_before, change.camera, self.squares_mm[tag], squares_before[tag])
                )
        self._reported = None

    def _report_change(
        self, kind: ChangeKind, far_mm: float, *, tag: int | None = None, turned_rad: float = 0.0
    ) -> None:
        self.changes.append(CalibrationChange(kind=kind, tag=tag, moved_mm=far_mm, turned_rad=turned_rad))
