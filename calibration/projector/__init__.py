"""Projector calibration: a projector over a table, from tags of light that a camera saw."""
