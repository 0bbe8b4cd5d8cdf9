"""Clearances: how far shapes are apart, two at a time or all of a table at once."""
