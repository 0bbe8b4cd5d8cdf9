"""What can go wrong, and what the command line makes of it.

ValueError
    BadInput                     a file, an id, a number or a message that is not as it should be    exit 2
        MissingField             a field that a move needs to say what it means to do                exit 2
    hardware.errors.BadSource    a camera source that is wrong as written                            exit 2
    calibration.errors.Unsolvable   pictures or anchors that do not determine what was asked         exit 2
    calibration.errors.WrongPairing a calibration that was made with another camera                  exit 2
OSError
    hardware.errors.SourceLost   a camera that does not answer                                       exit 3

Every message is one sentence that names the file or thing, the place in it, and what was expected.
"""


class BadInput(ValueError):
    """Input that cannot be used; the message says what is wrong, where, and what was expected."""


class MissingField(BadInput):
    """A move that does not name what its action needs."""

    def __init__(self, field: str, what: str) -> None:
        """Say which field is missing, and of what it is the id."""
        super().__init__(f"move.{field} is missing; expected the id of {what}")
        self.request = f"Choose {what}."
        """The same, said to a player who may still choose."""
