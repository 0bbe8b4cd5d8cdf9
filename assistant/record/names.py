"""The numbers under which a journal knows tags on models, and calibrations."""

from typing import Self

from assistant.errors import BadInput
from assistant.poses import PoseEntry
from assistant.record.seen import Named, PosesSeen


class Names:
    """The numbers under which a journal knows tags on models, and calibrations."""

    def __init__(self) -> None:
        self._bases: dict[tuple[int, str], int] = {}
        self._calibrations: dict[str, int] = {}
        self.bases: list[tuple[int, str]] = []
        self.calibrations: list[str] = []

    def add(self, named: Named) -> None:
        """Give the next numbers to some more."""
        for base in named.bases:
            self._bases[base] = len(self.bases)
            self.bases.append(base)
        for calibration in named.calibrations:
            self._calibrations[calibration] = len(self.calibrations)
            self.calibrations.append(calibration)

    def copy(self) -> Self:
        """Return the same names, to which others can be added."""
        other = type(self)()
        other.add(Named(bases=tuple(self.bases), calibrations=tuple(self.calibrations)))
        return other

    def lacking(self, seen: PosesSeen) -> Named | None:
        """Return what a picture names that has no number yet; None where everything has."""
        bases = dict.fromkeys((p.tag, p.model) for p in seen.poses if (p.tag, p.model) not in self._bases)
        wanted = dict.fromkeys((seen.calibration, *(p.calibration for p in seen.poses)))
        calibrations = tuple(name for name in wanted if name not in self._calibrations)
        return Named(bases=tuple(bases), calibrations=calibrations) if bases or calibrations else None

    def model(self, base: int) -> str:
        """Return which model a number stands for; BadInput if it stands for none."""
        try:
            return self.bases[base][1]
        except IndexError:
            raise BadInput("it names what has no number; the file is damaged") from None

    def base(self, entry: PoseEntry) -> int:
        """Return the number of a tag on a model."""
        return self._bases[entry.tag, entry.model]

    def calibration(self, name: str) -> int:
        """Return the number of a calibration."""
        return self._calibrations[name]
