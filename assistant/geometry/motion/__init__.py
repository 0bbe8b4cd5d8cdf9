"""Motion: when a moving base meets something, and how long its path is."""
