"""The stage timer: how long each stage of the line took."""

import time


class StageTimer:
    """Writes how long each stage took, for people; nothing is decided by it."""

    def __init__(self, stages_ms: dict[str, float]) -> None:
        stages_ms.clear()
        self._stages_ms, self._last = stages_ms, time.perf_counter()

    def lap(self, stage: str) -> None:
        """Count the time since the last stage ended towards this one."""
        now = time.perf_counter()
        self._stages_ms[stage] = self._stages_ms.get(stage, 0.0) + (now - self._last) * 1e3
        self._last = now
