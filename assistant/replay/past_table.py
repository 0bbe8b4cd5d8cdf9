"""Past table: the table straight from above at a moment of a recorded game, where a picture was kept of it."""

import cv2
import numpy as np

from assistant.game.state import GameState, Pose
from assistant.replay.recorded_game import RecordedGame
from assistant.table.surface_levels import list_solid_tops
from vision.table_map import TableArea, draw_table

NEAR_NS = 3 * 10**9
"""A picture that was kept so near to a moment shows it; an older one shows a base that stands as it stood then."""
USUAL_RIM_MM = 3.5
"""Height of a base's rim, which no recording tells."""
QUALITY = 85


def draw_past_table(
    past: RecordedGame, at_ns: int, area: TableArea | None, width_px: int, model: str = ""
) -> bytes | None:
    """Return a JPEG of the table as its camera saw it at a moment; None where no picture of it was kept.

    Args:
        past: the recorded game.
        at_ns: since its beginning.
        area: a part of the table; None for the whole.
        width_px: of the picture.
        model: the rim of its base is drawn where it is, rather than the table under it.

    Raises:
        BadInput: the recording cannot be read.

    """
    kept = past.find_picture(at_ns)
    made = [(when, seen) for when, seen in past.calibrations.values() if when <= at_ns]
    if kept is None or not made:
        return None
    state = past.find_moment(at_ns).session.state.apply_tracks()
    pose = _find_pose(state, model)
    if abs(kept.captured_ns - at_ns) > NEAR_NS:
        then = past.find_moment(kept.captured_ns).session.state.apply_tracks()
        if pose is None or _find_pose(then, model) != pose:
            return None
    camera = max(made, key=lambda each: each[0])[1].solved_camera
    image = cv2.imdecode(np.frombuffer(kept.jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        return None
    if (image.shape[1], image.shape[0]) != camera.lens.image_size:  # smaller pictures are kept of large ones
        image = cv2.resize(image, camera.lens.image_size, interpolation=cv2.INTER_CUBIC)
    height_mm = pose.z_mm + USUAL_RIM_MM if pose else 0.0
    drawn = draw_table(
        camera,
        np.asarray(image, dtype=np.uint8),
        area or TableArea(width_mm=state.table.width_mm, depth_mm=state.table.depth_mm),
        width_px=width_px,
        height_mm=height_mm,
        raised=list_solid_tops(state.terrain, above_mm=height_mm),
    )
    return bytes(cv2.imencode(".jpg", drawn, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1])


def _find_pose(state: GameState, model: str) -> Pose | None:
    return next((one.pose for _, one in state.iterate_models() if one.id == model), None)
