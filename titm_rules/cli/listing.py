"""`titm legal`, `odds`, `questions` and `trace`: legal choices, their odds, and routes to a goal."""

from __future__ import annotations

import itertools
import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.terminal import ILLEGAL, LEGAL, echo, print_answer, print_json, styled
from titm_rules.cli.verdict_text import flat, print_table, show_verdict
from titm_rules.diagnostics import group_named
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.safe_json import bad
from titm_rules.ir.model import MISSING, Question
from titm_rules.oracle import choice_listing
from titm_rules.oracle.case import PIECE, PLACE, Case
from titm_rules.oracle.joint_moves import joint_moves, parse_stack
from titm_rules.oracle.odds import COMPARED, Loss, Plans, odds_of_plan, ranked_plans
from titm_rules.oracle.planning import FoundChoices, choices_where
from titm_rules.oracle.position import Position
from titm_rules.oracle.replies import WORST
from titm_rules.oracle.supply_lines import Cut, SupplyLines, supply_lines
from titm_rules.render.style import load_style
from titm_rules.service.capabilities import QuestionTold, questions_told
from titm_rules.world.chance import Chances, outcomes


# ---------------------------------------------------------------------- legal
def list_legal(
    options: SharedOptions, kinds: Sequence[str], unit: str, limit: int, count: bool, where: Sequence[str], best: str,
    against: str, top: int,
) -> int:  # fmt: skip
    """Print or count the legal actions of a position, or the legal choices of one question or of all.

    With conditions, or what is best, the exit code is 1 if no choice meets them.
    """
    case, words = options.open_case()
    if where or best or against:
        return _list_choices(options, case, words, where, best, against, 0 if count else top)
    of_game = not words and choice_listing.has_actions(case)
    unit = case.meant(unit, "--unit", PIECE, PLACE) if of_game and unit else unit
    if not of_game and (kinds or unit):
        raise bad("choices have no kind and no unit", "--kind, --unit", "leave them out, or the question", "bad-value")
    if options.as_json:
        _print_json(case, words, {"kinds": list(kinds), "actor": unit} if of_game else None, 0 if count else limit)
        return LEGAL
    if count and not of_game:
        echo(str(choice_listing.count_choices(case, words)))
        return LEGAL
    lines = _actions(case, kinds, unit) if of_game else choice_listing.choice_lines(case, words)
    if count:
        echo(str(sum(1 for _ in lines)))
        return LEGAL
    for one in itertools.islice(lines, limit):
        echo(one)
    if next(lines, None) is not None:
        echo(f"(more than {limit}; --limit lists more, --count counts them)", to_error=True)
    return LEGAL


def _list_choices(
    options: SharedOptions, case: Case, words: Sequence[str], where: Sequence[str], best: str, against: str, top: int
) -> int:
    """Print the choices of one question that meet conditions, or a minimal reason why there is none."""
    put = choice_listing.questions_of_choices(case, words)
    if len(put) != 1:
        fix = f"known: {', '.join(dict.fromkeys(question.name for question, _ in put))}"
        raise bad("conditions are put to one question", "QUERY", f"name it; {fix}", "missing-field")
    [(question, given)] = put
    asked = case.edition.ask(question.name, case.full_input(question.name, given))
    found = choices_where(asked, where, best, top, against, ("--where", "--best", "--against"))
    code = LEGAL if found.count else ILLEGAL
    if options.as_json:
        told = {"query": question.name, "input": dict(asked.raw), "engine": case.edition.engine, **found.to_dict()}
        print_answer({"answer": told})
        return code
    number = str(found.count or "no") if found.is_all else f"more than {found.count}"
    meant = " that meets the conditions" if found.count < 2 else " that meet the conditions"
    plans = f"legal plan{'s' * (found.count > 1)}{meant * bool(where)}"
    if found.against:
        plans += f"; against {'the worst reply' if found.against == WORST else found.against}"
    echo(styled(f"{' '.join((question.name, *given))} ({case.edition.date}): {number} {plans}", bold=True))
    for one in found.listed:
        value = "" if one.value is None else f"{percent(one.value) if found.is_chance else f'{float(one.value):.2f}'}  "
        echo(f"  {value}{one.plan}")
    if not found.count:
        _show_reason(case, found)
    return code


