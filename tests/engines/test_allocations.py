"""What choosers may pick is kept from battle to battle only where nothing else is looked at; too much is refused."""

from itertools import islice, product

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.editions.registry import list_editions
from titm_rules.engines.compiled import allocation_folds
from titm_rules.engines.compiled import engine as compiled
from titm_rules.engines.compiled.allocation_folds import arrangements, assignments, assignments_of
from titm_rules.engines.compiled.equivalence import PickAspects
from titm_rules.engines.compiled.program import program_of
from titm_rules.oracle.edition import ENGINES, Edition

from tests.builders import battle
from tests.service import worst

# It looks at who stands by, who neither fires nor is fired at.
BYSTANDERS = """\
add clause house:9 "Kin" "Nobody fires at a kind of which a unit as strong as the firer stands by."
  fire may not choose when some b in bystanders where (the strength of b is the strength of firer and the kind of b is
    the kind of target).
"""
# It looks at the whole battle, at a chooser and at a target.
FOG = """\
add clause house:9 "Fog" "In a confused battle units of two points fire at units of three only."
  fire may not choose when confusion and strength of firer is 2 and strength of target is not 3.
"""
SMALL = battle("foot 2, foot 1, foot 3", "foot 3, armor 3, foot 2")


def asked_of(attackers, defenders):
    return {"battle": battle(attackers, defenders), "who": "attacker"}


def house(tmp_path, text):
    path = tmp_path / "house.rules"
    path.write_text(text, encoding="utf-8")
    return str(path)


def aspects(edition, form):
    return PickAspects(program_of(edition.model), edition.model.forms[form])


@pytest.mark.parametrize("date", [info.name for info in list_editions()])
@pytest.mark.parametrize("form", ["fire", "artillery"])
def test_the_rules_look_at_nothing_but_who_picks_and_who_is_picked(date, form):
    assert aspects(Edition(date), form).complete
    assert aspects(Edition("1999", readings={"R3": "exempt-means-free"}), form).complete  # it asks for some targets


def test_choosers_are_told_apart_by_what_is_asked_of_choosers():
    """The strength of a target matters to defenders, that of a firer to nobody."""
    edition = Edition("1999")
    fires = aspects(edition, "fire")
    one, two = edition.ask("fire_allocations", {"battle": SMALL, "who": "attacker"}).world.root.attackers[:2]
    assert one.strength != two.strength
    assert fires.of_chooser(None, one) == fires.of_chooser(None, two)


@pytest.mark.parametrize("text", [BYSTANDERS, FOG])
def test_battles_that_differ_elsewhere_are_judged_anew(tmp_path, text):
    path = house(tmp_path, text)
    editions = [Edition("1999", engine=engine, overlays=(path,)) for engine in ENGINES]
    stands_by = battle("foot 1", "foot 1", bystanders="foot 2")["bystanders"]
    others = [SMALL, {**SMALL, "bystanders": stands_by}, {**SMALL, "confusion": True}, SMALL]
    told = set()
    for other in others:
        first, *rest = [one.answer("fire_allocations", {"battle": other, "who": "attacker"}) for one in editions]
        assert all(answer == first for answer in rest)
        told.add(first["count"])
    assert len(told) == 2
    assert aspects(editions[0], "fire").complete is (text == FOG)


def many(kinds, strengths):
    return [f"{kinds.split()[n % len(kinds.split())]} {strengths[n % len(strengths)]}" for n in range(24)]


@pytest.mark.parametrize(
    ("query", "given"),
    [("fire_allocations", {"who": "defender"}), ("artillery_targetings", {"who": "attacker", "n": 99})],
)
def test_too_much_to_count_is_refused(query, given):
    units = ", ".join(many("foot armor mechanized motorized engineer", "1112111"))
    edition = Edition("1998-01-15" if query == "fire_allocations" else "1999")
    strong = ", ".join(many("foot armor mechanized motorized engineer foot foot", "12345678"))
    with pytest.raises(InputError, match="too large for `") as told:
        edition.answer(query, {"battle": battle(units, strong), **given})
    assert [fault.kind for fault in told.value.faults] == ["too-large"]


def test_the_first_of_very_many_come_at_once():
    units = ", ".join(["foot 2"] * 12)
    question = Edition("1999").ask("fire_allocations", {"battle": battle(units, units), "who": "attacker"})
    form, given = question.choice_form()
    first = list(islice(question.engine.choices(form, given), 3))
    assert [[target.id for _, target in one][-3:] for one in first] == [
        ["d10", "d11", "d12"], ["d10", "d12", "d11"], ["d11", "d10", "d12"],
    ]  # fmt: skip
    assert all(question.engine.is_legal(form, given, one) for one in first)
    assert question.engine.count(form, given) == 479_001_600


