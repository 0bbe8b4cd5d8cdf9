"""The set-up file that a draft comes to; what else is in it stays."""

from pathlib import Path

import pytest

from assistant.cli.demos import read_demo
from assistant.draft.reading import read_entries
from assistant.draft.table import FILE, write_table
from assistant.errors import BadInput
from assistant.game.base import BaseSpec
from assistant.setup import read_setup

TABLE = {"source": "usb:0", "width": "60", "depth": "44"}
BASES = read_demo("warhammer-40k-10e").setup.bases


def test_it_is_written_once_and_says_what_was_entered(tmp_path: Path) -> None:
    reading = read_entries(TABLE)
    assert write_table(tmp_path, reading, BASES[:3])
    assert not write_table(tmp_path, reading, BASES[:3])
    setup = read_setup(tmp_path / FILE)
    assert (setup.camera.source, setup.anchors, setup.bases) == ("usb:0", reading.anchors, BASES[:3])


def test_what_was_added_stays(tmp_path: Path) -> None:
    write_table(tmp_path, read_entries(TABLE), BASES[:3])
    path = tmp_path / FILE
    text = path.read_text().replace('source = "usb:0"', 'source = "usb:0"\nlens = "lens.json"  # of May')
    path.write_text(
        text.replace("tag = 580\n", "tag = 580\nsigma_mm = 0.3\n").replace("depth_mm", "sigma_mm = 2\ndepth_mm")
    )
    moved = BASES[1].model_copy(update={"base": BaseSpec(round_mm=25)})
    entries = {**TABLE, "width": "72", "lay.581": "anywhere", "lay.582": "far-right"}
    assert write_table(tmp_path, read_entries(entries), (BASES[0], moved, BASES[3]))
    setup = read_setup(path)
    assert "# of May" in path.read_text()
    assert (setup.table.width_mm, setup.table.sigma_mm, setup.camera.lens) == (1828.8, 2, "lens.json")
    first, second, third = setup.anchors[:3]
    assert (first.sigma_mm, second.is_open, third.corner) == (0.3, True, "far-right")
    assert {base.model: base.base for base in setup.bases} == {b.model: b.base for b in (BASES[0], moved, BASES[3])}


def test_a_file_that_is_no_set_up_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("[table]\nwidth_mm = 3")
    with pytest.raises(BadInput, match="table.toml"):
        write_table(tmp_path, read_entries(TABLE), ())
    assert (tmp_path / FILE).read_text() == "[table]\nwidth_mm = 3"
