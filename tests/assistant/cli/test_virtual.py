"""What a decision does to the models of the virtual table."""

from assistant.cli.demos import read_demo
from assistant.cli.virtual import lay, virtual_table
from assistant.game.events import Accepted, ModelSettled
from assistant.game.reduce import reduce
from assistant.game.state import Pose

DEMO = read_demo("warhammer-40k-10e")
SETUP, STATE = DEMO.setup, DEMO.state
TAGS = {base.model: base.tag for base in SETUP.bases}


def test_models_that_are_off_the_table_are_not_on_it() -> None:
    placed = virtual_table(SETUP, STATE).placements()
    off = {model for model, tag in TAGS.items() if tag not in placed}
    assert off == {"sappers-1", "sappers-2", "stalkers-1", "stalkers-2"}


def test_a_decision_takes_models_off_and_puts_them_back() -> None:
    table = virtual_table(SETUP, STATE)
    gone = reduce(STATE, Accepted(models=(), outcome="legal", off=("captain-1",), lost=("scouts-1",)))
    before = table.placements()
    lay(table, SETUP, STATE, gone)
    assert before.keys() - table.placements().keys() == {TAGS["captain-1"], TAGS["scouts-1"]}
    lay(table, SETUP, gone, STATE)
    assert table.placements() == before


def test_what_a_hand_has_put_down_stays_there() -> None:
    table = virtual_table(SETUP, STATE)
    here = Pose(x_mm=500, y_mm=600)
    seen = reduce(STATE, ModelSettled(model="sappers-1", path=(here,), observed=True))
    table.move(TAGS["sappers-1"], virtual_table(SETUP, STATE).placements()[TAGS["captain-1"]])
    placed = table.placements()
    lay(table, SETUP, seen, reduce(seen, Accepted(models=("sappers-1",), outcome="legal")))
    assert table.placements() == placed
    lay(None, SETUP, STATE, seen)  # a real table is the players' business
