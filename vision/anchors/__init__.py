"""Anchors: the camera's pose that they give, their averages, and the watch for bumps and slips."""
