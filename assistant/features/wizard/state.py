"""The state of a set-up: how far each step is, from what was entered and what the live table shows.

Of the live table it is known how the camera fares, and how good the calibration is.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assistant.features.camera.marker_sizes import TableSight, measure_cell_mm, measure_sight
from assistant.features.diagnosis.calibration import ENOUGH_MM, FEW_ANCHORS, FITTING_MM, TOLERABLE_MM, residuals_mm
from assistant.features.diagnosis.report import FINE_MM
from assistant.features.enrolment.laid_rings import MIDDLE_SIGMA_MM
from assistant.features.feature import Moment
from assistant.features.marker_choice import MarkerKind, describe_base
from assistant.features.projector.controller import ProjectorController
from assistant.features.wizard.markers import MarkedKind, is_measured, name_marker_kind
from assistant.game.state import GameState
from assistant.rules.books import find_rulebook
from assistant.setup.bases import BaseSection, RingedBase
from assistant.setup.draft import FINE_STRETCH, UNIT_MM, DraftReading, SetupDraft
from assistant.table.session import GameSession
from calibration.design_prediction import map_error
from hardware.camera.address import redact_address
from hardware.camera.latest_frame_reader import SourceState
from hardware.rings.words import RingList
from vision.pipeline import Pipeline


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorSight:
    """Where an anchor is in the picture, in shares of its width and height from its top left corner."""

    corners: tuple[tuple[float, float], ...]
    expected: tuple[float, float]
    """Where its middle would be if it lay where it is said to."""
    left_out: bool
    """The others contradict it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorFit:
    """How well the anchors fit where they are said to lie."""

    id: str = ""
    """Of the calibration; empty for none."""
    off_mm: Mapping[int, float] = field(default_factory=dict)
    """How far each anchor that is seen lies from where it is said to, by tag."""
    sights: Mapping[int, AnchorSight] = field(default_factory=dict)
    """Where each is in the picture, by tag."""
    wrong: tuple[str, ...] = ()
    """What is said of anchors that the others contradict."""
    rms_mm: float = 0.0
    """How far the others lie from where they are said to, in root mean square."""
    centre_mm: float = 0.0
    worst_mm: float = 0.0
    """The error that is left on the table: in its middle, and at worst; one standard deviation."""
    sight: TableSight | None = None
    """How fine the camera sees the table; None for no calibration."""


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
    unread_px: Mapping[str, float] = field(default_factory=dict)
    """Pixels of a cell of each ring that is looked for and not read, by model: where its base was last seen, or where
    the camera sees the table least."""
    light_mm: float | None = None
    """How far the projector's light lands from where it belongs, on average; None where that is not known."""


def read_status(before: LiveStatus, moment: Moment, projector: ProjectorController | None) -> LiveStatus:
    """Return what is seen; how well a calibration fits is worked out once for each."""
    status, pipeline, session = moment.status, moment.pipeline, moment.session
    solution = pipeline.calibrated
    live = status.state is SourceState.LIVE
    light = projector.file.held_out if projector and projector.file else None
    models = frozenset(entry.model for entry in session.poses.values() if entry.state in {"seen", "held"})
    fit = before.fit if solution.id == before.fit.id else _measure_fit(pipeline, session)
    return LiveStatus(
        camera=status.state,
        text=status.text,
        trouble=solution.trouble if live else "",
        in_view=session.seen.anchors_seen if live else 0,
        fit=fit,
        models=models,
        unread_px=dict(_measure_unread(pipeline, session, models)) if live else {},
        light_mm=None if light is None else light.mean_mm,
    )


