"""The night's resources: memory, threads, open files and the line's time a picture, sampled as the night goes on."""

import gc
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assistant.runtime.heap import trim_heap
from assistant.runtime.live_loop import LatestFrame
from assistant.web.hub import Hub
from assistant.web.messages import View
from hardware.frame import Frame

PER_HOUR_MB = 10.0
WARM_SHARE = 1 / 4
"""What has gone by when a table is warm: caches are full, and every page has been fetched once."""
LEAST_WARM_S = 600.0
SLOWER = 1.5
"""The line's 99 % at the end, as a share of what it was once warm: more is a breach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What the program holds at a moment of the night."""

    passed_s: float
    memory_mb: float
    """Resident."""
    threads: tuple[str, ...]
    files: int
    line_ms: tuple[float, float]
    """Median and 99 % of the time from a picture to the pages' message, since the sample before."""


class TimedHub(Hub):
    """Notes how long the line took from a picture to the message about it, and tells who waits for that."""

    def __init__(self, latest: LatestFrame) -> None:
        super().__init__()
        self.took_ms: list[float] = []
        self._latest = latest
        self._given: tuple[Frame, float] | None = None
        self._shown = threading.Event()

    def expect(self, frame: Frame) -> None:
        """Take note that the line is given a picture now."""
        self._shown.clear()
        self._given = frame, time.perf_counter()

    def wait_until_shown(self, most_s: float) -> None:
        """Wait until the pages were told of that picture."""
        self._shown.wait(most_s)

    def end_waiting(self) -> None:
        """Let nobody wait any more: the line has ended."""
        self._shown.set()

    def publish(self, view: View, own: Mapping[str, View] | None = None) -> int:
        """Publish, and take note."""
        number = super().publish(view, own)
        given, seen = self._given, self._latest.frame
        if given is not None and seen is not None and seen.image is given[0].image:
            self._given = None
            self.took_ms.append((time.perf_counter() - given[1]) * 1e3)
            self._shown.set()
        return number


@dataclass(kw_only=True)
class Sampler:
    """Samples every so often of the night's time."""

    hub: TimedHub
    every_s: float
    tell: Callable[[str], None]
    """Told of each as a line of text."""
    samples: list[Sample] = field(default_factory=list)

    def sample(self, passed_s: float) -> None:
        """Take a sample, if one is due."""
        if self.samples and passed_s < self.samples[-1].passed_s + self.every_s:
            return
        took_ms, self.hub.took_ms = self.hub.took_ms, []
        gc.collect()  # what is only waiting to be collected is not held, nor what is only free
        trim_heap()
        line = tuple(float(each) for each in np.percentile(took_ms, (50, 99))) if took_ms else (np.nan, np.nan)
        self.samples.append(
            Sample(
                passed_s=passed_s,
                memory_mb=read_memory_mb(),
                threads=tuple(sorted(thread.name for thread in threading.enumerate())),
                files=sum(1 for _ in Path("/proc/self/fd").iterdir()),
                line_ms=(line[0], line[1]),
            )
        )
        self.tell(describe_sample(self.samples[-1]))


def describe_sample(sample: Sample) -> str:
    """Return a sample as a line of text."""
    middle_ms, late_ms = sample.line_ms
    return (
        f"{sample.passed_s / 3600:6.3f} h: {sample.memory_mb:6.1f} MB, {len(sample.threads)} threads, "
        f"{sample.files} files, a picture {middle_ms:.1f} ms, 99 % {late_ms:.1f}"
    )


def read_memory_mb() -> float:
    """Return how much memory of this process is resident."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def find_growth(samples: Sequence[Sample]) -> float:
    """Return by how much memory grows, MB an hour, as a line through all samples has it."""
    hours = np.array([sample.passed_s for sample in samples]) / 3600
    slope, _ = np.polyfit(hours, [sample.memory_mb for sample in samples], 1)
    return float(slope)


def list_warm(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples of a warm table."""
    if not samples:
        return []
    from_s = min(max(samples[-1].passed_s * WARM_SHARE, LEAST_WARM_S), samples[-1].passed_s)
    return [sample for sample in samples if sample.passed_s >= from_s]


def list_breaches(samples: Sequence[Sample]) -> list[str]:
    """Return in sentences what a warm table took more of than it may."""
    warm = list_warm(samples)
    if len(warm) < 3:
        return []
    breaches = []
    if (growth := find_growth(warm)) > PER_HOUR_MB:
        breaches.append(f"memory grows by {growth:.1f} MB an hour, and may by {PER_HOUR_MB:g}")
    third = len(warm) // 3
    early, late = warm[:third], warm[-third:]
    for what, count in (("threads", lambda each: len(each.threads)), ("open files", lambda each: each.files)):
        before, after = max(map(count, early)), min(map(count, late))
        if after > before:
            breaches.append(f"there are {after} {what} at least at the end, and were {before} at most once warm")
    before_ms, after_ms = (float(np.nanmedian([each.line_ms[1] for each in part])) for part in (early, late))
    if after_ms > SLOWER * before_ms:
        breaches.append(f"99 % of the pictures take {after_ms:.0f} ms at the end, and took {before_ms:.0f} once warm")
    return breaches
