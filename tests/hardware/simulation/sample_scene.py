"""A sample scene: a small table with a base of every shape."""

import math

from hardware.simulation.scene import (
    Figure,
    Placement,
    VirtualAnchor,
    VirtualBase,
    VirtualScene,
    VirtualTagInBase,
    VirtualTerrain,
)
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline

ROUND = VirtualBase(marker=0, outline_mm=build_oval_outline(length_mm=40, width_mm=40), size_mm=20, height_mm=4)
OVAL = VirtualBase(
    marker=1,
    outline_mm=build_oval_outline(length_mm=75, width_mm=42),
    size_mm=20,
    height_mm=3,
    tag_in_base=VirtualTagInBase(x_mm=-18, y_mm=2, facing_rad=math.pi / 2),
    figure=Figure(x_mm=20, y_mm=0, radius_mm=12, height_mm=35),
)
RECT = VirtualBase(
    marker=2,
    outline_mm=build_rect_outline(length_mm=60, width_mm=40),
    size_mm=18,
    height_mm=5,
    tag_in_base=VirtualTagInBase(x_mm=12, facing_rad=math.pi),
)
HULL = VirtualBase(
    marker=3, outline_mm=((-40, -25), (50, -15), (50, 15), (-40, 25), (-25, 0)), size_mm=20, height_mm=30
)

SCENE = VirtualScene(
    bases=(ROUND, OVAL, RECT, HULL),
    anchors=(
        VirtualAnchor(tag=580, x_mm=60, y_mm=60, size_mm=40),
        VirtualAnchor(tag=581, x_mm=1464, y_mm=60, size_mm=40, facing_rad=math.pi / 2),
        VirtualAnchor(tag=582, x_mm=1464, y_mm=1058, size_mm=40),
        VirtualAnchor(tag=583, x_mm=60, y_mm=1058, size_mm=40),
    ),
    terrain=(
        VirtualTerrain(outline_mm=((600, 400), (750, 400), (750, 520), (600, 520)), height_mm=120),
        VirtualTerrain(outline_mm=((1000, 700), (1200, 700), (1200, 850), (1000, 850)), height_mm=50, raised=True),
    ),
    placements={
        0: Placement(x_mm=300, y_mm=300, facing_rad=0.3),
        1: Placement(x_mm=500, y_mm=800, facing_rad=-1.0),
        2: Placement(x_mm=1100, y_mm=780, facing_rad=2.0, z_mm=50),
        3: Placement(x_mm=1250, y_mm=250, facing_rad=4.0),
    },
)
