"""The pages of the rules are what the command makes of the rule tables and the cases: `overtable cases pages`."""

from assistant.conformance.rule_pages import write_rule_pages
from tests.docs.source_names import ROOT
from tests.rulebook_cases import CASES

PAGES = ROOT / "docs" / "rules"


def test_the_rules_pages_are_as_the_command_makes_them() -> None:
    made = write_rule_pages(CASES, PAGES)
    brought = {path for path in made if not (CASES / path.stem).is_dir()}
    stale = [path.name for path, text in made.items() if path not in brought and path.read_text("utf-8") != text]
    assert not stale, "make them anew: overtable cases pages tests/cases --out docs/rules"
    assert {path.name for path in PAGES.glob("*.md")} - {"README.md"} == {path.name for path in made.keys() - brought}
