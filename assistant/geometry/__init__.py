"""Shapes, clearances, swept paths and reach zones: exact, no I/O, no game words."""
