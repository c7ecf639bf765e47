"""Questions and actions of all kinds and games, drawn at random: each refusal cites clauses whose words forbid it.

What is tested of each with clauses taken away, as in `test_blame`:

* no clause that is not cited bars it alone: without those that are cited it is legal, or these alone keep it illegal;
* each clause that is cited counts; of a shot it is enough that in some order of fire the clause alone bars it.

What no clause can change is left out, as an action that its event does not offer whatever the clauses say.
"""

import random
from contextlib import suppress
from itertools import islice

import pytest
from titm_rules import Action, Edition, Position
from titm_rules.diagnostics import InputError, Undecided
from titm_rules.engines.factory import make_engine
from titm_rules.engines.reference.brute_force import ReferenceEngine
from titm_rules.explain.explain import outcome_of
from titm_rules.explain.refusals import judge
from titm_rules.oracle.game import throw
from titm_rules.play.machine import Machine

from tests.bitterwoods.worlds import HexMaker, Maker
from tests.properties.test_actions_agree import random_start
from tests.properties.test_blame import (
    REFUSABLE,
    Case,
    counts,
    has_no_way,
    keeping,
    keeps_illegal,
    question_of_ford,
    question_of_woods,
)
from tests.properties.test_hex_games import start
from tests.worlds import EDITIONS, SIDES, add_bridge, random_battle, random_position, random_readings, random_stack
from tests.worlds import wide_case as random_question

PER_KIND = 50  # twenty kinds
EVERY = 25  # of which so many are one in the normal run
MOVES = {"titm": 6, "cold-ford": 12, "bitterwoods": 12}  # how many actions a random game may have had
GIVING = ("lifts", "gives")
LISTING = ("special_forces_options", "reinforcement_options", "attack_status")
LISTS_OF_WOODS = ("step_cost", "interdiction_options", "angriff_status", "bombardment_options", "support_options")


def is_refused(case):
    """Whether the engine that is quickest refuses; a question about what there is, by there being nothing."""
    if isinstance(case, Tried):
        return not case.position.is_legal(case.action)
    asked = case.asked(engine="compiled")
    answer = asked.answer()
    return gives_nothing(answer) if isinstance(case, Listing) else outcome_of(asked.question, answer) == "illegal"


def gives_nothing(answer):
    values = [one for value in answer.values() for one in (value.values() if isinstance(value, dict) else [value])]
    return all(one is None or one == [] or one in ("may not", "illegal") for one in values)


class Listing(Case):
    """A question whose answer may be that there is nothing."""

    def is_legal(self, swap=None):
        return not gives_nothing(self.asked(swap).answer())


class Shot(Case):
    """Whether a unit may fire at another in some plan: clauses are taken away from its shot, and bind the others."""

    def __init__(self, *args):
        super().__init__(*args)
        asked = self.base
        self.form, self.given = asked.model.forms["fire"], {"who": asked.env["who"]}
        self.bound = ReferenceEngine(asked.model, asked.world)
        self.targets = self.bound.term(self.form.targets, self.given)
        choosers = self.bound.term(self.form.choosers, self.given)
        self.ranks = {
            one: self.bound.term(self.form.order, {**self.given, self.form.chooser[0]: one}) for one in choosers
        }
        self.firing = next(one for one in choosers if one.id == self.inputs["firing"])
        self.target = next(one for one in self.targets if one.id == self.inputs["target"])

    def is_legal(self, swap=None):
        return any(
            not self.is_barred(swap, picks) and any(self.plans(left, add(picks, self.target)))
            for left, picks in self.turns(list(self.ranks), {})
        )

    def is_barred(self, swap, picks):
        free = self.bound if swap is None else ReferenceEngine(swap(self.base.model), self.base.world)
        return free.is_barred(self.form, self.given, self.firing, self.target, picks)

    def is_barred_by(self, clause):
        """Whether a clause alone bars the shot when its turn has come in some plan."""
        return any(self.is_barred(keeping({clause}, {clause}), picks) for _, picks in self.turns(list(self.ranks), {}))

    def turns(self, left, picks):
        """Yield who is left and what has been picked whenever the turn of the shot may have come."""
        if self.firing in left:
            if self.ranks[self.firing] == max(map(self.ranks.get, left)):
                yield [one for one in left if one is not self.firing], picks
            for rest, after in self.others(left, picks):
                yield from self.turns(rest, after)

    def others(self, left, picks):
        for one in left:
            if one is not self.firing and self.ranks[one] == max(map(self.ranks.get, left)):
                for target in self.targets:
                    if not self.bound.is_barred(self.form, self.given, one, target, picks):
                        yield [other for other in left if other is not one], add(picks, target)

    def plans(self, left, picks):
        """Yield once for each way in which the others finish a plan."""
        if not left:
            yield True
        for rest, after in self.others(left, picks):
            yield from self.plans(rest, after)


