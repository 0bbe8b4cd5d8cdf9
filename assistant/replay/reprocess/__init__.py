"""Reprocessing: the video of a recorded game played through the vision pipeline again, and what comes out otherwise."""
