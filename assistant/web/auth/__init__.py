"""Authorisation: roles, joined devices, and the guard before every request."""
