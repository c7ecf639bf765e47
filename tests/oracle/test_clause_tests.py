"""Files of tests: what they may say, what is wrong with them, and the command that runs them."""

import json
import shutil

import pytest
from titm_rules.catalog import game_folder
from titm_rules.cli.app import app
from titm_rules.diagnostics import InputError
from titm_rules.formats.clause_tests import Expected, parse_expected, records_of_words
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.testing import editions_named, load_tests, run_test
from typer.testing import CliRunner

BRIDGES = """
from: two-bridges
tests:
- in supply: supplied unit=g-tank -> yes
- asked again: {with: bridge 1-2 blown, ask: may_build unit=g-tank bridge=1-2, expect: "no, by 10.11"}
- from a file: {from: mine.yaml, ask: supplied unit=g-tank, expect: {supplied: true, without_blown_bridge: true}}
- before and after: {ask: supplied unit=g-tank, editions: {all: true, ..1996-08-01: {supplied: true}}}
- where it stands: state -> units.g-tank.place="1", units.nobody.place=nothing
- a level: campaign_victory_level points=0 -> Allied Decisive
- clause: R6
  with: {side_to_move: German}
  readings: {R6: all-present}
  vary: [units]
  from: "-"
  places: {zones: A German; E Allied}
  tests:
  - in words: >-
      m German foot 2 x moved day_start=-; e Allied tank 3 A | state -> units.m.day_start=nothing, zones.A.owner=German
"""
DATES = {"day": 17, "impulse": 1}


