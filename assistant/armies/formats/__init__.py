"""Formats that armies come in, one module a format."""
