"""Demo commands: its script is to stop, and its virtual models are to be pushed."""

from typing import Literal

from assistant.files.documents import Degrees, Id, Place
from assistant.web.commands.registry import AT_THE_TABLE, enter
from assistant.web.messages.message import Message


class TakeOver(Message):
    """Stop the script of a demo for good; any other command of a page that is for the table does so, too."""

    type: Literal["take-over"]


class Drag(Message):
    """Push a model of the virtual table, as a hand would; ``done`` when the hand lets go."""

    type: Literal["drag"]
    model: Id
    x_mm: Place
    y_mm: Place
    facing_deg: Degrees
    done: bool


DEMO = enter("demo", AT_THE_TABLE, TakeOver, Drag)
