"""Tracking of bases from picture to picture: tracks, rest, the surfaces they stand on, where to search next."""
