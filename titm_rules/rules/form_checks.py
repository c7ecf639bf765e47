"""Checks over forms and what asks them: what only an allocation knows, traces, and what a form needs to be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from titm_rules.diagnostics import Span
from titm_rules.rules.model import Allocation, Event, Form, Head, Question, Roll, Route, View, head_key
from titm_rules.rules.rests import Rests, answer_terms, form_terms, part_terms, question_terms, sentence_terms
from titm_rules.rules.schema import Schema
from titm_rules.rules.terms import Call, Term, subterms

# Of each kind of form: what clauses have to say, and how one writes it.
_NEEDED = {
    Route: (("cost", "what a step of it costs", "costs ..."), ("points", "how much it may cost", "has ... points")),
    Roll: (("factor", "what die succeeds", "succeeds on ..."),),
}


@dataclass
class FormChecks:
    """The checks on forms; faults go to the schema."""

    schema: Schema
    heads: Mapping[str, Head]
    forms: Mapping[str, Form]
    questions: Mapping[str, Question]
    events: Mapping[str, Event]
    views: Mapping[str, View]

    @cached_property
    def _rests(self) -> Rests:
        return Rests(self.heads, self.forms, self.schema.records)

    def check(self) -> None:
        """Check all that asks a form."""
        self._check_picks()
        for called, span in self._called():
            if isinstance(self.forms[called.head], Route):
                self._check_trace(called, span)
        for form in self.forms.values():
            self._check_needs(form)

    # ------------------------------------------------------------------ how often something was picked
    def _check_picks(self) -> None:
        """Refuse to ask how often something was picked where no allocation picks such things."""
        for key, head in self.heads.items():
            form = self.forms.get(key.partition(".")[0])
            if "." not in key and not isinstance(form, Route | Roll):
                continue  # a definition is asked by others, and these are checked
            picked = {form.target[1].name} if isinstance(form, Allocation) else set()
            for sentence in head.sentences:
                self._check_counts(sentence_terms(sentence), sentence.span, picked)
        for terms, span in self._outside():
            self._check_counts(terms, span, set())

    def _check_counts(self, terms: Iterable[Term], span: Span, picked: set[str]) -> None:
        strange = sorted(self._rests.picks_of(terms) - picked)
        if strange:
            self.schema.faults.add(
                f"nothing picks a {strange[0]} here", span,
                "how often something has been picked so far is known only to the allocation that picks it",
                "ask it in a clause on what that allocation may not choose",
            )  # fmt: skip

    # ------------------------------------------------------------------ traces
    def _check_trace(self, called: Call, span: Span) -> None:
        """Refuse to trace a route that needs more than a mover and places, or that leads nowhere."""
        name = called.head
        route = self.forms[name]
        if isinstance(route, Route) and route.given:
            self.schema.faults.add(
                f"`{name}` cannot be traced", span,
                f"it is given {', '.join(given for given, _ in route.given)}, and a trace gives a mover and a place",
                f"write `cost of {name} (with ...)` or `ends of {name} (with ...)`, or declare a route of its own",
            )  # fmt: skip
        elif isinstance(route, Route) and route.ranks:
            self.schema.faults.add(
                f"`{name}` cannot be traced", span, "it prefers some ways to others, and a trace asks for any way",
                f"write `cost of {name} (with ...)` or `ends of {name} (with ...)`",
            )  # fmt: skip
        elif len(called.args) == 2 and not self.heads[head_key(name, "goal")].statements:
            self.schema.faults.add(
                f"`{name}` leads nowhere", span, "no clause says where it ends, so there is never a way",
                f"write `{name} ends when ...`",
            )  # fmt: skip

    def _called(self) -> Iterator[tuple[Call, Span]]:
        """Yield the calls of routes that expressions trace and of rolls that they ask, with where that is written."""
        said = ((sentence_terms(one), one.span) for head in self.heads.values() for one in head.sentences)
        for terms, span in (*said, *self._outside()):
            for part in (inner for term in terms for inner in subterms(term)):
                if isinstance(part, Call) and part.head in self.forms:
                    yield part, span

    # ------------------------------------------------------------------ what a form needs
    def _check_needs(self, form: Form) -> None:
        """Refuse a form of which clauses do not say what it takes to answer for it."""
        for word, what, written in _NEEDED.get(type(form), ()):
            if not self.heads[head_key(form.name, word)].statements:
                self.schema.faults.add(
                    f"no clause says {what}: `{form.name}`", self.schema.spans[form.name],
                    "it could not be answered for", f"write `{form.name} {written}` in a clause",
                )  # fmt: skip

    # ------------------------------------------------------------------ outside of clauses
    def _outside(self) -> Iterator[tuple[list[Term], Span]]:
        """Yield the terms that questions, views, events and forms hold, each with where they are declared."""
        spans = self.schema.spans
        for question in self.questions.values():
            yield list(question_terms(question)), spans[question.name]
        for name, view in self.views.items():
            yield list(answer_terms(view.answers)), spans[name]
        for event in self.events.values():
            yield [term for part in event.parts for term in part_terms(part)], spans[event.name]
        for form in self.forms.values():
            yield list(form_terms(form)), spans[form.name]
