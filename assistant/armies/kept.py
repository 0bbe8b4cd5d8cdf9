"""What was entered of armies as plain JSON, so that it can be left and gone on with."""

from typing import Any

from pydantic import Field

from assistant.armies.draft import Draft, Force, Row
from assistant.armies.entry import Entry
from assistant.files import Format, Id, check
from assistant.rules.judge import rulebook


class EntryForm(Format):
    """A unit as it was entered."""

    name: str = ""
    count: str = "1"
    base: str = ""
    profile: dict[Id, str] = Field(default={})
    keywords: str = ""
    status: str = ""


class RowForm(Format):
    """A unit in the table that people correct."""

    key: int
    line: str = ""
    entry: EntryForm = EntryForm()
    note: str = ""
    by_hand: tuple[str, ...] = ()


class ForceForm(Format):
    """One player's army."""

    key: Id
    player: str
    text: str = ""
    rows: tuple[RowForm, ...] = ()


class DraftForm(Format):
    """All that was entered."""

    rulebook: Id
    forces: tuple[ForceForm, ...] = ()


def draft_json(draft: Draft) -> dict[str, Any]:
    """Return what was entered as plain JSON."""
    forces = tuple(
        ForceForm(key=force.key, player=force.player, text=force.text, rows=tuple(map(_row_form, force.rows)))
        for force in draft.forces
    )
    return DraftForm(rulebook=draft.rulebook, forces=forces).model_dump(mode="json")


def draft_of(data: object, name: str) -> Draft:
    """Return what was entered, from JSON that was read from the thing called ``name``.

    Raises:
        BadInput: it does not fit, or is for a rulebook that is not there.

    """
    form = check(data, DraftForm, name)
    rulebook(form.rulebook)
    return Draft(
        rulebook=form.rulebook,
        forces=tuple(
            Force(key=force.key, player=force.player, text=force.text, rows=tuple(map(_row, force.rows)))
            for force in form.forces
        ),
    )


def _row_form(row: Row) -> RowForm:
    entry = row.entry
    return RowForm(
        key=row.key,
        line=row.line,
        entry=EntryForm(
            name=entry.name,
            count=entry.count,
            base=entry.base,
            profile=dict(entry.profile),
            keywords=entry.keywords,
            status=entry.status,
        ),
        note=row.note,
        by_hand=tuple(sorted(row.by_hand)),
    )


def _row(form: RowForm) -> Row:
    entry = Entry(**form.entry.model_dump())
    return Row(key=form.key, line=form.line, entry=entry, note=form.note, by_hand=frozenset(form.by_hand))
