"""A call as it was made in play beside what is said of the same state now."""

from assistant.past.said import OUTCOMES
from assistant.record.called import Called


def otherwise_said(before: Called, now: Called | None) -> str:
    """Return how a call differs from what was said in play, as a sentence.

    Empty where the same was found, however much: `differences` looks at every digit.
    """
    if now is not None and before.alike(now):
        return ""
    was = OUTCOMES[before.outcome]
    if now is None:
        return f"This was called {was} in play and cannot be judged now."
    changed = [f.text for f in now.findings if f not in before.findings]
    gone = [f.text for f in before.findings if f not in now.findings]
    why = f" Now: {'; '.join(changed)}." if changed else f" In play: {'; '.join(gone)}." if gone else ""
    if before.outcome == now.outcome:
        return f"This was called {was} in play as well, but for other reasons.{why}"
    return f"This was called {was} in play and is called {OUTCOMES[now.outcome]} now.{why}"
