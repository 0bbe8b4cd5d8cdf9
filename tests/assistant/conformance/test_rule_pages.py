import json
from pathlib import Path

from assistant.conformance.rule_pages import write_rule_pages
from assistant.rules.books import find_rulebook
from tests.rulebook_cases import CASES


def test_a_rule_links_to_its_cases_and_says_what_becomes_of_it(tmp_path: Path) -> None:
    folder, out = tmp_path / "cases", tmp_path / "pages"
    folder.mkdir()
    for name in ("act-03-too-far", "situation-run-along-the-hut"):
        document = json.loads((CASES / "activation-skirmish" / f"{name}.json").read_text(encoding="utf-8"))
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    ((path, page),) = write_rule_pages(folder, out).items()
    assert path == out / "activation-skirmish.md"
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in page.splitlines() if row.startswith("| act-")}
    assert [*rows] == [rule.id for rule in find_rulebook("activation-skirmish").rules]
    assert rows["act-03"].endswith("| judged | [too far](../cases/act-03-too-far.json) |")
    assert "| judged; the sum of act-17 and act-18" in rows["act-05"]
    assert "not covered" in rows["act-24"]
    assert page.endswith("together: [situation run along the hut](../cases/situation-run-along-the-hut.json).\n")
