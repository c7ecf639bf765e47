"""Faults that only a check of all clauses together can find."""

import time

import pytest
from titm_rules.checker import consistency
from titm_rules.checker.consistency import MAX_CALLS, MAX_LEVELS, unchecked_heads
from titm_rules.checker.link import Sources, survey
from titm_rules.checker.link import link as link_sources
from titm_rules.diagnostics import RulesetError
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.syntax.parser import parse_rules

from tests.syntax.programs import underlined

SKIRMISH = """\
game "Skirmish".
type side is red, blue.
type arm is horse, foot.
place hex has bog: flag default no.
connection path has ends: pair of hex, ford: flag default no.
piece troop has side: side, arm: arm, strength: number 1 to 9, place: hex, tired: flag default no.
situation field has hexes: list of hex, paths: list of path, troops: list of troop.
die d6 from 1 to 6.
define number pace of t: troop on field.
define flag ready of t: troop on field.
define flag rested of t: troop on field.
table charge by arm.
"""
PACE = 'clause 1.1 "Pace" "Two for all."\n  pace is 2.\n'
CHARGE = 'clause 1.2 "Charge" "By arm."\n  charge: horse 3, foot 1.\n'


CHOSEN = 'clause 1.3 "Tired" "One when tired."\n  pace is 1 {}when tired of t.\n'
READY = 'clause 1.3 "Ready" "Always."\n  ready holds{}.\n'
NOT_TIRED = 'clause 1.4 "Not tired" "No."\n  lifts 1.3 when tired of t.\n{}'
BUT_HORSE = 'clause 1.5 "But horse" "Yes."\n  lifts 1.4 when arm of t is horse.\n'
IN_USE = """\
define flag used of own: arm for arms: list of arm.
clause 1.6 "In use" "Horses, where they are listed."
  used holds when own is in arms and own is one of (horse, foot).
"""
NEVER = "1.3's sentence on `ready` can never apply"
NO_ANSWER = "`pace` has no answer in some cases"


def link(text, known=(), overlay=None):
    """Check some clauses, and an overlay over them."""
    files = [parse_rules(SKIRMISH + text, "skirmish.rules")]
    over = [] if overlay is None else [parse_rules(overlay, "mine.rules")]
    overlays = [file.path for file in over]
    return link_sources(Sources((*files, *over), "1", known_clauses=known, overlays=overlays))


def faults_of(text, known=(), overlay=None):
    with pytest.raises(RulesetError) as caught:
        link(text, known, overlay)
    return caught.value.faults


def test_rules_without_a_fault_link():
    assert set(link(PACE + CHARGE).clauses) == {"1.1", "1.2"}
    assert link(PACE + CHARGE + CHOSEN.format("instead of 1.1 ")).clauses["1.3"].excepts == ("1.1",)
    assert link(PACE + CHARGE + CHOSEN.format("").replace("is 1", "is 2"))
    model = link(PACE + CHARGE + READY.format("") + NOT_TIRED.format("") + BUT_HORSE)
    assert [lift.clause for lift in model.heads["ready"].lifts] == ["1.4", "1.5"]
    assert link(PACE + CHARGE + IN_USE), "that it is in a list says nothing of which it is"


@pytest.mark.parametrize(("text", "lists"), [
    ("record tree has branches: list of tree default none.\n", ["list of tree"]),
    ("record egg has hen: hen or nothing.\nrecord hen has eggs: list of egg.\n", ["hen", "list of egg"]),
    ("place pen has inside: yard.\nsituation yard has pens: list of pen.\n", ["yard", "list of pen"]),
    ("record line has id: text, next: line or nothing, over: path.\n", []),
])  # fmt: skip
def test_a_record_that_contains_itself_is_a_fault(text, lists):
    found = faults_of(PACE + CHARGE + text) if lists else []
    assert [underlined(fault) for fault in found] == lists
    assert {fault.why for fault in found} <= {"its values would have no end"}
    assert lists or link(PACE + CHARGE + text)


@pytest.mark.parametrize(("text", "what", "why"), [
    pytest.param(PACE + CHARGE.replace(", foot 1", ""), "`charge` has no answer in some cases",
        "for example when key is foot", id="a missing row of a table is shown by a case"),
    pytest.param(
        PACE + CHARGE + 'clause 1.3 "Ready" "When rested."\n  ready holds when t is rested.\n'
        'clause 1.4 "Rested" "When ready."\n  rested holds when t is ready.\n',
        "`ready` is defined in terms of itself", "the cycle: ready > rested > ready", id="a definition in a circle",
    ),
    pytest.param(PACE + CHARGE + READY.format("") + NOT_TIRED.format("  lifts 1.5 when tired of t.\n") + BUT_HORSE,
        "exceptions lift each other in a cycle, beginning with 1.4", None, id="exceptions that lift each other"),
    pytest.param(PACE + CHARGE + READY.format(" when arm of t is horse and arm of t is foot"), NEVER, None,
        id="a sentence that never counts"),
    pytest.param(CHARGE, "no clause decides `pace`", None, id="a value that no clause gives"),
    pytest.param(
        CHARGE + 'clause 1.1 "Weak" "One."\n  pace is 1 when strength of t is less than 3.\n'
        'clause 1.3 "Strong" "Two."\n  pace is 2 when strength of t is more than 3.\n',
        NO_ANSWER, "for example when strength of t is 3", id="thresholds are tried on both sides",
    ),
])  # fmt: skip
def test_what_only_all_clauses_show(text, what, why):
    (fault,) = faults_of(text)
    assert (fault.what, fault.why) == (what, fault.why if why is None else why)


