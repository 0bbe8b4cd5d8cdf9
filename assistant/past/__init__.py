"""A recorded game at any moment, what happened in it, and what is written down of an incident."""
