"""What to draw, in millimetres on the table; the only place that knows a colour."""
