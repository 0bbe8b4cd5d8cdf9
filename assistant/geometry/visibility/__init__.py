"""Visibility: lines of sight past what stands between."""
