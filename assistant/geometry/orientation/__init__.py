"""Orientation: where a base may stand at some facing."""