def _show_reason(case: Case, found: FoundChoices) -> None:
    if not found.is_explained:
        echo("  Why there is none takes too long to find; ask with fewer conditions.")
        return
    echo("  These cannot all hold; without any one of them there is a plan:")
    for condition in found.conditions:
        echo(f"    your condition: {condition}")
    for number in found.clauses:
        clause = case.edition.clauses[number]
        echo(f"    {number}: {clause.says}")


def _actions(case: Case, kinds: Sequence[str], unit: str) -> Iterator[str]:
    position = Position.from_dict(case.data, case.edition, case.situation)
    fits = choice_listing.action_filter(position, kinds or None, unit or None, ("--kind", "--unit"))
    return (str(action) for action in position.legal_actions if fits(action))


def _print_json(case: Case, words: Sequence[str], wanted: dict[str, Any] | None, limit: int) -> None:
    """Print what the protocol answers: `legal_actions` if some are wanted, or each question of choices."""
    from titm_rules.service.position_cache import PositionCache
    from titm_rules.service.queries import POSITION, GameQuestion, answer

    def reply(query: str, inputs: dict[str, Any]) -> dict[str, Any]:
        return answer(GameQuestion(case.edition, inputs, PositionCache()), query)

    if wanted is not None:
        more = {name: value for name, value in wanted.items() if value}
        print_answer(reply("legal_actions", {POSITION: case.data, "limit": limit, **more}))
        return
    told = []
    for question, given in choice_listing.questions_of_choices(case, words):
        inputs = case.full_input(question.name, given)
        asked = {name: value for name, value in inputs.items() if name != question.situation}
        told.append({"query": question.name, "input": asked, **reply(question.name, inputs)})
    print_answer(told[0] if len(told) == 1 else {"answer": {"questions": told}})


# ---------------------------------------------------------------------- odds
FINEST = Fraction(1, 1_000)
Json = dict[str, Any]


def show_odds(options: SharedOptions, plan: str, top: int) -> int:
    """Print the odds of a plan, or its verdict if it is illegal, or those of the legal plans by expected loss."""
    case, words = options.open_case()
    plans = choice_listing.questions_of_plans(case, words, plan)
    style, found = load_style(case.edition.game), []
    assumed = [style.circumstances(case.situation, case.data, case.full_input(one.name, given)) for one, given in plans]
    for (question, given), assumes, following in zip(plans, assumed, [*assumed[1:], None], strict=True):
        code, record = _odds(case, question, given, options.as_json, top)
        found.append((code, {**record, "assumes": assumes}))
        if assumes and assumes != following and code == LEGAL and not options.as_json:
            echo(textwrap.fill(f"taken as given: {'; '.join(assumes)}", WIDTH, subsequent_indent="  "))
    if options.as_json:
        records = [record for _, record in found]
        print_answer({"answer": records[0] if len(records) == 1 else {"questions": records}})
    return max(code for code, _ in found)


def _odds(case: Case, question: Question, given: Sequence[str], as_json: bool, top: int) -> tuple[int, Json]:
    inputs = case.full_input(question.name, given)
    asked = case.edition.ask(question.name, inputs)
    label = {"query": question.name, "edition": case.edition.date, "input": dict(asked.raw)}
    if question.ask == choice_listing.PLANS:
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
        echo(styled(f"{odds.plan} ({case.edition.date})", bold=True))
        rows = [(loss.target, *_cells(loss.has, loss.expected, loss.chances)) for loss in odds.losses]
        together = ("together", *_cells(sum(loss.has for loss in odds.losses), odds.expected, odds.total))
        print_table(("target", "has", "loses on average", "all of it", "loses exactly"), [*rows, together])
    return LEGAL, {**label, "legal": True, **odds.to_dict()}


def _cells(has: int, expected: Fraction, chances: Chances) -> list[str]:
    told = "  ".join(f"{number}:{percent(share)}" for number, share in outcomes(chances))
    return [str(has), f"{float(expected):.2f}", percent(chances[has]), told]