def _measure_unread(pipeline: Pipeline, session: GameSession, found: frozenset[str]) -> Iterator[tuple[str, float]]:
    camera, table = pipeline.camera, session.state.table
    unread = [ring for ring in pipeline.markers.ringed_bases.values() if ring.model not in found]
    if camera is None or not unread:
        return
    least = measure_sight(camera, (table.width_mm, table.depth_mm)).px_per_mm
    for ring in unread:
        last = session.poses.get(ring.model)
        place = None if last is None else np.array([[last.x_mm, last.y_mm, last.z_mm]])
        px_per_mm = least if place is None else float(camera.patch_scale_px_per_mm(place)[0])
        yield ring.model, round(measure_cell_mm(ring.layout) * px_per_mm, 1)


def _measure_fit(pipeline: Pipeline, session: GameSession) -> AnchorFit:
    camera, solution = pipeline.camera, pipeline.calibrated
    anchors = [anchor for anchor in pipeline.markers.anchors if anchor.tag in solution.anchors_px]
    if camera is None or not anchors:
        return AnchorFit(id=solution.id)
    off = residuals_mm(anchors, camera, solution.anchors_px)
    trusted = [anchor.tag not in solution.examined.left_out for anchor in anchors]
    table = session.state.table
    width, height = camera.lens.image_size
    errors = map_error(camera, width_mm=table.width_mm, depth_mm=table.depth_mm)
    return AnchorFit(
        id=solution.id,
        off_mm={a.tag: round(float(np.hypot(*mm)), 2) for a, mm in zip(anchors, off.mean(axis=1), strict=True)},
        sights={
            anchor.tag: AnchorSight(
                corners=tuple(_find_shares(corner, (width, height)) for corner in solution.anchors_px[anchor.tag]),
                expected=_find_shares(camera.image_from_table(anchor.square_mm).mean(axis=0), (width, height)),
                left_out=not is_trusted,
            )
            for anchor, is_trusted in zip(anchors, trusted, strict=True)
        },
        wrong=solution.examined.texts,
        rms_mm=float(np.sqrt((off[trusted] ** 2).sum(axis=2).mean())) if any(trusted) else 0.0,
        centre_mm=errors.centre_mm,
        worst_mm=errors.worst_mm,
        sight=measure_sight(camera, (table.width_mm, table.depth_mm)),
    )


def _find_shares(pixel: NDArray[np.float64], size: tuple[int, int]) -> tuple[float, float]:
    """Return where a pixel is in a picture, whose first pixel's middle is (0, 0)."""
    x, y = (float(part + 0.5) / whole for part, whole in zip(pixel, size, strict=True))
    return round(x, 5), round(y, 5)


