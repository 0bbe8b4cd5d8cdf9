"""The assistant: from base poses to game state, verdicts, zones, pages and the record."""
