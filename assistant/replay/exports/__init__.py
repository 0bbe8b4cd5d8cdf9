"""Exports of a recorded game, a format a file."""
