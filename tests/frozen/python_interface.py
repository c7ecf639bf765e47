"""The Python interface: the names that it promises, what they take, and what they give."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import titm_rules
import yaml
from titm_rules import Edition, InputError, Position, load_scenario

from tests.frozen.cases import ROOT
from tests.frozen.goldens import Record, group

STARTS = {"two-bridges": "titm", "sauer-crossing": "titm", "teaching-battle": "bitterwoods", "the-ford": "cold-ford"}


# ---------------------------------------------------------------------- names
@group("python-names")
def of_names() -> Iterator[Record]:
    yield Record("titm_rules", {"all": list(titm_rules.__all__)}, whole=frozenset({"all"}))
    for name in titm_rules.__all__:
        thing = getattr(titm_rules, name)
        if not inspect.isclass(thing):
            yield Record(name, _described(thing))
            continue
        yield Record(name, {"bases": [one.__name__ for one in thing.__mro__[1:]], "takes": _takes(thing)})
        ours = [base for base in thing.__mro__ if base.__module__.startswith("titm_rules")]
        for member in sorted(set().union(*map(_members, ours))):
            yield Record(f"{name}.{member}", _described(inspect.getattr_static(thing, member, None)))


def _members(cls: type) -> set[str]:
    named = {*vars(cls), *vars(cls).get("__annotations__", {})}
    return {name for name in named if not name.startswith("_")}


def _described(thing: Any) -> dict[str, Any]:
    if isinstance(thing, classmethod | staticmethod):
        return {"is": type(thing).__name__, "takes": _takes(thing.__func__)}
    if inspect.isfunction(thing):
        return {"is": "function", "takes": _takes(thing)}
    return {"is": "value"}  # a field, a slot or a property: all are read alike


def _takes(thing: Any) -> list[str]:
    try:
        params = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return ["?"]
    named = [one for one in params if one.name not in ("self", "cls") and not one.name.startswith("_")]
    return [f"{_sign(one)}{one.name}{_default(one.default)}" for one in named]


def _sign(one: inspect.Parameter) -> str:
    signs = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**", one.KEYWORD_ONLY: "named ", one.POSITIONAL_ONLY: "placed "}
    return signs.get(one.kind, "")


def _default(value: object) -> str:
    if value is inspect.Parameter.empty:
        return ""
    return f" = {value!r}" if isinstance(value, str | int | float | tuple | None) else " = ..."


# ---------------------------------------------------------------------- values
@group("python-values")
def of_values() -> Iterator[Record]:
    for name, game in STARTS.items():
        position = load_scenario(name, game=game)
        yield Record(f"{name}: start", _state(position), text=repr(position), most=10)
        yield Record(f"{name}: written", {
            "json": len(position.to_json()), "yaml": len(position.to_yaml()), "dict": list(position.to_dict()),
            "again": Position.from_dict(position.to_dict(), position.edition) == position,
            "from json": Position.from_json(position.to_json(), position.edition) == position,
        })  # fmt: skip
        for turn in range(6):
            actions = list(position.legal_actions)
            action = actions[turn * 3 % len(actions)]
            dice = position.dice(action)
            faces = [dice.low] * dice.count if dice else []
            verdict = position.judge(action)
            fallen = [[fell, str(chance), after.digest] for fell, chance, after in position.outcomes(action)]
            position = position.apply(action, faces)
            yield Record(f"{name}: {turn + 1}. {action}", {
                "action": action.to_dict(), "words": list(action.words), "verdict": verdict.outcome,
                "clauses": list(verdict.clauses), "exit code": verdict.exit_code, "outcomes": fallen,
                **_state(position),
            }, text=repr(position), most=10)  # fmt: skip


def _state(position: Position) -> dict[str, Any]:
    outcome = position.outcome()
    return {
        "edition": position.edition.label, "stamp": position.stamp, "digest": position.digest,
        "notation": position.notation,
        "summary": position.summary, "over": position.is_over, "to act": list(position.to_act),
        "sides": list(position.sides),
        "returns": position.returns,
        "outcome": outcome and {"winner": outcome.winner, "returns": dict(outcome.returns)},
        "actions": [str(action) for action in position.legal_actions], "units": list(position.units.items())[:1],
        "notes": list(position.notes),
    }  # fmt: skip


@group("python-questions")
def of_questions() -> Iterator[Record]:
    shot = yaml.safe_load((ROOT / "scenarios/titm/spare-shot/spare-shot.yaml").read_text(encoding="utf-8"))
    fight = Position.from_file("combat-of-1999")
    for date in ("1997-08-20", "1998-01-15", "1999"):
        edition = Edition(date)
        verdict = edition.verdict(shot["query"], shot["input"], all_readings=True)
        yield Record(f"spare-shot under {date}", verdict.to_dict(), text=verdict.sentence())
        yield Record(f"edition {date}", {
            "date": edition.date, "label": edition.label, "game": edition.game, "clauses": len(edition.clauses),
            "questions": list(edition.questions), "readings": list(edition.all_readings),
        }, text=edition.title)  # fmt: skip
    plan = {"a1": "d1", "a2": "d2", "a3": "d1", "a4": "d2"}
    odds = fight.odds("fire_allocation_legal", who="attacker", allocation=plan)
    plans = fight.plans("fire_allocations", who="attacker", top=2)
    yield Record("odds", odds and odds.to_dict())
    yield Record("plans", plans.to_dict())
    yield Record("no odds", fight.odds("fire_allocation_legal", who="attacker", allocation=dict.fromkeys(plan, "d1")))
    yield Record("ask", fight.ask("to_hit", who="attacker", firing="a1", target="d1"))
    yield Record("on a date", {"label": Edition.on("1997-12-24", overlays=("divisional-integrity",)).label})
    wrong: dict[str, Callable[[], object]] = {
        "edition": lambda: Edition("1066"), "game": lambda: Edition(game="chess"),
        "reading": lambda: Edition(readings={"R2": "x"}),
        "engine": lambda: Edition(engine="steam"), "scenario": lambda: load_scenario("nowhere"),
        "question": lambda: fight.ask("nonsense"), "input": lambda: fight.ask("to_hit", who="nobody"),
        "situation": lambda: Position.from_dict({"attacker": "Martian", "attackers": []}, situation="battle"),
    }  # fmt: skip
    for name, work in wrong.items():
        yield _fault_of(name, work)


def _fault_of(name: str, work: Callable[[], object]) -> Record:
    try:
        work()
    except InputError as error:
        faults = [
            {"kind": one.kind, "where": str(one.where), "message": one.what, "reason": one.why, "fix": one.fix}
            for one in error.faults
        ]
        return Record(f"bad {name}", {"faults": faults}, text=str(error))
    raise AssertionError(f"nothing is wrong with the {name}")
