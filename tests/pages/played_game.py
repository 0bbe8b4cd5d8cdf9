"""A small game that plays itself out on a hub: what the pages are tested and looked at with.

The rules are make-believe and short; the values are shaped as the real table's.
"""

import threading
from itertools import pairwise
from math import cos, hypot, radians, sin

import cv2
import numpy as np
from shapely import Point, Polygon, box
from shapely.affinity import rotate, translate
from shapely.ops import unary_union

from assistant.game.base_spec import BaseSpec
from assistant.rules.books import find_rulebook
from assistant.web.commands.calibration import ProjectorPage
from assistant.web.commands.game import Accept, Declare, Drag, Withdraw
from assistant.web.hub import Hub, PageCommand
from assistant.web.messages import View
from assistant.web.messages.calibration import LightsView, LookoutView, ProjectorView
from assistant.web.messages.move import ActionView, FindingView, MoveView
from assistant.web.messages.table import (
    AheadView,
    CameraView,
    ModelView,
    NoticeView,
    SceneView,
    ShapeView,
    TableView,
    TerrainView,
    UnitView,
)
from assistant.web.views.session import CHOICES, PAINTS

INCH = 25.4
WIDTH, DEPTH = 60 * INCH, 44 * INCH
TERRAIN = {
    "ruin": [(620, 430), (790, 430), (790, 590), (720, 590), (720, 500), (620, 500)],
    "wood": [(1040, 160), (1180, 130), (1250, 210), (1190, 320), (1060, 290)],
    "wall": [(250, 760), (520, 800), (517, 822), (247, 782)],
}
ROUND_32, ROUND_40 = BaseSpec(round_mm=32), BaseSpec(round_mm=40)
UNITS = {
    "Rangers": ("Anna", 0, ["infantry"], ROUND_32, [(300, 300), (345, 290), (390, 305), (325, 250), (372, 255)], 40.0),
    "Strider": ("Anna", 0, ["vehicle", "walker"], BaseSpec(oval_mm=(105, 70)), [(520, 250)], 20.0),
    "Wardens": (
        "Ben",
        1,
        ["infantry", "shield"],
        ROUND_40,
        [(560, 640), (610, 655), (660, 650), (585, 700), (640, 702)],
        250.0,
    ),
    "Gun Carrier": ("Ben", 1, ["vehicle"], BaseSpec(rect_mm=(100, 60)), [(1000, 760)], 200.0),
}
ACTIONS = {
    "remain-stationary": ("Remain Stationary", 0, 0.0),
    "normal": ("Normal move", 0, 6 * INCH),
    "advance": ("Advance", 1, 6 * INCH),
    "fall-back": ("Fall Back", 0, None),
}


