"""Refinement controller: offers a better lens where the tags that lie still in this game tell of one.

What lies still is gathered while the game goes on, and asked between moves.  Nothing changes until a person says so,
and never during a move: then all that stands gets its place anew, by the lens that is used from there on.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.camera.pairing import Pairing, find_calibration_files
from assistant.features.feature import Asker, Feature, Handles, Moment
from assistant.features.refinement.recording import build_lens_file
from assistant.setup.editing import keep_lens
from assistant.setup.file import Setup
from assistant.table.session import GameSession
from assistant.web.commands.calibration import RefinementDecline, RefinementUse
from assistant.web.messages import View
from assistant.web.messages.calibration import RefinementView
from calibration.errors import Unsolvable
from calibration.spaces import Lens
from calibration.table.camera_pose import guess_lens
from calibration.table.play_refinement import LEAST_TAGS, PlayRefinement, refine_from_play
from vision.anchors.resting_tags import RestingStand, RestingTags
from vision.pipeline import Pipeline
from vision.types import ChangeKind, TableSnapshot

EVERY_NS = 10**9
"""What lies still is looked for so often."""
TOLD_NS = 60 * 10**9
"""What became of the lens is said for so long."""
MORE = 1.25
"""It is worked out anew once so many times as many tags have lain still."""


@dataclass(kw_only=True)
class RefinementController(Feature):
    """Used from the thread of the table; what tags tell is worked out in a thread of the executor."""

    name = "refinement"
    setup: Setup
    path: Path | None
    """The set-up file that names the lens; None where what is used is forgotten with the program."""
    pipeline: Pipeline
    executor: Executor
    pairing: Pairing = field(default_factory=Pairing)
    """Knows which camera it is, and which files are used with it."""
    offer: PlayRefinement | None = None
    kept: str = ""
    """What became of the better lens, in a sentence; empty before it is used."""
    _kept_ns: int = 0
    _gathered: RestingTags = field(default_factory=RestingTags)
    _looked_ns: int | None = None
    _asked: int = 0
    """Of so many tags it was asked last."""
    _answered: bool = False
    """A person has said yes or no: nobody is asked again while the program runs, and no tag counts twice."""
    _solve: "Future[PlayRefinement | None] | None" = None

    def filter_poses(self, snapshot: TableSnapshot) -> TableSnapshot:
        """Gather what lies still; what was seen stays as it is."""
        if any(change.kind is ChangeKind.LENS_CHANGED for change in snapshot.changes):
            self._gathered, self.offer, self._asked, self._solve = RestingTags(), None, 0, None
        since_ns = self._looked_ns
        is_due = since_ns is None or not 0 <= snapshot.captured_ns - since_ns < EVERY_NS
        if not self._answered and (is_due or snapshot.changes):
            self._looked_ns = snapshot.captured_ns
            self._gathered.add(self.pipeline, snapshot)
        return snapshot

    def follow(self, moment: Moment) -> None:
        """Ask what tags tell once there are enough, or many more than before, and take in the answer."""
        if self._solve is not None and self._solve.done():
            done, self._solve = self._solve, None  # before what went wrong there is raised
            self.offer = None if self._answered else done.result()
        stand = self._gathered.fullest
        if self._answered or self._solve is not None or stand is None or not is_between_moves(moment.session):
            return
        if len(stand.tags) >= max(LEAST_TAGS, MORE * self._asked):
            self._asked, table = len(stand.tags), moment.session.state.table
            lens = self.pipeline.markers.lens
            self._solve = self.executor.submit(_refine, lens, stand, table.width_mm, table.depth_mm)

    @Handles(RefinementUse)
    def use(self, _: RefinementUse, asker: Asker) -> None:
        """Use the lens that was offered from now on; written beside the set-up file, the one before kept.

        Raises:
            BadInput: none is offered, a move is under way, or a file cannot be written.

        """
        offer = self._require_offer()
        if not is_between_moves(asker.session):
            raise BadInput("a move is under way: end it first, then use the better lens")
        self.kept = "The better lens is used from now on, until the program ends: a demo writes nothing."
        if self.path is not None:
            self.setup, file, before = keep_lens(self.path, build_lens_file(offer, self.pairing.mark))
            self.pairing.files = find_calibration_files(self.setup, self.path, None)
            note = f" The lens before it is {before.name} now." if before else ""
            self.kept = f"The better lens is used from now on: {file.name}, which {self.path.name} names.{note}"
        self.pipeline.change_lens(offer.lens)
        self.offer, self._answered, self._kept_ns = None, True, asker.session.now_ns

    @Handles(RefinementDecline)
    def decline(self) -> None:
        """Keep the lens in use, and ask no more while the program runs.

        Raises:
            BadInput: none is offered.

        """
        self._require_offer()
        self.offer, self._answered = None, True

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield the offer between moves, and what became of it for a while."""
        if self.offer and is_between_moves(session):
            yield View(refinement={"lens": RefinementView(text=self.offer.text, offered=True)})
        elif self.kept and session.now_ns - self._kept_ns < TOLD_NS:
            yield View(refinement={"lens": RefinementView(text=self.kept, offered=False)})

    def _require_offer(self) -> PlayRefinement:
        if self.offer is None:
            raise BadInput("no better lens is offered now")
        return self.offer


def is_between_moves(session: GameSession) -> bool:
    """Whether no move is announced, under way or waiting to be accepted, and the camera's place is known."""
    state = session.state
    if state.declared or state.tracks or state.restoring or session.seen.doubt is not None:
        return False
    return not any(entry.moving or entry.state == "lifted" for entry in session.poses.values())


def _refine(lens: Lens | None, stand: RestingStand, width_mm: float, depth_mm: float) -> PlayRefinement | None:
    """Return what tags tell; None where that is nothing worth having."""
    known = lens or guess_lens(stand.camera.lens.image_size)
    try:
        found = refine_from_play(
            known=known,
            in_use=stand.camera,
            place=stand.place,
            resting=stand.tags,
            width_mm=width_mm,
            depth_mm=depth_mm,
        )
    except Unsolvable:
        return None
    return found if found.is_better else None
