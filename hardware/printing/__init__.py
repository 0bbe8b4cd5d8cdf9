"""Printing: true-to-scale sheets as PDF."""
