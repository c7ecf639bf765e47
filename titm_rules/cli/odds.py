"""`titm odds`: what the dice may do."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import typer

from titm_rules.cli.guard import LEGAL, print_answer
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.show import print_table, show_verdict
from titm_rules.oracle.case import Case
from titm_rules.oracle.odds import COMPARED, Loss, Odds, Plans, odds_of_plan, ranked_plans
from titm_rules.oracle.plans import PLANS, questions_of_plans
from titm_rules.oracle.subject import Subject
from titm_rules.rules.model import Question
from titm_rules.world.chance import Chances, outcomes

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
