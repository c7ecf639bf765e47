"""House rules on top of an edition: text alone, no program."""

import re
import shutil
from dataclasses import fields
from pathlib import Path

import pytest
from titm_rules.catalog import game_folder
from titm_rules.diagnostics import InputError, RulesetError
from titm_rules.editions.clause_index import formal_text
from titm_rules.editions.house_rules import HouseRules, overlay_file
from titm_rules.editions.load import _mixed_rules, link_edition, load_model
from titm_rules.editions.rule_files import amended_edition, check_files, lost_by
from titm_rules.engines.compiled.program import program_of
from titm_rules.ir.dependencies import ALL, CHOICES, SHOTS, TRACE, DependencyGraph, dependencies_of
from titm_rules.ir.model import Model, Route
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.syntax.parser import parse_rules

from tests.builders import battle, fault_of, position

ROOT = Path(__file__).resolve().parents[2]
NEWEST = "2016-10-01"
MUD = 'add clause my:1 "{}" "All roads are minor."\n  move costs 1 when the road of way is major.\n'


def to_hit(fight, *overlays, edition="1999", firing="a1"):
    who = "attacker" if firing.startswith("a") else "defender"
    target = "d1" if who == "attacker" else "a1"
    asked = {"battle": fight, "who": who, "firing": firing, "target": target}
    return Edition(edition, overlays=overlays).answer("to_hit", asked)


def of_divisions(*divisions):
    fight = battle(", ".join(["foot 3"] * len(divisions)), "foot 2")
    for unit, division in zip(fight["attackers"], divisions, strict=True):
        unit["division"] = division
    return fight


@pytest.mark.parametrize(("divisions", "highest"), [
    (("1", "1"), 4), (("1",), 3), (("1", "2"), 3), (("1", "1", "2"), 3), (("1", "1", None), 4), ((None, None), 3),
    ((None, "1", "1"), 3),
])  # fmt: skip
@pytest.mark.parametrize("edition", ["1994-11-01", "1999", "2016-10-01"])
def test_divisional_integrity(edition, divisions, highest):
    assert to_hit(of_divisions(*divisions), "divisional-integrity", edition=edition)["highest"] == highest


def test_divisions_have_a_modifier_by_the_house_rule_alone():
    assert to_hit(of_divisions("1", "1"), "divisional-integrity")["drms"] == {"divisional-integrity": -1}
    with pytest.raises(InputError):
        to_hit(of_divisions("1", "1"))


@pytest.mark.parametrize(("attackers", "defenders", "pairs", "single"), [
    ("foot 7", "foot 2 entrenched", (3, 4), (1, 2)),
    ("foot 4", "foot 2", (2, 6), (0, 3)),
    ("armor 4", "foot 2", (0, 8), (4, 4)),
])  # fmt: skip
def test_paired_dice(attackers, defenders, pairs, single):
    fight = battle(f"{attackers}, armor 1", defenders, attacker_artillery=1)
    asked = {"battle": fight, "who": "attacker", "firing": "a1", "target": "d1"}
    answer = Edition(overlays=("paired-dice",)).answer("grouped_dice", asked)
    assert (answer["pairs"]["dice"], answer["pairs"]["highest"]) == pairs
    assert (answer["single"]["dice"], answer["single"]["highest"]) == single
    # Defenders never pair their dice.
    asked = {"battle": battle("foot 2", "foot 3"), "who": "defender", "firing": "d1", "target": "a1"}
    assert Edition(overlays=("paired-dice",)).answer("grouped_dice", asked)["pairs"]["dice"] == 0


def test_variable_reinforcements():
    due = {"now": [17, 2], "next": [17, 3], "far": [18, 1]}
    unit = {"side": "German", "kind": "foot", "strength": 2, "entry": ["A"]}
    reserves = [{"id": name, "due": when, **unit} for name, when in due.items()]
    world = position("A-x major", "g German foot 2 x", 17, 2, reserves=reserves)
    rules = Edition("2002-07-25", overlays=("variable-reinforcements",))
    assert rules.answer("pool_options", {"position": world}) == {"options": {"now": 5, "next": 5}}


