"""Cameras: one file a kind."""
