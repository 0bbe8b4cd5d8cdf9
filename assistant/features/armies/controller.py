"""Armies controller: what pages enter of armies, what they show, and the game that the armies come to."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.armies import draft as drafts
from assistant.armies.army import Army
from assistant.armies.draft import ArmiesDraft, draft_from_json, json_from_draft
from assistant.armies.formats import find_army_format, parse_list
from assistant.armies.formats.army_format import ArmyFormat, check_content, check_size, decode_text
from assistant.armies.formats.roster_line import NO_UNIT, check_length
from assistant.armies.game_composition import compose_situation
from assistant.armies.known_models import find_known_models
from assistant.armies.own_bases import OwnBases, are_own_bases, keep_own_bases, parse_own_bases, read_own_bases
from assistant.errors import BadInput
from assistant.features.armies.views import ArmiesProgress, build_armies_view
from assistant.features.arriving_file import ArrivingFile
from assistant.features.feature import Feature, Handles
from assistant.game.situation_file import parse_situation
from assistant.game.state import GameState, Setting, Table, Terrain
from assistant.layouts.placing import PlacedLayout
from assistant.rules.books import find_rulebook
from assistant.rules.referee import judge
from assistant.table.session import GameSession
from assistant.web.commands.setup import (
    ArmiesAdd,
    ArmiesAgree,
    ArmiesDrop,
    ArmiesEdit,
    ArmiesFile,
    ArmiesLeave,
    ArmiesOwn,
    ArmiesPart,
    ArmiesPaste,
    ArmiesPlayer,
    ArmiesRulebook,
    ArmiesUndo,
)
from assistant.web.messages import View

PASTED = "the pasted list"
FIRST_RULEBOOK = "warhammer-40k-10e"
"""Until somebody chooses one."""


@dataclass(kw_only=True)
class ArmiesController(Feature):
    """Keeps what is entered of armies.  Used from the thread of the table."""

    name = "armies"
    draft: ArmiesDraft = field(default_factory=lambda: drafts.begin_draft(FIRST_RULEBOOK))
    situation: tuple[str, dict[str, Any]] | None = None
    """The file's name and the document of a situation that is played in place of the armies."""
    bases: Path | None = None
    """Where this user's own answers on bases are kept; None for nowhere."""
    changed: Callable[[], None] = lambda: None
    """Called after each command that was obeyed: then is the time to keep `save`."""
    _dropped: tuple[str, ArmiesDraft, tuple[str, dict[str, Any]] | None] | None = None
    """What was dropped last, in a few words, and all that was there before."""
    _arriving: ArrivingFile = field(default_factory=lambda: ArrivingFile(check_size))
    _shown: tuple[ArmiesDraft, object, str, View] | None = None

    @Handles(ArmiesRulebook)
    def _change_rulebook(self, command: ArmiesRulebook) -> None:
        self._change(drafts.change_rulebook(self.draft, command.rulebook))

    @Handles(ArmiesPlayer)
    def _name_player(self, command: ArmiesPlayer) -> None:
        if command.force is None:
            self._change(drafts.add_player(self.draft, command.player.strip()))
        else:
            self._change(drafts.name_player(self.draft, command.force, command.player))

    @Handles(ArmiesLeave)
    def _remove_player(self, command: ArmiesLeave) -> None:
        dropped = self.draft.find_force(command.force).player
        self._change(drafts.remove_player(self.draft, command.force), dropped=dropped)

    @Handles(ArmiesPaste)
    def _paste_roster(self, command: ArmiesPaste) -> None:
        data = command.text.encode()
        form = find_army_format("", data)
        if form is not None and form.parse is None:
            self._load(command.force, form, PASTED, data)
        elif form is None and command.text.lstrip().startswith("{"):
            raise BadInput(f"{PASTED}: there is no army in it; expected a roster of New Recruit or Rosterizer")
        else:
            if command.text.strip():
                check_content(data, PASTED)
            self._change(drafts.paste_roster(self.draft, command.force, command.text))

    @Handles(ArmiesPart)
    def _split_by_headings(self, command: ArmiesPart) -> None:
        self._change(drafts.split_by_headings(self.draft, command.force))

    @Handles(ArmiesEdit)
    def _edit_unit(self, command: ArmiesEdit) -> None:
        self._change(drafts.edit_unit(self.draft, command.force, command.row, command.field, command.value))

    @Handles(ArmiesAgree)
    def _agree(self, command: ArmiesAgree) -> None:
        self._change(drafts.agree_on_guesses(self.draft, command.force, command.row))

    @Handles(ArmiesAdd)
    def _add_unit(self, command: ArmiesAdd) -> None:
        self._change(drafts.add_unit(self.draft, command.force))

    @Handles(ArmiesDrop)
    def _remove_unit(self, command: ArmiesDrop) -> None:
        dropped = self.draft.find_force(command.force).find_row(command.row).entry.name or "a unit"
        self._change(drafts.remove_unit(self.draft, command.force, command.row), dropped=dropped)

    @Handles(ArmiesFile)
    def _take_piece(self, command: ArmiesFile) -> None:
        """Put a piece of a file to those that came before, and take the file when it is whole."""
        data = self._arriving.take(command)
        if data is not None:
            self._take_file(command.force, command.name, data)

    def _take_file(self, force: str, name: str, data: bytes) -> None:
        """Take a file for what it is: known bases, a situation, an army, or else a list of lines."""
        if are_own_bases(data):
            self._add_bases(parse_own_bases(data, name))
            return
        form = find_army_format(name, data)
        if form is not None and form.parse is None:
            self._load(force, form, name, data)
            return
        text = decode_text(data, name, "an army, a list or a situation")
        if form is None and (name.lower().endswith(".json") or text.lstrip().startswith("{")):
            self.situation = name, _read_situation_file(name, text)
            self.changed()
            return
        check_length(text, name)
        if all(line.kind != "unit" for line in parse_list(text, ())):
            raise BadInput(f"{name}: {NO_UNIT}")
        had = self.draft.find_force(force)
        draft = drafts.paste_roster(self.draft, force, text)
        self._change(draft, dropped=f"what {had.player} had before" if had.rows else "")

    def _load(self, force: str, form: ArmyFormat, name: str, data: bytes) -> None:
        had = self.draft.find_force(force)
        reading = form.read(data, name, find_rulebook(self.draft.rulebook))
        draft = drafts.load_armies(self.draft, force, reading.armies, reading.remarks)
        self._change(draft, dropped=f"what {had.player} had before" if had.rows else "")

    @Handles(ArmiesOwn)
    def _drop_situation(self) -> None:
        self._note_dropped(self.situation[0] if self.situation else "")
        self.situation = None
        self.changed()

    @Handles(ArmiesUndo)
    def _undo(self) -> None:
        if self._dropped is None:
            raise BadInput("there is nothing to bring back")
        _, self.draft, self.situation = self._dropped
        self._dropped = None
        self.changed()

    def _change(self, draft: ArmiesDraft, *, dropped: str = "") -> None:
        self._note_dropped(dropped)
        self.draft = drafts.fill_rows(draft, find_known_models(draft.rulebook, self._read_own_bases()))
        self.changed()

    def _read_own_bases(self) -> OwnBases:
        """Return this user's answers; a file of them that is damaged is left as it is, and the game goes on."""
        if self.bases is None:
            return OwnBases()
        with suppress(BadInput):
            return read_own_bases(self.bases)
        return OwnBases()

    def _add_bases(self, more: OwnBases) -> None:
        """Keep what was said on another machine, and fill the armies with it."""
        if self.bases is not None:
            keep_own_bases(self.bases, read_own_bases(self.bases).add(more.bases))
        self._change(self.draft)

    def learn_bases(self) -> None:
        """Keep for the next list what the armies' models stand on, as far as it is no guess; BadInput as in writing."""
        if self.bases is None or self.situation is not None:
            return
        known = read_own_bases(self.bases)
        learned = known
        for army in self.list_armies():
            learned = learned.learn(self.draft.rulebook, army)
        if learned != known:
            keep_own_bases(self.bases, learned)

    def _note_dropped(self, dropped: str) -> None:
        """Take note in a few words of what is about to be dropped, to bring it back; empty for nothing."""
        if dropped:
            self._dropped = (dropped, self.draft, self.situation)

    def list_armies(self) -> tuple[Army, ...]:
        """Return the armies that were entered; BadInput if something is wrong with a unit."""
        return drafts.build_armies(self.draft)

    def compose_game(
        self,
        table: Table,
        terrain: Sequence[Terrain] = (),
        *,
        laid: PlacedLayout | None = None,
        parameters: dict[str, Setting] | None = None,
        placed: bool = False,
        avoid_mm: Iterable[Sequence[tuple[float, float]]] = (),
    ) -> dict[str, Any]:
        """Return the situation that was entered, or that was taken in place of armies.

        Args and errors as in `assistant.armies.game_composition`, and a layout that is laid in place of terrain; a
        situation that was taken is returned as it is.

        """
        if self.situation is not None:
            return self.situation[1]
        armies = self.list_armies()
        return compose_situation(
            table,
            self.draft.rulebook,
            armies,
            laid.terrain if laid else terrain,
            objectives=laid.objectives if laid else (),
            deployment=laid.name_players([army.player for army in armies]) if laid else (),
            parameters=parameters,
            placed=placed,
            avoid_mm=avoid_mm,
        )

    def assess(self) -> tuple[ArmiesProgress, str]:
        """Return how far it has come, ``todo``, ``good``, ``weak`` or ``bad``, and why, in a sentence."""
        view = self.build_view().armies["armies"]
        return view.state, view.text

    def save(self) -> dict[str, Any]:
        """Return all that was entered as plain JSON."""
        name, document = self.situation or ("", None)
        return {"armies": json_from_draft(self.draft), "situation": document, "situation_name": name}

    def load(self, data: dict[str, Any], name: str) -> None:
        """Go on with what `save` returned, read from the thing called ``name``.

        Raises:
            BadInput: it is not as it was saved.

        """
        draft = draft_from_json(data.get("armies"), name)
        document = data.get("situation")
        situation = None
        if document is not None:
            parse_situation(document, name)
            situation = (str(data.get("situation_name", "")), document)
        self.draft, self.situation = draft, situation

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show."""
        del session
        yield self.build_view()

    def build_view(self) -> View:
        """Return what the pages show; worked out anew only when something was entered."""
        undo = self._dropped[0] if self._dropped else ""
        shown = self._shown
        if shown is None or shown[0] is not self.draft or shown[1] is not self.situation or shown[2] != undo:
            view = build_armies_view(self.draft, self._read_situation(), undo=undo)
            shown = self._shown = (self.draft, self.situation, undo, view)
        return shown[3]

    def _read_situation(self) -> tuple[str, GameState] | None:
        if self.situation is None:
            return None
        name, document = self.situation
        return name, parse_situation(document, name).state


def _read_situation_file(name: str, text: str) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: this is not whole JSON: {error}") from None
    state = parse_situation(document, name).state
    try:
        judge(state, None)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    return document
