"""Free shortest paths: among obstacles, where all ground between them costs alike."""
