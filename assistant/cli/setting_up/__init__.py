"""`overtable setup`: a wizard that leads from nothing to a game, in the browser."""
