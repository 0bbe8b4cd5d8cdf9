"""Enrolment, live."""
