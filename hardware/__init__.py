"""Touches the world: cameras, the virtual table, displays.  Knows no tag and no rule."""
