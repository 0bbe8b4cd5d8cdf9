"""API, the interface for programs, version 1: questions and answers, and a socket that says what changes."""
