"""Mutations: what turns a situation into one that nobody would set up."""

import copy
import json
import math
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from assistant.game.limits import GREATEST_BASE_MM, LEAST_BASE_MM
from assistant.rules.books import find_rulebook
from assistant.rules.rulebook import Choice, Key, Number
from tests.rulebook_cases import list_case_files
from tests.trials.situations import make_document

Json = dict[str, Any]
Mutation = Callable[[random.Random, Json], None]
Place = tuple[str | int, ...]

# --- numbers and words that do not belong -----------------------------------------------------------------------------

EXTREMES: tuple[Any, ...] = (
    5e-324, 1e-300, 1e-9, 1e-3, 0, 0.0, -0.0, -1, -1e-9, 0.1 + 0.2, 1, 6, 1e3, 1e4, 1e5, 1e6, 1e9, 1e300,
    1.7976931348623157e308, math.nan, math.inf, -math.inf, 10**40, 10**400, -(10**400), 2**63, True, False, None,
    "", "1", "a" * 101, "\ud800", "\u202e\u0000", "é́", [], {}, [[]], {"": 0},
)  # fmt: skip
INSIDE = (1.0, 1.0000001, 1.5, 25.0, 25.4, 32.0, 50.8, 60.0, 152.4, 400.0, 999.0)
"""Lengths that a file may hold."""
NUDGES = (1e-13, 1e-10, 1e-7, 1e-4, 0.0)


@cache
def _read_cases() -> tuple[str, ...]:
    return tuple(json.dumps(json.loads(path.read_text(encoding="utf-8"))["situation"]) for path in list_case_files())


def build_fuzzed(seed: int) -> Json:
    """Return a case or a random situation, mutated once or a few times."""
    rng = random.Random(f"fuzz {seed}")
    document: Json = json.loads(rng.choice(_read_cases()) if rng.random() < 0.5 else json.dumps(make_document(seed)))
    for pose in _list_poses(document):
        pose.pop("facing_rad", None)  # degrees alone say all, and can be changed
    chosen = rng.choices(STRANGE, k=rng.choice((1, 1, 2, 3))) + rng.choices(BROKEN, k=rng.choice((0, 0, 0, 1, 2)))
    for mutation in chosen:
        with suppress(LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError):
            mutation(rng, document)  # an earlier one may have taken away what it is about
    if rng.random() < 0.9:
        with suppress(LookupError, TypeError, AttributeError):
            _begin_paths_anew(document)
    return document


def _begin_paths_anew(document: Json) -> None:
    stands = {model["id"]: model["pose"] for model in list_models(document)}
    for model, path in document["move"]["paths"].items():
        path[0] = {**path[0], **{key: stands[model].get(key, 0.0) for key in ("x_mm", "y_mm", "facing_deg", "z_mm")}}


def list_paths(node: Any, path: Place = ()) -> Iterator[Place]:
    """Yield where everything in a document stands."""
    yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield from list_paths(value, (*path, key))


def find_part(document: Mapping[str, Any], path: Place) -> Any:
    """Return what stands at a place."""
    node: Any = document
    for key in path:
        node = node[key]
    return node


def _list_poses(document: Json) -> list[Json]:
    standing = [m["pose"] for unit in document["units"] for m in unit["models"] if m.get("pose")]
    paths = (document.get("move") or {}).get("paths", {}).values()
    return standing + [pose for path in paths for pose in path]


def list_models(document: Json) -> list[Json]:
    """Return every model."""
    return [model for unit in document["units"] for model in unit["models"]]


# --- mutations --------------------------------------------------------------------------------------------------------


def replace_anything(rng: random.Random, document: Json) -> None:
    """Put something else in the place of anything, or take it away, or give it twice."""
    *path, key = rng.choice([path for path in list_paths(document) if path])
    parent = find_part(document, tuple(path))
    match rng.randrange(4):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, list):
            parent.append(copy.deepcopy(rng.choice(parent)))
        case 1:
            parent[rng.choice(("x", "", "id", "charge", "toward", "engages", "lost"))] = copy.deepcopy(parent[key])
        case _:
            parent[key] = copy.deepcopy(rng.choice(EXTREMES))


def replace_number(rng: random.Random, document: Json) -> None:
    """Put an extreme number in the place of a number, or of all numbers of its name."""
    numbers = [p for p in list_paths(document) if isinstance(find_part(document, p), int | float)]
    chosen, value = rng.choice(numbers), copy.deepcopy(rng.choice(EXTREMES[:30]))
    name = next((key for key in reversed(chosen) if isinstance(key, str)), None)
    every = rng.random() < 0.3 and name is not None
    for path in numbers:
        if path == chosen or (every and name in path):
            find_part(document, path[:-1])[path[-1]] = value


