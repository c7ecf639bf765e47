"""`titm play`, `titm replay`, `titm perft` and `titm tournament`."""

import json

import pytest

from .conftest import SCENARIOS

GAME = "two-bridges"
FILE = SCENARIOS / GAME / "position.yaml"
HEAD = ("game", "edition", "overlay", "start")


@pytest.fixture
def played(titm, tmp_path):
    path = tmp_path / "game.txt"
    assert titm("play", GAME, "--seed", 4, "-o", path).exit_code == 0
    return path


def parted(record):
    """Part a record into its head (the game, the edition, the start) and the lines of its actions."""
    lines = record.read_text().split("\n")
    head = [line for line in lines if line.split(" ")[0] in HEAD]
    assert lines[: len(head)] == head
    return head, lines[len(head) :]


def test_play_goes_to_the_end_and_prints_the_course(titm):
    done = titm("play", GAME, "--seed", 4)
    assert done.exit_code == 0
    *course, last = done.stdout.splitlines()
    assert course[0].startswith("21-1 German: ")
    assert course[-1].startswith("22-1 Allied: ")
    assert "the game is over" in last
    assert titm("play", GAME, "--seed", 4).stdout == done.stdout
    assert titm("play", GAME, "--seed", 5).stdout != done.stdout


def test_play_of_a_scenario_in_every_form(titm):
    assert titm("play", FILE, "--seed", 4).stdout == titm("play", GAME, "--seed", 4).stdout
    done = titm("play", GAME, "--policy", "first", "--limit", 3, "--verbose")
    # nothing is due on 21-1, so the game begins with movement
    assert done.stdout.splitlines()[0] == "21-1 German muster g-tank"
    assert done.stdout.splitlines()[-1].startswith("3 actions; stopped")
    done = titm("play", GAME, "--policy", "greedy", "--limit", 3, "--verbose", "--seed", 1)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 4
    assert done.stdout == titm("play", GAME, "--policy", "greedy", "--limit", 3, "--verbose", "--seed", 1).stdout
    told = json.loads(titm("play", GAME, "--seed", 4, "--json").stdout)
    assert told["over"]
    assert told["result"]["phase"] == "game-over"
    assert titm("play", GAME, "--seed", 4).stdout.splitlines()[-1].startswith(f"{told['actions']} actions")


def test_replay_tells_what_happened_and_by_which_clauses(titm, played):
    done = titm("replay", played)
    assert done.exit_code == 0
    count = sum(1 for line in parted(played)[1] if line)
    assert done.stdout.startswith(f"{count} actions, all legal: ")
    told = json.loads(titm("replay", played, "--json").stdout)
    answer = told["answer"]
    assert (answer["legal"], answer["actions"], answer["refused"]) == (True, count, None)
    assert len(told["actions"]) == count
    lines = titm("replay", played, "--verbose").stdout.splitlines()
    first_halt = next(i for i, line in enumerate(lines) if line.endswith(" halt"))
    assert "8.24a" in lines[first_halt + 1]
    assert any(line.startswith("    close-impulse: ") for line in lines)


def test_replay_stops_at_the_first_illegal_action(titm, played, tmp_path):
    head, body = parted(played)
    number = next(i for i, line in enumerate(body) if line.endswith(" end-phase"))
    changed, line = tmp_path / "changed.txt", len(head) + number + 1
    # German armor never digs in, and nothing is on the move here
    changed.write_text("\n".join([*head, *body[:number], "21-1 German assault 3", *body[number:]]))
    done = titm("replay", changed)
    assert done.exit_code == 1
    assert done.stdout.startswith(f"line {line}: 21-1 German assault 3\n")
    assert "6.0-II.3" in done.stdout
    assert f"{number} actions before it are legal" in done.stdout
    refused = json.loads(titm("replay", changed, "--json").stdout)["answer"]["refused"]
    assert refused["line"] == line
    assert "6.0-II.3" in refused["reason"]


