"""Calibration errors: what can go wrong in a solve, or with a calibration that belongs to another camera."""

from overtable_errors import OvertableError


class Unsolvable(OvertableError, ValueError):
    """The correspondences do not determine what was asked; the message says what is missing."""


class WrongPairing(OvertableError, ValueError):
    """A calibration is used with another camera than it was made with; the message names both and what to do."""
