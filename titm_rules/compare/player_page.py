"""What changed at the table between two editions, for players: a page by chapter, words first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from titm_rules.compare.corpus import CaseChange
from titm_rules.compare.documents import Document, Marked, Section
from titm_rules.compare.edition_diff import ADDED, CHANGED, READ, REMOVED, REWORDED, ClauseDifference, Compared
from titm_rules.editions.clause_index import chapter_of, chapter_titles, in_printed_order, natural_key, printed_number
from titm_rules.ir.model import ClauseInfo

WORDS = {ADDED: "new", REMOVED: "gone", CHANGED: "changed", READ: "read otherwise"}
LONGEST = 60  # clauses that a page shows in full


def player_page(two: Compared, differences: Sequence[ClauseDifference], changes: Sequence[CaseChange]) -> Document:
    """Show the clauses that changed, by chapter; `changes` are known cases, of which each clause shows the plainest.

    If there are too many for a page, those with a case, and those that decide something, come before the others.
    """
    infos = {**two.first.clauses, **two.second.clauses}
    shown = {one: _plainest(changes, one.clause) for one in differences if one.how in WORDS}
    decides = set(two.pair.changed())
    ranked = sorted(shown, key=lambda one: (shown[one] is None, one.clause not in decides, natural_key(one.clause)))
    told = {one.clause: one for one in ranked[:LONGEST] if shown[one] is not None or one.clause in decides}
    titles, chapters = chapter_titles(infos.values()), dict[str, list[Marked]]()
    for info in in_printed_order(infos[clause] for clause in told):
        chapter = chapter_of(printed_number(info))
        one = told[info.id]
        chapters.setdefault(chapter, []).extend(_lines(info, one, shown[one]))
    sections = [Section(f"{name} {titles.get(name, '')}".strip(), texts) for name, texts in chapters.items()]
    sections += _rest(differences, told, infos)
    first, second = two.labels
    data = {
        "editions": two.labels,
        "clauses": [
            {"clause": one.clause, "number": printed_number(infos[one.clause]), "how": WORDS[one.how],
             "words": [list(run) for run in one.words], "case": case.record() if (case := shown[one]) else None}
            for one in told.values()
        ],
    }  # fmt: skip
    intro = "" if sections else "Nothing changes at the table."
    return Document(f"What changes for players from {first} to {second}", sections, data, intro)


def _plainest(changes: Iterable[CaseChange], clause: str) -> CaseChange | None:
    """Choose the case that shows a clause best: it decides alone, and little has to be said."""
    fitting = (one for one in changes if clause in one.cause.clauses)
    return min(fitting, key=lambda one: (len(one.cause.clauses), len(one.asked + one.before + one.after)), default=None)


def _lines(info: ClauseInfo, one: ClauseDifference, case: CaseChange | None) -> Iterator[Marked]:
    """Write a clause: its number and title, its words, and what to look at."""
    words = one.words if len({sign for sign, _ in one.words}) > 1 else [("", text) for _, text in one.words]
    yield (("", f"{printed_number(info)} {info.title} ({WORDS[one.how]}):"), *words)
    if case is not None:
        yield f"Look at {case.kind} {case.name}: {case.asked} Before: {case.before} Now: {case.after}"


def _rest(
    differences: Sequence[ClauseDifference], told: dict[str, ClauseDifference], infos: dict[str, ClauseInfo]
) -> list[Section]:
    """Name the clauses that are not shown in full: their words changed without effect, or the older ones are lost."""
    words = [one.clause for one in differences if one.how in WORDS and one.clause not in told]
    lost = [one.clause for one in differences if one.how == REWORDED]
    texts = []
    for what, clauses in (("Changed in words only", words), ("Restated, the older words are lost", lost)):
        numbers = dict.fromkeys(printed_number(info) for info in in_printed_order(infos[one] for one in clauses))
        texts += [f"{what}: {', '.join(numbers)}."] if numbers else []
    return [Section("Besides", texts)] if texts else []