@pytest.fixture
def write(tmp_path):
    def make(text, name="t.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


def run(*words):
    result = CliRunner().invoke(app, ["test", *map(str, words)])
    return result.exit_code, result.output


def test_a_file_may_say_all_of_this(write, tmp_path):
    (tmp_path / "mine.yaml").write_text("position: two-bridges", encoding="utf-8")
    path = write(BRIDGES.replace("{side_to_move: German}", json.dumps({**DATES, "side_to_move": "German"})))
    tests = load_tests(path)
    assert [str(test) for test in tests if not run_test(test).passed] == []
    assert len(tests) == 15
    assert str(tests[-1]) == "R6 in words"
    words = tests[-1].data
    assert words["areas"] == [{"id": "x"}]
    assert words["zones"] == [{"id": "A", "owner": "German"}]
    assert [unit["kind"] for unit in words["units"]] == ["foot", "armor"]
    assert tests[-1].rules("reference").readings == {"R6": "all-present"}


@pytest.mark.parametrize(("said", "expected"), [
    ("legal, cost=2", Expected({"legal": True, "cost": 2})),
    ("illegal by 8.22 8.34b", Expected({"legal": False}, ("8.22", "8.34b"))),
    ("illegal only by 9.3 9.1", Expected({"legal": False, "by": ["9.1", "9.3"]})),
    ("may not", Expected({"": "may not"})),
    ("areas=[x, y], level=nothing", Expected({"areas": ["x", "y"], "level": None})),
    ({"count": 1, "by": ["8.1"]}, Expected({"count": 1}, ("8.1",))),
    (True, Expected({"": True})),
])  # fmt: skip
def test_what_is_expected(said, expected):
    assert parse_expected(said) == expected


def test_records_in_words():
    model = Edition().model
    fields = {spec.json: spec for spec in model.records["position"].fields}

    def read(name, text):
        return records_of_words(model, fields[name], text, "$")

    assert read("connections", "s-x major river intact failed_repairs=2") == [
        {"id": "s-x", "ends": ["s", "x"], "road": "major", "river": True, "bridge": "intact", "failed_repairs": 2}
    ]
    assert read("connections", "c ends=a,b") == [{"id": "c", "ends": ["a", "b"], "road": None}]
    assert read("units", "m foot Axis 2 x !moved")[0]["moved"] is False
    assert read("zone_neighbours", "A-K; K-H") == [["A", "K"], ["K", "H"]]
    assert read("battle_areas", "x y") == ["x", "y"]
    with pytest.raises(InputError, match="`yellow` says nothing of a link"):
        read("connections", "s-x yellow")


def test_editions_are_named_by_ranges():
    assert editions_named("1999..", "titm") == ["1999", "2002-07-25", "2016-10-01"]
    assert editions_named("1996-08-01..1996-11-01", "titm") == ["1996-08-01", "1996-11-01"]
    assert len(editions_named("all", "titm")) == 9


@pytest.mark.parametrize(("text", "what"), [
    ("[]", "a file of tests has a list `tests`"), ("tests: {}", "list"),
    ("test: []", "a file of tests has a list `tests`"), ("tests: [{a: legal, b: legal}]", "a test is a name"),
    ("tests: [{a: legal}]", "`a` asks nothing"), ("tests: [{a: {ask: supplied unit=m}}]", "`a` expects nothing"),
    ("tests: [{a: {asks: 1, expect: legal}}]", "no such field"),
    ("tests: [{a: {tests: []}}]", "a test has no tests"),
    ("tests: [{a: state | state -> x=1}]\nvary: [b, c]", "1 columns, and 2 fields to vary"),
    ("tests: [{a: begin -> legal}]\nedition: '1999'\neditions: all", "cannot go together"),
    ("tests: [{a: begin -> legal}]\nedition: '1899'", "1899"),
    ("tests: [{a: begin -> legal}]\nedition: x", "unknown edition `x`"),
    ("tests: [{a: begin -> legal}]\ngame: nowhere", "unknown game"), ("tests: [[]]", "keys and values belong here"),
    ("{tests: [" * 12 + "{a: begin -> legal}" + "]}" * 12, "nested over"),
    ("tests: [&a {a: begin -> legal}]", "anchors"),
])  # fmt: skip
def test_a_bad_file_is_refused_with_its_place(write, text, what):
    path = write(text)
    code, output = run(path)
    assert code == 2
    assert what in output
    assert str(path) in output or "$" in output


@pytest.mark.parametrize(("line", "got"), [
    ("supplied unit=g-tank -> no", '{"supplied": true}'), ("supplied unit=nobody -> yes", "unknown unit `nobody`"),
    ("suplied unit=g-tank -> yes", "supplied"),
    ("bridge 9-9 blown | supplied unit=g-tank -> yes", "nothing is called `9-9`"), ("to_hit -> 3", "several"),
    ('supplied unit="g-tank -> yes', "no closing quotation"),
    ("may_build unit=g-tank bridge=1-2 -> no, by 8.1", '"by": []'), ("play halt -> day=17", "`halt` is illegal"),
    ("play end-phase: x -> day=17", "no numbers for dice"), ("action German -> legal", "unknown action"),
    ("state -> yellow=3", "no field `yellow`"),
    ({"from": "-", "with": {"connections": [{"ends": True}]}, "ask": "state", "expect": "a=1"}, "$.position"),
    ({"from": "-", "with": {"areas": 5}, "ask": "begin", "expect": "legal"}, "$"),
])  # fmt: skip
def test_a_failing_test_shows_what_came(write, line, got):
    path = write(json.dumps({"from": "two-bridges", "tests": [{"name": line}]}))
    code, output = run(path)
    assert code == 1
    assert "failed: name (1999)" in output
    assert f"in: {path}: $.tests[0]" in output
    assert got in output.split("got: ")[1]
    code, output = run(path, "--json")
    assert code == 1
    told = json.loads(output)
    assert (told["ok"], told["tests"], told["failed"][0]["test"]) == (False, 1, "name")


def test_the_tests_of_a_game_of_ones_own(tmp_path):
    game = tmp_path / "mine"
    shutil.copytree(game_folder("cold-ford"), game)
    (game / "1" / "tests").mkdir()
    (game / "1" / "tests" / "first.yaml").write_text("tests:\n- it begins: {from: '-', ask: begin, expect: legal}\n")
    assert run("--game", game)[1] == "1 test in 1 file: none failed\n"
    assert run(game)[1] == "1 test in 1 file: none failed\n"
    assert run("--game", game, "--edition", "1")[0] == 0
    (game / "1" / "tests" / "first.yaml").unlink()
    code, output = run("--game", game)
    assert (code, "there is no test" in output) == (2, True)
