"""The clause that is cited is the clause that decides.

What is tested of every refusal, with rules from which clauses are taken away (`Model.without_clause`)
and a judge that shares nothing with the explanations (the reference engine; for fire, all orders played out):

* something is cited, unless the question itself names no legal shape (no connection, a chooser left out);
* it suffices: with the bars of the cited clauses as the only bars the answer stays illegal;
* each cited clause counts: without it the answer becomes legal, or the refusal gives other reasons,
  or it belongs to a smallest set of cited clauses that keeps the answer illegal: none of them can go.
  (Of a path this is asked of the path or of its beginning up to the step; where a destination is out of
  reach, of the route that the verdict shows.)
"""

import json
import random
from dataclasses import replace
from functools import cache, cached_property
from itertools import islice, pairwise

import pytest
from titm_rules.diagnostics import Undecided
from titm_rules.engines.factory import make_engine
from titm_rules.engines.query import BoundQuestion
from titm_rules.engines.reference.brute_force import ReferenceEngine
from titm_rules.explain.explain import explain, outcome_of
from titm_rules.ir.model import Allocation, Route
from titm_rules.ir.terms import Const
from titm_rules.oracle.edition import Edition

from tests.bitterwoods.worlds import HexMaker, Maker
from tests.builders import battle
from tests.clauses.corpus import conformance_rows
from tests.properties.test_hex_games import piece, start
from tests.worlds import wide_case

REFUSABLE = ("check_path", "fire_allocation_legal", "artillery_sequence_legal", "reachable_cost", "supplied")
LISTED = {"fire_allocations": "fire_allocation_legal", "artillery_targetings": "artillery_sequence_legal"}
AMOUNT = 40


@cache
def edition(name, readings, game, engine):
    return Edition(name, dict(readings), engine, game=game)


class Case:
    """A question, and the rules from which clauses may be taken away."""

    def __init__(self, name, readings, query, inputs, game="titm"):
        self.key = name, tuple(sorted(readings.items())), game
        self.judge = "reference" if game == "titm" else "library"  # supply without end is slow to trace plainly
        self.query, self.inputs = query, inputs
        self.told = set()  # clauses that are said to forbid it too
        self.is_ranked = True  # whether paths that are no better than others are refused

    def __str__(self):
        return f"{self.key} {self.query} {json.dumps(self.inputs)}"

    @cached_property
    def base(self):
        return edition(*self.key, self.judge).ask(self.query, self.inputs)

    def asked(self, swap=None, engine=""):
        """Put the question; with clauses taken away, in the situation that is there already."""
        engine = engine or self.judge
        if swap is None:
            return edition(*self.key, engine).ask(self.query, self.inputs)
        base, model = self.base, swap(self.base.model)
        engine = make_engine(engine, model, base.world)
        return BoundQuestion(model, base.question, engine, base.world, base.raw, base.path)

    def verdict(self, swap=None, engine=""):
        asked = self.asked(swap, engine)
        return explain(asked, lambda _: asked)

    def is_legal(self, swap=None):
        asked = self.asked(swap)
        if isinstance(asked.form, Allocation):
            return can_be_chosen(asked)
        return outcome_of(asked.question, asked.answer()) == "legal"

    def of_path(self, query, inputs):
        """Return a question about another path, of the same rules."""
        name, readings, game = self.key
        other = Case(name, dict(readings), query, inputs, game)
        other.is_ranked = self.is_ranked
        return other


def can_be_chosen(asked):
    """Whether some order of choosing, those of higher rank first, has no pick that a clause bars."""
    form, given = asked.choice_form()
    picked = asked.picked()
    if picked is None:
        return False
    engine = ReferenceEngine(asked.model, asked.world)
    pairs = picked if form.chooser else tuple(enumerate(picked))
    if not {target for _, target in pairs} <= set(engine.term(form.targets, given)):
        return False

    def rank(pair):
        return engine.term(form.order, {**given, form.chooser[0]: pair[0]}) if form.chooser and form.order else 0

    ranks = {pair: rank(pair) for pair in pairs}

    def goes_on(left, picks):
        if not left:
            return True
        first = [pair for pair in left if ranks[pair] == max(ranks[one] for one in left)]
        return any(
            not engine.is_barred(form, given, *pair, picks)
            and goes_on([one for one in left if one != pair], {**picks, pair[1]: picks.get(pair[1], 0) + 1})
            for pair in (first if form.chooser else left[:1])
        )

    return goes_on(list(pairs), {})


# ---------------------------------------------------------------------- rules with clauses taken away
def without(clause):
    return lambda model: model.without_clause(clause)


