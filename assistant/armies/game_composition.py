"""Game composition: from armies to an `overtable.situation/1` whose models wait to be seen, or stand in rows.

Ids of units and models are unique, short and readable, such as ``scouts`` and ``scouts-1``.  Rows stand unit by unit
along each player's edge, apart from all else, as models may stand before the first turn.
"""

import itertools
import math
import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.armies.army import Army, ArmyUnit
from assistant.armies.unit_entry import label_key
from assistant.errors import BadInput
from assistant.game.situation_file import encode_situation, parse_situation
from assistant.game.state import DeploymentZone, GameState, Model, Objective, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, Rect, Round
from assistant.rules.referee import judge

LONGEST_ID, LONGEST_NAME = 30, 100


class IdAllocator:
    """Gives out ids; what was given once is not given again, and what comes later changes nothing before it."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._units: dict[tuple[str, str], str] = {}
        """Ids of units by player and name, for those who are part of them."""
        self._awaited: set[tuple[str, str]] = set()
        """Units that were named by a part of them, and have no row of their own yet."""

    def allocate(self, unit: ArmyUnit, player: str) -> tuple[str, tuple[str, ...]]:
        """Return the ids of a unit and of its models.

        They are made of its name; where that is taken the player's stands before it, or a letter behind it.  An id
        that a person has chosen, and names that the models have, are kept.  Models that are part of another unit have
        that unit's id and names of their own.

        Raises:
            BadInput: an id that a person has chosen is taken.

        """
        own_id, model_ids = self._allocate_row(unit, player)
        name = (player, unit.part_of or unit.name)
        if unit.part_of is None and name not in self._awaited:
            self._units.setdefault(name, own_id)
            return own_id, model_ids
        if name not in self._units:
            ids = _list_candidates(slugify(name[1]), slugify(player))
            self._units[name] = next(one for one in ids if one not in self._taken or one == own_id)
            self._taken.add(self._units[name])
            self._awaited.add(name)
        if unit.part_of is None:
            self._awaited.remove(name)
        return self._units[name], model_ids

    def _allocate_row(self, unit: ArmyUnit, player: str) -> tuple[str, tuple[str, ...]]:
        for unit_id in _list_candidates(slugify(unit.name), slugify(player)) if unit.id is None else (unit.id,):
            for model_ids in _list_member_ids(unit_id, unit):
                if len({unit_id, *model_ids}) == 1 + unit.size and self._taken.isdisjoint((unit_id, *model_ids)):
                    self._taken |= {unit_id, *model_ids}
                    return unit_id, model_ids
        raise BadInput(f"{player}, {unit.name}: its id is taken already, by a unit or a model; give another one")


def _list_member_ids(unit_id: str, unit: ArmyUnit) -> Iterator[tuple[str, ...]]:
    """Yield what the models of a unit with some id may be called, the best first."""
    if unit.models:
        yield tuple(map(slugify, unit.models))
        yield tuple(f"{unit_id}-{slugify(name)}" for name in unit.models)
    yield tuple(f"{unit_id}-{number}" for number in range(1, unit.size + 1))


def slugify(name: str) -> str:
    """Return a name as an id: lower case, letters and digits of any script, hyphens between; signs if it has no others.

    >>> slugify("Élan’s Guard"), slugify("Йод и ёж"), slugify("🐉!")
    ('elans-guard', 'йод-и-ёж', '🐉')
    """
    plain = name.replace("'", "").replace("’", "")
    words = "".join(_iterate_id_letters(plain)).lower().split()
    signs = "".join(letter for letter in name if unicodedata.category(letter) in ("So", "Sk"))
    return "-".join(words)[:LONGEST_ID].strip("-") or signs[:LONGEST_ID] or "unit"


def _iterate_id_letters(name: str) -> Iterator[str]:
    """Yield what of a name can stand in an id, and blanks for the rest.

    Latin and Greek letters lose their accents; in other scripts a mark makes another letter or a vowel, and stays.
    """
    parts: list[str] = []
    has_accents = False
    for letter in unicodedata.normalize("NFKD", name):
        is_mark = unicodedata.category(letter).startswith("M")
        if not is_mark:
            has_accents = unicodedata.name(letter, "").startswith(("LATIN", "GREEK"))
        if not (is_mark and has_accents) and unicodedata.category(letter) != "Cf":
            parts.append(letter)
    before = " "
    for letter in unicodedata.normalize("NFC", "".join(parts)):
        is_kept = letter.isalnum() or (unicodedata.category(letter).startswith("M") and before != " ")
        before = letter if is_kept else " "
        yield before


def _list_candidates(name: str, player: str) -> Iterator[str]:
    yield name
    yield f"{player}-{name}"
    for stem in (name, f"{player}-{name}"):
        yield from (f"{stem}-{letter}" for letter in string.ascii_lowercase[1:])
    yield from (
        f"{player}-{name}-{first}{second}" for first in string.ascii_lowercase for second in string.ascii_lowercase
    )
    yield from (f"{player}-{name}-x{number}" for number in itertools.count(1))


GAP_MM = 10.0
"""Between models of a unit, so that halos about them do not cover each other; rectangles stand edge to edge, in line,
as regiments do."""
BETWEEN_MM = 40.0
"""Between units: about a hand's width."""
INSET_MM = 40.0
"""From the table's edge."""
STEP_MM = 20.0
CLEAR_MM = 5.0
NO_GROUND = frozenset({"impassable", "gap", "dangerous", "river"})
"""Traits of flat terrain on which nobody is set up."""
EDGES_RAD = (math.pi / 2, -math.pi / 2, 0.0, math.pi)
"""How the first player's models face, who plays from the near edge, the second's, ...: across the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A unit in rows, in a frame whose x is the front."""

    places: tuple[tuple[float, float], ...]
    """Of each model, from the block's centre."""
    deep_mm: float
    wide_mm: float