def test_the_nearest_of_very_many_sequences_is_told():
    """Whoever lists the ends of all sequences before the first one is given never comes to it."""
    given = {"battle": worst.battle(3, 24), "who": "attacker", "sequence": [f"d{n % 24}" for n in range(60)]}
    told = Edition("1999").verdict("artillery_sequence_legal", given)
    assert told.outcome == "illegal"
    assert len(told.nearest["legal_choice"].split(",")) == 60


@pytest.mark.parametrize("chosen", [{"a1": "d1", "a2": "a1"}, {"a1": "d1"}])
@pytest.mark.parametrize("compared", [0, 100])
def test_who_fires_at_a_friend_or_at_nobody_is_given_what_is_left(monkeypatch, compared, chosen):
    """Shots are spread evenly, so that the second firer has the second target; by a search as by comparison."""
    monkeypatch.setattr(compiled, "MAX_COMPARED", compared)
    asked = {"battle": battle("foot 2, foot 2", "foot 2, foot 2"), "who": "attacker", "allocation": chosen}
    told = Edition("1999").verdict("fire_allocation_legal", asked)
    assert told.nearest == {"legal_choice": "a1>d1,a2>d2", "changes": 1}


@pytest.mark.parametrize("who", ["attacker", "defender"])
@pytest.mark.parametrize(("query", "given"), [("fire_allocations", {}), ("artillery_targetings", {"n": 4})])
def test_the_list_is_the_same_however_much_is_put_together(monkeypatch, query, given, who):
    question = Edition("1999").ask(query, {"battle": SMALL, "who": who, **given})
    form, roles = question.choice_form()
    together = list(question.engine.choices(form, roles))
    for most in (1, 30):
        monkeypatch.setattr(allocation_folds, "MAX_TOGETHER", most)
        space = question.engine._allocation(form, roles)
        space.shared = None  # so that the list of the battle before is not taken
        assert list(allocation_folds.enumerate_choices(space)) == together
    assert len(together) > 1


@pytest.mark.parametrize(("kept", "targets"), [(1000, "foot 3, armor 3, foot 2"), (1, "foot 3, armor 3")])
def test_battles_that_are_alike_share_a_list_whoever_comes_first(monkeypatch, kept, targets):
    monkeypatch.setattr(allocation_folds, "MAX_KEPT", kept)
    for units in product(["foot 2", "armor 4"], repeat=3):
        lists = {}
        for name in (*ENGINES, "compiled"):  # the second battle takes the list of the first
            question = Edition("1999", engine=name).ask("fire_allocations", asked_of(", ".join(units), targets))
            rows = list(question.engine.choices(*question.choice_form()))
            assert all([who.id for who, _ in row] == ["a1", "a2", "a3"] for row in rows)
            lists[name] = sorted([target.id for _, target in row] for row in rows)
        assert lists["compiled"] == lists["reference"] == lists["library"]
        assert len(lists["compiled"]) > 1


def test_ways_to_share_out_are_counted_as_they_are_listed():
    assert list(arrangements((2, 0, 1))) == [(0, 0, 2), (0, 2, 0), (2, 0, 0)]
    assert assignments([False, True, True, False], [2, 1, 1, 1]) == 3 == assignments_of("aaab", [1, 2, 1, 1])


# Nobody fires where only a 1 would hit: the two attackers differ in nothing but the roll.
HOPELESS = """\
add clause house:9 "No hopeless shots" "No unit fires where only a 1 would hit."
  fire may not choose when to-hit of firer against target by who is at most 1.
"""


# The attackers differ in nothing but a list, which is compared with a list of the target.
MARKED = """\
extend combatant with marks: list of number default none.

add clause house:9 "No fire among marks" "No unit fires at one that bears a mark of its own."
  fire may not choose when some m in marks of firer where (m is in marks of the target).
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_pieces_are_alike_only_if_nothing_that_the_answer_rests_on_tells_them_apart(engine, tmp_path):
    rolls = battle("mechanized 2 oos, mechanized 2", "mechanized 2, mechanized 3 entrenched")
    lists = battle("mechanized 2, mechanized 2", "mechanized 2, mechanized 2")
    for units in (lists["attackers"], lists["defenders"]):
        for number, unit in enumerate(units):
            unit["marks"] = [number]
    for text, fight, allocation in ((HOPELESS, rolls, "a1>d1,a2>d2"), (MARKED, lists, "a1>d2,a2>d1")):
        edition = Edition("1999", engine=engine, overlays=(house(tmp_path, text),))
        assert edition.answer("fire_allocations", {"battle": fight, "who": "attacker"})["allocations"] == [allocation]
        for picked in product(("d1", "d2"), repeat=2):  # only the one of the list is legal
            plan = dict(zip(("a1", "a2"), picked, strict=True))
            judged = edition.answer("fire_allocation_legal", {"battle": fight, "who": "attacker", "allocation": plan})
            assert judged["legal"] == (allocation == "a1>{a1},a2>{a2}".format(**plan))
