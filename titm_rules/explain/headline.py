"""The headline of a verdict: the question about what was given, and its answer in a sentence.

Where a rule set has no words of its own for them, they are made from what the question declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from titm_rules.engines.query import BoundQuestion
from titm_rules.explain.phrasing import humanize
from titm_rules.explain.verdict import DEPENDS, UNDETERMINED, answer_in_units
from titm_rules.ir.model import COST, FACES, NO, POINTS, YES, Answer, FieldSpec, Roll, Route, head_key
from titm_rules.ir.terms import Call, Template, Term, Var
from titm_rules.ir.types import Type, hyphenated
from titm_rules.world.records import in_unit, join_words, to_json, told

MOST_NAMED, MOST_CHOICES = 8, 3
_SIGN = re.compile(r"(?<=[A-Za-z])[-_](?=[A-Za-z])")


def headline(
    asked: BoundQuestion, answer: Mapping[str, Any], outcome: str = "", deciding: Iterable[Mapping[str, str]] = ()
) -> str:
    """Say in words what was asked and what the answer is; every input that was given is named, and no other.

    `answer` is that of `asked`; `deciding` are the readings on which it depends, if that is its `outcome`.
    """
    words = _Words(asked, answer)
    readings = list(dict.fromkeys(name for choices in deciding for name in choices)) if outcome == DEPENDS else []
    return f"{words.question} {words.sentence(readings)}"


def restated(asked: BoundQuestion) -> str:
    return _Words(asked, {}).question


def is_cut(answer: object) -> bool:
    if isinstance(answer, Mapping):
        count = answer.get("count") if "sha256" in answer else len(answer)
        most = MOST_CHOICES if "sha256" in answer else MOST_NAMED
        return (count or 0) > most or any(map(is_cut, answer.values()))
    return isinstance(answer, list) and (len(answer) > MOST_NAMED or any(map(is_cut, answer)))


class SaidPart(NamedTuple):
    """A part of an answer: its value as in JSON, and how that is said alone, and behind yes or no without a label."""

    name: str
    value: Any
    words: str
    alone: str = ""
    behind: str = ""

    @property
    def is_flag(self) -> bool:
        return isinstance(self.value, bool)

    @property
    def is_empty(self) -> bool:
        return self.value is None or self.value in ({}, [])

    @property
    def labelled(self) -> str:
        label = humanize(self.name)
        if self.is_flag:
            return label if self.value else f"not {label}"
        return self.behind or f"{label} {self.words}"


class _Words:
    """The words of one question and its answer."""

    def __init__(self, asked: BoundQuestion, answer: Mapping[str, Any]) -> None:
        self.asked, self.model, self.form = asked, asked.model, asked.form
        self.answer = answer_in_units(asked.question, asked.form, answer)
        self.sayings = dict(asked.question.sayings)
        self.shown: dict[str, str] = {}  # the words of answers, for the slots of sayings

    # ------------------------------------------------------------------ the question
    @property
    def question(self) -> str:
        """The question, with what was given: in its slots, or behind it in brackets."""
        question = self.asked.question
        text = self._filled(question.asked) or f"{_capital(humanize(question.name))}?"
        named = _names_in(question.asked)
        more = [self._labelled(spec) for spec in question.inputs if hyphenated(spec.name) not in named]
        told_too = "; ".join(part for part in more if part)
        if not told_too:
            return text
        return f"{text.removesuffix('?')} ({told_too}){'?' * text.endswith('?')}"

    def _labelled(self, spec: FieldSpec) -> str:
        """Name an input behind its label; empty if it was not given, or is a flag that is off anyway."""
        value = self.asked.raw.get(spec.json)
        if spec.json not in self.asked.raw or (value in (False, None) and value == spec.default):
            return ""
        label = humanize(spec.json)
        if isinstance(value, bool):
            return label if value else f"not {label}"
        return f"{label}{':' * (isinstance(value, dict) or _is_nested(value))} {self._inputs[hyphenated(spec.name)]}"

    @cached_property
    def _inputs(self) -> dict[str, str]:
        found = {}
        for spec in self.asked.question.inputs:
            name, raw = hyphenated(spec.name), self.asked.raw
            value = raw[spec.json] if spec.json in raw else to_json(self.model, spec.type, self.asked.env[name])
            found[name] = self._value(spec.type, value)
        return found

    def _filled(self, template: Template) -> str:
        return "".join(part if isinstance(part, str) else self._slot(part) for part in template)

    def _slot(self, term: Term) -> str:
        words = {**self._inputs, **self.shown}
        if isinstance(term, Var) and term.name in words:
            return words[term.name]
        env = {**self.asked.env, **self.shown}
        return told(self.model, (term,), lambda one: self.asked.engine.term(one, env))

    def _value(self, kind: Type, value: object) -> str:
        match value:
            case None:
                return "none"
            case bool():
                return "yes" if value else "no"
            case str() if kind.name in self.model.enums:
                return _spaced(value)
            case list() | tuple() if kind.kind == "path":
                return self._path(value)
            case list() | tuple() if kind.kind == "pair":
                return "-".join(self._value(kind, one) for one in value)
            case list() | tuple():
                words = [self._value(kind, one) for one in value]
                return "; ".join(words) if _is_nested(value) else _listed(words, len(words))
            case dict() if kind.kind == "assignment":
                return _listed([f"{who} > {whom}" for who, whom in value.items()], len(value))
            case dict():
                record = self.model.records.get(kind.name)
                specs = {} if record is None or kind.kind.endswith("_map") else {s.json: s.type for s in record.fields}
                return ", ".join(
                    f"{humanize(name) if name in specs else name} {self._value(specs.get(name, kind), one)}"
                    for name, one in value.items()
                ) or "none"
        return str(in_unit(kind, value) if isinstance(value, int) else value)

    def _path(self, steps: Sequence[str]) -> str:
        closing = self.form.closing if isinstance(self.form, Route) else ""
        closes = len(steps) > 1 and steps[-1] == closing
        walked = steps[:-1] if closes else steps
        first, *others = [step.replace("!", "the attempt at ") for step in walked] or ["none"]
        by = f" by {join_words(others[:-1])}" if others[1:] else ""
        way = f"from {first}{by}{''.join(f' to {last}' for last in others[-1:])}"
        return f"{way}, then {humanize(closing)}" if closes else way

    # ------------------------------------------------------------------ the answer
    def sentence(self, readings: Sequence[str]) -> str:
        if UNDETERMINED in self.answer:
            return f"Not determined: {self.answer[UNDETERMINED]} is missing."
        text = self._whole(list(self._parts()))
        text = text if text.endswith((".", "!", "?")) else f"{text}."
        if not readings:
            return text
        return f"It depends on reading{'s' if len(readings) > 1 else ''} {join_words(readings)}; as chosen now: {text}"

    def _whole(self, parts: Sequence[SaidPart]) -> str:
        self.shown |= {part.name: part.words for part in parts}
        lead = parts[0].value if parts and parts[0].is_flag else None
        is_positive = lead if lead is not None else any(not part.is_empty for part in parts)
        template = self.sayings.get(YES if is_positive else NO)
        others = parts[1:] if lead is not None else parts
        if template is None and lead is None:
            if len(others) == 1:
                return self._said(others[0]).alone
            return _capital("; ".join(self._said(part).labelled for part in others)) or "Nothing"
        text = self._filled(template) if template is not None else "Yes" if lead else "No"
        rest = (part for part in others if part.name not in _names_in(template or ()))
        return text + "".join(_behind(self._said(part), lead) for part in rest if lead or not part.is_empty)

    def _said(self, part: SaidPart) -> SaidPart:
        if part.name not in self.sayings or part.is_empty:
            return part
        words = self._filled(self.sayings[part.name])
        return part._replace(name=words) if part.is_flag else part._replace(alone=_capital(words), behind=words)

    def _parts(self) -> Iterator[SaidPart]:
        question, answer = self.asked.question, self.answer
        match question.ask:
            case "answers":
                yield from (self._part(name, part, answer[name]) for name, part in question.answers if name in answer)
            case "path" | "choice":
                yield SaidPart("", answer["legal"], "")
                if COST in answer:
                    cost = answer[COST]
                    points = self._points if cost else 0  # who stays does not need any
                    self.shown[POINTS] = str(points)
                    price = f"{cost} of {_counted(points)}" if points else _counted(cost)
                    yield SaidPart(COST, cost, str(cost), behind=f"for {price}")
            case "cost":
                name = question.names[1]
                if answer[name] is not None:
                    self.shown[POINTS] = str(self._points)
                words = "No way leads there" if answer[name] is None else _counted(answer[name])
                yield SaidPart(name, answer[name], str(answer[name]), words)
            case "ends" | "closings":
                places = answer[question.names[0]]
                near = sorted(places, key=lambda name: (places[name], name)) if isinstance(places, dict) else places
                words = _listed([f"{name} ({places[name]})" for name in near] if isinstance(places, dict) else near)
                to = "To" if question.ask == "ends" else "At"
                yield SaidPart(question.names[0], places, words, f"{to} {words}" if places else "Nowhere")
            case "choices":
                words = _chosen(answer.get(question.names[0], []), answer["count"])
                yield SaidPart(question.names[0], answer["count"] or None, words, _capital(words))
            case "roll":
                assert isinstance(self.form, Roll)
                last = answer["lowest" if self.form.rises else "highest"]
                words = _faces(self.form, last)
                yield SaidPart(FACES, last, words, _capital(words))

    @property
    def _points(self) -> Any:
        route, _, _ = self.asked.route()
        key = head_key(route.name, "points")
        about = {name: self.asked.roles[name] for name, _ in self.model.heads[key].params}
        return in_unit(route.price, self.asked.engine.decide(key, about))

    def _part(self, name: str, part: Answer, value: Any) -> SaidPart:
        words, listed = self._answered(part, value), part.base or part.term
        is_named = part.kind == "choices" or (listed is not None and listed.type.name in self.model.records)
        alone = words if is_named and value else _capital(words)  # the id of a record stays as it is
        return SaidPart(name, value, words, alone, words if self._roll(part) is not None and value is not None else "")

    def _roll(self, part: Answer) -> Roll | None:
        form = self.model.forms.get(part.term.head) if isinstance(part.term, Call) else None
        return form if isinstance(form, Roll) else None

    def _answered(self, part: Answer, value: Any, is_inner: bool = False) -> str:
        match part.kind:
            case "each" if part.parts:
                inner = part.parts[0][1]
                named = {self._key(part, one): self._answered(inner, its, True) for one, its in value.items()}
                return _listed([f"{one} {its}" if is_inner else f"{one} ({its})" for one, its in named.items()])
            case "each":
                return _listed([self._key(part, one) for one in value])
            case "list":
                words = [self._answered(part.parts[0][1], one) for one in value]
                return "; ".join(words) if _is_nested(value) else _listed(words)
            case "record":
                parts = [self._part(name, one, value[name]) for name, one in part.parts if name in value]
                return ", ".join(one.labelled for one in parts) or "none"
            case "choices":
                return _chosen(value, len(value))
        assert part.term is not None
        roll, kind = self._roll(part), part.term.type
        if isinstance(value, list) and not _is_nested(value):
            return _listed([self._value(kind, one) for one in value])
        return self._value(kind, value) if roll is None else _faces(roll, value)

    def _key(self, part: Answer, one: object) -> str:
        assert part.base is not None
        return _spaced(str(one)) if part.base.type.name in self.model.enums else str(one)


def _behind(part: SaidPart, lead: bool | None) -> str:
    """Say a part behind the first word of an answer: a flag that is otherwise than the first is an exception."""
    if part.is_flag and lead is not None:
        return f", {'and' if part.value is lead else 'but'} {part.labelled}"
    return f"{', ' if part.behind else '; '}{part.labelled}"


def _names_in(template: Template) -> frozenset[str]:
    """The inputs or answers that slots show; one in a longer expression is not shown."""
    return frozenset(part.name for part in template if isinstance(part, Var))


def _listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """List names, the last ones of many only by their number."""
    if len(names) <= most:
        return join_words(names) if names else "none"
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def _chosen(lines: Sequence[str], count: int) -> str:
    if not count:
        return "none"
    shown = "; ".join(line.replace(">", " > ").replace(",", ", ") or "none of them" for line in lines[:MOST_CHOICES])
    return f"{count}{', such as' if shown and count > MOST_CHOICES else ':' if shown else ''} {shown}".rstrip()


def _faces(roll: Roll, last: int | None) -> str:
    """Say on which faces a roll succeeds; nothing if it may not be tried."""
    low, high = (1, 0) if last is None else roll.winning(last)
    if low > high:
        return "on no roll"
    if (low, high) == (roll.low, roll.high):
        return "on every roll"
    return f"on {low}" if low == high else f"on {low} to {high}"


def _spaced(text: str) -> str:
    """Write the text of a value as words; signs between digits stay."""
    return _SIGN.sub(" ", text)


def _is_nested(value: object) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(one, dict) for one in value)


def _counted(points: int) -> str:
    return f"{points} point{'' if str(points) == '1' else 's'}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
