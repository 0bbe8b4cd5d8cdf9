"""Printing: true-to-scale sheets as PDF, and as SVG for machines that cut."""