def add(picks, target):
    return {**picks, target: picks.get(target, 0) + 1}


class Tried(Case):
    """An action that is tried in a position."""

    def __init__(self, position, action):
        edition = position.edition
        super().__init__(edition.date, edition.readings, action.kind, {}, edition.game)
        self.position, self.action = position.settled, action
        self.event = edition.model.events[action.kind]

    def __str__(self):
        return f"{self.key} {self.action.by} {self.action} {self.position.to_json()}"

    def machine(self, swap=None, engine=""):
        model = self.position.edition.model
        model = model if swap is None else swap(model)
        return Machine(model, self.position.world, lambda world: make_engine(engine or self.judge, model, world))

    def verdict(self, swap=None, engine=""):
        return judge(self.machine(swap, engine), self.action)

    def sides(self, swap=None):
        """Name the sides that may do this."""
        options = self.machine(swap).options.of(self.event, dict(self.action.choices))
        return {one.action.by for one in options if one.action.choices == self.action.choices}

    def is_legal(self, swap=None):
        sides = self.sides(swap)  # where no side may do it, it does not matter which of them tries it
        return self.action.by in sides or (swap is not None and bool(sides) and not self.sides())


# ---------------------------------------------------------------------- what is drawn
def single(query, seed):
    """Ask what one unit may do."""
    rng = random.Random(f"{query}{seed}")
    edition = rng.choice(EDITIONS)
    if query == "may_fire":
        battle, who = random_battle(rng), rng.choice(("attacker", "defender"))
        own, enemy = (battle["attackers"], battle["defenders"])[:: 1 if who == "attacker" else -1]
        shot = {"firing": rng.choice(own)["id"], "target": rng.choice(enemy)["id"]}
        return Shot(edition, random_readings(rng, edition), query, {"battle": battle, "who": who, **shot})
    position = random_position(rng)
    mover = position["side_to_move"]
    sides = (SIDES[mover == "German"], mover) if query == "may_blow" else (mover, mover)
    bridge = add_bridge(rng, position, "intact" if query == "may_blow" else "blown", sides)
    bridge = bridge if rng.random() < 0.8 else rng.choice(position["connections"])["id"]
    unit = "w0" if rng.random() < 0.6 else rng.choice(position["units"])["id"]
    crossing = {"crossing": random_stack(rng, position)} if query == "may_blow" else {}
    inputs = {"position": position, "unit": unit, "bridge": bridge, **crossing}
    return Case(edition, random_readings(rng, edition), query, inputs)


def wide(query, seed):
    raw = random_question(random.Random(f"{query}{seed}"), query)
    if query == "reinforcement_options":
        raw["input"]["ask"] = raw["input"]["ask"][:1]
    elif query == "entrench_options":  # where the unit stands
        asked = raw["input"]
        unit = asked.pop("unit")
        place = next(one["place"] for one in asked["position"]["units"] if one["id"] == unit)
        query, raw["input"] = "check_path", {**asked, "units": [unit], "path": [place, "entrench"]}
    return (Listing if query in LISTING else Case)(raw["edition"], raw["readings"], query, raw["input"])


def list_of_woods(_, seed):
    raw = (HexMaker if seed % 2 else Maker)(seed).request(LISTS_OF_WOODS[seed % len(LISTS_OF_WOODS)])
    return Listing(raw["edition"], raw["readings"], raw["query"], raw["input"], "bitterwoods")


def played(rng, game):
    """Draw a position in the course of a game; nothing if no game begins there."""
    try:
        if game == "titm":
            _, data, edition = random_start(rng.randrange(10**9))
            position = Position.from_dict(data, Edition(edition))
        else:
            position = start(game, rng.randrange(10**9))
        for _ in range(rng.randint(0, MOVES[game])):
            legal = list(islice(position.legal_actions, 60))
            if legal:
                taken = rng.choice(legal)
                position = position.apply(taken, throw(position, taken, rng))
    except InputError:
        return None
    return position


