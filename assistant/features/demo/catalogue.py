"""The catalogue of demos: one folder a rulebook, found by name, each with a situation and a script."""

import math
from dataclasses import dataclass
from pathlib import Path

import shapely

from assistant.errors import BadInput
from assistant.features.demo.script import ScriptScene, read_script
from assistant.features.marker_choice import is_hull
from assistant.game.base_spec import BaseSpec
from assistant.game.situation_file import read_situation
from assistant.game.state import GameState, Model, Unit
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.overlay.shapes import trace_outline
from assistant.setup.bases import BaseSection, RingedBase, TaggedBase, TagInBase
from assistant.setup.file import Setup, read_setup
from hardware.simulation.figures import fit_figure
from hardware.simulation.scene import FigureKind

DEMOS = Path(__file__).parent / "games"
SETUP = DEMOS / "setup.toml"
"""The table of every demo: its camera and its anchors."""
TAG_SHARE = 0.5
"""A tag's black square as a share of its base's least width."""
LEAST_TAG_MM = 14.0
"""A tag is no smaller, even where it leaves no room for a figure."""
LEAST_IN_1080P_MM = 16.0
"""What a 1080p camera reads."""
LEAST_CELL_IN_1080P_MM = 2.6
LARGEST_TAG_MM = 24.0
RIM = 1.25
"""A tag with the white rim that it needs is this much wider than its black square."""
EDGE_MM = 1.0
"""A tag's rim keeps so far from the front of its base, if it has the room: what is behind it is the figure's."""
TAG_HEIGHT_MM = 4.0
BASE_HEIGHT_MM = 4.0
ROOF_SHARE = 0.56
"""Width of a roof as a share of the hull's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """A table with a game on it, and what is shown there."""

    setup: Setup
    state: GameState
    scenes: tuple[ScriptScene, ...]

    @property
    def in_4k(self) -> bool:
        """Whether its bases are so small that their tags or the cells of their rings need a 4K camera."""
        rings = self.setup.rings.ring_list
        return any(base.size_mm < LEAST_IN_1080P_MM for base in self.setup.tagged_bases) or any(
            base.lay_ring(rings).cell_mm < LEAST_CELL_IN_1080P_MM for base in self.setup.ringed_bases
        )


def list_demos() -> tuple[str, ...]:
    """Return the rulebooks that have a demo."""
    return tuple(sorted(folder.name for folder in DEMOS.iterdir() if folder.is_dir()))


def read_demo(rulebook: str) -> Demo:
    """Return the demo of a rulebook.

    Raises:
        BadInput: there is none, or its files do not fit.

    """
    if rulebook not in list_demos():
        raise BadInput(f"--rulebook: there is no demo of {rulebook!r}; expected one of {', '.join(list_demos())}")
    folder = DEMOS / rulebook
    state = read_situation(folder / "situation.json").state
    return Demo(
        setup=enrol_models(read_setup(SETUP), state), state=state, scenes=read_script(folder / "script.json", state)
    )


def enrol_models(setup: Setup, state: GameState) -> Setup:
    """Return a set-up with every model of a game enrolled: markers from 1, in the order of the models."""
    bases = tuple(mark_model(number, unit, model) for number, (unit, model) in enumerate(state.iterate_models(), 1))
    return Setup.model_validate({**dict(setup), "bases": bases})


def mark_model(number: int, unit: Unit, model: Model) -> BaseSection:
    """Give a model the marker that suits its base: a tag on a roof or between the men of a stand, else a halo.

    Stands are in contact all the time, where halos lie under one another and rims run into one.
    """
    base = BaseSpec.from_shape(model.base)
    if is_hull(unit, base):
        return _glue_on_roof(number, model)
    if base.rect_mm is not None:
        return glue_tag(number, model)
    return RingedBase(ring=number, ring_kind="halo", model=model.id, base=base, height_mm=BASE_HEIGHT_MM)


def _glue_on_roof(tag: int, model: Model) -> TaggedBase:
    outline = trace_outline(PlacedShape(shape=model.base, x_mm=0, y_mm=0))
    hull = fit_figure(FigureKind.VEHICLE, outline, seed=0, colour=(0, 0, 0))
    return TaggedBase(
        tag=tag,
        model=model.id,
        base=BaseSpec.from_shape(model.base),
        size_mm=min(LARGEST_TAG_MM, math.floor(ROOF_SHARE * 2 * hull.radius_mm / RIM)),
        height_mm=round(hull.height_mm, 1),
    )


def glue_tag(tag: int, model: Model, size_mm: float | None = None) -> TaggedBase:
    """Put as large a tag on a base as leaves room for a figure, or one of a size, as far to the front as it fits."""
    outline = shapely.Polygon(trace_outline(PlacedShape(shape=model.base, x_mm=0, y_mm=0)))
    left, near, right, far = outline.bounds
    size_mm = size_mm or min(LARGEST_TAG_MM, max(LEAST_TAG_MM, TAG_SHARE * min(right - left, far - near)))
    half_mm = RIM * size_mm / 2
    sides = [shapely.LineString([(left, y), (right, y)]).intersection(outline) for y in (-half_mm, half_mm)]
    rear_mm = max(side.bounds[0] for side in sides)
    front_mm = min(side.bounds[2] for side in sides)
    x_mm = max(math.floor(front_mm - half_mm - EDGE_MM), math.ceil(rear_mm + half_mm))
    return TaggedBase(
        tag=tag,
        model=model.id,
        base=BaseSpec.from_shape(model.base),
        size_mm=size_mm,
        tag_in_base=TagInBase(x_mm=x_mm),
        height_mm=TAG_HEIGHT_MM,
    )
