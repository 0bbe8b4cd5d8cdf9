"""Observations: every model's latest pose, what was wrong with the picture, and what a person is told of that.

The sentences are about a calibration that does not hold, or that had to change.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.game.events import CalibrationChanged
from assistant.game.history import exchange_model
from assistant.game.state import GameState
from assistant.recording.journal.row_types import PosesSeen
from assistant.recording.poses import PoseEntry, entry_from_pose, pose_from_entry, split_markers
from vision.marker_numbers import number_ring
from vision.types import CalibrationChange, ChangeKind, Doubt, TableSnapshot

NOTICED_NS = 150_000_000
"""A model that is held for a shorter time is shown as if it were seen: a hand's shadow must not make it flicker."""
TOLD_BREATH_PERCENT, TOLD_SHAKE_PX = 0.02, 0.3
"""A camera that sways less is not spoken of."""
STILL_MM = 0.05
STILL_DEG = 0.2


def list_carried(state: GameState) -> dict[int, str]:
    """Return which model carries a marker, where that is not the one that the set-up names."""
    return {**state.carried, **{number_ring(ring): model for ring, model in state.carried_rings.items()}}


class Observations:
    """How every model was last shown, picture after picture."""

    def __init__(self) -> None:
        self.poses: dict[str, PoseEntry] = {}
        """Of every model that has been seen."""
        self.seen = PosesSeen(anchors_seen=0, calibration="", poses=())
        """What the latest picture told, and what was wrong with it."""
        self.hidden_ns: dict[str, int] = {}
        """Since when models are hidden that are held."""
        self._setup_names: dict[int, str] = {}
        """What the set-up calls the model with a marker, for the markers that the game knows to be on another."""

    def copy(self) -> "Observations":
        """Return the same, to go on by itself."""
        other = Observations()
        other.poses, other.seen, other.hidden_ns = dict(self.poses), self.seen, dict(self.hidden_ns)
        other._setup_names = dict(self._setup_names)
        return other

    def extract_news(self, snapshot: TableSnapshot) -> PosesSeen:
        """Return what a picture tells that is new; the poses are those of the models that have moved."""
        twice = split_markers(snapshot.shown_twice)
        return PosesSeen(
            anchors_seen=snapshot.anchors_seen,
            calibration=snapshot.calibration,
            poses=tuple(
                entry
                for entry in map(entry_from_pose, snapshot.poses)
                if _has_changed(self.poses.get(entry.model), entry)
            ),
            shown_twice=twice.tags,
            rings_shown_twice=twice.rings,
            wrong_anchors=snapshot.wrong_anchors,
            doubt=None if snapshot.doubt is None else snapshot.doubt.value,
            astray=snapshot.astray,
            slipped_mm={tag: round(far_mm, 1) for tag, far_mm in snapshot.slipped_mm.items()},
            breath_percent=round(100 * snapshot.sway.breath, 2) if snapshot.sway else 0.0,
            shake_px=round(snapshot.sway.shake_px, 1) if snapshot.sway else 0.0,
        )

    def apply(self, seen: PosesSeen, now_ns: int) -> None:
        """Take in what a picture told."""
        self.seen = seen
        for entry in seen.poses:
            before = self.poses.get(entry.model)
            if entry.state == "held" and before is not None and before.state == "seen":
                self.hidden_ns[entry.model] = now_ns
            elif entry.state != "held":
                self.hidden_ns.pop(entry.model, None)
            self.poses[entry.model] = entry

    def jump_to(self, poses: Mapping[str, PoseEntry], hidden_ns: Mapping[str, int], seen: PosesSeen | None) -> None:
        """Take in at once what `apply` would have come to, picture after picture.

        Args:
            poses: how every model was last shown.
            hidden_ns: since when those are hidden that are held.
            seen: what the last picture told; None where there was none.

        """
        self.poses, self.hidden_ns = dict(poses), dict(hidden_ns)
        self.seen = seen or self.seen

    def is_briefly_hidden(self, model: str, now_ns: int) -> bool:
        """Whether a held model was seen until so short a time ago that nobody needs to be told."""
        hidden_ns = self.hidden_ns.get(model)
        return hidden_ns is not None and now_ns - hidden_ns < NOTICED_NS

    def list_visible(self, now_ns: int) -> dict[str, PoseEntry]:
        """Return the models that are seen, or as good as seen."""
        return {
            model: entry
            for model, entry in self.poses.items()
            if entry.state == "seen" or self.is_briefly_hidden(model, now_ns)
        }

    def place_models(self, state: GameState) -> GameState:
        """Return a game with every model where it is now: where it came to rest, or on its way where it was last seen.

        Models that are not on the table stay off it.
        """
        here = {model: track.poses[-1] for model, track in state.tracks.items()}
        for _, model in state.iterate_models():
            entry = self.poses.get(model.id)
            if entry is not None and entry.moving and entry.state == "seen" and (model.pose or model.id in here):
                here[model.id] = pose_from_entry(entry)
        return state.place_models(here)

    def identify(self, snapshot: TableSnapshot, carried: Mapping[int, str]) -> TableSnapshot:
        """Return what a picture showed with every marker's pose under the model that carries it.

        From here on, the record included, a model is what the game knows it to be, while the marker says what was seen.
        """
        if not carried:
            return snapshot
        self._setup_names.update({pose.marker: pose.model for pose in snapshot.poses if pose.marker in carried})
        poses = (replace(pose, model=carried.get(pose.marker, pose.model)) for pose in snapshot.poses)
        return replace(snapshot, poses=tuple(poses))

    def remember_names(self, models: tuple[str, ...], carried: Mapping[int, str]) -> None:
        """Keep what the set-up calls models that from now on carry other markers than it says."""
        seen = [self.poses[model] for model in models if model in self.poses]
        self._setup_names.update({entry.marker: entry.model for entry in seen if entry.marker not in carried})

    def find_misnamed(self, carried: Mapping[int, str]) -> dict[int, str]:
        """Return the model that carries each marker of which the set-up says another."""
        return {marker: model for marker, model in carried.items() if self._setup_names.get(marker, model) != model}

    def find_setup_name(self, model: str, carried: Mapping[int, str]) -> str:
        """Return what the set-up calls the base that carries a model."""
        return next((name for marker, name in self._setup_names.items() if carried.get(marker) == model), model)

    def exchange(self, models: tuple[str, str]) -> PosesSeen:
        """Return what the latest picture told, were two models each other; nobody knows where one was never seen."""
        seen = [self.poses[model] for model in models if model in self.poses]
        poses = [entry.model_copy(update={"model": exchange_model(models, entry.model)}) for entry in seen]
        if len(seen) == 1:
            poses.append(seen[0].model_copy(update={"state": "lost", "moving": False}))
        return self.seen.model_copy(update={"poses": tuple(poses)})


