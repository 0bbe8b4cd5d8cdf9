"""A set-up on its way: what a person has entered so far, what it comes to, and how far each step is."""
