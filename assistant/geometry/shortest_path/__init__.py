"""Shortest paths: where a point can go, and how far it is."""
