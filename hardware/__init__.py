"""Cameras, the simulated table and printed sheets: what touches the world, and knows no tag's meaning and no rule."""
