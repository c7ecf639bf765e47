"""A game is a parameter: by name or by folder, with things of its own that no other game takes."""

import json
import shutil

import pytest
from titm_rules.catalog import (
    SEARCHED,
    default_game,
    elsewhere,
    files_of,
    game_folder,
    game_folders,
    game_name,
    game_of_file,
    game_of_path,
)
from titm_rules.diagnostics import InputError, RulesetError
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, list_editions
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.maps.maps import load_map
from titm_rules.maps.scenarios import load_scenario
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.edition import Edition, list_games
from titm_rules.oracle.game import rules_of_record
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import Oracle
from titm_rules.syntax.game_record import read_record

from tests.builders import fault_of

OVERLAY = '{}add clause my:1 "Mine" "Nothing." decides nothing "nothing".\n'


@pytest.fixture
def own(tmp_path):
    """Give the folder of a game of one's own."""
    write_skeleton("skirmish", tmp_path)
    return tmp_path / "skirmish"


def refusal(work, *args, **named):
    one = fault_of(work, *args, **named)
    return f"{one.what} {one.why} {one.fix}"


# ---------------------------------------------------------------------- naming
def test_which_game_and_which_edition_are_meant(own, monkeypatch):
    assert default_game() == (game_folder().parent / "default.txt").read_text().strip()
    assert default_edition() == (game_folder() / "default.txt").read_text().strip()
    assert Edition() == Edition(default_edition(), game=default_game())
    assert default_edition(str(own)) == "1"
    assert default_edition("bitterwoods") == list_editions("bitterwoods")[-1].name
    monkeypatch.chdir(own.parent)
    assert "write ./skirmish" in refusal(Edition, game="skirmish")
    assert Edition(game="./skirmish").model.game == "skirmish"


def test_a_folder_is_a_game(own, tmp_path, monkeypatch):
    assert Edition(game=str(own)).model.game == "skirmish"
    assert game_name(str(own)) == "skirmish"
    assert game_of_path(own / "scenarios" / "first" / "position.yaml") == str(own)
    monkeypatch.setenv(SEARCHED, str(own.parent))
    assert game_folders()["skirmish"] == own
    assert Edition(game="skirmish").questions.keys() == Edition(game=str(own)).questions.keys()
    assert game_of_path(own / "game.rules") == "skirmish"
    # Like rules in another folder tell their own lines.
    copy = tmp_path / "copy" / own.name
    shutil.copytree(own, copy)
    told = {load_model("1", str(folder)).clauses["1.4"].span.path for folder in (own, copy)}
    assert told == {str(folder / "1" / "01_movement.rules") for folder in (own, copy)}


@pytest.mark.parametrize("game", ["nogame", "../titm", "rulesets", "/", "x" * 300, "a\0/b", "titm\n"])
def test_what_is_no_game(game):
    assert fault_of(Edition, game=game).kind == "unknown-game"


def test_names_stand_for_rules_as_they_are_now(own):
    assert "1.5" not in Edition(game=str(own)).clauses
    text = 'clause 1.5 "Late" "Said later." decides nothing "a test".\n'
    (own / "1" / "02_more.rules").write_text(text)
    assert "1.5" in Edition(game=str(own)).clauses
    path = own / "1" / "02_more.rules"
    path.write_text(
        'reading R1 "Tired?": never "no" default because "it is a test", soon "yes".\n'
        'clause 1.5 "Tired" "In the reading soon, nobody moves."\n  move may not start when R1 is soon.\n'
    )
    assert "1.6" not in Edition(game=str(own)).with_readings({"R1": "soon"}).clauses
    with path.open("a") as file:
        file.write('clause 1.6 "Late" "Said later." decides nothing "a test".\n')
    assert "1.6" in Edition(game=str(own)).with_readings({"R1": "soon"}).clauses


def test_a_name_stands_for_the_folder_that_it_is_found_in_now(own, tmp_path, monkeypatch):
    monkeypatch.setenv(SEARCHED, str(own.parent))
    assert "1.5" not in Edition(game="skirmish").clauses
    (own / "1" / "02_more.rules").write_text('clause 1.5 "Late" "Said later." decides nothing "a test".\n')
    assert "1.5" in Edition(game="skirmish").clauses
    monkeypatch.setenv(SEARCHED, "")
    write_skeleton("skirmish", tmp_path / "other")
    monkeypatch.setenv(SEARCHED, str(tmp_path / "other"))
    assert "1.5" not in Edition(game="skirmish").clauses
    # a name that ships is not hidden by a folder of one's own
    shutil.move(own, own.parent / "titm")
    monkeypatch.setenv(SEARCHED, str(own.parent))
    assert game_folder("titm") == game_folders()["titm"] != own.parent / "titm"


def test_games_are_listed_with_what_they_have(own, monkeypatch):
    monkeypatch.setenv(SEARCHED, str(own.parent))
    found = {game.game: game for game in list_games()}
    assert found.keys() >= {"skirmish", "titm", "bitterwoods"}
    assert found["skirmish"].scenarios == ("first",)
    assert found["skirmish"].questions == ("reachable", "check_path")
    (own / "game.rules").write_text("nonsense\n")
    assert "skirmish" in {game.game for game in list_games() if game.fault}


