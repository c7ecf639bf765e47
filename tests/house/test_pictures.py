"""The pictures that pages show are those that their commands draw now, and each is shown somewhere."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.house.pages import PAGES, read
from tests.house.pictures import FOLDER, PICTURES, draw


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_its_command_draws(name, tmp_path):
    draw(name, tmp_path / name)
    same = (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()
    assert same, f"docs/pictures/{name} is another now: python -m tests.house.pictures"
    assert len((FOLDER / name).read_bytes()) < 120_000
    assert ElementTree.parse(FOLDER / name).getroot().get("style") == "max-width:100%;height:auto"


def test_every_picture_is_shown_and_described():
    shown: dict[str, set[Path]] = {}
    for page in PAGES:
        for told, name in re.findall(r"!\[([^\]]*)\]\([\w./-]*pictures/([\w-]+\.svg)\)", read(page)):
            assert len(told) > 20, (page, name)
            shown.setdefault(name, set()).add(page)
    assert shown.keys() & set(PICTURES) == set(PICTURES)
    assert {path.name for path in FOLDER.iterdir()} == set(PICTURES)
