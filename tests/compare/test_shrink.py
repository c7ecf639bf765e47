"""Shrinking: nothing can be left out of what is shown, and what is left out takes with it what refers to it."""

import pytest
from titm_rules.compare.counterexamples import PairRun, read_search
from titm_rules.compare.edition_diff import compared
from titm_rules.compare.playout import Playout, play_result, with_courses
from titm_rules.compare.rule_pair import checked_runner, difference, side_by_side
from titm_rules.compare.shrink import shrink
from titm_rules.diagnostics import InputError
from titm_rules.editions.load import load_model

FORD = "cold-ford"
MUD = """\
add clause my:1 "Mud"
  "On turn 6 a wood costs units of strength 1 one point more."
  march costs 1 when terrain of place-entered is wood and turn is 6 and strength of u is 1.
"""
FORDS = """\
replace clause 3.8 "Fords are slow"
  "A unit that leaves over a ford must end there, unless strength is 1."
  march must stop when ford of way and strength of u is more than 1.
"""
COVER = """\
replace clause 6.3 "Cover"
  "In a wood or a village the target has 2 more."
  defence is force of d + 2 when terrain of (place of d) is not open.
"""


def pair_of(tmp_path, text):
    (tmp_path / "sheet.rules").write_text(text, encoding="utf-8")
    return side_by_side(compared("", "", (str(tmp_path / "sheet.rules"),), FORD).pair)


def records(data):
    return [(name, row["id"]) for name in ("hexes", "hexsides", "units") for row in data.get(name, ())]


@pytest.mark.parametrize(("text", "query", "most"), [
    (MUD, "reachable", (2, 1, 1)), (FORDS, "reachable", (3, 2, 1)), (COVER, "attack_odds", (2, 1, 2)),
])  # fmt: skip
def test_nothing_can_be_left_out_of_a_situation_that_was_found(tmp_path, text, query, most):
    pair = pair_of(tmp_path, text)
    question = pair.second.questions[query]
    [found] = PairRun(pair, read_search(FORD), each=True).result(question).found

    def decides(data, inputs):
        try:
            runner, raw = checked_runner(pair.second, question, data, inputs)
            shown = difference(pair, question, lambda model: runner.answer(model, question, raw))
        except InputError:
            return False
        return shown is not None and shown.cause == found.cause

    assert decides(found.data, found.inputs)
    assert tuple(len(found.data[name]) for name in ("hexes", "hexsides", "units")) == most
    for name, gone in records(found.data):
        rows = [row for row in found.data[name] if row["id"] != gone]
        assert not decides({**found.data, name: rows}, found.inputs), gone
    for name in ("hexes", "hexsides", "units"):
        for at, row in enumerate(found.data[name]):
            for field in row.keys() - {"id"}:
                bare = {key: value for key, value in row.items() if key != field}
                rows = [*found.data[name][:at], bare, *found.data[name][at + 1 :]]
                assert not decides({**found.data, name: rows}, found.inputs), (row["id"], field)


def test_a_situation_with_other_legal_actions_is_one_of_a_game_and_holds_no_more_than_it_needs(tmp_path):
    pair = pair_of(tmp_path, COVER)
    [found] = play_result(pair, with_courses(read_search(FORD), pair.second)).found
    assert (str(found.cause), found.line) == ("6.3", ())
    assert sorted(records(found.data)) == sorted([
        ("hexes", found.data["units"][0]["place"]), ("hexes", found.data["units"][1]["place"]),
        ("hexsides", found.data["hexsides"][0]["id"]), *(("units", unit["id"]) for unit in found.data["units"]),
    ])  # fmt: skip
    first, second = (Playout(model, "position", found.data) for model in pair.models)
    assert first.legal != second.legal
    assert first.following() == found.data, "nothing happens before somebody acts"


BOARD = {
    "turn": 4, "stage": "fighting",
    "hexes": [{"id": "a", "terrain": "wood"}, {"id": "b", "goal": True}, {"id": "c", "depot": "Blue"}],
    "hexsides": [{"id": "ab", "ends": ["a", "b"], "river": True}, {"id": "bc", "ends": ["b", "c"]}],
    "units": [{"id": "r", "side": "Red", "place": "a", "strength": 7}, {"id": "t", "side": "Blue", "place": "c",
                                                                       "strength": 3, "marched": True}],
}  # fmt: skip


@pytest.mark.parametrize(("wanted", "left"), [
    ((), {}),
    (("hexes a",), {"hexes": [{"id": "a"}]}),
    (("units t",), {"hexes": [{"id": "c"}], "units": [{"id": "t", "side": "Blue", "place": "c", "strength": 1}]}),
    (("hexsides bc",), {"hexes": [{"id": "b"}, {"id": "c"}], "hexsides": [{"id": "bc", "ends": ["b", "c"]}]}),
])  # fmt: skip
def test_what_refers_to_a_record_goes_with_it(wanted, left):
    model = load_model("1", FORD)
    question = model.questions["supplied"]

    def show(data, inputs):
        rows = {f"{name} {row['id']}": row for name in ("hexes", "hexsides", "units") for row in data.get(name, ())}
        named = [place for row in rows.values() for place in row.get("ends", [row["place"]] if "place" in row else [])]
        assert {f"hexes {place}" for place in named} <= rows.keys(), "nothing names what is gone"
        return (data, inputs) if rows.keys() >= {*wanted} else None

    found, inputs = shrink(model, question, BOARD, {"unit": "r"}, show)
    assert inputs == {"unit": "r"}
    assert {name: value for name, value in found.items() if value} == left
