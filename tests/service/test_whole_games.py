"""Whole games over the protocol, checked against positions themselves, the reference engine, and each other."""

import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import pytest
from titm_rules import Edition, Position
from titm_rules.editions.registry import edition_on
from titm_rules.oracle.game import POLICIES, play_game, record_game
from titm_rules.service.budget import Budget
from titm_rules.service.capabilities import listing
from titm_rules.service.position_cache import PositionCache
from titm_rules.service.protocol import Oracle

from tests.builders import battle, position

ORACLE = Oracle(budget=Budget(300, 0))
START = Position.from_file("two-bridges")


def ask(query, **given):
    """Ask and give the whole reply, which has to be an answer."""
    reply = raw(query, **given)
    assert reply["ok"], reply["error"]
    return reply


def raw(query, inputs=None, **frame):
    return ORACLE.ask({"id": 1, "edition": "1999", "query": query, "input": inputs or {}, **frame})


def error(query, **given):
    return raw(query, **given)["error"]


def turns(seed=5, limit=60):
    return list(play_game(START, POLICIES["random"], seed, limit))


# ---------------------------------------------------------------------- what may be done
def test_the_list_is_that_of_the_position_and_of_the_reference_engine():
    reference = Edition("1999", engine="reference")
    for number, turn in enumerate(turns()):
        if number % 6:
            continue
        answer = ask("legal_actions", inputs={"position": turn.before.to_dict()})["answer"]
        listed = list(turn.before.legal_actions)
        assert [(one["kind"], one["by"]) for one in answer["actions"]] == [(one.kind, one.by) for one in listed]
        assert [one["choices"] for one in answer["actions"]] == [one.to_dict()["choices"] for one in listed]
        plain = Position.from_dict(turn.before.to_dict(), reference)
        assert [str(one) for one in plain.legal_actions] == [str(one) for one in listed]
        assert answer["count"] == len(listed)
        assert answer["to_act"] == sorted({one.by for one in listed})
        assert answer["digest"] == turn.before.digest


def test_what_is_listed_is_judged_legal_in_both_forms_and_what_the_reference_engine_bars_is_not():
    everything = {str(action): action for turn in turns() for action in turn.before.legal_actions}
    rng = random.Random(1)
    for turn in turns()[::12]:
        ref = {"ref": ask("notation", inputs={"position": turn.before.to_dict()})["digest"]}
        for one in ask("legal_actions", inputs={"position": ref})["answer"]["actions"]:
            parts = {"kind": one["kind"], "by": one["by"], "choices": one["choices"]}
            assert ask("judge", inputs={"position": ref, "action": parts})["answer"]["legal"]
            assert ask("judge", inputs={"position": ref, "action": one["text"]})["answer"]["legal"]
        reference = Position.from_dict(turn.before.to_dict(), Edition("1999", engine="reference"))
        for text in rng.sample(sorted(everything), 12):
            action = everything[text].to_dict()
            assert ask("judge", inputs={"position": ref, "action": action})["answer"]["legal"] == (
                everything[text] in reference.legal_actions
            )


def test_filters_and_pages():
    data = START.to_dict()
    whole = ask("legal_actions", inputs={"position": data})["answer"]
    one = ask("legal_actions", inputs={"position": data, "kinds": ["muster"], "limit": 2, "offset": 1})["answer"]
    kinds = [action for action in whole["actions"] if action["kind"] == "muster"]
    assert (one["count"], one["actions"]) == (len(kinds), kinds[1:3])
    assert one["to_act"] == whole["to_act"]
    for player in POLICIES:  # who is asked for advice chooses of these, and the same by the same seed
        one, again = (ask("advise", inputs={"position": data, "player": player, "seed": 3})["answer"] for _ in range(2))
        assert one == again
        assert one["action"] in whole["actions"]
    fault = error("advise", inputs={"position": data, "player": "gredy"})
    assert (fault["kind"], fault["fix"]) == ("unknown-name", "did you mean `greedy`?")
    assert error("advise", inputs={"position": data, "by": "Nobody"})["at"] == "$.input"
    actor = ask("legal_actions", inputs={"position": data, "actor": "g-mech"})["answer"]
    assert {action["choices"]["u"] for action in actor["actions"]} == {"g-mech"}
    assert actor["count"] == 2
    assert error("legal_actions", inputs={"position": data, "actor": "g-mch"})["fix"] == "did you mean `g-mech`?"
    assert error("legal_actions", inputs={"position": data, "kinds": ["mustr"]})["at"] == "$.input.kinds[0]"


