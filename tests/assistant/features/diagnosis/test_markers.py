"""What the doctor says of rings and of terrain that the camera sees."""

import re
from pathlib import Path

from assistant.features.camera.markers import build_markers
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.diagnosis.camera import CameraSample, analyse_sample, check_picture
from assistant.features.diagnosis.markers import check_bases, check_rings, check_terrain
from assistant.game.base_spec import BaseSpec
from assistant.game.state import NO_RULEBOOK, GameState, Model, Pose, Table, Terrain, Unit
from assistant.setup.bases import MarkedTerrain, RingedBase
from assistant.setup.file import read_setup
from hardware.camera.frame_source import Identity
from hardware.frame import Frame


def test_rings_that_are_read_are_counted_and_the_others_named() -> None:
    base = BaseSpec(round_mm=40)
    rings = tuple(
        RingedBase(ring=ring, ring_kind="halo", model=model, base=base, height_mm=4.0)
        for ring, model in ((17, "here"), (18, "away"))
    )
    setup = read_setup(SETUP).model_copy(update={"bases": rings})
    models = (
        Model(id="here", base=base.shape, pose=Pose(x_mm=600, y_mm=500)),
        Model(id="away", base=base.shape, pose=None),
    )
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    unit = Unit(id="u", player="p", models=models)
    shown = build_virtual_table(setup, GameState(rulebook=NO_RULEBOOK, table=table, units=(unit,))).render()
    frames = tuple(Frame(camera="x", sequence=n, captured_ns=n * 100_000_000, image=shown) for n in range(3))
    markers, _ = build_markers(setup, Path("setup.toml"), None)
    sight = analyse_sample(CameraSample(frames=frames, identity=Identity(), rate=None), markers)
    assert sight.pipeline.camera is not None
    (told,) = check_rings(setup, sight.pipeline.camera, sight)
    assert told.level == "could-be-better"
    assert told.fact.startswith("halos, 40 mm, round: a cell is ")
    assert told.fact.endswith("1 of 2 are read, not ring 18")
    assert "1 of 2 are seen, placed within" in next(check_bases(setup, sight)).fact
    assert next(check for check in check_picture(sight) if check.about == "focus").level == "good"


def test_marked_terrain_is_counted_and_a_wrong_height_is_told() -> None:
    def mark(piece: str, tag: int, height_mm: float = 20.0) -> MarkedTerrain:
        return MarkedTerrain(piece=piece, tag=tag, size_mm=30, height_mm=height_mm)

    pieces = tuple(
        Terrain(id=name, outline_mm=((x, 400.0), (x + 100, 400.0), (x + 100, 500.0), (x, 500.0)), height_mm=20)
        for name, x in (("hill", 500.0), ("rock", 900.0))
    )
    marks = (mark("hill", 540), mark("rock", 541, 60.0), mark("pond", 542))
    laid = read_setup(SETUP).model_copy(update={"terrain": marks})
    table = Table(width_mm=laid.table.width_mm, depth_mm=laid.table.depth_mm)
    shown = build_virtual_table(laid, GameState(rulebook=NO_RULEBOOK, table=table, units=(), terrain=pieces)).render()
    frames = tuple(Frame(camera="x", sequence=n, captured_ns=n * 100_000_000, image=shown) for n in range(3))
    for told, level, fact in (
        (marks, "could-be-better", "2 of 3 marked pieces are seen, not pond"),
        (marks[:2], "good", "2 of 2 marked pieces are seen"),
        ((marks[0], mark("rock", 541, 0.0)), "bad", "2 of 2 marked pieces are seen; too high: rock by 60 mm"),
        ((), "", ""),
    ):
        setup = laid.model_copy(update={"terrain": told})
        markers, _ = build_markers(setup, Path("setup.toml"), None)
        sight = analyse_sample(CameraSample(frames=frames, identity=Identity(), rate=None), markers)
        checks = [(c.level, re.sub(r"(5[4-9]|6[0-6]) mm", "60 mm", c.fact)) for c in check_terrain(setup, sight)]
        assert checks == ([(level, fact)] if fact else [])
