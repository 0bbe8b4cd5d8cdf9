"""How a table was last seen: every model's pose, and what was wrong with the picture."""

import math
from collections.abc import Mapping
from dataclasses import replace

from assistant.game.history import other_of
from assistant.poses import PoseEntry, entry_of
from assistant.record.seen import PosesSeen
from vision.types import TableSnapshot

NOTICED_NS = 150_000_000
"""A model that is held for a shorter time is shown as if it were seen: a hand's shadow must not make it flicker."""
STILL_MM = 0.05
STILL_DEG = 0.2


class Sights:
    """How every model was last shown, picture after picture."""

    def __init__(self) -> None:
        self.poses: dict[str, PoseEntry] = {}
        """Of every model that has been seen."""
        self.seen = PosesSeen(anchors_seen=0, calibration="", poses=())
        """What the latest picture told, and what was wrong with it."""
        self.hidden_ns: dict[str, int] = {}
        """Since when models are hidden that are held."""
        self._named: dict[int, str] = {}
        """What the set-up calls the model with a tag, for the tags that the game knows to be on another."""

    def copy(self) -> "Sights":
        """Return the same, to go on by itself."""
        other = Sights()
        other.poses, other.seen, other.hidden_ns = dict(self.poses), self.seen, dict(self.hidden_ns)
        other._named = dict(self._named)
        return other

    def news(self, snapshot: TableSnapshot) -> PosesSeen:
        """Return what a picture tells that is new; the poses are those of the models that have moved."""
        return PosesSeen(
            anchors_seen=snapshot.anchors_seen,
            calibration=snapshot.calibration,
            poses=tuple(
                entry for entry in map(entry_of, snapshot.poses) if _differs(self.poses.get(entry.model), entry)
            ),
            shown_twice=snapshot.shown_twice,
            wrong_anchors=snapshot.wrong_anchors,
            doubt=None if snapshot.doubt is None else snapshot.doubt.value,
            astray=snapshot.astray,
            slipped_mm={tag: round(far_mm, 1) for tag, far_mm in snapshot.slipped_mm.items()},
        )

    def show(self, seen: PosesSeen, now_ns: int) -> None:
        """Take in what a picture told."""
        self.seen = seen
        for entry in seen.poses:
            before = self.poses.get(entry.model)
            if entry.state == "held" and before is not None and before.state == "seen":
                self.hidden_ns[entry.model] = now_ns
            elif entry.state != "held":
                self.hidden_ns.pop(entry.model, None)
            self.poses[entry.model] = entry

    def stand(self, poses: Mapping[str, PoseEntry], hidden_ns: Mapping[str, int], seen: PosesSeen | None) -> None:
        """Take in at once what `show` would have come to, picture after picture.

        Args:
            poses: how every model was last shown.
            hidden_ns: since when those are hidden that are held.
            seen: what the last picture told; None where there was none.

        """
        self.poses, self.hidden_ns = dict(poses), dict(hidden_ns)
        self.seen = seen or self.seen

    def only_just_hidden(self, model: str, now_ns: int) -> bool:
        """Whether a held model was seen until so short a time ago that nobody needs to be told."""
        hidden_ns = self.hidden_ns.get(model)
        return hidden_ns is not None and now_ns - hidden_ns < NOTICED_NS

    def in_view(self, now_ns: int) -> dict[str, PoseEntry]:
        """Return the models that are seen, or as good as seen."""
        return {
            model: entry
            for model, entry in self.poses.items()
            if entry.state == "seen" or self.only_just_hidden(model, now_ns)
        }

    def identified(self, snapshot: TableSnapshot, carried: Mapping[int, str]) -> TableSnapshot:
        """Return what a picture showed with every tag's pose under the model that carries it.

        From here on, the record included, a model is what the game knows it to be, while the tag says what was seen.
        """
        if not carried:
            return snapshot
        self._named.update({pose.tag: pose.model for pose in snapshot.poses if pose.tag in carried})
        poses = (replace(pose, model=carried.get(pose.tag, pose.model)) for pose in snapshot.poses)
        return replace(snapshot, poses=tuple(poses))

    def name_now(self, models: tuple[str, ...], carried: Mapping[int, str]) -> None:
        """Keep what the set-up calls models that from now on carry other tags than it says."""
        seen = [self.poses[model] for model in models if model in self.poses]
        self._named.update({entry.tag: entry.model for entry in seen if entry.tag not in carried})

    def misnamed(self, carried: Mapping[int, str]) -> dict[int, str]:
        """Return the model that carries each tag of which the set-up says another."""
        return {tag: model for tag, model in carried.items() if self._named.get(tag, model) != model}

    def set_up_name(self, model: str, carried: Mapping[int, str]) -> str:
        """Return what the set-up calls the base that carries a model."""
        return next((name for tag, name in self._named.items() if carried.get(tag) == model), model)

    def exchanged(self, models: tuple[str, str]) -> PosesSeen:
        """Return what the latest picture told, were two models each other; nobody knows where one was never seen."""
        seen = [self.poses[model] for model in models if model in self.poses]
        poses = [entry.model_copy(update={"model": other_of(models, entry.model)}) for entry in seen]
        if len(seen) == 1:
            poses.append(seen[0].model_copy(update={"state": "lost", "moving": False}))
        return self.seen.model_copy(update={"poses": tuple(poses)})


def _manner(entry: PoseEntry) -> tuple[object, ...]:
    return entry.state, entry.moving, entry.other_z_mm


def _differs(shown: PoseEntry | None, entry: PoseEntry) -> bool:
    """Whether a pose has changed by more than an average at rest still drifts, so that a still table stays still."""
    if shown is None or _manner(shown) != _manner(entry):
        return True
    steps = (entry.x_mm - shown.x_mm, entry.y_mm - shown.y_mm, entry.z_mm - shown.z_mm)
    return max(map(abs, steps)) > STILL_MM or abs(math.remainder(entry.facing_deg - shown.facing_deg, 360)) > STILL_DEG
