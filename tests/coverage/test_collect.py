"""Grades of clauses, by cases whose clauses are known; and how parts of a report come together."""

from contextlib import suppress

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.editions.coverage import ClauseCoverage, coverage_of, parse_coverage, read_coverage, write_coverage
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position

from tests import conftest as hooks
from tests.builders import position
from tests.coverage import collect
from tests.coverage.collect import DECISIVE, EVALUATED, HELD, judge, merge, record_case, settle


@pytest.fixture(autouse=True)
def cases(monkeypatch):
    """Keep what is recorded here out of the report."""
    found = []
    monkeypatch.setattr(collect, "CASES", found)
    return found


def step(units: str):
    """Ask whether the unit m may go one step along a major road, at which cost."""
    world = position("B-x major; x-y major", units)
    return lambda edition: edition.answer("check_path", {"position": world, "units": ["m"], "path": ["x", "y"]})


def graded(cases, known=None):
    return judge(cases, known)["1999"]


def test_a_step_grades_the_clauses_that_it_asks(cases):
    answer = record_case(Edition("1999"), step("m German armor 3 x"), "a step")
    assert answer == {"legal": True, "cost": 1}
    found = graded(cases)
    # the road costs a point: without 8.33-major the step would be free
    assert found["8.33-major"] == ClauseCoverage(DECISIVE, ("a step",))
    # nobody is in the area entered, and the road is no minor one
    assert found["8.37"].grade == found["8.33-minor"].grade == EVALUATED
    # fire is another matter
    assert "9.57a" not in found
    with pytest.raises(AssertionError, match="looked at no clause"):
        record_case(Edition("1999"), lambda edition: edition.title, "nothing asked")


def test_what_a_position_answers_by_itself_is_recorded_too(cases):
    world = position("B-x major; x-y major; x-z major blown", "m German foot 3 x")

    def ask(edition):
        found = Position.from_dict(world, edition)
        return sorted(map(str, found.legal_actions)), found.ask("reachable", units=["m"])

    actions, reached = record_case(Edition("1999"), ask, "a list")
    assert "muster m" in actions
    assert reached == {"destinations": {"B": 1, "y": 1, "z": 3}}
    found = graded(cases)
    # wading costs 3 points, and points to spend come from the table of allowances
    assert found["8.33-unbridged"].grade == found["8.32"].grade == DECISIVE


def test_a_condition_that_is_true_need_not_decide(cases):
    # 8.37 holds; but the path is illegal with or without its point, for the armor has none left
    ask = step("m German armor 3 x points_spent=8; n German foot 1 y")
    assert record_case(Edition("1999"), ask, "no points") == {"legal": False}
    assert graded(cases)["8.37"] == ClauseCoverage(HELD)


def test_a_clause_s_own_cases_come_first_and_few_are_listed(cases):
    for name in ("b", "a", "8.33-major z", "d", "c", "1"):
        record_case(Edition("1999"), step("m German armor 3 x"), name)
    assert graded(cases)["8.33-major"].tests == ("8.33-major z", "1", "a", "b", "c")
    assert graded(cases)["8.38"].tests == ("1", "8.33-major z", "a", "b", "c")


def test_parts_make_the_report_of_the_whole_however_they_are_shared_out(cases):
    record_case(Edition("1999"), step("m German armor 3 x"), "free")
    record_case(Edition("1999"), step("m German armor 3 x points_spent=8; n German foot 1 y"), "no points")
    record_case(Edition("1999"), step("m German armor 3 x; n German foot 1 y"), "a friend there")
    whole = judge(cases)
    assert whole["1999"]["8.37"] == ClauseCoverage(DECISIVE, ("a friend there",))
    for cut in range(4):
        assert merge([judge(cases[:cut]), judge(cases[cut:])]) == whole
        assert merge([judge(cases[cut:]), judge(cases[:cut])]) == whole


