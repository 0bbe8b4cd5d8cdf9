"""How far each step of the set-up is: a state and a sentence, from what was entered and what is seen."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assistant.cli.doctor.calibrated import ENOUGH_MM, FEW_ANCHORS, FITTING_MM, TOLERABLE_MM
from assistant.cli.doctor.report import FINE_MM
from assistant.cli.setting_up.gluing import MIDDLE_SIGMA_MM, measured
from assistant.cli.setting_up.seen import Seen
from assistant.draft.entries import Draft
from assistant.draft.reading import FINE_STRETCH, UNIT_MM, Reading
from assistant.game.state import GameState
from assistant.setup import BaseSection
from hardware.camera.drain import SourceState

State = Literal["todo", "good", "weak", "bad"]
TITLES = {
    "camera": "Camera",
    "table": "Table",
    "print": "Print",
    "lens": "Lens",
    "check": "Look at the table",
    "projector": "Projector",
    "armies": "Armies",
    "enrol": "Tags on models",
    "ready": "Ready",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of the set-up."""

    name: str
    state: State
    text: str
    """A sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that the steps are judged by."""

    draft: Draft
    reading: Reading
    seen: Seen
    fault: str = ""
    """Why the line from the camera could not be built, or what ended it."""
    unplaced: str = ""
    """Why it is not known where anchors lie."""
    lens: str = ""
    """The lens file in use; empty for none."""
    lens_fault: str = ""
    """Why the lens file cannot be used."""
    state: GameState | None = None
    """The game that was chosen."""
    game_fault: str = ""
    """Why it cannot be played."""
    given: tuple[BaseSection, ...] = ()
    """A tag for each of its models."""
    enrolled: frozenset[str] = frozenset()
    """The models that are looked for."""
    playing: bool = False

    @property
    def virtual(self) -> bool:
        """Whether the table is rendered."""
        return self.reading.source.startswith("virtual:")


def steps_of(facts: Facts) -> tuple[Step, ...]:
    """Return every step in the order in which they are taken."""
    judged = {
        "camera": _camera(facts),
        "table": _table(facts),
        "print": _print(facts),
        "lens": _lens(facts),
        "check": _check(facts),
        "projector": _projector(facts),
        "armies": _armies(facts),
        "enrol": _enrol(facts),
    }
    judged["ready"] = _ready(facts)
    return tuple(Step(name=name, state=state, text=text) for name, (state, text) in judged.items())


def hindrances(facts: Facts) -> tuple[str, ...]:
    """Return what keeps a game from being begun, a sentence each; empty if nothing does."""
    return tuple(_hindrances(facts))


def _hindrances(facts: Facts) -> Iterator[str]:
    for name, judge in (("camera", _camera), ("table", _table), ("check", _check), ("armies", _armies)):
        state, text = judge(facts)
        if state in {"bad", "todo"}:
            yield f"{TITLES[name]}: {text}"
    if facts.state is not None and not facts.enrolled:
        yield f"{TITLES['enrol']}: no model has a tag yet that is looked for."


def _wrong(facts: Facts, *names: str) -> str:
    """Return the first sentence about some entries, or about anchors where a name ends with a point."""
    said = facts.reading.wrong
    return next((text for key, text in said.items() if any(key == n or (n[-1] == "." and n in key) for n in names)), "")


def _camera(facts: Facts) -> tuple[State, str]:
    seen = facts.seen
    if wrong := _wrong(facts, "source"):
        return "bad", wrong
    if not facts.reading.source:
        return "todo", "Choose where the pictures come from."
    if facts.fault:
        return "bad", _sentence(facts.fault)
    match seen.camera:
        case SourceState.STARTING:
            return "todo", "The camera is starting …"
        case SourceState.LOST:
            return "bad", _sentence(seen.text)
        case SourceState.ENDED:
            return "weak", "The recording has ended; its last picture is shown."
        case SourceState.LIVE:
            return "good", "The virtual table is seen." if facts.virtual else f"{facts.reading.source} sends pictures."


def _table(facts: Facts) -> tuple[State, str]:
    reading = facts.reading
    if wrong := _wrong(facts, "unit", "width", "depth", "anchors", "anchor_mm", "."):
        return "bad", wrong
    if reading.table_mm is None:
        return "todo", "Say how large the table is."
    unit = facts.draft.entries.get("unit", "in")
    width, depth = (f"{mm / UNIT_MM[unit]:.4g}" for mm in reading.table_mm)
    size = f"{width} × {depth}" + ('"' if unit == "in" else f" {unit}")
    if len(reading.anchors) < FEW_ANCHORS:
        return "weak", f"{size}; with four anchors or more, one that slips is noticed."
    return "good", f"{size}, {len(reading.anchors)} anchors."