@pytest.mark.parametrize(("old", "new", "said"), [
    ("21-1 German end-phase", "21-2 German end-phase", "the game stands at 21-1"),
    ("21-1 German end-phase", "21-1 German ende-phase", "did you mean `end-phase`"),
    ("21-1 German end-phase", "21-1 German end-phase now", "is too much"),
    ("21-1 German muster g-eng", "21-1 German muster g-eng fast", "`fast` is too much"),
    ("21-1 German end-phase", "21-1 German end-phase : 3", "no dice"),
    ("edition 1999", "edition 1899", "no rules are in force on 1899"),
    ("start two-bridges", "start road-to-rambrouch", "starts from another position"),
    ("start two-bridges", "start ../two-bridges", "nothing ships under this name"),
])  # fmt: skip
def test_records_that_do_not_fit_are_bad_input(titm, played, old, new, said):
    text = played.read_text()
    assert old in text
    played.write_text(text.replace(old, new, 1))
    done = titm("replay", played)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_game_by_house_rules_is_judged_by_them(titm, tmp_path):
    """House rules that ship are found by name; one's own are given, for a record opens no file."""
    rules, game = tmp_path / "no digging.rules", tmp_path / "game.txt"
    rules.write_text('add clause my:1 "No digging" "Nobody entrenches."\n  entrench may not try when the day is 21.\n')
    assert titm("play", GAME, "--seed", 4, "--overlay", rules, "--overlay", "tournament", "-o", game).exit_code == 0
    assert parted(game)[0][2:4] == ["overlay no-digging", "overlay tournament"]
    assert titm("replay", game, "--overlay", rules).exit_code == 0
    missing = titm("replay", game)
    assert (missing.exit_code, "give the file with --overlay" in missing.stderr) == (2, True)
    strange = titm("replay", game, "--overlay", rules, "--overlay", "skirmish")
    assert (strange.exit_code, "is not played by `skirmish`" in strange.stderr) == (2, True)


def test_perft_counts_level_by_level_the_same_on_all_engines_and_by_house_rules(titm, tmp_path):
    counts = json.loads(titm("perft", GAME, "--depth", 3, "--json").stdout)["courses"]
    listed = int(titm("legal", FILE, "--count").stdout)
    assert counts["1"] == listed
    divided = json.loads(titm("perft", GAME, "--depth", 3, "--divide", "--json").stdout)
    assert len(divided["courses"]) == listed
    assert divided["total"] == sum(divided["courses"].values()) == counts["3"]
    engines = ("compiled", "library", "reference")
    tables = {titm("perft", GAME, "--depth", 2, "--engine", name).stdout for name in engines}
    assert len(tables) == 1
    rules = tmp_path / "still.rules"
    rules.write_text('add clause my:1 "Still" "Nobody moves."\n  move may not start when the day is 21.\n')
    plain, still = (
        json.loads(titm("perft", GAME, "--depth", 1, "--json", *more).stdout)["courses"]["1"]
        for more in ((), ("--overlay", rules))
    )
    assert still < plain


SHORT = ("tournament", "the-ford", "--game", "cold-ford", "--games", 1)


def test_a_table_of_players_and_seats_and_as_json_every_game_can_be_played_again(titm):
    done = titm(*SHORT, "--players", "random,first")
    assert done.exit_code == 0
    rows = [line.split()[:3] for line in done.stdout.splitlines()]
    assert rows[:7] == [
        ["player", "side", "games"],
        ["random", "all", "2"], ["random", "Red", "1"], ["random", "Blue", "1"],
        ["first", "all", "2"], ["first", "Blue", "1"], ["first", "Red", "1"],
    ]  # fmt: skip
    assert done.stdout.splitlines()[-1] == "2 games; the intervals are Wilson's"
    told = json.loads(titm(*SHORT, "--players", "random,first", "--json").stdout)
    assert told == json.loads(titm(*SHORT, "--players", "random,first", "--json").stdout)
    assert [game["seats"] for game in told["games"]] == [
        {"Red": "random", "Blue": "first"}, {"Red": "first", "Blue": "random"},
    ]  # fmt: skip
    assert [score["rate"] for score in told["scores"] if not score["side"]] == [
        sum(game["seats"].get(game["winner"]) == player for game in told["games"]) / 2 for player in ("random", "first")
    ]
