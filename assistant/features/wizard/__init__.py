"""The set-up wizard: leads from nothing to a game, in the browser."""
