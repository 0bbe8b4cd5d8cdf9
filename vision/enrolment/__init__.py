"""Enrolment: where a model's tag is in its base, measured by a printed ring or by a spin."""
