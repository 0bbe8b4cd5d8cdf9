"""Coded rings: finding them, reading their words, and measuring where their bases stand."""
