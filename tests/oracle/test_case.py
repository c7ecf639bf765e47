"""Case files and inputs given as words."""

import json
from pathlib import Path

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.formats.case_files import changed, parse_words
from titm_rules.oracle.case import PLACE, Case, Rules, open_case
from titm_rules.oracle.edition import Edition

EDITION = Edition()
BATTLE = {
    "attacker": "German",
    "attackers": [{"id": "a1", "kind": "foot", "strength": 2}],
    "defenders": [{"id": "d1", "kind": "foot", "strength": 2}],
}


def write(folder, value, name="case.json"):
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


ASKED = {"query": "fire_allocations", "input": {"battle": BATTLE, "who": "attacker"}}
FREE = {"R3": "exempt-means-free"}


@pytest.mark.parametrize(("raw", "query", "notes"), [
    (BATTLE, "", {}),  # a bare situation is known by its fields
    ({"battle": BATTLE, "title": "a title"}, "", {"title": "a title"}),
    ({"edition": "1999", "readings": FREE, **ASKED}, "fire_allocations", {}),
])  # fmt: skip
def test_a_case_is_read(tmp_path, raw, query, notes):
    case = open_case(write(tmp_path, raw), Rules())
    assert (case.situation, case.query, case.data, case.notes) == ("battle", query, BATTLE, notes)
    assert case.edition.readings == raw.get("readings", {})
    if query:
        assert case.full_input(query) == raw["input"]
        assert case.full_input("artillery_calls") == {"battle": BATTLE}  # inputs of another question are left out


def test_the_command_line_goes_before_the_file_and_an_edition_may_be_a_number(tmp_path):
    raw = {"edition": "1066", "readings": FREE, "battle": BATTLE}
    case = open_case(write(tmp_path, raw), Rules("1999", {"R3": "as-if-absent"}))
    assert (case.edition.date, case.edition.readings) == ("1999", {"R3": "as-if-absent"})
    path = tmp_path / "case.yaml"
    path.write_text(f"edition: 1999\nbattle: {json.dumps(BATTLE)}\n", encoding="utf-8")
    assert open_case(path, Rules()).edition.date == "1999"


@pytest.mark.parametrize(("raw", "what"), [
    ([1, 2], "a case is an object"), ({"attackers": [], "lunch": 1}, "`lunch` is not a field of a battle"),
    ({"battle": BATTLE, "position": {}}, "cannot go together"),
    ({"query": "fire_allocations", "input": {"who": "attacker"}}, "gives no situation"),
    ({"battle": BATTLE, "qeury": "x"}, "unknown field `qeury`"), ({"battle": 3}, "`battle` must be an object"),
    ({"battle": BATTLE, "query": 3}, "`query` must be a text"),
    ({"base": "/etc/passwd"}, "nothing ships under the name"),
    ({"base": "/etc/passwd.yaml"}, "cannot read the file"),
    ({"base": ""}, "a base is what ships, or a YAML or JSON file"),
    ({"base": "case.json"}, "a base holds one situation"), ({}, "a case is an object"),
])  # fmt: skip
def test_files_that_are_no_case(tmp_path, raw, what):
    with pytest.raises(InputError) as caught:
        open_case(write(tmp_path, raw), Rules())
    assert what in str(caught.value)


def test_base_is_changed_as_the_case_says(tmp_path):
    write(tmp_path, {"battle": BATTLE, "layout": {"x": [1, 2]}}, "base.json")
    raw = {
        "base": "base.json",
        "changes": {"confusion": True, "attackers": {"a1": {"strength": 3}, "a2": {"kind": "armor", "strength": 1}},
            "defenders": {"d1": None}},
    }  # fmt: skip
    case, before = open_case(write(tmp_path, raw), Rules()), json.dumps(BATTLE)
    assert case.data == {
        "attacker": "German",
        "attackers": [{"id": "a1", "kind": "foot", "strength": 3}, {"id": "a2", "kind": "armor", "strength": 1}],
        "defenders": [],
        "confusion": True,
    }
    assert case.notes == {"layout": {"x": [1, 2]}}
    changed(BATTLE, {"attackers": {"a1": None}}, "$")
    assert json.dumps(BATTLE) == before


@pytest.mark.parametrize("change", [{"attackers": {"zz": None}}, {"attackers": {"a1": 3}}])
def test_changes_that_fit_nothing_are_refused(change):
    with pytest.raises(InputError):
        changed(BATTLE, change, "$")


