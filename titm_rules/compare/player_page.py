"""What changed at the table between two editions, for players: a page by chapter, words first."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from titm_rules.catalog import default_game
from titm_rules.compare.corpus import CHANGE, GAME, SCENARIO, SITUATION, CaseChange
from titm_rules.compare.documents import COMMAND, HEADING, Document, Marked, Section
from titm_rules.compare.edition_diff import (
    ADDED,
    CHANGED,
    READ,
    REMOVED,
    REWORDED,
    ClauseDifference,
    Compared,
    both_texts,
    whole_if_unlike,
)
from titm_rules.compare.results import PLAY
from titm_rules.compare.rule_pair import Json
from titm_rules.editions.clause_index import chapter_titles, in_printed_order, printed_chapter, printed_number
from titm_rules.ir.model import ClauseInfo, Model

WORDS = {ADDED: "new", REMOVED: "gone", CHANGED: "changed", READ: "same words, read otherwise"}
APPLIED = "same words, applied otherwise"
PAGE = 440  # words of the clauses that a page shows in full
NAMED = 12  # clauses of one kind that are only named
YES_NO = ("Yes", "No")


@dataclass(frozen=True)
class ShownClause:
    """A clause that decides something else, and the case that shows it best."""

    info: ClauseInfo
    difference: ClauseDifference
    case: CaseChange | None
    shown_by: str = ""  # the number of a clause before it that shows the same case

    @property
    def number(self) -> str:
        return printed_number(self.info)

    @property
    def how(self) -> str:
        one = self.difference
        is_same = not any(sign for sign, _ in (*one.words, *one.title))
        return APPLIED if one.how == CHANGED and is_same else WORDS[one.how]

    @property
    def step(self) -> str:
        """How it changed, and which number it had."""
        before, now = self.difference.numbers
        return f"{self.how}, {before} before" if before and now and before != now else self.how

    @property
    def heading(self) -> str:
        return f"{self.number} {self.info.title} ({self.step})"

    @property
    def words(self) -> Sequence[tuple[str, str]]:
        """Its words, with what only one edition has; of a clause that only one has there is nothing to mark."""
        words = whole_if_unlike(self.difference.words)
        return words if len({sign for sign, _ in words}) > 1 else [("", text) for _, text in words]

    @property
    def example(self) -> str:
        """Say what the case shows; empty without one."""
        if self.shown_by:
            of = self.shown_by
            same = f"See {of}, which is about the same matter."
            return same if self.case is None else f"The position of {of} shows it."
        case = self.case
        if case is None:
            return ""
        named = f"The {case.kind} {case.name}: " if case.kind in (SITUATION, SCENARIO, GAME) else ""
        about = f"{case.name}. " if case.kind == CHANGE else named
        asked = "" if case.kind == CHANGE and case.question == PLAY else f"{_sentence(case.asked)} "
        return f"{about}{asked}Before: {_sentence(case.before)} Now: {_sentence(case.after)}"

    @property
    def length(self) -> int:
        """How many words it takes."""
        return len(f"{self.heading} {' '.join(text for _, text in self.words)} {self.example}".split())

    def record(self) -> Json:
        case = None if self.case is None else self.case.record()
        words = [list(run) for run in self.words]
        return {"clause": self.info.id, "number": self.number, "how": self.how, "words": words, "case": case}


def _sentence(text: str) -> str:
    text = text or "legal"
    return text if text.endswith((".", "!", "?")) else f"{text}."


class PlayerPage:
    """What changes at the table between two editions; `changes` are known cases that they answer differently.

    If there are too many clauses for a page, those that a case shows come first, and others are only named.
    """

    def __init__(self, two: Compared, differences: Sequence[ClauseDifference], changes: Sequence[CaseChange]) -> None:
        self.two, self.differences, self.changes = two, differences, changes
        self.infos = {**two.first.clauses, **two.second.clauses}

    @cached_property
    def _told(self) -> dict[str, ShownClause]:
        """The clauses that decide something else, in printed order, each with its case."""
        decides = set(self.two.pair.changed())
        best = {one.clause: (one, self._plainest(one.clause)) for one in self.differences if one.how in WORDS}
        best = {clause: (one, case) for clause, (one, case) in best.items() if case is not None or clause in decides}
        seen: dict[tuple[str, str], str] = {}
        found = {}
        for info in in_printed_order(self.infos[clause] for clause in best):
            difference, case = best[info.id]
            if case is None:
                shown = (other for other, (_, known) in best.items() if known is not None)
                shared = (other for other in shown if self._shares(difference, best[other][0]))
                found[info.id] = ShownClause(info, difference, None, self._number(next(shared, "")))
            else:
                key = case.name, case.asked
                found[info.id] = ShownClause(info, difference, case, seen.get(key, ""))
                seen.setdefault(key, found[info.id].number)
        return found

    def _number(self, clause: str) -> str:
        return printed_number(self.infos[clause]) if clause else ""

    def _shares(self, one: ClauseDifference, other: ClauseDifference) -> bool:
        """Whether clauses of one chapter, or a new one and one that is gone, share a matter besides what events do."""
        both = self.two.pair.matters(one.clause) & self.two.pair.matters(other.clause)
        is_near = printed_chapter(self.infos[one.clause]) == printed_chapter(self.infos[other.clause])
        is_instead = {one.how, other.how} == {ADDED, REMOVED}
        heads = {**self.two.first.model.heads, **self.two.second.model.heads}
        return (is_near or is_instead) and any(heads[key].mode != "effects" for key in both)

    @cached_property
    def clauses(self) -> list[ShownClause]:
        """The clauses to show in full, in printed order: as many as a page holds."""
        ranked = sorted(self._told.values(), key=lambda one: (one.case is None, bool(one.shown_by)))
        left, found = PAGE, set[str]()
        for one in ranked:
            left -= one.length
            found |= {one.info.id} if left >= 0 or not found else set()
        return [one for one in self._told.values() if one.info.id in found]

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        return chapter_titles(self.infos.values())

    def _chapter(self, one: ShownClause) -> str:
        chapter = printed_chapter(one.info)
        return self._titles.get(chapter, chapter)

    @property
    def chapters(self) -> list[tuple[str, list[ShownClause]]]:
        return [(title, list(some)) for title, some in groupby(self.clauses, key=self._chapter)]

    def _plainest(self, clause: str) -> CaseChange | None:
        """Choose the case that shows a clause best: it decides alone, people chose it, and little has to be said."""

        def rank(one: CaseChange) -> tuple[object, ...]:
            is_plain = one.before.startswith(YES_NO) and one.after.startswith(YES_NO)
            length = len(one.asked + one.before + one.after)
            return len(one.cause.clauses), one.kind != CHANGE, not one.opens, not is_plain, length

        return min((one for one in self.changes if clause in one.cause.clauses), key=rank, default=None)

    def readings(self, one: ShownClause) -> Iterator[str]:
        """Say of a clause that is read otherwise how it was read, and how it is now."""
        named = [text.partition(":")[0] for text in one.difference.readings] if one.difference.how == READ else []
        for name in named:
            before, now = (_reading(edition.model, name) for edition in self.two.editions)
            question = next(model.readings[name].question for model in self._models if name in model.readings)
            yield f"{question} Before: {before}. Now: {now}."

    @property
    def _models(self) -> tuple[Model, Model]:
        return self.two.first.model, self.two.second.model

    def command(self, case: CaseChange) -> str:
        """Write the command that shows a case under both editions; empty for one that has no name."""
        if not case.opens or case.kind == GAME:
            return ""
        words = ["titm", "legal" if case.question == PLAY else "check", case.opens]
        first, second = self.two.editions
        words += [] if second.game == default_game() else ["--game", second.game]
        if not second.overlays and case.question != PLAY:
            return shlex.join([*words, "--edition", f"{first.date},{second.date}"])
        return shlex.join([*words, "--edition", second.date, *(f"--overlay={one}" for one in second.overlays)])

    def _command(self, one: ShownClause) -> str:
        return "" if one.case is None or one.shown_by else self.command(one.case)

    def rest(self) -> Iterator[str]:
        """Name the clauses that are not shown: for which there is no room, no case or no effect, or no older words."""
        full = {one.info.id for one in self.clauses}
        more = [f"{one.heading}" for clause, one in self._told.items() if clause not in full]
        if more:
            yield f"Changed too: {'; '.join(more)}."
        words = [one.clause for one in self.differences if one.how in WORDS and one.clause not in self._told]
        lost = [one.clause for one in self.differences if one.how == REWORDED]
        shown = {one.number for one in self._told.values() if one.example}
        bare = [one.info.id for one in self._told.values() if one.number not in shown]
        for what, clauses in (
            ("No position in the lists shows", bare), ("Other words, but nothing else is decided", words),
            ("Restated by a sheet, the older words are lost", lost),
        ):  # fmt: skip
            infos = in_printed_order(self.infos[one] for one in clauses)
            numbers = list(dict.fromkeys(map(printed_number, infos)))
            rest = f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else ""
            if numbers:
                yield f"{what}: {', '.join(numbers[:NAMED])}{rest}."

    def document(self) -> Document:
        sections = [Section(title, [self._text(one) for one in some]) for title, some in self.chapters]
        rest = list(self.rest())
        sections += [Section("Besides", rest)] if rest else []
        data = {"editions": self.two.labels, "clauses": [one.record() for one in self.clauses]}
        intro = "" if sections else "Nothing changes at the table."
        head = ("chapter", "clause", "how", "words before", "words after", "at the table", "look at")
        rows = [self._row(one) for one in self._told.values()]
        rows += [("Besides", "", "", "", "", text, "") for text in rest]
        table = Section("", (), head, rows)
        return Document(f"What changes for players: {self.two.title}", sections, data, intro, table)

    def _row(self, one: ShownClause) -> Sequence[str]:
        shown = " ".join(text for text in (*self.readings(one), one.example) if text)
        clause = f"{one.number} {one.info.title}"
        return self._chapter(one), clause, one.step, *both_texts(one.difference.words), shown, self._command(one)

    def _text(self, one: ShownClause) -> Marked:
        """Write a clause: its number and title, its words, and what to look at."""
        command = self._command(one)
        lines = [("", text) for text in (*self.readings(one), one.example) if text]
        lines += [(COMMAND, command)] if command else []
        return [(HEADING, one.heading), ("", "\n"), *one.words, *(run for line in lines for run in (("", "\n"), line))]


def _reading(model: Model, name: str) -> str:
    reading = model.readings.get(name)
    if reading is None:
        return "this was not a question"
    chosen = model.reading(name)
    return dict(zip(reading.choices, reading.texts, strict=True)).get(chosen or "", chosen or "it was open")
