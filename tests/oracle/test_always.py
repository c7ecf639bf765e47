"""What holds in every position: who breaks it is told so, wherever a position comes from, and clauses need not ask."""

import itertools
import random

import pytest
from titm_rules.checker.link import link_model
from titm_rules.diagnostics import InputError, RulesetError, Undecided
from titm_rules.editions.rule_files import write_skeleton
from titm_rules.engines.factory import make_engine
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.service.protocol import Oracle
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.evaluate import is_possible
from titm_rules.world.world import World

ENGINES = ("compiled", "library", "reference")
WORDS = """
always on position for each u in units: allowance of u is at least 1 or the side of u is blue
  says "{u} of {side of u} cannot move".
always on position: number of units is less than 4 says "there are {number of units} units".
event tire on position by side-to-move: for each u in units.
situation look has walkers: list of walker default none.
piece walker has place: hex or nothing default nothing, pace: number 0 to 20.
always on look for each w in walkers: pace of w is less than 9 says "{w} is too fast".
view look of h: hex on position: walkers: each u in units standing at h: (pace: allowance of u).
"""
CLAUSE = """
clause 9.1 "Tired"
  "Who is tired has two points less, and none below two."
  tire sets allowance of u to allowance of u - 2 when allowance of u is at least 2.
  tire sets allowance of u to 0 when allowance of u is less than 2.
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A game with words on what always holds."""
    write_skeleton("skirmish", tmp_path)
    (tmp_path / "skirmish" / "1" / "09_tired.rules").write_text(CLAUSE)
    with (tmp_path / "skirmish" / "game.rules").open("a") as file:
        file.write(WORDS)
    monkeypatch.setenv("TITM_RULES_GAMES", str(tmp_path))
    return str(tmp_path / "skirmish")


def data(*allowances, side="Red"):
    units = [{"id": f"u{n}", "side": side, "place": "h", "allowance": one} for n, one in enumerate(allowances)]
    return {"hexes": [{"id": "h"}], "units": units}


def faults(home, given, engine="compiled"):
    with pytest.raises(InputError) as caught:
        Position.from_dict(given, Edition(game=home, engine=engine))
    return [(fault.what, fault.where, fault.kind) for fault in caught.value.faults]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_position_that_breaks_it_is_refused_with_the_words(home, engine):
    assert Position.from_dict(data(4, 1), Edition(game=home, engine=engine)).ask("reachable", unit="u1")
    assert faults(home, data(4, 0), engine) == [("u1 of Red cannot move", "$.position.units[1]", "bad-value")]
    assert faults(home, data(1, 1, 1, 1), engine) == [("there are 4 units", "$.position", "bad-value")]
    assert len(faults(home, data(0, 1, 0, 0), engine)) == 4
    # What always holds of some leaves others.
    assert Position.from_dict(data(0, side="Blue"), Edition(game=home)).units["u0"]["allowance"] == 0


def test_questions_files_notations_and_the_protocol_are_refused_alike(home, tmp_path):
    edition = Edition(game=home)
    with pytest.raises(InputError) as caught:
        edition.ask("reachable", {"position": data(0), "unit": "u0"})
    assert caught.value.faults[0].where == "$.input.position.units[0]"
    (tmp_path / "p.json").write_text(
        '{"hexes": [{"id": "h"}], "units": [{"id": "a", "side": "Red", "place": "h", "allowance": 0}]}'
    )
    with pytest.raises(InputError, match="a of Red cannot move"):
        Position.from_file(tmp_path / "p.json", edition)
    sound = Position.from_dict(data(3), edition)
    bad = sound.notation.replace("3", "0")
    assert bad != sound.notation
    with pytest.raises(InputError, match="cannot move"):
        Position.from_notation(bad, edition)
    asked = {"id": 1, "game": "skirmish", "edition": "1", "query": "reachable"}
    answer = Oracle().ask({**asked, "input": {"position": data(4, 0), "unit": "u0"}})
    assert not answer["ok"]
    error = answer["error"]
    assert (error["kind"], error["at"]) == ("bad-value", "$.input.position.units[1]")
    assert error["message"].startswith("u1 of Red cannot move")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_event_that_would_break_it_is_not_covered(home, engine):
    position = Position.from_dict(data(3), Edition(game=home, engine=engine))
    once = position.apply(position.legal_actions[0])
    assert once.units["u0"]["allowance"] == 1
    with pytest.raises(Undecided, match="not covered: u0 of Red cannot move") as caught:
        once.apply(once.legal_actions[0])
    assert "`tire` makes a position" in caught.value.faults[0].why
    # Nor is a view that would break it.
    position = Position.from_dict(data(8, 9), Edition(game=home))
    with pytest.raises(Undecided, match="u1 is too fast"):
        position.view("look", "h")


# ---------------------------------------------------------------------- cases that need no clause
VOCABULARY = """\
game "Skirmish".
type arm is horse, foot.
place hex has bog: flag default no.
piece troop has arm: arm, strength: number 0 to 9, place: hex, tired: flag default no, friend: troop or nothing.
situation field has hexes: list of hex, troops: list of troop, day: number 1 to 9, night: flag default no.
situation camp has cooks: list of troop.
define number pace of t: troop on field.
"""
PACE = 'clause 1 "Pace" "By strength."\n  pace is 1 when tired of t. pace is 2 when strength of t is 0.\n'
REST = "  pace is 3 when not tired of t and strength of t is more than 0.\n"


