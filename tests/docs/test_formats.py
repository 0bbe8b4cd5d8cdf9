"""The pages of the file formats and the schemas say the same, key by key, and every example on them is one."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assistant.cli import overtable
from assistant.cli.schema import FORMATS
from tests.docs.source_names import ROOT

PAGES = ROOT / "docs" / "formats"
EXAMPLE = re.compile(r"^```(json|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`]+)`")
WITH_KEYS_OF = re.compile(r"^With the keys of (.*)\.$", re.MULTILINE)


def read_page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def list_examples(name: str) -> list[Any]:
    loads = {"json": json.loads, "toml": tomllib.loads}
    return [loads[kind](text) for kind, text in EXAMPLE.findall(read_page(name))]


def list_rows(text: str, *headings: str) -> list[list[str]]:
    """Return the cells of every row in tables whose first column has one of these headings."""
    rows, inside = list[list[str]](), False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not line.startswith("|"):
            inside = False
        elif cells[0] in headings:
            inside = True
        elif inside and not cells[0].startswith("---"):
            rows.append(cells)
    return rows


def find_page_keys(text: str) -> set[str]:
    first = {key for cells in list_rows(text, "key") for key in SPAN.findall(cells[0])}
    return first | {key for cells in list_rows(text, "kind", "value") for key in SPAN.findall(cells[1])}


def find_schema_keys(schema: dict[str, Any]) -> set[str]:
    return {key for part in (schema, *schema.get("$defs", {}).values()) for key in part.get("properties", {})}


def test_every_format_has_a_page_and_every_page_a_format() -> None:
    pages = {page.stem for page in PAGES.glob("*.md")} - {"README"}
    assert pages == {*FORMATS, "camera"}
    listed = {cells[0] for cells in list_rows(read_page("README"), "format")}
    assert {re.sub(r".*\((.*)\.md\)", r"\1", cell) for cell in listed} == pages


@pytest.mark.parametrize("name", FORMATS)
def test_a_page_is_headed_by_its_formats_name(name: str) -> None:
    heading = read_page(name).splitlines()[0]
    told = json.dumps(FORMATS[name].model_json_schema())
    said = re.findall(r"overtable\.[\w-]+/\d+", heading)
    assert len(said) == 1
    assert said[0] in told
    assert f"| [{said[0]}]({name}.md) | `{name}` |" in read_page("README")


@pytest.mark.parametrize("name", FORMATS)
def test_a_page_names_the_keys_of_its_schema_and_no_others(name: str) -> None:
    text = read_page(name)
    others = [other for line in WITH_KEYS_OF.findall(text) for other in SPAN.findall(line)]
    elsewhere = set[str]().union(*(find_page_keys(read_page(other)) for other in others))
    wanted, said = find_schema_keys(FORMATS[name].model_json_schema()), find_page_keys(text)
    assert (sorted(wanted - said - elsewhere), sorted(said - wanted)) == ([], [])


def test_the_journals_page_gives_every_kind_its_own_keys() -> None:
    schema = FORMATS["journal"].model_json_schema()
    said = {
        SPAN.findall(cells[0])[0]: SPAN.findall(cells[1]) for cells in list_rows(read_page("journal"), "kind", "value")
    }
    parts = {name: list(part["properties"]) for name, part in schema["$defs"].items() if part.get("properties")}
    kinds = {kind: parts.get(kind, []) for kind in schema["discriminator"]["mapping"]}
    values = {name: keys for name, keys in parts.items() if f"{name}Row" not in parts and not name.endswith("Row")}
    assert said == kinds | values


@pytest.mark.parametrize("name", FORMATS)
def test_every_example_is_one(name: str) -> None:
    for example in list_examples(name):
        FORMATS[name].model_validate_json(json.dumps(example))


def test_the_formats_that_people_and_programs_write_have_an_example() -> None:
    written = ["situation", "verdict", "zone", "actions", "setup", "army", "script", "lens", "light", "poses", "camera"]
    assert [name for name in written if not list_examples(name)] == []


def ask(tmp_path: Path, *arguments: str) -> Any:
    situation = tmp_path / "situation.json"
    situation.write_text(json.dumps(list_examples("situation")[0]), encoding="utf-8")
    command = [argument.replace("SITUATION", str(situation)) for argument in arguments]
    return json.loads(CliRunner().invoke(overtable, [*command, "--json"], catch_exceptions=False).output)


def round_numbers(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, dict):
        return {key: round_numbers(part) for key, part in value.items()}
    return [round_numbers(part) for part in value] if isinstance(value, list) else value


def test_the_examples_of_answers_are_what_the_referee_says(tmp_path: Path) -> None:
    verdict = ask(tmp_path, "judge", "SITUATION")
    assert round_numbers(list_examples("verdict")[0]) == round_numbers(verdict)
    actions = ask(tmp_path, "actions", "SITUATION", "--unit", "walker")
    assert round_numbers(list_examples("actions")[0]) == round_numbers(actions)