def place_in_rows(state: GameState, avoid_mm: Sequence[Sequence[tuple[float, float]]] = ()) -> dict[str, Pose]:
    """Return a place for each model, by id, in its player's deployment zone, or before it for want of room.

    Args:
        state: the game.
        avoid_mm: outlines that are kept clear, beside the terrain.

    Returns:
        The places; models without room on their half of the table are left out.

    """
    poses = _place_units(state, state.units, avoid_mm)
    if len(poses) < sum(len(unit.models) for unit in state.units):
        # The largest bases take their room first, and all stand close: as players do it whose zone is crowded.
        largest_first = sorted(state.units, key=lambda unit: max(map(_find_reach, unit.models)), reverse=True)
        close = _place_units(state, largest_first, avoid_mm, close=True)
        poses = max(poses, close, key=len)
    return poses


def _place_units(
    state: GameState, units: Iterable[Unit], avoid_mm: Sequence[Sequence[tuple[float, float]]], *, close: bool = False
) -> dict[str, Pose]:
    """Return places as in `place_in_rows`, of unit after unit."""
    table = shapely.box(0, 0, state.table.width_mm, state.table.depth_mm).buffer(-INSET_MM, join_style="mitre")
    solid = [_draw_clear(piece.outline_mm) for piece in state.terrain if _is_solid(piece)]
    solid += [_draw_clear(outline) for outline in avoid_mm]
    open_ground = [_draw_clear(piece.outline_mm) for piece in state.terrain if not _is_solid(piece)]
    taken: list[BaseGeometry] = []
    players = list(dict.fromkeys(unit.player for unit in state.units))
    poses: dict[str, Pose] = {}
    without_room = set[tuple[object, ...]]()
    for unit in units:
        blocks = list(_list_blocks(unit))
        wanted = (unit.player, *((block.deep_mm, block.wide_mm) for block in blocks))
        if wanted in without_room:
            continue  # and there is only less room from unit to unit
        zone = _find_zone(unit, state)
        ground = table if zone is None else zone.intersection(table)
        facing_rad = EDGES_RAD[players.index(unit.player) % len(EDGES_RAD)]
        if zone is not None:
            facing_rad = _face_across(zone, state.table)
        rooms = [(block, *_list_rooms(block, facing_rad, state, ground, whole=zone is not None)) for block in blocks]
        if close and zone is not None:
            rooms += [(block, *_list_rooms(block, facing_rad, state, table)) for block in blocks]
        levels = list(_list_kept_clear(solid, open_ground, taken))[-1 if close else 0 :]
        for kept, (block, spots, areas) in itertools.product(levels, rooms):
            shapely.prepare(kept)
            free = np.flatnonzero(~shapely.intersects(kept, areas))
            if free.size:
                x_mm, y_mm = spots[free[0]].tolist()
                taken.append(areas[free[0]])
                poses |= _place_block(unit, block, facing_rad, x_mm, y_mm)
                break
        else:
            without_room.add(wanted)
    return poses


