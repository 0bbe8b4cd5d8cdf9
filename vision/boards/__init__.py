"""Calibration boards in pictures."""
