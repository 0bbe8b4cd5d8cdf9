"""Geometry: shapes, clearances, motion, shortest paths, facings and sight; exact, no I/O, no game words."""
