"""Armies: as files, as rosters that people paste, and as the game that they come to."""
