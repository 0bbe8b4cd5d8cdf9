"""Light views: from a calibrated camera to what a page needs to lay an overlay over that camera's picture."""

import numpy as np

from assistant.web.messages import View
from assistant.web.messages.lights import LookoutView
from calibration.spaces import CameraOverTable


def build_lookout_view(camera: CameraOverTable | None) -> View:
    """Return where in the picture the table is; nothing while the camera's place is not known."""
    if camera is None:
        return View()
    fx, fy, cx, cy, k1, k2, p1, p2, k3 = camera.lens.parameters.tolist()
    return View(
        lookout={
            "lookout": LookoutView(
                image_size=camera.lens.image_size,
                camera_from_table=np.column_stack([camera.camera_from_table, camera.translation_mm]).ravel().tolist(),
                focal_px=(fx, fy),
                centre_px=(cx, cy),
                distortion=(k1, k2, p1, p2, k3),
            )
        }
    )
