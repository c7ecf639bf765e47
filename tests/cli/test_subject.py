"""Boards without a file of one's own: `--from`, `--set`, `--at`, bases; and JSON that is the protocol's."""

import json

import pytest
from titm_rules import Edition, Position
from titm_rules.service.protocol import Oracle

from .conftest import SCENARIOS

SET = "g-tank@4, bridge 2-4 blown, 21-2"
NOTATION = f"two-bridges, {SET}"
PATH = ("check_path", "units=g-tank", "path=4,3")


def told(titm, *arguments, code=0):
    done = titm(*arguments, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize(("command", "words"), [
    ("check", ("supplied", "unit=g-tank")), ("why", ("supplied", "unit=g-tank")), ("legal", ("--kind", "muster")),
    ("trace", ("g-tank",)), ("trace", ("g-tank", "--at", "2")), ("render", ("--reach", "g-tank")),
    ("odds", ("--at", "4", "who=attacker")), ("perft", ("--depth", "1")),
])  # fmt: skip
def test_a_board_in_words_is_the_board_of_its_notation(titm, tmp_path, monkeypatch, command, words):
    monkeypatch.chdir(tmp_path)
    whole = titm(command, NOTATION, *words)
    apart = titm(command, "two-bridges", *words, "--set", "g-tank@4", "--set", "bridge 2-4 blown, 21-2")
    assert (apart.exit_code, apart.output) == (whole.exit_code, whole.output)
    assert whole.exit_code in (0, 1)
    if command != "perft":
        named = titm(command, *words, "--from", "two-bridges", "--set", SET)
        assert (named.exit_code, named.output) == (whole.exit_code, whole.output)


def test_changes_are_laid_over_a_file_too(titm):
    file = SCENARIOS / "combat-of-1999" / "battle.yaml"
    words = ("to_hit", "who=attacker", "firing=a1", "target=d1")
    usual = told(titm, "check", file, *words)
    dug_in = told(titm, "check", file, *words, "--set", "defenders/d1(entrenched)")
    assert usual["answer"]["drms"].get("entrenched") is None
    assert dug_in["answer"]["drms"]["entrenched"] == 1


def test_a_battle_is_that_of_a_place(titm):
    answer = told(titm, "legal", "--from", "two-bridges", "--set", SET, "--at", "4")["answer"]
    assert {one["query"] for one in answer["questions"]} == {"fire_allocations"}
    assert [one["answer"]["allocations"] for one in answer["questions"]] == [["g-tank>a-mot"], ["a-mot>g-tank"]]
    check = ("check", "fire_allocation_legal", "who=attacker", "allocation=g-tank>a-mot")
    assert told(titm, *check, "--from", "two-bridges", "--set", SET, "--at", "4")["answer"] == {"legal": True}


def test_actions_are_those_of_a_kind_or_a_piece(titm):
    every = titm("legal", "two-bridges", "--limit", 1_000).stdout.splitlines()
    of_kind = titm("legal", "two-bridges", "--kind", "muster").stdout.splitlines()
    assert of_kind == [line for line in every if line.startswith("muster ")]
    of_unit = titm("legal", "two-bridges", "--unit", "g-tank").stdout.splitlines()
    assert of_unit == [line for line in every if " g-tank" in line]
    assert 0 < len(of_unit) < len(of_kind) < len(every)
    count = titm("legal", "two-bridges", "--kind", "muster", "--unit", "g-tank", "--count").stdout
    assert count == f"{len([line for line in of_unit if line in of_kind])}\n"


# ---------------------------------------------------------------------- cases that are built on what ships
@pytest.mark.parametrize("position", [
    "base: two-bridges\nchanges:\n  day: 21\n  impulse: 2\n  units: {g-tank: {place: '4'}}\n"
    "  connections: {2-4: {bridge: blown}}\n",
    f"position: {NOTATION}\n",
    "base: middle.yaml\nchanges: {impulse: 2}\n",
], ids=["changes", "notation", "file"])  # fmt: skip
def test_a_case_may_be_built_on_what_ships(titm, tmp_path, position):
    if "middle" in position:
        middle = Position.from_notation(NOTATION).to_dict() | {"impulse": 1}
        (tmp_path / "middle.yaml").write_text(json.dumps({"position": middle}), encoding="utf-8")
    case = tmp_path / "case.yaml"
    case.write_text(f"{position}query: supplied\ninput: {{unit: g-tank}}\n", encoding="utf-8")
    assert Position.from_file(case) == Position.from_notation(NOTATION)
    mine = told(titm, "check", case, code=1)
    assert mine == told(titm, "check", NOTATION, "supplied", "unit=g-tank", code=1)


@pytest.mark.parametrize("base", ["../other/position.yaml", "position.yaml"], ids=["elsewhere", "beside"])
def test_a_case_may_be_built_on_a_bare_position(titm, tmp_path, base):
    mine = tmp_path / "mine"
    for folder in (mine, tmp_path / "other"):
        folder.mkdir()
    bare = Position.from_notation(NOTATION)
    (mine / base).write_text(json.dumps(bare.to_dict()), encoding="utf-8")
    case = mine / "case.yaml"
    case.write_text(f"base: {base}\nquery: supplied\ninput: {{unit: g-tank}}\n", encoding="utf-8")
    assert Position.from_file(case) == bare
    assert told(titm, "check", case, code=1) == told(titm, "check", NOTATION, "supplied", "unit=g-tank", code=1)


def test_a_case_on_a_scenario_has_its_rules_and_may_say_the_place_of_its_battle(tmp_path, titm):
    name = "sauer-crossing"
    case = tmp_path / "case.yaml"
    for text in (f"base: {name}\n", f"position: {name}\n"):
        case.write_text(text, encoding="utf-8")
        mine = Position.from_file(case)
        assert mine == Position.from_file(name)
        assert mine.edition.overlays == Position.from_file(name).edition.overlays != ()
    text = f"position: {NOTATION}\nat: 4\nquery: fire_allocations\ninput: {{who: attacker}}\n"
    case.write_text(text, encoding="utf-8")
    assert told(titm, "check", case)["answer"]["allocations"] == ["g-tank>a-mot"]
    case.write_text(text.replace("at: 4", "at: Nowhere"), encoding="utf-8")
    assert "$.at" in titm("check", case).stderr


@pytest.mark.parametrize(("text", "said"), [
    ("base: campain\n", "did you mean `campaign`"),
    ("base: ../campaign\n", "nothing ships under the name"),
    ("base: ../up.yaml\n", "cannot read the file"),
    ("position: campaign, 2-pz-a@Nowhere\n", "unknown place `Nowhere`"),
    ("position: /etc/passwd\n", "this cannot stand here"),
    ("position: secret.yaml\n", "unknown scenario or map"),
    ("base: campaign\nchanges: {units: {nobody: null}}\n", "is not there to be taken away"),
])  # fmt: skip
def test_a_case_names_only_what_ships_or_is_a_file(titm, tmp_path, text, said):
    (tmp_path / "secret.yaml").write_text("position: {}", encoding="utf-8")
    case = tmp_path / "case.yaml"
    case.write_text(f"{text}query: supplied\n", encoding="utf-8")
    done = titm("check", case)
    assert done.exit_code == 2
    assert said in done.stderr


# ---------------------------------------------------------------------- records
@pytest.fixture
def record(titm, tmp_path):
    path = tmp_path / "game.txt"
    assert titm("play", "two-bridges", "--seed", 4, "--limit", 40, "-o", path).exit_code == 0
    return path


def test_the_position_after_some_actions_is_written_as_a_case_and_told_on_one_line(titm, record, tmp_path):
    for out in (tmp_path / "after.yaml", tmp_path / "after.json"):
        reached = told(titm, "replay", record, "--at", 17, "-o", out)["answer"]
        assert (reached["legal"], reached["actions"]) == (True, 17)
        assert Position.from_file(out).digest == reached["digest"]
        assert titm("legal", out).exit_code == 0
    line = titm("replay", record, "--at", 17).stdout.splitlines()[-1]
    assert Position.from_notation(line, Edition("1999")).digest == reached["digest"]
    assert "40 actions" in titm("replay", record, "--at", 41).stderr


# ---------------------------------------------------------------------- one shape of answers
QUESTIONS = [
    ("supplied", {"unit": "g-tank"}, ("unit=g-tank",)),
    ("check_path", {"units": ["g-tank"], "path": ["4", "3"]}, PATH[1:]),
]


@pytest.mark.parametrize(("query", "given", "words"), QUESTIONS, ids=[one[0] for one in QUESTIONS])
@pytest.mark.parametrize("edition", ["1999", "1998-01-15,1999"])
def test_json_of_a_check_holds_the_protocol_s_reply(titm, query, given, words, edition):
    editions = edition.split(",") if "," in edition else edition
    given = {"position": NOTATION, **given}
    reply = Oracle().ask({"edition": editions, "query": query, "input": given, "explain": True})
    done = titm("check", NOTATION, query, *words, "--edition", edition, "--json")
    mine = json.loads(done.stdout)
    assert {name for name in reply if reply[name] != mine.get(name)} <= {"id", "digest", "notes"}


def test_json_of_actions_odds_and_records_holds_the_protocol_s_reply(titm, record):
    def reply(query, **given):
        return Oracle().ask({"edition": "1999", "query": query, "input": given})["answer"]

    position = Position.from_file("two-bridges").to_dict()
    listed = told(titm, "legal", "two-bridges", "--kind", "muster", "--unit", "g-tank")
    assert listed["answer"] == reply("legal_actions", position=position, kinds=["muster"], actor="g-tank")
    plans = told(titm, "odds", NOTATION, "--at", "4", "who=attacker")["answer"]
    assert plans.items() >= {
        name: value for name, value in reply("odds", position=NOTATION, place="4", who="attacker").items()
        if name != "digest"
    }.items()  # fmt: skip
    replayed = told(titm, "replay", record)["answer"]
    assert replayed == reply("replay", record=record.read_text(encoding="utf-8"))


@pytest.mark.parametrize("arguments", [
    ("check", "campaign", "nonsense"), ("legal", "campaign", "--kind", "x"), ("map", "show", "Nowhere"),
    ("clauses", "99.9"), ("scenario", "show", "nowhere"), ("editions", "--owned", "1066"), ("replay", "/nowhere"),
    ("diff", "1999", "1066"), ("odds", "campaign"), ("render", "nowhere"), ("trace", "campaign", "x"),
])  # fmt: skip
def test_json_of_an_error_is_that_of_the_protocol(titm, arguments):
    wrong = told(titm, *arguments, code=2)
    assert wrong["ok"] is False
    assert {"kind", "at", "message", "fix"} <= set(wrong["error"]) <= {"kind", "at", "message", "fix", "more", "others"}
    assert all(isinstance(wrong["error"][name], str) for name in ("kind", "at", "message", "fix"))
