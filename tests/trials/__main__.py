"""`make trial-rules`: every trial by seed, what it came to, and each contradiction as small as it could be made."""

import argparse
import multiprocessing
import os
from pathlib import Path

from tests.trials.runner import describe, run_trial, write_found
from tests.trials.trial import TRIALS


def main() -> int:
    """Run the trials that are asked for; 1 if there is any contradiction."""
    parser = argparse.ArgumentParser(prog="make trial-rules", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many seeds of each")
    parser.add_argument("--seed", type=int, default=0, help="the first")
    parser.add_argument("--only", default="", help=f"some of {', '.join(TRIALS)}, by commas")
    parser.add_argument("--out", type=Path, help="a folder that contradictions are written into")
    parser.add_argument("--most", type=int, default=2, help="so many of a kind are minimised and written")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes")
    given = parser.parse_args()
    wanted = [name for name in given.only.split(",") if name] or list(TRIALS)
    unknown = [name for name in wanted if name not in TRIALS]
    if unknown:
        parser.error(f"there is no trial {unknown[0]!r}; expected some of {', '.join(TRIALS)}")
    seeds = range(given.seed, given.seed + given.count)
    total = 0
    pool = multiprocessing.get_context("forkserver").Pool(given.jobs) if given.jobs > 1 else None
    for name in wanted:
        tally = run_trial(name, seeds, given.most, pool)
        print("\n".join(describe(name, tally, given.count)), flush=True)
        if given.out is not None:
            write_found(name, tally, given.out)
        total += sum(tally.kinds.values())
    return int(total > 0)


if __name__ == "__main__":
    raise SystemExit(main())
