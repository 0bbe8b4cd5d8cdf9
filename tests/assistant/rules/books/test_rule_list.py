"""The rule tables of the built-in books, held against the list of rules that lies beside the checkout."""

import re

from assistant.rules.books import list_rulebooks
from tests.shared_pictures import find_shared_folder


def test_every_table_has_the_rows_of_the_rules() -> None:
    text = (find_shared_folder("rules") / "RULES.md").read_text(encoding="utf-8")
    books = {book.id: book for book in list_rulebooks()}
    compared = 0
    for section in text.split("\n## ")[1:]:
        book = books.get(section.split()[0])
        if book is None:
            continue
        rows = re.findall(r"^\| ([a-z0-9-]+-\d+) \| ([A-Z/]+) \|", section, flags=re.MULTILINE)
        assert [(rule.id, rule.kind) for rule in book.rules] == rows
        compared += bool(rows)
    assert compared
