"""One file or folder a rulebook, found by looking here."""
