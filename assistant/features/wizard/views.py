"""Wizard views: from what the wizard knows to what its page shows."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assistant.features.wizard.chosen_game import list_offers
from assistant.features.wizard.partial_setup import is_measured
from assistant.features.wizard.state import TITLES, WizardFacts, judge_steps, list_hindrances
from assistant.setup.bases import BaseSection, TaggedBase
from assistant.setup.draft import MEASURED
from assistant.web.messages import View
from assistant.web.messages.setup import AnchorView, MarkerOfView, SetupView, SourceView, StepView
from assistant.web.messages.table import NoticeView
from hardware.camera.address import redact_address

UNRECORDED = "Nothing is recorded yet: begin the game on the set-up page."


def build_setup_view(
    facts: WizardFacts, *, folder: Path, sources: Sequence[tuple[str, str]] | None, recording: Path | None
) -> View:
    """Return the sections of the set-up."""
    wrong = dict(facts.reading.wrong)
    if facts.game_fault:
        wrong["game"] = facts.game_fault
    setup = SetupView(
        folder=str(folder),
        entries=_show_entries(facts.draft.entries),
        wrong=wrong,
        sources=None if sources is None else [SourceView(spec=spec, name=name) for spec, name in sources],
        virtual=facts.virtual,
        anchors=list(_build_anchors(facts)),
        unplaced=facts.unplaced,
        offers=list(list_offers()),
        markers=list(_build_markers(facts)),
        hindered=list(list_hindrances(facts)),
        recording="" if recording is None else str(recording),
    )
    steps = {
        step.name: StepView(title=TITLES[step.name], state=step.state, text=step.text) for step in judge_steps(facts)
    }
    notices = {} if facts.playing or facts.state is None else {"unrecorded": NoticeView(text=UNRECORDED)}
    return View(setup={"setup": setup}, steps=steps, notices=notices)


def _show_entries(entries: Mapping[str, str]) -> dict[str, str]:
    """Return entries as pages show them: of a camera's address, nothing that is secret."""
    return {name: redact_address(text) if name == "source" else text for name, text in entries.items()}


def _build_anchors(facts: WizardFacts) -> Iterator[AnchorView]:
    anchors = {anchor.tag: anchor for anchor in facts.reading.anchors}
    for tag in facts.reading.ids:
        anchor = anchors.get(tag)
        yield AnchorView(
            tag=tag,
            lay=facts.draft.entries.get(f"lay.{tag}", MEASURED),
            x_mm=anchor.x_mm if anchor else None,
            y_mm=anchor.y_mm if anchor else None,
            turn_deg=(anchor.facing_deg or 0.0) if anchor else 0.0,
            off_mm=facts.seen.fit.off_mm.get(tag),
        )


def _build_markers(facts: WizardFacts) -> Iterator[MarkerOfView]:
    if facts.state is None:
        return
    units = {model.id: unit.id for unit, model in facts.state.iterate_models()}
    for base in facts.given:
        there = base.model in facts.enrolled
        yield MarkerOfView(
            model=base.model,
            unit=units[base.model],
            base=base.base.name,
            marker=_describe_marker(base),
            known="no" if not there else "measured" if is_measured(base) or facts.virtual else "roughly",
        )


def _describe_marker(base: BaseSection) -> str:
    if isinstance(base, TaggedBase):
        return f"tag {base.tag} of {base.size_mm:g} mm"
    return f"ring {base.ring}, a {base.ring_kind}"
