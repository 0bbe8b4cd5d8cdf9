"""What can go wrong in a calibration."""


class Unsolvable(ValueError):
    """The correspondences do not determine what was asked; the message says what is missing."""
