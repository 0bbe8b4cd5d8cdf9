"""A long game to look back into: three hours, a hundred models, and five of them moving in every picture of it."""

import json
import random
from pathlib import Path

from assistant.game.events import Accepted, Declared, Event, ModelPlaced, ModelSettled, Stamped, Undone, Withdrawn
from assistant.game.situation import to_json
from assistant.game.state import Declaration, GameState, Model, Pose, Table, Unit
from assistant.geometry.shapes import Round
from assistant.poses import PoseEntry
from assistant.record.journal import Happening, Journal, PosesSeen

MOVES, PICTURES = 600, 540
"""Moves of a unit in the game, and pictures of each: three hours without a rest, save for what people decide."""
UNITS, MODELS, MOVING = 10, 10, 5
"""Units, models in each, and how many of those move at a time."""
FRAME_NS = 33_333_333
THOUGHT_NS = 500_000_000
"""Between the decisions on a move."""
BEGAN_NS = 1_800_000_000_000_000_000
CALIBRATION = "0123456789ab"


def game() -> GameState:
    """Return what it begins with."""
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


def record(path: Path, *, moves: int = MOVES) -> None:
    """Write the game as it would have been recorded, the pictures of each move at once."""
    state, now_ns, draw = game(), BEGAN_NS, random.Random(4)
    places = {model.id: model.pose for _, model in state.models() if model.pose is not None}
    tags = {model: tag for tag, model in enumerate(places)}
    with Journal(path, about={"title": "long", "situation": json.dumps(to_json(state))}) as journal:
        first = tuple(_entry(tags[model], model, pose, moving=False) for model, pose in places.items())
        journal.append(
            (now_ns, PosesSeen(anchors_seen=6, calibration=CALIBRATION, poses=first)),
            *(Stamped(captured_ns=now_ns, event=ModelPlaced(model=m, pose=pose)) for m, pose in places.items()),
        )
        for move in range(moves):
            unit = state.units[move % UNITS]
            own = draw.sample([model.id for model in unit.models], MOVING)
            way = {m: (draw.uniform(-60, 60), draw.uniform(-20, 20)) for m in own}
            rows: list[Happening] = [
                Stamped(captured_ns=now_ns, event=Declared(declaration=Declaration(unit=unit.id, action="normal")))
            ]
            for picture in range(PICTURES):
                now_ns += FRAME_NS
                here = {m: _on(places[m], way[m], (picture + 1) / PICTURES, draw) for m in own}
                poses = tuple(_entry(tags[m], m, here[m], moving=picture < PICTURES - 1) for m in own)
                rows.append((now_ns, PosesSeen(anchors_seen=6, calibration=CALIBRATION, poses=poses)))
            journal.append(*rows)
            accepted = Accepted(models=tuple(own), outcome="legal", unit=unit.id, action="normal")
            settled = [ModelSettled(model=m, path=(places[m], here[m]), observed=True) for m in own]
            back = [ModelPlaced(model=m, pose=places[m]) for m in own]  # so that nobody leaves the table
            happened: tuple[list[Event], ...] = ([*settled], [Withdrawn(), Undone()], [accepted], [*back])
            for events in happened:
                journal.append(*(Stamped(captured_ns=now_ns, event=event) for event in events))
                now_ns += THOUGHT_NS
            poses = tuple(_entry(tags[m], m, places[m], moving=False) for m in own)
            journal.append((now_ns, PosesSeen(anchors_seen=6, calibration=CALIBRATION, poses=poses)))


def _on(start: Pose, way_mm: tuple[float, float], share: float, draw: random.Random) -> Pose:
    return Pose(
        x_mm=round(start.x_mm + share * way_mm[0], 2),
        y_mm=round(start.y_mm + share * way_mm[1], 2),
        sigma_mm=round(draw.uniform(0.03, 0.099), 4),
    )


def _entry(tag: int, model: str, at: Pose, *, moving: bool) -> PoseEntry:
    return PoseEntry(
        tag=tag,
        model=model,
        x_mm=at.x_mm,
        y_mm=at.y_mm,
        facing_deg=0.0,
        z_mm=0.0,
        sigma_mm=(at.sigma_mm, at.sigma_mm),
        sigma_deg=0.2,
        state="seen",
        moving=moving,
        calibration=CALIBRATION,
    )
