"""The journal: write, read, replay."""