def test_a_case_with_rules_on_top_speaks_of_these_alone(cases):
    rules = Edition("1999", overlays=("seventh-army",))
    world = position("B-x major", "m German foot 2 x")
    ask = "supplied", {"position": world, "unit": "m"}
    answer = record_case(rules, lambda edition: edition.answer(*ask), "zone B")
    assert answer == {"supplied": False, "without_blown_bridge": False}
    report = judge(cases)
    # 13.11b is asked too; but who wants to know of it asks the edition as it is
    assert set(report) == {"1999 with seventh-army"}
    assert report["1999 with seventh-army"]["S1.sr2"] == ClauseCoverage(DECISIVE, ("zone B",))
    assert all(clause.startswith("S1.") for clause in report["1999 with seventh-army"])


def test_a_clause_that_refers_to_others_has_the_lowest_of_their_grades():
    clauses = Edition("1999").clauses
    tested = {"8.33-major": ClauseCoverage(DECISIVE, ("a",)), "8.33-minor": ClauseCoverage(HELD)}
    found = coverage_of(clauses, tested)
    assert clauses["3.22c"].sees == ("8.33-major", "8.33-minor")
    assert found["3.22c"] == ClauseCoverage(HELD)
    assert found["8.37"] == ClauseCoverage()
    assert clauses["1.0b"].silent
    assert "1.0b" not in found


def test_a_report_is_read_as_it_was_written(tmp_path):
    report = {"1999": {"8.37": ClauseCoverage(DECISIVE, ("a “b”", "c")), "8.2b": ClauseCoverage(EVALUATED)}}
    text = write_coverage(report)
    assert parse_coverage(text) == report
    assert text.index("8.2b") < text.index("8.37")
    assert read_coverage(tmp_path) == {}  # as long as there is none
    (tmp_path / "coverage.json").write_text(text, encoding="utf-8")
    assert read_coverage(tmp_path) == report