def test_skirmish_needs_both_sides_and_new_units_are_open_to_reading():
    units = "g German foot 2 x; e Allied foot 2 x; h German foot 2 y impulse_start=x; f Allied foot 2 y"
    rules = Edition(overlays=("skirmish",))
    assert rules.answer("skirmish_areas", {"position": position("x-y major", units)}) == {"areas": ["x"]}
    units = "g German foot 2 x; e Allied foot 2 x; h German foot 2 x impulse_start=y"
    asked = {"position": position("x-y major", units)}
    assert Edition(overlays=("skirmish",)).answer("skirmish_areas", asked) == {"areas": []}
    told = Edition(readings={"H4": "still-open"}, overlays=("skirmish",)).answer("skirmish_areas", asked)
    assert told == {"areas": ["x"]}


@pytest.mark.parametrize(("half_points", "result"), [(21, "Allied win"), (22, "Draw"), (23, "German win")])
def test_tournament(half_points, result):
    rules = Edition("2016-10-01", overlays=("tournament",))
    assert rules.answer("tournament_result", {"half_points": half_points}) == {"result": result}


def test_all_that_ship_stand_together():
    names = ("divisional-integrity", "paired-dice", "skirmish", "tournament", "variable-reinforcements")
    rules = Edition("1996-08-01", overlays=names)
    assert rules.label == "1996-08-01 with " + " with ".join(names)
    assert {"house:1", "house:2", "house:3", "house:4", "wbc:S2"} <= set(rules.clauses)


# ---------------------------------------------------------------------- overlays of one's own
@pytest.fixture
def under(tmp_path):
    """Make the edition of 1999 with a file of house rules."""

    def make(text, name="mine"):
        path = tmp_path / f"{name}.rules"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Edition("1999", overlays=(str(path),))

    return make


def test_a_file_amends_any_edition_and_findings_cite_it(under):
    rules = under('replace clause 7.1b "Mine" "Five units."\n  decides nothing "x".\ndelete 11.15.\n', "free")
    assert rules.clauses["7.1b"].edition == "free"
    assert "11.15" not in rules.clauses
    assert "11.15" in Edition("1999").clauses
    rules = under(MUD.format("Mud"), "slow")
    world = Position.from_dict(position("B-s major; s-x major", "g German foot 2 s"), rules)
    assert world.ask("reachable_cost", units=["g"], to="x") == {"cost": 2}
    verdict = world.check("check_path", units=["g"], path=["s", "x"])
    assert ("my:1", "slow") in [(finding.clause, finding.edition) for finding in verdict.findings]
    assert verdict.edition == "1999 with slow"


@pytest.mark.parametrize(("text", "fault"), [
    ("delete 99.9.\n", "clause 99.9 is not in force"),
    ("delete 9.57b.\n", "clause 9.53a names 9.57b, which was deleted"),
    ("delete\n", "the end of the item is not expected here"),
])  # fmt: skip
def test_a_faulty_file_is_told_with_its_place(under, text, fault):
    with pytest.raises(RulesetError) as caught:
        under(text, "bad")
    assert fault in [one.what for one in caught.value.faults]


