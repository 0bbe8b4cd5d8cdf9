"""Sight notices: tells during a game why anchors or bases are not found, and marks which bases these are.

It is quiet about what lasts for a moment only, as a hand does, and about models that are not on the table.
"""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace

from assistant.features.camera.picture_clues import PictureClues, gather_clues
from assistant.features.camera.sight_reasons import (
    HINDRANCES,
    SightCircumstances,
    SightReason,
    explain_sight,
    find_last_places,
    list_missing,
    name_last_unread,
    needs_clues,
)
from assistant.features.feature import Feature, Moment
from assistant.setup.file import Setup
from assistant.table.observations import list_carried
from assistant.table.session import GameSession
from assistant.web.messages import View
from assistant.web.messages.table import HindranceView, NoticeView
from calibration.spaces import CameraOverTable
from hardware.frame import Frame
from vision.images import convert_to_grey
from vision.marker_numbers import is_ring
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.tags.detection import assume_detection
from vision.types import Hindrance, PoseState, TableSnapshot, TagDetection

EVERY_NS = 500_000_000
"""Sentences change no more often, so that they can be read."""
LASTED_NS = 1_500_000_000
"""What has kept something from being found for so long is told ..."""
HANDS_NS = 5_000_000_000
"""... and what hands do in every move for so long."""
SET_UP_NS = 20_000_000_000
"""What is not found is told once it has been the same for so long: models are set up one after another."""
BY_HANDS = frozenset({Hindrance.COVERED, Hindrance.MOVING_TOO_FAST, Hindrance.ABOVE_TABLE})
MOST_TOLD = 3
"""So many reasons are told at a time, the weightiest: nobody reads more."""
CLUES_NS = 5_000_000_000
"""Between two looks for what else a picture shows, which take some tenths of a second."""


@dataclass(kw_only=True)
class SightNotices(Feature):
    """Used from the thread of the table; what else a picture shows is looked for in a thread of the executor."""

    name = "sight"
    setup: Setup
    executor: Executor
    _snapshot: TableSnapshot | None = None
    _frame: Frame | None = None
    _looked_ns: int | None = None
    _since_ns: dict[str, int] = field(default_factory=dict)
    """Since when each reason holds, by what it is about."""
    _unexpected: set[str] | None = None
    """Models that are not expected beside their units any more: they have been there, or fell in an earlier game."""
    _told: tuple[SightReason, ...] = ()
    _hindrances: dict[str, HindranceView] = field(default_factory=dict)
    _clues: PictureClues | None = None
    _clues_ns: int | None = None
    _future: "Future[PictureClues] | None" = None

    def see(self, frame: Frame) -> None:
        """Keep the frame: its clues may be asked for."""
        self._frame = frame

    def filter_poses(self, snapshot: TableSnapshot) -> TableSnapshot:
        """Keep what was seen, as it was seen."""
        self._snapshot = snapshot
        return snapshot

    def follow(self, moment: Moment) -> None:
        """Say anew what is to be told, now and then."""
        snapshot, self._snapshot = self._snapshot, None
        if snapshot is None:
            return
        now_ns = snapshot.captured_ns
        if self._looked_ns is not None and 0 <= now_ns - self._looked_ns < EVERY_NS:
            return
        self._looked_ns = now_ns
        markers = _select_played(moment.pipeline.markers, moment.session, self._list_expected(moment.session))
        missing = _select_missing(snapshot, markers)
        reasons = self._explain(missing, markers, moment, now_ns)
        self._since_ns = {key: self._since_ns.get(key, now_ns) for key in map(_name_reason, reasons)}
        lasting = [r for r in reasons if now_ns - self._since_ns[_name_reason(r)] >= _find_patience(r)]
        self._told = tuple(lasting[:MOST_TOLD])
        told = {marker for reason in lasting for marker in reason.markers}
        carried = list_carried(moment.session.state)
        self._hindrances = {
            carried.get(marker, moment.pipeline.markers.bases[marker].model): _build_hindrance(
                hindrance, _find_place(marker, missing, moment.pipeline), moment.pipeline.camera
            )
            for marker, hindrance in missing.hindered.items()
            if marker in told
        }

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        del session
        # A doubt of the calibration has a notice of its own already, which this one takes the place of.
        names = {reason.about: "" if reason.about == "calibration" else "sight:" for reason in self._told}
        yield View(
            notices={f"{names[reason.about]}{reason.about}": NoticeView(text=reason.sentence) for reason in self._told},
            hindrances=self._hindrances,
        )

    def _list_expected(self, session: GameSession) -> set[str]:
        """Return the models that should be found: those on the table, and those of their units that never were."""
        units = [{model.id for model in unit.models} for unit in session.state.units]
        there = {
            model.id
            for _, model in session.state.iterate_models()
            if model.pose is not None or model.id in session.state.tracks
        }
        begun = set().union(*(models for models in units if models & there))
        if self._unexpected is None:
            self._unexpected = begun - there
        self._unexpected |= there
        return there | begun - self._unexpected

    def _explain(
        self, missing: TableSnapshot, markers: Markers, moment: Moment, now_ns: int
    ) -> tuple[SightReason, ...]:
        if needs_clues(missing):
            self._gather_clues(markers, now_ns)
        elif list_missing(missing, markers):
            seen = {m: track for m, track in moment.pipeline.tracks.items() if not (track.missed or is_ring(m))}
            self._gather_clues(markers, now_ns, [assume_detection(m, track.corners_px) for m, track in seen.items()])
        else:
            self._clues = None
        known = SightCircumstances(
            table_mm=(self.setup.table.width_mm, self.setup.table.depth_mm),
            places_mm=find_last_places(moment.pipeline),
            trouble=moment.pipeline.calibrated.trouble,
            clues=self._clues,
        )
        if not markers.anchors:
            return ()  # nothing is set up yet, and the page that does it says so
        reasons = explain_sight(missing, markers, known)
        return tuple(reason for reason in reasons if markers.bases or reason.about != "bases")

    def _gather_clues(self, markers: Markers, now_ns: int, known: Sequence[TagDetection] | None = None) -> None:
        """Look at what else the picture shows, in another thread, if that was long ago."""
        if self._future is not None and self._future.done():
            done, self._future = self._future, None  # before what went wrong there is raised
            self._clues = done.result()
        is_due = self._clues_ns is None or not 0 <= now_ns - self._clues_ns < CLUES_NS
        if self._future is None and self._frame is not None and is_due:
            self._clues_ns = now_ns
            self._future = self.executor.submit(
                gather_clues, convert_to_grey(self._frame.image), markers.tags, known, anchors=markers.anchor_tags
            )