@pytest.mark.parametrize(("text", "what"), [
    pytest.param(CHOSEN.format("instead of 1.2 "), "clause 1.2 has no sentence on `pace`",
        id="instead of a clause on another matter"),
    pytest.param(
        READY.format(" when arm of t is horse")
        + 'clause 1.4 "No horse" "Never horse."\n  lifts 1.3 when arm of t is horse.\n', NEVER,
        id="a sentence that an exception always lifts",
    ),
])  # fmt: skip
def test_a_fault_among_others(text, what):
    assert what in [fault.what for fault in faults_of(PACE + CHARGE + text)]


def test_two_clauses_that_both_decide_are_shown_together():
    (fault,) = faults_of(PACE + CHARGE + CHOSEN.format(""))
    assert fault.what == "1.1 and 1.3 both decide `pace`, with different answers"
    assert fault.why == "for example when tired of t"
    assert [str(place) for place in fault.also] == ["skirmish.rules:18:3"]
    assert fault.fix == "write `instead of 1.3` in one of them"


def test_a_reading_that_never_matters_and_a_number_that_the_ledger_does_not_know():
    (fault,) = faults_of('reading Q1 "Which?": one "this" default, other "that".\n' + PACE + CHARGE)
    assert fault.what == "reading `Q1` has no effect"
    assert fault.fix
    (fault,) = faults_of(PACE + CHARGE, {"1.1", "1.20"})
    assert fault.what == "unknown clause number `1.2`"
    assert fault.fix == "did you mean `1.20`? If the clause is new, add its line to the ledger."


# ---------------------------------------------------------------------- overlays
TIRED = 'clause 1.3 "Tired" "Those who rest."\n  rested holds when tired of t.\n'
NONE_RESTS = 'clause my:1 "Mine" "Nobody rests."\n  lifts 1.3.\n'
ALL_SLOW = 'clause my:1 "Mine" "One for all."\n  pace is 1 instead of 1.1.\n'
IDLE = 'clause {} "Never" "Never."\n  rested holds when tired of t and not tired of t.\n'
REST = 'reading REST "Who rests?": some "those who are tired" default, none "nobody".\n'


@pytest.mark.parametrize(("under", "overlay", "idle"), [
    (TIRED, NONE_RESTS, "1.3's sentence on `rested` can never apply"),
    ("", ALL_SLOW, "1.1's sentence on `pace` can never apply"),
])  # fmt: skip
def test_an_overlay_may_leave_another_clause_nothing_to_say(under, overlay, idle):
    assert [fault.what for fault in faults_of(PACE + CHARGE + under + overlay)] == [idle]
    assert "my:1" in link(PACE + CHARGE + under, overlay=overlay).clauses


@pytest.mark.parametrize(("under", "overlay", "what"), [
    pytest.param("", IDLE.format("my:1"), "my:1's sentence on `rested` can never apply", id="the overlay's own"),
    pytest.param(IDLE.format("1.3"), NONE_RESTS, "1.3's sentence on `rested` can never apply", id="idle without it"),
    pytest.param("", REST, "reading `REST` has no effect", id="the overlay's own reading"),
])  # fmt: skip
def test_an_overlay_excuses_only_what_it_causes(under, overlay, what):
    assert [fault.what for fault in faults_of(PACE + CHARGE + under, overlay=overlay)] == [what]


def test_an_overlay_may_settle_a_reading():
    assert faults_of(PACE + CHARGE + REST)[0].what == "reading `REST` has no effect"
    assert "REST" in link(PACE + CHARGE + REST, overlay=TIRED.replace("1.3", "my:1")).readings


# ---------------------------------------------------------------------- exceptions
TEXT = """
game "Two Hills".
place hex has height: number 0 to 3, flooded: flag.
situation skirmish has hexes: list of hex, day: number 1 to 9.
define flag open of h: hex on skirmish.
define flag dry on skirmish.
clause 1 "Both" "Hexes are open, and all is dry."
  open holds.
  dry holds.
clause 2 "Floods" "A flooded hex is closed."
  lifts 1 in open when flooded of h.
clause 3 "Hills" "A hill is open even then."
  lifts 2 when height of h is 3.
clause 4 "Days" "On the first day nothing but the hexes counts."
  lifts 3 in open when day is 1.
"""


