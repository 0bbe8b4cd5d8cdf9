"""What the doctor says of rings that the camera sees."""

from pathlib import Path

from assistant.features.camera.markers import build_markers
from assistant.features.demo.catalogue import SETUP
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.features.diagnosis.camera import CameraSample, analyse_sample, check_picture
from assistant.features.diagnosis.markers import check_bases, check_rings
from assistant.game.base_spec import BaseSpec
from assistant.game.state import NO_RULEBOOK, GameState, Model, Pose, Table, Unit
from assistant.setup.bases import RingedBase
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
