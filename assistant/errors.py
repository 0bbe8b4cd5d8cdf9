"""What can go wrong, and what the command line makes of it.

ValueError
    BadInput                     a file, an id, a number or a message that is not as it should be    exit 2
    hardware.errors.BadSource    a camera source that is wrong as written                            exit 2
    calibration.errors.Unsolvable   pictures or anchors that do not determine what was asked         exit 2
OSError
    hardware.errors.SourceLost   a camera that does not answer                                       exit 3

Every message is one sentence that names the file or thing, the place in it, and what was expected.
"""


class BadInput(ValueError):
    """Input that cannot be used; the message says what is wrong, where, and what was expected."""
