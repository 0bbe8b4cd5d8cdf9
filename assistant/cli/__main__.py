"""The commands as a module: `python -m assistant.cli` is `overtable`."""

from assistant.cli import main

main()
