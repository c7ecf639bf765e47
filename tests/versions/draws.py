"""Random inputs for every question of any game, drawn from its rule set: raw values, as the protocol takes them."""

from collections.abc import Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any

from titm_rules.ir.model import MISSING, FieldSpec, Model, Question, Selection
from titm_rules.ir.types import Type

Json = dict[str, Any]
MOST_TOGETHER, LONGEST_PATH, MOST_PICKS, NUMBERS = 3, 4, 4, 9


class Draw:
    """Draws inputs for the questions about one situation, given as the raw fields of a position."""

    def __init__(self, model: Model, situation: str, data: Json, rng: Random, known: Json) -> None:
        """Index the records of the situation by their types; `known` has inputs that are records without ids."""
        self.model, self.rng, self.known = model, rng, known
        self.lists: dict[str, list[list[Json]]] = {}
        for spec in model.records[situation].fields:
            if spec.type.kind == "set":
                records = [each for each in data.get(spec.json) or () if isinstance(each, dict) and "id" in each]
                self.lists.setdefault(spec.type.name, []).append(records)
        self.records = {name: [*chain.from_iterable(lists)] for name, lists in self.lists.items()}

    def inputs(self, question: Question) -> Json | None:
        """Draw what a question takes besides the situation; nothing if the situation has none of a kind."""
        drawn: Json = {}
        for spec in question.inputs:
            if spec.default != MISSING and self.rng.random() < 0.5:
                continue
            bare = spec.type.kind == "record" and not self.model.records[spec.type.name].has_id
            value = self.known.get(spec.json) if bare else self._value(question, spec, drawn)
            if value is None:
                return None
            drawn[spec.json] = value
        return drawn

    def _ids(self, name: str) -> list[str]:
        names = self._kinds("place") if name == "place" else [name]
        return [record["id"] for each in names for record in self.records.get(each, ())]

    def _kinds(self, *roles: str) -> list[str]:
        return [name for name, spec in self.model.records.items() if spec.role in roles]

    def _value(self, question: Question, spec: FieldSpec, drawn: Json) -> Any:
        wanted, rng = spec.type, self.rng
        match wanted.kind:
            case "flag":
                return rng.random() < 0.5
            case "number":
                return self._number(wanted)
            case "enum":
                return rng.choice(self.model.enums[wanted.name].texts)
            case "place" | "record":
                return self._one(wanted.name or "place")
            case "set":
                return self._several(wanted.name)
            case "pair":
                return [self._of_name(wanted.name) for _ in range(2)]
            case "path":
                return self._path(question, drawn) if self._ids("place") else None
            case "assignment":
                form = self.model.forms[question.form]
                choosers = self._of_a_side(form.chooser[1].name)
                targets = self._of_a_side(form.target[1].name, choosers)
                return {each: rng.choice(targets) for each in choosers if rng.random() < 0.97} if targets else None
            case "sequence":
                form = self.model.forms[question.form]
                if isinstance(form, Selection):
                    members = self._ids(form.picked[1].name)
                    return rng.sample(members, rng.randint(0, min(MOST_TOGETHER, len(members))))
                targets = self._of_a_side(form.target[1].name)
                return [rng.choice(targets) for _ in range(rng.randint(0, MOST_PICKS))] if targets else None
        return None

    def _number(self, wanted: Type) -> int:
        low = wanted.low if wanted.low is not None else 0
        return self.rng.randint(low, min(wanted.high if wanted.high is not None else NUMBERS, low + NUMBERS))

    def _of_name(self, name: str) -> Any:
        if name == "number":
            return self.rng.randint(0, NUMBERS)
        return self.rng.choice(self.model.enums[name].texts) if name in self.model.enums else self._one(name)

    def _one(self, name: str) -> str | None:
        known = self._ids(name)
        return self.rng.choice(known) if known else None

    def _several(self, name: str) -> list[Any] | None:
        if name in self.model.enums or name == "number":
            return [self._of_name(name)]
        records = self.records.get(name, []) if name != "place" else []
        if not records:
            known = self._ids(name)
            return self.rng.sample(known, self.rng.randint(1, min(MOST_TOGETHER, len(known)))) if known else None
        first = self.rng.choice(records)
        near = [each["id"] for each in records if each.get("place") == first.get("place") or self.rng.random() < 0.05]
        return self.rng.sample(near, self.rng.randint(1, min(MOST_TOGETHER, len(near))))

    def _of_a_side(self, name: str, but: Sequence[str] = ()) -> list[str]:
        """Name the records of a kind that are in one list, and on one side if they have sides."""
        lists = [[each for each in records if each["id"] not in but] for records in self.lists.get(name, ())]
        records = self.rng.choice([*filter(None, lists)] or [[]])
        side = self.rng.choice(records).get("side") if records else None
        return [each["id"] for each in records if each.get("side") == side]

    def _path(self, question: Question, drawn: Mapping[str, Any]) -> list[str]:
        named = {each for value in drawn.values() for each in (value if isinstance(value, list) else [value])
                 if isinstance(each, str)}  # fmt: skip
        standing = [each["place"] for records in self.records.values() for each in records
                    if each["id"] in named and each.get("place")]  # fmt: skip
        places = self._ids("place")
        at = standing[0] if standing and self.rng.random() < 0.95 else self.rng.choice(places)
        form, path = self.model.forms[question.form], [at]
        for _ in range(self.rng.randint(0, LONGEST_PATH)):
            near = [
                end
                for way in self.records[form.crossing[1].name]
                if at in way["ends"]
                for end in way["ends"]
                if end != at
            ]
            there = self.rng.choice(near or places)
            if getattr(form, "interruption", None) and self.rng.random() < 0.15:
                path.append(f"!{there}")
                continue
            path.append(there)
            at = there
        closing = getattr(form, "closing", "")
        return [*path, closing] if closing and self.rng.random() < 0.15 else path
