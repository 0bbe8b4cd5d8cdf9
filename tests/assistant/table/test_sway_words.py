"""What people are told of a camera that sways."""

import pytest

from assistant.table.observations import describe_sway


@pytest.mark.parametrize(
    ("breath_percent", "shake_px", "told"),
    [
        (0.06, 0.0, "its focus breathes by 0.06 %:"),
        (0.0, 1.3, "it shakes by about 1.5 px:"),
        (0.0, 0.3, "about 0.5 px"),
    ],
)
def test_a_camera_that_sways_is_told_in_steps_that_can_be_read(
    breath_percent: float, shake_px: float, told: str
) -> None:
    assert told in describe_sway(breath_percent, shake_px)


def test_of_a_camera_that_stands_still_nothing_is_said() -> None:
    assert describe_sway(0.0, 0.2) == ""
