"""What a choice costs those who make it: expectimax over its dice and the reply of the other side (Michie, 1966)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from titm_rules.catalog import game_folder
from titm_rules.diagnostics import Fault, InputError
from titm_rules.engines.engine import Picked, pairs_in
from titm_rules.engines.query import BoundQuestion
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.ir.model import Allocation
from titm_rules.oracle.odds import ShotTable
from titm_rules.play.machine import resolve
from titm_rules.syntax.conditions import Best
from titm_rules.world.records import Record, to_json

if TYPE_CHECKING:
    from titm_rules.formats.file_schemas import RepliesFile, ReplyText

REPLIES_FILE = "replies.yaml"
WORST = "worst"
MAX_SITUATIONS, MAX_REPLIES = 2_000, 200_000  # that are looked at for one question


@lru_cache(maxsize=8)
def read_replies(game: str) -> RepliesFile:
    """Read whose choice answers whose; nothing without a file. Raises `InputError` for its faults."""
    from titm_rules.formats.file_schemas import RepliesFile  # pydantic takes a fifth of a check
    from titm_rules.formats.record_schemas import validate_as

    path = game_folder(game) / REPLIES_FILE
    return validate_as(RepliesFile, read_data(path), str(path)) if path.exists() else RepliesFile(format=1)


def reply_to(asked: BoundQuestion) -> ReplyText | None:
    """Return who answers the choice that a question asks for; None if nobody does."""
    replies = read_replies(asked.model.home).replies
    fitting = (one for one in replies if one.question == asked.question.name)
    return next((one for one in fitting if one.first.items() <= dict(asked.raw).items()), None)


class ReplyValue:
    """The value of choices by what some choosers lose to the reply: the chance that all are destroyed, or a mean.

    The reply is made when the losses of the choice are known: the one that is worst for the chooser, or the legal one
    nearest to a stated plan, as far as those who pick in it are left.
    """

    def __init__(self, asked: BoundQuestion, shots: ShotTable, reply: ReplyText, best: Best, path: str) -> None:
        self._asked, self._shots, self._reply, self._best, self._path = asked, shots, reply, best, path
        self._stated: dict[str, str] = {}
        self._known: dict[tuple[int, ...], Fraction] = {}
        self._left = MAX_REPLIES

    def state(self, plan: str) -> None:
        """Take the plan that is replied with; raises `InputError` if it is not legal without losses."""
        parts = [pair.strip().partition(">") for pair in plan.split(",")]
        self._stated = {who.strip(): target.strip() for who, _, target in parts}
        form, given, bound = self._bound(self._asked.world.data)
        picked = self._picked(form, given, bound)
        if len(picked) != len(parts) or not bound.engine.is_legal(form, given, picked):
            fix = f"write `{WORST}`, or for each who picks there `WHO>TARGET`"
            raise bad(f"the other side may not choose `{plan}`", self._path, fix, "bad-value")

    def of(self, picked: Picked) -> Fraction:
        """Give the value of a choice."""
        choosers: defaultdict[Any, list[Any]] = defaultdict(list)
        for who, target in pairs_in(self._shots.form, picked):
            choosers[target].append(who)
        losses = [self._shots.loss(target, choosers[target]).chances for target in self._shots.targets]
        fallen = ([(lost, chance) for lost, chance in enumerate(one) if chance] for one in losses)
        value = Fraction(0)
        for outcome in product(*fallen):
            value += prod((chance for _, chance in outcome), start=Fraction(1)) * self._after(
                tuple(lost for lost, _ in outcome)
            )
        return value

    def _after(self, lost: tuple[int, ...]) -> Fraction:
        """Give the value once each target has lost so much."""
        if lost not in self._known:
            if len(self._known) == MAX_SITUATIONS:
                raise self._too_large(f"limit: {MAX_SITUATIONS} situations after the choice")
            self._known[lost] = self._replied(*self._bound(self._data(lost)))
        return self._known[lost]

    def _replied(self, form: Allocation, given: Mapping[str, Any], bound: BoundQuestion) -> Fraction:
        table = ShotTable(bound, "choices")
        own = [one for one in table.targets if one.id in self._best.targets]
        if self._stated:
            nearest = bound.engine.nearest(form, given, self._picked(form, given, bound))
            replies: Iterator[Picked] = iter(() if nearest is None else (nearest,))
        else:
            replies = bound.engine.choices(form, given)
        values = {key: self._value(table, own, key) for key in self._kinds(form, replies, own)}
        worst = min if self._best.most else max
        return worst(values.values(), default=self._value(table, own, tuple(() for _ in own)))

    def _kinds(self, form: Allocation, replies: Iterator[Picked], own: Sequence[Record]) -> set[tuple[Any, ...]]:
        """Give for each reply who picks each of those that count; the others do not matter."""
        found = set()
        for picked in replies:
            self._left -= 1
            if self._left < 0:
                raise self._too_large(f"limit: {MAX_REPLIES} replies")
            pairs = pairs_in(form, picked)
            found.add(tuple([tuple([who for who, target in pairs if target is one]) for one in own]))
        return found

    def _value(self, table: ShotTable, own: Sequence[Record], choosers: tuple[Any, ...]) -> Fraction:
        losses = [table.loss(target, those) for target, those in zip(own, choosers, strict=True)]
        if self._best.what == "destroyed":
            return prod((loss.destroyed for loss in losses), start=Fraction(1))
        return sum((loss.expected for loss in losses), Fraction(0))

    def _picked(self, form: Allocation, given: Mapping[str, Any], bound: BoundQuestion) -> tuple[Any, ...]:
        """Give the picks of the stated plan whose choosers are left."""
        targets = {one.id: one for one in bound.engine.term(form.targets, given)}
        assert form.choosers is not None
        pairs = ((who, targets.get(self._stated.get(who.id, ""))) for who in bound.engine.term(form.choosers, given))
        return tuple((who, target) for who, target in pairs if target is not None)

    # ------------------------------------------------------------------ the situation after a choice
    def _bound(self, data: Mapping[str, Any]) -> tuple[Allocation, Mapping[str, Any], BoundQuestion]:
        asked = self._asked
        world = resolve(asked.model, asked.question.situation, dict(data))
        engine = type(asked.engine)(asked.model, world)
        bound = BoundQuestion(asked.model, asked.question, engine, world, {**asked.raw, **self._reply.then}, asked.path)
        form, given = bound.choice_form()
        assert isinstance(form, Allocation)
        return form, given, bound

    def _data(self, lost: tuple[int, ...]) -> dict[str, Any]:
        """Take what targets have lost from their records; those that have nothing left are gone."""
        model, spec = self._asked.model, self._shots.spec.left
        record = model.records[self._shots.form.target[1].name]
        name = next(one.json for one in record.fields if one.name == spec.field)
        losses = {target.id: number for target, number in zip(self._shots.targets, lost, strict=True)}
        data, listed = dict(self._asked.world.data), None
        for field in model.records[self._asked.question.situation].fields:
            if field.owns and field.type.name == record.name and field.json in data:
                rows = [row | {name: row[name] - losses.get(row["id"], 0)} for row in data[field.json]]
                data[field.json] = [row for row in rows if row[name] > 0]
            elif field.json == self._reply.gone:
                listed = field
        if listed is not None:
            gone = [target for target in self._shots.targets if getattr(target, spec.field) <= losses[target.id]]
            fields = model.records[listed.type.name].fields
            more = [{one.json: to_json(model, one.type, getattr(each, one.name)) for one in fields} for each in gone]
            data[listed.json] = [*data.get(listed.json, ()), *more]
        return data

    def _too_large(self, why: str) -> InputError:
        return InputError([Fault("too much to compare", self._path, why, "ask with more conditions", kind="too-large")])
