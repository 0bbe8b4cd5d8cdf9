"""How exactly marked terrain is placed that stands still, and how often it is asked about though nothing moved.

24 pieces by lot, from 0 to 127 mm high, in pictures of 1080p: tags of 24 mm or rings of 60 mm, their heights told
exactly or as by a ruler, with the lens known or solved from the anchors.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from assistant.features.camera.markers import build_markers
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.game.state import NO_RULEBOOK, GameState, Table, Terrain, TerrainPlace
from assistant.game.terrain_places import find_place, measure_shift, move_pieces
from assistant.setup.bases import MarkedTerrain, MarkInPiece
from assistant.setup.file import Setup, read_setup
from assistant.table.session import GameSession
from assistant.table.terrain_watch import list_resting
from hardware.camera.frame_source import PlaybackPace
from hardware.camera.virtual import VirtualCamera
from tests.vision.random_scenes import lens_from_camera
from vision.pipeline import Pipeline

HEIGHTS_MM = (0.0, 6.0, 38.0, 76.0, 127.0)
RULER_MM = 2.0
PICTURES = 100
SEEDS = (1, 2)


def run() -> Iterator[str]:
    """Yield a line for each kind of mark and each thing that is known of it."""
    for ringed in (False, True):
        for with_lens, ruler_mm in ((True, 0.0), (True, RULER_MM), (False, RULER_MM)):
            off = [each for seed in SEEDS for each in _measure(seed, ringed, with_lens, ruler_mm)]
            mm, degrees = np.array([each[:2] for each in off]).T
            yield (
                f"{'rings' if ringed else 'tags'}, heights {f'± {ruler_mm:g} mm' if ruler_mm else 'exact'},"
                f" {'lens known' if with_lens else 'lens from the anchors'}: {len(off)} of {12 * len(SEEDS)} at rest,"
                f" off by {mm.mean():.2f} mm (most {mm.max():.2f}), {degrees.mean():.2f}° (most {degrees.max():.2f}),"
                f" {sum(each[2] for each in off):.0f} asked about"
            )


def _measure(seed: int, ringed: bool, with_lens: bool, ruler_mm: float) -> Iterator[tuple[float, float, bool]]:
    """Yield of each piece that is seen at rest how far it is off, mm and degrees, and whether it is asked about."""
    laid, told, state = _lay(random.Random(seed), ringed=ringed, ruler_mm=ruler_mm)
    table = build_virtual_table(laid, state)
    camera = VirtualCamera(table, fps=15, pace=PlaybackPace.FREE)
    markers, _ = build_markers(told, SETUP, None, state.terrain)
    pipeline = Pipeline(markers=replace(markers, lens=lens_from_camera(table.camera) if with_lens else None))
    session, resting = GameSession(state), dict[str, TerrainPlace]()
    for _ in range(PICTURES):
        snapshot = pipeline.step(camera.read())
        session.observe(snapshot)
        resting = list_resting(snapshot.terrain)
    camera.close()
    for piece in state.terrain:
        if piece.id in resting:
            off_mm, off_rad = measure_shift(find_place(piece), resting[piece.id])
            yield off_mm, math.degrees(off_rad), piece.id in session.state.shifted


def _lay(luck: random.Random, *, ringed: bool, ruler_mm: float) -> tuple[Setup, Setup, GameState]:
    """Return the set-up as it lies, the set-up as it is told, and the game."""
    pieces, laid, told = list[Terrain](), list[MarkedTerrain](), list[MarkedTerrain]()
    for number in range(12):
        x, y = 240 + number % 4 * 345 + luck.uniform(-30, 30), 230 + number // 4 * 330 + luck.uniform(-30, 30)
        high_mm, name = luck.choice(HEIGHTS_MM), f"piece-{number}"
        outline = ((x - 65, y - 45), (x + 65, y - 45), (x + 65, y + 45), (x - 65, y + 45))
        traits = frozenset({"building"}) if high_mm else frozenset[str]()
        piece = Terrain(id=name, outline_mm=outline, height_mm=high_mm, traits=traits)
        place = replace(find_place(piece), facing_rad=luck.uniform(-3, 3))
        pieces += move_pieces((piece,), {name}, name, place)
        inside = MarkInPiece(x_mm=luck.uniform(-25, 25), y_mm=luck.uniform(-10, 10), facing_deg=luck.uniform(0, 360))
        mark = MarkedTerrain(
            piece=name,
            tag=None if ringed else 500 + number,
            size_mm=None if ringed else 24.0,
            ring=20 + number if ringed else None,
            round_mm=60.0 if ringed else None,
            mark_in_piece=inside,
            height_mm=max(high_mm, 0.3),
        )
        laid.append(mark)
        told.append(mark.model_copy(update={"height_mm": max(0.0, mark.height_mm + luck.gauss(0, ruler_mm))}))
    setup = read_setup(SETUP)
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    return (
        setup.model_copy(update={"terrain": tuple(laid)}),
        setup.model_copy(update={"terrain": tuple(told)}),
        GameState(rulebook=NO_RULEBOOK, table=table, units=(), terrain=tuple(pieces)),
    )
