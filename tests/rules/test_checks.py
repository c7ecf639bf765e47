"""Faults that only a check of all clauses together can find."""

import pytest
from titm_rules.checker.link import Sources
from titm_rules.checker.link import link as link_sources
from titm_rules.diagnostics import RulesetError
from titm_rules.syntax.parser import parse_rules

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


def faults_of(text, known=()):
    with pytest.raises(RulesetError) as caught:
        link_sources(Sources((parse_rules(SKIRMISH + text, "skirmish.rules"),), "1", known_clauses=known))
    return caught.value.faults


def link(text):
    return link_sources(Sources((parse_rules(SKIRMISH + text, "skirmish.rules"),), "1"))


def test_the_small_game_is_sound():
    assert set(link(PACE + CHARGE).clauses) == {"1.1", "1.2"}


def test_a_missing_row_of_a_table_is_shown_by_a_case():
    (fault,) = faults_of(PACE + 'clause 1.2 "Charge" "By arm."\n  charge: horse 3.\n')
    assert fault.what == "`charge` has no answer in some cases"
    assert fault.why == "for example when key is foot"


def test_two_clauses_that_both_decide_are_shown_together():
    text = PACE + CHARGE + 'clause 1.3 "Tired" "One when tired."\n  pace is 1 when tired of t.\n'
    (fault,) = faults_of(text)
    assert fault.what == "1.1 and 1.3 both decide `pace`, with different answers"
    assert fault.why == "for example when tired of t"
    assert [str(place) for place in fault.also] == ["skirmish.rules:18:3"]
    assert fault.fix == "write `instead of 1.3` in one of them"


def test_instead_of_settles_it():
    text = PACE + CHARGE + 'clause 1.3 "Tired" "One when tired."\n  pace is 1 instead of 1.1 when tired of t.\n'
    assert link(text).clauses["1.3"].excepts == ("1.1",)


def test_two_clauses_that_agree_do_not_clash():
    assert link(PACE + CHARGE + 'clause 1.3 "Again" "Two when tired."\n  pace is 2 when tired of t.\n')


def test_instead_of_a_clause_on_another_matter():
    text = PACE + CHARGE + 'clause 1.3 "Tired" "One."\n  pace is 1 instead of 1.2 when tired of t.\n'
    assert "clause 1.2 has no sentence on `pace`" in [fault.what for fault in faults_of(text)]


def test_a_definition_in_a_circle():
    text = (
        PACE
        + CHARGE
        + (
            'clause 1.3 "Ready" "When rested."\n  ready holds when t is rested.\n'
            'clause 1.4 "Rested" "When ready."\n  rested holds when t is ready.\n'
        )
    )
    (fault,) = faults_of(text)
    assert fault.what == "`ready` is defined in terms of itself"
    assert fault.why == "the cycle: ready > rested > ready"


def test_exceptions_that_lift_each_other():
    text = (
        PACE
        + CHARGE
        + (
            'clause 1.3 "Ready" "Always."\n  ready holds.\n'
            'clause 1.4 "Not tired" "No."\n  lifts 1.3 when tired of t.\n  lifts 1.5 when tired of t.\n'
            'clause 1.5 "But horse" "Yes."\n  lifts 1.4 when arm of t is horse.\n'
        )
    )
    (fault,) = faults_of(text)
    assert fault.what == "exceptions lift each other in a cycle, beginning with 1.4"


def test_an_exception_to_an_exception_is_sound():
    text = (
        PACE
        + CHARGE
        + (
            'clause 1.3 "Ready" "Always."\n  ready holds.\n'
            'clause 1.4 "Not tired" "No."\n  lifts 1.3 when tired of t.\n'
            'clause 1.5 "But horse" "Yes."\n  lifts 1.4 when arm of t is horse.\n'
        )
    )
    assert [lift.clause for lift in link(text).heads["ready"].lifts] == ["1.4", "1.5"]


def test_a_sentence_that_never_counts():
    text = PACE + CHARGE + 'clause 1.3 "Ready" "Both."\n  ready holds when arm of t is horse and arm of t is foot.\n'
    (fault,) = faults_of(text)
    assert fault.what == "1.3's sentence on `ready` can never apply"