def whats(text, vocabulary=VOCABULARY):
    try:
        link_model([parse_rules(vocabulary + text, "skirmish.rules")], "1")
    except RulesetError as error:
        return [fault.what for fault in error.faults]
    return []


def always(condition, each=" for each x in troops", situation="field"):
    return f'always on {situation}{each}: {condition} says "so it is".\n'


NEVER_BOTH = "not tired of x or strength of x is more than 0"
CLASH = ["1 and 1 both decide `pace`, with different answers"]
MISSING = ["`pace` has no answer in some cases"]
CAMP = "situation camp has cooks: list of troop.\n"
NO_CAMP, NO_LONER = VOCABULARY.replace(CAMP, ""), VOCABULARY.replace("troop or nothing", "troop")
STRONG = 'clause 1 "Pace" "Two."\n  pace is 2 when strength of t is more than 3.\n'
FRIENDS = 'clause 1 "Pace" "By friends."\n  pace is 1 when strength of friend of t is at least 1.\n'
EVENT = "event rest on field: for each t in troops.\n"
RESTS = (
    'clause 1 "Pace" "One."\n  pace is 1.\n  rest sets tired of t to no when tired of t. '
    "rest sets tired of t to yes when strength of t is 0.\n"
)


@pytest.mark.parametrize(("vocabulary", "text", "found"), [
    (NO_CAMP, PACE + REST, CLASH), (NO_CAMP, always(NEVER_BOTH) + PACE + REST, []),
    # not taken apart; about something else; about some of them; elsewhere
    (NO_CAMP, always(f"every x in troops where ({NEVER_BOTH})", "") + PACE + REST, CLASH),
    (NO_CAMP, always("not night or day is at least 5", "") + PACE + REST, CLASH),
    (NO_CAMP, always(NEVER_BOTH, " for each x in those b in troops where (arm of b is foot)") + PACE + REST, CLASH),
    (VOCABULARY, always(NEVER_BOTH, " for each x in cooks", "camp") + PACE + REST, CLASH),
    # a case that cannot be needs no answer
    (VOCABULARY, STRONG, MISSING), (VOCABULARY, always("strength of x is at least 5") + STRONG, []),
    (VOCABULARY, always("strength of x is at least 3") + STRONG, MISSING),
    # a friend is a troop too
    (VOCABULARY, always("strength of x is at least 1") + FRIENDS, MISSING),
    (NO_LONER, always("strength of x is at least 1") + FRIENDS, []),
    # effects in cases that cannot be do not clash
    (VOCABULARY, EVENT + RESTS, ["1 and 1 both set `tired of t` in `rest`, to different values"]),
    (VOCABULARY, EVENT + always(NEVER_BOTH) + RESTS, []),
])  # fmt: skip
def test_cases_that_cannot_be_are_left_out(vocabulary, text, found):
    assert whats(text, vocabulary) == found


def test_a_sentence_on_a_case_that_cannot_be_is_idle():
    text = always("strength of x is at least 1") + PACE + REST
    assert "1's sentence on `pace` can never apply" in whats(text)


# ---------------------------------------------------------------------- what is spared cannot come about
FACTS = ("tired of {}", "arm of {} is foot", "strength of {} is 0", "strength of {} is at least 2", "night", "day is 1")
TROOPS = [
    {"strength": strength, "arm": arm, "tired": tired} for strength in range(4) for arm in ("horse", "foot")
    for tired in (False, True)
]  # fmt: skip
SMALL = NO_CAMP.replace("0 to 9", "0 to 3")


def some_condition(dice, subject):
    parts = [dice.choice(("", "not ")) + dice.choice(FACTS).format(subject) for _ in range(dice.randint(1, 2))]
    return dice.choice((" and ", " or ")).join(parts)


def positions():
    """Every position of one troop, by day or night, on the first day or the second."""
    for troop, night, day in itertools.product(TROOPS, (False, True), (1, 2)):
        one = {"id": "t", "place": "h", "friend": None, **troop}
        yield {"hexes": [{"id": "h"}], "troops": [one], "night": night, "day": day}


def test_rules_that_pass_decide_in_every_position_that_can_be():
    dice, passed, spared = random.Random(7), 0, 0
    worlds = [*positions()]
    for _ in range(400):
        said = always(some_condition(dice, "x"), dice.choice((" for each x in troops", "")))
        when = some_condition(dice, "t")
        clause = (
            f'clause 1 "Pace" "By cases."\n  pace is 1 when {when}.\n  pace is 2 when {some_condition(dice, "t")}.\n'
        )
        if whats(said + clause, SMALL):
            continue
        passed += 1
        spared += bool(whats(clause, SMALL))
        model = link_model([parse_rules(SMALL + said + clause, "skirmish.rules")], "1")
        for data in worlds:
            world = World(model, "field", data)
            if is_possible(world, model):
                found = {
                    make_engine(name, model, world).decide("pace", {"t": world.root.troops[0]}) for name in ENGINES
                }
                assert len(found) == 1, (said, clause, data)
    assert passed > 5
    assert spared > 3