class PlayedTable:
    """The table's thread: obeys the pages and publishes what then stands.

    A model is where the last drag put it; `orders` holds every command in the order in which it was taken.
    """

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.orders: list[PageCommand] = []
        self.models = {m: v for unit in UNITS for m, v in _build_models(unit).items()}
        self.models["Wardens-5"] = self.models["Wardens-5"].model_copy(update={"state": "held"})
        self.accepted = dict(self.models)
        self.camera = CameraView(
            source="virtual:", state="live", text="Virtual camera, 1920 × 1080", anchors_seen=4, fps=15.0, latency_ms=61
        )
        self.declared: Declare | None = None
        self.virtual = True
        self.scene: SceneView | None = None
        self.notices: dict[str, NoticeView] = {}
        self.projector: ProjectorView | None = None
        self.lights: LightsView | None = None
        self.lookout: LookoutView | None = None
        self.close = False
        """Moves that would be legal are too close to call."""
        self.overlay: dict[str, ShapeView] | None = None
        """What is drawn instead of the game's shapes."""
        self.ahead: dict[str, AheadView] = {}
        self._showing = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="table")

    def __enter__(self) -> "PlayedTable":
        self.publish()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(0.01):
            for order in self.hub.take():
                self.obey(order)
                self.orders.append(order)
                if not isinstance(order.message, ProjectorPage):  # which changes nothing
                    self.publish()

    def obey(self, order: PageCommand) -> None:
        match order.message:
            case Declare() as declared if declared.unit not in UNITS:
                order.refuse(f"There is no unit {declared.unit}.")
            case Declare() as declared:
                self.declared = declared
            case Withdraw():
                self.declared = None
            case Accept():
                self.accepted = dict(self.models)
                self.declared = None
            case Drag(model=model, x_mm=x, y_mm=y, facing_deg=facing):
                moved = {"x_mm": x, "y_mm": y, "facing_deg": facing}
                self.models[model] = self.models[model].model_copy(update=moved)

    def publish(self) -> None:
        """Show what stands now; a test and the table's thread may both do so, and neither shows what stood before."""
        with self._showing:
            self.hub.publish(self.build_view())

    def build_view(self) -> View:
        unit = self.declared.unit if self.declared else None
        moved = [m for m, v in self.models.items() if _distance(v, self.accepted[m]) > 1]
        findings = self._build_findings(moved)
        outcome = ("illegal" if any(f.outcome == "illegal" for f in findings) else "legal") if moved else None
        action = self.declared.action if self.declared else None
        rolls = self.declared.rolls if self.declared else []
        lacking = action is not None and ACTIONS[action][1] > len(rolls)
        return View(
            table={
                "table": TableView(
                    width_mm=WIDTH,
                    depth_mm=DEPTH,
                    rulebook="warhammer-40k-10e",
                    rulebook_title=find_rulebook("warhammer-40k-10e").title,
                    title="Rangers against Wardens",
                    virtual=self.virtual,
                    replay=False,
                )
            },
            camera={"camera": self.camera},
            palette=PAINTS,
            palettes=CHOICES,
            terrain={
                k: TerrainView(outline_mm=o, height_mm=100, traits=["ruin"], kind="ruin", of=k)
                for k, o in TERRAIN.items()
            },
            units={
                name: UnitView(player=player, side=side, models=list(_build_models(name)), keywords=keywords, status=[])
                for name, (player, side, keywords, *_) in UNITS.items()
            },
            models=dict(self.models),
            ahead=self.ahead,
            notices=self.notices,
            actions={}
            if unit is None
            else {
                key: ActionView(
                    label=label,
                    dice=dice,
                    most=dice,
                    sides=6,
                    sets_up=False,
                    limit_mm=limit,
                    allowed=limit is not None,
                    because=[] if limit is not None else [f"{unit} is not within engagement range of an enemy"],
                )
                for key, (label, dice, limit) in ACTIONS.items()
            },
            move={
                "move": MoveView(
                    unit=unit,
                    model=self._find_shown_model(),
                    action=action,
                    rolls=list(rolls),
                    tests=0,
                    costs=0,
                    lost=[],
                    intent={},
                    moved=moved,
                    outcome="too-close" if self.close and outcome == "legal" else outcome,
                    note="Enter 1 die for the Advance." if lacking else "",
                    can_undo=False,
                )
            },
            findings={str(i): finding for i, finding in enumerate(findings)},
            shapes=self._build_shapes(moved, findings) if self.overlay is None else self.overlay,
            projector={"projector": self.projector} if self.projector else {},
            scene={"scene": self.scene} if self.scene else {},
            lights={"lights": self.lights} if self.lights else {},
            lookout={"lookout": self.lookout} if self.lookout else {},
        )

    def _find_shown_model(self) -> str | None:
        return (self.declared.model or f"{self.declared.unit}-1") if self.declared else None

    def _compute_limit_mm(self) -> float:
        if self.declared is None:
            return 6 * INCH
        return (ACTIONS[self.declared.action or "normal"][2] or 0.0) + sum(self.declared.rolls) * INCH

    def _build_findings(self, moved: list[str]) -> list[FindingView]:
        found = []
        for m in moved:
            length, limit = _distance(self.models[m], self.accepted[m]), self._compute_limit_mm()
            found.append(
                FindingView(
                    rule="10e-07",
                    outcome="legal" if length <= limit else "illegal",
                    subjects=[m],
                    measured_mm=length,
                    limit_mm=limit,
                    margin_mm=limit - length,
                    sigma_mm=0.3,
                    p_legal=None,
                    text=f'{m} moved {length / INCH:.1f}" of {limit / INCH:.0f}"',
                )
            )
        found += [
            FindingView(
                rule="10e-60",
                outcome="too-close",
                subjects=["Rangers-5"],
                measured_mm=50.9,
                limit_mm=50.8,
                margin_mm=-0.1,
                sigma_mm=0.3,
                p_legal=0.4,
                text='Rangers-5 is 2.0" from the nearest model of its unit',
            ),
            FindingView(
                rule="10e-04",
                outcome="note",
                subjects=["Wardens-5"],
                measured_mm=None,
                limit_mm=None,
                margin_mm=None,
                sigma_mm=None,
                p_legal=None,
                text="Nobody is engaged",
            ),
        ]
        return found

    def _build_shapes(self, moved: list[str], findings: list[FindingView]) -> dict[str, ShapeView]:
        shapes: dict[str, ShapeView] = {}
        for number, (finding, m) in enumerate(zip(findings, moved, strict=False)):
            start, end = self.accepted[m], self.models[m]
            line = [(start.x_mm, start.y_mm), (end.x_mm, end.y_mm)]
            shapes[f"ghost {m}"] = _build_area_shape("ghost", "ghost", build_base_area(start))
            shapes[f"path {m}"] = _build_line_shape("path", "path", line)
            shapes[f"witness:{number}"] = _build_line_shape(
                "witness", f"witness-{finding.outcome}", line, f"{finding.measured_mm or 0:.0f} mm"
            )
        shown = self._find_shown_model()
        if self.declared is None or shown is None:
            return shapes
        side = UNITS[self.models[shown].unit][1]
        enemies = [m for m in self.models.values() if UNITS[m.unit][1] != side]
        keep_out = unary_union([build_base_area(m).buffer(INCH) for m in enemies])
        if self.declared.action is not None:
            at = self.accepted[shown]
            zone = (
                Point(at.x_mm, at.y_mm)
                .buffer(self._compute_limit_mm() + 1)
                .intersection(box(16, 16, WIDTH - 16, DEPTH - 16))
            )
            zone = zone.difference(unary_union([Polygon(TERRAIN["ruin"]), keep_out.buffer(16)]))
            for i, part in enumerate(getattr(zone, "geoms", [zone])):
                shapes[f"zone {i}"] = _build_area_shape("zone", "zone", part)
        for i, part in enumerate(getattr(keep_out, "geoms", [keep_out])):
            shapes[f"engagement {i}"] = _build_area_shape("engagement", "engagement", part)
        own = [self.models[m] for m in _build_models(self.models[shown].unit)]
        for i, (a, b) in enumerate(pairwise(own)):
            near = _distance(a, b) < 32 + 2 * INCH
            layer = "coherency" if near else "break"
            shapes[f"{layer} {i}"] = _build_line_shape(
                layer, layer, [(a.x_mm, a.y_mm), (b.x_mm, b.y_mm)], "" if near else "out of coherency"
            )
        return shapes


