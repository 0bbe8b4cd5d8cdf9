"""Random views for trying deltas with, and what a page makes of a delta."""

import json
from typing import Any

from hypothesis import strategies as st

from assistant.game.base_spec import BaseSpec
from assistant.web.messages import Delta, View
from assistant.web.messages.move import MoveView
from assistant.web.messages.table import ModelView, ShapeView, UnitView
from assistant.web.views.differences import diff_views


def build_model_view(x_mm: float) -> ModelView:
    return ModelView(
        unit="scouts", base=BaseSpec(round_mm=32), x_mm=x_mm, y_mm=0, facing_deg=0, z_mm=0, sigma_mm=0,
        state="seen", moving=False,
    )  # fmt: skip


lengths = st.floats(min_value=-1e4, max_value=1e4)
keys = st.sampled_from(["a", "b", "c", "__proto__", "toString"])
models = st.builds(
    ModelView,
    unit=keys,
    base=st.just(BaseSpec(round_mm=32)),
    x_mm=lengths,
    y_mm=lengths,
    facing_deg=lengths,
    z_mm=st.just(0.0),
    sigma_mm=st.just(0.2),
    state=st.sampled_from(["seen", "held"]),
    moving=st.booleans(),
)
units = st.builds(
    UnitView,
    player=keys,
    side=st.integers(0, 3),
    models=st.lists(keys, max_size=2),
    keywords=st.just(["infantry"]),
    status=st.lists(keys, max_size=1),
)
shapes = st.builds(
    ShapeView,
    layer=st.sampled_from(["zone", "path"]),
    rings_mm=st.lists(st.lists(st.tuples(lengths, lengths), max_size=3), max_size=2),
    closed=st.booleans(),
    style=keys,
    label=keys,
)
moves = st.builds(
    MoveView,
    unit=st.none() | keys,
    model=st.none() | keys,
    action=st.none() | keys,
    rolls=st.lists(st.integers(1, 6), max_size=2),
    tests=st.just(0),
    costs=st.just(0),
    lost=st.lists(keys, max_size=1),
    intent=st.dictionaries(keys, st.booleans() | keys, max_size=2),
    moved=st.lists(keys, max_size=2),
    outcome=st.none() | st.just("legal"),
    note=keys,
    can_undo=st.booleans(),
)
views = st.builds(
    View,
    units=st.dictionaries(keys, units),
    models=st.dictionaries(keys, models),
    shapes=st.dictionaries(keys, shapes, max_size=2),
    move=st.dictionaries(st.just("move"), moves),
)


def build_delta(old: View, new: View) -> dict[str, Any]:
    """Return the delta between two views as it goes over the wire."""
    changed, gone = diff_views(old, new)
    delta: dict[str, Any] = json.loads(Delta(seq=1, set=changed, gone=gone).model_dump_json())
    return delta


def apply_delta(view: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """Return what a page makes of a view and a delta."""
    after = {name: dict(section) for name, section in view.items()}
    for name, section in delta["set"].items():
        for key, fields in section.items():
            after[name][key] = {**after[name].get(key, {}), **fields}
    for name, gone in delta["gone"].items():
        for key in gone:
            del after[name][key]
    return after
