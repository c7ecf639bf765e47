"""Freeze the answers again: `python -m tests.frozen [--slow] [GROUP...]`; a group may be named by a part of its name.

The records that differ are listed. Read each changed line of `structure`; a line of `text` may change only where words
were rewritten.
"""

import argparse

from tests.frozen.goldens import GROUPS, SLOW, changed, path_of, read, render, stale_files

MOST = 8


def main() -> None:
    """Write the goldens of some groups, or of all."""
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="only groups with this in their names")
    parser.add_argument("--slow", action="store_true", help="the slow groups too")
    given = parser.parse_args()
    for group, work in GROUPS.items():
        if (given.slow or group not in SLOW) and any(part in group for part in given.groups or [""]):
            freeze(group, render(work()))
    for path in stale_files():
        path.unlink()
        print(f"{path.parent.name}/{path.name}: removed, no group has this name")


def freeze(group: str, layers: dict[str, str]) -> None:
    """Write both layers of a group, and list what differs; a layer without a line has no file."""
    for layer, text in layers.items():
        before, path = read(layer, group), path_of(layer, group)
        if before == text:
            continue
        names = changed(before, text)
        listed = f"{'; '.join(names[:MOST])}{'; ...' if len(names) > MOST else ''}" if before else "frozen first"
        print(f"{layer}/{group}: {len(names)} records: {listed}")
        if text:
            path.write_text(text, encoding="utf-8")
        else:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
