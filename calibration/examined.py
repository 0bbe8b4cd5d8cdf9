"""What an examination of the anchors found, in values and in words."""

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal["misplaced", "turned", "swapped", "other-size"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """An anchor that is not as it is said to be."""

    tag: int
    kind: Kind
    other: int | None = None
    """The anchor that it is swapped with."""
    off_mm: tuple[float, float] = (0.0, 0.0)
    """How far it lies from where it is said to lie, along x and y."""
    off_sigma_mm: float = 0.0
    turn_rad: float = 0.0
    """How far it is turned from how it is said to lie."""
    turn_sigma_rad: float = 0.0
    size_mm: float = 0.0
    """The edge that it seems to have."""
    size_sigma_mm: float = 0.0

    @property
    def text(self) -> str:
        """What is wrong, in one sentence."""
        match self.kind:
            case "swapped":
                return f"anchors {self.tag} and {self.other} seem swapped: each lies where the other is said to lie"
            case "turned":
                way = ("", "90 degrees counter-clockwise", "180 degrees", "90 degrees clockwise")
                turned = way[round(self.turn_rad / (math.pi / 2)) % 4]
                return f"anchor {self.tag} seems turned by {turned} against what the set-up says"
            case "other-size":
                return (
                    f"anchor {self.tag} looks {self.size_mm:.1f} ± {self.size_sigma_mm:.1f} mm large:"
                    " its size_mm is not what the set-up says"
                )
            case "misplaced":
                x_mm, y_mm = self.off_mm
                turn = math.degrees(self.turn_rad)
                return (
                    f"anchor {self.tag} lies {math.hypot(x_mm, y_mm):.1f} ± {self.off_sigma_mm:.1f} mm"
                    f" (x {x_mm:+.1f}, y {y_mm:+.1f}) and {turn:+.1f} ± {math.degrees(self.turn_sigma_rad):.1f} degrees"
                    " from where the set-up says"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What an examination of the anchors found."""

    suspects: tuple[Suspect, ...] = ()
    undecided: tuple[int, ...] = ()
    """Anchors of which one or more must be wrong, without a way to tell which."""

    @property
    def left_out(self) -> frozenset[int]:
        """The anchors on which nothing should rest."""
        tags = {suspect.tag for suspect in self.suspects} | {s.other for s in self.suspects if s.other is not None}
        return frozenset(tags)

    @property
    def hopeless(self) -> str:
        """What has to be set right before anything can rest on the anchors, in one sentence; empty for nothing."""
        swapped = next((suspect for suspect in self.suspects if suspect.kind == "swapped"), None)
        if swapped is not None:
            return f"{swapped.text}; exchange them on the table or in the set-up"
        return self.texts[-1] if self.undecided else ""

    @property
    def texts(self) -> tuple[str, ...]:
        """One sentence for everything that is wrong."""
        said = [suspect.text for suspect in self.suspects]
        if self.undecided:
            tags = [str(tag) for tag in self.undecided]
            names = f"{', '.join(tags[:-1])} and {tags[-1]}"
            said.append(
                f"anchors {names} contradict each other, and it cannot be told which of them is wrong: measure their"
                " places anew, or lay one more anchor at a known place"
            )
        return tuple(said)
