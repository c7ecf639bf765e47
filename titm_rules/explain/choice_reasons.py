"""Reasons for allocations, selections, rolls and single picks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from titm_rules.diagnostics import InputError
from titm_rules.engines.engine import MAX_LISTED, Engine, Pick, has_pick, line, pairs_in, pick_in
from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.alternatives import other_choice
from titm_rules.explain.findings import Reasons
from titm_rules.explain.verdict import WitnessAndNearest
from titm_rules.ir.model import Allocation, Roll, Selection, head_key
from titm_rules.ir.terms import Term
from titm_rules.world.evaluate import PICKS, Env
from titm_rules.world.records import Record, join_words

Pair = tuple[Any, Any]
MAX_TRIES = 500


@dataclass(frozen=True)
class OrderedPick:
    """One pick of an order: who picks whom, what a clause may ask of it, and the clauses that bar it."""

    pair: Pair
    env: Env
    barred: tuple[str, ...] = ()


class Orders:
    """Finds orders in which choosers chose; those of a higher rank chose before those of a lower one."""

    def __init__(self, engine: Engine, form: Allocation, given: Env) -> None:
        self.engine, self.form, self.given = engine, form, given
        self._known: dict[tuple[Pair, frozenset[Pair]], tuple[str, ...]] = {}

    def best(self, pairs: Sequence[Pair]) -> list[OrderedPick]:
        """Find an order that no clause bars; if none is found, one that is barred late."""
        order: list[Pair] = []
        for group in self._ranks(pairs):
            order += self._ordered(order, group, lambda _: True) or self._greedy(order, group)
        return self._turns(order)

    def avoiding(self, pairs: Sequence[Pair], cited: frozenset[str]) -> list[OrderedPick] | None:
        """Find an order of which no pick is barred by one of these clauses; nothing if all are."""
        order: list[Pair] = []
        for group in self._ranks(pairs):
            found = self._ordered(order, group, lambda clauses: bool(cited & set(clauses)))
            if found is None:
                return None
            order += found
        return self._turns(order)

    def _ranks(self, pairs: Sequence[Pair]) -> list[list[Pair]]:
        if self.form.chooser is None:
            return [[pair] for pair in pairs]
        name, order = self.form.chooser[0], self.form.order
        rank = {who: self.engine.term(order, {**self.given, name: who}) if order else 0 for who, _ in pairs}
        ranks = sorted(set(rank.values()), reverse=True)
        return [[pair for pair in pairs if rank[pair[0]] == value] for value in ranks]

    def _ordered(
        self, before: list[Pair], group: list[Pair], stops: Callable[[tuple[str, ...]], bool]
    ) -> list[Pair] | None:
        """Order a group so that no pick is barred by clauses that count; give up after a number of tries."""
        failed: set[frozenset[Pair]] = set()

        def search(done: list[Pair], left: tuple[Pair, ...]) -> list[Pair] | None:
            key = frozenset(left)
            if not left or key in failed or len(failed) > MAX_TRIES:
                return [] if not left else None
            for number, pair in enumerate(left):
                clauses = self._barring(pair, [*before, *done])
                if clauses and stops(clauses):
                    continue
                rest = search([*done, pair], (*left[:number], *left[number + 1 :]))
                if rest is not None:
                    return [pair, *rest]
            failed.add(key)
            return None

        return search([], tuple(group))

    def _greedy(self, before: list[Pair], group: list[Pair]) -> list[Pair]:
        left, done = list(group), list[Pair]()
        while left:
            pair = next((one for one in left if not self._barring(one, [*before, *done])), left[0])
            left.remove(pair)
            done.append(pair)
        return done

    def _barring(self, pair: Pair, done: Sequence[Pair]) -> tuple[str, ...]:
        key = (pair, frozenset(done))
        if key not in self._known:
            said = self.engine.said(head_key(self.form.name, "choose"), self._env(pair, done))
            self._known[key] = tuple(dict.fromkeys(statement.clause for statement in said))
        return self._known[key]

    def _env(self, pair: Pair, done: Sequence[Pair]) -> dict[str, Any]:
        who, target = pair
        chooser = {} if self.form.chooser is None else {self.form.chooser[0]: who}
        return {**self.given, self.form.target[0]: target, PICKS: Counter(one for _, one in done), **chooser}

    def _turns(self, order: Sequence[Pair]) -> list[OrderedPick]:
        turns = ((pair, order[:number]) for number, pair in enumerate(order))
        return [OrderedPick(pair, self._env(pair, done), self._barring(pair, done)) for pair, done in turns]


MAX_WITNESSES = 2_000
MAX_CHANGED = 60
NO_CHOICE = "there is no legal choice"


class Barred(NamedTuple):
    """What bars a choice at one of its picks: what a clause may ask there, where that is, the clauses.

    `is_asked`: it is the pick that was asked about.
    """

    env: Env
    where: str
    clauses: tuple[str, ...]
    is_asked: bool = True


class PickReasons:
    """Shows a legal choice that holds a pick; if none does, notes what bars it, or says why it cannot be."""

    def __init__(self, reasons: Reasons, engine: Engine, form: Allocation | Selection, roles: Env) -> None:
        self.reasons, self.engine, self.form = reasons, engine, form
        self.given = {name: roles[name] for name, _ in form.given}
        self.pick: Pick | None = pick_in(form, roles)
        self.key = head_key(form.name, "choose")

    def explain(self) -> WitnessAndNearest:
        legal = self._legal()
        found = next((one for one in legal if has_pick(self.form, one, self.pick)), None)
        if found is not None:
            return {"legal_choice": line(self.form, found)}, {}
        why = self._not_offered()
        if self.pick is None or why:
            return {"why": why or NO_CHOICE}, {}
        changed = [list(self._barring(pairs)) for pairs in self._changed(legal, self.pick)]
        itself = [[bar for bar in bars if bar.is_asked] for bars in changed]
        self._note(itself if all(itself) else [one for one in changed if one])
        if changed and all(changed):
            return {}, {}
        return {"why": "every best choice omits it" if legal else NO_CHOICE}, {}

    def _legal(self) -> Sequence[tuple[Any, ...]]:
        """List the legal choices, all if they are not too many; else one with the pick, or one without it."""
        try:
            few = self.engine.count(self.form, self.given) <= MAX_WITNESSES
        except InputError:  # too many to be counted
            few = False
        if few:
            return sorted(self.engine.choices(self.form, self.given), key=lambda one: line(self.form, one))
        examples = (self.engine.example(self.form, self.given, pick) for pick in (self.pick, None))
        return [one for one in examples if one is not None][:1]

    def _not_offered(self) -> str:
        """Say who cannot pick here, or what cannot be picked; empty if both can."""
        who, what = self.pick or (None, None)
        form = self.form
        choosers = form.choosers if isinstance(form, Allocation) else None
        if who is not None and choosers is not None and who not in self.engine.term(choosers, self.given):
            return f"{who.id} does not choose here"
        return _strange(self.engine, form, self.given, [] if what is None else [what])

    def _changed(self, legal: Sequence[tuple[Any, ...]], pick: Pick) -> Iterator[tuple[tuple[Any, Any], ...]]:
        """Yield legal choices changed so that they hold the pick, or the pick alone where nothing is legal."""
        who, what = pick
        if not legal:
            all_of = self.form.choosers if isinstance(self.form, Allocation) else None
            choosers = [0] if all_of is None else self.engine.term(all_of, self.given)
            yield from (((one, what),) for one in (choosers if who is None else [who]))
        for one in legal[:MAX_CHANGED]:
            if isinstance(self.form, Selection):
                yield (*pairs_in(self.form, one), (None, what))
                continue
            pairs = _pairs(self.form, one)
            for at, (chooser, _) in enumerate(pairs):
                if who in (None, chooser):
                    yield (*pairs[:at], (chooser, what), *pairs[at + 1 :])

    def _barring(self, pairs: tuple[tuple[Any, Any], ...]) -> Iterator[Barred]:
        form = self.form
        if isinstance(form, Selection):
            picked = {what for _, what in pairs}
            members = [one for one in self.engine.term(form.members, self.given) if one in picked]
            env = {**self.given, form.picked[0]: members}
            clauses = tuple(dict.fromkeys(one.clause for one in self.engine.said(self.key, env)))
            if clauses:
                yield Barred(env, line(form, tuple(members)), clauses)
            return
        for turn in Orders(self.engine, form, self.given).best(pairs):
            if turn.barred:
                who, what = turn.pair
                is_asked = self.pick is not None and what is self.pick[1] and self.pick[0] in (None, who)
                yield Barred(turn.env, f"{who.id}>{what.id}" if form.chooser else what.id, turn.barred, is_asked)

    def _note(self, changed: list[list[Barred]]) -> None:
        """Note the clauses that bar every one of some choices; if no clause does, few that together bar all."""
        barred = [tuple(clause for one in bars for clause in one.clauses) for bars in changed]
        enough = set.intersection(*map(set, barred)) if barred else set[str]()  # by one at least each choice is barred
        for clauses in barred:
            if not enough & set(clauses):
                enough.add(clauses[0])
        for one in (one for bars in changed for one in bars):
            new = enough & set(one.clauses)
            if new:
                self.reasons.head(self.key, one.env, one.where, also=[c for c in one.clauses if c not in new])
                enough -= new


MAX_REFUSED = 60


def explain_choice(asked: BoundQuestion, answer: Env, reasons: Reasons) -> WitnessAndNearest:
    """Replay an allocation in its best order, or judge a set; give the nearest legal one."""
    (form, given), picked = asked.choice_form(), asked.picked()
    if picked is None:
        why, chosen = _left_out(asked, form, given)
        _cite(reasons, form.choosers if isinstance(form, Allocation) else None, given, why)
        return {"why": why}, other_choice(asked, form, given, chosen)
    taken = [target for _, target in _pairs(form, picked)] if isinstance(form, Allocation) else list(picked)
    why = _strange(asked.engine, form, given, taken)
    twice = sorted({one.id for one in taken if taken.count(one) > 1}) if isinstance(form, Selection) else []
    if why or twice:
        why = why or f"{join_words(twice)} can be chosen only once"
        _cite(reasons, _offered(form), given, why)
        return {"why": why}, other_choice(asked, form, given, picked)
    if isinstance(form, Selection):
        members = [one for one in asked.engine.term(form.members, given) if one in picked]
        reasons.head(head_key(form.name, "choose"), {**given, form.picked[0]: members})
        witness: dict[str, Any] = {}
    else:
        orders = Orders(asked.engine, form, given)
        turns = orders.best(_pairs(form, picked))
        witness = {"order": [_shown(form, turn.pair) for turn in turns]}
        _replay(reasons, form, turns)
        _other_orders(reasons, form, orders, turns, picked)
    return witness, ({} if answer["legal"] else other_choice(asked, form, given, picked))


def _cite(reasons: Reasons, term: Term | None, given: Env, why: str) -> None:
    for cause in reasons.blame.because(term, given):
        reasons.note(cause.clause, "forbids", "", why)


def _left_out(asked: BoundQuestion, form: Allocation | Selection, given: Env) -> tuple[str, tuple[Any, ...]]:
    """Say who has to choose and does not, or chooses without having a choice; with what each chooser picks, if any."""
    assert isinstance(form, Allocation)
    assert form.choosers is not None
    names, choosers = asked.picked_names(), asked.engine.term(form.choosers, given)
    targets = {one.id: one for one in asked.engine.term(form.targets, given)}
    known = {one.id for one in choosers}
    missing, strange = sorted(known - set(names)), sorted(set(names) - known)
    parts = [f"{join_words(missing)} must also choose a {form.target[0]}"] if missing else []
    if strange:
        parts.append(f"{join_words(strange)} {'does' if len(strange) == 1 else 'do'} not choose here")
    return "; ".join(parts), tuple((who, targets.get(names.get(who.id))) for who in choosers)


def _offered(form: Allocation | Selection) -> Term:
    return form.targets if isinstance(form, Allocation) else form.members


def _strange(engine: Engine, form: Allocation | Selection, given: Env, taken: Sequence[Record]) -> str:
    """Say which picks are impossible; empty if all can be picked."""
    known = engine.term(_offered(form), given)
    name = form.target[0] if isinstance(form, Allocation) else form.picked[1].name
    wrong = sorted({one.id for one in taken if one not in known})
    return f"{join_words(wrong)} cannot be chosen as the {name} here" if wrong else ""


def _pairs(form: Allocation, picked: tuple[Any, ...]) -> tuple[Pair, ...]:
    return picked if form.chooser is not None else tuple(enumerate(picked))


def _other_orders(reasons: Reasons, form: Allocation, orders: Orders, turns: list[OrderedPick], picked: Any) -> None:
    """Note what bars the other orders of choosing, as far as nothing noted yet bars them too."""
    cited = {clause for turn in turns for clause in turn.barred[:1]}
    while cited and (order := orders.avoiding(_pairs(form, picked), frozenset(cited))):
        barred = [turn for turn in order if turn.barred]
        if not barred:
            return
        _replay(reasons, form, barred[:1])
        cited.add(barred[0].barred[0])


def explain_choices(asked: BoundQuestion, answer: Env, reasons: Reasons) -> WitnessAndNearest:
    """List the targets that each chooser may legally pick, and the clauses on the others or that require a pick."""
    form, given = asked.choice_form()
    if isinstance(form, Selection):
        nothing_picked = {**given, form.picked[0]: []}
        for cause in reasons.blame.of_head(asked.model.heads[head_key(form.name, "choose")], nothing_picked):
            reasons.note(cause.clause, "rests")
    if not isinstance(form, Allocation) or not 0 < answer["count"] <= MAX_LISTED:
        return {}, {}
    legal = [_pairs(form, one) for one in sorted(asked.engine.choices(form, given), key=partial(line, form))]
    orders = Orders(asked.engine, form, given)
    may: dict[Any, dict[Any, None]] = {}
    for who, target in itertools.chain.from_iterable(legal):
        may.setdefault(who, {})[target] = None
    targets = asked.engine.term(form.targets, given)
    refused = [(who, target) for who, allowed in may.items() for target in targets if target not in allowed]
    for who, target in refused[:MAX_REFUSED]:
        swapped = tuple((w, target if w is who else t) for w, t in legal[0])
        _replay(reasons, form, [turn for turn in orders.best(swapped) if turn.pair == (who, target)])
    shown = {str(getattr(who, "id", who)): sorted(target.id for target in allowed) for who, allowed in may.items()}
    return {"may": shown}, {}


def explain_roll(asked: BoundQuestion, _: Env, reasons: Reasons) -> WitnessAndNearest:
    """Judge an attempt: what bars it, its factor, what is added to the die."""
    form = asked.form
    assert isinstance(form, Roll)
    for word in ("try", "factor", "adds"):
        reasons.head(head_key(form.name, word), asked.roles)
    return {}, {}


def _replay(reasons: Reasons, form: Allocation, turns: list[OrderedPick]) -> None:
    for turn in turns:
        reasons.head(head_key(form.name, "choose"), turn.env, _shown(form, turn.pair), also=turn.barred[1:])


def _shown(form: Allocation, pair: Any) -> str:
    who, target = pair
    return f"{who.id}>{target.id}" if form.chooser is not None else f"{who + 1}. {target.id}"
