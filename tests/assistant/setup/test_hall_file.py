"""The hall file, as JSON and as a photo of the sheet with its code; what is none, or out of date, gets its sentence."""

import datetime
import json
from pathlib import Path

import cv2
import numpy as np
import pytest
import segno
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.hall.folder import HallFolder, make_hall
from assistant.setup.hall_file import HallFile, parse_hall_file, read_hall_file
from assistant.web import certificate

SHEET_PX = (2100, 2970)
"""A4 at 10 pixels a millimetre."""
PHOTOS = {
    "straight": [(700, 200), (2500, 200), (2500, 2745), (700, 2745)],
    "leaning": [(800, 260), (2440, 150), (2700, 2850), (620, 2600)],
    "farther": [(980, 600), (2220, 630), (2240, 2350), (1000, 2380)],
    "upside down": [(2500, 2745), (700, 2745), (700, 200), (2500, 200)],
}
"""Where the sheet's corners are in photos of 3200 by 3000 pixels."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> HallFolder:
    made = make_hall(
        tmp_path_factory.mktemp("hall") / "cup",
        name='The "Autumn" Cup',
        addresses=("192.0.2.7", "192.168.178.123", "10.20.30.40"),
    )
    made.add(tables=("1", "stream"))
    made.write()
    return made


def print_sheet(text: str) -> NDArray[np.uint8]:
    """Return a sheet's page, 10 pixels a millimetre, with its code as large as it is printed."""
    code = np.array([[0 if dark else 255 for dark in row] for row in segno.make(text, error="m", micro=False).matrix])
    page = np.full((SHEET_PX[1], SHEET_PX[0]), 255, np.uint8)
    edge = 1100
    page[900 : 900 + edge, 500 : 500 + edge] = cv2.resize(
        code.astype(np.uint8), (edge, edge), interpolation=cv2.INTER_NEAREST
    )
    cv2.putText(page, "Table 7", (700, 500), cv2.FONT_HERSHEY_SIMPLEX, 6, 0, 20)
    return page


def take_photo(page: NDArray[np.uint8], corners: list[tuple[int, int]]) -> NDArray[np.uint8]:
    """Return what a phone makes of a sheet on a table in a lit room: blurred a little, grainy, darker on one side."""
    depth, width = page.shape
    sheet = np.array([(0, 0), (width, 0), (width, depth), (0, depth)], np.float32)
    lens = cv2.getPerspectiveTransform(sheet, np.array(corners, np.float32))
    seen = cv2.warpPerspective(page, lens, (3200, 3000), flags=cv2.INTER_AREA, borderValue=(110,)).astype(np.float64)
    light = np.linspace(0.95, 0.6, 3200)[None, :]
    grain = np.random.default_rng(7).normal(0, 6, seen.shape)
    photo = cv2.GaussianBlur(seen * light, (0, 0), 1.5) + grain
    taken: NDArray[np.uint8] = np.clip(photo, 0, 255).astype(np.uint8)
    return taken


@pytest.mark.parametrize("corners", PHOTOS.values(), ids=PHOTOS.keys())
def test_a_photo_of_a_tables_sheet_is_its_file(
    folder: HallFolder, tmp_path: Path, corners: list[tuple[int, int]]
) -> None:
    text = folder.build_hall_file(folder.event.tables[1]).model_dump_json()
    photo = take_photo(print_sheet(text), corners)
    cv2.imwrite(str(tmp_path / "photo.jpg"), photo)
    own = read_hall_file(folder.path / "tables" / "stream.json")
    assert read_hall_file(tmp_path / "photo.jpg") == own
    assert parse_hall_file((tmp_path / "photo.jpg").read_bytes(), "photo.jpg") == own


def test_a_picture_without_such_a_code_gets_its_sentence(tmp_path: Path) -> None:
    wall, other, none = tmp_path / "wall.png", tmp_path / "other.png", tmp_path / "none.jpg"
    cv2.imwrite(str(wall), np.full((200, 200), 128, np.uint8))
    cv2.imwrite(str(other), cv2.resize(print_sheet("https://club.example"), None, fx=0.3, fy=0.3))
    none.write_text("no picture")
    for path, sentence in (
        (wall, r"wall\.png: no QR code was read in it"),
        (other, r"other\.png: its QR code is none of a hall's"),
        (none, r"none\.jpg: this is no picture"),
        (tmp_path / "lacking.png", r"lacking\.png: there is no such file"),
        (tmp_path / "folder.png", r"folder\.png: cannot be read"),
    ):
        if path.name == "folder.png":
            path.mkdir()
        with pytest.raises(BadInput, match=sentence):
            read_hall_file(path)


def test_what_a_page_sends_is_a_file_or_a_picture(folder: HallFolder) -> None:
    file = folder.path / "tables" / "1.json"
    assert parse_hall_file(file.read_bytes(), "1.json") == read_hall_file(file)
    for data, sentence in (
        (b"", "this is no picture that can be read"),
        (b"%PDF-1.7 a sheet", "this is no picture that can be read"),
        (b'{"format": ', "this is no hall's file; load that of this table"),
        (b'{"format": "overtable.lens/1"}', "format: expected 'overtable.hall/1'"),
        (b"{" * 100_000, "this is no hall's file"),
    ):
        with pytest.raises(BadInput, match=f"^sheet: .*{sentence}"):
            parse_hall_file(data, "sheet")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"authority": "A" * 200}, "authority: it is no certificate"),
        ({"table": "../7"}, "table: string should match pattern"),
        ({"servers": ["hall\\x:4222"]}, "servers.* should match pattern"),
        ({"servers": []}, "servers: expected at least 1 in the list"),
        ({"format": "overtable.lens/1"}, "format: expected 'overtable.hall/1'"),
    ],
)
def test_a_file_that_is_none_gets_its_sentence(
    folder: HallFolder, tmp_path: Path, changed: dict[str, object], sentence: str
) -> None:
    file = tmp_path / "7.json"
    file.write_text(json.dumps({**json.loads((folder.path / "tables" / "1.json").read_text()), **changed}))
    with pytest.raises(BadInput, match=sentence):
        read_hall_file(file)


def test_a_file_may_be_told_another_address(folder: HallFolder, tmp_path: Path) -> None:
    told = json.loads((folder.path / "tables" / "1.json").read_text())
    for server in ("[2001:db8::7]:4222", "hall-machine.local:4222"):
        (tmp_path / "7.json").write_text(json.dumps({**told, "servers": [server]}))
        assert read_hall_file(tmp_path / "7.json").servers == (server,)


def test_a_file_that_is_out_of_date_says_until_when_it_was_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(lasts_h: int) -> HallFile:
        monkeypatch.setattr(certificate, "LASTS", datetime.timedelta(hours=lasts_h))
        made = make_hall(tmp_path / f"cup{lasts_h}", name="Cup", addresses=("192.0.2.7",))
        made.add(tables=("1",))
        return made.build_hall_file(made.event.tables[0])

    make(1).check_date("1.json")
    with pytest.raises(
        BadInput, match=r"^1\.json: it is valid from 20\d\d-\d\d-\d\d to .* look at this machine's date"
    ):
        make(-1).check_date("1.json")
