"""What the oracle keeps of positions that were sent before: never more than the same values made."""

import json

import pytest
from titm_rules import Position
from titm_rules.service.position_cache import PositionCache, PositionText, Texts
from titm_rules.service.protocol import Oracle

OWN = """
format: 1
name: own
game: titm
title: Two places
sources: {all: {basis: attested, title: the test}}
defaults: {areas: {"*": all}, zones: {"*": all}, connections: {"*": all}, zone_neighbours: {"*": all}}
areas: [{id: x}, {id: y}]
zones: [{id: A, owner: German}]
connections: [{ends: [x, y], road: ROAD}, {ends: [A, x], road: major}]
"""
START = Position.from_file("two-bridges")
TANK = {"id": "tank", "side": "German", "kind": "armor", "strength": 3, "place": "x"}


def asked(data, edition="1999"):
    return {"id": 1, "edition": edition, "query": "legal_actions", "input": {"position": data}}


def test_what_was_sent_before_is_made_once_for_each_rules(monkeypatch):
    made, make = [], Position.from_dict.__func__

    def noted(cls, data, edition=None, *rest):
        made.append(edition.date)
        return make(cls, data, edition, *rest)

    monkeypatch.setattr(Position, "from_dict", classmethod(noted))
    oracle, answers = Oracle(), []
    for edition in ("1999", "1999", "1997-08-20", "1999"):
        answers.append(json.loads(oracle.answer_line(json.dumps(asked(START.to_dict(), edition)))))
    assert made == ["1999", "1997-08-20"]
    assert answers[0] == answers[1] == answers[3]
    assert all(answer["ok"] for answer in answers)


def test_values_of_another_type_are_not_the_same_position():
    """In Python 1 equals 1.0 and true; in the protocol a number is none of these, nor what JSON does not have."""
    oracle, data = Oracle(), START.to_dict()
    assert data["impulse"] == 1
    replies = [oracle.ask(asked({**data, "impulse": one})) for one in (1, 1.0, True, object())]
    assert [reply["ok"] for reply in replies] == [True, False, False, False]
    assert replies[-1]["error"]["at"] == "$.input.position.impulse"


def test_a_position_on_a_map_that_has_changed_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("TITM_RULES_MAPS", str(tmp_path))
    oracle = Oracle()
    data = {"map": "own", "day": 18, "impulse": 1, "side_to_move": "German", "units": [TANK]}
    question = {"edition": "1999", "query": "reachable_cost", "input": {"position": data, "units": ["tank"], "to": "y"}}
    costs = []
    for road in ("major", "minor", "minor  "):
        (tmp_path / "own.yaml").write_text(OWN.replace("ROAD", road), encoding="utf-8")
        costs.append(oracle.ask(question)["answer"]["cost"])
    assert costs == [1, 2, 2]
    (tmp_path / "own.yaml").unlink()
    assert oracle.ask(question)["error"]["kind"] == "unknown-name"


@pytest.mark.parametrize(("bounds", "kept"), [({"most_ready": 3}, 3), ({"most_ready_bytes": 1}, 1)])
def test_what_is_ready_is_bounded_by_number_and_by_size(bounds, kept):
    seen, made = PositionCache(**bounds), []
    for number in (*range(5), *range(4, -1, -1)):  # back again, so that the last ones are asked for first
        seen.made_of({"n": number}, START.edition, lambda: made.append(1) or START)
    assert len(made) == 10 - kept


def test_texts_are_found_by_digest_and_learned_from_other_processes():
    texts, there, here = [], PositionCache(on_keep=lambda text: texts.append(text)), PositionCache()
    for _ in range(2):
        there.keep(START)
    [text] = texts
    assert (text.game, text.digest, text.situation) == (START.edition.game, START.digest, START.situation)
    here.learn(text)
    assert here.find(START.digest, START.edition, "$").to_dict() == START.to_dict()
    texts = Texts(10)
    for game, digest in (("a", "1"), ("b", "1"), ("a", "2")):
        texts.put(PositionText(game, digest, "position", b"12345", 5))
    assert [text.game for text in texts.of_digest("1")] == ["b"]  # the first went: ten bytes are two texts
    assert texts.of_digest("3") == []
