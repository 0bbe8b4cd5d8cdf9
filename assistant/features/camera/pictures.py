"""Pictures of a table: where bases stand in them, and the table file of where the anchors lie."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.camera.frame_sources import iterate_frames, read_frames
from assistant.features.camera.markers import build_markers, find_lens, solve_table_file
from assistant.features.camera.pairing import Pairing, find_calibration_files, read_mark
from assistant.features.camera.picture_clues import PictureClues, gather_clues
from assistant.features.camera.ring_legibility import describe_illegible_rings
from assistant.features.camera.sight_reasons import (
    SightCircumstances,
    explain_blindness,
    explain_sight,
    explain_unsolvable,
    find_last_places,
    list_missing,
    needs_clues,
)
from assistant.recording.poses import Poses, build_poses_document
from assistant.setup.file import Setup, read_setup
from calibration.camera_match import require_same_camera
from calibration.errors import Unsolvable, WrongPairing
from calibration.spaces import CameraOverTable, Lens
from calibration.table.bundle_adjustment import AnchorSighting
from calibration.table.file import TableFile
from hardware.camera import PlaybackPace, has_known_kind, open_source
from hardware.camera.address import redact_address
from hardware.camera.file import is_still
from hardware.camera.frame_source import Identity, read_identity_beside
from hardware.frame import Frame
from overtable_errors import OvertableError
from vision.anchors.camera_pose import merge_sightings, observe_anchors
from vision.images import check_size, convert_to_grey
from vision.pipeline import Pipeline
from vision.stills import locate_bases_in_image
from vision.types import TableSnapshot

CLUES_FRAMES = 30
"""What a frame shows beside what is expected is taken to hold for so many."""


class PictureLocator:
    """Locates the bases of one set-up."""

    def __init__(self, setup_path: Path, lens: Path | None) -> None:
        """Read a set-up file; a lens file may take the place of the one that it names.

        Raises:
            BadInput: a file is not as it should be.

        """
        setup = read_setup(setup_path)
        self._setup, self._path = setup, setup_path
        self._markers, notice = build_markers(setup, setup_path, lens)
        self._files = find_calibration_files(setup, setup_path, lens)
        self._notices = [notice]
        self._clues: tuple[int, PictureClues] | None = None
        """Those of a frame of the film that is looked at, and which."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know beside the answers, each sentence once."""
        return tuple(dict.fromkeys(self._notices))

    def locate(self, image: str) -> Iterator[Poses]:
        """Yield a document for a picture, or for every frame of a video or a camera source such as ``images:FOLDER``.

        Raises:
            BadInput: it cannot be used, or all rings of the set-up are too narrow for its camera; the sentence says
                why.

        """
        pairing = Pairing(self._files)
        path = Path(image)
        if has_known_kind(image) and not path.exists():
            located = self._locate_in_source(image, pairing)
        else:
            located = (self._locate_in_still if is_still(path) else self._locate_in_video)(path, pairing)
        camera: CameraOverTable | None = None
        for snapshot, document in located:
            if camera is None and snapshot.camera is not None:
                camera = snapshot.camera
                self._judge_rings(camera)
            yield document
        self._notices.append(pairing.notice)

    def _judge_rings(self, camera: CameraOverTable) -> None:
        try:
            self._notices += describe_illegible_rings(self._setup, camera).values()
        except BadInput as error:
            raise BadInput(f"{self._path}: {error}") from None

    def _locate_in_still(self, path: Path, pairing: Pairing) -> "Located":
        (frame,) = read_frames(path)
        try:
            pairing.check(read_identity_beside(path), frame.image)
            snapshot = locate_bases_in_image(self._markers, frame.image, frame.captured_ns)
        except Unsolvable as error:
            reason = explain_unsolvable(self._markers, convert_to_grey(frame.image), str(error))
            raise BadInput(f"{path}: {reason.text}") from None
        except OvertableError as error:
            raise BadInput(f"{path}: {error}") from None
        why = self._explain(snapshot, frame, None)
        yield snapshot, self._build_document(snapshot, source=path.name, frame=0, captured_ns=None, why=why)

    def _locate_in_video(self, path: Path, pairing: Pairing) -> "Located":
        return self._follow(read_frames(path), read_identity_beside(path), pairing, name=str(path), source=path.name)

    def _locate_in_source(self, spec: str, pairing: Pairing) -> "Located":
        source = open_source(spec, folder=Path(), pace=PlaybackPace.FREE)
        address = redact_address(spec)
        return self._follow(iterate_frames(source), source.identify(), pairing, name=address, source=address)

    def _follow(
        self, frames: Iterator[Frame], identity: Identity, pairing: Pairing, *, name: str, source: str
    ) -> "Located":
        """Yield what each frame shows, followed from one to the next."""
        pipeline = Pipeline(markers=self._markers)
        for frame in frames:
            try:
                pairing.check(identity, frame.image)
                snapshot = pipeline.step(frame)
            except OvertableError as error:
                raise BadInput(f"{name}: {error}") from None
            why = self._explain(snapshot, frame, pipeline)
            yield (
                snapshot,
                self._build_document(
                    snapshot, source=source, frame=frame.sequence, captured_ns=frame.captured_ns, why=why
                ),
            )

    def _explain(self, snapshot: TableSnapshot, frame: Frame, pipeline: Pipeline | None) -> tuple[str, ...]:
        """Return what keeps anchors or bases from being found; what else the picture shows is looked at seldom."""
        places_mm = {} if pipeline is None else find_last_places(pipeline)
        is_blind = needs_clues(snapshot) and (snapshot.doubt is not None or not places_mm)
        if pipeline is None and list_missing(snapshot, self._markers):
            is_blind = True  # a single picture is worth a second look
        is_stale = self._clues is None or frame.sequence - self._clues[0] not in range(CLUES_FRAMES)
        if is_blind and is_stale:
            self._clues = (
                frame.sequence,
                gather_clues(convert_to_grey(frame.image), self._markers.tags, anchors=self._markers.anchor_tags),
            )
        known = SightCircumstances(
            table_mm=(self._setup.table.width_mm, self._setup.table.depth_mm),
            places_mm=places_mm,
            trouble="" if pipeline is None else pipeline.calibrated.trouble,
            clues=self._clues[1] if is_blind and self._clues else None,
        )
        return tuple(reason.text for reason in explain_sight(snapshot, self._markers, known))

    def _build_document(
        self, snapshot: TableSnapshot, *, source: str, frame: int, captured_ns: int | None, why: Sequence[str]
    ) -> Poses:
        models = {marker: base.model for marker, base in self._markers.bases.items()}
        return build_poses_document(
            snapshot, source=source, frame=frame, captured_ns=captured_ns, models=models, why=why
        )


