"""The layout editor: a table's terrain and markers, laid out on the page before a game."""
