"""What pages say of the rooms is what the import rules hold them to."""

import re
import tomllib

from tests.docs.source_names import ROOT


def read_layers() -> list[str]:
    """Return the rooms of the assistant from high to low, those that stand side by side in one string."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(each["layers"] for each in contracts if each["name"] == "Inside the assistant")
    return layers


def test_the_page_on_layers_has_them_in_their_order() -> None:
    text = (ROOT / "docs" / "decisions" / "layers.md").read_text(encoding="utf-8")
    drawn = re.search(r"^ +cli .*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert drawn is not None
    assert [" ".join(room.split()) for room in drawn[0].split(">")] == read_layers()


def test_the_readme_tells_of_every_room_and_of_no_other() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.findall(
        r"`assistant/(\w+)`", "\n".join(line.split("|")[1] for line in re.findall(r"^\| `.*", text, re.MULTILINE))
    )
    assert sorted(told) == sorted(room for layer in read_layers() for room in layer.split(" | "))


def test_the_readme_says_why_each_dependency_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    told, developing = text.split("## Dependencies")[1].split("For development:")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {"": project["dependencies"], **project["optional-dependencies"]}
    names = {
        extra: {name[0].lower() for each in needed[extra] if (name := re.match(r"[\w-]+", each))} for extra in needed
    }
    listed = {
        name.strip() for row in re.findall(r"^\| ([\w, -]+) \|", told, re.MULTILINE) for name in row.split(",")
    } - {"package"}
    assert listed == set().union(*(names[extra] for extra in names if extra != "dev"))
    assert [name for name in sorted(names["dev"]) if name not in developing] == []
