"""Layouts: what stands on a table before anybody plays on it, as data, and packs of them."""
