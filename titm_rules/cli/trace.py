"""`titm trace`: a piece's route to its goal, or what blocks it, in words and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from titm_rules.cli.case import Case, Options, open_case
from titm_rules.cli.guard import print_json
from titm_rules.cli.show import flat, show_verdict
from titm_rules.diagnostics import did_you_mean
from titm_rules.edges.jsonin import bad
from titm_rules.model.model import Answer, FieldSpec, Model, Question, Route, head_key
from titm_rules.model.terms import Call, Term, children
from titm_rules.oracle.verdict import Verdict

if TYPE_CHECKING:
    from titm_rules.oracle.position import Position
    from titm_rules.render.board import Picture


def trace_piece(file: Path, piece: str, at: str, route: str, out: Path | None, options: Options) -> int:
    """Print the trace of a piece; 0 if it has a route to its goal, 1 if not."""
    case = open_case(file, options)
    verdict = trace_verdict(case, piece, at, route)
    if out is not None:
        from titm_rules.render.pictures import write_picture

        write_picture(out, draw_trace(case, verdict, piece, at))
    if options.as_json:
        print_json(verdict.to_dict())
    else:
        show_trace(verdict)
        if out is not None:
            typer.echo(f"picture: {out}")
    return 0 if verdict.witness.get("route") else 1


def show_trace(verdict: Verdict) -> None:
    """Print a verdict on a trace with the route, or the one that comes closest."""
    show_verdict(verdict)
    for name, route in verdict.witness.items():
        typer.echo(f"  {name}: {flat(route)}")


def trace_verdict(case: Case, piece: str, at: str = "", route: str = "") -> Verdict:
    """Judge the question that traces a route of a piece to its goal.

    Raises:
        InputError: if the rules trace no such route, or the piece or place is unknown.
    """
    found = _routes_with_goals(case.edition.model, case.situation)
    if not found or (route and route not in found):
        raise bad(f"no route `{route}` leads to a goal here", "--route", did_you_mean(route, found), "unknown-name")
    name = route or next(iter(found))
    form = found[name]
    question = _question_about(case.edition.model, form)
    inputs: dict[str, Any] = {case.situation: case.data, _input_of(question, form.mover[1].name).json: piece}
    if at:
        inputs[_input_of(question, "place").json] = at
    return case.edition.verdict(question.name, inputs)


def _routes_with_goals(model: Model, situation: str) -> dict[str, Route]:
    return {
        name: form for name, form in model.forms.items()
        if isinstance(form, Route) and form.situation == situation and model.heads[head_key(name, "goal")].statements
    }  # fmt: skip


def _question_about(model: Model, route: Route) -> Question:
    for question in model.questions.values():
        if any(route.name in called(model, term) for _, answer in question.answers for term in _terms(answer)):
            return question
    raise bad(f"no question asks for the route `{route.name}`", "--route", kind="unknown-name")


def _terms(answer: Answer) -> Iterator[Term]:
    yield from (term for term in (answer.term, answer.base, answer.where) if term is not None)
    for _, part in answer.parts:
        yield from _terms(part)


def called(model: Model, term: Term) -> set[str]:
    """Collect the forms and definitions that a term asks, directly or through others."""
    found: set[str] = set()
    waiting = [term]
    while waiting:
        one = waiting.pop()
        waiting.extend(children(one))
        if isinstance(one, Call) and one.head not in found:
            found.add(one.head)
            for statement in model.heads[one.head].statements:
                waiting.extend(part for part in (statement.when, statement.value) if part is not None)
    return found


def _input_of(question: Question, wanted: str) -> FieldSpec:
    for spec in question.inputs:
        if wanted in (spec.type.name, spec.type.kind):
            return spec
    raise bad(f"`{question.name}` takes no {wanted}", question.name, kind="unknown-name")


# ---------------------------------------------------------------------- the picture
def draw_trace(case: Case, verdict: Verdict, piece: str, at: str = "") -> str:
    """Draw the situation with the route of a verdict, or with what blocks it."""
    from titm_rules.render.pictures import plain_picture, render_board

    position = case.edition.position(case.data, case.situation)
    picture = traced(plain_picture(position), position, verdict, piece, at)
    title = f"{case.notes.get('title') or verdict.query}: {piece} at {picture.start}"
    return render_board(position, replace(picture, title=title, layout=layout_of(case) or picture.layout))


def traced(picture: Picture, position: Position, verdict: Verdict, piece: str, at: str = "") -> Picture:
    """Add the route of a verdict on a trace to a picture, or the one that comes closest and what blocks it."""
    from titm_rules.render.pictures import with_words

    homes = (p.id for p in position.world.places if any(one.id == piece for one in position.world.standing(p)))
    route = verdict.witness.get("route") or ()
    picture = replace(
        picture,
        route=route,
        closest=() if route else verdict.witness.get("closest") or (),
        start=position.place_id(at) if at else next(homes, ""),
        blockers=() if route else blocking(verdict),
    )
    return with_words(picture, f"{verdict.sentence()} {'Route: ' + ', '.join(route) if route else 'No route'}.")


def blocking(verdict: Verdict) -> frozenset[str]:
    """Collect the ids of what would have to be otherwise, or of what the failing clauses saw."""
    changes = frozenset(_texts(verdict.nearest.get("changes", ())))
    return changes or frozenset(name for finding in verdict.failing for name in finding.looked_at)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def layout_of(case: Case) -> dict[str, tuple[float, float]] | None:
    """Give the coordinates that a case file has for its places, if it has any.

    Raises:
        InputError: if they are no pairs of numbers.
    """
    raw = case.notes.get("layout")
    if raw is None:
        return None
    if not isinstance(raw, dict) or not all(_is_point(point) for point in raw.values()):
        raise bad("a layout gives each place two numbers", "$.layout", "write PLACE: [x, y]", "bad-value")
    return {str(name): (float(x), float(y)) for name, (x, y) in raw.items()}


def _is_point(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(type(number) in (int, float) and abs(number) < 1e6 for number in value)