# ---------------------------------------------------------------------- what comes of it
def test_actions_one_by_one_lead_where_the_record_leads_and_so_do_its_steps():
    game = turns(seed=9, limit=80)
    digest = ask("notation", inputs={"position": START.to_dict()})["digest"]
    for turn in game:
        given = {"position": {"ref": digest}, "action": turn.action.to_dict(), "dice": list(turn.dice)}
        made = ask("apply", inputs=given)["answer"]
        assert made["happened"][0]["kind"] == turn.action.kind
        assert [one["clauses"] for one in made["happened"]] == [list(one.clauses) for one in turn.happened]
        digest = made["digest"]
        assert digest == turn.after.digest
    record = record_game("two-bridges", START, [turn.recorded for turn in game]).write()
    replayed = ask("replay", inputs={"record": record})["answer"]
    assert (replayed["legal"], replayed["actions"], replayed["refused"]) == (True, len(game), None)
    assert replayed["digest"] == digest
    assert replayed["position"] == made["position"]
    middle = ask("replay", inputs={"record": record, "until": 13})["answer"]
    assert middle["actions"] == 10  # three lines of head
    assert middle["digest"] == game[9].after.digest
    assert replayed["course"] is None
    told = ask("replay", inputs={"record": record, "steps": True})["answer"]
    course, position = told["course"], told["course"]["start"]
    assert [step["text"] for step in course["steps"]] == [str(turn.recorded) for turn in game]
    for step, turn in zip(course["steps"], game, strict=True):
        position = changed(position, step["changes"])
        assert Position.from_dict(position, START.edition) == turn.after
        assert step["summary"] == dict(turn.after.summary)
    assert max(len(str(step["changes"])) for step in course["steps"]) < len(str(position))


def changed(position, changes):
    """Make the position that differs from another as a step of a record says, as the protocol describes it."""
    made = dict(position)
    for name, change in changes.items():
        if "is" in change:
            made[name] = change["is"]
            continue
        rows = {row["id"]: row for row in made.get(name, [])} | change["rows"]
        made[name] = [row for row in rows.values() if row is not None]
    return {name: value for name, value in made.items() if value is not None}


def test_a_game_is_over_and_has_a_result():
    *_, last = play_game(START, POLICIES["random"], 4)
    given = {"position": last.before.to_dict(), "action": str(last.recorded)}
    made = ask("apply", inputs=given)["answer"]
    assert made["over"]
    assert made["result"] == dict(last.after.summary)
    assert ask("apply", inputs={"position": START.to_dict(), "action": "muster g-tank"})["answer"]["result"] is None


def test_probabilities_sum_to_one_and_agree_with_faces():
    tried = 0
    for turn in turns(seed=11, limit=200):
        dice = turn.before.dice(turn.action)
        if dice is None or dice.count not in (1, 2):
            continue
        given = {"position": turn.before.to_dict(), "action": str(turn.action)}
        told = ask("outcomes", inputs=given)["answer"]["outcomes"]
        assert sum(Fraction(one["probability"]) for one in told) == 1
        faces = [list(thrown) for thrown in product(range(1, 11), repeat=dice.count)]
        if tried < 2:
            found = Counter(ask("apply", inputs={**given, "dice": thrown})["answer"]["digest"] for thrown in faces)
            wanted = Counter()
            for one in told:
                wanted[one["digest"]] += Fraction(one["probability"]) * len(faces)
            assert found == {digest: count for digest, count in wanted.items() if count}
        tried += 1
    assert tried > 3


def test_dice_may_stand_in_the_text_of_an_action_a_face_of_nought_is_a_ten_and_a_word_that_is_no_face_is_told():
    turn = next(turn for turn in turns(seed=9, limit=200) if turn.dice)
    count = len(turn.dice)
    given = {"position": turn.before.to_dict(), "action": str(turn.action)}
    in_text = {**given, "action": f"{turn.action} : {' '.join('0' * count)}"}
    by_nought, by_ten = (ask("apply", inputs={**given, "dice": [face] * count})["answer"] for face in (0, 10))
    assert by_nought == by_ten == ask("apply", inputs=in_text)["answer"]
    assert error("apply", inputs={**given, "dice": [11] * count})["kind"] == "bad-dice"
    assert error("apply", inputs={**given, "dice": []})["at"] == "$.input.dice"
    strange = error("apply", inputs={**given, "action": f"{in_text['action']} ten"})
    assert (strange["kind"], strange["at"]) == ("bad-dice", "$.input.action")
    assert "`ten` is not a face" in strange["message"]
    twice = error("apply", inputs={**in_text, "dice": [1] * count})
    assert (twice["kind"], twice["at"]) == ("bad-dice", "$.input.dice")