def change_bases(rng: random.Random, document: Json) -> None:
    """Give some or all models another base."""
    lengths = rng.choices((*INSIDE, *INSIDE, LEAST_BASE_MM, 1000.0, GREATEST_BASE_MM), k=rng.choice((1, 2)))
    for model in list_models(document):
        if rng.random() < 0.6:
            length = rng.choice(lengths)
            width = rng.choice((length, length + rng.choice(NUDGES), rng.choice(INSIDE)))
            model["base"] = rng.choice(
                (
                    {"round_mm": length},
                    {"oval_mm": [length, width]},
                    {"rect_mm": [length, width]},
                    {"outline_mm": build_outline(rng, 0.0, 0.0, rng.choice((20.0, 60.0)), most=40)},
                )
            )


def coincide(rng: random.Random, document: Json) -> None:
    """Let everything stand in one place, or all but there."""
    nudge = rng.choice((0.0, *NUDGES, 1e-3, 32.0))
    models = list_models(document)
    here = copy.deepcopy(rng.choice(models)["pose"])
    for model in models:
        if rng.random() < 0.8:
            dx, dy = rng.choice((0, 1, -1)) * nudge, rng.choice((0, 1, -1)) * nudge
            model["pose"] = {**here, "x_mm": here["x_mm"] + dx, "y_mm": here["y_mm"] + dy}


def turn_models(rng: random.Random, document: Json) -> None:
    """Turn everybody by all but the same angle, by all but a right one, or by many whole turns."""
    angle = rng.choice((30.0, 45.0, 90.0, 180.0, 1e-13, 360.0, 36000.0, -36000.0, rng.uniform(-180, 180)))
    for pose in _list_poses(document):
        pose["facing_deg"] = angle + rng.choice((0.0, 0.0, 90.0, *NUDGES))


def blur(rng: random.Random, document: Json) -> None:
    """Let nobody be sure where anything is, or all but sure."""
    for pose in _list_poses(document):
        if rng.random() < 0.7:
            pose["sigma_mm"] = rng.choice((0, 5e-324, 1e-300, 1e-12, 0.2, 5, 300, 1e4))


def lift(rng: random.Random, document: Json) -> None:
    """Let models and terrain be high above the table, or hardly."""
    for piece in (*_list_poses(document), *document.get("terrain", [])):
        if rng.random() < 0.6:
            key = "height_mm" if "height_mm" in piece else "z_mm"
            piece[key] = rng.choice((0, 5e-324, 1e-9, 0.1, 50.8, 120, 240, 1e3, 1e4))


def change_outlines(rng: random.Random, document: Json) -> None:
    """Give terrain other outlines, or lay other terrain among the models."""
    terrain = document.setdefault("terrain", [])
    for _ in range(rng.choice((0, 1, 1, 3))):
        traits = rng.sample(("difficult", "impassable", "incline", "gap", "hill", "wall", "building", "dense"), k=1)
        piece = {
            "id": f"piece {len(terrain)}",
            "outline_mm": [],
            "height_mm": rng.choice((0, 40, 120)),
            "traits": traits,
        }
        terrain.append({**piece, **({"gap_mm": 60.0} if traits == ["gap"] else {})})
    poses = _list_poses(document)
    for piece in terrain:
        if not piece["outline_mm"] or rng.random() < 0.5:
            at = rng.choice(poses)
            x, y = at["x_mm"] + rng.choice((0, 60, -200)), at["y_mm"] + rng.choice((0, 60, 200))
            piece["outline_mm"] = build_outline(rng, x, y, rng.choice((1.0, 80.0, 300.0)), most=1000)


def repeat_terrain(rng: random.Random, document: Json) -> None:
    """Lay the same piece many times over itself, or beside itself so that edges are shared."""
    piece, step = rng.choice(document["terrain"]), rng.choice((0.0, 1e-13, 1e-7, 50.0))
    for number in range(rng.choice((1, 3, 40, 400))):
        moved = [[x + step * (number + 1), y] for x, y in piece["outline_mm"]]
        document["terrain"].append({**piece, "id": f"again {number}", "outline_mm": moved})


def resize_table(rng: random.Random, document: Json) -> None:
    """Lay everything on another table."""
    for side in rng.choice((("width_mm",), ("depth_mm",), ("width_mm", "depth_mm"))):
        document["table"][side] = rng.choice((900.0, 1200.0, 1e4, 1e5))


