"""Rulings hold as long as what decided them does; records of games show where they were changed."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from titm_rules import Edition, InputError, Position, load_scenario
from titm_rules.cli.app import app
from titm_rules.editions.house_rules import HouseRules
from titm_rules.oracle.case import Case, Rules, open_case
from titm_rules.oracle.rulings import (
    check_record,
    check_ruling,
    keep_overlays,
    make_ruling,
    read_ruling,
    write_ruling,
)
from typer.testing import CliRunner

from tests.play.games import chained_game
from tests.sampling import one_in
from tests.worlds import EDITIONS, battle_input

ROOT = Path(__file__).resolve().parents[2]

CASES = [
    json.loads(line) | {"game": path.stem}
    for path in sorted((ROOT / "conformance").glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    if '"query": "replay"' not in line
]  # fmt: skip
PARTS = 40
QUERIES = ("to_hit", "fire_allocation_legal", "artillery_calls", "artillery_sequence_legal", "artillery_calls")
SHEET = HouseRules("sheet", '''replace clause 9.43 "Allied availability"
  "An Allied call succeeds on 1-9."
  availability is 9 when camp of who is Allied.
''')  # fmt: skip


def kept(path, case, query, inputs):
    verdict = case.edition.verdict(query, inputs)
    write_ruling(path, make_ruling(case, query, inputs, verdict))
    return verdict, read_ruling(path)


@pytest.mark.parametrize(
    ("edition", "amount"), [("1999", 30), *(pytest.param(one, 40, marks=pytest.mark.slow) for one in EDITIONS)]
)
def test_an_amended_clause_changes_just_the_rulings_that_it_decides(tmp_path, edition, amount):
    results = []
    for seed in range(amount):
        rng = random.Random(seed)
        query = rng.choice(QUERIES)
        inputs, rules = battle_input(rng, query), Edition(edition)
        try:
            verdict, ruling = kept(tmp_path / "one.yaml", Case(rules, "battle", inputs["battle"]), query, inputs)
        except InputError:  # a question that makes no sense of this battle
            continue
        check = check_ruling(ruling)
        assert (check.holds, check.differences, check.causes) == (True, (), ())
        again = check_ruling(ruling, Rules(overlays=(SHEET,)))
        is_same = Edition(edition, overlays=(SHEET,)).answer(query, inputs) == verdict.answer
        assert is_same == ("answer" not in [one.part for one in again.differences])
        assert {"rules", "wording"} <= {one.part for one in again.causes}
        results.append(is_same)
    assert set(results) == {True, False}


@pytest.mark.parametrize("part", one_in(10, range(PARTS)))
def test_the_public_cases_hold_as_rulings(tmp_path, part):
    """All parts together have more than 300 rulings, of all games; the random battles are of all editions."""
    for case in CASES[part::PARTS]:
        _, ruling = kept(tmp_path / "one.yaml", *asked_of(case))
        check = check_ruling(ruling)
        assert (check.holds, check.differences, check.causes) == (True, (), ()), case["id"]


@pytest.mark.parametrize(
    ("game", "edition", "clause"),
    [
        ("cold-ford", "1", "3.8"),
        *(
            pytest.param(*row, marks=pytest.mark.slow)
            for row in (
                ("titm", "1999", "9.54b"), ("titm", "1999", "9.46d"), ("titm", "1999", "10.21b"),
                ("titm", "2002-07-25", "13.12a"), ("titm", "2002-07-25", "8.34b"),
                ("bitterwoods", "2014", "derived.unit-classes"), ("bitterwoods", "2014", "10.1.types"),
            )
        ),
    ],
)  # fmt: skip
def test_a_deleted_clause_changes_just_the_rulings_that_differ_without_it(tmp_path, game, edition, clause):
    sheet = HouseRules("sheet", f"delete {clause}.")
    results = []
    for case in CASES:
        if (case["game"], case["edition"]) != (game, edition):
            continue
        verdict, ruling = kept(tmp_path / "one.yaml", *asked_of(case))
        again = check_ruling(ruling, Rules(overlays=(sheet,)))
        amended = Edition(edition, case.get("readings", {}), game=game, overlays=(sheet,))
        other = amended.verdict(case["query"], case["input"])
        parts = [(one.outcome, one.answer, ruled(one)) for one in (verdict, other)]
        assert (not again.differences) == (parts[0] == parts[1]), case["id"]
        assert {"rules", "wording"} <= {one.part for one in again.causes}
        results.append(parts[0] == parts[1])
    assert set(results) == {True, False}


def asked_of(case):
    """Give a public case as a case of ours, with its question and input."""
    edition = Edition(case["edition"], case.get("readings", {}), game=case["game"])
    situation = edition.model.questions[case["query"]].situation
    return Case(edition, situation, case["input"].get(situation, {})), case["query"], case["input"]


def ruled(verdict):
    """Name the clauses that a ruling keeps: of an illegal action those that forbid it."""
    illegal = [finding.clause for finding in verdict.findings if finding.effect == "forbids" and finding.holds]
    return list(dict.fromkeys(illegal)) if verdict.outcome == "illegal" else list(verdict.clauses)


def test_a_change_by_hand_and_other_rules_are_named(tmp_path):
    case, path = open_case("01-rambrouch-by-the-bridge"), tmp_path / "ruling.yaml"
    _, ruling = kept(path, case, case.query, case.full_input(case.query))
    text = path.read_text()
    path.write_text(text.replace("cost: 5", "cost: 4"))
    check = check_ruling(read_ruling(path))
    assert (check.holds, [one.part for one in check.differences]) == (False, ["answer"])
    assert [one.part for one in check.causes] == ["by hand"]
    under = check_ruling(ruling, Rules(edition="1994-11-01"))
    assert [one.part for one in under.causes] == ["edition", "rules", "wording"]
    for bad in ("question: 1\n", "- 1\n", text.replace("query: check_path", "query: [1]"), "a: &b 1\n"):
        path.write_text(bad)
        with pytest.raises(InputError):
            read_ruling(path)
    with pytest.raises(InputError, match="another one than that of the ruling"):
        check_ruling(ruling.model_copy(update={"position": ruling.position[:-1] + "x"}))


def test_the_wording_of_a_rule_is_no_part_of_what_it_decides():
    text = 'add clause H.1 "A rule" "WORDS" move may not step when place-entered is an area says "WORDS".'
    texts = (text.replace("WORDS", "a"), "# a comment\n\n" + text, text.replace("an area", "a zone"))
    one, same, other = (Edition("1999", overlays=(HouseRules("h", its),)).model.digests for its in texts)
    assert one.rules == same.rules != other.rules
    assert one.wording != same.wording


@pytest.mark.parametrize(("stems", "names"), [
    (["Regen & x_1"], ["regen-x-1"]), (["mine"], ["mine"]), (["a-"], ["a-"]), (["Übung"], ["ubung"]),
    (["雨"], ["sheet"]), (["a_b", "A b", "a-b"], ["a-b", "a-b-2", "a-b-3"]), (["x" * 90], ["x" * 60]),
])  # fmt: skip
def test_files_with_any_name_are_kept_under_one_that_may_be_read(stems, names, tmp_path):
    paths = [tmp_path / f"{stem}.rules" for stem in stems]
    for path in paths:
        path.write_text(SHEET.text if len(stems) == 1 else "", encoding="utf-8")
    case = open_case("combat-of-1999", Rules(overlays=tuple(map(str, paths))))
    sheets = keep_overlays(case.edition)
    assert [one["name"] for one in sheets] == names
    if len(stems) == 1:
        query = "fire_allocation_legal"
        inputs = {**case.full_input(query), "who": "defender", "allocation": {"d1": "a1", "d2": "a2"}}
        _, ruling = kept(tmp_path / "one.yaml", case, query, inputs)
        assert check_ruling(ruling).holds


def test_a_ruling_opens_no_file_but_keeps_the_text_of_house_rules(tmp_path):
    path = tmp_path / "mine.rules"
    path.write_text(SHEET.text)
    case = open_case("combat-of-1999", Rules(overlays=(str(path),)))
    query = "fire_allocation_legal"
    inputs = {**case.full_input(query), "who": "defender", "allocation": {"d1": "a1", "d2": "a2"}}
    _, ruling = kept(tmp_path / "one.yaml", case, query, inputs)
    path.unlink()
    assert check_ruling(ruling).holds
    for name in (str(path), "../titm/house/x", "no-such-sheet"):
        with pytest.raises(InputError, match="unknown house rules"):
            check_ruling(ruling.model_copy(update={"overlays": [name]}))
    text = (tmp_path / "one.yaml").read_text()
    (tmp_path / "two.yaml").write_text(text.replace("game: titm", "game: ./titm"))
    with pytest.raises(InputError):
        read_ruling(tmp_path / "two.yaml")


# ---------------------------------------------------------------------- records
@pytest.fixture(scope="module")
def chained():
    text, last = chained_game("two-bridges", 7)
    return text.splitlines(), last


def checked(path, lines, last=""):
    path.write_text("\n".join(lines) + "\n")
    return check_record(path, Rules(), last)


def test_a_whole_record_holds(chained, tmp_path):
    lines, last = chained
    found = checked(tmp_path / "game.txt", lines, last)
    assert (found.fault, found.is_chained, found.actions, found.last) == ("", True, len(lines) - 3, last)
    assert found.result["phase"] == "game-over"
    short = checked(tmp_path / "game.txt", lines[:-1], last)
    assert "lines are missing at the end" in short.fault


@pytest.mark.parametrize("amount", [25, pytest.param(200, marks=pytest.mark.slow)])
def test_a_single_change_fails_at_its_line(chained, tmp_path, amount):
    lines, last = chained
    for seed in range(amount):
        rng = random.Random(seed)
        at = rng.randrange(3, len(lines) - 1)
        if seed % 4 == 0:
            changed = lines[:at] + lines[at + 1 :]
        elif seed % 4 == 1:
            changed = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
        else:
            text, link = lines[at].rsplit(" = ", 1)
            words = text.split(" ")
            if seed % 4 == 2 or " : " not in text:
                link = link[::-1]
            else:
                words[-1] = str((int(words[-1]) + 1) % 10)
            changed = [*lines[:at], f"{' '.join(words)} = {link}", *lines[at + 1 :]]
        if changed == lines:
            continue
        assert checked(tmp_path / "game.txt", changed, last).line == at + 1, (seed, lines[at])


def test_an_illegal_action_says_what_would_be_legal():
    start = load_scenario("two-bridges")
    legal = next(one for one in start.legal_actions if one.choices)
    name, value = legal.choices[0]
    others = [one for one in start.units if one != value]
    illegal = next(
        action for other in others for action in [replace(legal, choices=((name, other), *legal.choices[1:]))]
        if not start.is_legal(action)
    )  # fmt: skip
    nearest = start.judge(illegal).nearest
    assert start.is_legal(start.read(*nearest["legal_action"].split()[1::-1], nearest["legal_action"].split()[2:]))
    assert nearest["changes"] >= 1
    assert any("legal instead" in line for line in start.judge(illegal).alternatives)


@pytest.mark.parametrize(
    ("game", "scenario"), [("titm", "two-bridges"), ("bitterwoods", "teaching-road"), ("cold-ford", "the-ford")]
)
@pytest.mark.parametrize("first", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 5))])
def test_every_illegal_action_comes_with_the_nearest_that_is_legal(game, scenario, first):
    rng, tried = random.Random(first), {}
    position = Position.from_file(scenario, Edition(game=game)).settled
    for _ in range(30 if not first else 150):
        legal = list(position.legal_actions)
        if not legal:
            break
        tried |= {str(one): one for one in rng.sample(legal, min(len(legal), 3))}
        for action in rng.sample([one for one in tried.values() if not position.is_legal(one)][:40] or legal, 1):
            if not position.is_legal(action):
                check_nearest(position, action, legal)
        chosen = rng.choice(legal)
        dice = position.dice(chosen)
        faces = [rng.randint(dice.low, dice.high) for _ in range(dice.count)] if dice else []
        position = position.play(chosen, faces)[0]


def check_nearest(position, action, legal):
    nearest = position.judge(action).nearest
    found = next(one for one in legal if one.to_dict() == nearest["action"])
    same = [one for one in legal if one.kind == action.kind] or legal
    mine = [one for one in same if one.by == action.by] or same
    assert found in mine
    if found.kind == action.kind:
        differing = lambda one: sum(a != b for a, b in zip(one.choices, action.choices, strict=True))  # noqa: E731
        assert nearest["changes"] >= min(map(differing, mine))
        if not any(isinstance(value, tuple) for _, value in action.choices):
            assert nearest["changes"] == min(map(differing, mine)) == differing(found)
    with pytest.raises(InputError, match="legal instead: ") as refused:
        position.apply(action)
    assert nearest["legal_action"] in str(refused.value)


def test_the_command_verifies_rulings_and_records(tmp_path, monkeypatch, chained):
    monkeypatch.chdir(tmp_path)
    run = lambda *words: CliRunner().invoke(app, [str(word) for word in words])  # noqa: E731
    assert run("check", "01-rambrouch-by-the-bridge", "--ruling", "one.yaml").exit_code == 0
    assert run("verify", "one.yaml").exit_code == 0
    (tmp_path / "two.yaml").write_text((tmp_path / "one.yaml").read_text().replace("legal: true", "legal: false"))
    done = run("verify", "one.yaml", "two.yaml", "--json")
    assert (done.exit_code, [one["holds"] for one in json.loads(done.stdout)["answer"]["files"]]) == (1, [True, False])
    lines, last = chained
    (tmp_path / "game.txt").write_text("\n".join(lines) + "\n")
    assert run("verify", "game.txt", "--last", last).exit_code == 0
    done = run("verify", "game.txt", "--last", "0" * 16)
    assert (done.exit_code, "the last link is" in done.stdout) == (1, True)
    assert run("verify").exit_code == 2
    assert run("check", "01-rambrouch-by-the-bridge", "--edition", "all", "--ruling", "x.yaml").exit_code == 2
    done = run("play", "two-bridges", "--limit", 3, "--chain", "-o", "new.txt")
    assert done.stdout.splitlines()[-1].startswith("last link: ")
    assert run("verify", "new.txt").exit_code == 0
    assert run("play", "two-bridges", "--chain").exit_code == 2


# ---------------------------------------------------------------------- events
def test_an_event_takes_rulings_that_agree_and_refuses_others_with_both(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        done = CliRunner().invoke(app, [str(word) for word in words])
        return done.exit_code, " ".join((done.stdout + done.stderr).split())

    begun = run("event", "new", "cup", "--edition", "1999", "--reading", "R2=strict-quality", "--because", "round 1")
    assert begun[0] == 0
    assert run("event", "new", "cup")[0] == 2
    asked = ("check", "combat-of-1999", "fire_allocation_legal", "who=defender", "allocation=d1>a1,d2>a2")
    code, said = run(*asked, "--event", "cup", "--ruling", "one.yaml")
    assert (code, "event cup: reading R2 is strict-quality (round 1)" in said) == (0, True)
    assert run("event", "rule", "cup", "one.yaml")[0] == 0
    text = (tmp_path / "one.yaml").read_text()
    text = text.replace("legal: true", "legal: false").replace("outcome: legal", "outcome: illegal")
    (tmp_path / "two.yaml").write_text(text)
    code, said = run("event", "rule", "cup", "two.yaml")
    assert (code, "contradicts an earlier one" in said, "one.yaml says" in said) == (2, True, True)
    code, said = run("event", "rule", "cup", "--reading", "R2=first-round-only")
    assert (code, "settled reading R2 as strict-quality" in said, "round 1" in said) == (2, True, True)
    assert run(*asked, "--event", "cup", "--reading", "R2=first-round-only")[0] == 2
    other = ("check", "combat-of-1999", "fire_allocation_legal", "who=defender", "allocation=d1>a2,d2>a2")
    assert run(*other, "--ruling", "three.yaml")[0] == 1
    assert run("event", "rule", "cup", "three.yaml")[0] == 0
    three = (tmp_path / "three.yaml").read_text()
    (tmp_path / "four.yaml").write_text(three.replace("d1: a2", "d1: a3"))
    code, said = run("event", "rule", "cup", "four.yaml")
    assert (code, "changed by hand" in said) == (2, True)
    assert run("event", "export", "cup", "-o", "out")[0] == 0
    cases = [json.loads(line) for line in (tmp_path / "out" / "cases.jsonl").read_text().splitlines()]
    for case in cases:
        rules = Edition(case["edition"], case["readings"], overlays=tuple(case["overlays"]))
        assert rules.answer(case["query"], case["input"]) == case["expected"]
    assert len(cases) == 2
    assert "R2" in (tmp_path / "out" / "event.md").read_text()
    (tmp_path / "mine.rules").write_text(SHEET.text)
    assert run("event", "new", "home", "--overlay", "mine.rules")[0] == 0
    (tmp_path / "mine.rules").unlink()
    assert run(*asked, "--event", "home")[0] == 0
    (tmp_path / "cup" / "event.yaml").write_text("event: [1]")
    assert run(*asked, "--event", "cup")[0] == 2
    assert run(*asked, "--event", "nowhere")[0] == 2