# ---------------------------------------------------------------------- things of a game
def test_a_case_is_of_the_game_that_it_names_or_lies_in_and_asked_by_its_rules(own, tmp_path):
    first = own / "scenarios" / "first" / "position.yaml"
    assert open_case(first).edition.game == str(own)
    loose = tmp_path / "case.yaml"
    loose.write_text(first.read_text().replace("game: skirmish", "game: bitterwoods"))
    assert game_of_file(loose, "bitterwoods") == "bitterwoods"
    assert game_of_file(loose) == default_game()
    position = Position.from_file(own / "scenarios" / "first" / "position.yaml")
    assert position.ask("check_path", unit="r1", path=["a1", "b1", "c1"]) == {"legal": True, "cost": 3}
    assert position.check("check_path", unit="r1", path=["a1", "b2"]).failing[0].clause == "1.4"


def test_things_of_another_game_are_refused(own, tmp_path):
    first = own / "scenarios" / "first" / "position.yaml"
    for rules in (Rules(game="bitterwoods"), Rules.of_edition(Edition())):
        assert f"`skirmish`, and `{game_name(rules.game)}` is asked" in refusal(open_case, first, rules)
    first.write_text(first.read_text().replace("game: skirmish", "game: titm"))
    assert "`titm`, and `skirmish` is asked" in refusal(open_case, first)
    first.write_text(first.read_text().replace("game: titm", "game: ../titm"))
    assert "must be the name of a game" in refusal(open_case, first)
    model = Edition(game="bitterwoods").model
    for load, name in ((load_scenario, "sauer-crossing"), (load_map, "attested")):
        said = refusal(load, model, name)
        assert "of the game `titm`" in said or "to the game `titm`" in said
        assert "`bitterwoods` is asked" in said
    (own / "maps").mkdir()
    text = "format: 1\nname: field\ngame: titm\ntitle: Field\nsources: {}\ndefaults: {}\nhexes: []\n"
    (own / "maps" / "field.yaml").write_text(text)
    model = Edition(game=str(own)).model
    assert "`titm`, and `skirmish` is asked" in refusal(load_map, model, "field")
    (own / "maps" / "field.yaml").write_text(text.replace("game: titm", "game: skirmish"))
    assert load_map(model, "field").name == "field"
    path = tmp_path / "mine.rules"
    path.write_text(OVERLAY.format('game "titm".\n'))
    assert "my:1" in Edition(overlays=(str(path),)).clauses
    said = refusal(Edition, game=str(own), overlays=(str(path),))
    assert "the overlay belongs to the game `titm`, and `skirmish` is asked" in said
    assert "one of the game `titm`" in refusal(Edition, game=str(own), overlays=("tournament",))
    assert elsewhere("house/*.rules", "") == {}
    record = read_record("game titm\nedition 1999\nstart two-bridges 0123456789abcdef\n")
    assert rules_of_record(record, Rules()).game == "titm"
    said = refusal(rules_of_record, record, Rules(game="bitterwoods"))
    assert "the record belongs to the game `titm`, and `bitterwoods` is asked" in said


# ---------------------------------------------------------------------- untrusted folders
def test_a_game_reads_nothing_outside_its_folder(own, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.rules").write_text('clause 9 "Secret" "Secret." decides nothing "no".\n')
    (own / "1" / "link.rules").symlink_to(outside / "secret.rules")
    (own / "house").symlink_to(outside)
    assert "9" not in load_model("1", str(own)).clauses
    assert files_of(str(own), "house/*.rules") == []
    text = (own / "game.rules").read_text()
    (own / "game.rules").write_text(text.replace('reads "1"', 'reads "../outside"'))
    with pytest.raises(RulesetError, match="reads a folder outside the game"):
        list_editions(str(own))


def test_a_folder_whose_game_is_a_link_out_of_it_is_none(own, tmp_path, monkeypatch):
    monkeypatch.setenv(SEARCHED, str(own.parent))
    assert own.name in game_folders()
    (own / "game.rules").rename(tmp_path / "elsewhere.rules")
    (own / "game.rules").symlink_to(tmp_path / "elsewhere.rules")
    assert own.name not in game_folders()
    with pytest.raises(InputError, match="unknown game"):
        game_folder(str(own))


def test_a_line_of_the_protocol_names_no_folder_but_an_oracle_serves_one(own):
    line = json.dumps({"id": 1, "game": str(own), "edition": "1", "query": "reachable", "input": {}})
    assert json.loads(Oracle().answer_line(line))["error"]["kind"] == "unknown-game"
    position = Position.from_file(own / "scenarios" / "first" / "position.yaml").to_dict()
    request = {"id": 1, "edition": "1", "query": "reachable", "input": {"position": position, "unit": "r1"}}
    for line in (request, {**request, "game": "skirmish"}):
        answer = json.loads(Oracle(game=str(own)).answer_line(json.dumps(line)))
        assert answer["answer"] == {"destinations": {"b1": 2, "c1": 3}}


# ---------------------------------------------------------------------- a new game
@pytest.mark.parametrize("name", ["titm", "a b", "", "../x", "x/y"])
def test_a_new_game_has_a_name_of_its_own(tmp_path, name):
    assert fault_of(write_skeleton, name, tmp_path).kind in ("bad-value", "file-exists")
    assert list(tmp_path.iterdir()) == []
    write_skeleton("skirmish", tmp_path)
    with pytest.raises(InputError, match="is taken"):
        write_skeleton("skirmish", tmp_path)
