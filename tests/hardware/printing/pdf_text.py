"""Text of a PDF as a viewer that searches it reads it: through each font's map to Unicode."""

import re
import zlib


def list_objects(document: bytes) -> dict[int, bytes]:
    """Return the objects of a PDF by their number."""
    found = re.findall(rb"(?m)^(\d+) 0 obj\n(.*?)\nendobj", document, re.DOTALL)
    return {int(number): body for number, body in found}


def read_stream(body: bytes) -> bytes:
    """Return what the stream of an object holds."""
    match = re.search(rb"stream\r?\n(.*)\r?\n?endstream", body, re.DOTALL)
    assert match
    return zlib.decompressobj().decompress(match[1])


def list_contents(document: bytes) -> list[bytes]:
    """Return what is drawn on each page."""
    objects = list_objects(document)
    pages = [body for body in objects.values() if re.search(rb"/Type /Page\b(?!s)", body)]
    numbers = [re.search(rb"/Contents (\d+) 0 R", body) for body in pages]
    return [read_stream(objects[int(number[1])]) for number in numbers if number]


def list_lines(document: bytes) -> list[str]:
    """Return the lines of text of a PDF in the order in which they are drawn."""
    maps = _read_maps(document)
    lines = []
    for content in list_contents(document):
        for block in re.findall(rb"(?<=BT )(.*?)(?= ET)", content, re.DOTALL):
            shown = re.finditer(rb"/(\S+) [\d.]+ Tf|\(((?:\\.|[^\\)])*)\) Tj", block, re.DOTALL)
            line, font = "", b""
            for each in shown:
                if each[1]:
                    font = each[1]
                else:
                    line += "".join(maps[font][code] for code in _unescape(each[2]))
            lines.append(line)
    return lines


def _read_maps(document: bytes) -> dict[bytes, dict[int, str]]:
    """Return for each font which letter a code stands for."""
    objects, maps = list_objects(document), {}
    for body in objects.values():
        name, to = re.search(rb"/Name /(\S+)", body), re.search(rb"/ToUnicode (\d+) 0 R", body)
        if name and to:
            cmap = read_stream(objects[int(to[1])]).decode("ascii")
            pairs = re.findall(r"(?m)^<(\w\w)> <(\w{4})>$", cmap)
            maps[name[1]] = {int(code, 16): chr(int(letter, 16)) for code, letter in pairs}
    return maps


def _unescape(text: bytes) -> bytes:
    return re.sub(
        rb"\\([0-7]{3}|.)",
        lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(m[1], m[1]),
        text,
        flags=re.DOTALL,
    )