def _list_kept_clear(
    solid: Sequence[BaseGeometry], open_ground: Sequence[BaseGeometry], taken: Sequence[BaseGeometry]
) -> Iterator[BaseGeometry]:
    """Yield what a unit keeps clear of: a ruin or a wood, too, while there is room beside it, and others by a hand."""
    apart = shapely.union_all([area.buffer(BETWEEN_MM) for area in taken])
    walls = shapely.union_all(solid)
    yield shapely.union_all([walls, *open_ground, apart])
    yield shapely.union_all([walls, apart])
    yield shapely.union_all([walls, *(area.buffer(CLEAR_MM) for area in taken)])


def _draw_clear(outline_mm: Sequence[tuple[float, float]]) -> BaseGeometry:
    return shapely.Polygon(outline_mm).buffer(CLEAR_MM)


def _is_solid(piece: Terrain) -> bool:
    """Whether nobody is set up on a piece of terrain: it is high, or nobody may be there."""
    return piece.height_mm > 0 or not NO_GROUND.isdisjoint(piece.traits)


def _face_across(zone: BaseGeometry, table: Table) -> float:
    """Return how models face that are set up in a zone: away from the edge that its middle is nearest to."""
    x, y = zone.centroid.x / table.width_mm - 0.5, zone.centroid.y / table.depth_mm - 0.5
    if abs(x) > abs(y):
        return EDGES_RAD[2] if x < 0 else EDGES_RAD[3]
    return EDGES_RAD[0] if y < 0 else EDGES_RAD[1]


def _find_zone(unit: Unit, state: GameState) -> BaseGeometry | None:
    """Return where a unit's player sets up; None where there is no zone for that."""
    zones = [shapely.Polygon(zone.outline_mm) for zone in state.deployment if zone.player == unit.player]
    return shapely.union_all(zones) if zones else None


def _list_blocks(unit: Unit) -> Iterator[_Block]:
    """Yield a unit's rows: twice as wide as deep, or in one line where its bases are rectangles; then other shapes."""
    count = len(unit.models)
    regiment = all(isinstance(model.base, Rect) for model in unit.models)
    usual = count if regiment and count <= 5 else min(count, math.ceil(math.sqrt(2 * count)))
    # A long file of single models would be none of coherency in some rulebooks.
    fewest, most = (2, math.ceil(count / 2)) if count > 3 else (1, count)
    others = sorted(set(range(fewest, most + 1)) - {usual}, key=lambda columns: abs(columns - usual))
    for columns in (usual, *others):
        yield _build_block(unit, columns, gap_mm=0.0 if regiment else GAP_MM)


