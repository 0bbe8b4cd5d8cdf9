"""From what the wizard knows to what its page shows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from assistant.cli.setting_up.game import offers
from assistant.cli.setting_up.gluing import measured
from assistant.cli.setting_up.steps import TITLES, Facts, hindrances, steps_of
from assistant.draft.reading import MEASURED
from assistant.web.messages import View
from assistant.web.messages.setup import AnchorView, SetupView, SourceView, StepView, TagOfView
from assistant.web.messages.table import NoticeView

UNRECORDED = "Nothing is recorded yet: begin the game on the set-up page."


def view_of_setup(
    facts: Facts, *, folder: Path, sources: Sequence[tuple[str, str]] | None, recording: Path | None
) -> View:
    """Return the sections of the set-up."""
    wrong = dict(facts.reading.wrong)
    if facts.game_fault:
        wrong["game"] = facts.game_fault
    setup = SetupView(
        folder=str(folder),
        entries=dict(facts.draft.entries),
        wrong=wrong,
        sources=None if sources is None else [SourceView(spec=spec, name=name) for spec, name in sources],
        virtual=facts.virtual,
        anchors=list(_anchors(facts)),
        unplaced=facts.unplaced,
        offers=list(offers()),
        tags=list(_tags(facts)),
        hindered=list(hindrances(facts)),
        recording="" if recording is None else str(recording),
    )
    steps = {step.name: StepView(title=TITLES[step.name], state=step.state, text=step.text) for step in steps_of(facts)}
    notices = {} if facts.playing or facts.state is None else {"unrecorded": NoticeView(text=UNRECORDED)}
    return View(setup={"setup": setup}, steps=steps, notices=notices)


def _anchors(facts: Facts) -> Iterator[AnchorView]:
    known = {anchor.tag: anchor for anchor in facts.reading.anchors}
    for tag in facts.reading.ids:
        anchor = known.get(tag)
        yield AnchorView(
            tag=tag,
            lay=facts.draft.entries.get(f"lay.{tag}", MEASURED),
            x_mm=anchor.x_mm if anchor else None,
            y_mm=anchor.y_mm if anchor else None,
            turn_deg=(anchor.facing_deg or 0.0) if anchor else 0.0,
            off_mm=facts.seen.fit.off_mm.get(tag),
        )


def _tags(facts: Facts) -> Iterator[TagOfView]:
    if facts.state is None:
        return
    units = {model.id: unit.id for unit, model in facts.state.models()}
    for base in facts.given:
        there = base.model in facts.enrolled
        yield TagOfView(
            model=base.model,
            unit=units[base.model],
            base=base.base.name,
            tag=base.tag,
            size_mm=base.size_mm,
            known="no" if not there else "measured" if measured(base) or facts.virtual else "roughly",
        )
