"""Tests against a real video driver, in a guest that has one: `make devices`."""
