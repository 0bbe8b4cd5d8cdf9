"""Replay: a recorded game at any moment, what happened in it, and what is exported, reported and reprocessed of it."""
