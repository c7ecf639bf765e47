"""No request and no file reaches outside the folders that the user named or that ship."""

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import load_model
from titm_rules.files import MAX_BYTES, data_folder, read_text, within
from titm_rules.formats.safe_json import read_data
from titm_rules.maps.maps import SEARCHED, load_map, map_paths
from titm_rules.maps.scenarios import read_scenario, scenario_folders
from titm_rules.mcp import Assistant
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import open_recorded_start
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import Oracle
from titm_rules.syntax.game_record import read_record
from titm_rules.web import library

from tests.builders import position
from tests.web.conftest import client_of

HERE = position("B-s major; s-x minor", "m German foot 3 s")
SECRET = "secret-of-somebody"
FORD = {"map": "valley", "units": [{"id": "tank", "side": "Red", "strength": 4, "place": "0103"}]}
RULES = '// not a rule at all\nclause 1.1 "x"'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that the user names; beside it lies what is none of anybody's business."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "other.yaml").write_text(yaml.safe_dump({"position": HERE, "title": SECRET}))
    (tmp_path / "outside" / "other.rules").write_text(SECRET)
    made = tmp_path / "named"
    made.mkdir()
    return made


def refused(work) -> str:
    with pytest.raises(InputError) as caught:
        work()
    text = str(caught.value)
    assert SECRET not in text
    return text


def case(folder: Path, base: str) -> Path:
    path = folder / "case.yaml"
    path.write_text(yaml.safe_dump({"base": base, "query": "reachable", "input": {"units": ["m"]}}))
    return path


# ---------------------------------------------------------------------- cases of the user's own
OTHER = "outside/other.yaml"


@pytest.mark.parametrize("base", [f"../{OTHER}", f"../named/../{OTHER}", f"{{top}}/{OTHER}", "link.yaml"])
@pytest.mark.parametrize("bare", [False, True], ids=["named", "bare"])
def test_a_base_of_a_case_of_the_users_own_lies_anywhere(folder: Path, base: str, bare: bool) -> None:
    """By the way from the folder of the case, in full, or by a link; its situation stands under its name, or alone."""
    other = folder.parent / "outside" / "other.yaml"
    other.write_text(yaml.safe_dump(HERE if bare else {"position": HERE}))
    (folder / "link.yaml").symlink_to(other)
    mine = case(folder, base.format(top=folder.parent))
    assert open_case(mine, Rules()).data == HERE
    assert Position.from_file(mine) == Position.from_dict(HERE)


def test_a_base_that_is_no_situation_is_refused_with_its_fields(folder: Path) -> None:
    (folder / "odd.yaml").write_text(yaml.safe_dump({**HERE, "lunch": 1}))
    assert "`lunch` is not a field of a position" in refused(lambda: open_case(case(folder, "odd.yaml"), Rules()))
    (folder / "odd.yaml").write_text(yaml.safe_dump({"base": "other.yaml"}))
    assert "a base holds one situation" in refused(lambda: open_case(case(folder, "odd.yaml"), Rules()))
    assert "cannot read the file" in refused(lambda: open_case(case(folder, "none.yaml"), Rules()))


# ---------------------------------------------------------------------- cases of a game that is served
LEADING_OUT = ("../../../../outside/other.yaml", "{top}/outside/other.yaml", "link.yaml")


