"""The overlay: what is drawn over the table, in millimetres; the only room that knows a colour."""
