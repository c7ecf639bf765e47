"""Answer declared questions through an engine, as plain JSON values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.engines.engine import Engine, line
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import Allocation, Answer, FieldSpec, Model, Question, Roll, Route, Selection, View
from titm_rules.ir.terms import Term
from titm_rules.ir.types import Type
from titm_rules.world.evaluate import need_possible
from titm_rules.world.records import Record, Value, to_json, told
from titm_rules.world.world import World


class AnswerEvaluator:
    """Works out answers and writes them as JSON."""

    def __init__(self, model: Model, engine: Engine) -> None:
        self.model, self.engine = model, engine

    def answer(self, answer: Answer, env: Mapping[str, Any]) -> Any:
        match answer.kind:
            case "record":
                return self.answers(answer.parts, env)
            case "each" | "list":
                return self._each(answer, env)
            case "choices":
                return self._choices(answer, env)
        assert answer.term is not None
        return self.show(answer.term, self.engine.term(answer.term, env))

    def answers(self, parts: Iterable[tuple[str, Answer]], env: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: self.answer(part, env)
            for name, part in parts
            if part.when is None or self.engine.term(part.when, env)
        }

    def _choices(self, answer: Answer, env: Mapping[str, Any]) -> list[str]:
        form = self.model.forms[answer.form]
        given = {name: self.engine.term(term, env) for name, term in answer.bindings}
        if isinstance(form, Route):
            mover = given.pop(form.mover[0])
            return sorted(",".join(way.names) for way in self.engine.ways(form, mover, given))
        assert isinstance(form, Allocation | Selection)
        return sorted(line(form, one) for one in self.engine.choices(form, given))

    def _each(self, answer: Answer, env: Mapping[str, Any]) -> Any:
        assert answer.base is not None
        found: list[tuple[Any, Any]] = []
        for one in self.engine.term(answer.base, env):
            inner = {**env, answer.var: one}
            if answer.where is None or self.engine.term(answer.where, inner):
                value = self.answer(answer.parts[0][1], inner) if answer.parts else None
                found.append((self.named(one, answer.base.type), value))
        if answer.kind == "list":
            return [value for _, value in found]
        found.sort(key=lambda pair: (isinstance(pair[0], str), pair[0]))
        return dict(found) if answer.parts else [name for name, _ in found]

    def named(self, one: Any, base: Type) -> Any:
        enum = self.model.enums.get(base.name)
        return enum.texts[one] if enum is not None else getattr(one, "id", one)

    def show(self, term: Term, value: Value) -> Any:
        """Write a value by the type of its term; ids of a list are sorted."""
        if isinstance(value, list) and term.type.name not in self.model.enums:
            return sorted(one.id for one in value)
        return to_json(self.model, term.type, value)


# ---------------------------------------------------------------------- views
def see(view: View, model: Model, engine: Engine, given: Mapping[str, Any]) -> World:
    shower = AnswerEvaluator(model, engine)
    return seen_as(view, model, {name: shower.answer(answer, given) for name, answer in view.answers})


def seen_as(view: View, model: Model, answers: Mapping[str, object]) -> World:
    """Resolve what a view has been worked out to be, as a situation of its own."""
    fields = {spec.json: spec for spec in model.records[view.name].fields}
    data = {name: _fitting(fields[name], answer) for name, answer in answers.items()}
    world = World(model, view.name, data, f"$.{view.name}")
    need_possible(world, view.name)
    return world


def _fitting(spec: FieldSpec, value: object) -> object:
    if spec.owns and isinstance(value, dict):
        return [{"id": name, **record} for name, record in value.items()]
    return value


def twin_of(view: View, world: World, value: Value) -> Any:
    """Return the record of a view with the same id as a record; any other value is the same."""
    if isinstance(value, list):
        return [twin_of(view, world, one) for one in value]
    if not isinstance(value, Record) or value.record_ not in view.twins:
        return value
    return world.named(view.twins[value.record_], value.id)


LISTED = 130
LISTED_SETS = 2_000  # sets of picked targets, without their order
HASHED = 200_000


class BoundQuestion:
    """A question put to an engine: its inputs resolved, its form bound."""

    def __init__(
        self, model: Model, question: Question, engine: Engine, world: World, raw: Mapping[str, Any], path: str
    ) -> None:
        """Resolve the inputs of a question; `raw` lacks the situation and fits the schema, `path` is its place.

        Raises `InputError` for an id that does not exist, or inputs with which the question makes no sense.
        """
        self.model, self.question, self.engine, self.world, self.raw = model, question, engine, world, raw
        self.path = path
        self.env: dict[str, Any] = {}
        for spec in question.inputs:
            where = f"{path}.{spec.json}"
            if spec.json in raw:
                value = raw[spec.json]
                plain = spec.type.kind in ("path", "assignment", "sequence")
                self.env[_hyphens(spec.name)] = value if plain else world.value(spec.type, value, where)
            elif spec.same_as:
                base = self.env[_hyphens(spec.same_as[-1])]
                for name in reversed(spec.same_as[:-1]):
                    base = getattr(base, name)
                self.env[_hyphens(spec.name)] = base
            else:
                self.env[_hyphens(spec.name)] = spec.default
        self.form = model.forms.get(question.form)
        self._enter_paths()
        self._refuse(path)
        self.roles = {name: engine.term(term, self.env) for name, term in question.bindings}

    def _enter_paths(self) -> None:
        """Give each path as conditions see it: its start and the places that it enters; an unknown one is bad input."""
        route = self.form if isinstance(self.form, Route) else None
        for spec in (spec for spec in self.question.inputs if spec.type.kind == "path"):
            places, steps = [], self.raw[spec.json]
            for index, step in enumerate(steps):
                if route is not None and 0 < index == len(steps) - 1 and step == route.closing:
                    break
                name = step.removeprefix("!") if index and route is not None and route.interruption else step
                place = self.world.find(Type("place"), name, f"{self.path}.{spec.json}[{index}]")
                places += [place] if name == step else []
            self.env[_hyphens(spec.name)] = places

    def _refuse(self, path: str) -> None:
        """Refuse inputs with which the question makes no sense, all at once."""
        env = self.env
        if isinstance(self.form, Allocation) and self.form.counter and self.form.counter not in env:
            env = {**env, self.form.counter: len(self.picked_names())}
        why, fix = f"`{self.question.name}` has no answer to this", "ask of what can occur"
        faults = [
            Fault(told(self.model, says, lambda term: self.engine.term(term, env)), f"{path}.{given}", why, fix,
                  kind="impossible")
            for given, holds, says in self.question.refusals
            if self.engine.term(holds, env)
        ]  # fmt: skip
        if faults:
            raise InputError(faults)

    @property
    def gap(self) -> str:
        """Name a rule that is missing and on which the answer depends; empty if none does."""
        return next((what for what, holds in self.question.gaps if self.engine.term(holds, self.env)), "")

    def answer(self) -> dict[str, Any]:
        if gap := self.gap:
            return {"undetermined": gap}
        ask: Callable[[], dict[str, Any]] = getattr(self, f"_{self.question.ask}")
        return ask()

    # ------------------------------------------------------------------ routes
    def route(self) -> tuple[Route, Any, dict[str, Any]]:
        assert isinstance(self.form, Route)
        given = {name: self.roles[name] for name, _ in self.form.given}
        return self.form, self.roles[self.form.mover[0]], given

    def steps(self) -> list[str]:
        """Give the path that is asked about, as it is written."""
        spec = next(s for s in self.question.inputs if s.type.kind == "path")
        steps: list[str] = self.raw[spec.json]
        return steps

    def _ends(self) -> dict[str, Any]:
        ends = self.engine.ends(*self.route())
        if self.question.is_bare:
            return {self.question.names[0]: sorted(place.id for place in ends)}
        return {self.question.names[0]: {place.id: ends[place] for place in sorted(ends, key=lambda p: p.id)}}

    def destination(self) -> Any:
        return self.env[self.question.names[0]]

    def _cost(self) -> dict[str, Any]:
        return {self.question.names[1]: self.engine.ends(*self.route()).get(self.destination())}

    def _path(self) -> dict[str, Any]:
        cost = self.engine.path(*self.route(), self.steps())
        if self.question.is_bare:
            return {"legal": cost is not None}
        return {"legal": False} if cost is None else {"legal": True, "cost": cost}

    def _closings(self) -> dict[str, Any]:
        return {self.question.names[0]: sorted(place.id for place in self.engine.closings(*self.route()))}

    # ------------------------------------------------------------------ choices
    def choice_form(self) -> tuple[Allocation | Selection, dict[str, Any]]:
        """Return the form of the choices, and its roles."""
        form, roles = self.form, dict(self.roles)
        if form is None:
            name, bindings = self.question.listing
            form, roles = self.model.forms[name], {role: self.engine.term(term, self.env) for role, term in bindings}
        assert isinstance(form, Allocation | Selection)
        if isinstance(form, Allocation) and form.counter and form.counter not in roles:
            roles[form.counter] = len(self.picked_names())
        return form, roles

    def _choices(self) -> dict[str, Any]:
        form, given = self.choice_form()
        name, *others = self.question.names
        count = self.engine.count(form, given)
        if count > HASHED:
            return {"count": count, "sha256": None, "limit": HASHED}
        picked = list(self.engine.choices(form, given))
        lines = sorted(line(form, one) for one in picked)
        answer: dict[str, Any] = {"count": count, "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest()}
        if count <= LISTED:
            answer[name] = lines
        if others:
            sets = {",".join(sorted(target.id for target in one)) for one in picked}
            answer |= {others[0]: sorted(sets)} if len(sets) <= LISTED_SETS else {}
        return answer

    def picked_names(self) -> Any:
        """Give the names of the choice that is asked about: of targets in order, or of targets by chooser."""
        spec = next(s for s in self.question.inputs if s.type.kind in ("assignment", "sequence"))
        return self.env[_hyphens(spec.name)]

    def picked(self) -> tuple[Any, ...] | None:
        """Give the choice that is asked about; nothing if it does not name each chooser once."""
        form, given = self.choice_form()
        names = self.picked_names()
        path = f"{self.path}.{self.question.names[0]}"
        record = (form.target if isinstance(form, Allocation) else form.picked)[1]
        wanted = Type("record", record.name)
        if isinstance(form, Allocation) and form.chooser is not None:
            assert form.choosers is not None
            chosen = {
                self.world.find(form.chooser[1], who, path): self.world.find(wanted, target, f"{path}.{who}")
                for who, target in names.items()
            }
            choosers = self.engine.term(form.choosers, given)
            if set(chosen) != set(choosers):
                return None
            return tuple((who, chosen[who]) for who in choosers)
        return tuple(self.world.find(wanted, name, f"{path}[{i}]") for i, name in enumerate(names))

    def _choice(self) -> dict[str, Any]:
        form, given = self.choice_form()
        picked = self.picked()
        return {"legal": picked is not None and self.engine.is_legal(form, given, picked)}

    # ------------------------------------------------------------------ rolls and terms
    def _roll(self) -> dict[str, Any]:
        assert isinstance(self.form, Roll)
        last = "lowest" if self.form.rises else "highest"
        factor, added, face = self.engine.roll(self.form, self.roles) or (None, {}, None)
        return {"factor": factor, "drms": added, last: face}

    def _answers(self) -> dict[str, Any]:
        shower = AnswerEvaluator(self.model, self.engine)
        return shower.answers(self.question.answers, self.env)


def find_question(model: Model, name: str, path: str = "$.query") -> Question:
    """Find a question by name; raises `InputError` if the rule set declares none of that name."""
    question = model.questions.get(name)
    if question is None:
        why = "the rules answer no question of this name"
        raise bad(f"unknown query `{cut(name)}`", path, did_you_mean(name, model.questions), "unknown-query", why)
    return question


def _hyphens(name: str) -> str:
    return name.replace("_", "-")
