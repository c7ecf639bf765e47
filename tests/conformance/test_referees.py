"""Other programs against the cases: the right pass, the wrong are convicted, the unfinished are told what they did."""

import json
import sys
from pathlib import Path

import pytest
from titm_rules import InputError
from titm_rules.conformance import (
    MAX_TROUBLE,
    NoAnswerError,
    SubprocessOracle,
    command_of,
    judge_case,
    judge_cases,
    same,
    wanted_cases,
)
from titm_rules.formats.case_files import conformance_cases

COMMAND = [sys.executable, str(Path(__file__).with_name("strange_referee.py"))]
CASES = list(conformance_cases("titm"))


def results(mode: str, cases: list[dict], seconds: float = 60):
    with SubprocessOracle([*COMMAND, mode], seconds) as referee:
        return list(judge_cases(cases, referee.ask))


def chosen(*queries: str, edition: str = "1999") -> list[dict]:
    return [case for case in CASES if case["query"] in queries and case["edition"] == edition]


def convicted(mode: str, cases: list[dict]) -> set[str]:
    found = results(mode, cases)
    assert {one.outcome for one in found} <= {"passed", "failed"}
    return {one.identity for one in found if one.outcome == "failed"}


# ---------------------------------------------------------------------- right and wrong
@pytest.mark.parametrize("cases", [wanted_cases(None, "cold-ford", None), pytest.param(CASES, marks=pytest.mark.slow)])
def test_a_right_referee_passes(cases):
    assert convicted("honest", cases) == set()


def test_who_forgets_the_river_is_convicted_by_the_cases_of_the_river():
    cases = chosen("to_hit", "combined_arms", "artillery_calls")
    assert convicted("forgets-the-river", cases) == {
        "example-combat99-us-hit-d1-spare3-1999", "example-combat99-us-hit-d2-spare3-1999",
        "example-combat99-us-hit-d1-spare1-1999", "example-combat99-us-hit-d2-spare1-1999",
    }  # fmt: skip


def test_who_takes_every_record_for_legal_is_convicted_by_every_illegal_one():
    cases = chosen("replay")
    illegal = {case["id"] for case in cases if not case["expected"]["legal"]}
    assert len(illegal) == 17
    assert convicted("trusts-records", cases) == illegal


def test_who_cites_another_clause_is_convicted_by_the_clause():
    [case] = [case for case in chosen("replay") if case["id"] == "record-two-bridges-8.22"]
    told = {"legal": False, "actions": case["expected"]["actions"]}

    def citing(*clauses: str, line: int = case["expected"]["refused.line"]) -> str:
        refused = {"line": line, "clauses": list(clauses)}
        return judge_case(case, lambda request: {"ok": True, "answer": {**told, "refused": refused}}).trouble

    assert citing("1.1") == citing() == "`refused.clauses` does not name 8.22"
    assert citing("1.1", "8.22") == ""
    assert citing("8.22", line=3) == "`refused.line` differs"
    assert judge_case(case, lambda request: {"ok": True, "answer": told}).trouble == "`refused.line` is missing"


def test_what_a_referee_does_not_know_is_not_held_against_it():
    found = results("knows-one-question", chosen("check_path", "combined_arms"))
    assert {(one.query, one.outcome) for one in found} == {("check_path", "passed"), ("combined_arms", "not answered")}


def test_the_answer_is_not_sent():
    seen = []

    def noting(request):
        seen.append(request)
        return {"id": request["id"], "ok": True, "answer": {}}

    list(judge_cases(CASES[:30], noting))
    assert {name for request in seen for name in request} == {"id", "edition", "readings", "query", "input"}


def test_true_is_not_one():
    [case] = [case for case in chosen("check_path") if case["id"] == "example-supply-armor-free-1-1999"]
    assert case["expected"] == {"legal": True}
    assert [results(mode, [case])[0].outcome for mode in ("legal", "one")] == ["passed", "failed"]


