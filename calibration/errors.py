"""Calibration errors: what can go wrong in a solve, or with a calibration that belongs to another camera."""


class Unsolvable(ValueError):
    """The correspondences do not determine what was asked; the message says what is missing."""


class WrongPairing(ValueError):
    """A calibration is used with another camera than it was made with; the message names both and what to do."""
