"""The game as data: state, events, and the function that turns one state into the next."""
