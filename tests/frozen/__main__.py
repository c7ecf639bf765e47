"""Freeze the answers again: `python -m tests.frozen [--slow] [GROUP...]`; a group may be named by a part of its name.

The records that differ are listed. Read each changed line of `structure`; a line of `text` may change only where words
were rewritten.
"""

from __future__ import annotations

import argparse

from tests.frozen.goldens import LAYERS, changed, read, render, write
from tests.frozen.groups import GROUPS, SLOW_GROUPS, stale_files

MOST = 8


def main() -> None:
    """Write the goldens of some groups, or of all."""
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="only groups with this in their names")
    parser.add_argument("--slow", action="store_true", help="the slow groups too")
    given = parser.parse_args()
    known = {**GROUPS, **(SLOW_GROUPS if given.slow else {})}
    for group, work in known.items():
        if not given.groups or any(part in group for part in given.groups):
            freeze(group, render(work()))
    for path in stale_files():
        path.unlink()
        print(f"{path.parent.name}/{path.name}: removed, no group has this name")


def freeze(group: str, layers: dict[str, str]) -> None:
    """Write both layers of a group, and list what differs."""
    for layer in LAYERS:
        before = read(layer, group)
        if before != layers[layer]:
            names = changed(before, layers[layer]) or ["the order of the records"]
            listed = f"{'; '.join(names[:MOST])}{'; ...' if len(names) > MOST else ''}" if before else "frozen first"
            print(f"{layer}/{group}: {len(names)} records: {listed}")
            write(layer, group, layers[layer])


if __name__ == "__main__":
    main()