def test_the_example_of_the_how_to_compiles(under):
    text = (ROOT / "docs" / "how-to" / "amend.md").read_text(encoding="utf-8")
    [example] = re.findall(r"^```rules\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    rules = under(example)
    assert rules.clauses["7.2"].number == "7.4"
    assert rules.clauses["7.3"].title == "Zones hold ten units"
    assert "R17" not in rules.all_readings


def test_an_overlay_is_named_and_gives_another_model_when_it_changes(under):
    fault = fault_of(Edition, overlays=("divisional-integerity",))
    assert fault.fix == "did you mean `divisional-integrity`?"
    before, after = under(MUD.format("Mud")), under(MUD.format("Mire"))
    assert (before.clauses["my:1"].title, after.clauses["my:1"].title) == ("Mud", "Mire")


# ---------------------------------------------------------------------- models that are shared
def test_editions_that_say_the_same_share_one_model_and_its_programs():
    assert Edition().model is Edition("1999").model
    assert Edition(readings={"R2": "strict-quality"}).model is Edition(readings={"R2": "strict-quality"}).model
    assert Edition(readings={"R2": "strict-quality"}).model is not Edition().model
    assert Edition(overlays=("skirmish",)).model is Edition(overlays=("skirmish",)).model
    assert program_of(Edition().model) is program_of(Edition().model)


# ---------------------------------------------------------------------- where the words are read
@pytest.mark.parametrize("folder", [".", "deep", "rulesets", "scenarios"])
def test_the_words_of_a_file_are_found_again(tmp_path, monkeypatch, folder):
    (tmp_path / folder).mkdir(exist_ok=True)
    path = Path(folder) / "mud.rules"
    (tmp_path / path).write_text(MUD.format("Mud"))
    monkeypatch.chdir(tmp_path)
    for overlay in (str(path), str(tmp_path / path)):
        info = Edition(overlays=(overlay,)).clauses["my:1"]
        assert info.span.path == overlay
        assert formal_text(info.span) == MUD.format("Mud").rstrip()


def test_a_file_that_has_gone_is_no_bug(under, tmp_path):
    info = under(MUD.format("Mud"), "mud").clauses["my:1"]
    (tmp_path / "mud.rules").unlink()
    fault = fault_of(formal_text, info.span)
    assert fault.what == "cannot read the rules again: No such file or directory"


def test_overlays_of_one_file_name_share_nothing(under):
    """What an answer depends on is told by the rules, not by what they are called."""
    asked = {"battle": battle("armor 2, foot 2", "foot 1, foot 3"), "who": "defender"}
    text = 'add clause house:9 "x" "y" fire may not choose when strength of target is 2{}.'
    one, other = under(text.format(""), "one/house"), under(text.format(" and R20 is any"), "other/house")
    assert "R20" not in one.verdict("fire_allocations", asked).depends_on
    assert other.verdict("fire_allocations", asked).depends_on["R20"] == ("any",)


# ---------------------------------------------------------------------- clauses that others build on
WILLING = """replace clause 8.23 "Entering is no attack" "Whoever enters an area with enemy units attacks if he likes."
  contact holds when the side of u is the side-to-move and the place of u is enemy-held for the side of u.
"""
SETTLED = """replace clause 9.54b "Nothing binds the rest" "When all have a shot, the rest are free."
  several holds when number of firers is more than 1.
  lifts 9.52a, 9.52c in fire when several and not some t in targets is unshot.
"""


@pytest.mark.parametrize("text", [WILLING, SETTLED, "limit R2 to strict-quality default.\n"])
def test_house_rules_may_replace_what_others_build_on_or_settle_a_reading(text, under):
    """8.23 said once that targets are eligible, and 9.54b is the clause that asks for R2."""
    fight = battle("foot 2", "foot 2, foot 2")
    assert len(under(text).answer("fire_allocations", {"battle": fight, "who": "attacker"})["allocations"]) == 2


# ---------------------------------------------------------------------- what house rules take away
MAJOR, MINOR = 'replace clause 8.33-major "Roads" "Our roads."\n  {}\n', "delete 8.33-minor.\n"
MANY = " and ".join(f"(number of u in stack where (strength of u is {n})) is not {n}" for n in range(1, 12))
PRICE = "no sentence gives the cost of `move` in some cases any more"


@pytest.mark.parametrize(("text", "where"), [
    (MAJOR.format("move costs 2 when the road of way is major and foot-mode."), "1:16"),
    (MAJOR.format('move may not step when the road of way is major and not foot-mode.'), "1:16"),
    (MAJOR.format("move costs 2 when the road of way is major."), None),
    (MAJOR.format("move costs 2 when the road of way is major and foot-mode.\n  move costs 0 otherwise."), None),
    (MAJOR.format("move may not step when the road of way is major."), None),
    (MAJOR.format(f"move costs 2 when the road of way is major and {MANY}."), "1:16"),
    ("delete 8.34b.\n", None),
])  # fmt: skip
def test_a_price_that_no_sentence_gives_any_more_is_a_fault(text, where, under, tmp_path):
    """Such a step was free. The fault comes when the rules are checked and when they are asked."""
    path = tmp_path / "mine.rules"
    path.write_text(text, encoding="utf-8")
    for ask in (lambda: under(text).answer("reachable", ASKED), lambda: check_files([path])):
        if where is None:
            ask()
            continue
        with pytest.raises(RulesetError) as caught:
            ask()
        [fault] = caught.value.faults
        assert (fault.what, str(fault.where)) == (PRICE, f"{path}:{where}")
        assert "8.33-m" in fault.why
        assert "write `costs 0`" in fault.fix


def test_so_is_one_that_an_edition_takes_away(tmp_path):
    home = tmp_path / "ford"
    shutil.copytree(ROOT / "rulesets/cold-ford", home)
    with (home / "game.rules").open("a", encoding="utf-8") as file:
        file.write('edition "2" "A sheet" dated 2027-01-01 follows "1" reads "2" from "a sheet".\n')
    (home / "2").mkdir()
    sheet = home / "2" / "sheet.rules"
    sheet.write_text('replace clause 3.3 "Woods" "Woods are closed at night."\n  held holds when h is not h.\n')
    with pytest.raises(RulesetError) as caught:
        load_model("2", str(home))
    [fault] = caught.value.faults
    assert fault.what == "no sentence gives the cost of `march` in some cases any more"
    assert fault.why.startswith("clause 3.3 gave it, for example when ")
    assert "2/sheet.rules:1:16" in str(fault.where)


# ---------------------------------------------------------------------- prices below 0
DOWNHILL = 'add clause my:1 "Downhill"\n  "Steps give points back."\n  march costs {}.\n'
FROM_OPEN = "for example when terrain of place-entered is open"


@pytest.mark.parametrize(("costs", "total", "why"), [
    ("-3", -2, f"{FROM_OPEN}: -3 by my:1, 1 by 3.2"),
    ("-2 when ford of way", -1, "for example when ford of way, terrain of place-entered is open: -2 by my:1, 1 by 3.2"),
    ("2 - strength of u", -6, f"{FROM_OPEN}, strength of u is 9: -7 by my:1, 1 by 3.2"),
    ("-1", None, ""),
    ("-2 when terrain of place-entered is wood", None, ""),
    ("-5 when way is closed", None, ""),  # no such step is legal
    ("most of (0, 2 - strength of u)", None, ""),
    ("0 - (number of units standing at place-entered)", None, ""),  # the situation decides
])  # fmt: skip
def test_a_price_below_0_is_a_fault(costs, total, why, tmp_path):
    """Searches for the cheapest way had no end."""
    path = tmp_path / "mine.rules"
    path.write_text(DOWNHILL.format(costs), encoding="utf-8")
    if total is None:
        check_files([path], "cold-ford")
        return
    with pytest.raises(RulesetError) as caught:
        check_files([path], "cold-ford")
    [fault] = caught.value.faults
    assert (fault.what, str(fault.where)) == (f"`march` costs {total} in some cases", f"{path}:3:3")
    assert (fault.why, fault.fix) == (why, "raise the price, add a condition, or write `most of (0, ...)`")


@pytest.mark.parametrize("engine", ["compiled", "reference", "library"])
@pytest.mark.parametrize(("costs", "total"), [
    ("0 - 2 * (number of units standing at place-entered)", 1), ("0 - 9 * (number of units standing at place-left)", 0),
    ("0 - 9 * (number of units)", 0),
])  # fmt: skip
def test_a_price_that_a_situation_makes_negative_counts_as_0(costs, total, engine):
    red = {"side": "Red", "strength": 1}
    ford = {
        "hexes": [{"id": "a", "depot": "Red"}, {"id": "b", "terrain": "wood"}, {"id": "c"}],
        "hexsides": [{"id": "ab", "ends": ["a", "b"]}, {"id": "bc", "ends": ["b", "c"]}],
        "units": [{"id": "r", "place": "a", **red}, {"id": "s", "place": "b", **red}, {"id": "t", "place": "b", **red}],
    }
    sheet = HouseRules("mine", DOWNHILL.format(costs))
    at = Position.from_dict(ford, Edition(engine=engine, game="cold-ford", overlays=(sheet,)))
    assert at.check("check_path", unit="r", path=["a", "b", "c"]).answer["cost"] == total
    assert at.check("reachable", unit="r").answer["destinations"]["c"] == total


def test_what_a_sheet_leaves_undecided_is_a_fault_of_the_sheet(tmp_path):
    path = tmp_path / "mine.rules"
    path.write_text('replace clause 8.31 "Points" "Armor has 8."\n  allowance: armor 8.\n', encoding="utf-8")
    with pytest.raises(RulesetError) as caught:
        check_files([path])
    [fault] = caught.value.faults
    assert (str(fault.where), fault.why) == (f"{path}:2:3", "for example when key is engineer")


ASKED = {"position": position("B-s major; s-x major", "g German foot 2 s"), "units": ["g"]}


def test_the_remedy_of_a_conflict_is_in_the_file_of_the_house_rules(under, tmp_path):
    with pytest.raises(RulesetError) as caught:
        under('add clause my:1 "Nine" "Nine points."\n  points-a-day is 9 when kind of u is foot.\n')
    [fault] = caught.value.faults
    assert str(fault.where) == f"{tmp_path / 'mine.rules'}:2:3"
    assert fault.fix == "write `instead of 4.18c` in my:1"
    assert [Path(span.path).name for span in fault.also] == ["04_pieces.rules"]


@pytest.mark.parametrize(("text", "edition"), [
    ("delete 2016:8.26.\n", NEWEST),
    ("delete 1996:14.2.\n", "1998-01-15"),
    ("delete 1996:14.2, 2016:8.26.\n", NEWEST),  # which has both at no time
    ('add clause my:1 "Rest" "All rest." decides nothing "so it is".\nreplace clause my:1 "Rest" "Nobody rests."\n  '
     'decides nothing "so it is".\n', NEWEST),
])  # fmt: skip
def test_a_sheet_amends_the_newest_edition_with_all_that_it_changes(text, edition, tmp_path):
    assert amended_edition([parse_rules(text, "mine.rules")]) == edition


def test_a_sheet_is_checked_with_the_edition_that_it_amends(tmp_path):
    path = tmp_path / "mine.rules"
    path.write_text("delete 1996:14.2.\n", encoding="utf-8")
    [model] = check_files([path])
    assert model.edition == "1998-01-15 with mine"
    assert lost_by([path], model) == []


@pytest.mark.parametrize("by_path", [False, True])
def test_what_a_house_rule_of_another_game_loses_is_noted(by_path, tmp_path):
    """It is compared with the rules of its own game, also if that is a folder; titm has another 3.4."""
    text = 'replace clause 3.4 "Enemies" "Units march through enemies."\n  held holds when h is not h.\n'
    path = tmp_path / "mine.rules"
    path.write_text(("" if by_path else 'game "cold-ford".\n') + text, encoding="utf-8")
    [model] = check_files([path], str(ROOT / "rulesets/cold-ford") if by_path else "")
    [note] = lost_by([path], model)
    assert note.what.startswith("clause 3.4 says nothing about `march.")


# ---------------------------------------------------------------------- what overlays leave as it is
OVERLAYS = ("race-for-bastogne", "divisional-integrity")


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_rules_with_an_overlay_share_all_that_it_leaves_with_the_edition(overlay, tmp_path, monkeypatch):
    base = load_model(NEWEST)
    linked = link_edition(game_folder(""), NEWEST, [overlay_file(overlay)])
    monkeypatch.setenv("TITM_RULES_CACHE", str(tmp_path / "cache"))
    for _ in ("linked", "read from the cache"):
        _mixed_rules.cache_clear()
        model = load_model(NEWEST, "", (overlay,))
        assert model == linked_under(linked, model.home)
        assert [*model.heads] == [*linked.heads]
        same = {key for key, head in model.heads.items() if head is base.heads.get(key)}
        assert same == {key for key, head in linked.heads.items() if head == base.heads.get(key)}
        assert len(same) > 200
        same_vocabulary = (linked.records, linked.enums) == (base.records, base.enums)
        assert (model.by_vocabulary is base.by_vocabulary) == same_vocabulary
        assert model.by_rules is not base.by_rules
    entries = sorted(path.stat().st_size for path in (tmp_path / "cache").glob("*.model"))
    assert entries[0] < entries[-1] / 2  # an overlay is stored without what it leaves


def linked_under(model, home):
    return type(model)(**{name: value for name, value in vars(model).items() if name in EQUAL}, home=home)


EQUAL = {one.name for one in fields(Model) if one.compare} - {"home"}


# An action that ends a move and counts something makes the move depend on more.
CLOSING = HouseRules("closing", 'add clause my:1 "Digging" "It is a step."\n  entrench counts 1 as steps-taken.\n')


@pytest.mark.parametrize("overlay", ["race-for-bastogne", "sauer-crossing", "seventh-army", CLOSING])
def test_what_rules_depend_on_is_the_same_with_and_without_a_graph_to_share(overlay):
    _ = dependencies_of(load_model(NEWEST)).of_heads(load_model(NEWEST).heads)
    model = load_model(NEWEST, "", (overlay,))
    shared, own = dependencies_of(model), DependencyGraph(model.heads, model.forms, model.records, model.views)
    assert (shared._base is None) == (overlay is CLOSING)
    for key in model.heads:
        assert shared.of_head(key) == own.of_head(key)
    for name, form in model.forms.items():
        for ask in (ALL, TRACE, CHOICES) if isinstance(form, Route) else (ALL, CHOICES, SHOTS):
            assert shared.of_form(name, ask) == own.of_form(name, ask)
    for question in model.questions.values():
        assert shared.of_question(question) == own.of_question(question)
    for event in model.events.values():
        assert shared.of_events([event]) == own.of_events([event])
