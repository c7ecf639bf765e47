"""`titm tournament`."""

import json

SHORT = ("tournament", "the-ford", "--game", "cold-ford", "--games", 1)


def test_a_table_of_players_and_seats(titm):
    done = titm(*SHORT, "--players", "random,first")
    assert done.exit_code == 0
    rows = [line.split()[:3] for line in done.stdout.splitlines()]
    assert rows[:7] == [
        ["player", "side", "games"],
        ["random", "all", "2"], ["random", "Red", "1"], ["random", "Blue", "1"],
        ["first", "all", "2"], ["first", "Blue", "1"], ["first", "Red", "1"],
    ]  # fmt: skip
    assert done.stdout.splitlines()[-1] == "2 games; the intervals are Wilson's"


def test_as_json_every_game_can_be_played_again(titm):
    told = json.loads(titm(*SHORT, "--players", "random,first", "--json").stdout)
    assert told == json.loads(titm(*SHORT, "--players", "random,first", "--json").stdout)
    assert [game["seats"] for game in told["games"]] == [
        {"Red": "random", "Blue": "first"}, {"Red": "first", "Blue": "random"},
    ]  # fmt: skip
    assert [score["rate"] for score in told["scores"] if not score["side"]] == [
        sum(game["seats"].get(game["winner"]) == player for game in told["games"]) / 2 for player in ("random", "first")
    ]
