"""Reports on a recorded game: incidents, and the game in figures."""
