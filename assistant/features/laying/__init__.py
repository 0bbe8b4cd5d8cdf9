"""Laying the table: light and tablet say where each piece of terrain goes, one after the other."""