@pytest.mark.parametrize(("one", "other", "alike"), [
    (1, 1.0, True), (1, True, False), (0, False, False), ([1, {"a": True}], [1, {"a": True}], True),
    ([1, {"a": True}], [1, {"a": 1}], False), ({"a": 1}, {"a": 1, "b": 2}, False), ([1], [1, 2], False),
    (None, None, True), ("1", 1, False),
])  # fmt: skip
def test_values_that_are_the_same(one, other, alike):
    assert same(one, other) is alike
    assert same(other, one) is alike


# ---------------------------------------------------------------------- not finished
SAID = {
    "crashes": "the program ended without an answer (exit code 3): IndexError: no such bridge",
    "babbles": "the answer is not JSON (this is not JSON", "lists": "the answer is not a JSON object: []",
    "latin": "the answer is not UTF-8", "partial": "the program ended in the middle of an answer (exit code 0)",
    "mixes-up": 'the answer has another `id` than the request: "another"',
    "nameless": "the answer has another `id` than the request: none",
    "half": "the answer has neither `ok` true with an `answer`",
    "closes": "the program closed its output without an answer", "silent": "no answer within 0.2 seconds",
    "deaf": "no answer within 0.2 seconds", "odd-error": "the answer has neither `ok` true with an `answer`",
}  # fmt: skip


@pytest.mark.parametrize("mode", SAID)
def test_what_an_unfinished_referee_is_told(mode):
    [result] = results(mode, CASES[:1], 0.2 if mode in ("silent", "deaf") else 60)
    assert result.outcome == "no answer"
    assert result.trouble.startswith(SAID[mode])


def test_a_referee_that_reads_nothing_does_not_hold_up_a_long_request():
    with SubprocessOracle([*COMMAND, "deaf"], 0.3) as referee, pytest.raises(NoAnswerError, match="no answer within"):
        referee.ask({"id": 1, "input": "x" * 5_000_000})


def test_a_line_without_end():
    with (
        SubprocessOracle([*COMMAND, "endless"], 60, max_bytes=10_000) as referee,
        pytest.raises(NoAnswerError, match="the answer is over 10000 bytes"),
    ):
        referee.ask({"id": 1})


def test_after_a_crash_it_is_started_again():
    found = results("crashes-later", chosen("check_path")[:4])
    troubles = [one.trouble for one in found]
    assert [bool("ended without an answer (exit code 4)" in one) for one in troubles] == [False, True, False, True]


def test_after_trouble_upon_trouble_the_others_are_not_asked():
    found = results("crashes", CASES[:6])
    assert [one.outcome for one in found] == ["no answer"] * MAX_TROUBLE + ["not asked"] * 3


def test_no_program_is_left_running():
    with SubprocessOracle([*COMMAND, "silent"], 0.2) as referee:
        with pytest.raises(NoAnswerError):
            referee.ask({"id": 1})
        assert referee._running is None
        with pytest.raises(NoAnswerError):
            referee.ask({"id": 2})
        referee._running = None
    with SubprocessOracle([*COMMAND, "legal"], 60) as referee:
        assert referee.ask({"id": 3})["ok"]
        process = referee._running.process
    assert process.poll() is not None


@pytest.mark.parametrize(
    ("text", "fault"),
    [("", "no command is named"), ("   ", "no command is named"), ('python "referee.py', "this is not a command")],
)
def test_no_command(text, fault):
    with pytest.raises(InputError, match=fault):
        command_of(text)


def test_a_program_that_is_not_there():
    with pytest.raises(InputError, match="cannot start `no-such-referee`: No such file"):
        SubprocessOracle(["no-such-referee"]).ask({"id": 1})


# ---------------------------------------------------------------------- the lists
@pytest.mark.parametrize("case", CASES[:1] + CASES[-1:], ids=lambda case: case["id"])
def test_a_case_has_all_that_a_reader_needs(case):
    assert {"id", "number", "title", "clauses", "source", "basis", "expected"} <= case.keys()
    assert json.loads(json.dumps(case)) == case