@pytest.mark.parametrize(
    "text", ["", "[]", '{"1999": 3}', '{"1999": {"8.37": {"grade": "proved", "tests": []}}}', '{"1999": {"8.37": {}}}']
)
def test_a_spoilt_report_is_bad_input(tmp_path, text):
    (tmp_path / "coverage.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_coverage(tmp_path)
    [fault] = caught.value.faults
    assert (fault.what, fault.where) == ("the report of the tests cannot be read", str(tmp_path / "coverage.json"))
    assert (bool(fault.why), fault.fix) == (True, "write it again: `make coverage`")


STEP = {"1999": {"8.33-major": ClauseCoverage(DECISIVE, ("b",)), "8.37": ClauseCoverage(EVALUATED)}}


def a_report(**clauses: ClauseCoverage):
    return {"1999": {**STEP["1999"], **{f"8.{number[1:]}": coverage for number, coverage in clauses.items()}}}


# What a report says after a run that found what STEP says, and that two tests decide on 8.22; what is wrong with it.
@pytest.mark.parametrize(
    ("report", "wrong"),
    [
        (a_report(_22=ClauseCoverage(DECISIVE, ("a",))), ""),
        (a_report(_22=ClauseCoverage(DECISIVE, ("c",))), ""),
        (a_report(_22=ClauseCoverage(DECISIVE, ("a", "c"))), ""),
        (a_report(), "8.22 (1999)"),
        (a_report(_22=ClauseCoverage(HELD)), "8.22 (1999)"),
        (a_report(_22=ClauseCoverage(DECISIVE, ("a", "x"))), "8.22 (1999)"),
        (a_report(_22=ClauseCoverage(DECISIVE, ("a",)), _99=ClauseCoverage(EVALUATED)), "8.99 (1999)"),
    ],
)
def test_a_report_stands_if_what_it_says_is_so(tmp_path, report, wrong):
    path = tmp_path / "coverage.json"
    path.write_text(write_coverage(report), encoding="utf-8")
    fault = settle(a_report(_22=ClauseCoverage(DECISIVE, ("a", "c"))), path)
    assert fault.startswith(f"{path} is not what the tests say now: {wrong}; run `make coverage`" if wrong else "")
    assert bool(fault) == bool(wrong)


def test_to_check_a_report_the_cases_that_it_names_are_enough(cases):
    for name in "abc":
        record_case(Edition("1999"), step("m German armor 3 x"), name)
    assert graded(cases, STEP)["8.33-major"] == ClauseCoverage(DECISIVE, ("b",))
    assert graded(cases[:1], STEP)["8.33-major"] == ClauseCoverage(EVALUATED), "b is elsewhere"
    assert graded(cases, {})["8.33-major"] == ClauseCoverage(DECISIVE, ("a",)), "one is enough"
    assert graded(cases, STEP)["8.37"] == ClauseCoverage(EVALUATED)


# ---------------------------------------------------------------------- what a run does with the report
@pytest.fixture
def suite(pytester, monkeypatch):
    """A small run of tests with the hooks of this one: its report and its single test."""
    folder = pytester.mkdir("rules")
    monkeypatch.setattr(hooks, "game_folder", lambda: folder)
    monkeypatch.setattr(hooks, "PARTS", [])
    monkeypatch.setattr(hooks, "MESSAGES", [])
    monkeypatch.setattr(hooks, "RECORDING", ("test_recording.py",))
    pytester.makeini("[pytest]\ntestpaths = .\naddopts = -p no:cacheprovider -n 0 -m 'not slow'\n")
    pytester.makepyfile(test_other="def test_other(): pass")
    pytester.makepyfile(
        test_recording="""
        import pytest
        from titm_rules import Edition
        from tests.builders import position
        from tests.coverage.collect import record_case

        @pytest.mark.parametrize("engine", ["compiled", "reference"])
        def test_step(engine):
            world = position("B-x major; x-y major", "m German armor 3 x")
            asked = {"position": world, "units": ["m"], "path": ["x", "y"]}
            assert record_case(Edition(), lambda edition: edition.answer("check_path", asked), "a step")["legal"]
        """
    )
    return folder / "coverage.json", lambda *args: pytester.inline_run(*args, plugins=[hooks])


def test_a_run_of_all_tests_checks_the_report(suite):
    path, run = suite
    assert run().ret == pytest.ExitCode.TESTS_FAILED
    assert "coverage.json is not what the tests say now: " in hooks.MESSAGES[0]
    assert run("--write-coverage").ret == pytest.ExitCode.OK
    assert read_coverage(path.parent)["1999"]["8.33-major"] == ClauseCoverage(DECISIVE, ("a step",))
    assert run().ret == pytest.ExitCode.OK
    # The report is written anew by the tests that record alone.
    gone = {"1999": {"8.33-major": ClauseCoverage(DECISIVE, ("gone",)), "8.99": ClauseCoverage(HELD)}, "1066": {}}
    path.write_text(write_coverage(gone))
    run("--write-coverage").assertoutcome(passed=1)
    report = read_coverage(path.parent)
    assert set(report) == {"1999"}
    assert "8.99" not in report["1999"]
    assert report["1999"]["8.33-major"].tests == ("a step",)


def test_a_run_of_some_tests_leaves_the_report_alone(suite, capsys):
    path, run = suite
    other = {"2002-07-25": {"8.33-major": ClauseCoverage(DECISIVE, ("elsewhere",))}}
    path.write_text(write_coverage(other))
    assert run("-k", "step").ret == run("--collect-only").ret == pytest.ExitCode.OK
    assert run("-k", "step", "--write-coverage").ret == pytest.ExitCode.USAGE_ERROR
    assert "choose none of them" in capsys.readouterr().err
    assert read_coverage(path.parent) == other


@pytest.mark.parametrize("error", ["AssertionError", "KeyboardInterrupt", "pytest.exit.Exception"])
def test_a_report_is_not_written_by_tests_that_fail_or_do_not_end(suite, pytester, error):
    path, run = suite
    path.write_text("as it was")
    pytester.makepyfile(test_recording=f"import pytest\n\ndef test_wrong():\n    raise {error}")
    with suppress(KeyboardInterrupt):
        assert run("--write-coverage").ret != pytest.ExitCode.OK
    assert path.read_text() == "as it was"