Located = Iterator[tuple[TableSnapshot, Poses]]


MOST_FRAMES = 30
"""Of a film, so many frames are looked at, evenly spread."""


def solve_table_from_pictures(
    setup_path: Path, images: Sequence[Path], *, lens: Path | None
) -> tuple[TableFile, list[str]]:
    """Return the table file of a set-up's anchors, and what a person should know beside it; sentences may be empty.

    Args:
        setup_path: the set-up file.
        images: pictures and films of the table, of one camera at one resolution.
        lens: a lens file in place of the set-up's.

    Raises:
        BadInput: a file is not as it should be, or the pictures do not tell where the anchors lie.
        calibration.errors.WrongPairing: a calibration file is of another camera.

    """
    setup = read_setup(setup_path)
    known, notice = find_lens(setup, setup_path, lens)
    sightings, size = _find_sightings(setup, known, images)
    mark = read_mark(images, size)
    files = find_calibration_files(setup, setup_path, lens)
    notices = [notice, *(require_same_camera(str(file.path), file.made_with, mark) for file in files)]
    return solve_table_file(setup, setup_path, known, sightings, size), notices


def _find_sightings(
    setup: Setup, lens: Lens | None, images: Sequence[Path]
) -> tuple[list[AnchorSighting], tuple[int, int]]:
    """Return what the pictures show of the anchors, and their common size."""
    tags = frozenset(anchor.tag for anchor in setup.anchors)
    sightings: list[AnchorSighting] = []
    sizes: dict[tuple[int, int], Path] = {}
    for path in images:
        frames = [convert_to_grey(frame.image) for frame in read_frames(path)]
        every = math.ceil(len(frames) / MOST_FRAMES)
        for grey in frames[::every]:
            height, width = grey.shape
            sizes.setdefault((width, height), path)
            try:
                check_size(lens, grey)
            except WrongPairing as error:
                raise BadInput(f"{path}: {error}") from None
            observation = observe_anchors(path.name, grey, tags)
            if observation.shown_twice:
                twice = ", ".join(map(str, observation.shown_twice))
                raise BadInput(f"{path}: anchor {twice} is in the picture twice: take one print away")
            if observation.sighting.squares_px:
                sightings.append(observation.sighting)
        if path.name not in {sighting.name for sighting in sightings}:
            expected = ", ".join(map(str, sorted(tags)))
            fact, advice = explain_blindness(sorted(tags), gather_clues(frames[-1], tags, anchors=tags))
            told = f"none of the anchors ({expected}) is seen in it"
            raise BadInput(f"{path}: {told}; {fact}: {advice}; leave it out, or take it anew")
    if len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        raise BadInput(
            f"{second}: this picture is {other[0]}x{other[1]}, but {first} is {one[0]}x{one[1]};"
            " all must come from one camera at one resolution"
        )
    (size,) = sizes
    return merge_sightings(sightings), size
