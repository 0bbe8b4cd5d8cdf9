"""How a file names a base: ``{"round_mm": 32}`` and the like."""

from typing import Self

from pydantic import Field, model_validator

from assistant.files import Format, Length, Place
from assistant.geometry.shapes import Base, Outline, Oval, Rect, Round, check_outline


class BaseSpec(Format):
    """A base's outline in the model's own frame (+x is its front); exactly one key is given."""

    round_mm: Length | None = Field(default=None, description="diameter")
    oval_mm: tuple[Length, Length] | None = Field(default=None, description="length along the model's +x, width")
    rect_mm: tuple[Length, Length] | None = Field(default=None, description="length along the model's +x, width")
    outline_mm: tuple[tuple[Place, Place], ...] | None = Field(
        default=None, description="a simple polygon, for models without a base"
    )

    @model_validator(mode="after")
    def _one_shape(self) -> Self:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError("expected exactly one of round_mm, oval_mm, rect_mm, outline_mm")
        if self.outline_mm is not None:
            check_outline(self.outline_mm)
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
    def of(cls, shape: Base) -> Self:
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
