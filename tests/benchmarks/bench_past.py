"""Looking back into a long game: three hours, a hundred models, something moving in every third second of them."""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from assistant.game.events import Accepted, Declared, ModelPlaced, ModelSettled, Stamped, Undone, Withdrawn
from assistant.game.situation import to_json
from assistant.game.state import Declaration, GameState, Model, Pose, Table, Unit
from assistant.geometry.shapes import Round
from assistant.past.replayed import Past
from assistant.poses import PoseEntry
from assistant.record.journal import Journal, PosesSeen, Seen
from assistant.web.past import past_view

MOVES, FRAMES, UNITS, MODELS = 1200, 90, 10, 10
"""Moves in the game, pictures of each, units and models in each."""
FRAME_NS = 33_333_333
REST_NS = 6_000_000_000
SEEKS = 40


def run() -> Iterator[str]:
    """Record the game, then open it and look into it here and there."""
    draw = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.overtable"
        hours = _record(path, draw)
        yield f"{hours:.1f} hours, {MOVES} moves, {MOVES * FRAMES} poses: {path.stat().st_size / 1e6:.0f} MB"
        past, began_s = Past(path), time.perf_counter()
        end_ns = past.ended_ns()
        yield f"opened and followed to its end in {time.perf_counter() - began_s:.2f} s"
        seeks, views = [], []
        for _ in range(SEEKS):
            began_s = time.perf_counter()
            moment = past.at(draw.randrange(end_ns))
            seeks.append(1e3 * (time.perf_counter() - began_s))
            past_view(past, moment).model_dump_json()
            views.append(1e3 * (time.perf_counter() - began_s))
        yield f"any moment {statistics.median(seeks):.1f} ms, at worst {max(seeks):.1f} ms"
        yield f"with its verdict and as JSON {statistics.median(views):.1f} ms, at worst {max(views):.1f} ms"
        began_s = time.perf_counter()
        log = past.judged()
        took_s = time.perf_counter() - began_s
        yield f"{len(log.happenings)} events judged, {len(log.found)} findings, in {took_s:.1f} s"


def _game() -> GameState:
    units = tuple(
        Unit(
            id=f"unit {at}",
            player="red" if at % 2 else "blue",
            keywords=frozenset({"infantry"}),
            profile={"move_in": 6},
            models=tuple(
                Model(
                    id=f"{at}-{m}",
                    base=Round(radius_mm=16),
                    pose=Pose(x_mm=100 + 130 * at, y_mm=100 + 40 * m, sigma_mm=0.1),
                )
                for m in range(MODELS)
            ),
        )
        for at in range(UNITS)
    )
    return GameState(rulebook="warhammer-40k-10e", table=Table(width_mm=1524, depth_mm=1118), units=units)


def _record(path: Path, draw: random.Random) -> float:
    """Write the game as it would have been recorded; return its hours."""
    state, now_ns = _game(), 1_800_000_000_000_000_000
    places = {model.id: model.pose for _, model in state.models()}
    with Journal(path, about={"title": "long", "situation": json.dumps(to_json(state))}) as journal:
        rows: list[Stamped | tuple[int, Seen]] = [
            Stamped(captured_ns=now_ns, event=ModelPlaced(model=model, pose=pose))
            for model, pose in places.items()
            if pose is not None
        ]
        for move in range(MOVES):
            unit = state.units[move % UNITS]
            model = draw.choice(unit.models).id
            start = places[model]
            assert start is not None
            # Every other move goes back, so that nobody leaves the table.
            far = draw.uniform(-60, 60)
            rows.append(
                Stamped(captured_ns=now_ns, event=Declared(declaration=Declaration(unit=unit.id, action="normal")))
            )
            for frame in range(FRAMES):
                now_ns += FRAME_NS
                rows.append((now_ns, _seen(model, start.x_mm + far * frame / FRAMES, start.y_mm)))
            end = Pose(x_mm=start.x_mm + far, y_mm=start.y_mm, sigma_mm=0.1)
            rows.append(Stamped(captured_ns=now_ns, event=ModelSettled(model=model, path=(start, end), observed=True)))
            now_ns += REST_NS
            rows += [Stamped(captured_ns=now_ns, event=event) for event in (Withdrawn(), Undone())]
            rows.append(
                Stamped(
                    captured_ns=now_ns,
                    event=Accepted(models=(model,), outcome="legal", unit=unit.id, action="normal"),
                )
            )
            back = Pose(x_mm=start.x_mm, y_mm=start.y_mm, sigma_mm=0.1)
            rows.append(Stamped(captured_ns=now_ns, event=ModelPlaced(model=model, pose=back)))
            journal.append(*rows)
            rows = []
    return (now_ns - 1_800_000_000_000_000_000) / 3.6e12


def _seen(model: str, x_mm: float, y_mm: float) -> PosesSeen:
    entry = PoseEntry(
        tag=1,
        model=model,
        x_mm=round(x_mm, 3),
        y_mm=y_mm,
        facing_deg=0.0,
        z_mm=0.0,
        sigma_mm=(0.1, 0.1),
        sigma_deg=0.2,
        state="seen",
        moving=True,
    )
    return PosesSeen(anchors_seen=6, calibration="", poses=(entry,))
