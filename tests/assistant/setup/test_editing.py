"""Edits of the set-up file: values are written and taken out, a draft is entered, and all else stays as it is."""

from functools import partial
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.features.camera.controller import build_settings_writer
from assistant.features.camera.frame_sources import build_camera_opener
from assistant.features.demo.catalogue import SETUP, read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.game.base_spec import BaseSpec
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.setup.bases import RingedBase, RingInBase, TaggedBase
from assistant.setup.draft import read_draft_entries
from assistant.setup.editing import SETUP_FILE, keep_enrolment, keep_section_values, write_setup_from_draft
from assistant.setup.file import read_setup
from hardware.camera.virtual import VirtualCamera


def test_what_is_held_is_written_and_the_camera_opens_so(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    before = SETUP.read_text()
    path.write_text(before)
    keep = partial(keep_section_values, path, "camera")
    setup = keep({"focus": 143.0, "exposure": 80.0})
    assert (setup.camera.focus, setup.camera.exposure) == (143, 80)
    assert read_setup(path) == setup
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    laid = build_virtual_table(setup, GameState(rulebook=NO_RULEBOOK, table=table, units=()))
    source = build_camera_opener(setup, path, laid)()
    assert isinstance(source, VirtualCamera)
    assert (source.read_settings().focus, source.read_settings().exposure) == (143, 80)
    assert build_settings_writer(path)(None, None) == "table.toml says so from now on."
    assert path.read_text() == before


def test_a_value_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SETUP.read_text())
    with pytest.raises(BadInput, match="camera.focus"):
        keep_section_values(path, "camera", {"focus": 1e9})
    assert path.read_text() == SETUP.read_text()


TABLE = {"source": "usb:0", "width": "60", "depth": "44"}
BASES = read_demo("warhammer-40k-10e").setup.bases


def test_it_is_written_once_and_says_what_was_entered(tmp_path: Path) -> None:
    reading = read_draft_entries(TABLE)
    assert write_setup_from_draft(tmp_path, reading, BASES[:3])
    assert not write_setup_from_draft(tmp_path, reading, BASES[:3])
    setup = read_setup(tmp_path / SETUP_FILE)
    assert (setup.camera.source, setup.anchors, setup.bases) == ("usb:0", reading.anchors, BASES[:3])


def test_what_was_added_stays(tmp_path: Path) -> None:
    write_setup_from_draft(tmp_path, read_draft_entries(TABLE), BASES[:3])
    path = tmp_path / SETUP_FILE
    text = path.read_text().replace('source = "usb:0"', 'source = "usb:0"\nlens = "lens.json"  # of May')
    path.write_text(
        text.replace("tag = 580\n", "tag = 580\nsigma_mm = 0.3\n").replace("depth_mm", "sigma_mm = 2\ndepth_mm")
    )
    moved = BASES[1].model_copy(update={"base": BaseSpec(round_mm=25)})
    entries = {**TABLE, "width": "72", "lay.581": "anywhere", "lay.582": "far-right"}
    assert write_setup_from_draft(tmp_path, read_draft_entries(entries), (BASES[0], moved, BASES[3]))
    setup = read_setup(path)
    assert "# of May" in path.read_text()
    assert (setup.table.width_mm, setup.table.sigma_mm, setup.camera.lens) == (1828.8, 2, "lens.json")
    first, second, third = setup.anchors[:3]
    assert (first.sigma_mm, second.is_open, third.corner) == (0.3, True, "far-right")
    assert {base.model: base.base for base in setup.bases} == {b.model: b.base for b in (BASES[0], moved, BASES[3])}


def test_a_file_that_is_no_set_up_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / SETUP_FILE).write_text("[table]\nwidth_mm = 3")
    with pytest.raises(BadInput, match="table.toml"):
        write_setup_from_draft(tmp_path, read_draft_entries(TABLE), ())
    assert (tmp_path / SETUP_FILE).read_text() == "[table]\nwidth_mm = 3"


def test_a_model_may_change_from_a_tag_to_a_ring_and_back(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    tagged = TaggedBase(tag=3, model="s1", base=BaseSpec(round_mm=32), size_mm=16, height_mm=4)
    rim = RingedBase(
        ring=3,
        ring_kind="rim",
        model="s1",
        base=BaseSpec(round_mm=32),
        height_mm=4,
        band_mm=(-4, -0.5),
        ring_in_base=RingInBase(x_mm=0.2, sigma_mm=0.1),
    )
    halo = RingedBase(ring=4, ring_kind="halo", model="s1", base=BaseSpec(round_mm=32))
    path.write_text(SETUP.read_text())
    for section in (tagged, rim, halo, tagged):
        keep_enrolment(path, section)
        assert read_setup(path).bases == (section,)
