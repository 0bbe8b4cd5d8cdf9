"""Armies views: from armies as they are entered to what the pages show of them."""

from typing import Literal

from assistant.armies.army import ArmyUnit
from assistant.armies.base_sizes import COMMON_BASES, name_base
from assistant.armies.draft import ArmiesDraft, Force, build_armies, list_headings
from assistant.armies.formats import parse_list
from assistant.armies.formats.roster_line import list_passed
from assistant.armies.game_composition import IdAllocator, compose_situation
from assistant.armies.unit_entry import EntryProblem, describe_count, find_unit_name, label_key, unit_from_entry
from assistant.errors import BadInput
from assistant.game.state import GameState, Table
from assistant.rules.books import find_rulebook, list_rulebooks
from assistant.rules.rulebook import Choice, Key, Rulebook
from assistant.web.messages import View
from assistant.web.messages.setup import (
    ArmiesView,
    ArmyRowView,
    ColumnView,
    ForceView,
    PassedView,
    ProblemView,
    RulebookView,
)

ArmiesProgress = Literal["todo", "good", "weak", "bad"]
ROOMY = Table(width_mm=1e4, depth_mm=1e4)
TakenSituation = tuple[str, GameState]
"""A situation's file and the game in it."""


def build_armies_view(draft: ArmiesDraft, situation: TakenSituation | None, *, undo: str) -> View:
    """Return what the pages show.

    Args:
        draft: what was entered.
        situation: the situation that is played in place of it, if one is.
        undo: what was dropped last and can be brought back, in a few words.

    """
    book = find_rulebook(draft.rulebook)
    state, text = assess_armies(draft, situation)
    ids = IdAllocator()
    return View(
        armies={
            "armies": ArmiesView(
                rulebook=draft.rulebook,
                rulebooks=[RulebookView(id=rulebook.id, title=rulebook.title) for rulebook in list_rulebooks()],
                columns=[_build_column(key) for key in book.profile],
                bases=[name_base(base) for base in COMMON_BASES],
                forces=[force.key for force in draft.forces],
                taken=situation[0] if situation else "",
                undo=undo,
                state=state,
                text=text,
            )
        },
        forces={force.key: _build_force(force, book, ids) for force in draft.forces},
    )


def assess_armies(draft: ArmiesDraft, situation: TakenSituation | None) -> tuple[ArmiesProgress, str]:
    """Return how far the armies have come, and why, in a sentence."""
    if situation is not None:
        name, state = situation
        return "good", f"The game of {name} is played: {describe_count(len(state.units), 'unit')} by {state.rulebook}."
    book = find_rulebook(draft.rulebook)
    entered = [(force, row) for force in draft.forces for row in force.rows]
    if not entered:
        return "todo", "Enter each player's units: paste a list, load a file, or add them one by one."
    wrong = [
        f"{force.player}, {row.entry.name.strip() or 'a unit'}: {problem.text}"
        for force, row in entered
        for problem in unit_from_entry(row.entry, book)[1]
    ]
    if wrong:
        return "bad", wrong[0] + (f" (and {len(wrong) - 1} more)" if wrong[1:] else "")
    try:
        armies = build_armies(draft)
        compose_situation(ROOMY, book.id, armies)
    except BadInput as error:
        return "bad", f"{str(error)[:1].upper()}{str(error)[1:]}."
    models = sum(unit.size for army in armies for unit in army.units)
    counts = ((len(armies), "player"), (len(entered), "unit"), (models, "model"))
    sizes = ", ".join(describe_count(count, what) for count, what in counts)
    if len(armies) == 1:
        return "weak", f"{sizes}: there is no enemy yet, so nothing is said of engagement."
    if guessed := sum(bool(row.entry.guess) for _, row in entered):
        return (
            "weak",
            f"{sizes}. {describe_count(guessed, 'unit')} with a guessed base or move: look whether they are right.",
        )
    if unread := next((f"{force.player}, {row.entry.name}: {row.note}" for force, row in entered if row.note), ""):
        return "weak", f"{sizes}. {unread}"
    if still := next((row.entry.name for force, row in entered if _lacks_move(row.entry.profile, book)), ""):
        return "weak", f"{sizes}. {still} has no move, so how far it goes is not judged."
    return "good", f"{sizes}."


def _lacks_move(profile: object, book: Rulebook) -> bool:
    return (
        any(key.name == "move_in" for key in book.profile)
        and isinstance(profile, dict)
        and not str(profile.get("move_in", "")).strip()
    )


def _build_force(force: Force, book: Rulebook, ids: IdAllocator) -> ForceView:
    lines = parse_list(force.text, (book,))
    named = list_headings(force.text)
    return ForceView(
        player=force.player,
        text=force.text,
        rows=[
            ArmyRowView(
                key=row.key,
                line=row.line,
                name=row.entry.name,
                count=row.entry.count,
                base=row.entry.base,
                profile=dict(row.entry.profile),
                keywords=row.entry.keywords,
                status=row.entry.status,
                part_of=row.entry.part_of,
                ids=_describe_models(unit, force.player, ids) if unit else "",
                problems=[_build_problem(problem) for problem in problems],
                guess=row.entry.guess,
                note=row.note,
            )
            for row in force.rows
            for unit, problems in (unit_from_entry(row.entry, book),)
        ],
        passed=[
            *(PassedView(lines=list(passed.texts), note=passed.note) for passed in list_passed(lines)),
            *(PassedView(lines=[], note=remark) for remark in force.remarks),
        ],
        others=[name for name in named if name != force.player] if len(named) > 1 else [],
    )


def _describe_models(unit: ArmyUnit, player: str, ids: IdAllocator) -> str:
    """Return what its models will be called, and which base they stand on."""
    _, models = ids.allocate(unit, player)
    named = models[0] if len(models) == 1 else f"{models[0]} to {models[-1]}"
    base = unit.base.name if unit.base else ""
    return f"{named}, {base.replace(':', ' ')} mm"


def _build_problem(problem: EntryProblem) -> ProblemView:
    return ProblemView(field=problem.field, text=problem.text)


def _build_column(key: Key) -> ColumnView:
    return ColumnView(
        key=key.name,
        label=label_key(key.name).capitalize(),
        unit=find_unit_name(key.name),
        choices=list(key.values.words) if isinstance(key.values, Choice) else [],
        statement=key.statement,
    )
