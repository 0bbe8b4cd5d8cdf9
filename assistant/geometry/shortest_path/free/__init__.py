"""Shortest paths among obstacles, where all free ground costs alike."""
