"""Features: each leads a person through one subject, with its state, controller, commands and views."""