def _show_plans(label: str, edition: str, plans: Plans) -> None:
    if plans.kinds is None:
        echo(f"{label} ({edition}): {plans.count} legal, of more than {COMPARED} kinds; --plan asks for one")
        return
    if not any(odds.plan for odds in plans.best):
        echo(f"{label} ({edition}): nobody picks anybody")
        return
    kinds = f" of {plans.kinds} kinds" if plans.kinds != plans.count else ""
    echo(styled(f"{label} ({edition}): {plans.count} legal{kinds}", bold=True))
    rows = ((f"{float(odds.expected):.2f}", _destroyed(odds.losses), str(odds.ways), odds.plan) for odds in plans.best)
    print_table(("loses on average", "destroys", "ways", "plan"), rows)
    if plans.kinds > len(plans.best):
        echo(f"(the first {len(plans.best)} of {plans.kinds}; --top shows more)", to_error=True)


def _destroyed(losses: Sequence[Loss]) -> str:
    return "  ".join(f"{loss.target} {percent(loss.destroyed)}" for loss in losses if loss.destroyed)


def percent(share: Fraction) -> str:
    """Write a chance for people; what is possible is never 0%, what is not certain never 100%."""
    if 0 < share < FINEST / 2:
        return f"<{float(FINEST):.1%}"
    return f">{float(1 - FINEST):.1%}" if 1 - FINEST / 2 < share < 1 else f"{float(share):.1%}"


# ---------------------------------------------------------------------- questions
WIDTH = 96


def show_questions(options: SharedOptions, name: str) -> None:
    found = questions_told(options.dated_edition.model, name)
    if options.as_json:
        print_json([one.record() for one in found])
    elif name:
        _print_whole(found[0])
    else:
        for one in found:
            echo(styled(one.name, bold=True) + f": {one.says}")
            _show_example(one)
        echo("`titm questions NAME` shows the inputs of a question; the links open while `titm serve` runs")


def _print_whole(one: QuestionTold) -> None:
    echo(styled(one.name, bold=True) + (f": {one.says}" if one.says else ""))
    echo(f"  about: {one.about or 'nothing but what it takes'}")
    for name, kind, default in one.takes:
        said = default if isinstance(default, str) else json.dumps(default)
        echo(f"  takes {name}: {kind}{'' if default == MISSING else f'; if left out: {said}'}")
    for line in textwrap.wrap(f"answers {one.answer.replace('`', '')}", WIDTH):
        echo(f"  {line}")
    echo(f"  asked as: {one.form}")
    _show_example(one)


def _show_example(one: QuestionTold) -> None:
    for line in filter(None, (one.example, one.board)):
        echo(f"  {line}")


def trace_piece(options: SharedOptions, piece: str, place: str, route: str, out: Path | None) -> int:
    """Print the trace of a piece; 0 if it has a route to its goal, 1 if not."""
    subject, pieces = replace(options, words=[piece] if piece else ()).subject
    if len(pieces) != 1:
        raise bad("one piece traces", "PIECE", "name it by its id", "missing-field")
    case = subject.open(options.rules)
    piece, place = case.meant(pieces[0], "PIECE", PIECE), case.meant(place, "--at", PLACE) if place else ""
    verdict = choice_listing.trace_verdict(case, piece, place, route)
    if out is not None:
        from titm_rules.render.overlays import draw_trace
        from titm_rules.render.pictures import write_picture

        write_picture(out, draw_trace(case, verdict, piece, place))
    if options.as_json:
        print_answer(verdict.to_dict())
    else:
        show_trace(verdict)
        if out is not None:
            echo(f"picture: {out}")
    return 0 if verdict.witness.get("route") else 1


