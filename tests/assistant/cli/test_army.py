"""`overtable army`: what it says of files, and the game that it writes."""

import json
from pathlib import Path

import pytest

from assistant.cli.demos import SETUP
from tests.assistant.cli.program import overtable

ROSTER = '# Red\n5 Scouts 32mm move 6", infantry\nCaptain 40 M6"\n# Blue\n10 Guardsmen, 25mm, 6" [90 pts]\n'
ARMY = 'format = "overtable.army/1"\nplayer = "Green"\n[[units]]\nname = "Scouts"\ncount = 3\nbase = "60x35 oval"\n'
