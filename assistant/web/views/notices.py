"""Notices: what a person should know of what the camera sees, such as markers in view twice or wrong anchors."""

from collections.abc import Iterator
from itertools import chain

from assistant.recording.journal.row_types import Called
from assistant.replay.event_descriptions import describe_ruling
from assistant.replay.verdict_diff import describe_changed_call
from assistant.table import observations as calibrated
from assistant.table.session import GameSession
from assistant.table.surface_levels import describe_level_doubt
from assistant.web.messages.table import NoticeView
from vision.marker_numbers import name_marker

TOLD_NS = 10_000_000_000
"""What has changed is said for so long."""
RULED_NS = 60_000_000_000
"""A ruling on the past, and that two models carry each other's markers, is said for so long."""


def list_notices(session: GameSession) -> dict[str, NoticeView]:
    """Return the sentences by what they are about."""
    notices = (
        _note_resumed_game(session),
        _note_ruling(session),
        _note_swapped_markers(session),
        _note_differing_call(session),
        _note_calibration(session),
        _note_duplicate_markers(session),
        _note_wrong_anchors(session),
        _note_doubtful_heights(session),
    )
    return dict(chain.from_iterable(notices))


def _note_resumed_game(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    """Lead people who go on with a game to where everything stood."""
    meanwhile = [model for model, track in session.state.tracks.items() if not track.observed]
    if session.timeline.resumed and meanwhile and session.state.restoring is None:
        count = "one model stands" if len(meanwhile) == 1 else f"{len(meanwhile)} models stand"
        text = (
            f"This game goes on from its recording, and {count} elsewhere than then."
            " Under “Correct”, “Put everything back” shows where each stood; or accept how it is now."
        )
        yield "gone-on", NoticeView(text=text)


def _note_ruling(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    """Tell players at once what a judge decided of something that is past, for the list is on another page."""
    if session.timeline.past_ruling is not None and session.now_ns - session.timeline.past_ruling[0] < RULED_NS:
        yield "ruling", NoticeView(text=describe_ruling(session.state, session.timeline.past_ruling[1]))


def _note_swapped_markers(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    """Say for a while what the set-up file should say instead, unless it does."""
    if session.now_ns - session.timeline.exchanged_ns >= RULED_NS:
        return
    wrong = session.observations.find_misnamed(calibrated.list_carried(session.state))
    if wrong:
        markers = " and ".join(f"{name_marker(marker)} the model {model}" for marker, model in sorted(wrong.items()))
        text = (
            f"The set-up file still names the markers as before: before the next game, give {markers} there."
            " Until then each place may be off by as much as the two lie differently in their bases."
        )
        yield "swapped", NoticeView(text=text)


def _note_differing_call(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    """Say in a replay that a call was another in play."""
    if session.recorded_call is None or session.recorded_call[0] is not session.state:
        return
    verdict = session.consult_referee().verdict
    if text := describe_changed_call(session.recorded_call[1], Called.from_verdict(verdict) if verdict else None):
        yield "otherwise", NoticeView(text=text)


def _note_calibration(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    if session.seen.doubt is not None:
        yield "calibration", NoticeView(text=calibrated.describe_doubt(session.seen.doubt, session.seen.astray))
    for tag, far_mm in session.seen.slipped_mm.items():
        yield f"anchor:{tag}", NoticeView(text=calibrated.describe_slip(tag, far_mm))
    if text := calibrated.describe_sway(session.seen.breath_percent, session.seen.shake_px):
        yield "sway", NoticeView(text=text)
    for about, (at_ns, event) in session.timeline.calibration_changes.items():
        if session.now_ns - at_ns < TOLD_NS and (text := calibrated.describe_change(event)):
            yield f"changed:{'camera' if about is None else about}", NoticeView(text=text)


def _note_duplicate_markers(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    if not session.seen.markers_shown_twice:
        return
    models = {entry.marker: entry.model for entry in session.poses.values()}
    for marker in session.seen.markers_shown_twice:
        text = f"{name_marker(marker).capitalize()} is in view twice: take one print away"
        held = f"; {models[marker]} is held at its last place" if marker in models else ""
        yield f"twice:{name_marker(marker)}", NoticeView(text=f"{text}{held}.")


def _note_wrong_anchors(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    for number, sentence in enumerate(session.seen.wrong_anchors):
        yield f"wrong-anchor:{number}", NoticeView(text=f"{sentence[0].upper()}{sentence[1:]}.")


def _note_doubtful_heights(session: GameSession) -> Iterator[tuple[str, NoticeView]]:
    # While it moves, and once its height is measured well enough, what was said of it is over.
    doubtful = {model for model, entry in session.poses.items() if entry.other_z_mm and not entry.moving}
    for _, model in session.state.iterate_models() if doubtful else ():
        track = session.state.tracks.get(model.id)
        pose = track.poses[-1] if track else model.pose
        if pose is None or model.id not in doubtful:
            continue
        if text := describe_level_doubt(session.state, model.id, pose):
            yield f"height:{model.id}", NoticeView(text=text)
