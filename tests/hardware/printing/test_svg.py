import base64
import xml.etree.ElementTree as ET

import pytest

from hardware.printing.page import A4, LETTER, ClippedMarks, CutLine, InkArea, InkLine, Page, Paper, Photo, TextLine
from hardware.printing.svg import render_svg

SVG = "{http://www.w3.org/2000/svg}"
SQUARE = ((10.0, 20.0), (30.0, 20.0), (30.0, 40.0))


def parse_layers(page: Page) -> tuple[ET.Element, dict[str | None, ET.Element]]:
    root = ET.fromstring(render_svg(page, "sheet"))
    return root, {layer.get("id"): layer for layer in root.findall(f"{SVG}g")}


@pytest.mark.parametrize("paper", [A4, LETTER])
def test_a_unit_is_a_millimetre(paper: Paper) -> None:
    root, _ = parse_layers(Page(paper=paper, marks=()))
    assert root.get("width") == f"{paper.width_mm:g}mm"
    assert root.get("height") == f"{paper.height_mm:g}mm"
    assert root.get("viewBox") == f"0 0 {paper.width_mm:g} {paper.height_mm:g}"


def test_what_is_cut_is_apart_from_what_is_printed() -> None:
    marks = (CutLine(points_mm=SQUARE), InkArea(rings_mm=(SQUARE,)), InkLine(points_mm=SQUARE, dash_mm=(1.0, 0.5)))
    _, layers = parse_layers(Page(paper=A4, marks=marks))
    assert list(layers) == ["print", "cut"]
    (cut,) = layers["cut"]
    area, line = layers["print"]
    assert cut.get("d") == "M10.0000,277.0000 30.0000,277.0000 30.0000,257.0000Z"
    assert area.get("d") == cut.get("d")
    assert (area.get("fill"), area.get("fill-rule")) == ("#000000", "evenodd")
    assert (line.get("d"), line.get("stroke-dasharray")) == (str(cut.get("d"))[:-1], "1 0.5")
    assert layers["cut"].get("stroke") == "#ff00ff"


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a & b", "Ελένη", "]]>", '"quoted"', "tab\there"])
def test_names_are_text_whatever_is_in_them(text: str) -> None:
    marks = (TextLine(text=text, x_mm=50.0, y_mm=100.0, size_mm=3.0, centred=True, bold=True),)
    root, layers = parse_layers(Page(paper=A4, marks=marks))
    (line,) = layers["print"]
    assert line.text == text.replace("\t", " ")
    assert (line.get("x"), line.get("y"), line.get("text-anchor")) == ("50", "197", "middle")
    assert len(list(root.iter())) == 5


def test_clipped_pictures_are_carried_along() -> None:
    photo = Photo(jpeg=b"jpeg", width_px=4, height_px=2, left_mm=5.0, bottom_mm=7.0, width_mm=40.0, height_mm=20.0)
    _, layers = parse_layers(Page(paper=A4, marks=(ClippedMarks(ring_mm=SQUARE, marks=(photo,)),)))
    clip, group = layers["print"]
    (image,) = group
    assert group.get("clip-path") == f"url(#{clip.get('id')})"
    assert (image.get("x"), image.get("y")) == ("5", "270")
    assert str(image.get("href")).endswith(base64.b64encode(b"jpeg").decode())
