"""Projector calibration, live, and nudges."""
