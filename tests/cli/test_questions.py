"""`titm questions`, `titm clauses WORD`, `titm map places`: finding what there is."""

import json
import shlex

import pytest
from titm_rules.catalog import default_game
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition
from titm_rules.service.capabilities import questions_told

GAMES = ("titm", "bitterwoods", "cold-ford")


def told(game):
    return questions_told(load_model(default_edition(game), game))


@pytest.mark.parametrize("game", GAMES)
def test_every_question_has_a_sentence_and_a_line_to_try_that_is_answered(game, titm):
    for one in told(game):
        assert one.says.endswith("?"), one.name
        assert one.says[0].isupper()
        assert one.example, one.name
        assert len(one.says.split()) <= 20
        assert one.board.startswith("http://127.0.0.1:8000/#?game="), one.name
        done = titm(*shlex.split(one.example)[1:], "--json")
        assert done.exit_code in (0, 1), (one.example, done.output)
        verdict = json.loads(done.stdout)
        assert (verdict["query"], bool(verdict["sentence"])) == (one.name, True)


def test_questions_are_listed_with_their_sentences_and_told_in_full(titm):
    whole = titm("questions", env={"COLUMNS": "200"}).stdout
    assert "Is this unit in supply at this place?" in whole
    records = json.loads(titm("questions", "--json").stdout)
    assert [one["query"] for one in records] == list(load_model(default_edition()).questions)
    lines = titm("questions", "supplied").stdout.splitlines()
    assert lines[0] == "supplied: Is this unit in supply at this place?"
    assert "  takes at: place; if left out: the same as place of unit" in lines
    assert "  asked as: titm check FILE supplied unit=ID [at=PLACE]" in lines
    [record] = json.loads(titm("questions", "supplied", "--json").stdout)
    assert record["takes"][0] == {"name": "unit", "type": "unit"}
    assert record["takes"][1]["default"] == "the same as place of unit"
    assert "--game" not in told(default_game())[0].example


def test_clauses_and_places_are_found_by_words_that_begin_so(titm):
    found = titm("clauses", "ENGINEER", "bridge").stdout
    assert "\n10.11 Engineers only\n" in f"\n{found}"
    records = json.loads(titm("clauses", "engineer", "bridge", "--json").stdout)
    assert len(records) == int(found.splitlines()[-1].split()[0])
    assert len(records) < len(json.loads(titm("clauses", "engineer", "--json").stdout))
    whole = json.loads(titm("map", "places", "--json").stdout)
    [bastogne] = json.loads(titm("map", "places", "BAST", "--json").stdout)
    assert bastogne in whole
    assert (bastogne["id"], bastogne["list"]) == ("Bastogne", "areas")
    text = titm("map", "places", "bast").stdout
    assert text.startswith(f"Bastogne ({bastogne['number']}): areas, also ")
    assert "1 place of ardennes-reconstructed" in text


def test_a_question_without_its_input_says_what_it_needs(titm):
    done = titm("check", "campaign", "supplied")
    assert (done.exit_code, "`supplied` needs unit" in done.output, "add unit=...;" in done.output) == (2, True, True)