def keeping(clauses, cited, is_ranked=True):
    """Let nobody but some clauses forbid: of the others no bar is left, of those cited also nothing else."""
    gone = cited - clauses

    def swap(model):
        forms = {name: free(form) for name, form in model.forms.items()}
        return replace(model, forms=forms, heads={key: changed(head) for key, head in model.heads.items()})

    def free(form):
        return form if is_ranked or not isinstance(form, Route) else replace(form, ranks=())

    def changed(head):
        statements, lifts = head.statements, tuple(lift for lift in head.lifts if lift.clause not in gone)
        if head.mode == "bar" or head.key.endswith(".stop"):
            statements, lifts = tuple(s for s in statements if s.clause in clauses), head.lifts
        elif head.mode == "any" and gone.intersection(s.clause for s in statements):
            statements = tuple(s for s in statements if s.clause in clauses)
        elif head.key.endswith(".points"):
            statements = tuple(boundless(s, clauses) for s in statements)
        same = (statements, lifts) == (head.statements, head.lifts)
        return head if same else replace(head, lifts=lifts, statements=statements)

    return swap


def boundless(statement, clauses):
    """Make a statement that is not kept give more points than any path costs, yet few steps."""
    return statement if statement.clause in clauses else replace(statement, value=Const(200, statement.value.type))


def reasons(verdict):
    return {(finding.clause, finding.where, finding.message) for finding in verdict.failing}


def has_no_way(case):
    """Whether it has a shape that no clause can change.

    Units that stand apart are to go together, one does not stand where its path begins, a path enters a place twice
    that may be entered once, or it leads where nothing connects.
    """
    places = {one["id"]: one["place"] for one in case.inputs.get("position", {}).get("units", ())}
    path = case.inputs.get("path", ())
    if path and "unit" in case.inputs and places[case.inputs["unit"]] != path[0]:
        return True
    is_twice = len(set(path)) < len(path) and getattr(case.base.form, "simple", False)
    links = [{*one["ends"]} for one in case.inputs.get("position", {}).get("connections", ())]
    known = set().union(*links)
    is_cut = any({*step} <= known and {*step} not in links for step in pairwise(path))
    return is_twice or is_cut or len({places[name] for name in case.inputs.get("units", ())}) > 1


def is_interrupted_between_parallels(case):
    """Whether a step is interrupted where several connections lead: of them one is judged."""
    links = [{*one["ends"]} for one in case.inputs.get("position", {}).get("connections", ())]
    steps = pairwise(case.inputs.get("path", ()))
    return any(after[:1] == "!" and links.count({before.removeprefix("!"), after[1:]}) > 1 for before, after in steps)


def faults(case):
    """Say where the reasons of a refusal are not those that decide."""
    verdict = case.verdict(engine="compiled")
    forbids = {finding.clause for finding in verdict.failing}
    case.is_ranked = any("better route" in finding.message for finding in verdict.failing)
    case.is_ranked |= len(case.inputs.get("path", "..")) == 1  # where nothing ranks, who stays breaks no rule
    cited = forbids | {finding.clause for finding in verdict.findings if finding.effect == "rests"}
    if not forbids:
        return [] if verdict.plain_reason else ["nothing is cited"]
    if has_no_way(case):
        return []
    if not keeps_illegal(case, cited, cited):
        return [f"{sorted(cited)} do not suffice"]
    if is_interrupted_between_parallels(case):
        return []
    case.told |= {finding.clause for finding in verdict.findings if finding.effect == "also"}
    order = [*sorted(forbids), *sorted(cited - forbids)]
    return [f"{clause} does not count" for clause in sorted(forbids) if not counts(case, verdict, clause, order)]


def keeps_illegal(case, clauses, cited):
    try:
        return not case.is_legal(keeping(clauses, cited | case.told, case.is_ranked))
    except Undecided:  # a value is gone: nothing is said any more
        return False


def counts(case, verdict, clause, cited):
    """Whether a cited clause matters to a refusal."""
    try:
        if case.is_legal(without(clause)):
            return True
        if any(is_needed(part, clause, cited, last) for part in narrower(case, verdict) for last in cited):
            return True
        left = {one for one in reasons(verdict) if one[0] != clause}
        picks = {one.where for one in verdict.failing if one.clause == clause}
        others = {one.where for one in verdict.failing if one.clause != clause}
        # Else the same reasons are left: then it counts if it alone forbids a pick, which without it nothing forbids.
        return reasons(case.verdict(without(clause), engine="library")) != left or not picks <= others
    except Undecided:  # a value is gone: the question has no answer any more
        return True


def narrower(case, verdict):
    """Yield a question, or those about the path that it is about, from the longest to its first step."""
    path = case.inputs.get("path") or verdict.witness.get("route")
    if not path or case.inputs.keys().isdisjoint(("path", "to")):
        yield case
        return
    inputs = {name: value for name, value in case.inputs.items() if name != "to"}
    for length in range(len(path), 1, -1):
        query = "check_path" if case.key[-1] == "titm" else case.query
        yield case.of_path(query, {**inputs, "path": path[:length]})


def is_needed(case, clause, cited, last):
    """Whether a clause is left when the others are taken away one by one while the answer stays illegal."""
    needed = set(cited)
    for other in sorted(cited, key=lambda one: one == last):
        if other != clause and keeps_illegal(case, needed - {other}, set(cited)):
            needed.remove(other)
    return not keeps_illegal(case, needed - {clause}, set(cited))


