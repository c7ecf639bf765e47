"""Open the subject of a question, and put the question to every edition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from titm_rules.diagnostics import InputError
from titm_rules.editions.registry import list_editions
from titm_rules.explain.verdict import ILLEGAL, Verdict
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.case import PLACE, Case, Rules, open_case, with_default_rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position


@dataclass(frozen=True)
class Subject:
    """The base (file or name) of a question, what differs from it as a notation writes it, and the place, if any."""

    base: Path
    changes: str = ""
    at: str = ""

    def open(self, rules: Rules) -> Case:
        """Open it as a case; raises `InputError` for a bad file, changes that do not fit it, or an unknown place."""
        case = open_case(self.base, rules, self.changes)
        at = self.at or case.at
        return view_at(case, at, "--at" if self.at else f"{self.base}: $.at") if at else case


def view_at(case: Case, place: str, path: str = "--at") -> Case:
    """Return the case of one place, as a view of the rules shows it: the battle there, say.

    Raises `InputError` if the rules have no view of a place, or the place does not exist.
    """
    views = [name for name, view in case.edition.model.views.items() if view.situation == case.situation]
    wanted = case.edition.questions[case.query].situation if case.query in case.edition.questions else ""
    if wanted not in views and len(views) != 1:
        fix = f"ask about one of: {', '.join(views)}" if views else "leave the place out"
        raise bad(f"a place of a {case.situation} has no view of its own", path, fix, "bad-value")
    view = wanted if wanted in views else views[0]
    position, place = Position.from_dict(case.data, case.edition, case.situation), case.meant(place, path, PLACE)
    return replace(case, situation=view, data=position.view(view, place, path), at="")


@dataclass(frozen=True)
class Opinion:
    """What one edition says; `verdict` is none where it cannot be asked, and `error` says why.

    `changed`: the answer differs from that of the edition before. `without`: readings that were chosen but that the
    edition does not leave open; its own holds there.
    """

    edition: str
    verdict: Verdict | None
    clauses: tuple[str, ...] = ()
    error: InputError | None = None
    changed: bool = False
    without: tuple[str, ...] = ()

    @property
    def answer(self) -> Mapping[str, Any] | None:
        return None if self.verdict is None else self.verdict.answer


def ask_every(
    subject: Subject, words: Sequence[str], rules: Rules, all_readings: bool = False, editions: Sequence[str] = ()
) -> list[Opinion]:
    """Put the question of a case, or one given as words, to some editions, or to every one, oldest first.

    Where an edition does not have a choice of reading, the reading that holds in it stays. Raises `InputError` if no
    edition can answer, or none has a reading that is chosen.
    """
    found: list[Opinion] = []
    fault: InputError | None = None
    rules = with_default_rules(subject.base, rules)
    names = editions or [info.name for info in list_editions(rules.game)]
    _check_readings(rules, names)
    for name in names:
        try:
            one = _judged(subject, words, *_fitted(replace(rules, edition=name), name), all_readings)
        except InputError as error:
            fault = error
            one = Opinion(name, None, error=error)
        found.append(replace(one, changed=bool(found) and one.answer != found[-1].answer))
    if fault is not None and all(one.verdict is None for one in found):
        raise fault
    return found


def _check_readings(rules: Rules, names: Sequence[str]) -> None:
    for name, choice in rules.readings.items():
        if all(name in _fitted(replace(rules, readings={name: choice}), edition)[1] for edition in names):
            Edition(names[-1], {name: choice}, game=rules.game, overlays=tuple(rules.overlays))


def _fitted(rules: Rules, edition: str) -> tuple[Rules, tuple[str, ...]]:
    """Leave out readings that an edition does not leave open; name them."""
    known = Edition(edition, game=rules.game, overlays=tuple(rules.overlays)).model.readings
    fits = {name: one for name, one in rules.readings.items() if name in known and one in known[name].offered}
    return replace(rules, readings=fits), tuple(name for name in rules.readings if name not in fits)


def _judged(
    subject: Subject, words: Sequence[str], rules: Rules, without: tuple[str, ...], all_readings: bool
) -> Opinion:
    case = subject.open(rules)
    query, rest = case.split_words(words)
    verdict = case.edition.verdict(query, case.full_input(query, rest), all_readings)
    named = verdict.clauses
    if verdict.outcome == ILLEGAL:
        named = tuple(dict.fromkeys(finding.clause for finding in verdict.failing))
    numbers = ((clause, case.edition.clauses[clause].number) for clause in named)  # those that clauses had then
    cited = tuple(
        f"{clause} (as {number})" if number and not clause.split(":")[-1].startswith(number) else clause
        for clause, number in numbers
    )
    return Opinion(case.edition.label, verdict, cited, without=without)


def agreed(opinions: Sequence[Opinion]) -> Verdict | None:
    """Give the verdict that all editions share which can be asked; nothing if they differ."""
    verdicts = [one.verdict for one in opinions if one.verdict is not None]
    same = all((one.outcome, one.answer) == (verdicts[0].outcome, verdicts[0].answer) for one in verdicts)
    return verdicts[0] if verdicts and same else None
