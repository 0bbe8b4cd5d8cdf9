"""Code pages: lists that older programs wrote are read with the names that were typed."""

from pathlib import Path

import pytest

from assistant.armies.formats import read_armies
from assistant.armies.formats.army_format import decode_text
from assistant.armies.formats.code_pages import find_encoding
from assistant.errors import BadInput

RUSSIAN = "# Красные\n5 Стрелков 32mm\nЁж-лейтенант 40\nБоевой фургон орков 100x60\nАРМИЯ МХА 32mm\nЯщеры x3 50mm"
UKRAINIAN = "# Сині\n5 Лицарів ночі 32mm\nЇжак 40\n10 Гвардійців 25mm\nЄгері 28.5"
GREEK = "# Κόκκινοι\n5 Στρατιώτες 32mm\nΆνδρες του δάσους 25mm\nΉρωας 40\nΒΑΡΥ ΠΕΖΙΚΟ 40\nΊππείς x3 60x35 oval"
FRENCH = "# Élan\n5 Chevaliers de l’épée 32mm\nGardes à pied 25mm\nCœur de chêne 40\n• Forêt 50mm – 1"
POLISH = "# Żółw\n5 Strażników mchu 32mm\nŚwięty wojownik 40\nŁucznicy x10 25mm"
TURKISH = "# Şövalyeler\n5 Savaşçı 32mm\nAğır piyade x10 25mm"
HEBREW = "# שומרים\n5 אבירים 32mm\nדרקון 100"
ARABIC = "# حراس\n5 فرسان 32mm\nتنين 100"
PAGES = [
    *((RUSSIAN, page) for page in ("cp1251", "koi8-r", "cp866", "iso8859-5")),
    *((UKRAINIAN, page) for page in ("cp1251", "koi8-u", "iso8859-5")),
    *((GREEK, page) for page in ("cp1253", "iso8859-7")),
    *((POLISH, page) for page in ("cp1250", "iso8859-2")),
    *((FRENCH, "cp1252"), (TURKISH, "cp1254"), (HEBREW, "cp1255"), (ARABIC, "cp1256")),
]


@pytest.mark.parametrize(("text", "page"), PAGES, ids=[page for _, page in PAGES])
def test_a_list_in_an_older_page_is_read_as_it_was_typed(text: str, page: str, tmp_path: Path) -> None:
    data = text.encode(page)
    assert decode_text(data, "list.txt", "a list") == text
    paths = tmp_path / "old.txt", tmp_path / "new.txt"
    for path, content in zip(paths, (data, text.encode()), strict=True):
        path.write_bytes(content)
    assert read_armies(paths[0], None) == read_armies(paths[1], None)


@pytest.mark.parametrize("line", ["5 Стрелков 32mm", "10 Терминаторы с молотами", "# Љути витезови"])
def test_one_line_is_enough_in_cyrillic_letters(line: str) -> None:
    assert find_encoding(line.encode("cp1251")) == "cp1251"


@pytest.mark.parametrize(
    "line", ["5 Élite", "Gardes à pied", "Große Jäger", "• Señores", "Bjørn’s Blåmenn", "½ “Boyz” –"]
)
def test_one_accent_makes_no_other_alphabet(line: str) -> None:
    assert find_encoding(line.encode("cp1252")) == "cp1252"


def test_wider_letters_are_known_by_their_own_marks_and_damage_is_one_letters() -> None:
    text = f"{RUSSIAN}\n2 龍 🐉 50mm"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert decode_text(text.encode(encoding), "list.txt", "a list") == text
    damaged = text.encode().replace("Ё".encode(), b"\xd0")
    assert decode_text(damaged, "list.txt", "a list") == text.replace("Ё", "�")
    assert decode_text(text.encode()[:-9], "list.txt", "a list").startswith(RUSSIAN)


def test_rubbish_is_no_list() -> None:
    with pytest.raises(BadInput, match="a.txt: this is not a text file; expected a list"):
        decode_text(bytes(range(256)), "a.txt", "a list")
