"""Pairings as programs export them, holes in them each with a sentence, and results that no spreadsheet runs."""

import pytest

from assistant.errors import BadInput
from assistant.hall.pairings_csv import parse_pairings, write_results

TABLES = ("1", "2", "stream")


@pytest.mark.parametrize(
    "text",
    [
        "Table,Player 1,Player 2\n1,Ann Lee,Ben Oz\nstream,Cem,Dee\n",
        "\ufeffTable Number;Player 1 First Name;Player 1 Last Name;Player 2\r\n1;Ann;Lee;Ben Oz\r\nstream;Cem;;Dee\r\n",
        "Name\tOpponent\tTable\nAnn Lee\tBen Oz\tTable 1\nBen Oz\tAnn Lee\tTable 1\nCem\tDee\tstream\nEve\tBYE\t\n",
        'player_1,"PLAYER 2",table\n"Ann  Lee",Ben Oz,1\nCem,Dee,stream\nEve,,2\n',
    ],
)
def test_whatever_the_columns_are_called(text: str) -> None:
    assert parse_pairings(text, "pairs.csv", TABLES) == {"1": ("Ann Lee", "Ben Oz"), "stream": ("Cem", "Dee")}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "expected a line of headings"),
        ("Player 1,Player 2\n", "line 1: there is no column of tables"),
        ("Table,Who\n1,Ann\n", "line 1: there are no columns of players"),
        ("Table,Player 1,Player 2\n", "nobody is paired"),
        ("Table,Player 1,Player 2\n1,Ann,Ben\n,Cem,Dee\n", "line 3: Cem and Dee have no table"),
        ("Table,Player 1,Player 2\n9,Ann,Ben\n", "line 2: there is no table '9' in this hall"),
        ("Table,Player 1,Player 2\n1,,Ben\n", "line 2: there is no first player"),
        ("Table,Player 1,Player 2\n1,Ann,Ben\n1,Cem,Dee\n", "line 3: table 1 is Ann's and Ben's already"),
        ("Table,Player 1,Player 2\n1,Ann,Ben\n2,Ann,Dee\n", "line 3: Ann plays at table 1 already"),
        (f"Table,Player 1,Player 2\n1,{'A' * 101},Ben\n", "line 2: 'AAAA"),
        ("Table,Player 1,Player 2\n" + "1,a,b\n" * 2001, "2000 at most"),
        ("x" * 1_000_001, "this file is too large"),
    ],
)
def test_a_hole_gets_its_sentence_with_the_line(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_pairings(text, "pairs.csv", TABLES)
    assert str(refused.value).startswith("pairs.csv: ")
    assert sentence in str(refused.value)


def test_results_are_a_line_a_game_and_no_formula() -> None:
    pairings = {1: {"1": ("=cmd()", "Ben"), "2": ("Cem", "Dee, the 2nd")}}
    assert write_results(pairings, {1: {"1": (20, -1)}}).splitlines() == [
        "Round,Table,Player 1,Score 1,Player 2,Score 2",
        "1,1,'=cmd(),20,Ben,-1",
        '1,2,Cem,,"Dee, the 2nd",',
    ]
