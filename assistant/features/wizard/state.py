"""The state of a set-up: how far each step is, from what was entered and what the live table shows.

Of the live table it is known how the camera fares, and how good the calibration is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from assistant.features.diagnosis.calibration import ENOUGH_MM, FEW_ANCHORS, FITTING_MM, TOLERABLE_MM, residuals_mm
from assistant.features.diagnosis.report import FINE_MM
from assistant.features.feature import Moment
from assistant.features.projector.controller import ProjectorController
from assistant.features.wizard.partial_setup import MIDDLE_SIGMA_MM, is_measured
from assistant.game.state import GameState
from assistant.setup.bases import BaseSection
from assistant.setup.draft import FINE_STRETCH, UNIT_MM, DraftReading, SetupDraft
from assistant.table.session import GameSession
from calibration.design_prediction import map_error
from hardware.camera.address import redact_address
from hardware.camera.latest_frame_reader import SourceState
from vision.pipeline import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorFit:
    """How well the anchors fit where they are said to lie."""

    id: str = ""
    """Of the calibration; empty for none."""
    off_mm: Mapping[int, float] = field(default_factory=dict)
    """How far each anchor that is seen lies from where it is said to, by tag."""
    wrong: tuple[str, ...] = ()
    """What is said of anchors that the others contradict."""
    rms_mm: float = 0.0
    """How far the others lie from where they are said to, in root mean square."""
    centre_mm: float = 0.0
    worst_mm: float = 0.0
    """The error that is left on the table: in its middle, and at worst; one standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStatus:
    """What is seen now; as it begins, nothing."""

    camera: SourceState = SourceState.STARTING
    text: str = ""
    """How the camera fares, in words."""
    trouble: str = ""
    """Why there is no calibration."""
    in_view: int = 0
    """Anchors."""
    fit: AnchorFit = AnchorFit()
    models: frozenset[str] = frozenset()
    """Those that the camera has found."""
    light_mm: float | None = None
    """How far the projector's light lands from where it belongs, on average; None where that is not known."""


def read_status(before: LiveStatus, moment: Moment, projector: ProjectorController | None) -> LiveStatus:
    """Return what is seen; how well a calibration fits is worked out once for each."""
    status, pipeline, session = moment.status, moment.pipeline, moment.session
    solution = pipeline.calibrated
    live = status.state is SourceState.LIVE
    light = projector.file.held_out if projector and projector.file else None
    return LiveStatus(
        camera=status.state,
        text=status.text,
        trouble=solution.trouble if live else "",
        in_view=session.seen.anchors_seen if live else 0,
        fit=before.fit if solution.id == before.fit.id else _measure_fit(pipeline, session),
        models=frozenset(entry.model for entry in session.poses.values() if entry.state in {"seen", "held"}),
        light_mm=None if light is None else light.mean_mm,
    )


def _measure_fit(pipeline: Pipeline, session: GameSession) -> AnchorFit:
    camera, solution = pipeline.camera, pipeline.calibrated
    anchors = [anchor for anchor in pipeline.markers.anchors if anchor.tag in solution.anchors_px]
    if camera is None or not anchors:
        return AnchorFit(id=solution.id)
    off = residuals_mm(anchors, camera, solution.anchors_px)
    trusted = [anchor.tag not in solution.examined.left_out for anchor in anchors]
    table = session.state.table
    errors = map_error(camera, width_mm=table.width_mm, depth_mm=table.depth_mm)
    return AnchorFit(
        id=solution.id,
        off_mm={a.tag: round(float(np.hypot(*mm)), 2) for a, mm in zip(anchors, off.mean(axis=1), strict=True)},
        wrong=solution.examined.texts,
        rms_mm=float(np.sqrt((off[trusted] ** 2).sum(axis=2).mean())) if any(trusted) else 0.0,
        centre_mm=errors.centre_mm,
        worst_mm=errors.worst_mm,
    )


