"""Scripted snapshots: a table's snapshots as vision would hand them on, from a script of where models stand."""

import json
from dataclasses import dataclass, field

import numpy as np

from assistant.game.situation_file import parse_situation
from assistant.game.state import GameState
from vision.marker_numbers import number_ring
from vision.types import BasePose, PoseState, TableSnapshot

FRAME_NS = 66_666_667

SITUATION = {
    "format": "overtable.situation/1",
    "rulebook": "warhammer-40k-10e",
    "table": {"width_mm": 1524, "depth_mm": 1118},
    "units": [
        {
            "id": "scouts",
            "player": "red",
            "keywords": ["infantry"],
            "profile": {"move_in": 6},
            "models": [
                {"id": "s1", "base": {"round_mm": 32}, "pose": {"x_mm": 300, "y_mm": 300}},
                {"id": "s2", "base": {"round_mm": 32}, "pose": {"x_mm": 300, "y_mm": 350}},
            ],
        },
        {
            "id": "walker",
            "player": "blue",
            "keywords": ["vehicle"],
            "profile": {"move_in": 10},
            "models": [{"id": "w1", "base": {"rect_mm": [100, 60]}, "pose": {"x_mm": 600, "y_mm": 320}}],
        },
    ],
}


MORE_UNITS = [
    {
        "id": "boat",
        "player": "red",
        "keywords": ["vehicle", "transport"],
        "profile": {"move_in": 10, "capacity": 6},
        "models": [{"id": "b1", "base": {"round_mm": 60}, "pose": {"x_mm": 300, "y_mm": 420}}],
    },
    {
        "id": "riders",
        "player": "red",
        "keywords": ["infantry"],
        "profile": {"move_in": 6},
        "status": ["embarked:b1"],
        "models": [
            {"id": "r1", "base": {"round_mm": 32}, "pose": None},
            {"id": "r2", "base": {"round_mm": 32}, "pose": {"x_mm": 1400, "y_mm": 60}},
        ],
    },
    {
        "id": "late",
        "player": "red",
        "keywords": ["infantry"],
        "profile": {"move_in": 6},
        "status": ["reserves"],
        "models": [{"id": "l1", "base": {"round_mm": 32}, "pose": None}],
    },
]
"""A transport with a unit aboard, one model of which lies beside the table's middle, and a unit in reserve."""


def build_crossing_game() -> GameState:
    """The same two units, and a boat with riders, and a unit that comes late."""
    return parse_situation(
        json.loads(json.dumps({**SITUATION, "units": [*SITUATION["units"], *MORE_UNITS]})), "script"
    ).state


def build_game(scouts: str = "scouts") -> GameState:
    """Two scouts, by this name, against a walker."""
    written = json.dumps(SITUATION).replace('"scouts"', json.dumps(scouts))
    return parse_situation(json.loads(written), "script").state


@dataclass
class SnapshotScript:
    """Moves models about, and shows each frame to ``see``."""

    places: dict[str, tuple[float, float]] = field(
        default_factory=lambda: {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}
    )
    now_ns: int = 0
    ringed: frozenset[str] = frozenset()
    """Models that have a ring in place of a tag."""

    def take_snapshot(
        self, moving: frozenset[str] = frozenset(), lifted: frozenset[str] = frozenset()
    ) -> TableSnapshot:
        """Return the next snapshot."""
        self.now_ns += FRAME_NS
        return TableSnapshot(
            captured_ns=self.now_ns,
            sequence=self.now_ns // FRAME_NS,
            calibration="script",
            anchors_seen=6,
            poses=tuple(
                BasePose(
                    marker=number_ring(at) if model in self.ringed else at,
                    model=model,
                    x_mm=x_mm,
                    y_mm=y_mm,
                    facing_rad=0.0,
                    z_mm=60.0 if model in lifted else 0.0,
                    covariance=np.diag([0.01, 0.01, 1e-4]),
                    state=PoseState.LIFTED if model in lifted else PoseState.SEEN,
                    seen_ns=self.now_ns,
                    moving=model in moving | lifted,
                )
                for at, (model, (x_mm, y_mm)) in enumerate(self.places.items())
            ),
        )

    def slide(self, model: str, x_mm: float, y_mm: float, steps: int = 20) -> list[TableSnapshot]:
        """Return the snapshots of a model that is pushed along a straight line and let go."""
        from_x, from_y = self.places[model]
        frames = []
        for step in range(1, steps + 1):
            share = step / steps
            self.places[model] = (from_x + share * (x_mm - from_x), from_y + share * (y_mm - from_y))
            frames.append(self.take_snapshot(moving=frozenset({model})))
        return [*frames, self.take_snapshot()]

    def carry(self, model: str, x_mm: float, y_mm: float) -> list[TableSnapshot]:
        """Return the snapshots of a model that is lifted and set down elsewhere."""
        up = [self.take_snapshot(lifted=frozenset({model})) for _ in range(5)]
        self.places[model] = (x_mm, y_mm)
        return [*up, self.take_snapshot(moving=frozenset({model})), self.take_snapshot()]
