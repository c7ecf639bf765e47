"""Random situations like known cases, in which some of what clauses look at is otherwise.

Known cases are the seeds of a mutational fuzzer (as AFL is one): what takes many conditions to hold at one time, such
as a route that leads somewhere, is there in a case, and hardly ever in a world that is drawn from the declarations.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

from titm_rules.compare.rule_pair import Data, Json
from titm_rules.compare.small_worlds import FRAME, SentenceReads, values_in
from titm_rules.ir.dependencies import FieldOf
from titm_rules.ir.model import MISSING, FieldSpec, Model, Question
from titm_rules.ir.types import Type

SHARES = (4, 2, 1)  # of kinds of cases, the first kind the most
FRESH = 0.5  # how likely a draft begins with a known case, not with an earlier draft
MOST_STEPS = 16  # of a draft that others begin with
STEPS = (1, 1, 2, 2, 3, 4, 5, 6)  # things said otherwise, one after the other
PIECES = 0.2  # how likely pieces are fewer or more
COPIES = (1, 1, 2, 3)  # further pieces like one
RANDOM_IDS = 9  # to tell these apart by
NEAR = 0.5  # how likely a value is replaced by one like it, where there is one
ALIKE = 0.25  # how likely all that say the same say something else together

Path = tuple[str | int, ...]  # names of fields, and ids or numbers of records
Mutation = Mapping[Path, Any]  # what is said otherwise


class KnownCase(NamedTuple):
    """A question with its inputs, the situation among them, and the clauses that the case is about."""

    query: str
    inputs: Data
    clauses: Collection[str]


@dataclass(frozen=True)
class VariedCase:
    """A question with its inputs, and what is said otherwise in them, one after the other."""

    inputs: Data
    steps: tuple[Mutation, ...] = ()

    @cached_property
    def whole(self) -> Json:
        return reduce(_after, self.steps, dict(self.inputs))


class CaseSampler:
    """Draws questions like known cases of some kinds, in which what is read in one of some scopes is otherwise.

    A draft from which more is learnt is a case from then on too, as in fuzzing that is guided by coverage.
    """

    def __init__(
        self, model: Model, question: Question, kinds: Sequence[Sequence[Data]], scopes: Sequence[SentenceReads]
    ) -> None:
        self.question, self.kinds = question, kinds
        self.scopes = [_Scope(model, question, reads) for reads in scopes]
        fields = model.records[question.situation].fields
        self.lists = [field.json for field in fields if _holds_rows(model, field)]
        self._kept: list[VariedCase] = []
        self._answers: set[int] = set()

    def draw(self, rng: random.Random) -> VariedCase:
        """Draw a case, and what is said otherwise in it."""
        scope, is_fresh = rng.choice(self.scopes), not self._kept or rng.random() < FRESH
        draft = self._case(scope, rng) if is_fresh else rng.choice(self._kept)
        for _ in range(rng.choice(STEPS)):
            draft = replace(draft, steps=(*draft.steps, scope.step(draft.whole, rng)))
        return draft

    def learn(self, draft: VariedCase, answers: Iterable[Callable[[], object]]) -> None:
        """Keep a draft if a clause decides in it, or if nothing was answered like this before.

        `answers` give the answer, and that without the clause.
        """
        answer, without = (ask() for ask in answers)
        decides, number = answer != without, hash(answer if isinstance(answer, frozenset) else repr(answer))
        if (decides or number not in self._answers) and len(draft.steps) <= MOST_STEPS:
            self._kept.append(draft)
        self._answers.add(number)

    def made(self, draft: VariedCase) -> tuple[Json, Json]:
        """Make the situation and the other inputs."""
        inputs = dict(draft.whole)
        return inputs.pop(self.question.situation), inputs

    def size(self, draft: VariedCase) -> int:
        """Count the records, and what is said otherwise."""
        data = draft.whole[self.question.situation]
        return sum(len(data.get(name, ())) for name in self.lists) + len(draft.steps)

    def simpler(self, draft: VariedCase) -> Iterator[VariedCase]:
        """Yield the same with one thing less said otherwise, then without a record."""
        for at in range(len(draft.steps)):
            yield replace(draft, steps=(*draft.steps[:at], *draft.steps[at + 1 :]))
        for name in self.lists:
            for row in draft.inputs[self.question.situation].get(name, ()):
                path = self.question.situation, name, row["id"]
                yield replace(draft, inputs=_with(draft.inputs, path, None))

    def _case(self, scope: _Scope, rng: random.Random) -> VariedCase:
        """Choose a case; what it does not give to the question is drawn."""
        [cases] = rng.choices(self.kinds, SHARES[: len(self.kinds)])
        given = rng.choice(cases)
        inputs = {self.question.situation: given[self.question.situation]}
        for field in self.question.inputs:
            if field.json in given:
                inputs[field.json] = given[field.json]
            elif not field.same_as and (values := scope.values(inputs, field)):
                inputs[field.json] = rng.choice(values)
        return VariedCase(inputs)


class _Spot(NamedTuple):
    """A field of a record or of a situation, an input, or a whole piece, and what is there."""

    path: Path
    field: FieldSpec
    value: Any


class _Scope:
    """What may be otherwise in cases of a question: its inputs, how many pieces there are, and what is read."""

    def __init__(self, model: Model, question: Question, reads: SentenceReads) -> None:
        self.model, self.question, self.reads = model, question, reads
        self._known: dict[tuple[object, ...], list[Any]] = {}
        # What to look at of each record: fields that may be otherwise, and those that hold records.
        self._fields = {
            name: [one for one in record.fields if self._is_open(name, one) or one.type.kind in ("record", "set")]
            for name, record in model.records.items()
        }
        situation = FieldSpec(question.situation, question.situation, Type("record", question.situation))
        self._fields[""] = [*question.inputs, situation]

    def step(self, whole: Json, rng: random.Random) -> Mutation:
        """Say something otherwise."""
        spots = self._spots(whole)
        pieces = [one for (_, name), some in spots.items() if not name for one in some]
        if pieces and rng.random() < PIECES:
            return _fewer_or_more(rng.choice(pieces), rng)
        groups = [some for (_, name), some in spots.items() if name]
        if not groups:
            return {}
        path, field, value = rng.choice(group := rng.choice(groups))
        values = self.values(whole, field)
        near, others = _near(field.type, value, values), [one for one in values if one != value]
        choices = rng.choice(near) if near and (not others or rng.random() < NEAR) else others
        if not choices:
            return {}
        new = rng.choice(choices)
        if rng.random() >= ALIKE:
            return {path: new}
        if field.type.kind == "enum":  # each of two values in place of the other
            same = [one for some in spots.values() for one in some if one.field.type.name == field.type.name]
            turned = {str(value): new, str(new): value}
            return {one.path: turned[str(one.value)] for one in same if str(one.value) in turned}
        return {one.path: new for one in group if one.value == value}

    def values(self, whole: Data, field: FieldSpec) -> list[Any]:
        """List values that a field may have."""
        data, form = whole[self.question.situation], self.question.form if field in self.question.inputs else ""
        lists = (some for some in data.values() if isinstance(some, list))
        ids = (row["id"] for some in lists for row in some if isinstance(row, Mapping) and "id" in row)
        key = field.name, field.type, form, *ids
        if key not in self._known:
            known = self.model.forms.get(form)
            self._known[key] = values_in(self.model, self.question.situation, data, self.reads, field, known)
        return self._known[key]

    def _spots(self, whole: Json) -> dict[FieldOf, list[_Spot]]:
        """Find what may be otherwise, by record and field; pieces under no field."""
        found: dict[FieldOf, list[_Spot]] = {}

        def look(path: Path, owner: str, row: Data) -> None:
            for field in self._fields[owner]:
                default = None if field.default == MISSING else field.default
                at, value = (*path, field.json), row.get(field.json, default)
                if self._is_open(owner, field):
                    found.setdefault((owner, field.name), []).append(_Spot(at, field, value))
                if field.type.kind == "record" and isinstance(value, Mapping):
                    look(at, field.type.name, value)
                for number, one in enumerate(value if isinstance(value, list) else ()):
                    if isinstance(one, Mapping):
                        inside = (*at, one.get("id", number))
                        if _holds_rows(self.model, field) and self.model.records[field.type.name].role == "piece":
                            found.setdefault((field.type.name, ""), []).append(_Spot(inside, field, one))
                        look(inside, field.type.name, one)

        look((), "", whole)
        return found

    def _is_open(self, owner: str, field: FieldSpec) -> bool:
        """Whether a field may be otherwise: an input, or one that is read; rows are looked into instead."""
        is_read = (field in self.question.inputs) if not owner else (owner, field.name) in self.reads.fields
        return is_read and field.name not in FRAME and not _holds_rows(self.model, field)


def _holds_rows(model: Model, field: FieldSpec) -> bool:
    """Whether records that have ids are written in a field."""
    record = model.records.get(field.type.name)
    return field.owns and record is not None and record.has_id and not record.is_bare


def _fewer_or_more(piece: _Spot, rng: random.Random) -> Mutation:
    """Leave out a piece, or put some like it beside it."""
    *path, name = piece.path
    copies = [f"{name}-{rng.randrange(RANDOM_IDS)}" for _ in range(rng.choice(COPIES))]
    return rng.choice(({piece.path: None}, {(*path, copy): {**piece.value, "id": copy} for copy in copies}))


def _near(wanted: Type, value: object, values: Sequence[Any]) -> list[list[Any]]:
    """List values like one, by kind: a number about as high, or low; a list with a member less, more, or otherwise."""
    match wanted.kind, value:
        case "number", int():
            low = wanted.low or 0
            return [[value - 1, value + 1], [low, low + 1]]
        case "set" | "sequence", list():
            members = [one[0] for one in values if isinstance(one, list) and len(one) == 1]
            fewer = [[*value[:at], *value[at + 1 :]] for at in range(len(value))]
            more = [[*value, one] for one in members if one not in value]
            other = [[*value[:at], one, *value[at + 1 :]] for at in range(len(value)) for one in members]
            return [some for some in (fewer, more, other) if some]
        case "path", list():
            shorter = [value[:at] for at in range(2, len(value))]
            longer = [[*value, *one[-1:]] for one in values if isinstance(one, list)]
            return [some for some in (shorter, longer) if some]
    return []


def _after(whole: Json, step: Mutation) -> Json:
    for path, value in step.items():
        whole = _with(whole, path, value)
    return whole


def _with(value: object, path: Sequence[str | int], new: object) -> Any:
    """Give the same with something else, or nothing, at a path; of a record that is not there nothing changes."""
    if not path:
        return new
    name, *rest = path
    if isinstance(value, Mapping):
        return {**value, name: _with(value.get(name, []), rest, new)}
    if not isinstance(value, list):
        return value
    names = [at if isinstance(name, int) else row["id"] for at, row in enumerate(value)]
    rows = [_with(row, rest, new) if one == name else row for one, row in zip(names, value, strict=True)]
    if not rest and name not in names:
        rows.append(new)
    return [row for row in rows if row is not None]