StepState = Literal["todo", "good", "weak", "bad"]
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
class WizardStep:
    """A step of the set-up."""

    name: str
    state: StepState
    text: str
    """A sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WizardFacts:
    """All that the steps are judged by."""

    draft: SetupDraft
    reading: DraftReading
    seen: LiveStatus
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


def judge_steps(facts: WizardFacts) -> tuple[WizardStep, ...]:
    """Return every step in the order in which they are taken."""
    judged = {
        "camera": _judge_camera(facts),
        "table": _judge_table(facts),
        "print": _judge_print(facts),
        "lens": _judge_lens(facts),
        "check": _judge_check(facts),
        "projector": _judge_projector(facts),
        "armies": _judge_armies(facts),
        "enrol": _judge_enrol(facts),
    }
    judged["ready"] = _judge_ready(facts)
    return tuple(WizardStep(name=name, state=state, text=text) for name, (state, text) in judged.items())


def list_hindrances(facts: WizardFacts) -> tuple[str, ...]:
    """Return what keeps a game from being begun, a sentence each; empty if nothing does."""
    return tuple(_find_hindrances(facts))


def _find_hindrances(facts: WizardFacts) -> Iterator[str]:
    for name, judge in (
        ("camera", _judge_camera),
        ("table", _judge_table),
        ("check", _judge_check),
        ("armies", _judge_armies),
    ):
        state, text = judge(facts)
        if state in {"bad", "todo"}:
            yield f"{TITLES[name]}: {text}"
    if facts.state is not None and not facts.enrolled:
        yield f"{TITLES['enrol']}: no model has a tag yet that is looked for."


def _find_fault(facts: WizardFacts, *names: str) -> str:
    """Return the first sentence about some entries, or about anchors where a name ends with a point."""
    faults = facts.reading.wrong
    return next(
        (text for key, text in faults.items() if any(key == n or (n[-1] == "." and n in key) for n in names)), ""
    )


def _judge_camera(facts: WizardFacts) -> tuple[StepState, str]:
    seen = facts.seen
    if wrong := _find_fault(facts, "source"):
        return "bad", wrong
    if not facts.reading.source:
        return "todo", "Choose where the pictures come from."
    if facts.fault:
        return "bad", _build_sentence(facts.fault)
    match seen.camera:
        case SourceState.STARTING:
            return "todo", "The camera is starting …"
        case SourceState.LOST:
            return "bad", _build_sentence(seen.text)
        case SourceState.ENDED:
            return "weak", "The recording has ended; its last picture is shown."
        case SourceState.LIVE:
            return (
                "good",
                "The virtual table is seen."
                if facts.virtual
                else f"{redact_address(facts.reading.source)} sends pictures.",
            )


def _judge_table(facts: WizardFacts) -> tuple[StepState, str]:
    reading = facts.reading
    if wrong := _find_fault(facts, "unit", "width", "depth", "anchors", "anchor_mm", "."):
        return "bad", wrong
    if reading.table_mm is None:
        return "todo", "Say how large the table is."
    unit = facts.draft.entries.get("unit", "in")
    width, depth = (f"{mm / UNIT_MM[unit]:.4g}" for mm in reading.table_mm)
    size = f"{width} × {depth}" + ('"' if unit == "in" else f" {unit}")
    if len(reading.anchors) < FEW_ANCHORS:
        return "weak", f"{size}; with four anchors or more, one that slips is noticed."
    return "good", f"{size}, {len(reading.anchors)} anchors."


def _judge_print(facts: WizardFacts) -> tuple[StepState, str]:
    if facts.virtual:
        return "good", "Nothing to print: this table is rendered."
    if wrong := _find_fault(facts, "ruler"):
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


def _judge_lens(facts: WizardFacts) -> tuple[StepState, str]:
    worst_mm = facts.seen.fit.worst_mm
    cost = f": places are known to {worst_mm:.2f} mm at worst" if worst_mm else ""
    if facts.lens_fault:
        return "bad", _build_sentence(facts.lens_fault)
    if facts.lens:
        return "good", f"{facts.lens} is used{cost}."
    if facts.draft.entries.get("lens") == "skip":
        return ("good" if 0 < worst_mm <= FINE_MM else "weak"), f"Skipped; it is solved from the anchors{cost}."
    return "todo", f"Calibrate it, or skip it: it is then solved from the anchors{cost}."


def _judge_check(facts: WizardFacts) -> tuple[StepState, str]:
    seen, fit, count = facts.seen, facts.seen.fit, len(facts.reading.anchors)
    if facts.unplaced:
        return "todo", _build_sentence(facts.unplaced)
    if not facts.reading.is_complete or seen.camera in {SourceState.STARTING, SourceState.LOST}:
        return "todo", "The camera and the table come first."
    if not fit.id:
        return ("bad" if seen.trouble else "todo"), _build_sentence(seen.trouble) or "The anchors are looked for …"
    if fit.wrong:
        return "bad", _build_sentence(fit.wrong[0])
    text = (
        f"{seen.in_view} of {count} anchors are seen, within {fit.rms_mm:.2f} mm of where they should be; places are"
        f" known to {fit.centre_mm:.2f} mm in the middle, {fit.worst_mm:.2f} mm at worst."
    )
    if fit.rms_mm > TOLERABLE_MM or fit.worst_mm > ENOUGH_MM:
        return "bad", text
    good = seen.in_view >= max(count, FEW_ANCHORS) and fit.rms_mm <= FITTING_MM and fit.worst_mm <= FINE_MM
    return ("good" if good else "weak"), text


def _judge_projector(facts: WizardFacts) -> tuple[StepState, str]:
    light_mm, wanted = facts.seen.light_mm, facts.draft.entries.get("projector")
    if light_mm is not None:
        return ("good" if light_mm <= TOLERABLE_MM else "weak"), f"Light lands within {light_mm:.2f} mm on average."
    if wanted == "none":
        return "good", "None: everything is shown on the pages."
    if wanted == "yes":
        return "weak", "Not calibrated: its page fits the table into its window."
    return "todo", "Say whether a projector lights the table."


def _judge_armies(facts: WizardFacts) -> tuple[StepState, str]:
    if facts.game_fault:
        return "bad", _build_sentence(facts.game_fault)
    if facts.state is None:
        return "todo", "Choose who plays."
    players = list(dict.fromkeys(unit.player for unit in facts.state.units))
    models = sum(len(unit.models) for unit in facts.state.units)
    return "good", f"{facts.state.rulebook}: {' against '.join(players)}, {models} models."


def _judge_enrol(facts: WizardFacts) -> tuple[StepState, str]:
    if facts.state is None:
        return "todo", "The armies come first."
    count = len(facts.given)
    lacking = [base.model for base in facts.given if base.model not in facts.enrolled]
    if lacking:
        return "todo", f"{len(lacking)} of {count} models have no tag yet that is looked for."
    if facts.virtual:
        return "good", f"The {count} models of the virtual table carry their tags."
    rough = [base.model for base in facts.given if not is_measured(base)]
    if rough:
        return (
            "weak",
            f"{len(rough)} of {count} are only known to ± {2 * MIDDLE_SIGMA_MM:.0f} mm; measured they are surer.",
        )
    return "good", f"All {count} are measured."


def _judge_ready(facts: WizardFacts) -> tuple[StepState, str]:
    if facts.playing:
        return "good", "The game is on, and recorded."
    if hindrances := list_hindrances(facts):
        things = "1 thing is" if len(hindrances) == 1 else f"{len(hindrances)} things are"
        return "todo", f"{things} missing before a game can begin."
    return "good", "A game can begin."


def _build_sentence(text: str) -> str:
    """Return what was said as a sentence; a name that begins it, such as a file's, stays as it is."""
    begun = text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() else text
    return begun + ("" if not text or text.endswith((".", "…")) else ".")