@pytest.mark.parametrize(
    ("said", "meant"), [("2001", "1999"), ("1998", "1998-01-15"), ("20 August 1997", "1997-08-20")]
)
def test_a_year_means_what_it_means_on_the_command_line_and_the_reply_says_which_edition_that_is(said, meant):
    points = {"points": 36}
    reply = ask("campaign_victory_level", inputs=points, edition=said)
    assert reply["edition"] == edition_on(said) == meant
    assert reply["answer"] == ask("campaign_victory_level", inputs=points, edition=meant)["answer"]
    assert "edition" not in ask("campaign_victory_level", inputs=points, edition=meant)
    for year in ("1996", "1066"):  # of several editions, and before them all
        assert error("campaign_victory_level", inputs=points, edition=year)["kind"] == "unknown-edition"


def test_an_action_that_is_not_legal_is_refused_and_positions_come_in_three_ways():
    data = START.to_dict()
    wrong = error("apply", inputs={"position": data, "action": "muster a-foot"})
    assert (wrong["kind"], wrong["at"]) == ("illegal-action", "$.input.action")
    assert "8.1c" in wrong["message"]
    told = ask("judge", inputs={"position": data, "action": "muster a-foot"}, explain=True)
    assert told["answer"]["legal"] is False
    assert [finding["clause"] for finding in told["why"]] == ["8.1c"]
    record = "edition 1999\nstart two-bridges\n21-1 German muster g-tank\n21-1 German muster a-foot\n"
    refused = ask("replay", inputs={"record": record})["answer"]["refused"]
    assert (refused["line"], refused["text"]) == (4, "21-1 German muster a-foot")
    assert refused["reason"].startswith("Not legal")
    asked = [{"position": one, "units": ["g-tank"]} for one in (data, START.notation, {"ref": START.digest})]
    replies = [ask("reachable", inputs=one) for one in asked]
    assert replies[0] == replies[1] == replies[2]
    assert replies[0]["digest"] == START.digest
    unseen = error("reachable", inputs={"position": {"ref": "0" * 16}, "units": []})
    assert (unseen["kind"], unseen["at"]) == ("unknown-position", "$.input.position")


# ---------------------------------------------------------------------- the frame
def test_several_editions_and_where_the_answer_changes():
    fight = battle("foot 3, armor 2", "foot 1, foot 1")
    inputs = {"battle": fight, "who": "attacker"}
    every = ask("fire_allocations", inputs=inputs, edition="all")
    names = [one["edition"] for one in listing()["editions"]]
    assert list(every["answer"]) == names
    alone = {name: ask("fire_allocations", inputs=inputs, edition=name)["answer"] for name in ("1998-01-15", "1999")}
    assert {name: every["answer"][name] for name in alone} == alone
    changed = [b for a, b in pairwise(names) if every["answer"][a] != every["answer"][b]]
    assert every["changes"] == changed
    two = ask("fire_allocations", inputs=inputs, edition=["20 August 1997", "1999"])
    assert list(two["answer"]) == ["1997-08-20", "1999"]


def test_readings_left_open():
    """Bystanders can be targets, and he who leaves out one point chooses freely: only both together let him fire so."""
    fight = battle("armor 1, foot 2", "armor 2, foot 2", bystanders="engineer 2")
    inputs = {"battle": fight, "who": "defender", "allocation": {"d1": "b1", "d2": "a2"}}
    together = {"R3": "exempt-means-free", "R6": "all-present"}
    told = ask("fire_allocation_legal", inputs=inputs, readings="all")
    assert (told["outcome"], told["answer"], told["deciding"]) == ("depends", {"legal": False}, [together])
    assert ask("fire_allocation_legal", inputs=inputs, readings=together)["answer"] == {"legal": True}
    explained = ask("fire_allocation_legal", inputs=inputs, explain=True)
    assert (explained["deciding"], explained["depends_on"]) == ([together], {})


