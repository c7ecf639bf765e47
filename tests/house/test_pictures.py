"""The pictures that pages show are those that their commands draw now, and each is shown somewhere.

`python -m tests.house.test_pictures` draws them all again; look at each that changes.
"""

import os
import re
import shlex
from xml.etree import ElementTree

import pytest
from titm_rules.cli.app import app
from typer.testing import CliRunner

from tests.house.pages import DOCS, PAGES, read

FOLDER = DOCS / "pictures"
PICTURES = {
    "refused.svg": "campaign --reach 2-pz-a --path 'Dasburg,Lutzkampen,Burg Reuland'",
    "bastogne.svg": "campaign --around Bastogne",
    "battle.svg": "07-combat-leaving-out-one-point --fire who=defender --compare 1996-08-01",
    "hexes.svg": "the-ford --game cold-ford",
}


def draw(name, out):
    done = CliRunner().invoke(app, ["render", *shlex.split(PICTURES[name]), "-o", os.fspath(out)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_its_command_draws(name, tmp_path):
    draw(name, tmp_path / name)
    same = (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()
    assert same, f"docs/pictures/{name} is another now: python -m tests.house.test_pictures"
    assert len((FOLDER / name).read_bytes()) < 120_000
    assert ElementTree.parse(FOLDER / name).getroot().get("style") == "max-width:100%;height:auto"


def test_every_picture_is_shown_and_described():
    shown = {}
    for page in PAGES:
        for told, name in re.findall(r"!\[([^\]]*)\]\([\w./-]*pictures/([\w-]+\.svg)\)", read(page)):
            assert len(told) > 20, (page, name)
            shown.setdefault(name, set()).add(page)
    assert shown.keys() & set(PICTURES) == set(PICTURES)
    assert {path.name for path in FOLDER.iterdir()} == set(PICTURES)


if __name__ == "__main__":
    for picture in PICTURES:
        draw(picture, FOLDER / picture)
