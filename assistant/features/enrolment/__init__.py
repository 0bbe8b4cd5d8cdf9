"""Enrolment: where a model's tag is in its base, measured live."""
