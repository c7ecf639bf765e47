"""All groups by name; each has one file in each layer."""

from __future__ import annotations

from pathlib import Path

from tests.frozen import command_line, protocol, python_interface
from tests.frozen.goldens import FOLDER, LAYERS

GROUPS = {**protocol.groups(), **command_line.groups(), **python_interface.groups()}
SLOW_GROUPS = {**protocol.slow_groups(), **command_line.slow_groups()}


def stale_files() -> list[Path]:
    """List the files in the folders of the layers that belong to no group."""
    known = {*GROUPS, *SLOW_GROUPS}
    return [
        path for layer in LAYERS for path in sorted((FOLDER / layer).glob("*")) if path.stem not in known
    ]  # fmt: skip
