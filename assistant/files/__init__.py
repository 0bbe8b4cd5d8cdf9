"""Reading and writing users' files."""
