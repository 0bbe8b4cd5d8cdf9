"""Naming calls units and models as people do, in sentences that say ids, and leaves every other word alone."""

import pytest

from assistant.game.naming import list_names, name_ids
from assistant.game.state import Model, Unit
from assistant.geometry.shapes.base_shapes import Round


def build_unit(unit: str, *models: str, name: str = "") -> Unit:
    made = tuple(Model(id=model, base=Round(radius_mm=16), pose=None) for model in models)
    return Unit(id=unit, player="red", models=made, name=name)


@pytest.mark.parametrize(
    ("unit", "names"),
    [
        (build_unit("scouts", "s1", "s2"), {}),
        (build_unit("scouts", "s1", name="Scouts"), {"scouts": "Scouts"}),
        (
            build_unit("war-dog-b", "war-dog-b-1", name="War Dog 2"),
            {"war-dog-b": "War Dog 2", "war-dog-b-1": "War Dog 2"},
        ),
        (
            build_unit("ork-boyz", "ork-boyz-1", "ork-boyz-10", "ork-boyz-boss-nob"),
            {
                "ork-boyz": "ork boyz",
                "ork-boyz-1": "ork boyz #1",
                "ork-boyz-10": "ork boyz #10",
                "ork-boyz-boss-nob": "ork boyz boss nob",
            },
        ),
    ],
    ids=["own ids", "a name", "one model", "several models"],
)
def test_units_and_models_have_the_names_that_people_know_them_by(unit: Unit, names: dict[str, str]) -> None:
    assert list_names([unit]) == names


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('boyz-1 moved 10.24" of 10"', 'Boyz #1 moved 10.24" of 10"'),
        ("boyz-1, boyz-10: out of boyz", "Boyz #1, Boyz #10: out of Boyz"),
        ("boyz-11 and mad-boyz and boyz-1-b and boyzer", "boyz-11 and mad-boyz and boyz-1-b and boyzer"),
        ("boyz-1's base; (boyz-10)", "Boyz #1's base; (Boyz #10)"),
    ],
)
def test_a_sentence_says_names_where_it_said_ids(text: str, named: str) -> None:
    unit = build_unit("boyz", "boyz-1", "boyz-10", name="Boyz")
    assert name_ids(text, list_names([unit])) == named
