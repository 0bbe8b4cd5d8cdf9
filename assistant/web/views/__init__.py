"""Views: what the pages show of a table at work."""
