"""Conformance: the rules' cases, and the runner that holds an engine to them, this one or another."""
