"""`overtable enrol` on rendered pictures, and what it leaves of the set-up file."""

import math
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from assistant.cli.enrol import enrol
from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP as DEMO_SETUP
from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_leaf, build_virtual_table
from assistant.game.base_spec import BaseSpec
from assistant.setup.bases import RingedBase, TaggedBase, TagInBase
from assistant.setup.editing import EnrolmentForm, keep_enrolment
from assistant.setup.file import read_setup
from hardware.simulation.scene import Placement
from tests.assistant.features.demo.test_virtual_table_enrolment import ANCHORS, ASIDE, BASES, HALF_ROUND, build_table

ROUND = BASES[0]
SETUP = (
    """# our table
format = "overtable.setup/1"
table = {width_mm = 1524, depth_mm = 1118}   # in the club
[camera]
source = "usb:0"
"""
    + "".join(f"[[anchors]]\ntag = {a.tag}\nx_mm = {a.x_mm}\ny_mm = {a.y_mm}\nsize_mm = {a.size_mm}\n" for a in ANCHORS)
    + """
[[bases]]
model = "scout"   # the first
tag = 77
base = {round_mm = 32}
size_mm = 16
tag_in_base = {y_mm = 0.0, x_mm = 8.0}  # by eye
"""
)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the round base on the sheet at two turns, and turned on the spot."""
    folder = tmp_path_factory.mktemp("pictures")
    shown, _ = build_table("1080p")
    for name, at in (("ring-1", ASIDE), ("ring-2", HALF_ROUND)):
        shown.lay_sheet(build_leaf(ROUND.outline_mm), at)
        shown.move(ROUND.marker, at)
        cv2.imwrite(str(folder / f"{name}.png"), shown.render())
    shown.lay_sheet(None)
    for number, turn in enumerate(np.linspace(0, 5.5, 10)):
        shown.move(ROUND.marker, Placement(x_mm=500, y_mm=300, facing_rad=math.pi / 2 + turn))
        cv2.imwrite(str(folder / f"turn-{number:02}.png"), shown.render())
    shown.move(ROUND.marker, None)
    cv2.imwrite(str(folder / "bare.png"), shown.render())
    return folder


@pytest.fixture
def setup(tmp_path: Path) -> Path:
    path = tmp_path / "setup.toml"
    path.write_text(SETUP)
    return path


def run(*arguments: object) -> EnrolmentForm:
    done = CliRunner().invoke(enrol, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return EnrolmentForm.model_validate_json(done.stdout)


def read_refusal(*arguments: object) -> str:
    with pytest.raises(BadInput) as refused:
        CliRunner().invoke(enrol, [str(argument) for argument in arguments], catch_exceptions=False)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def check(form: EnrolmentForm) -> None:
    assert isinstance(form.found, TaggedBase)
    tag = form.found.tag_in_base
    assert (form.found.tag, form.found.size_mm) == (ROUND.marker, 16)
    assert math.hypot(tag.x_mm - 5, tag.y_mm + 2) < 0.3
    assert abs(tag.facing_deg - math.degrees(0.5)) < 1
    assert 0 < tag.sigma_mm < 0.5


def test_two_pictures_enrol_a_model_and_leave_the_rest_of_the_file(pictures: Path, setup: Path) -> None:
    form = run("--setup", setup, "--model", "scout", *sorted(pictures.glob("ring-*")))
    check(form)
    assert (form.places, form.advice, form.written) == (2, "", True)
    (kept,) = read_setup(setup).bases
    assert kept == form.found
    lines = setup.read_text().splitlines()
    before = SETUP.splitlines()
    assert lines[: len(before) - 3] == [line.replace("tag = 77", "tag = 1") for line in before[:-3]]
    assert re.fullmatch(r"tag_in_base = \{x_mm = [\d.]+, y_mm = -?[\d.]+, .*\}  # by eye", lines[len(before) - 1])
    assert isinstance(form.found, TaggedBase)
    enrolled = read_setup(setup).enrolled_bases[1]
    assert enrolled.offset_sigma_mm == form.found.tag_in_base.sigma_mm
    assert enrolled.height_sigma_mm == form.found.height_sigma_mm


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A picture of two halos on the table."""
    halos = [
        RingedBase(ring=ring, ring_kind="halo", model=model, base=BaseSpec(round_mm=32), height_mm=4)
        for ring, model in ((17, "captain-1"), (40, "warlord-1"))
    ]
    demo = read_demo("warhammer-40k-10e")
    path = tmp_path_factory.mktemp("shown") / "halos.png"
    laid = demo.setup.model_copy(update={"bases": tuple(halos)})
    cv2.imwrite(str(path), build_virtual_table(laid, demo.state).render())
    return path


