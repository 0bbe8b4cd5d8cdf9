"""Hardware: cameras, the simulated table and printed sheets; it touches the world, and knows no tag and no rule."""