def test_an_exception_to_an_exception_holds_only_where_that_one_speaks():
    """Clause 3 speaks of a hex; clause 2 lifts clause 1 of hexes only, though clause 1 says more."""
    model = link_sources(Sources((parse_rules(TEXT, "hills.rules"),), "test"))
    assert [(lift.clause, lift.target) for lift in model.heads["open"].lifts] == [("2", "1"), ("3", "2"), ("4", "3")]
    assert model.heads["dry"].lifts == ()


# ---------------------------------------------------------------------- definitions that rest on each other
def definitions(count, says):
    """So many definitions, each but the first by the one before it."""
    declared = "".join(f"define number n{n}-x of t: troop on field.\n" for n in range(count))
    said = "".join(f"  n{n}-x is {says.format(f'n{n - 1}-x of t')}.\n" for n in range(1, count))
    return f'{declared}{PACE}{CHARGE}clause 9.1 "Chain" "A chain."\n  n0-x is strength of t.\n{said}'


@pytest.mark.parametrize(
    ("count", "says", "what"),
    [
        (60, "({0}) + ({0})", f"expands to over {MAX_CALLS} calls of definitions"),
        (3_000, "{0}", f"is nested over {MAX_LEVELS} definitions deep"),
    ],
)
def test_too_much_is_refused_at_once(count, says, what):
    start = time.monotonic()
    [fault] = faults_of(definitions(count, says))
    assert what in fault.what
    assert time.monotonic() - start < 30


def test_circles_are_refused_and_what_rules_need_is_allowed():
    text = definitions(500, "{0}").replace("n0-x is strength of t", "n0-x is n499-x of t")
    assert faults_of(text)
    text = definitions(3, "{0}").replace("n0-x is strength of t", "n0-x is n2-x of t")
    assert "defined in terms of itself" in faults_of(text)[0].what
    assert link(definitions(MAX_LEVELS - 1, "{0}"))
    assert link(definitions(10, "({0}) + ({0})"))


def test_a_remedy_for_the_rules_under_an_overlay_speaks_of_the_overlay():
    """The rules under an overlay are not its author's to change."""
    (fault,) = faults_of(PACE + CHARGE, overlay='clause my:1 "Mine" "Three."\n  pace is 3 when tired of t.\n')
    assert fault.where.path == "mine.rules"
    assert fault.fix == "write `instead of 1.1` in my:1"


# ---------------------------------------------------------------------- heads with too many cases for a table
MARKS = [f"m{number}" for number in range(1, 18)]  # more than 100,000 cases
MARKED = SKIRMISH.replace("tired: flag", f"{', '.join(f'{name}: flag default no' for name in MARKS)}, tired: flag")
ONE_EACH = "".join(f'clause 2.{n} "{name}" "One."\n  pace is 1 when {name} of t.\n' for n, name in enumerate(MARKS, 1))
NO_MARK = f'clause 3.1 "Free" "Two."\n  pace is 2 when not ({" or ".join(f"{name} of t" for name in MARKS)}).\n'
TWO_MARKS = 'clause 3.2 "Both" "Three."\n  pace is 3 when m3 of t and m16 of t.\n'
NO_CASE = 'clause 3.3 "None" "Never."\n  pace is 1 when m4 of t and m17 of t and not m4 of t.\n'


@pytest.mark.parametrize(("clauses", "what"), [
    (ONE_EACH + NO_MARK, []),
    (ONE_EACH.replace("m17 of t", "m16 of t") + NO_MARK, ["`pace` has no answer in some cases"]),
    (ONE_EACH + NO_MARK + TWO_MARKS, ["2.1 and 3.2 both decide `pace`, with different answers"]),
    (ONE_EACH + NO_MARK + NO_CASE, ["3.3's sentence on `pace` can never apply"]),
])  # fmt: skip
def test_a_head_with_too_many_cases_for_a_table_is_searched(clauses, what):
    result = survey(Sources((parse_rules(MARKED + CHARGE + clauses, "skirmish.rules"),), "1"))
    assert [fault.what for fault in result.faults] == what
    assert unchecked_heads(result.model) == []


def test_a_head_that_takes_too_long_is_named(monkeypatch):
    monkeypatch.setattr(consistency, "MAX_STEPS", 3)
    result = survey(Sources((parse_rules(MARKED + CHARGE + ONE_EACH + NO_MARK, "skirmish.rules"),), "1"))
    assert not result.faults
    assert unchecked_heads(result.model) == ["pace"]


@pytest.mark.parametrize("game", ["titm", "bitterwoods", "cold-ford"])
def test_every_head_of_the_games_that_ship_is_checked(game):
    assert [unchecked_heads(load_model(info.name, game)) for info in list_editions(game)][-1] == []
