"""Past table: the table straight from above at a moment of a recorded game, where a picture was kept of it."""

from dataclasses import dataclass
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.game.state import GameState, Pose, Terrain
from assistant.recording.journal.row_types import KeptPicture, VideoKept
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
"""A picture that was taken so near to a moment shows it; an older one shows a base that stands as it stood then."""
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
    photographer = TablePhotographer.open(past)
    found = photographer.find_image(at_ns)
    if found is None:
        return None
    captured_ns, image = found
    state = past.find_moment(at_ns).session.state.apply_tracks()
    pose = _find_pose(state, model)
    if abs(captured_ns - at_ns) > NEAR_NS:
        then = past.find_moment(captured_ns).session.state.apply_tracks()
        if pose is None or _find_pose(then, model) != pose:
            return None
    height_mm = pose.z_mm + USUAL_RIM_MM if pose else 0.0
    drawn = photographer.rectify(image, at_ns, width_px, area=area, height_mm=height_mm, terrain=state.terrain)
    if drawn is None:
        return None
    jpeg = bytes(cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])
    return KeptPicture(captured_ns=captured_ns, jpeg=jpeg)


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

    def find_image(self, at_ns: int) -> tuple[int, BgrImage] | None:
        """Return the camera's picture that is nearest to a moment, and when it was taken; a kept one of any age."""
        kept = self.past.find_picture(at_ns)
        apart_ns = NEAR_NS if kept is None else abs(kept.captured_ns - at_ns)
        if (kept is None or apart_ns > SAME_NS) and (filmed := self._find_filmed(at_ns, min(apart_ns, NEAR_NS))):
            return filmed
        image = None if kept is None else cv2.imdecode(np.frombuffer(kept.jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
        return None if kept is None or image is None else (kept.captured_ns, np.asarray(image, dtype=np.uint8))

    def _find_filmed(self, at_ns: int, within_ns: int) -> tuple[int, BgrImage] | None:
        """Return what was filmed nearest to a moment, and when; None where nothing was so near, or the film is lost."""
        captured_ns = self.past.began_ns + at_ns
        pieces = [each for run in self.runs for each in run.pieces]
        row, piece = min(pieces, key=lambda each: _measure_gap_ns(each[1], captured_ns), default=(0, None))
        if piece is None:
            return None
        times_ns = [piece.began_ns + later_ns for _, later_ns in piece.pictures]
        nth = min(range(len(times_ns)), key=lambda each: abs(times_ns[each] - captured_ns))
        if abs(times_ns[nth] - captured_ns) > within_ns:
            return None
        try:
            image = next(islice(decode_piece(read_piece(self.past.path, row, piece), piece.size), nth, None), None)
        except BadInput:
            return None
        return None if image is None else (times_ns[nth] - self.past.began_ns, image)

    def draw(self, at_ns: int, width_px: int) -> BgrImage | None:
        """Return the whole table at a moment, (height, width, 3) BGR; None where no picture shows it."""
        found = self.find_image(at_ns)
        if found is None or abs(found[0] - at_ns) > NEAR_NS:
            return None
        return self.rectify(found[1], at_ns, width_px)

    def rectify(
        self,
        image: BgrImage,
        at_ns: int,
        width_px: int,
        *,
        area: TableArea | None = None,
        height_mm: float = 0.0,
        terrain: tuple[Terrain, ...] | None = None,
    ) -> BgrImage | None:
        """Return the table of a camera's picture; None where nothing was calibrated then.

        Args:
            image: as the camera saw it, or a smaller one.
            at_ns: when, since the game's beginning.
            width_px: of what is returned.
            area: a part of the table; None for the whole.
            height_mm: of what is to be drawn where it is.
            terrain: what stands on the table; None for what did as the game began.

        """
        camera = _find_camera(self.past, at_ns)
        if camera is None:
            return None
        first = self.past.first
        tops = list_solid_tops(first.terrain if terrain is None else terrain, above_mm=height_mm)
        area = area or TableArea(width_mm=first.table.width_mm, depth_mm=first.table.depth_mm)
        image = _fit_lens(image, camera)
        return draw_table(camera, image, area, width_px=width_px, height_mm=height_mm, raised=tops)


def _measure_gap_ns(piece: VideoKept, captured_ns: int) -> int:
    """Return how long before or after what a piece shows a moment is; 0 within it."""
    return max(piece.began_ns - captured_ns, captured_ns - piece.began_ns - piece.pictures[-1][1], 0)


def _find_camera(past: RecordedGame, at_ns: int) -> CameraOverTable | None:
    """Return where the camera was by what was known at a moment; None where nothing was calibrated then."""
    made = [(when, seen) for when, seen in past.calibrations.values() if when <= at_ns]
    return max(made, key=lambda each: each[0])[1].solved_camera if made else None


def _fit_lens(image: BgrImage, camera: CameraOverTable) -> BgrImage:
    """Return a picture in the size that the camera was calibrated in: smaller ones are kept of large ones."""
    if (image.shape[1], image.shape[0]) == camera.lens.image_size:
        return image
    return np.asarray(cv2.resize(image, camera.lens.image_size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def _find_pose(state: GameState, model: str) -> Pose | None:
    return next((one.pose for _, one in state.iterate_models() if one.id == model), None)
