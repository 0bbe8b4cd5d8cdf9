"""Running trials by seed, in several processes, and telling what they came to."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.pool import Pool
from pathlib import Path

from tests.trials.bounds import OutOfTime, limit_seconds
from tests.trials.minimising import minimise
from tests.trials.trial import TRIALS, Contradiction, load_trials

load_trials()

_CHUNK = 25
"""So many seeds a process takes at a time."""


_MOST_SECONDS = 60.0
"""Of the processor: a seed that takes longer is given up."""


@dataclass(slots=True)
class Tally:
    """What some seeds of one trial came to."""

    asked: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    """Of the processor."""
    slowest: tuple[float, int] = (0.0, 0)
    """Seconds, and the seed."""
    found: dict[str, list[tuple[int, str, object]]] = field(default_factory=dict)
    """By kind: seed, sentence and situation of the contradictions that are shown."""

    def add(self, other: "Tally", most: int) -> None:
        """Add what other seeds came to; ``most`` is how many contradictions of a kind are shown."""
        self.asked += other.asked
        self.kinds += other.kinds
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        for kind, found in other.found.items():
            kept = self.found.setdefault(kind, [])
            kept += found[: most - len(kept)]


def run_seeds(name: str, seeds: Sequence[int], most: int) -> Tally:
    """Run some seeds of one trial."""
    tally = Tally()
    for seed in seeds:
        begun = time.process_time()
        said = _run_seed(name, seed)
        took = time.process_time() - begun
        tally.seconds += took
        tally.slowest = max(tally.slowest, (took, seed))
        for each in said:
            if not isinstance(each, Contradiction):
                tally.asked[each] += 1
                continue
            tally.kinds[each.kind] += 1
            kept = tally.found.setdefault(each.kind, [])
            if len(kept) < most:
                small = minimise(each)
                kept.append((seed, small.what, small.document))
    return tally


def _run_seed(name: str, seed: int) -> list[str | Contradiction]:
    """Return all that a trial says by a seed; that it has said nothing for so long is a contradiction, too."""
    said = list[str | Contradiction]()
    try:
        with limit_seconds(_MOST_SECONDS):
            said.extend(TRIALS[name](seed))
    except OutOfTime as error:
        nowhere = Contradiction(kind="no answer", what=f"no answer: {error}", document={}, look=lambda _: None)
        said.append(nowhere)
    return said


def run_trial(name: str, seeds: Sequence[int], most: int, pool: Pool | None) -> Tally:
    """Run all seeds of one trial, in several processes if there is a pool."""
    chunks = [(name, seeds[at : at + _CHUNK], most) for at in range(0, len(seeds), _CHUNK)]
    tally = Tally()
    for each in pool.starmap(run_seeds, chunks, chunksize=1) if pool else (run_seeds(*chunk) for chunk in chunks):
        tally.add(each, most)
    return tally


def describe(name: str, tally: Tally, count: int) -> Iterator[str]:
    """Yield what one trial came to: a line, and one for each kind of contradiction."""
    asked = ", ".join(f"{number} {word}" for word, number in sorted(tally.asked.items()))
    total = sum(tally.kinds.values())
    worst, by = tally.slowest
    took = f"{tally.seconds:.1f} s, seed {by} took {worst:.1f} s"
    yield f"{name}: {total} contradictions in {count} seeds, {took} ({asked})"
    for kind, number in tally.kinds.most_common():
        shown = (f"seed {seed}: {what}" for seed, what, _ in tally.found[kind][:1])
        yield f"  {number} x {kind}: {' '.join(shown)}".encode(errors="backslashreplace").decode()


def write_found(name: str, tally: Tally, folder: Path) -> None:
    """Write the contradictions that are shown, each a situation that says what is wrong with it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (kind, found) in enumerate(sorted(tally.found.items())):
        for index, (seed, what, document) in enumerate(found):
            said = {"what": what, "trial": name, "kind": kind, "seed": seed, "situation": document}
            path = folder / f"{name}-{number}-{index}.json"
            path.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