def _build_state_key(entry: PoseEntry) -> tuple[object, ...]:
    return entry.state, entry.moving, entry.other_z_mm


def _has_changed(shown: PoseEntry | None, entry: PoseEntry) -> bool:
    """Whether a pose has changed by more than an average at rest still drifts, so that a still table stays still."""
    if shown is None or _build_state_key(shown) != _build_state_key(entry):
        return True
    steps = (entry.x_mm - shown.x_mm, entry.y_mm - shown.y_mm, entry.z_mm - shown.z_mm)
    return max(map(abs, steps)) > STILL_MM or abs(math.remainder(entry.facing_deg - shown.facing_deg, 360)) > STILL_DEG


def build_calibration_event(change: CalibrationChange) -> CalibrationChanged:
    """Return the event for a change, with no more decimals than a camera can give."""
    return CalibrationChanged(
        what=change.kind.value,
        tag=change.tag,
        moved_mm=round(change.moved_mm, 2),
        turned_rad=round(change.turned_rad, 6),
        before=change.calibration_before,
        after=change.calibration,
    )


def describe_doubt(doubt: str, astray: Sequence[int]) -> str:
    """Return why nothing is judged at the moment, and what to do."""
    match Doubt(doubt):
        case Doubt.MOVING:
            return "The camera or the table was moved: wait until it is still. Until then nothing is judged."
        case Doubt.HIDDEN:
            return (
                "No anchor is to be seen, so it is not known where the camera stands: clear the view of the anchors, or"
                " point the camera at them again. Until then nothing is judged."
            )
        case Doubt.ASTRAY:
            return (
                f"{_describe_astray_anchors(astray)}, and too few others tell whether that or the camera was moved:"
                " put back what slipped, or let more anchors be seen. If all lie where the set-up says, start again."
                " Until then nothing is judged."
            )


def describe_slip(tag: int, far_mm: float) -> str:
    """Return that an anchor is left out, and what to do."""
    return (
        f"Anchor {tag} slipped by {far_mm:.1f} mm and is left out: put it back where it lay, or measure its new place,"
        " write that into the set-up, and start again."
    )


def describe_sway(breath_percent: float, shake_px: float) -> str:
    """Return that the camera does not stand still and what to do; empty where it hardly sways."""
    sways = []
    if breath_percent >= TOLD_BREATH_PERCENT:
        sways.append(f"its focus breathes by {breath_percent:.2f} %: switch its autofocus off")
    if shake_px >= TOLD_SHAKE_PX:
        # In coarse steps, so that the sentence can be read: it is another in every picture.
        sways.append(
            f"it shakes by about {max(0.5, round(2 * shake_px) / 2):g} px: mount it, or stand the table, more firmly"
        )
    return (
        f"The camera does not stand still, which is followed but costs exactness: {'; '.join(sways)}." if sways else ""
    )


def describe_change(event: CalibrationChanged) -> str:
    """Return what was found to have changed; empty for what a person need not be told, or is told in another way."""
    if event.what == ChangeKind.CAMERA_MOVED:
        turned_deg = math.degrees(event.turned_rad)
        return (
            f"The camera or the table was moved by {event.moved_mm:.1f} mm and turned by {turned_deg:.2f}°;"
            " it has been calibrated anew."
        )
    if event.what == ChangeKind.ANCHOR_BACK:
        return f"Anchor {event.tag} lies where it belongs again."
    if event.what == ChangeKind.LENS_CHANGED:
        return "Another lens file is used from here on: everything was measured anew by it, and nothing was moved."
    return ""


def _describe_astray_anchors(tags: Sequence[int]) -> str:
    if len(tags) == 1:
        return f"Anchor {tags[0]} is not where it was"
    return (
        f"Anchors {', '.join(map(str, tags))} are not where they were" if tags else "Other anchors are seen than before"
    )
