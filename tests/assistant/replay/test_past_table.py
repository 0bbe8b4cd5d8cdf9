"""The table as its camera saw it, at a moment of a recorded game."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.replay.past_table import NEAR_NS, TablePhotographer, draw_past_table
from assistant.replay.recorded_game import RecordedGame
from tests.assistant.recording.video.crash_simulation import FRAME_NS
from tests.assistant.recording.video.test_recorder import build_frame, film_run
from tests.assistant.replay.sample_recording import RecordedTable
from tests.vision.synthetic_camera import CAMERA
from vision.table_map import TableArea

PLACE_MM = (700.0, 500.0)
PART = TableArea(left_mm=650, low_mm=470, width_mm=100, depth_mm=60)


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> RecordedGame:
    """A game of which one picture was kept, smaller than the camera's own: of a red dot on the table."""
    table = RecordedTable(tmp_path_factory.mktemp("past") / "game.overtable")
    picture = np.full((1080, 1920, 3), 235, dtype=np.uint8)
    x, y = CAMERA.image_from_table(np.array([[*PLACE_MM, 0.0]]))[0]
    cv2.circle(picture, (round(x), round(y)), 8, (0, 0, 235), -1)
    jpeg = cv2.imencode(".jpg", cv2.resize(picture, (1280, 720), interpolation=cv2.INTER_AREA))[1]
    for _ in range(6):
        table.wait()
    table.session.record_picture(bytes(jpeg))
    for _ in range(6):
        table.wait()
    table.session.declare(unit="scouts", action="normal")
    table.show(*table.script.slide("s2", 300, 360))
    return RecordedGame(table.path)


def find_kept_ns(past: RecordedGame) -> int:
    kept = past.find_picture(10**12)
    assert kept is not None
    return kept.captured_ns


def test_a_base_that_has_not_moved_since_is_shown_by_a_picture_from_longer_ago(past: RecordedGame) -> None:
    end_ns = past.find_end_ns()
    assert end_ns > find_kept_ns(past) + 5 * 10**9
    assert draw_past_table(past, end_ns, PART, 64, "s1") is not None
    assert draw_past_table(past, end_ns, PART, 64, "s2") is None
    assert draw_past_table(past, end_ns, PART, 64) is None


def test_it_is_drawn_by_the_calibration_of_then(past: RecordedGame) -> None:
    kept_ns = find_kept_ns(past)
    kept = draw_past_table(past, kept_ns, PART, 1000)
    assert kept is not None
    assert kept.captured_ns == kept_ns
    drawn = cv2.imdecode(np.frombuffer(kept.jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
    assert drawn is not None
    assert drawn.shape == (600, 1000, 3)
    rows, columns = np.nonzero((drawn[..., 2] > 180) & (drawn[..., 0] < 120))
    assert (650 + columns.mean() / 10, 530 - rows.mean() / 10) == pytest.approx(PLACE_MM, abs=0.7)


def test_the_rim_of_a_base_is_drawn_where_it_is(past: RecordedGame) -> None:
    at_ns = find_kept_ns(past)
    assert draw_past_table(past, at_ns, PART, 1000, "s1") != draw_past_table(past, at_ns, PART, 1000)
    assert draw_past_table(past, at_ns, PART, 1000, "nobody") == draw_past_table(past, at_ns, PART, 1000)


def test_no_picture_of_another_moment_is_shown_for_it(past: RecordedGame) -> None:
    at_ns = find_kept_ns(past)
    assert draw_past_table(past, at_ns + 2 * 10**9, None, 64) is not None
    assert draw_past_table(past, at_ns + 4 * 10**9, None, 64) is None
    assert draw_past_table(past, at_ns - 4 * 10**9, None, 64) is None


def test_a_game_without_pictures_has_none(tmp_path: Path) -> None:
    assert draw_past_table(RecordedGame(RecordedTable(tmp_path / "game.overtable").path), 0, None, 64) is None


def test_what_was_filmed_at_a_moment_is_shown_where_no_picture_was_kept_of_it(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    for _ in range(6):
        table.wait()
    began_ns = RecordedGame(table.path).began_ns
    film = [build_frame(20 * number, began_ns + FRAME_NS * number, (960, 540)) for number in range(10)]
    film_run(table.journal, film)
    past = RecordedGame(table.path)
    photographer = TablePhotographer.open(past)
    for number in (2, 7):
        found = photographer.find_image(FRAME_NS * number + 1)
        assert found is not None
        assert found[0] == FRAME_NS * number
        assert abs(float(found[1].mean()) - float(film[number].image.mean())) < 6
        shown = draw_past_table(past, FRAME_NS * number + 1, PART, 64)
        assert shown is not None
        assert shown.captured_ns == found[0]
    last_ns = FRAME_NS * 9  # a report asks for the end of a turn, which may be a little after what was filmed last
    after = photographer.find_image(last_ns + NEAR_NS)
    assert after is not None
    assert after[0] == last_ns
    assert photographer.draw(last_ns + NEAR_NS, 64) is not None
    assert photographer.find_image(last_ns + NEAR_NS + 1) is None
    assert photographer.draw(last_ns + NEAR_NS + 1, 64) is None


def test_the_nearer_of_a_kept_picture_and_a_filmed_one_is_shown(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    began_ns = RecordedGame(table.path).began_ns
    film_run(table.journal, [build_frame(20, began_ns + FRAME_NS * number, (96, 64)) for number in range(3)])
    for _ in range(3):
        table.wait()
    jpeg = cv2.imencode(".jpg", np.full((64, 96, 3), 235, dtype=np.uint8))[1]
    table.session.record_picture(bytes(jpeg))
    past = RecordedGame(table.path)
    photographer, kept_ns = TablePhotographer.open(past), find_kept_ns(past)
    assert kept_ns > FRAME_NS * 10
    for at_ns, captured_ns in ((kept_ns, kept_ns), (kept_ns - FRAME_NS, kept_ns), (FRAME_NS * 3, FRAME_NS * 2)):
        found = photographer.find_image(at_ns)
        assert found is not None
        assert found[0] == captured_ns