def tried(game, seed):
    """Try an action that may be legal, or in which some choices are drawn."""
    rng = random.Random(f"{game}{seed}")
    position = played(rng, game)
    if position is None:
        return None
    model, data = position.edition.model, position.settled.to_dict()
    event = rng.choice([one for one in model.events.values() if one.actor is not None and one.situation == "position"])
    like = [one for one in islice(position.legal_actions, 200) if one.kind == event.name]
    known = dict(rng.choice(like).choices) if like else {}
    types = dict(event.params)
    lists = {name: rows for name, rows in data.items() if isinstance(rows, list) and isinstance([*rows, 0][0], dict)}
    ids = {name: [one["id"] for one in rows] for name, rows in lists.items() if "id" in rows[0]}
    pieces = ids.get("units") or ["nobody"]

    def drawn(name):
        kind = types[name]
        if name in known and rng.random() < 0.6:
            return known[name]
        if kind.kind == "set":
            return tuple(sorted(rng.sample(pieces, rng.randint(1, min(2, len(pieces))))))
        if kind.kind == "flag":
            return rng.random() < 0.5
        if kind.kind == "enum":
            return rng.choice(model.enums[kind.name].texts)
        plural = {"hex": "hexes", "link": "connections", "reserve": "reserves"}.get(kind.name, f"{kind.name}s")
        places = ids.get("areas") or ids.get("hexes")
        return rng.choice(ids.get(plural) or (places if kind.kind == "place" else pieces))

    choices = tuple((name, drawn(name)) for name in event.open)
    return Tried(position, Action(event.name, rng.choice(position.sides), choices))


KINDS = {
    **dict.fromkeys((*REFUSABLE, "entrench_options", "contingent_release", *LISTING), wide),
    **dict.fromkeys(("may_fire", "may_build", "may_blow"), single),
    **dict.fromkeys(MOVES, tried),
    "lists of the woods": list_of_woods,
    "questions of the woods": lambda _, seed: question_of_woods(seed),
    "other questions of the woods": lambda _, seed: question_of_woods(10**7 + seed),
    "questions of the ford": lambda _, seed: question_of_ford(seed),
    "other questions of the ford": lambda _, seed: question_of_ford(10**7 + seed),
}  # fmt: skip


def refusals(kind):
    """Yield what is refused."""
    for seed in range(100 * PER_KIND):
        with suppress(InputError):  # what is drawn may be impossible
            case = KINDS[kind](kind, seed)
            if case is not None and is_refused(case):
                yield case


# ---------------------------------------------------------------------- what must hold
def without_all(clauses):
    def swap(model):
        for clause in clauses:
            model = model.without_clause(clause)
        return model

    return swap


def is_freed(case, clauses):
    """Whether a refusal is gone with some clauses, or has no answer any more."""
    try:
        return case.is_legal(without_all(clauses))
    except (Undecided, TypeError):  # a value is gone
        return True


def said_otherwise(case, verdict, clause):
    """Whether other clauses are cited without one."""
    return case.verdict(without_all({clause}), "library").clauses != verdict.clauses


def is_no_way(case, cited):
    """Whether with no clause at all it could not be done either."""
    return keeps_illegal(case, set(), cited) if isinstance(case, Tried) else has_no_way(case)


def fault(case):
    """Say what is wrong with the reasons of a refusal; nothing if each clause forbids it and none is missing."""
    verdict = case.verdict(engine="compiled")
    forbids = {finding.clause for finding in verdict.failing}
    if forbids and is_no_way(case, forbids):
        return ""
    if not forbids:  # it would take a clause that gives it, a clause says no, or the question has no legal shape
        lifting, giving = ({one.clause for one in verdict.findings if one.effect == effect} for effect in GIVING)
        is_said = any(is_freed(case, {one}) or said_otherwise(case, verdict, one) for one in giving)
        return "" if verdict.unmet or verdict.plain_reason or lifting or is_said else "nothing is cited"
    case.is_ranked = any("better route" in finding.message for finding in verdict.failing)
    case.is_ranked |= len(case.inputs.get("path", "..")) == 1
    effects = {effect: {one.clause for one in verdict.findings if one.effect == effect} for effect in ("rests", "also")}
    cited = forbids | effects["rests"]
    if not is_freed(case, cited | effects["also"]) and not keeps_illegal(case, cited, cited):
        return f"something else than {sorted(cited)} forbids it too"
    case.told |= effects["also"]
    order = [*sorted(forbids), *sorted(cited - forbids)]
    idle = [
        clause
        for clause in sorted(forbids)
        if not (isinstance(case, Shot) and case.is_barred_by(clause)) and not counts(case, verdict, clause, order)
    ]
    return f"{idle} do not count" if idle else ""


def checked(kind, first=0, every=1):
    cases = islice(refusals(kind), first, PER_KIND, every)
    return {str(case): wrong for case in cases if (wrong := fault(case))}


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_cites_clauses_whose_words_forbid_it(kind):
    assert checked(kind, every=EVERY) == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_refusals_cite_clauses_whose_words_forbid_them(kind):
    assert checked(kind) == {}