def _print(facts: Facts) -> tuple[State, str]:
    if facts.virtual:
        return "good", "Nothing to print: this table is rendered."
    if wrong := _wrong(facts, "ruler"):
        return "bad", wrong
    if facts.draft.entries.get("printed") != "yes":
        return "todo", "Print the sheets, and check the ruler on one of them."
    stretch = facts.reading.stretch
    if abs(stretch - 1) > FINE_STRETCH:
        return (
            "weak",
            f"Printed {100 * abs(stretch - 1):.1f} % too {'large' if stretch > 1 else 'small'}; it is allowed for.",
        )
    return "good", "Printed to scale."


def _lens(facts: Facts) -> tuple[State, str]:
    worst_mm = facts.seen.fit.worst_mm
    cost = f": places are known to {worst_mm:.2f} mm at worst" if worst_mm else ""
    if facts.lens_fault:
        return "bad", _sentence(facts.lens_fault)
    if facts.lens:
        return "good", f"{facts.lens} is used{cost}."
    if facts.draft.entries.get("lens") == "skip":
        return ("good" if 0 < worst_mm <= FINE_MM else "weak"), f"Skipped; it is solved from the anchors{cost}."
    return "todo", f"Calibrate it, or skip it: it is then solved from the anchors{cost}."


def _check(facts: Facts) -> tuple[State, str]:
    seen, fit, count = facts.seen, facts.seen.fit, len(facts.reading.anchors)
    if facts.unplaced:
        return "todo", _sentence(facts.unplaced)
    if not facts.reading.whole or seen.camera in {SourceState.STARTING, SourceState.LOST}:
        return "todo", "The camera and the table come first."
    if not fit.id:
        return ("bad" if seen.trouble else "todo"), _sentence(seen.trouble) or "The anchors are looked for …"
    if fit.wrong:
        return "bad", _sentence(fit.wrong[0])
    text = (
        f"{seen.in_view} of {count} anchors are seen, within {fit.rms_mm:.2f} mm of where they should be; places are"
        f" known to {fit.centre_mm:.2f} mm in the middle, {fit.worst_mm:.2f} mm at worst."
    )
    if fit.rms_mm > TOLERABLE_MM or fit.worst_mm > ENOUGH_MM:
        return "bad", text
    good = seen.in_view >= max(count, FEW_ANCHORS) and fit.rms_mm <= FITTING_MM and fit.worst_mm <= FINE_MM
    return ("good" if good else "weak"), text


def _projector(facts: Facts) -> tuple[State, str]:
    light_mm, wanted = facts.seen.light_mm, facts.draft.entries.get("projector")
    if light_mm is not None:
        return ("good" if light_mm <= TOLERABLE_MM else "weak"), f"Light lands within {light_mm:.2f} mm on average."
    if wanted == "none":
        return "good", "None: everything is shown on the pages."
    if wanted == "yes":
        return "weak", "Not calibrated: its page fits the table into its window."
    return "todo", "Say whether a projector lights the table."


def _armies(facts: Facts) -> tuple[State, str]:
    if facts.game_fault:
        return "bad", _sentence(facts.game_fault)
    if facts.state is None:
        return "todo", "Choose who plays."
    players = list(dict.fromkeys(unit.player for unit in facts.state.units))
    models = sum(len(unit.models) for unit in facts.state.units)
    return "good", f"{facts.state.rulebook}: {' against '.join(players)}, {models} models."


def _enrol(facts: Facts) -> tuple[State, str]:
    if facts.state is None:
        return "todo", "The armies come first."
    count = len(facts.given)
    lacking = [base.model for base in facts.given if base.model not in facts.enrolled]
    if lacking:
        return "todo", f"{len(lacking)} of {count} models have no tag yet that is looked for."
    if facts.virtual:
        return "good", f"The {count} models of the virtual table carry their tags."
    rough = [base.model for base in facts.given if not measured(base)]
    if rough:
        return (
            "weak",
            f"{len(rough)} of {count} are only known to ± {2 * MIDDLE_SIGMA_MM:.0f} mm; measured they are surer.",
        )
    return "good", f"All {count} are measured."


def _ready(facts: Facts) -> tuple[State, str]:
    if facts.playing:
        return "good", "The game is on, and recorded."
    if found := hindrances(facts):
        return (
            "todo",
            f"{len(found)} {'thing is' if len(found) == 1 else 'things are'} missing before a game can begin.",
        )
    return "good", "A game can begin."


def _sentence(text: str) -> str:
    """Return what was said as a sentence; a name that begins it, such as a file's, stays as it is."""
    begun = text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() else text
    return begun + ("" if not text or text.endswith((".", "…")) else ".")
