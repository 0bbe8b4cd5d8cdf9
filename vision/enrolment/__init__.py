"""Enrolment: where a model's tag is in its base, measured on an enrolment sheet or by a spin."""
