"""`titm odds`: what the dice may do."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import typer

from titm_rules.cli.case import Case, Options, open_case
from titm_rules.cli.guard import LEGAL, print_json
from titm_rules.cli.legal import every_input
from titm_rules.cli.show import print_table, show_verdict
from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.edges.jsonin import bad
from titm_rules.model.model import Question
from titm_rules.oracle.odds import COMPARED, Loss, Odds, Plans, odds_of_plan, ranked_plans, rolling_questions
from titm_rules.vocabulary.chance import Chances, outcomes

Put = tuple[Question, Sequence[str]]
PLAN, PLANS = "choice", "choices"
FINEST = Fraction(1, 1_000)


def tell_odds(file: Path, words: Sequence[str], options: Options, plan: str, top: int) -> int:
    """Print the odds of a plan, or of the legal plans by expected loss.

    Without a question, those of every side are listed; an illegal plan gets its verdict.
    """
    case = open_case(file, options)
    found = [_tell(case, question, given, options.as_json, top) for question, given in _questions(case, words, plan)]
    if options.as_json:
        records = [record for _, record in found]
        print_json(records[0] if len(records) == 1 else records)
    return max(code for code, _ in found)


# ---------------------------------------------------------------------- what is asked
def _questions(case: Case, words: Sequence[str], plan: str) -> list[Put]:
    """List the questions to put, each with its input as words.

    Raises:
        InputError: if the words fit no question about plans that dice are rolled for.
    """
    known = _known(case)
    named = words[0] if words and "=" not in words[0] else ""
    if named and named not in known:
        faults = [Fault(f"`{named}` has no odds", "QUERY", "", did_you_mean(named, known), kind="unknown-query")]
        raise InputError(faults)
    given = words[1:] if named else words
    if plan:
        shape = "assignment" if ">" in plan else "sequence"
        checks = [q for q in known.values() if q.ask == PLAN and _shape(q) == shape]
        question = _fitting([q for q in checks if not named or q.form == known[named].form], given)
        return [(question, [*given, f"{question.names[0]}={plan}"])]
    if named or case.query in known:
        return [(known[named or case.query], given)]
    lists = [q for q in known.values() if q.ask == PLANS]
    if given:
        return [(_fitting(lists, given), given)]
    return [(q, inputs) for q in lists for inputs in every_input(case, q)]


def _known(case: Case) -> dict[str, Question]:
    """Map the questions of a situation about plans that dice are rolled for, by name."""
    found = [q for ask in (PLANS, PLAN) for q in rolling_questions(case.edition.model, ask)]
    known = {q.name: q for q in found if q.situation == case.situation}
    if not known:
        raise bad(f"no dice are rolled for the choices of a {case.situation}", "FILE", kind="unknown-query")
    return known


def _shape(question: Question) -> str:
    """Tell how a question takes its plan: as an assignment or as a sequence."""
    return next(spec.type.kind for spec in question.inputs if spec.json == question.names[0])


def _fitting(questions: Sequence[Question], given: Sequence[str]) -> Question:
    """Find the question that takes what is given, its plan apart."""
    for word in given:
        if "=" not in word:
            raise bad(f"`{word}` is no input", "NAME=VALUE", "write NAME=VALUE, after the question if one is named")
    names = {word.partition("=")[0].replace("-", "_") for word in given}
    for question in questions:
        if names == set(_taken(question)):
            return question
    what = f"no question about such plans takes just {', '.join(sorted(names))}" if names else "whose plan is it?"
    takes = [" ".join((q.name, *(f"{name}=" for name in _taken(q)))) for q in questions]
    raise bad(what, "NAME=VALUE", f"known: {'; '.join(takes)}", "missing-field")


def _taken(question: Question) -> list[str]:
    """Name what a question takes, the plan that it judges apart."""
    plan = question.names[:1] if question.ask == PLAN else ()
    return [spec.json for spec in question.inputs if spec.json not in plan]


# ---------------------------------------------------------------------- what is told
def _tell(case: Case, question: Question, given: Sequence[str], as_json: bool, top: int) -> tuple[int, object]:
    inputs = case.full_input(question.name, given)
    asked = case.edition.ask(question.name, inputs)
    label = {"query": question.name, "edition": case.edition.date, "input": dict(asked.raw)}
    if question.ask == PLANS:
        plans = ranked_plans(asked, top)
        if not as_json:
            _show_plans(" ".join((question.name, *given)), case.edition.date, plans)
        return LEGAL, {**label, **plans.to_dict()}
    odds = odds_of_plan(asked)
    if odds is None:
        verdict = case.edition.verdict(question.name, inputs)
        if not as_json:
            show_verdict(verdict)
        return verdict.exit_code, {**label, "legal": False, "verdict": verdict.to_dict()}
    if not as_json:
        _show_odds(odds, case.edition.date)
    return LEGAL, {**label, "legal": True, **odds.to_dict()}


def _show_odds(odds: Odds, edition: str) -> None:
    from rich.table import Table

    _show_title(f"{odds.plan} ({edition})")
    table = Table("target", "has", "loses on average", "all of it", "loses exactly", box=None)
    for loss in odds.losses:
        table.add_row(loss.target, *_cells(loss.has, loss.expected, loss.chances))
    table.add_row("together", *_cells(sum(loss.has for loss in odds.losses), odds.expected, odds.total))
    print_table(table)


def _show_title(text: str) -> None:
    typer.secho(text, bold=True)


def _cells(has: int, expected: Fraction, chances: Chances) -> list[str]:
    told = "  ".join(f"{number}:{percent(share)}" for number, share in outcomes(chances))
    return [str(has), f"{float(expected):.2f}", percent(chances[has]), told]


def _show_plans(label: str, edition: str, plans: Plans) -> None:
    from rich.table import Table

    if plans.kinds is None:
        typer.echo(f"{label} ({edition}): {plans.count} legal, of more than {COMPARED} kinds; --plan asks for one")
        return
    kinds = f" of {plans.kinds} kinds" if plans.kinds != plans.count else ""
    _show_title(f"{label} ({edition}): {plans.count} legal{kinds}")
    table = Table("loses on average", "destroys", "ways", "plan", box=None)
    for odds in plans.best:
        table.add_row(f"{float(odds.expected):.2f}", _destroyed(odds.losses), str(odds.ways), odds.plan)
    print_table(table)
    if plans.kinds > len(plans.best):
        typer.echo(f"(the first {len(plans.best)} of {plans.kinds}; --top shows more)", err=True)


def _destroyed(losses: Sequence[Loss]) -> str:
    return "  ".join(f"{loss.target} {percent(loss.destroyed)}" for loss in losses if loss.destroyed)


def percent(share: Fraction) -> str:
    """Write a chance for people; what is possible is never 0%, what is not certain never 100%."""
    if 0 < share < FINEST / 2:
        return f"<{float(FINEST):.1%}"
    return f">{float(1 - FINEST):.1%}" if 1 - FINEST / 2 < share < 1 else f"{float(share):.1%}"
