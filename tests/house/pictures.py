"""The pictures of README and docs: commands, and the files that they write.

`python -m tests.house.pictures` draws them all anew; look at each that changes.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from titm_rules.cli.app import app
from typer.testing import CliRunner

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
PICTURES = {
    "refused.svg": "campaign --reach 2-pz-a --path 'Dasburg,Lutzkampen,Burg Reuland'",
    "bastogne.svg": "campaign --around Bastogne",
    "battle.svg": "07-combat-leaving-out-one-point --fire who=defender --compare 1996-08-01",
    "hexes.svg": "the-ford --game cold-ford",
}


def draw(name: str, out: Path) -> str:
    """Draw a picture into a file; give what it tells."""
    done = CliRunner().invoke(app, ["render", *shlex.split(PICTURES[name]), "-o", os.fspath(out)])
    assert done.exit_code == 0, done.output
    return done.output


if __name__ == "__main__":
    for picture in PICTURES:
        draw(picture, FOLDER / picture)
