"""Tools at the table: tapes, threats and ways."""