def multiply_models(rng: random.Random, document: Json) -> None:
    """Let a unit, or the table, have many more models."""
    unit = rng.choice(document["units"])
    model, count = copy.deepcopy(rng.choice(unit["models"])), rng.choice((1, 20, 60, 150, 500))
    spread = rng.choice((0.0, 1e-13, 0.1, 30.0))
    for number in range(count):
        pose = copy.deepcopy(model["pose"])
        if pose:
            pose["x_mm"] += spread * (number % 40 - 20)
            pose["y_mm"] += spread * (number // 40 - 20)
        unit["models"].append({**model, "id": f"{model['id']} {number}", "pose": pose})


def bend_paths(rng: random.Random, document: Json) -> None:
    """Give paths legs of no length, of next to none, far ways, and thousands of poses."""
    for path in document["move"]["paths"].values():
        match rng.randrange(6):
            case 0:
                path.insert(rng.randrange(1, len(path) + 1), copy.deepcopy(rng.choice(path)))
            case 1:
                path.append({**path[-1], "x_mm": path[-1]["x_mm"] + rng.choice(NUDGES)})
            case 2:
                path[1:1] = [copy.deepcopy(path[0]) for _ in range(rng.choice((1, 1500)))]
            case 3:
                count, last = rng.choice((10, 300, 1500)), path[-1]
                for number in range(count):
                    step = {"x_mm": last["x_mm"] + math.sin(number), "y_mm": last["y_mm"] + math.cos(number)}
                    path.append({**last, **step, "facing_deg": number * 37.0 % 360})
            case 4:
                path.append({**path[-1], "x_mm": rng.choice((-1e5, 1e5)), "y_mm": rng.choice((0, 1e5))})
            case 5:
                del path[1:]


def change_asking(rng: random.Random, document: Json) -> None:
    """Let the move name dice, models and units that are not what they should be."""
    move = document.setdefault("move", {"unit": document["units"][0]["id"], "action": "move"})
    ids = [unit["id"] for unit in document["units"]] + [model["id"] for model in list_models(document)] + ["nobody"]
    match rng.randrange(6):
        case 0:
            move["rolls"] = rng.choices((0, 1, 6, 7, -1, 10**40, 2), k=rng.choice((0, 1, 2, 10, 10_000)))
        case 1:
            move[rng.choice(("engages", "toward", "transport", "ignores"))] = rng.choice(
                (rng.choice(ids), [rng.choice(ids)])
            )
        case 2:
            move[rng.choice(("charge", "instead", "toward_closest", "ordered"))] = rng.choice((True, False, 1, "yes"))
        case 3:
            move["observed"] = not move.get("observed", True)
        case 4:
            move["lost"] = rng.choices(ids, k=rng.choice((1, 2)))
        case 5:
            move["unit"] = rng.choice(ids)


def change_settings(rng: random.Random, document: Json) -> None:
    """Give units other profiles, keywords and words, and the rulebook other parameters."""
    unit, book = rng.choice(document["units"]), find_rulebook(document["rulebook"])
    match rng.randrange(5):
        case 0:
            key = rng.choice(book.profile)
            unit.setdefault("profile", {})[key.name] = _choose_value(rng, key)
        case 1:
            key = rng.choice(book.parameters)
            document.setdefault("parameters", {})[key.name] = _choose_value(rng, key)
        case 2:
            key = rng.choice(book.intent)
            document["move"][key.name] = _choose_value(rng, key)
        case 3:
            unit["keywords"] = rng.choices(("fly", "monster", "vehicle", "infantry", "titanic", "cloak", "shield"), k=2)
        case 4:
            ids = [model["id"] for model in list_models(document)] + ["nobody", "9", "-1", "1e9"]
            unit["status"] = [
                f"{status}{rng.choice(ids)}" if status.endswith(":") else status
                for status in rng.choices(book.statuses)
            ]


def _choose_value(rng: random.Random, key: Key) -> Any:
    match key.values:
        case Number(low=low, high=high):
            inside = (low, high, (low + high) / 2, int(low + 1), low + 0.5, low + 1e-9)
            return rng.choice((*inside, *inside, *inside, *EXTREMES))
        case Choice(words=words):
            return rng.choice((*words, *words, *EXTREMES))
        case _:
            return rng.choice((True, "a", ["a"], {"a": ["b"]}, *EXTREMES))


def mistake_ids(rng: random.Random, document: Json) -> None:
    """Give ids that are taken, or that no font has."""
    things = [*document["units"], *list_models(document), *document.get("terrain", [])]
    weird = (
        "\ud800",
        "\u202e",
        "\u0000",
        "\n",
        "x" * 101,
        "👾",
        "é",
        "e\u0301",
        " ",
        "a\tb",
        '"',
        rng.choice(things)["id"],
    )
    rng.choice(things)["id"] = rng.choice(weird)


def break_limits(rng: random.Random, document: Json) -> None:
    """Let there be far too much of something."""
    match rng.randrange(5):
        case 0:
            unit = rng.choice(document["units"])
            unit["models"] = [{**unit["models"][0], "id": f"model {at}"} for at in range(10_000)]
        case 1:
            rng.choice(document["terrain"])["outline_mm"] = [
                [400 + 99 * x, 400 + 99 * y] for x, y in (_turn(1.0, at * math.tau / 10_000) for at in range(10_000))
            ]
        case 2:
            path = rng.choice(list(document["move"]["paths"].values()))
            path += path[-1:] * 10_000
        case 3:
            rng.choice(list_models(document))["base"] = {"round_mm": rng.choice((5e-324, 1e-9, 0.5, 1e4, 1e6, 1e300))}
        case 4:
            piece = rng.choice(document["terrain"])
            document["terrain"] = [{**piece, "id": f"piece {at}"} for at in range(10_000)]


def nest(rng: random.Random, document: Json) -> None:
    """Put something into a box in a box in a box."""
    *path, key = rng.choice([path for path in list_paths(document) if path])
    parent = find_part(document, tuple(path))
    for _ in range(rng.choice((1, 50, 400, 100_000))):
        parent[key] = [parent[key]] if rng.random() < 0.5 else {"x": parent[key]}


STRANGE: tuple[Mutation, ...] = (
    change_bases, change_bases, coincide, coincide, turn_models, blur, lift, change_outlines, change_outlines,
    repeat_terrain, resize_table, multiply_models, bend_paths, bend_paths, change_settings,
)  # fmt: skip
"""What mostly leaves a situation that keeps the limits."""
BROKEN: tuple[Mutation, ...] = (
    replace_anything, replace_number, replace_number, break_limits, change_asking, mistake_ids, nest,
)  # fmt: skip
"""What mostly does not."""


def build_outline(rng: random.Random, x: float, y: float, size: float, *, most: int) -> list[list[float]]:
    """Return the corners of an outline that no piece of scenery has."""
    count = rng.choice([each for each in (3, 4, 7, 40, 500) if each <= most])
    match rng.randrange(8):
        case 0:  # a star, whose spikes may be needles
            inner = rng.choice((0.5, 0.01, 1e-9))
            points = [_turn(size * (inner if at % 2 else 1.0), math.pi * at / count) for at in range(2 * count)]
        case 1:  # a spiral, there and back
            out = [_turn(size * (0.1 + at / count), 0.3 * at) for at in range(count)]
            back = [_turn(size * (0.1 + at / count) + size * 0.05, 0.3 * at) for at in reversed(range(count))]
            points = out + back
        case 2:  # a comb
            points = [(size * at / count, size if at % 2 else 0.0) for at in range(count)]
            points += [(size, -size * 0.1), (0.0, -size * 0.1)]
        case 3:  # a needle
            points = [(0.0, 0.0), (size, rng.choice(NUDGES)), (0.0, rng.choice((1e-13, 1e-7, 1e-3)))]
        case 4:  # a square with corners that are all but given twice
            nudge = rng.choice(NUDGES)
            points = [(0.0, 0.0), (size, 0.0), (size, nudge), (size, size), (nudge, size), (0.0, size)]
        case 5:  # corners in a row
            points = [(size * at / count, rng.choice((0.0, 0.0, 1e-13))) for at in range(count)] + [(0.0, size)]
        case 6:  # a disc of many corners
            points = [_turn(size, 2 * math.pi * at / count) for at in range(count)]
        case _:  # a slot that is all but closed
            slot = rng.choice((1e-13, 1e-7, 1.0))
            points = [
                (0, 0),
                (size, 0),
                (size, size),
                (size / 2 + slot, size),
                (size / 2, 1),
                (size / 2 - slot, size),
                (0, size),
            ]
    angle = rng.choice((0.0, 0.0, 0.3))
    turned = (
        (px * math.cos(angle) - py * math.sin(angle), px * math.sin(angle) + py * math.cos(angle)) for px, py in points
    )
    return [[x + px, y + py] for px, py in turned]


def _turn(radius: float, angle: float) -> tuple[float, float]:
    return radius * math.cos(angle), radius * math.sin(angle)
