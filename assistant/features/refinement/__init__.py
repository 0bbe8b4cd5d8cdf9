"""Refinement: a better lens from tags that lie still in a game, of a recording or while it is played."""
