"""A virtual hand that plays a script of moves, as a person would."""