# ---------------------------------------------------------------------- refusals
@cache
def public_refusals():
    """Collect what the public cases refuse: questions, and what their lists of choices leave out."""
    found = []
    for name in ("1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20", "1998-01-15", "1999"):
        for row in conformance_rows(name):
            if row.query in REFUSABLE and next(iter(row.expected.values())) in (False, None):
                found.append(Case(name, row.readings, row.query, row.input))
            elif row.query in LISTED:
                found += left_out(name, row)
    return found


def left_out(name, row):
    """Yield some choices that are not among those listed, a few a case."""
    rng = random.Random(str(row))
    battle, who = row.input["battle"], row.input["who"]
    own, enemy = (battle["attackers"], battle["defenders"])[:: 1 if who == "attacker" else -1]
    for _ in range(25):
        targets = [unit["id"] for unit in enemy]
        if row.query == "fire_allocations":
            choice = {"allocation": {unit["id"]: rng.choice(targets) for unit in own}}
        else:
            choice = {"sequence": [rng.choice(targets) for _ in range(row.input["n"])]}
        case = Case(name, row.readings, LISTED[row.query], {"battle": battle, "who": who, **choice})
        if not case.is_legal():
            yield case


def random_refusals(amount, start=0):
    """Yield refusals of random questions."""
    found = 0
    for seed in range(start, start + 100 * amount):
        raw = wide_case(random.Random(seed), REFUSABLE[seed % len(REFUSABLE)])
        case = Case(raw["edition"], raw["readings"], raw["query"], raw["input"])
        asked = case.asked(engine="compiled")
        if outcome_of(asked.question, asked.answer()) == "illegal":
            found += 1
            yield case
        if found == amount:
            return


def test_refusals_of_public_cases_cite_what_decides():
    cases = public_refusals()
    chosen = random.Random(1).sample(cases, min(AMOUNT, len(cases)))
    assert len(chosen) == AMOUNT
    assert {str(case): found for case in chosen if (found := faults(case))} == {}


def test_refusals_of_random_questions_cite_what_decides():
    assert {str(case): found for case in random_refusals(AMOUNT) if (found := faults(case))} == {}


# ---------------------------------------------------------------------- the hex games
OF_WOODS = (
    "check_path", "check_retreat", "check_advance", "boundary", "action_legal", "options_legal", "event_roll", "sneak",
    "peiper_exploitation", "peiper_attack", "combine_peiper", "landing_entry", "challenge_result", "angriff_group",
    "combat_order", "reserve_legal", "exploitation_release",
)  # fmt: skip


def question_of_woods(seed):
    maker = (HexMaker if seed % 2 else Maker)(seed)
    raw = maker.request(OF_WOODS[seed % len(OF_WOODS)])
    return Case(raw["edition"], raw["readings"], raw["query"], raw["input"], "bitterwoods")


def question_of_ford(seed):
    position, rng = start("cold-ford", seed).to_dict(), random.Random(seed)
    unit, beside = rng.choice(position["units"]), piece("cold-ford")[2]
    path = [unit["place"]]
    while seed % 3 and len(path) < 5:
        path.append(rng.choice([name for name in beside[path[-1]] if name != path[-1]]))
    query, more = ("check_path", {"path": path}) if seed % 3 else ("supplied", {})
    return Case("1", {}, query, {"position": position, "unit": unit["id"], **more}, "cold-ford")


def hex_refusals(make, amount, first=0):
    """Yield refusals of random questions of a hex game, each kind of question in turn."""
    cases = map(make, range(first, first + 100 * amount))
    return islice((case for case in cases if outcome_of(case.base.question, case.base.answer()) == "illegal"), amount)


@pytest.mark.parametrize(("make", "amount"), [(question_of_woods, AMOUNT // 2), (question_of_ford, AMOUNT // 6)])
@pytest.mark.parametrize("first", [0, *(pytest.param(part * 10**6, marks=pytest.mark.slow) for part in range(1, 5))])
def test_refusals_of_the_hex_games_cite_what_decides(make, amount, first):
    assert {str(case): found for case in hex_refusals(make, amount, first) if (found := faults(case))} == {}


def test_of_several_ways_to_say_why_the_one_that_names_fewest_clauses_is_taken():
    """All targets are better than the firer; that some are exempt besides is no reason."""
    fight = battle("engineer 1, mechanized 1, motorized 2, armor 6", "foot 4")
    inputs = {"battle": fight, "who": "defender", "allocation": {"d1": "a2"}}
    verdict = Case("1999", {}, "fire_allocation_legal", inputs).verdict(engine="compiled")
    assert [finding.clause for finding in verdict.failing] == ["9.52c"]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_refusals_cite_what_decides(part):
    cases = [*public_refusals()[part::10], *random_refusals(300, part * 10**6)]
    assert {str(case): found for case in cases if (found := faults(case))} == {}
