"""Recording: the journal of a game, the video beside it, and their verification."""
