import pytest

from assistant.armies.base_sizes import COMMON_BASES, name_base, parse_base
from assistant.errors import BadInput
from assistant.game.base_spec import BaseSpec


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("32", BaseSpec(round_mm=32.0)),
        ("28,5 mm", BaseSpec(round_mm=28.5)),
        ("round:32", BaseSpec(round_mm=32.0)),
        ("⌀40", BaseSpec(round_mm=40.0)),
        ("60x35", BaseSpec(oval_mm=(60.0, 35.0))),
        ("60 × 35 mm rect", BaseSpec(rect_mm=(60.0, 35.0))),
        ("oval:50x20", BaseSpec(oval_mm=(50.0, 20.0))),
        ("100x60", BaseSpec(rect_mm=(100.0, 60.0))),
        ("square 25", BaseSpec(rect_mm=(25.0, 25.0))),
        ("25mm square", BaseSpec(rect_mm=(25.0, 25.0))),
    ],
)
def test_a_base_is_read_as_people_name_it(text: str, base: BaseSpec) -> None:
    assert parse_base(text) == base


def test_every_common_base_is_read_from_its_own_name() -> None:
    assert [parse_base(name_base(base)) for base in COMMON_BASES] == list(COMMON_BASES)


@pytest.mark.parametrize("text", ["", "0", "small", "32x", "x32", "1000000", "32 inch", "-25"])
def test_what_is_no_base_is_said_to_be_none(text: str) -> None:
    with pytest.raises(BadInput, match=r"expected one such as 32, 60x35 oval, 25x50 or square 25"):
        parse_base(text)
