"""`--game` on every command: each answers for a second game, or says what that game lacks."""

import json

import pytest
from titm_rules.editions.rule_files import write_skeleton


@pytest.fixture
def own(tmp_path):
    write_skeleton("skirmish", tmp_path)
    (tmp_path / "house.rules").write_text('replace clause 1.4 "Gone" "Nothing."\n  decides nothing "it is a test".\n')
    return tmp_path / "skirmish"


@pytest.mark.parametrize(("words", "code", "told"), [
    ("check first unit=r1 path=a1,b2", 1, "1.4 Enemy units"), ("why first", 0, "1.3"),
    ("legal first", 2, "no choices to list"), ("odds first", 2, "no dice are rolled"),
    ("trace first r1", 2, "no route"), ("render first -o {out}/board.svg --reach r1", 0, "r1 at a1 can reach"),
    ("clauses 1.4", 0, "No unit enters a hex with an enemy unit."), ("clauses --totals", 0, "all"),
    ("clauses 1.4 --history", 0, "1.4"), ("editions", 0, "First edition"),
    ("editions --owned 1", 0, "1: 4 clauses"), ("diff 1 1", 0, "no clause differs"),
    ("diff 1 1 --find", 0, "equivalent"), ("diff --find --overlay {out}/house.rules", 1, "-1.4"),
    ("atlas --all", 2, "no surveys are listed"), ("lint", 0, "1: 4 clauses, no fault"),
    ("fmt --check", 0, "2 of 2 files"), ("play first", 2, "is not played"), ("perft first", 2, "is not played"),
    ("conform", 2, "no case belongs to this game"), ("oracle --list", 0, '"game": "skirmish"'),
    ("oracle --schemas", 0, "reachable"), ("demo", 2, "the game `skirmish` has no disputes"),
    ("map list", 0, "the game `skirmish` has no map"), ("map show a1", 2, "the game `skirmish` has no map"),
    ("map new {out}/mine.yaml", 2, "no template of a map"),
    ("scenario list", 0, "the game `skirmish` has no scenario"),
    ("scenario show two-bridges", 2, "it belongs to the game `titm`, and `skirmish` is asked"),
])  # fmt: skip
def test_a_command_for_a_game_of_ones_own(titm, own, tmp_path, words, code, told):
    done = titm(*words.format(out=tmp_path).split(), "--game", own)
    assert told in done.output
    assert done.exit_code == code


def test_a_record_names_its_game(titm, tmp_path):
    record = tmp_path / "game.txt"
    titm("play", "two-bridges", "--policy", "first", "--limit", "2", "-o", record)
    assert record.read_text().splitlines()[0] == "game titm"
    assert titm("replay", record).exit_code == 0
    refused = titm("replay", record, "--game", "bitterwoods")
    assert refused.exit_code == 2
    assert "the record belongs to the game `titm`" in refused.output


# ---------------------------------------------------------------------- which games there are
def test_games_tells_what_each_has(titm):
    told = {game["game"]: game for game in json.loads(titm("games", "--json").output)}
    assert told["titm"]["edition"] == "1999"
    assert {"ardennes-reconstructed", "attested"} <= set(told["titm"]["maps"])
    assert "two-bridges" in told["titm"]["scenarios"]
    assert "Bitter Woods" in titm("games").output


def test_a_new_game_is_sound_and_answers(titm, tmp_path):
    made = titm("new-game", "skirmish", "--in", tmp_path)
    assert made.exit_code == 0
    home = tmp_path / "skirmish"
    assert f"titm lint --game {home}" in made.output
    assert titm("lint", "--game", home).exit_code == 0
    assert titm("fmt", "--check", "--game", home).exit_code == 0
    asked = titm("check", home / "scenarios" / "first" / "position.yaml")
    said = "May r1 go from a1 by b1 to c1? Yes, for 3 of 4 points. (1)"
    assert (asked.exit_code, asked.output.splitlines()[0]) == (0, said)
    assert titm("new-game", "skirmish", "--in", tmp_path).exit_code == 2
