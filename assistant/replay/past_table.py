"""Past table: the table straight from above at a moment of a recorded game, where a picture was kept of it."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.game.state import GameState, Pose
from assistant.recording.journal.row_types import KeptPicture
from assistant.recording.video.codec import decode_piece
from assistant.recording.video.reader import VideoRun, read_piece, read_runs
from assistant.replay.recorded_game import RecordedGame
from assistant.table.surface_levels import list_solid_tops
from calibration.spaces import CameraOverTable
from vision.table_map import TableArea, draw_table

BgrImage = NDArray[np.uint8]
SAME_NS = 10**8
"""A picture that was kept so near to a moment is one of that moment, and whatever was filmed is no nearer."""
NEAR_NS = 3 * 10**9
"""A picture that was kept so near to a moment shows it; an older one shows a base that stands as it stood then."""
USUAL_RIM_MM = 3.5
"""Height of a base's rim, which no recording tells."""
QUALITY = 85


def draw_past_table(
    past: RecordedGame, at_ns: int, area: TableArea | None, width_px: int, model: str = ""
) -> KeptPicture | None:
    """Return the table as its camera saw it at a moment, or nearest to it; None where no picture of it was kept.

    Args:
        past: the recorded game.
        at_ns: since its beginning.
        area: a part of the table; None for the whole.
        width_px: of the picture.
        model: the rim of its base is drawn where it is, rather than the table under it.

    Raises:
        BadInput: the recording cannot be read.

    """
    found = _find_image(past, at_ns)
    camera = _find_camera(past, at_ns)
    if found is None or camera is None:
        return None
    captured_ns, image = found
    state = past.find_moment(at_ns).session.state.apply_tracks()
    pose = _find_pose(state, model)
    if abs(captured_ns - at_ns) > NEAR_NS:
        then = past.find_moment(captured_ns).session.state.apply_tracks()
        if pose is None or _find_pose(then, model) != pose:
            return None
    height_mm = pose.z_mm + USUAL_RIM_MM if pose else 0.0
    drawn = draw_table(
        camera,
        _fit_lens(image, camera),
        area or TableArea(width_mm=state.table.width_mm, depth_mm=state.table.depth_mm),
        width_px=width_px,
        height_mm=height_mm,
        raised=list_solid_tops(state.terrain, above_mm=height_mm),
    )
    jpeg = bytes(cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])
    return KeptPicture(captured_ns=captured_ns, jpeg=jpeg)


def _find_camera(past: RecordedGame, at_ns: int) -> CameraOverTable | None:
    """Return where the camera was by what was known at a moment; None where nothing was calibrated then."""
    made = [(when, seen) for when, seen in past.calibrations.values() if when <= at_ns]
    return max(made, key=lambda each: each[0])[1].solved_camera if made else None


def _fit_lens(image: BgrImage, camera: CameraOverTable) -> BgrImage:
    """Return a picture in the size that the camera was calibrated in: smaller ones are kept of large ones."""
    if (image.shape[1], image.shape[0]) == camera.lens.image_size:
        return image
    return np.asarray(cv2.resize(image, camera.lens.image_size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def _find_image(past: RecordedGame, at_ns: int) -> tuple[int, BgrImage] | None:
    """Return the camera's picture that is nearest to a moment, and when it was taken."""
    kept = past.find_picture(at_ns)
    if kept is None or abs(kept.captured_ns - at_ns) > SAME_NS:
        filmed = _find_filmed(past, at_ns)
        if filmed is not None:
            return filmed
    image = None if kept is None else cv2.imdecode(np.frombuffer(kept.jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
    return None if kept is None or image is None else (kept.captured_ns, np.asarray(image, dtype=np.uint8))


def _find_filmed(past: RecordedGame, at_ns: int) -> tuple[int, BgrImage] | None:
    """Return what was filmed at a moment, and when; None where nothing was, or the film is lost."""
    captured_ns = past.began_ns + at_ns
    try:
        runs = read_runs(past.path)
    except BadInput:
        return None
    for run in runs:
        for row, piece in run.pieces:
            times = [piece.began_ns + later for _, later in piece.pictures]
            if times and times[0] <= captured_ns <= times[-1] + SAME_NS:
                at = max(bisect_right(times, captured_ns) - 1, 0)
                try:
                    image = next(islice(decode_piece(read_piece(past.path, row, piece), piece.size), at, None), None)
                except BadInput:
                    return None
                return None if image is None else (times[at] - past.began_ns, image)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePhotographer:
    """Draws the table of one recorded game straight from above, of whatever its cameras' pictures show."""

    past: RecordedGame
    runs: tuple[VideoRun, ...]
    """What was filmed; empty without a video."""

    @classmethod
    def open(cls, past: RecordedGame) -> "TablePhotographer":
        """Return it for a recording, with its video where that is there and whole."""
        past.find_end_ns()  # reads the calibrations
        try:
            runs = read_runs(past.path)
        except BadInput:
            runs = ()
        return cls(past=past, runs=runs)

    def draw(self, at_ns: int, width_px: int) -> BgrImage | None:
        """Return the whole table at a moment, (height, width, 3) BGR; None where no picture shows it."""
        kept = self.past.find_picture(at_ns)
        if kept is not None and abs(kept.captured_ns - at_ns) <= NEAR_NS:
            image = cv2.imdecode(np.frombuffer(kept.jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
            return None if image is None else self.rectify(np.asarray(image, dtype=np.uint8), at_ns, width_px)
        captured_ns = self.past.began_ns + at_ns
        for run in self.runs:
            for row, piece in run.pieces:
                if piece.began_ns - NEAR_NS <= captured_ns <= piece.began_ns + piece.pictures[-1][1] + NEAR_NS:
                    image = next(decode_piece(read_piece(self.past.path, row, piece), piece.size), None)
                    return None if image is None else self.rectify(image, at_ns, width_px)
        return None

    def rectify(self, image: BgrImage, at_ns: int, width_px: int) -> BgrImage | None:
        """Return the table of a camera's picture; None where nothing was calibrated then."""
        camera = _find_camera(self.past, at_ns)
        if camera is None:
            return None
        table = self.past.first.table
        area = TableArea(width_mm=table.width_mm, depth_mm=table.depth_mm)
        image = _fit_lens(image, camera)
        return draw_table(camera, image, area, width_px=width_px, raised=list_solid_tops(self.past.first.terrain))


def _find_pose(state: GameState, model: str) -> Pose | None:
    return next((one.pose for _, one in state.iterate_models() if one.id == model), None)
