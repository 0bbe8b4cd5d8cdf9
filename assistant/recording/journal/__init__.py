"""The journal of a game: its rows, how they are encoded, chained, written and read."""
