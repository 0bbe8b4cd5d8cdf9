"""The diagnosis of a set-up: what works, how good it is, and what would improve it."""
