"""The thread stack: where a thread is that does not go on, for the log."""

import sys
import threading
import traceback


def describe_stack(thread: threading.Thread) -> str:
    """Return where a thread is, as in a traceback."""
    frame = sys._current_frames().get(thread.ident or 0)
    return "".join(traceback.format_stack(frame)) if frame else "the thread has ended"
