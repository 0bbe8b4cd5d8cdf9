"""Pixels to base poses on the table.  Knows no rule."""
