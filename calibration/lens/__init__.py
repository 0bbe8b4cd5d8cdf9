"""Lens calibration: a camera's lens from views of a board, how good it is, and the file that keeps it."""
