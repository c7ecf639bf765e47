"""Two editions side by side, and a file asked of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from titm_rules.compare.answers import Bench
from titm_rules.compare.find import read_search
from titm_rules.compare.here import Here, difference, differences_in, lost_between, not_asked
from titm_rules.compare.rules import ModelPair
from titm_rules.editions.named import edition_on
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.case import Case, Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.oracle.subject import Subject


@dataclass(frozen=True)
class Compared:
    """Two editions that are compared, or an edition and what house rules make of one."""

    first: Edition
    second: Edition

    @property
    def pair(self) -> ModelPair:
        """Their rules."""
        return ModelPair(self.first.model, self.second.model)

    @property
    def labels(self) -> tuple[str, str]:
        """How they are cited."""
        return self.first.label, self.second.label


def compared(first: str, second: str, overlays: Sequence[str] = (), game: str = "") -> Compared:
    """Take the rules of a game in force on two dates; house rules go on top of the second.

    Raises:
        InputError: for a missing edition, a date before all editions, or an unknown overlay.
    """
    if not (first and second):
        fix = "name them, or give --find --all-questions to compare all"
        raise bad("two editions are compared", "A B", fix, "missing-field")
    one, other = (edition_on(date, game) for date in (first, second))
    return Compared(Edition(one, game=game), Edition(other, game=game, overlays=tuple(overlays)))


@dataclass(frozen=True)
class FileCompared:
    """What two editions make of the situation of a file.

    Attributes:
        two: the editions, with the special rules of a scenario on both.
        found: where they differ.
        not_asked: questions whose input cannot be listed here.
        lost: by question, the clauses behind it whose older words are lost, each with the sheet that has it anew.
    """

    two: Compared
    found: tuple[Here, ...]
    not_asked: tuple[str, ...] = ()
    lost: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def compare_file(two: Compared, subject: Subject, names: Sequence[str] = ()) -> FileCompared:
    """Compare two editions in the situation of a file, in all questions or in those that are named.

    A file that asks a question of its own is compared on that question alone.

    Raises:
        InputError: for a file that cannot be used in either edition.
    """
    case = subject.open(Rules(two.second.date, overlays=two.second.overlays, game=two.second.game))
    two = _with_special_rules(two, case)
    if case.query and not names:
        lost = lost_between(two.pair, case.situation, [case.query])
        return FileCompared(two, tuple(_one_question(two, case)), lost=lost)
    data = Position.from_dict(case.data, case.edition, case.situation).world.data
    search = read_search(two.second.game)
    found = tuple(differences_in(two.pair, case.situation, data, search, names))
    left = tuple(not_asked(two.pair, case.situation, data, search, names))
    return FileCompared(two, found, left, lost_between(two.pair, case.situation, names))


def _with_special_rules(two: Compared, case: Case) -> Compared:
    """Lay the special rules of a scenario over both editions; house rules go on top of the second."""
    special = case.edition.overlays[: len(case.edition.overlays) - len(two.second.overlays)]
    return Compared(replace(two.first, overlays=special), case.edition) if special else two


def _one_question(two: Compared, case: Case) -> Iterator[Here]:
    inputs = case.full_input(case.query)
    asked = case.edition.ask(case.query, inputs)
    found = difference(two.pair, Bench(case.situation, asked.world.data), asked.question, asked.raw)
    if found is not None:
        yield found
