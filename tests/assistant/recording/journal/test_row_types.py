"""What the eyes are told is kept to the last bit, and what was kept before there were rings is still read."""

import json

import numpy as np

from assistant.game.base_spec import BaseSpec
from assistant.recording.journal.row_types import EyesTold
from assistant.setup.bases import MarkedTerrain, MarkInPiece, RingedBase, RingInBase, TaggedBase
from hardware.rings.words import load_ring_list
from vision.markers import Markers
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import EnrolledTag
from vision.tags.row_times import Readout

ROUND = BaseSpec(round_mm=32)
OVAL = BaseSpec(oval_mm=(60, 35))
TAGGED = TaggedBase(tag=3, model="t", base=ROUND, size_mm=16)
RINGED = (
    RingedBase(ring=3, ring_kind="halo", model="a", base=ROUND, ring_in_base=RingInBase(x_mm=0.1, sigma_mm=0.3)),
    RingedBase(ring=4, ring_kind="halo", model="b", base=ROUND, height_mm=3.1),
    RingedBase(ring=5, ring_kind="rim", model="c", base=OVAL, height_mm=4, height_sigma_mm=0.2),
)


def test_rings_are_kept_to_the_last_bit_and_each_layout_once() -> None:
    rings = {base.marker: base.enroll_ring(load_ring_list()) for base in RINGED}
    markers = Markers(anchors=(), bases={3: TAGGED.enrolled_tag, **rings}, lens=None)
    told = EyesTold.from_markers(markers, began=True)
    again = EyesTold.model_validate_json(told.model_dump_json())
    assert again == told
    assert len(again.layouts) == 2
    assert again.markers.tagged_bases == {3: TAGGED.enrolled_tag}
    read = again.markers.ringed_bases
    assert list(read) == list(rings)
    assert read[1003].layout is read[1004].layout
    for marker, ring in rings.items():
        there = read[marker]
        assert np.array_equal(there.layout.middle_line_mm, ring.layout.middle_line_mm)
        assert (there.layout.band, there.layout.cells) == (ring.layout.band, ring.layout.cells)
        assert {**vars(there), "layout": None} == {**vars(ring), "layout": None}


def test_marks_of_terrain_are_kept_beside_the_bases() -> None:
    setup_marks = (
        MarkedTerrain(piece="hill", tag=9, size_mm=24, height_mm=38.1, mark_in_piece=MarkInPiece(x_mm=30)),
        MarkedTerrain(piece="house", ring=9, round_mm=50, height_mm=76.2),
    )
    tag, ring = (each.marked for each in setup_marks)
    assert isinstance(tag, TaggedBase)
    assert isinstance(ring, RingedBase)
    rings = load_ring_list()
    terrain: dict[int, EnrolledTag | EnrolledRing] = {
        tag.marker: tag.enrolled_tag,
        ring.marker: ring.enroll_ring(rings),
    }
    markers = Markers(
        anchors=(), bases={3: TAGGED.enrolled_tag, 1003: RINGED[0].enroll_ring(rings)}, terrain=terrain, lens=None
    )
    told = EyesTold.model_validate_json(EyesTold.from_markers(markers, began=True).model_dump_json()).markers
    assert told.bases.keys() == markers.bases.keys()
    assert [(mark.model, mark.height_mm) for mark in told.terrain.values()] == [("hill", 38.1), ("house", 76.2)]
    assert told.tags == {3, 9}


def test_a_list_of_words_is_kept_if_it_is_not_the_programs_own() -> None:
    own = Markers(anchors=(), bases={}, lens=None)
    assert EyesTold.from_markers(own, began=True).ring_words is None
    readout = Readout(s=0.016, sigma_s=0.0005)
    other = Markers(anchors=(), bases={}, lens=None, ring_words=("0110", "10"), readout=readout)
    for markers in (own, other):
        told = EyesTold.model_validate_json(EyesTold.from_markers(markers, began=True).model_dump_json())
        assert told.markers.ring_words == markers.ring_words
        assert told.markers.readout == markers.readout


def test_what_was_told_before_there_were_rings_is_read() -> None:
    kept = {
        "began": True,
        "anchors": [{"tag": 580, "x_mm": 40.0, "y_mm": 40.0, "facing_rad": 0.0, "size_mm": 40.0, "z_mm": 0.0}],
        "bases": [
            {
                "tag": 1,
                "model": "s1",
                "size_mm": 10.0,
                "x_mm": 8.0,
                "y_mm": 0.0,
                "facing_rad": 0.5,
                "height_mm": 4.0,
                "offset_sigma_mm": 0.1,
                "facing_sigma_rad": 0.0,
                "height_sigma_mm": 0.0,
            }
        ],
        "lens": None,
        "placement": None,
        "surfaces": [],
    }
    base = EyesTold.model_validate_json(json.dumps(kept)).markers.bases[1]
    assert isinstance(base, EnrolledTag)
    assert (base.model, base.facing_rad) == ("s1", 0.5)
