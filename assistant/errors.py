"""The tree of errors: what can go wrong, and what the command line makes of it.

overtable_errors.OvertableError
    BadInput (a ValueError)             a file, an id, a number or a message that is not as it should be    exit 2
        MissingField                    a field that a move needs to say what it means to do                exit 2
        assistant.recording.journal.mirror.RowGap           rows that are lacking before those that came        exit 2
        assistant.recording.journal.mirror.RowConflict      a row that does not lie on its recording's chain    exit 2
        assistant.web.auth.devices.JoinRefused                  a code that lets no device in
    hardware.errors.BadSource (a ValueError)                    a camera source that is wrong as written    exit 2
    assistant.hall.connection.NotConnected (an OSError)         no hall that could be told, or no longer
    assistant.hall.broker.BrokerMissing (an OSError)            no broker that a hall could start           exit 3
    assistant.hall.gatherer.OwnFileError (an OSError)           a hall's file of a table's game, not opened
    hardware.errors.SourceLost (an OSError)                     a camera that does not answer               exit 3
        hardware.errors.DeviceLost                              one on a cable of this machine              exit 3
    calibration.errors.Unsolvable (a ValueError)                pictures or anchors that do not determine what was
                                                                asked                                       exit 2
        vision.enrolment.enrolment_sheet.EmptySheet         an enrolment sheet without a model          exit 2
    calibration.errors.WrongPairing (a ValueError)              a calibration of another camera or picture  exit 2
    vision.boards.detection.BadBoard (a ValueError)             a board that is wrong as written            exit 2
    assistant.recording.journal.writer.JournalWriteError (an OSError)      a journal that cannot be written now
    assistant.recording.video.codec.EncodingError               pictures that could not be encoded
        assistant.recording.video.codec.EncoderMissingError     this OpenCV encodes none

Every message is one sentence that names the file or thing, the place in it, and what was expected.  They are
`ValueError` and `OSError` too, as pydantic and whoever reads files expect.

Four exceptions are no errors, and never reach a person: `hardware.errors.EndOfFrames`, `PackingError` of the journal's
packed poses, `UndecidedClimb` of the weighted shortest path, and `NoAnswer` of an engine that cases are put to.  Every
other exception is a bug: it is logged with its traceback, what it interrupted is dropped, the pages say so, and the
game goes on (`assistant/runtime/supervision.py`); a command that it ends says in one sentence where the log is, and
exits with 1.
"""

from overtable_errors import OvertableError


class BadInput(OvertableError, ValueError):
    """Input that cannot be used; the message says what is wrong, where, and what was expected."""


class MissingField(BadInput):
    """A move that does not name what its action needs."""

    def __init__(self, field: str, what: str) -> None:
        """Say which field is missing, and of what it is the id."""
        super().__init__(f"move.{field} is missing; expected the id of {what}")
        self.request = f"Choose {what}."
        """The same, said to a player who may still choose."""
