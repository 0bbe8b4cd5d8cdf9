"""The light on the table: how bright, how wide its lines, what shines, and where each player sits."""