def _select_played(markers: Markers, session: GameSession, expected: Collection[str]) -> Markers:
    """Return the markers without those of models that are not expected, under the models that carry them now."""
    carried = list_carried(session.state)
    named = {marker: replace(base, model=carried.get(marker, base.model)) for marker, base in markers.bases.items()}
    return replace(markers, bases={marker: base for marker, base in named.items() if base.model in expected})


def _select_missing(snapshot: TableSnapshot, played: Markers) -> TableSnapshot:
    """Return what was seen, with those of the hindered bases that are played and not seen for all that."""
    seen = {pose.marker for pose in snapshot.poses if pose.state is PoseState.SEEN}
    hindered = {m: hindrance for m, hindrance in snapshot.hindered.items() if m in played.bases and m not in seen}
    return name_last_unread(replace(snapshot, hindered=hindered), played)


def _name_reason(reason: SightReason) -> str:
    """Return by what it is told whether a reason holds still: other bases that are not found are another one."""
    return f"{reason.about}{reason.markers if reason.about == 'unseen' else ''}"


def _find_patience(reason: SightReason) -> int:
    if reason.about == "unseen":
        return SET_UP_NS
    return HANDS_NS if reason.about in BY_HANDS else LASTED_NS


def _find_place(marker: int, missing: TableSnapshot, pipeline: Pipeline) -> tuple[float, float] | None:
    """Return where a base's marker is in the picture, read or not; None where nobody knows."""
    unread = {each.marker: each.place_px for each in missing.unread}
    if marker in unread:
        return unread[marker]
    track = pipeline.tracks.get(marker)
    return None if track is None else (float(track.corners_px[:, 0].mean()), float(track.corners_px[:, 1].mean()))


def _build_hindrance(
    hindrance: Hindrance, place_px: tuple[float, float] | None, camera: CameraOverTable | None
) -> HindranceView:
    """Return what is shown at a base's place, on the table and in the camera's picture."""
    words = HINDRANCES[hindrance]
    text = f"{words.one}: {words.advice}"
    if place_px is None or camera is None:
        return HindranceView(hindrance=hindrance.value, short=words.short, text=text)
    (x_px, y_px), (width, height) = place_px, camera.lens.image_size
    return HindranceView(
        hindrance=hindrance.value,
        short=words.short,
        text=text,
        x_share=round(x_px / width, 4),
        y_share=round(y_px / height, 4),
    )
