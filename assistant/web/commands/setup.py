"""Set-up commands: what pages ask of the set-up wizard."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.web.commands.registry import HOST, enter
from assistant.web.messages.message import Message


class SetupEnter(Message):
    """Make entries; they are kept as they are, right or wrong."""

    type: Literal["setup-enter"]
    values: Annotated[
        dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=500)]], Field(max_length=500)
    ]
    """Texts by name; an empty one takes an entry back."""


class SetupLook(Message):
    """Look again which cameras there are."""

    type: Literal["setup-look"]


class SetupMeasure(Message):
    """Tell from the picture where the anchors lie, and use that from now on."""

    type: Literal["setup-measure"]


class SetupMiddle(Message):
    """Take it that every tag that was not measured is glued in the middle of its base."""

    type: Literal["setup-middle"]


class SetupArmies(Message):
    """Play with the armies that were entered."""

    type: Literal["setup-armies"]


class SetupBegin(Message):
    """Begin the game: from now on it is recorded."""

    type: Literal["setup-begin"]


class SetupEnd(Message):
    """End the game, so that the set-up can be changed."""

    type: Literal["setup-end"]


WIZARD = enter("wizard", HOST, SetupEnter, SetupLook, SetupMeasure, SetupMiddle, SetupArmies, SetupBegin, SetupEnd)
