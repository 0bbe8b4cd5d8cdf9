"""Lens calibration, live."""
