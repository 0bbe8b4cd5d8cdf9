"""Coded rings: the words, and where their cells lie around a base; from here they are drawn, printed and read."""
