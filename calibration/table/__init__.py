"""Table calibration: the camera's pose over a table, the anchors' places, and the file that keeps them."""