def build_base_area(model: ModelView) -> Polygon:
    """The outline of a model's base on the table."""
    spec = model.base
    if spec.round_mm is not None:
        area = Point(0, 0).buffer(spec.round_mm / 2)
    elif spec.oval_mm is not None:
        a, b = spec.oval_mm
        area = Polygon([(a / 2 * cos(radians(t)), b / 2 * sin(radians(t))) for t in range(0, 360, 5)])
    else:
        a, b = spec.rect_mm or (0, 0)
        area = box(-a / 2, -b / 2, a / 2, b / 2)
    return translate(rotate(area, model.facing_deg, origin=(0, 0)), model.x_mm, model.y_mm)


def encode_camera_picture() -> bytes:
    """A JPEG as the camera might deliver it."""
    image = np.full((540, 736, 3), (60, 80, 70), np.uint8)
    for *_, base, places, _ in UNITS.values():
        for x, y in places:
            cv2.circle(
                image,
                (round(x * 0.483), round(540 - y * 0.483)),
                round((base.round_mm or 80) * 0.24),
                (235, 235, 235),
                -1,
            )
    return cv2.imencode(".jpg", image)[1].tobytes()


def _build_models(unit: str) -> dict[str, ModelView]:
    *_, base, places, facing = UNITS[unit]
    return {
        f"{unit}-{i}": ModelView(
            unit=unit, base=base, x_mm=x, y_mm=y, facing_deg=facing, z_mm=0, sigma_mm=0.2, state="seen", moving=False
        )
        for i, (x, y) in enumerate(places, 1)
    }


def _distance(a: ModelView, b: ModelView) -> float:
    return hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _build_area_shape(layer: str, style: str, area: Polygon) -> ShapeView:
    rings = [list(ring.coords) for ring in (area.exterior, *area.interiors)]
    return ShapeView.model_validate({"layer": layer, "rings_mm": rings, "closed": True, "style": style, "label": ""})


def _build_line_shape(layer: str, style: str, points: list[tuple[float, float]], label: str = "") -> ShapeView:
    return ShapeView.model_validate(
        {"layer": layer, "rings_mm": [points], "closed": False, "style": style, "label": label}
    )
