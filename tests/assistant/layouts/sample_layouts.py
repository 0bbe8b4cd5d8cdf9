"""Layouts to test with."""

from typing import Any


def build_document(**changes: Any) -> dict[str, Any]:
    """Return a small layout of ours, symmetric by a half turn, as a file has it."""
    return {
        "format": "overtable.layout/1",
        "title": "A small one",
        "rulebook": "warhammer-40k-10e",
        "table": {"width_mm": 1000.0, "depth_mm": 800.0},
        "symmetry": "half-turn",
        "features": [
            {"id": "crater", "template": "crater", "x_mm": 500.0, "y_mm": 400.0},
            {"id": "ruin", "template": "ruin", "x_mm": 200.0, "y_mm": 300.0, "facing_deg": 90.0},
        ],
        "objectives": [
            {"id": "middle", "x_mm": 500.0, "y_mm": 400.0},
            {"id": "home", "x_mm": 700.0, "y_mm": 100.0, "range_mm": 76.2},
        ],
        "deployment": [
            {"id": "near", "side": 1, "outline_mm": [[0.0, 0.0], [1000.0, 0.0], [1000.0, 150.0], [0.0, 150.0]]}
        ],
        **changes,
    }
