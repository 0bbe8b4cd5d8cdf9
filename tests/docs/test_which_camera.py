"""The page on which camera to buy shows what the command says."""

import re

from click.testing import CliRunner

from assistant.cli import overtable
from tests.docs.source_names import ROOT

SHOWN = re.compile(r"```console\n\$ overtable (.*?)\n(.*?)\n```", re.DOTALL)


def test_the_table_on_the_page_is_what_the_command_prints() -> None:
    page = (ROOT / "docs" / "guide" / "which-camera.md").read_text(encoding="utf-8")
    ((command, shown),) = SHOWN.findall(page)
    assert CliRunner().invoke(overtable, command.split()).output.rstrip() == shown