def test_a_sentence_that_an_exception_always_lifts():
    text = (
        PACE
        + CHARGE
        + (
            'clause 1.3 "Ready" "Horse."\n  ready holds when arm of t is horse.\n'
            'clause 1.4 "No horse" "Never horse."\n  lifts 1.3 when arm of t is horse.\n'
        )
    )
    assert "1.3's sentence on `ready` can never apply" in [fault.what for fault in faults_of(text)]


def test_a_reading_that_never_matters():
    text = 'reading Q1 "Which?": one "this" default, other "that".\n' + PACE + CHARGE
    (fault,) = faults_of(text)
    assert fault.what == "reading `Q1` has no effect"
    assert fault.fix


def test_a_value_that_no_clause_gives():
    assert [fault.what for fault in faults_of(CHARGE)] == ["no clause decides `pace`"]


def test_a_clause_number_that_the_ledger_does_not_know():
    (fault,) = faults_of(PACE + CHARGE, {"1.1", "1.20"})
    assert fault.what == "unknown clause number `1.2`"
    assert fault.fix == "did you mean `1.20`? If the clause is new, add its line to the ledger."


def test_thresholds_are_tried_on_both_sides():
    text = CHARGE + (
        'clause 1.1 "Weak" "One."\n  pace is 1 when strength of t is less than 3.\n'
        'clause 1.3 "Strong" "Two."\n  pace is 2 when strength of t is more than 3.\n'
    )
    (fault,) = faults_of(text)
    assert fault.what == "`pace` has no answer in some cases"
    assert fault.why == "for example when strength of t is 3"


# ---------------------------------------------------------------------- overlays
TIRED = 'clause 1.3 "Tired" "Those who rest."\n  rested holds when tired of t.\n'
NONE_RESTS = 'clause my:1 "Mine" "Nobody rests."\n  lifts 1.3.\n'
ALL_SLOW = 'clause my:1 "Mine" "One for all."\n  pace is 1 instead of 1.1.\n'


def overlaid(under, overlay):
    """Check an overlay over some clauses."""
    files = [parse_rules(SKIRMISH + PACE + CHARGE + under, "skirmish.rules"), parse_rules(overlay, "mine.rules")]
    return link_sources(Sources(tuple(files), "1", overlays={"mine.rules"}))


def overlaid_faults(under, overlay):
    with pytest.raises(RulesetError) as caught:
        overlaid(under, overlay)
    return [fault.what for fault in caught.value.faults]


@pytest.mark.parametrize(("under", "overlay", "idle"), [
    (TIRED, NONE_RESTS, "1.3's sentence on `rested` can never apply"),
    ("", ALL_SLOW, "1.1's sentence on `pace` can never apply"),
])  # fmt: skip
def test_an_overlay_may_leave_another_clause_nothing_to_say(under, overlay, idle):
    assert [fault.what for fault in faults_of(PACE + CHARGE + under + overlay)] == [idle]
    assert "my:1" in overlaid(under, overlay).clauses


def test_an_overlay_says_nothing_in_vain_itself():
    idle = 'clause my:1 "Mine" "Never."\n  rested holds when tired of t and not tired of t.\n'
    assert overlaid_faults("", idle) == ["my:1's sentence on `rested` can never apply"]


def test_a_clause_that_is_idle_without_the_overlay_stays_a_fault():
    idle = 'clause 1.3 "Never" "Never."\n  rested holds when tired of t and not tired of t.\n'
    assert overlaid_faults(idle, NONE_RESTS) == ["1.3's sentence on `rested` can never apply"]


REST = 'reading REST "Who rests?": some "those who are tired" default, none "nobody".\n'


def test_an_overlay_may_settle_a_reading_but_asks_for_its_own():
    assert faults_of(PACE + CHARGE + REST)[0].what == "reading `REST` has no effect"
    assert "REST" in overlaid(REST, TIRED.replace("1.3", "my:1")).readings
    assert overlaid_faults("", REST) == ["reading `REST` has no effect"]
