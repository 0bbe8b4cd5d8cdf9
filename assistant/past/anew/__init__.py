"""A recorded game played through the eyes again, and what comes out otherwise."""
