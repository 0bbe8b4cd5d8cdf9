"""Why nothing is found: pictures spoiled in one way each, and the sentence that says which and what to do."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.features.camera.picture_clues import gather_clues
from assistant.features.camera.sight_reasons import (
    HINDRANCES,
    SightCircumstances,
    describe_place,
    explain_blindness,
    explain_no_camera,
    explain_sight,
    explain_unsolvable,
)
from hardware.simulation.optics import build_overhead_camera
from tests.assistant.recording.test_poses import make_pose
from tests.calibration.virtual_camera import camera_from_model
from vision.markers import Markers
from vision.quality.flicker import Flicker
from vision.tags.pose_estimation import Anchor, EnrolledTag
from vision.types import Doubt, Hindrance, TableSnapshot, UnreadMarker

Grey = NDArray[np.uint8]
TABLE_MM, PX_PER_MM = (1600.0, 900.0), 0.6
CAMERA = camera_from_model(build_overhead_camera(width_mm=1600, depth_mm=900))
EDGE_PX = 48
PLACES = {580: (100, 100), 581: (1500, 100), 582: (1500, 800), 583: (100, 800)}


def build_markers(places: dict[int, tuple[int, int]] = PLACES, bases: int = 0, size_mm: float = 20.0) -> Markers:
    anchors = tuple(
        Anchor(tag=tag, x_mm=x, y_mm=y, facing_rad=0.0, size_mm=80.0, z_mm=0.0) for tag, (x, y) in places.items()
    )
    enrolled = {
        tag: EnrolledTag(tag=tag, model=f"s{tag}", size_mm=size_mm, x_mm=0, y_mm=0, facing_rad=0, height_mm=3)
        for tag in range(1, bases + 1)
    }
    return Markers(anchors=anchors, bases=enrolled, lens=None)


def draw_table(tags: dict[int, tuple[int, int]] = PLACES, family: int = cv2.aruco.DICT_APRILTAG_36H11) -> Grey:
    picture = np.full((540, 960), 120, dtype=np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(family)
    for tag, (x_mm, y_mm) in tags.items():
        x, y = round(x_mm * PX_PER_MM), round(540 - y_mm * PX_PER_MM)
        half = EDGE_PX // 2
        picture[y - half - 8 : y + half + 8, x - half - 8 : x + half + 8] = 230
        print_px = cv2.aruco.generateImageMarker(dictionary, tag, EDGE_PX)
        picture[y - half : y + half, x - half : x + half] = np.clip(print_px, 20, 230)
    return cv2.GaussianBlur(picture, (0, 0), 0.6).astype(np.uint8)


GOOD = draw_table()


def darken(picture: Grey) -> Grey:
    noise = np.random.default_rng(0).normal(0, 6, picture.shape)
    return np.clip(picture * 0.06 + noise, 0, 255).astype(np.uint8)


def shrink(picture: Grey) -> Grey:
    return cv2.resize(picture, None, fx=0.16, fy=0.16, interpolation=cv2.INTER_AREA).astype(np.uint8)


@pytest.mark.parametrize(
    ("picture", "told", "advice"),
    [
        (np.ascontiguousarray(GOOD[:, ::-1]), "the picture is mirrored, and 4 tags", "turn mirroring off"),
        (darken(GOOD), "the picture is too dark (mean level", "more light"),
        (cv2.GaussianBlur(GOOD, (0, 0), 7), "the picture is blurred by about", "focus the camera"),
        (np.full_like(GOOD, 255), "100 % of the picture is burnt out", "shorten the exposure"),
        (np.full_like(GOOD, 120), "the picture shows no sharp edges", "lens is not covered"),
        (shrink(GOOD), "tags are 8 px wide, they need ", "hang it lower"),
        (draw_table({tag - 570: at for tag, at in PLACES.items()}), "the tags 10, 11, 12 and 13 are seen", "mend the"),
        (
            draw_table({1: PLACES[580], 2: PLACES[581], 3: PLACES[582]}, cv2.aruco.DICT_APRILTAG_25H9),
            "3 markers of the family tag25h9 are seen, and tag36h11 is needed",
            "overtable print anchors",
        ),
    ],
)
def test_a_picture_without_anchors_says_why(picture: Grey, told: str, advice: str) -> None:
    reason = explain_unsolvable(build_markers(), picture, "no anchor is in the picture")
    assert reason.fact.startswith(f"no anchor is seen: {told}"), reason.text
    assert advice in reason.advice


def test_bases_that_are_read_are_not_taken_for_anchors() -> None:
    anchors = [anchor.tag for anchor in build_markers().anchors]
    clues = gather_clues(GOOD, frozenset(anchors))
    assert explain_blindness(anchors, clues)[0] == "they have only just come into view"
    elsewhere = replace(clues, centres_px={7: np.zeros(2)})
    assert explain_blindness(anchors, elsewhere)[0] == "only other tags are read"
    dark = replace(elsewhere, faint=4, exposure=replace(clues.exposure, white=10), level=3.0)
    assert explain_blindness(anchors, dark)[0].startswith("4 tags are read, but too poorly to be measured, since the")


def test_anchors_that_lie_as_in_a_mirror_are_told_from_such_as_only_contradict_each_other() -> None:
    exchanged = {tag: PLACES[other] for tag, other in ((580, 581), (581, 580), (582, 583), (583, 582))}
    mirrored = explain_unsolvable(build_markers(exchanged), GOOD, "they contradict each other: measure them")
    assert mirrored.fact == "4 of 4 anchors are seen, and they lie as in a mirror of what the set-up says"
    plain = explain_unsolvable(build_markers(), GOOD, "they contradict each other: measure them")
    assert plain.text == "4 of 4 anchors are seen; they contradict each other: measure them"


def test_anchors_of_another_family_are_told_though_bases_are_read() -> None:
    picture = draw_table({1: (700, 400), 2: (900, 400)})
    others = draw_table({tag: PLACES[580 + tag] for tag in range(3)}, cv2.aruco.DICT_APRILTAG_25H9)
    both = np.where(others == 120, picture, others)
    reason = explain_unsolvable(build_markers(bases=2), both, "no anchor is in the picture")
    assert reason.fact == "no anchor is seen: 3 markers of the family tag25h9 are seen, and tag36h11 is needed"
    plain = explain_unsolvable(build_markers(bases=2), picture, "no anchor is in the picture")
    assert plain.fact == "no anchor is seen: only other tags are read"


def test_a_setup_without_anchors_is_told_to_get_some() -> None:
    assert "overtable print anchors" in explain_no_camera(0, build_markers({}), "", None).advice


def see(
    bases: int = 0,
    hindered: dict[int, Hindrance] | None = None,
    *,
    anchors_seen: int = 4,
    doubt: Doubt | None = None,
) -> TableSnapshot:
    return TableSnapshot(
        captured_ns=0,
        sequence=0,
        calibration="c",
        camera=CAMERA,
        anchors_seen=anchors_seen,
        doubt=doubt,
        hindered=hindered or {},
        poses=tuple(make_pose(tag) for tag in range(1, bases + 1)),
    )


def tell(snapshot: TableSnapshot, markers: Markers, picture: Grey | None = None) -> list[str]:
    clues = None if picture is None else gather_clues(picture, markers.tags)
    places = {tag: (150.0 + 20 * tag, 120.0) for tag in snapshot.hindered}
    circumstances = SightCircumstances(table_mm=TABLE_MM, places_mm=places, clues=clues)
    return [reason.text for reason in explain_sight(snapshot, markers, circumstances)]


def test_where_all_is_well_nothing_is_said() -> None:
    assert tell(see(5), build_markers(bases=5)) == []


@pytest.mark.parametrize(
    ("markers", "picture", "told"),
    [
        (build_markers(), None, "the set-up names no bases: enrol the models"),
        (build_markers(bases=3), None, "none of the 3 bases is seen: set the models on the table"),
        (build_markers(bases=1), GOOD, "the only base is not seen: set the models on the table"),
        (build_markers(bases=3, size_mm=8), None, "none of the 3 bases is seen: their tags are 8 px wide, they need "),
        (build_markers(bases=3), darken(GOOD), "none of the 3 bases is seen: the picture is too dark"),
        (build_markers(bases=3), draw_table({**PLACES, 40: (700, 400)}), "none of the 3 bases is seen, but tag 40 is"),
    ],
)
def test_no_base_is_never_without_its_reason(markers: Markers, picture: Grey | None, told: str) -> None:
    (reason,) = tell(see(), markers, picture)
    assert reason.startswith(told)


def test_bases_that_only_one_picture_has_shown_are_no_riddle() -> None:
    known = SightCircumstances(table_mm=TABLE_MM, places_mm={1: (3.0, 4.0)})
    (reason,) = explain_sight(see(), build_markers(bases=3), known)
    assert reason.text == "one base is seen for the first time: a base counts once two pictures have shown it"


def test_a_moving_camera_says_how_many_anchors_are_seen() -> None:
    (reason,) = tell(see(anchors_seen=1, doubt=Doubt.MOVING), build_markers(bases=3))
    assert reason.startswith("1 of 4 anchors is seen; the camera or the table was moved: wait until it is still")


def test_a_doubt_without_any_anchor_says_what_is_wrong_with_the_picture() -> None:
    (reason,) = tell(see(3, anchors_seen=0, doubt=Doubt.HIDDEN), build_markers(bases=3), darken(GOOD))
    assert reason.startswith("no anchor is seen: the picture is too dark (mean level ")
    assert reason.endswith(". Until then nothing is judged")


def test_few_anchors_are_told_beside_what_else_is_wrong() -> None:
    told = tell(see(3, anchors_seen=2), build_markers(bases=3))
    assert [text.partition(":")[0] for text in told] == ["2 of 4 anchors are seen, so that places are less sure"]
    anchors, missing = tell(see(2, anchors_seen=2), build_markers(bases=3))
    assert anchors.startswith("2 of 4 anchors are seen, so that places are less sure and bases may be missed: uncover")
    assert missing.startswith("s3 is not found: ")


def test_hindered_bases_are_told_by_kind_with_where_they_are() -> None:
    hindered = dict.fromkeys(range(1, 6), Hindrance.GLARE) | {7: Hindrance.COVERED, 8: Hindrance.COVERED}
    told = tell(see(2, hindered), build_markers(bases=9))
    glare = "move or shade the lamp that is mirrored there, or print on matt paper"
    assert told == [
        f"5 bases lie in glare at the near left corner: {glare}",
        "s7 and s8 are covered at the near left corner: clear the camera's view of the marker",
        (
            "s6 and s9 are not found: if on the table, lay the markers flat, face up and in view, and check their "
            "numbers in the set-up"
        ),
    ]


def test_bases_that_were_never_found_are_told_by_name_with_what_is_wrong_with_the_picture() -> None:
    markers = build_markers(bases=7)
    (dim,) = tell(see(2), markers, (GOOD * 0.4).astype(np.uint8))
    assert dim.startswith("s3, s4, s5 and 2 more are not found, and the white of tags is at 9")
    (soft,) = tell(see(6), markers, cv2.GaussianBlur(GOOD, (0, 0), 1.6).astype(np.uint8))
    assert soft.startswith("s7 is not found, and edges are blurred by about 1.")


@pytest.mark.parametrize(
    ("picture", "told"),
    [
        (None, "s3 and s4 are not found: if on the table, lay the markers flat, face up and in view"),
        (GOOD, "s3 and s4 are not found: if on the table, lay the markers flat, face up and in view"),
        (draw_table({**PLACES, 40: (700, 400)}), "s3 and s4 are not found, but tag 40 is seen, which the set-up does"),
    ],
)
def test_bases_that_were_never_found_in_a_good_picture_are_told_how_to_lie(picture: Grey | None, told: str) -> None:
    (reason,) = tell(see(2), build_markers(bases=4), picture)
    assert reason.startswith(told)


def leave_unread(
    marker: int | None = None, x_mm: float = 312.0, hindrance: Hindrance = Hindrance.GLARE
) -> UnreadMarker:
    return UnreadMarker(marker=marker, place_mm=(x_mm, 540.0), place_px=(480.0, 300.0), hindrance=hindrance)


def test_markers_that_cannot_be_read_are_told_by_their_places_as_long_as_bases_are_missing() -> None:
    lamp = replace(see(2), unread=(leave_unread(), leave_unread(x_mm=700.0), leave_unread(hindrance=Hindrance.BLURRED)))
    glare, blurred, missing = tell(lamp, build_markers(bases=5))
    place = "31 cm from the left edge and 54 cm from the near one"
    assert glare.startswith(f"2 markers, one of them {place}, cannot be read, since they lie in glare: move or shade")
    assert blurred.startswith(f"a marker {place} cannot be read, since it is blurred: focus the camera")
    assert missing.startswith("s3, s4 and s5 are not found: ")
    assert tell(lamp, build_markers(bases=2)) == []


def test_the_only_marker_that_cannot_be_read_is_that_of_the_only_base_that_is_missing() -> None:
    (reason,) = tell(replace(see(2), unread=(leave_unread(),)), build_markers(bases=3))
    assert reason.startswith("s3 lies in glare at the left edge: move or shade the lamp")


@pytest.mark.parametrize(
    ("mains_hz", "told"),
    [
        (50, "lamps on 50 Hz mains flicker by 5 %, in bright and dark bands across the picture: set the camera's"),
        (None, "lamps flicker by 5 %, in bright"),
    ],
)
def test_lamps_that_flicker_are_told_with_the_exposures_that_cure_it(mains_hz: int | None, told: str) -> None:
    lamps = Flicker(share=0.05, mains_hz=mains_hz, readout=None)
    (reason,) = tell(replace(see(3), flicker=lamps), build_markers(bases=3))
    assert reason.startswith(told)
    assert reason.endswith(
        "to 1/100 or 1/50 s" if mains_hz else "1/100 or 1/50 s, or to 1/120 or 1/60 s where the mains has 60 Hz"
    )
    assert len(tell(replace(see(0), camera=None, flicker=lamps), build_markers(bases=3))) == 2
    assert tell(replace(see(3), flicker=replace(lamps, share=0.006)), build_markers(bases=3)) == []


def test_every_hindrance_has_its_words() -> None:
    assert set(HINDRANCES) == set(Hindrance)


@pytest.mark.parametrize(
    ("places", "told"),
    [
        ([], ""),
        ([(100, 450)], " at the left edge"),
        ([(1500, 850), (1550, 800)], " at the far right corner"),
        ([(800, 20)], " at the near edge"),
        ([(800, 450)], " in the middle of the table"),
        ([(100, 100), (1500, 100)], ""),
    ],
)
def test_places_are_named_where_they_lie_together(places: list[tuple[float, float]], told: str) -> None:
    assert describe_place(places, TABLE_MM) == told


def test_a_good_picture_gives_no_clue_of_anything_wrong() -> None:
    clues = gather_clues(GOOD, build_markers().tags)
    assert (clues.strangers, clues.mirrored, clues.small_px, dict(clues.families), clues.faint) == ((), 0, None, {}, 0)
    assert clues.centres_px.keys() == PLACES.keys()
