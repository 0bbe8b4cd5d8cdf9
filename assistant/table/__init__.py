"""The table at work: what was seen and decided becomes a recorded game, and what the referee says of it."""
