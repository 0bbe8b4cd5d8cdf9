"""Foxglove: the table in the 3-D view of Foxglove, live, in its own well-known schema (``foxglove.SceneUpdate``).

Lengths are metres there; the table's frame is ours, with its origin at the near left corner.  The package foxglove-sdk
comes with the extra `overtable[foxglove]`.
"""

import logging
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from assistant.bridges.bridge import Bridge, BridgeSettings, Link, repeat_views
from assistant.web.messages import View
from assistant.web.messages.message import Message
from assistant.web.messages.table import ModelView, TableView, TerrainView

if TYPE_CHECKING:
    from foxglove.messages import Color, LinePrimitive, Pose, SceneEntity

FRAME = "table"
TOPIC = "/table"
SAID_AGAIN_S = 1.0
"""All that is there is said so often: whoever begins to listen is told of nothing that was said before."""
BASE_MM, TABLE_MM = 4.0, 10.0
"""How thick bases and the table are drawn."""
SIDES = ((0.25, 0.55, 1.0), (1.0, 0.45, 0.2), (0.4, 0.8, 0.35), (0.8, 0.45, 0.9))
GREY, GROUND = (0.6, 0.6, 0.6), (0.2, 0.23, 0.2)


class FoxgloveSettings(BridgeSettings):
    """What the bridge takes."""

    port: Annotated[int, Field(ge=1, le=65535)] = 8768
    """At which programs on this machine listen."""


Shown = tuple[Message, int | None]
"""Something with a place on the table, and of a model which side it is of."""


class Scene:
    """What is drawn, by names, and what of it has changed since it was told last."""

    def __init__(self) -> None:
        self.shown: dict[str, Shown] = {}

    def update(self, view: View, *, everything: bool) -> tuple[list[str], list[str]]:
        """Take a view; return what is new or other than it was, or all there is, and what is there no longer."""
        now, before = dict(_list_shown(view)), self.shown
        self.shown = now
        changed = [
            name
            for name, (what, side) in now.items()
            if everything or name not in before or before[name][0] is not what or before[name][1] != side
        ]
        return changed, [name for name in before if name not in now]


def _list_shown(view: View) -> Iterator[tuple[str, Shown]]:
    """Yield what a view shows that has a place on the table, by a name, and of a model which side it is of."""
    if (table := view.table.get("table")) is not None:
        yield "table", (table, None)
    for name, terrain in view.terrain.items():
        yield f"terrain {name}", (terrain, None)
    for name, model in view.models.items():
        if model.state in {"seen", "held", "lifted"}:
            unit = view.units.get(model.unit)
            yield name, (model, unit.side if unit else None)


def draw(name: str, shown: Message, side: int | None) -> "SceneEntity":
    """Return what Foxglove draws."""
    from foxglove.messages import CubePrimitive, SceneEntity, Vector3  # noqa: PLC0415 - an extra

    if isinstance(shown, TableView):
        size = Vector3(x=shown.width_mm / 1000, y=shown.depth_mm / 1000, z=TABLE_MM / 1000)
        pose = _place(shown.width_mm / 2, shown.depth_mm / 2, -TABLE_MM / 2, 0.0)
        return SceneEntity(id=name, frame_id=FRAME, cubes=[CubePrimitive(pose=pose, size=size, color=_paint(GROUND))])
    if isinstance(shown, TerrainView):
        lines = [_draw_outline(shown.outline_mm, z_mm, GREY) for z_mm in {0.0, shown.height_mm}]
        return SceneEntity(id=name, frame_id=FRAME, lines=lines)
    assert isinstance(shown, ModelView)
    return _draw_model(name, shown, GREY if side is None else SIDES[side % len(SIDES)])


