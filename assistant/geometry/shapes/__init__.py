"""Shapes: outlines of bases, convex sets, and their polygons."""