def _build_block(unit: Unit, columns: int, *, gap_mm: float) -> _Block:
    """Return a unit in rows of so many."""
    boxes = [_measure_half_sides(model.base) for model in unit.models]
    deep, wide = 2 * max(deep for deep, _ in boxes), 2 * max(wide for _, wide in boxes)
    count = len(unit.models)
    rows = math.ceil(count / columns)
    deep_step, wide_step = deep + gap_mm, wide + gap_mm
    places = tuple(
        (((rows - 1) / 2 - i // columns) * deep_step, ((columns - 1) / 2 - i % columns) * wide_step)
        for i in range(count)
    )
    return _Block(places=places, deep_mm=rows * deep_step, wide_mm=columns * wide_step)


def _find_reach(model: Model) -> float:
    return max(_measure_half_sides(model.base))


def _measure_half_sides(base: Base) -> tuple[float, float]:
    match base:
        case Round(radius_mm=radius):
            return radius, radius
        case Oval(length_mm=length, width_mm=width) | Rect(length_mm=length, width_mm=width):
            return length / 2, width / 2
        case Outline(points_mm=points):
            return max(abs(x) for x, _ in points), max(abs(y) for _, y in points)


def _list_spots(
    block: _Block, facing_rad: float, state: GameState, *, whole: bool = False
) -> Iterator[tuple[float, float]]:
    """Yield centres for a block along its player's edge, then rank by rank to the middle, or over the whole table."""
    width, depth = state.table.width_mm, state.table.depth_mm
    sideways = facing_rad in EDGES_RAD[:2]
    long_mm, across_mm = (width, depth) if sideways else (depth, width)
    ranks = int((across_mm if whole else across_mm / 2) // STEP_MM)
    steps = int((long_mm - 2 * INSET_MM - block.wide_mm) // STEP_MM) + 1
    for rank in range(ranks):
        back_mm = INSET_MM + block.deep_mm / 2 + rank * STEP_MM
        for step in range(max(0, steps)):
            along_mm = INSET_MM + block.wide_mm / 2 + step * STEP_MM
            if sideways:
                yield along_mm, back_mm if facing_rad > 0 else depth - back_mm
            else:
                yield back_mm if facing_rad == 0 else width - back_mm, along_mm


def _list_rooms(
    block: _Block, facing_rad: float, state: GameState, ground: BaseGeometry, *, whole: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    """Return the spots at which a block is on some ground, and what it covers there."""
    spots = np.array(list(_list_spots(block, facing_rad, state, whole=whole))).reshape(-1, 2)
    areas = _build_areas(block, facing_rad, spots)
    shapely.prepare(ground)
    within = shapely.covers(ground, areas)
    return spots[within], areas[within]


def _build_areas(block: _Block, facing_rad: float, spots_mm: NDArray[np.float64]) -> NDArray[np.object_]:
    """Return the rectangles that a block covers about some spots; it faces along an edge of the table."""
    deep, wide = block.deep_mm / 2, block.wide_mm / 2
    x, y = (wide, deep) if facing_rad in EDGES_RAD[:2] else (deep, wide)
    boxes = shapely.box(spots_mm[:, 0] - x, spots_mm[:, 1] - y, spots_mm[:, 0] + x, spots_mm[:, 1] + y)
    return np.asarray(boxes, dtype=np.object_)


def _place_block(unit: Unit, block: _Block, facing_rad: float, x_mm: float, y_mm: float) -> dict[str, Pose]:
    ahead, aside = math.cos(facing_rad), math.sin(facing_rad)
    return {
        model.id: Pose(
            x_mm=round(x_mm + x * ahead - y * aside, 3),
            y_mm=round(y_mm + x * aside + y * ahead, 3),
            facing_rad=facing_rad,
        )
        for model, (x, y) in zip(unit.models, block.places, strict=True)
    }


GAME = "the game"
"""What errors call the situation that armies come to."""


def compose_situation(
    table: Table,
    rulebook: str,
    armies: Sequence[Army],
    terrain: Sequence[Terrain] = (),
    *,
    objectives: Sequence[Objective] = (),
    deployment: Sequence[DeploymentZone] = (),
    parameters: Mapping[str, Setting] | None = None,
    placed: bool = False,
    avoid_mm: Iterable[Sequence[tuple[float, float]]] = (),
) -> dict[str, Any]:
    """Return the situation that armies come to.

    Models have ids such as ``scouts-1``.  They have no place until the camera sees them, or stand in rows along their
    player's edge, so that they can be set up as they are shown.

    Args:
        table: the table.
        rulebook: its id.
        armies: at least one, each of a player of its own.
        terrain: what stands on the table.
        objectives: what is fought for.
        deployment: where players set up; models in rows stand there.
        parameters: the rulebook's, where they are not the usual ones.
        placed: give the models places in rows.
        avoid_mm: outlines that models in rows keep clear of, beside the terrain, such as those of anchors.

    Raises:
        BadInput: a player has two armies, a unit has no base, an army is of another rulebook, the rulebook does not
            take what is entered of a unit, or there is no room; the sentence names the player and the unit.

    """
    _check_armies(rulebook, armies)
    ids = IdAllocator()
    units: dict[str, Unit] = {}
    names = []
    for army in armies:
        called = _NameAllocator(army)
        for unit in army.units:
            unit_id, model_ids = ids.allocate(unit, army.player)
            part = _build_unit(unit, army.player, unit_id, model_ids, called.allocate(unit, unit_id))
            if unit_id in units:
                units[unit_id] = _join(units[unit_id], part)
            else:
                names.append((army.player, unit.part_of or unit.name, unit_id))
                units[unit_id] = part
    state = GameState(
        rulebook=rulebook,
        table=table,
        units=tuple(units.values()),
        terrain=tuple(terrain),
        objectives=tuple(objectives),
        deployment=tuple(deployment),
        parameters=dict(parameters or {}),
    )
    if placed:
        state = state.place_models(place_models(state, avoid_mm))
    document = encode_situation(state)
    try:
        judge(parse_situation(document, GAME).state, None)
    except BadInput as error:
        raise BadInput(_use_entered_names(str(error), names)) from None
    return document


def place_models(state: GameState, avoid_mm: Iterable[Sequence[tuple[float, float]]] = ()) -> dict[str, Pose | None]:
    """Return a place for every model, in rows along its player's edge; errors as in `compose_situation`."""
    poses = place_in_rows(state, tuple(avoid_mm))
    unplaced = next((model.id for _, model in state.iterate_models() if model.id not in poses), None)
    if unplaced is not None:
        raise BadInput(f"there is no room on the table for {unplaced}; take a larger table, or fewer models")
    return dict(poses)


def _build_unit(unit: ArmyUnit, player: str, unit_id: str, model_ids: Sequence[str], name: str) -> Unit:
    shape = unit.require_base(player).shape
    return Unit(
        id=unit_id,
        player=player,
        keywords=frozenset(word.lower() for word in unit.keywords),
        profile=dict(unit.profile),
        status=unit.status,
        models=tuple(Model(id=model, base=shape, pose=None) for model in model_ids),
        name=name,
    )


class _NameAllocator:
    """Gives out what people call the units of an army: as the list has it, and the second of a name with a 2.

    Players tell their units from those of others by the army's colour, so that no name says whose it is.
    """

    def __init__(self, army: Army) -> None:
        self._names: dict[str, str] = {}
        """By the unit's id."""
        self._listed = {_tidy_name(unit).casefold() for unit in army.units}
        self._given = set[str]()

    def allocate(self, unit: ArmyUnit, unit_id: str) -> str:
        """Return a unit's name; empty where the id says it.  An id that a person has chosen is shown as it is."""
        if unit.id is not None:
            return ""
        if unit_id not in self._names:
            name = _tidy_name(unit)
            if name.casefold() in self._given:
                others = (f"{name[: LONGEST_NAME - 5]} {number}" for number in itertools.count(2))
                name = next(one for one in others if one.casefold() not in self._listed | self._given)
            self._given.add(name.casefold())
            self._names[unit_id] = name
        name = self._names[unit_id]
        return "" if name in (unit_id, unit_id.replace("-", " ")) else name


def _tidy_name(unit: ArmyUnit) -> str:
    return " ".join((unit.part_of or unit.name).split())[:LONGEST_NAME]


def _join(unit: Unit, part: Unit) -> Unit:
    """Return one unit of both, which has the keywords of both and moves as its slowest models do."""
    moves: dict[str, Setting] = {}
    for key in unit.profile.keys() & part.profile.keys():
        one, other = unit.profile[key], part.profile[key]
        if label_key(key) == "move" and isinstance(one, int | float) and isinstance(other, int | float):
            moves[key] = min(one, other)
    return replace(
        unit,
        keywords=unit.keywords | part.keywords,
        profile={**part.profile, **unit.profile, **moves},
        status=tuple(dict.fromkeys((*unit.status, *part.status))),
        models=(*unit.models, *part.models),
    )


def _check_armies(rulebook: str, armies: Sequence[Army]) -> None:
    if not armies:
        raise BadInput("there is no army yet; enter one unit at least")
    players = [army.player for army in armies]
    if twice := next((player for player in players if players.count(player) > 1), None):
        raise BadInput(f"player {twice!r} has two armies; put them in one, or give one of them another player")
    for army in armies:
        if army.rulebook not in (None, rulebook):
            raise BadInput(f"the army of {army.player!r} is for {army.rulebook}, but the game is {rulebook}")


def _use_entered_names(text: str, names: Sequence[tuple[str, str, str]]) -> str:
    """Return an error of the referee with units called as they were entered."""
    text = text.removeprefix(f"{GAME}: ")

    def entered(place: re.Match[str]) -> str:
        player, name, _ = names[int(place[1])]
        return f"{player}, {name}: "

    text = re.sub(r"units\[(\d+)\]\.", entered, text)
    for player, name, unit_id in names:
        text = text.replace(f'unit "{unit_id}": ', f"{player}, {name}: ")
    return text
