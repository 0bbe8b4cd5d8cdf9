"""Calibration: owns every coordinate space; mathematics over correspondences, opens no image."""
