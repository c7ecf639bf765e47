"""A clause does not say a rule twice: for a form, and for the event that walks, picks or rolls it."""

import pytest
from titm_rules.catalog import game_folders
from titm_rules.checker.link import link_model
from titm_rules.editions.registry import list_editions
from titm_rules.ir import model as ir
from titm_rules.ir import terms
from titm_rules.ir.applicability import condition
from titm_rules.oracle.edition import Edition
from titm_rules.syntax.parser import parse_rules

from tests.syntax.programs import ROOT


def forms_of(event):
    """Yield the forms that the parts of an event ask, with the terms of their roles."""
    for part in event.parts:
        match part:
            case ir.AblePart() | ir.GoingPart() | ir.SelectPart() | ir.PickPart():
                yield part.form, dict(part.bindings) | ({"": part.at} if isinstance(part, ir.GoingPart) else {})
            case ir.RollPart(roll=terms.Call(head=head, args=args)):
                yield head, args


def put(term, given):
    if isinstance(term, terms.Var):
        return given.get(term.name, term)
    return terms.rebuild(term, lambda part: put(part, given))


def conditions(head, given):
    """Yield each bar of a head: its clause, and the set of its conditions in the terms of the event."""
    for statement in head.statements:
        yield statement.clause, frozenset(terms.parts_of(put(condition(statement), given), "all"))


def doubled(model):
    """Yield each event and form that clauses bar for the same reason, with the clauses."""
    for event in model.events.values():
        bars = [bar for word in ("start", "happen") for bar in conditions(model.heads[f"{event.name}.{word}"], {})]
        for name, given in forms_of(event):
            form = model.forms[name]
            if isinstance(form, ir.Roll):
                given = dict(zip((role for role, _ in form.params), given, strict=True))
            elif isinstance(form, ir.Route) and "" in given:
                given[form.left] = given.pop("")
            names = (name, getattr(form, "closing", ""))
            own = [head for key, head in model.heads.items() if key.split(".")[0] in names and head.mode == "bar"]
            for clause, parts in (bar for head in own for bar in conditions(head, given)):
                for other, more in bars:
                    if parts <= more:
                        yield event.name, name, other, clause


@pytest.mark.parametrize("game", game_folders())
def test_no_clause_bars_an_event_for_what_bars_its_form(game):
    models = [Edition(edition.name, game=game).model for edition in list_editions(game)]
    assert {row for model in models for row in doubled(model)} == set()


def test_a_rule_that_is_said_twice_is_found():
    text = (ROOT / "grammar" / "good" / "37_steps.rules").read_text(encoding="utf-8")
    twice = "\n  march may not step when goal is front.\n  step may not happen when goal is front and spent is 1.\n"
    model = link_model([parse_rules(text.rstrip() + twice, "twice.rules")], "test")
    assert list(doubled(model)) == [("step", "march", "2", "2")]