def _draw_model(name: str, model: ModelView, colour: tuple[float, float, float]) -> "SceneEntity":
    """Return a base as a disc, a block or an outline, with the model's name over it."""
    from foxglove.messages import CubePrimitive, CylinderPrimitive, SceneEntity, TextPrimitive, Vector3  # noqa: PLC0415

    base = model.base
    pose = _place(model.x_mm, model.y_mm, model.z_mm + BASE_MM / 2, math.radians(model.facing_deg))
    above = _place(model.x_mm, model.y_mm, model.z_mm + 4 * BASE_MM, 0.0)
    text = TextPrimitive(
        pose=above, billboard=True, scale_invariant=True, font_size=12, text=name, color=_paint((1.0, 1.0, 1.0))
    )
    length_mm, width_mm = (
        (base.round_mm, base.round_mm) if base.round_mm else base.oval_mm or base.rect_mm or (0.0, 0.0)
    )
    size = Vector3(x=length_mm / 1000, y=width_mm / 1000, z=BASE_MM / 1000)
    paint = _paint(colour)
    if base.outline_mm:
        cos, sin = math.cos(math.radians(model.facing_deg)), math.sin(math.radians(model.facing_deg))
        corners = [(model.x_mm + x * cos - y * sin, model.y_mm + x * sin + y * cos) for x, y in base.outline_mm]
        line = _draw_outline(corners, model.z_mm, colour)
        return SceneEntity(id=name, frame_id=FRAME, lines=[line], texts=[text])
    if base.rect_mm:
        block = CubePrimitive(pose=pose, size=size, color=paint)
        return SceneEntity(id=name, frame_id=FRAME, cubes=[block], texts=[text])
    disc = CylinderPrimitive(pose=pose, size=size, bottom_scale=1.0, top_scale=1.0, color=paint)
    return SceneEntity(id=name, frame_id=FRAME, cylinders=[disc], texts=[text])


def _place(x_mm: float, y_mm: float, z_mm: float, turn_rad: float) -> "Pose":
    from foxglove.messages import Pose, Quaternion, Vector3  # noqa: PLC0415

    return Pose(
        position=Vector3(x=x_mm / 1000, y=y_mm / 1000, z=z_mm / 1000),
        orientation=Quaternion(x=0.0, y=0.0, z=math.sin(turn_rad / 2), w=math.cos(turn_rad / 2)),
    )


def _paint(colour: tuple[float, float, float]) -> "Color":
    from foxglove.messages import Color  # noqa: PLC0415

    red, green, blue = colour
    return Color(r=red, g=green, b=blue, a=1.0)


def _draw_outline(
    corners: list[tuple[float, float]], z_mm: float, colour: tuple[float, float, float]
) -> "LinePrimitive":
    from foxglove.messages import LinePrimitive, LinePrimitiveLineType, Point3  # noqa: PLC0415

    points = [Point3(x=x_mm / 1000, y=y_mm / 1000, z=z_mm / 1000) for x_mm, y_mm in corners]
    return LinePrimitive(
        type=LinePrimitiveLineType.LineLoop,
        pose=_place(0, 0, 0, 0),
        thickness=0.003,
        points=points,
        color=_paint(colour),
    )


async def run_foxglove(link: Link, settings: FoxgloveSettings) -> None:
    """Serve the scene; OSError where the port is taken, or the package is missing."""
    try:
        import foxglove  # noqa: PLC0415
        from foxglove.channels import SceneUpdateChannel  # noqa: PLC0415
        from foxglove.messages import SceneEntityDeletion, SceneUpdate  # noqa: PLC0415
    except ImportError:
        raise OSError("the package foxglove-sdk is missing: install overtable[foxglove]") from None
    logging.getLogger("foxglove").setLevel(logging.CRITICAL)  # for it, whoever goes away in mid-word is an error
    context = foxglove.Context()
    channel = SceneUpdateChannel(TOPIC, context=context)
    try:
        server = foxglove.start_server(name="overtable", host="127.0.0.1", port=settings.port, context=context)
    except RuntimeError as error:
        raise OSError(f"port {settings.port} cannot be served ({error})") from None
    try:
        link.report("")
        scene, told = Scene(), None
        async for view in repeat_views(link.follow(), SAID_AGAIN_S):
            changed, gone = scene.update(view, everything=view is told)
            told = view
            if changed or gone:
                deletions = [SceneEntityDeletion(id=name) for name in gone]
                entities = [draw(name, *scene.shown[name]) for name in changed]
                channel.log(SceneUpdate(entities=entities, deletions=deletions))
    finally:
        server.stop()
        channel.close()


BRIDGE = Bridge(name="foxglove", settings=FoxgloveSettings, run=run_foxglove)
