"""True-to-scale sheets as PDF."""
