"""What a person should know of what the camera sees: tags in view twice, wrong anchors, heights it cannot tell."""

from collections.abc import Iterator

from assistant.levels import doubt_said
from assistant.session import Session
from assistant.web.messages import NoticeView


def notices(session: Session) -> dict[str, NoticeView]:
    """Return the sentences by what they are about."""
    return dict(_twice(session)) | dict(_wrong(session)) | dict(_doubtful(session))


def _twice(session: Session) -> Iterator[tuple[str, NoticeView]]:
    models = {entry.tag: entry.model for entry in session.poses.values()}
    for tag in session.shown_twice:
        text = f"Tag {tag} is in view twice: take one print away"
        held = f"; {models[tag]} is held at its last place" if tag in models else ""
        yield f"tag:{tag}", NoticeView(text=f"{text}{held}.")


def _wrong(session: Session) -> Iterator[tuple[str, NoticeView]]:
    for number, sentence in enumerate(session.wrong_anchors):
        yield f"anchor:{number}", NoticeView(text=f"{sentence[0].upper()}{sentence[1:]}.")


def _doubtful(session: Session) -> Iterator[tuple[str, NoticeView]]:
    for _, model in session.state.models():
        entry, track = session.poses.get(model.id), session.state.tracks.get(model.id)
        pose = track.poses[-1] if track else model.pose
        # While it moves, and once its height is measured well enough, what was said of it is over.
        if pose is None or entry is None or entry.moving or not entry.other_z_mm:
            continue
        if text := doubt_said(session.state, model.id, pose):
            yield f"height:{model.id}", NoticeView(text=text)
