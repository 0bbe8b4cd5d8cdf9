"""Wizard views: from what the wizard knows to what its page shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.features.camera.marker_sizes import CELL_PX, advise_on_cells, format_px, measure_cell_mm
from assistant.features.marker_choice import MarkerKind, describe_base
from assistant.features.wizard.chosen_game import list_offers
from assistant.features.wizard.earlier_games import EarlierGame
from assistant.features.wizard.markers import is_measured
from assistant.features.wizard.state import TITLES, WizardFacts, build_sentence, judge_steps, list_hindrances
from assistant.game.naming import list_names
from assistant.game.state import Table
from assistant.layouts.packs import list_layouts
from assistant.setup.bases import BaseSection, RingedBase, TaggedBase
from assistant.setup.draft import MEASURED
from assistant.setup.hall_file import HallFile
from assistant.web.messages import View
from assistant.web.messages.setup import (
    AnchorView,
    BaseKindView,
    EarlierGameView,
    LayoutOfferView,
    MarkerOfView,
    MarkerOptionView,
    SetupView,
    SourceView,
    StepView,
    TournamentView,
)
from assistant.web.messages.table import NoticeView
from hardware.camera.address import redact_address

UNRECORDED = "Nothing is recorded yet: begin the game on the set-up page."


def build_setup_view(
    facts: WizardFacts,
    *,
    folder: Path,
    sources: Sequence[tuple[str, str]] | None,
    recording: Path | None,
    earlier: Sequence[EarlierGame] = (),
    hall: HallFile | None = None,
) -> View:
    """Return the sections of the set-up."""
    wrong = dict(facts.reading.wrong)
    if facts.game_fault:
        wrong["game"] = facts.game_fault
    if facts.hall_fault:
        wrong["hall"] = facts.hall_fault
    setup = SetupView(
        folder=str(folder),
        entries=_show_entries(facts.draft.entries),
        wrong=wrong,
        sources=None if sources is None else [SourceView(spec=spec, name=name) for spec, name in sources],
        virtual=facts.virtual,
        anchors=list(_build_anchors(facts)),
        unplaced=facts.unplaced,
        offers=list(list_offers()),
        layouts=list(_build_layouts(facts)),
        kinds=list(_build_kinds(facts)),
        markers=sorted(_build_markers(facts), key=lambda marker: not marker.advice),
        hindered=list(list_hindrances(facts)),
        recording="" if recording is None else str(recording),
        earlier=[EarlierGameView(recording=game.path.name, title=game.title, ended_s=game.ended_s) for game in earlier],
        tournament=hall and TournamentView(event=hall.event, table=hall.table),
    )
    steps = {
        step.name: StepView(title=TITLES[step.name], state=step.state, text=step.text) for step in judge_steps(facts)
    }
    notices = {} if facts.playing or facts.state is None else {"unrecorded": NoticeView(text=UNRECORDED)}
    return View(setup={"setup": setup}, steps=steps, notices=notices)


def _build_layouts(facts: WizardFacts) -> Iterator[LayoutOfferView]:
    """Yield the layouts for a table of this size, in the order of the packs."""
    if facts.reading.table_mm is None:
        return
    width_mm, depth_mm = facts.reading.table_mm
    table = Table(width_mm=width_mm, depth_mm=depth_mm)
    for one in list_layouts():
        if one.fits(table):
            yield LayoutOfferView(
                name=one.name,
                title=one.layout.title,
                rulebook=one.layout.rulebook or "",
                credit=one.layout.credit,
                objectives=one.objectives,
            )


def _show_entries(entries: Mapping[str, str]) -> dict[str, str]:
    """Return entries as pages show them: of a camera's address, nothing that is secret."""
    return {name: redact_address(text) if name == "source" else text for name, text in entries.items()}


def _build_anchors(facts: WizardFacts) -> Iterator[AnchorView]:
    anchors = {anchor.tag: anchor for anchor in facts.reading.anchors}
    for tag in facts.reading.ids:
        anchor, sight = anchors.get(tag), facts.seen.fit.sights.get(tag)
        yield AnchorView(
            tag=tag,
            lay=facts.draft.entries.get(f"lay.{tag}", MEASURED),
            x_mm=anchor.x_mm if anchor else None,
            y_mm=anchor.y_mm if anchor else None,
            turn_deg=(anchor.facing_deg or 0.0) if anchor else 0.0,
            off_mm=facts.seen.fit.off_mm.get(tag),
            corners=list(sight.corners) if sight else [],
            expected=sight.expected if sight else None,
            left_out=bool(sight and sight.left_out),
        )


def _build_markers(facts: WizardFacts) -> Iterator[MarkerOfView]:
    if facts.state is None:
        return
    units = {model.id: unit.id for unit, model in facts.state.iterate_models()}
    names = list_names(facts.state.units)
    for base in facts.given:
        there = base.model in facts.enrolled
        yield MarkerOfView(
            model=base.model,
            name=names.get(base.model, base.model),
            unit=units[base.model],
            base=describe_base(base.base),
            marker=_describe_marker(base),
            known="no" if not there else "measured" if is_measured(base) or facts.virtual else "roughly",
            read=base.model in facts.seen.models,
            advice=_advise_on_ring(base, facts) if isinstance(base, RingedBase) and there else "",
        )


def _advise_on_ring(base: RingedBase, facts: WizardFacts) -> str:
    """Say why a ring that is looked for is not read, and what to do; empty where it is, or where nobody can do it."""
    cell_px = facts.seen.unread_px.get(base.model)
    if facts.virtual or cell_px is None or facts.sight is None or facts.rings is None:
        return ""
    if cell_px < CELL_PX:
        there = replace(facts.sight, px_per_mm=cell_px / measure_cell_mm(base.lay_ring(facts.rings)))
        return f"Ring {base.ring} is not read: {advise_on_cells(base.base, facts.rings, cell_px, there)}."
    enough = f"{format_px(cell_px)} px a cell are enough"
    advice = "set it on the table, flat and uncovered, and turn away a lamp that it mirrors"
    return f"Ring {base.ring} is not read, though {enough}: {advice}."


def _build_kinds(facts: WizardFacts) -> Iterator[BaseKindView]:
    names = {} if facts.state is None else list_names(facts.state.units)
    for entry in facts.marked:
        kind = entry.kind
        yield BaseKindView(
            key=kind.key,
            name=describe_base(kind.base),
            models=len(kind.models),
            units=[names.get(unit, unit) for unit in kind.units],
            chosen=entry.chosen.value,
            best=entry.advice.kind.value,
            why=build_sentence(entry.advice.why),
            options=[
                MarkerOptionView(kind=option.value, readable=weighed.is_read, text=build_sentence(weighed.text))
                for option, weighed in entry.options.items()
            ],
            high=kind.has_roof and entry.chosen is MarkerKind.TAG,
        )


def _describe_marker(base: BaseSection) -> str:
    if isinstance(base, TaggedBase):
        return f"tag {base.tag} of {base.size_mm:g} mm"
    return f"ring {base.ring}, a {base.ring_kind}"
