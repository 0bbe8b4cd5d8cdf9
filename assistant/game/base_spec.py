"""Base specifications: how a file or a command line names a base, ``{"round_mm": 32}`` or ``round:32``."""

import re
from typing import Self

from pydantic import Field, ValidationError, model_validator

from assistant.errors import BadInput
from assistant.files.documents import Format
from assistant.game.limits import BaseLength, BaseOutline, check_thickness
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round, check_outline


class BaseSpec(Format):
    """A base's outline in the model's own frame (+x is its front); exactly one key is given."""

    round_mm: BaseLength | None = Field(default=None, description="diameter")
    oval_mm: tuple[BaseLength, BaseLength] | None = Field(
        default=None, description="length along the model's +x, width"
    )
    rect_mm: tuple[BaseLength, BaseLength] | None = Field(
        default=None, description="length along the model's +x, width"
    )
    outline_mm: BaseOutline | None = Field(default=None, description="a simple polygon, for models without a base")

    @model_validator(mode="after")
    def _check_one_shape(self) -> Self:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError("expected exactly one of round_mm, oval_mm, rect_mm, outline_mm")
        if self.outline_mm is not None:
            check_outline(self.outline_mm)
            check_thickness(self.outline_mm)
        return self

    @property
    def shape(self) -> Base:
        """The outline as the geometry knows it."""
        if self.round_mm is not None:
            return Round(radius_mm=self.round_mm / 2)
        if self.oval_mm is not None:
            return Oval(length_mm=self.oval_mm[0], width_mm=self.oval_mm[1])
        if self.rect_mm is not None:
            return Rect(length_mm=self.rect_mm[0], width_mm=self.rect_mm[1])
        assert self.outline_mm is not None
        return Outline(points_mm=self.outline_mm)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a base as a command line names it: ``round:32``, ``oval:60x35`` or ``rect:25x50``.

        Raises:
            BadInput: it is none of these.

        """
        number = r"(\d+(?:\.\d+)?)"
        found = re.fullmatch(rf"(?:(round):{number}|(oval|rect):{number}x{number})", text)
        try:
            if found and found[1]:
                return cls(round_mm=float(found[2]))
            if found:
                return cls.model_validate({f"{found[3]}_mm": (float(found[4]), float(found[5]))})
        except ValidationError:
            pass  # a length of 0, or of a mile
        raise BadInput(
            f"base {text!r}: expected round:DIAMETER, oval:LENGTHxWIDTH or rect:LENGTHxWIDTH in millimetres,"
            " the length along the model's front, such as round:32"
        )

    @property
    def name(self) -> str:
        """What a command line and a sheet call it."""
        if self.round_mm is not None:
            return f"round:{self.round_mm:g}"
        for kind, sides in (("oval", self.oval_mm), ("rect", self.rect_mm)):
            if sides is not None:
                return f"{kind}:{sides[0]:g}x{sides[1]:g}"
        return "outline"

    @classmethod
    def from_shape(cls, shape: Base) -> Self:
        """Return how a file names this shape."""
        match shape:
            case Round(radius_mm=radius):
                return cls(round_mm=2 * radius)
            case Oval(length_mm=length, width_mm=width):
                return cls(oval_mm=(length, width))
            case Rect(length_mm=length, width_mm=width):
                return cls(rect_mm=(length, width))
            case Outline(points_mm=points):
                return cls(outline_mm=points)