def test_a_ring_is_read_from_a_picture_and_needs_no_measuring(shown: Path, tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    path.write_text(DEMO_SETUP.read_text())
    scout = ("--setup", path, "--model", "scout", "--base", "round:32", "--ring", "halo", shown)
    assert "ring 17, ring 40 are seen and are nobody's yet; show one ring at a time" in read_refusal(*scout)
    keep_enrolment(path, RingedBase(ring=40, ring_kind="halo", model="lord", base=BaseSpec(round_mm=32), height_mm=4))
    form = run(*scout)
    assert isinstance(form.found, RingedBase)
    assert (form.found.ring, form.found.ring_in_base.sigma_mm, form.places) == (17, 0.3, 0)
    assert read_setup(path).bases[1] == form.found
    other = ("--setup", path, "--model", "other", "--base", "round:32", "--ring", "halo", shown)
    assert "no halo for a base round:32 is read that is nobody's yet; seen are those of lord, scout" in read_refusal(
        *other
    )
    assert "leave out --turn and --size" in read_refusal(*scout, "--size", 16)


def test_an_entry_may_have_its_offset_in_a_table_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    own = "[bases.tag_in_base]   # glued on askew\nx_mm = 8.0\n"
    path.write_text(SETUP.replace("tag_in_base = {y_mm = 0.0, x_mm = 8.0}  # by eye\n", own))
    (before,) = read_setup(path).bases
    section = before.model_copy(update={"tag_in_base": TagInBase(x_mm=7.5, y_mm=1, sigma_mm=0.2), "height_mm": 3.5})
    keep_enrolment(path, section)
    assert read_setup(path).bases == (section,)
    assert "[bases.tag_in_base]   # glued on askew\nx_mm = 7.5\n" in path.read_text()
    assert "size_mm = 16\n" in path.read_text()


def test_a_model_in_a_list_of_models_is_entered_there(tmp_path: Path) -> None:
    path = tmp_path / "setup.toml"
    (before,) = read_setup(write_setup(tmp_path, SETUP)).bases
    listed = 'bases = [{tag = 5, model = "five", base = {round_mm = 25}, size_mm = 16}]\n'
    path.write_text(SETUP[: SETUP.index("[[bases]]")].replace("table = {", listed + "table = {"))
    keep_enrolment(path, before)
    assert [base.model for base in read_setup(path).bases] == ["five", "scout"]


def test_what_would_spoil_the_file_is_not_written(tmp_path: Path) -> None:
    path = write_setup(tmp_path, SETUP)
    (before,) = read_setup(path).bases
    with pytest.raises(BadInput, match="tag 580 is used twice, by an anchor and by model 'scout'"):
        keep_enrolment(path, before.model_copy(update={"tag": 580}))
    assert path.read_text() == SETUP


def write_setup(folder: Path, text: str) -> Path:
    path = folder / "setup.toml"
    path.write_text(text)
    return path


def test_a_model_without_an_entry_gets_one(pictures: Path, setup: Path) -> None:
    form = run("--setup", setup, "--model", "new", "--base", "round:32", "--size", 16, *pictures.glob("ring-*"))
    check(form)
    assert [base.model for base in read_setup(setup).bases] == ["scout", "new"]
    assert setup.read_text().startswith(SETUP)
    setup.write_text(SETUP[: SETUP.index("[[bases]]")])
    run("--setup", setup, "--model", "new", "--base", "round:32", "--size", 16, *pictures.glob("ring-*"))
    assert [base.model for base in read_setup(setup).bases] == ["new"]


def test_a_model_that_was_turned_is_enrolled_without_a_sheet(pictures: Path, setup: Path) -> None:
    turned = sorted(pictures.glob("turn-*"))
    film = pictures / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 5, (1920, 1080))
    for path in turned:
        writer.write(np.asarray(cv2.imread(str(path))))
    writer.release()
    form = run("--setup", setup, "--model", "scout", "--turn", "--height", 4, "--dry-run", film)
    check(form)
    assert (form.places, form.written) == (0, False)
    assert setup.read_text() == SETUP


def test_the_same_picture_twice_is_one_place_and_says_what_would_help(pictures: Path, setup: Path) -> None:
    same = str(pictures / "ring-1.png")
    done = CliRunner().invoke(enrol, ["--setup", str(setup), "--model", "scout", "--dry-run", same, same])
    assert done.stdout.startswith("scout: tag 1 at x ")
    assert "Turn the sheet half round" in done.stdout
    assert "Nothing was written." in done.stdout


def test_what_cannot_be_used_is_said_and_nothing_is_written(pictures: Path, setup: Path) -> None:
    ring, bare = pictures / "ring-1.png", pictures / "bare.png"
    known = ("--setup", setup, "--model", "scout")
    new = ("--setup", setup, "--model", "new")
    assert "--base is missing" in read_refusal(*new, ring)
    assert "--size is missing" in read_refusal(*new, "--base", "round:32", ring)
    assert "base 'square': expected round:DIAMETER" in read_refusal(*new, "--base", "square", ring)
    assert "says that scout has the base round:32" in read_refusal(*known, "--base", "round:40", ring)
    assert f"{bare}: 0 of the sheet's 8 tags are seen" in read_refusal(*known, bare)
    assert "scout: no tag is seen to turn" in read_refusal(*known, "--turn", ring, ring)
    assert "this is not a still picture" in read_refusal(*known, setup)
    setup.write_text(SETUP.replace("tag = 77", "tag = 1").replace('"scout"', '"other"'))
    assert "tag 1 is that of other" in read_refusal(*new, "--base", "round:32", "--size", 16, ring)
    assert [path.name for path in setup.parent.iterdir()] == ["setup.toml"]
    assert setup.read_text() == SETUP.replace("tag = 77", "tag = 1").replace('"scout"', '"other"')