def show_lines(options: SharedOptions, of: str, kinds: Sequence[str], route: str, top: int, reach: bool) -> int:
    """Print what holds the traces of a piece or of sides together; 1 if some have none."""
    subject, words = replace(options, words=[of] if of else ()).subject
    case = subject.open(options.rules)
    position = Position.from_dict(case.data, case.edition, case.situation)
    meant = [one if position.names_a_side(one) else case.meant(one, "of", PIECE) for one in words]
    found = [
        supply_lines(position, one, route=route, kinds=kinds, top=top, reach=reach, at="")
        for one in (meant or position.sides)
    ]
    if options.as_json:
        told = [one.to_dict() for one in found]
        print_answer({"answer": told[0] if words else {"sides": told}})
    else:
        for one in found:
            _show_lines(one, case.edition.date)
    return ILLEGAL if any(one.lost for one in found) else LEGAL


def _show_lines(found: SupplyLines, edition: str) -> None:
    echo(styled(f"{found.of}: {found.route} ({edition})", bold=True))
    if found.places or found.connections:
        by = f", by {', '.join(found.connections)}" if found.connections else ""
        echo(f"  every trace passes {', '.join(found.places) or 'no one place'}{by}")
    if found.pieces:
        echo(f"  {found.sentence}")
    for one in found.cuts:
        echo(f"    {_losses(one)}")
    for heading, cuts in (("one loss cuts off", found.pockets), ("without a trace", found.restores)):
        if cuts:
            echo(f"  {heading}:")
        for one in cuts:
            echo(f"    {', '.join(one.pieces)}: {_losses(one)}")
    if found.lost_for_good:
        echo(f"  without a trace, whatever is undone: {', '.join(found.lost_for_good)}")


def _losses(cut: Cut) -> str:
    told = []
    for loss in cut.losses:
        able = None if cut.reach is None else ", ".join(cut.reach[loss]) or "nobody now"
        told.append(loss.text if able is None else f"{loss.text} [{able}]")
    return f"{'; '.join(told)} ({', '.join(cut.clauses)})"


PARTLY = "not all orders of the stacks were looked at: there may be others"


def _stacks(case: Case, position: Position, text: str) -> list[tuple[list[str], list[str]]]:
    """Read a stack and its ends. The name of a formation means each of its pieces that stands, which may part."""
    pieces, places = parse_stack(text, "STACK")
    ends = [case.meant(one, "STACK", PLACE) for one in places]
    standing = [name for name, unit in position.units.items() if unit["place"] is not None]
    parts = group_named(pieces[0], standing) if len(pieces) == 1 else []
    if len(parts) > 1:
        return [([name], ends) for name in parts]
    return [([case.meant(one, "STACK", PIECE) for one in pieces], ends)]


def show_joint(options: SharedOptions, stacks: Sequence[str], against: bool, top: int) -> int:
    """Print the ways in which stacks can all move; 1 if there is none."""
    subject, words = replace(options, words=stacks).subject
    case = subject.open(options.rules)
    position = Position.from_dict(case.data, case.edition, case.situation)
    meant = [stack for one in words for stack in _stacks(case, position, one)]
    found = joint_moves(position, meant, top=top, against=against, at="")
    if options.as_json:
        print_answer({"answer": found.to_dict()})
        return LEGAL if found.plans else ILLEGAL
    for plan in found.plans:
        echo(styled(f"{', '.join(plan.ends)}: cost {plan.cost} ({case.edition.date})", bold=True))
        echo(f"  {'; '.join(plan.actions) or 'they are there'}")
    if found.plans:
        if not found.is_all:
            more = f"more than {top}; --top lists more" if len(found.plans) == top else PARTLY
            echo(f"({more})", to_error=True)
        return LEGAL
    why = f", after `{found.stopped_by}`" if found.stopped_by else ""
    echo(styled(f"These cannot all move so{why} ({case.edition.date}):", bold=True))
    for stack in found.stacks:
        echo(f"  {stack}")
    for number in found.clauses:
        echo(f"    {number}: {case.edition.clauses[number].says}")
    if not found.is_all:
        echo(f"({PARTLY})", to_error=True)
    return ILLEGAL


def show_trace(verdict: Verdict) -> None:
    show_verdict(verdict)
    for name, route in verdict.witness.items():
        echo(f"  {name}: {flat(route)}")