@pytest.mark.slow
def test_house_rules_by_name_and_as_text():
    here = {"position": position("B-s major; s-x minor", "m German foot 3 s"), "units": ["m"]}
    ask("reachable", inputs=here, overlays=["divisional-integrity"])
    text = 'clause 99.1 "Nobody goes"\n  "Nobody goes on the 17th."\n  move may not start when the day is 17.\n'
    told = ask("reachable", inputs=here, overlays=[{"name": "still", "text": text}])
    assert told["answer"] == {"destinations": {}}
    assert ask("reachable", inputs=here)["answer"]["destinations"]


FIGHT = battle("foot 3", "foot 1")


@pytest.mark.parametrize(("overlays", "given", "kind", "at"), [
    # house rules are no files, and have faults with a place
    (["/etc/passwd"], {}, "unknown-name", "$.overlays[0]"), (["../titm"], {}, "unknown-name", "$.overlays[0]"),
    ([{"name": "../x", "text": ""}], {}, "bad-value", "$.overlays[0].name"),
    ([{"name": "x", "text": "a" * 65_537}], {}, "too-large", "$.overlays[0].text"),
    ([{"name": "x", "text": "clause 99 \n raods"}], {}, "syntax", "$.overlays[0].text:2:2"),
    ([7], {}, "bad-value", "$.overlays[0]"),
    # plans
    ([], {"who": "attacker", "firing": "a1"}, "missing-field", "$.input"),
    ([], {"query": "fly", "who": "attacker"}, "unknown-query", "$.input.query"),
    ([], {"who": "nobody"}, "bad-value", "$.input.who"),
    ([], {"who": "attacker", "plan": "x9>d1"}, "unknown-name", "$.input.allocation"),
])  # fmt: skip
def test_what_is_wrong_is_told_where_it_stands(overlays, given, kind, at):
    found = error("odds", inputs={"battle": FIGHT, **given}, overlays=overlays)
    assert (found["kind"], found["at"]) == (kind, at)
    if kind == "syntax":
        assert found["shown"].splitlines()[1:3] == ["2 |  raods", "     ^^^^^"]


def test_odds_are_those_of_the_command_line():
    told = ask("odds", inputs={"battle": FIGHT, "who": "attacker"})["answer"]
    assert (told["count"], told["plans"][0]["plan"]) == (1, "a1>d1")
    assert told["plans"][0]["targets"]["d1"]["destroyed"] == "657/1000"
    one = ask("odds", inputs={"battle": FIGHT, "who": "attacker", "allocation": {"a1": "d1"}})["answer"]
    assert one["targets"] == told["plans"][0]["targets"]
    assert ask("odds", inputs={"battle": FIGHT, "who": "attacker", "plan": "a1>d1"})["answer"] == one
    both = ask("odds", inputs={"battle": FIGHT})["answer"]["questions"]
    assert [one["input"] for one in both] == [{"who": "attacker"}, {"who": "defender"}]


@pytest.mark.parametrize(("units", "attackers", "bystanders"), [
    ("m German foot 3 x attacking; k German foot 1 x", ["m"], ["k"]),
    ("m German foot 3 x attacked; k German foot 1 x", ["k"], ["m"]),
    ("m German foot 3 x; k German foot 1 x", ["k", "m"], []),
])  # fmt: skip
def test_a_battle_of_a_place_is_of_those_who_have_said_so_or_else_of_whoever_may(units, attackers, bystanders):
    allied = "n Allied armor 2 x; o Allied foot 1 x"
    data = position("B-s major; s-x minor", f"{units}; {allied}", phase="battles")
    seen = ask("battle_of", inputs={"position": data, "place": "x"})["answer"]["battle"]
    assert [one["id"] for one in seen["attackers"]] == attackers
    assert [one["id"] for one in seen["bystanders"]] == bystanders
    assert [one["id"] for one in seen["defenders"]] == ["n", "o"]
    assert ask("fire_allocations", inputs={"battle": seen, "who": "attacker"})["ok"]  # which take it as it is
    assert error("battle_of", inputs={"position": data, "place": "nowhere"})["at"] == "$.input.place"


# ---------------------------------------------------------------------- memory
def test_the_oldest_positions_are_forgotten():
    seen = PositionCache(most_bytes=20_000, most_ready=2)
    found = [turn.after for turn in turns(limit=30)]
    for one in found:
        seen.keep(one)
    assert seen.find(found[-1].digest, START.edition, "$") == found[-1]
    assert seen.find(found[-3].digest, START.edition, "$") == found[-3]
    with pytest.raises(ValueError, match="send the position itself"):
        seen.find(found[0].digest, START.edition, "$")