@pytest.mark.parametrize(("query", "word", "expected"), [
    ("check_path", "path=A, B,!C", {"path": ["A", "B", "!C"]}),
    ("check_path", "units=u1,u2", {"units": ["u1", "u2"]}), ("check_path", "foot-mode=yes", {"foot_mode": True}),
    ("check_path", "foot_mode=no", {"foot_mode": False}), ("reachable_cost", "to=A=B", {"to": "A=B"}),
    ("fire_allocation_legal", "allocation=a1>d2, a2>d1", {"allocation": {"a1": "d2", "a2": "d1"}}),
    ("artillery_sequence_legal", "sequence=d1,d3", {"sequence": ["d1", "d3"]}),
    ("artillery_sequence_legal", "sequence=", {"sequence": []}), ("artillery_targetings", "n=2", {"n": 2}),
    ("artillery_targetings", "who=defender", {"who": "defender"}),
    ("check_path", "path=a\x85, b\xa0", {"path": ["a\x85", "b\xa0"]}),  # white space of other kinds belongs to an id
    ("fire_allocation_legal", "allocation=a1\x85>d2\x85, a2>d1", {"allocation": {"a1\x85": "d2\x85", "a2": "d1"}}),
])  # fmt: skip
def test_words_are_read_by_the_declared_type(query, word, expected):
    assert parse_words(EDITION.questions[query], [word]) == expected


@pytest.mark.parametrize(("query", "word", "what"), [
    ("check_path", "foot-mode=perhaps", "`perhaps` is not a flag"),
    ("check_path", "pth=A", "takes no `pth`"),
    ("check_path", "path", "`path` is not an input"),
    ("artillery_targetings", "n=two", "`two` is not a number"),
    ("artillery_targetings", "n=99999999999999", "is not a number"),
    ("fire_allocation_legal", "allocation=a1", "`a1` is not a pair"),
    ("fire_allocation_legal", "allocation=a1>", "is not a pair"),
])  # fmt: skip
def test_words_that_cannot_be_read(query, word, what):
    with pytest.raises(InputError) as caught:
        parse_words(EDITION.questions[query], [word])
    assert what in str(caught.value)
    assert caught.value.faults[0].fix


NAMES = [
    ("207 Eng", "207-eng"), ("2-PZ-a", "2-pz-a"), ("2nd Panzer B", "2-pz-b"), ("9 Pz", "9 Pz"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "identity"), NAMES)
def test_a_name_as_people_write_it_is_the_id_that_it_begins(text, identity):
    case = open_case(Path("campaign"), Rules("1999"))
    assert case.full_input("supplied", [f"unit={text}"])["unit"] == identity  # one of nobody is refused later


def test_a_name_of_several_is_refused_with_them():
    case = open_case(Path("campaign"), Rules("1999"))
    with pytest.raises(InputError, match="may be 2-pz-a, 2-pz-b, 2-pz-c, 2-pz-d"):
        case.full_input("supplied", ["unit=2 Pz"])
    assert case.all_meant("55, st vith,!burg", "--path", PLACE) == ["Gemund", "St. Vith", "!Burg Reuland"]


@pytest.mark.parametrize("rows", [[1, "g2"], 7, {"a": 1}, None, [{"id": [1]}]])
@pytest.mark.parametrize("whole", [{}, {"map": "ardennes-reconstructed"}])
def test_a_position_of_a_wrong_shape_is_a_fault_and_not_a_bug(rows, whole):
    case = Case(EDITION, "position", {**whole, "units": rows})
    with pytest.raises(InputError, match=r"\$.input.position|FILE"):
        EDITION.verdict("supplied", case.full_input("supplied", ["unit=2 Pz"]))


CHANGES = [
    ("272-vg-a@A", "units", {"id": "272-vg-a", "place": "A"}),
    ("272 VG A@Gemund", "units", {"id": "272-vg-a", "place": "Gemund"}),
    ("2nd Panzer B@Gemund", "units", {"id": "2-pz-b", "place": "Gemund"}),
    ("strength 207 Eng 1", "units", {"id": "207-eng", "strength": 1}),
    ("2 Pz@Gemund", "may be 2-pz-a", None),
    ("no 2 Pz", "may be 2-pz-a", None),
    ("nobody@Gemund", "nothing is called `nobody`", None),
    ("nobody@Gemund(side=German)", "nothing is called `nobody`", None),
    ("units/nobody(side=German)", "nothing is called `nobody`", None),
]


@pytest.mark.parametrize(("words", "told", "row"), CHANGES)
def test_changes_name_pieces_as_people_write_them_and_bring_on_those_that_wait(words, told, row):
    if row is None:
        with pytest.raises(InputError, match=told):
            open_case(Path("campaign"), Rules("1999"), words)
        return
    data = open_case(Path("campaign"), Rules("1999"), words).data
    [found] = [one for one in data[told] if one["id"] == row["id"]]
    assert row.items() <= found.items()
    assert row["id"] not in {one["id"] for one in data["reserves"]}
