"""A table file from pictures: where the anchors of a set-up lie, and where the camera stood."""

import math
from collections.abc import Sequence
from pathlib import Path

from assistant.errors import BadInput
from assistant.features.camera.frame_sources import read_frames
from assistant.features.camera.markers import find_lens, solve_table_file
from assistant.features.camera.pairing import find_calibration_files, read_mark
from assistant.setup.file import Setup, read_setup
from calibration.camera_match import require_same_camera
from calibration.errors import WrongPairing
from calibration.spaces import Lens
from calibration.table.bundle_adjustment import AnchorSighting
from calibration.table.file import TableFile
from vision.anchors.camera_pose import merge_sightings, observe_anchors
from vision.images import check_size, convert_to_grey

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
            seen = observe_anchors(path.name, grey, tags)
            if seen.shown_twice:
                twice = ", ".join(map(str, seen.shown_twice))
                raise BadInput(f"{path}: anchor {twice} is in the picture twice: take one print away")
            if seen.sighting.squares_px:
                sightings.append(seen.sighting)
        if path.name not in {sighting.name for sighting in sightings}:
            expected = ", ".join(map(str, sorted(tags)))
            raise BadInput(f"{path}: none of the anchors ({expected}) is seen in it; leave it out, or take it anew")
    if len(sizes) > 1:
        (one, first), (other, second) = list(sizes.items())[:2]
        raise BadInput(
            f"{second}: this picture is {other[0]}x{other[1]}, but {first} is {one[0]}x{one[1]};"
            " all must come from one camera at one resolution"
        )
    (size,) = sizes
    return merge_sightings(sightings), size
