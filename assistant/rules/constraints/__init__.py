"""Constraints: what a rule can ask of a move, one module a kind."""
