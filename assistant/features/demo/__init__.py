"""Demos: virtual tables with a game on them, and a virtual hand that plays a script of moves, as a person would."""