@pytest.fixture(params=LEADING_OUT)
def served(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name a game of somebody's own, in which a case is built on a file that lies outside."""
    game = folder / "ford"
    shutil.copytree(data_folder("rulesets") / "cold-ford", game)
    made = game / "scenarios" / "leading-out"
    made.mkdir(parents=True)
    other = folder.parent / "outside" / "other.yaml"
    other.write_text(yaml.safe_dump({"position": FORD, "title": SECRET}))
    (made / "link.yaml").symlink_to(other)
    raw = {"base": request.param.format(top=folder.parent), "edition": "1"}
    (made / "case.yaml").write_text(yaml.safe_dump(raw))
    monkeypatch.setenv("TITM_RULES_GAMES", str(folder))
    return "ford"


def test_the_page_opens_no_base_outside_the_game(served: str) -> None:
    assert "is not a base" in refused(lambda: library.scenario(served, "leading-out"))
    with client_of() as client:
        answer = client.get(f"/api/games/{served}/scenarios/leading-out")
    assert answer.status_code == 400
    assert SECRET not in answer.text


@pytest.mark.parametrize(("query", "given"), [
    ("replay", {"record": "edition 1\nstart leading-out 0123456789abcdef\n"}),
    ("replay", {"record": "edition 1\nstart leading-out, 0123456789abcdef\n"}),
    ("reachable", {"position": "leading-out", "unit": "tank"}),
    ("reachable", {"position": "leading-out, tank@0104", "unit": "tank"}),
])  # fmt: skip
def test_a_record_or_a_notation_of_a_request_opens_no_base_outside_the_game(served: str, query: str, given) -> None:
    asked = {"game": served, "edition": "1", "query": query, "input": given}
    by_line = json.loads(Oracle(game=served).answer_line(json.dumps(asked)))
    for told in (by_line, Assistant(Oracle(game=served)).check(query, given, "1", served)):
        assert "is not a base" in told["error"]["message"]
        assert SECRET not in json.dumps(told)


def test_the_user_opens_such_a_case_by_its_file_and_by_its_name(served: str, folder: Path) -> None:
    mine = folder / "ford" / "scenarios" / "leading-out" / "case.yaml"
    assert open_case(mine, Rules()).data == FORD
    assert open_case(Path("leading-out"), Rules(game=served)).data == FORD


# ---------------------------------------------------------------------- records
@pytest.mark.parametrize("more", ["", ",", ",m@s"], ids=["alone", "comma", "changes"])
@pytest.mark.parametrize("start", ["/etc/passwd", f"../{OTHER}", "other.yaml", ".", f"{{top}}/{OTHER}"])
def test_the_start_of_a_record_opens_no_file(
    folder: Path, start: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "other.yaml").write_text(yaml.safe_dump({"position": HERE}))
    start = start.format(top=folder.parent) + more
    record = read_record(f"edition 1999\nstart {start} 0123456789abcdef\n", "game.txt")
    assert "nothing ships under this name" in refused(lambda: open_recorded_start(record, Rules(), "game.txt"))


# ---------------------------------------------------------------------- maps and scenarios
def test_a_map_and_special_rules_are_no_links_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mine.yaml").symlink_to(folder.parent / "outside" / "other.yaml")
    monkeypatch.setenv(SEARCHED, str(folder))
    assert "mine" not in map_paths(load_model("1999"))
    refused(lambda: load_map(load_model("1999"), "mine"))
    raw = yaml.safe_load((scenario_folders()["seventh-army"] / "scenario.yaml").read_text(encoding="utf-8"))
    (folder / "scenario.yaml").write_text(yaml.safe_dump({**raw, "special": "mine"}))
    (folder / "mine.rules").symlink_to(folder.parent / "outside" / "other.rules")
    found = read_scenario(load_model("1999"), folder / "scenario.yaml")
    assert "a link out of the folder" in refused(lambda: found.special_rules)


@pytest.mark.parametrize("field", ["map", "forces", "special"])
@pytest.mark.parametrize("name", ["../outside/other", "/etc/passwd", "..", "outside/other"])
def test_a_scenario_names_no_paths(folder: Path, field: str, name: str) -> None:
    raw = yaml.safe_load((scenario_folders()["seventh-army"] / "scenario.yaml").read_text(encoding="utf-8"))
    path = folder / "scenario.yaml"
    path.write_text(yaml.safe_dump({**raw, field: name}))
    refused(lambda: read_scenario(load_model("1999"), path))


# ---------------------------------------------------------------------- requests
def test_a_request_opens_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stands where a name belongs, no file is opened that is not already in use."""
    monkeypatch.chdir(folder.parent / "outside")
    asked = {"edition": "1999", "query": "reachable", "input": {"position": HERE, "units": ["m"]}}
    oracle = Oracle()
    assert json.loads(oracle.answer_line(json.dumps(asked)))["ok"]
    paths = ["other.yaml", "other", "../outside/other.yaml", "/etc/passwd", "other.rules", "1999/../1999"]
    changes = [{"edition": name} for name in paths]
    changes += [{"edition": f"1999+{name}"} for name in paths]
    changes += [{"game": name} for name in (*paths, "", ".", "titm/../titm", str(folder), "\ud800", "x" * 300)]
    changes += [{"readings": {name: name}} for name in paths]
    changes += [{"query": name} for name in paths]
    changes += [{"input": {"position": {**HERE, "map": name}, "units": ["m"]}} for name in paths]
    for change in changes:
        text = oracle.answer_line(json.dumps({**asked, **change}))
        assert not json.loads(text)["ok"]
        assert SECRET not in text
    with pytest.raises(InputError):  # house rules are named by the user alone
        Edition("1999", overlays=(str(folder / "none.rules"),))


# ---------------------------------------------------------------------- what is not a file
def test_only_regular_files_of_a_size_are_read(folder: Path) -> None:
    assert "it is a folder" in refused(lambda: read_text(folder))
    assert "No such file" in refused(lambda: read_text(folder / "none"))
    assert "no file can have this name" in refused(lambda: read_text(Path("a\0b")))
    (folder / "latin").write_bytes(b"\xff")
    assert "not UTF-8" in refused(lambda: read_text(folder / "latin"))
    big = folder / "big.json"
    big.write_bytes(b" " * (MAX_BYTES + 1))
    assert "over 8 MiB" in refused(lambda: read_data(big))
    assert "over 10 bytes" in refused(lambda: read_text(big, most=10))
    assert read_text(folder.parent / "outside" / "other.rules", most=len(SECRET)) == SECRET


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO")
def test_a_pipe_does_not_hold_us_up(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    assert "not a regular file" in refused(lambda: read_data(folder / "pipe.yaml"))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without an end")
def test_a_device_without_an_end_is_not_read(folder: Path) -> None:
    (folder / "zero.yaml").symlink_to("/dev/zero")
    assert "not a regular file" in refused(lambda: read_data(folder / "zero.yaml"))


def test_within(folder: Path) -> None:
    assert within(folder, "a/b.yaml") == (folder / "a" / "b.yaml").resolve()
    for name in ("..", "../x", "/etc/passwd", "a/../../x", "a\0b"):
        assert within(folder, name) is None
