"""The root of all errors that overtable raises on purpose; it lies below all four packages, which may all import it.

The whole tree is drawn in `assistant/errors.py`.  Whatever else is raised is a bug.
"""

from typing import ClassVar


class OvertableError(Exception):
    """Something that a person can mend: the message is one sentence that says what is wrong, and what to do."""

    exit_status: ClassVar[int] = 2
    """What the command line ends with."""
