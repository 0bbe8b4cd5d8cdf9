"""The referee: verdicts, zones and options, for any rulebook."""
