"""Simulated tables play games that are judged and recorded as any other, and do what a judge rules."""

import json
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.features.demo.catalogue import read_demo
from assistant.game.events import Accepted
from assistant.hall.pairings_csv import parse_pairings
from assistant.hall.publisher import read_rulings
from assistant.hall.simulated_tables import RULEBOOK, SimulatedTable, draw_game, pair_names
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import Called
from assistant.recording.verification import verify
from assistant.web.commands.game import RulePast
from assistant.web.hub import PageCommand


def test_a_game_plays_by_itself_with_calls_of_all_kinds_and_verifies(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path / "1.overtable", seed=1)
    for _ in range(420):
        table.tick()
    refused = list[str]()
    ruling = RulePast(type="rule-past", at_ns=5 * 10**9, outcome="legal", note="so", judge="Ann")
    table.hub.submit(PageCommand(message=ruling, refuse=refused.append, role="judge"))
    table.tick()
    table.close()
    assert refused == []
    assert [each.judge for each in read_rulings(table.path)[1]] == ["Ann"]
    assert verify(table.path).broken is None
    assert verify(table.path).pictures > 0
    rows = [entry.what for entry in read_entries(table.path) if isinstance(entry.what, Called | Accepted)]
    assert {call.outcome for call in rows if isinstance(call, Called)} == {"legal", "illegal", "too-close"}
    made = [call for call, after in pairwise(rows) if isinstance(call, Called) and isinstance(after, Accepted)]
    odd = [f.text for call in made for f in call.findings if f.outcome != "legal" and " moved " not in f.text]
    assert odd == [], "but for their lengths all moves are legal"
    assert len(made) > 5


def read(jpeg: bytes) -> NDArray[np.int64]:
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return image.astype(np.int64)


def test_a_drawing_shows_the_bases_in_their_players_colours() -> None:
    state = read_demo(RULEBOOK).state
    model = state.units[0].models[0].id
    empty, drawn = read(draw_game(state, {})), read(draw_game(state, {model: (400.0, 300.0, 0.0)}))
    rows, columns, _ = np.nonzero(np.abs(drawn - empty) > 60)
    assert abs(columns.mean() / 0.6 - 400.0) < 5
    assert abs(state.table.depth_mm - rows.mean() / 0.6 - 300.0) < 5


def test_everybody_is_paired_once() -> None:
    tables = [str(number) for number in range(1, 61)]
    assert len(parse_pairings(pair_names(tables), "made up", tables)) == 60
    assert json.dumps(pair_names(tables)).isascii()