StepState = Literal["todo", "good", "weak", "bad"]
ArmiesStanding = Literal["none", "entered", "played", "changed"]
"""Of armies that were entered: none can be played with, or they can; the game is made of them, or of what they were."""
TITLES = {
    "camera": "Camera",
    "table": "Table",
    "print": "Print",
    "lens": "Lens",
    "check": "Look at the table",
    "projector": "Projector",
    "armies": "Armies",
    "mark": "Markers",
    "enrol": "On the models",
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
    hall_fault: str = ""
    """Why the tournament's hall is not told that the set-up names, as a sentence."""
    sight: TableSight | None = None
    """How fine the camera sees the table, as far as that is known."""
    rings: RingList | None = None
    """Which there are."""
    marked: tuple[MarkedKind, ...] = ()
    """How each kind of base is marked."""
    given: tuple[BaseSection, ...] = ()
    """A marker for each of its models."""
    enrolled: frozenset[str] = frozenset()
    """The models that are looked for."""
    playing: bool = False
    armies: ArmiesStanding = "none"
    """What became of the armies that were entered."""

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
        "mark": _judge_mark(facts),
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
        yield f"{TITLES['enrol']}: no model has a marker yet that is looked for."


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
        return "bad", build_sentence(facts.fault)
    match seen.camera:
        case SourceState.STARTING:
            return "todo", "The camera is starting …"
        case SourceState.LOST:
            return "bad", build_sentence(seen.text)
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
        return "bad", build_sentence(facts.lens_fault)
    if facts.lens:
        return "good", f"{facts.lens} is used{cost}."
    if facts.draft.entries.get("lens") == "skip":
        return ("good" if 0 < worst_mm <= FINE_MM else "weak"), f"Skipped; it is solved from the anchors{cost}."
    return "todo", f"Calibrate it, or skip it: it is then solved from the anchors{cost}."


def _judge_check(facts: WizardFacts) -> tuple[StepState, str]:
    seen, fit, count = facts.seen, facts.seen.fit, len(facts.reading.anchors)
    if facts.unplaced:
        return "todo", build_sentence(facts.unplaced)
    if not facts.reading.is_complete or seen.camera in {SourceState.STARTING, SourceState.LOST}:
        return "todo", "The camera and the table come first."
    if not fit.id:
        return ("bad" if seen.trouble else "todo"), build_sentence(seen.trouble) or "The anchors are looked for …"
    if fit.wrong:
        return "bad", build_sentence(fit.wrong[0])
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
        return "bad", build_sentence(facts.game_fault)
    if facts.state is None:
        ready = "The armies are entered: choose a table below, and play with these armies."
        return "todo", ready if facts.armies == "entered" else "Choose who plays."
    if facts.armies == "changed":
        return "weak", "The armies were changed: play with these armies anew, or the game keeps what they were."
    players = list(dict.fromkeys(unit.player for unit in facts.state.units))
    models = sum(len(unit.models) for unit in facts.state.units)
    rulebook = find_rulebook(facts.state.rulebook).title
    return "good", f"{rulebook}: {' against '.join(players)}, {models} models."


def _judge_mark(facts: WizardFacts) -> tuple[StepState, str]:
    if facts.state is None:
        return "todo", "The armies come first."
    for entry in facts.marked:
        if not entry.options[entry.chosen].is_read:
            return (
                "weak",
                f"The {entry.chosen} of {describe_base(entry.kind.base)}: {entry.options[entry.chosen].text}.",
            )
    counts = Counter(name_marker_kind(base) for base in facts.given)
    parts = [f"{counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}" for kind in MarkerKind if counts[kind]]
    count = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    if facts.virtual:
        return "good", f"{count}; nothing to print: this table is rendered."
    if facts.draft.entries.get("marked") == "yes":
        return "good", f"{count}, printed and cut out."
    return "todo", f"Print {count}, and cut them out."


def _judge_enrol(facts: WizardFacts) -> tuple[StepState, str]:
    if facts.state is None:
        return "todo", "The armies come first."
    count = len(facts.given)
    lacking = [base.model for base in facts.given if base.model not in facts.enrolled]
    if lacking:
        return "todo", f"{len(lacking)} of {count} models have no marker yet that is looked for."
    if facts.virtual:
        return "good", f"The {count} models of the virtual table carry their markers."
    if unread := facts.seen.unread_px:
        rings = sum(isinstance(base, RingedBase) for base in facts.given)
        return "weak", f"{rings - len(unread)} of {rings} rings are read; the list says what to do about the others."
    rough = [base.model for base in facts.given if not is_measured(base)]
    if rough:
        return (
            "weak",
            f"{len(rough)} of {count} are only known to ± {2 * MIDDLE_SIGMA_MM:.0f} mm; measured they are surer.",
        )
    return "good", f"It is known of all {count} where their markers are."


def _judge_ready(facts: WizardFacts) -> tuple[StepState, str]:
    if facts.playing:
        return "good", "The game is on, and recorded."
    if hindrances := list_hindrances(facts):
        things = "1 thing is" if len(hindrances) == 1 else f"{len(hindrances)} things are"
        return "todo", f"{things} missing before a game can begin."
    return "good", "A game can begin."


def build_sentence(text: str) -> str:
    """Return what was said as a sentence; a name that begins it, such as a file's, stays as it is."""
    begun = text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() else text
    return begun + ("" if not text or text.endswith((".", "…")) else ".")
