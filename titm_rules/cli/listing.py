"""`titm legal`, `odds`, `questions` and `trace`: legal choices, their odds, and routes to a goal."""

from __future__ import annotations

import itertools
import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import typer

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.terminal import LEGAL, print_answer, print_json
from titm_rules.cli.verdict_text import flat, print_table, show_verdict
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import MISSING, Question
from titm_rules.oracle.all_editions import Subject
from titm_rules.oracle.case import Case
from titm_rules.oracle.choice_listing import (
    PLANS,
    action_filter,
    choice_lines,
    count_choices,
    has_actions,
    questions_of_plans,
    trace_verdict,
)
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.odds import COMPARED, Loss, Odds, Plans, odds_of_plan, ranked_plans
from titm_rules.oracle.position import Position
from titm_rules.service.capabilities import QuestionTold, questions_told
from titm_rules.world.chance import Chances, outcomes


# ---------------------------------------------------------------------- legal
@dataclass(frozen=True)
class WantedActions:
    """Which actions are listed: of some kinds, or that choose a piece or a place; without a limit they are counted."""

    kinds: tuple[str, ...] = ()
    unit: str = ""
    limit: int | None = None


def list_legal(subject: Subject, words: Sequence[str], options: SharedOptions, wanted: WantedActions) -> int:
    """Print the legal actions of a position, or the legal choices of one question or of all."""
    case = subject.open(options.rules)
    of_game = not words and has_actions(case)
    if not of_game and (wanted.kinds or wanted.unit):
        raise bad("choices have no kind and no unit", "--kind, --unit", "leave them out, or the question", "bad-value")
    if options.as_json:
        _print_json(case, words, wanted, of_game)
    elif wanted.limit is None:
        count = sum(1 for _ in _actions(case, wanted)) if of_game else count_choices(case, words)
        typer.echo(str(count))
    else:
        _print_some(_actions(case, wanted) if of_game else choice_lines(case, words), wanted.limit)
    return 0


def _print_some(lines: Iterator[str], limit: int) -> None:
    for one in itertools.islice(lines, limit):
        typer.echo(one)
    if next(lines, None) is not None:
        typer.echo(f"(more than {limit}; --limit lists more, --count counts them)", err=True)


def _actions(case: Case, wanted: WantedActions) -> Iterator[str]:
    position = Position.from_dict(case.data, case.edition, case.situation)
    fits = action_filter(position, wanted.kinds or None, wanted.unit or None, ("--kind", "--unit"))
    return (str(action) for action in position.legal_actions if fits(action))


def _print_json(case: Case, words: Sequence[str], wanted: WantedActions, of_game: bool) -> None:
    """Print what the protocol answers: `legal_actions`, or each question of choices."""
    from titm_rules.cli.json_output import choices_told, legal_actions_told

    if of_game:
        print_answer(legal_actions_told(case, wanted.kinds, wanted.unit, wanted.limit or 0))
    else:
        print_answer(choices_told(case, words))


# ---------------------------------------------------------------------- odds
FINEST = Fraction(1, 1_000)


def tell_odds(subject: Subject, words: Sequence[str], options: SharedOptions, plan: str, top: int) -> int:
    """Print the odds of a plan, or of the legal plans by expected loss.

    Without a question, those of every side are listed; an illegal plan gets its verdict.
    """
    case = subject.open(options.rules)
    found = [
        _tell(case, question, given, options.as_json, top) for question, given in questions_of_plans(case, words, plan)
    ]
    if options.as_json:
        records = [record for _, record in found]
        print_answer({"answer": records[0] if len(records) == 1 else {"questions": records}})
    return max(code for code, _ in found)


# ---------------------------------------------------------------------- questions
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


# ---------------------------------------------------------------------- questions
WIDTH = 96


def show_questions(edition: Edition, name: str, as_json: bool) -> int:
    """Print the questions, or one of them in full."""
    found = questions_told(edition.model, name)
    if as_json:
        print_json([one.record() for one in found])
    elif name:
        _print_whole(found[0])
    else:
        _print_table(found)
    return LEGAL


def _print_table(found: list[QuestionTold]) -> None:
    from rich.table import Table

    table = Table("question", "about", "what is asked", box=None)
    for one in found:
        table.add_row(one.name, one.about, one.says)
    print_table(table)
    typer.echo("`titm questions NAME` shows the inputs of a question and an example")


def _print_whole(one: QuestionTold) -> None:
    typer.echo(f"{typer.style(one.name, bold=True)}: {one.says}" if one.says else typer.style(one.name, bold=True))
    typer.echo(f"  about: {one.about or 'nothing but what it takes'}")
    for name, kind, default in one.takes:
        told = "" if default == MISSING else f"; if left out: {_said(default)}"
        typer.echo(f"  takes {name}: {kind}{told}")
    for line in textwrap.wrap(f"answers {one.answer.replace('`', '')}", WIDTH):
        typer.echo(f"  {line}")
    typer.echo(f"  asked as: {one.form}")
    if one.example:
        typer.echo(f"  to try: {one.example}")


def _said(default: object) -> str:
    if isinstance(default, str):
        return default
    return json.dumps(default)


# ---------------------------------------------------------------------- trace
def trace_piece(
    subject: Subject, pieces: Sequence[str], at: str, route: str, out: Path | None, options: SharedOptions
) -> int:
    """Print the trace of a piece; 0 if it has a route to its goal, 1 if not."""
    if len(pieces) != 1:
        raise bad("one piece traces", "PIECE", "name it by its id", "missing-field")
    case, [piece] = subject.open(options.rules), pieces
    verdict = trace_verdict(case, piece, at, route)
    if out is not None:
        from titm_rules.render.overlays import draw_trace
        from titm_rules.render.pictures import write_picture

        write_picture(out, draw_trace(case, verdict, piece, at))
    if options.as_json:
        print_answer(verdict.to_dict())
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
