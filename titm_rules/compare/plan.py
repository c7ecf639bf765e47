"""Plan a sheet: what it changes in known cases, what nothing exercises, and what is said otherwise in its words.

A sheet is a file of amendments, the folder of an edition that follows another, or simply two editions. Nothing is said
of a question without how it is known: proved, searched up to a size, or only seen in the cases that were asked.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from titm_rules.catalog import VOCABULARY_FILE, game_folder, game_of_file, ships
from titm_rules.compare import counterexamples, edition_diff, results, rule_pair
from titm_rules.compare.all_pairs import find_differences
from titm_rules.compare.corpus import (
    CHANGED,
    KINDS,
    NOT_ASKED,
    SAME,
    TEST,
    CaseChange,
    CorpusCase,
    CorpusRun,
    case_of_test,
    special_rules,
)
from titm_rules.compare.counterexamples import SAME_CLAUSES, Known, TellSearched, read_search, silent
from titm_rules.compare.documents import Document, Marked, Section
from titm_rules.compare.edition_diff import (
    ClauseDifference,
    Compared,
    ReadingDifference,
    clause_differences,
    compared,
    offered_text,
    reading_differences,
)
from titm_rules.compare.playout import legal_in, play_result, with_courses
from titm_rules.compare.prove import OPEN as NOT_PROVED
from titm_rules.compare.prove import QuestionProof, prove_pair
from titm_rules.compare.results import NOT_FOUND, PLAY, PROVED, Counterexample, QuestionResult
from titm_rules.compare.rule_pair import NARROWER, OTHERWISE, WIDER, Json, ModelPair, relation
from titm_rules.compare.sheet_notes import notes_on
from titm_rules.compare.varied_cases import KnownCase
from titm_rules.diagnostics import Fault, InputError, TitmError, moved_to
from titm_rules.editions.cache import cached
from titm_rules.editions.house_rules import HouseRules, overlay_file, overlay_seen_from
from titm_rules.editions.registry import FOLLOWS, list_editions
from titm_rules.editions.rule_files import amended_edition, edition_of, named_game, refuse_empty
from titm_rules.editions.sources import parse_files, rules_in
from titm_rules.files import find_files, unsaved
from titm_rules.formats.file_schemas import SearchFile
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.position import Position
from titm_rules.oracle.testing import RuleTest, load_tests

# Exit codes, beside 0 (nothing changes but what the sheet's own tests say), 1 (one of these fails) and 2 (bad input).
CHANGES, OPEN = 4, 5
ONE_FOUND = {  # in cases and searches, without a proof that the other is nowhere
    NARROWER: f"{NARROWER} found, {WIDER} not", WIDER: f"{WIDER} found, {NARROWER} not",
}  # fmt: skip
# Situations that a first search asks of each kind of world and of games, and those of recorded games.
BUDGET, NODES, VISITED = 200, 40, 100


# ---------------------------------------------------------------------- sheets
TEXT = "sheet"  # the name of a sheet that has none


@dataclass(frozen=True)
class Sheet:
    """What is planned: two editions, and the files of tests that came with the newer one."""

    two: Compared
    name: str
    tests: tuple[Path, ...] = ()
    texts: Mapping[Path, str] = field(default_factory=dict)  # of files that are none


def open_sheet(first: str, second: str = "", on: str = "", game: str = "") -> Sheet:
    """Open a file of amendments or a folder of them, the folder of a declared edition, or two editions.

    A file, and a folder that no `game.rules` declares, amend the edition `on`, or the newest one in which all clauses
    are in force that they amend. Raises `InputError` for what is not a sheet, and `RulesetError` for rules with faults.
    """
    if second and on:
        raise bad("two editions are compared, and a third is named", "--edition", "leave it out", "unexpected-field")
    if second:
        return Sheet(compared(first, second, game=game), f"{first} to {second}")
    path = Path(first)
    if path.is_dir():
        return _open_folder(path, on, game)
    if not path.exists() and any(info.name == first for info in list_editions(game)):
        raise bad(f"`{first}` is an edition", "SHEET", "name the edition to compare it with, too", "missing-field")
    try:
        file = overlay_file(first, game)
    except InputError as error:
        raise moved_to(error, "--overlay", "SHEET") from None
    tests = path.with_suffix(".yaml")
    return Sheet(_amended([first], [file], on, game), path.stem, (tests,) if tests.is_file() else ())


def _amended(names: Sequence[str], files: Sequence[Path], on: str, game: str) -> Compared:
    """Compare the edition that a sheet amends with what it makes of it. Raises `InputError` for an empty one."""

    def named() -> list[str | None]:
        sources = parse_files(files)
        refuse_empty(sources, names[0])
        return [named_game(sources)]

    def amended() -> list[str]:
        return [amended_edition(parse_files(files), game)]

    [found] = cached(game_folder(game), "named", files, list, named)  # the cache knows files that take long to read
    game = game_of_file(files[0], found, game)
    [newest] = [on] if on else cached(game_folder(game), "amended", files, list, amended)
    return compared(newest, "", tuple(names), game)


def open_text(text: str, on: str, game: str) -> Sheet:
    """Open a text of amendments over an edition, as one that no file holds. Raises as `open_sheet` does."""
    rules = HouseRules(TEXT, text)
    two = Compared(Edition(on, game=game), Edition(on, game=game, overlays=(rules,)))
    return Sheet(two, TEXT, texts={Path(str(rules)).resolve(): text})


def _open_folder(path: Path, on: str, game: str) -> Sheet:
    files, tests = rules_in(path), tuple(find_files(path, "tests/*.yaml"))
    if not files or (path / VOCABULARY_FILE).is_file():
        why = "it is that of a game" if files else "it holds no rule file"
        raise bad(f"`{path}` is not the folder of a sheet", "SHEET", "name the folder of an edition", "no-file", why)
    home, name = edition_of(path / files[0].name)
    if not name:
        game = game or (str(home.parent) if (home.parent / VOCABULARY_FILE).is_file() else "")
        return Sheet(_amended(list(map(str, files)), files, on, game), path.resolve().name, tests)
    infos = {info.name: info for info in list_editions(str(home))}
    earlier = [info.name for info in infos.values() if info.dated < infos[name].dated]
    base = infos[name].base if infos[name].basis == FOLLOWS else "".join(earlier[-1:])
    if not (on or base):
        what, why = f"nothing comes before the edition `{name}`", "a plan compares it with the rules before it"
        raise bad(what, "SHEET", "name another edition with --edition", "unknown-edition", why)
    return Sheet(compared(on or base, name, game=str(home)), name, tests)


# ---------------------------------------------------------------------- plans
@dataclass(frozen=True)
class QuestionPlan:
    """How the answers to one question, or the course of play, change."""

    question: str
    relation: str
    how: str
    clauses: Sequence[str] = ()  # those that differ on something that it depends on


@dataclass(frozen=True)
class OwnTest:
    """A test that came with the sheet: whether it passes, and whether it did before."""

    name: str
    clause: str
    passes: bool
    passed: bool
    trouble: str = ""


@dataclass
class Plan:
    """All that is known of a sheet."""

    sheet: Sheet
    pair: ModelPair
    clauses: list[ClauseDifference]
    run: CorpusRun
    readings: list[ReadingDifference] = field(default_factory=list)  # that the sheet opens or settles
    tests: list[OwnTest] = field(default_factory=list)
    not_run: int = 0  # tests of the sheet that are of other editions
    searches: dict[str, QuestionResult] = field(default_factory=dict)
    proofs: dict[str, QuestionProof] = field(default_factory=dict)  # of questions on which clauses differ
    notes: list[Fault] = field(default_factory=list)

    @property
    def changed(self) -> list[str]:
        """The clauses whose sentences decide something otherwise."""
        return self.pair.changed()

    def decided(self) -> Counter[str]:
        """Count for each clause in how many cases it makes a difference."""
        return Counter(clause for change in self.run.changes for clause in change.cause.clauses)

    def smallest(self, clause: str) -> tuple[str, Counterexample] | None:
        """Give the smallest situation that a search found in which a clause decides, with its question."""
        found = ((name, one) for name, result in self.searches.items() for one in result.found)
        deciding = (it for it in found if clause in it[1].cause.clauses)
        return min(deciding, default=None, key=lambda it: (it[0] == PLAY, it[1].length))

    def found_cases(self) -> list[CaseChange]:
        """Give the smallest situations in which clauses decide that do so in no known case, as changed cases."""
        run = CorpusRun(self.sheet.two)
        for clause in self.idle:
            found = self.smallest(clause)
            if found is not None and found[0] != PLAY:
                name, one = found
                about = {one.situation: dict(one.data)} if one.situation else {}
                where = _notation(self.sheet.two, one)
                run.ask_all([CorpusCase("situation", where, name, {**one.inputs, **about})])
            elif found is not None:
                told = map(results.told_outcome, (found[1].first, found[1].second))
                line = f"played: {', '.join(found[1].line)}" if found[1].line else "What is legal?"
                run.changes.append(_played(_notation(self.sheet.two, found[1]), line, tuple(told), found[1]))
        return run.changes

    @property
    def idle(self) -> list[str]:
        """The changed clauses that decide in no case that was asked."""
        decided = self.decided()
        return [clause for clause in self.changed if clause not in decided]

    @property
    def open(self) -> list[str]:
        """The changed clauses that decide neither in a case nor in a situation that was searched."""
        return [clause for clause in self.idle if self.smallest(clause) is None]

    @property
    def expected(self) -> set[str]:
        """The clauses that make a difference in a test of the sheet's own."""
        return {one.clause for one in self.tests if one.passes and not one.passed}

    @property
    def beyond(self) -> list[CaseChange]:
        """The changes in other cases than tests of the sheet's own that none of these announces."""
        return [one for one in self.run.changes if one.kind != TEST and not one.cause.clauses <= self.expected]

    @property
    def exit_code(self) -> int:
        if any(not one.passes for one in self.tests):
            return results.DIFFERENT
        if self.beyond:
            return CHANGES
        return OPEN if self.idle or self.notes else results.ALIKE

    def questions(self) -> Iterator[QuestionPlan]:
        """Say of every question how it changes and how that is known."""
        pair = self.pair
        for question in pair.second.questions.values():
            if question.name not in pair.first.questions:
                yield QuestionPlan(question.name, "new", PROVED)
            elif pair.is_same_for(question):
                yield QuestionPlan(question.name, rule_pair.EQUIVALENT, f"{PROVED}: {SAME_CLAUSES}")
            else:
                yield self._known(question.name, pair.changed_for(question))
        played = pair.changed(pair.played)
        if played:
            yield self._known(PLAY, played)
        elif pair.second.events:
            yield QuestionPlan(PLAY, rule_pair.EQUIVALENT, f"{PROVED}: {SAME_CLAUSES}")

    def seen(self, name: str) -> tuple[bool, bool]:
        """Say whether more is allowed of a question in some known case, and whether less is."""
        changes = [one for one in self.run.changes if one.question == name]
        return any(one.more for one in changes), any(one.less for one in changes)

    def known_of(self, name: str, clauses: Iterable[str]) -> Known:
        """Give what a proof and the known cases say of a question, which no search need find again."""
        proved = self.proofs[name].relation if name in self.proofs else ""
        if proved == rule_pair.EQUIVALENT:
            return Known(True, True, frozenset(clauses))
        more, less = self.seen(name)
        decided = frozenset(clauses).difference(self.idle)
        return Known(more or proved == NARROWER, less or proved == WIDER, decided)

    def directions(self, name: str) -> tuple[bool, bool]:
        """Say whether more is allowed of a question in some case or in a situation that was searched, and less."""
        (more, less), result = self.seen(name), self.searches.get(name)
        if result is not None:
            alike = self.searches.get(result.like, result) if result.how == results.LIKE else result
            more, less = more or alike.directions[0], less or alike.directions[1]
        return more, less

    def _known(self, name: str, clauses: Sequence[str]) -> QuestionPlan:
        number = sum(change.question == name for change in self.run.changes)
        result, proof = self.searches.get(name), self.proofs.get(name)
        differ = bool(number) or (result is not None and result.relation == OTHERWISE)
        found = relation(*self.directions(name), differ)
        told = [f"seen in {number} case{'s' * (number != 1)}" if number else "no case changes"]
        if proof is not None and found in (rule_pair.EQUIVALENT, proof.relation):
            return QuestionPlan(name, proof.relation, "; ".join([str(proof), *told * bool(number)]), clauses)
        if result is None:
            told.append("not searched")
        else:
            searched = f"{PROVED}: {result.proof}" if result.proof else results.extent(result)
            told = [*told * bool(number), searched]
        if found == rule_pair.EQUIVALENT:
            found = results.UNKNOWN if result is None else result.verdict
            if found == rule_pair.EQUIVALENT and result is not None and not result.proof:
                found = NOT_FOUND
        if result is None or not result.proof:
            found = ONE_FOUND.get(found, found)
        return QuestionPlan(name, found, "; ".join(told), clauses)

    def record(self) -> Json:
        """Give everything as JSON values."""
        smallest = {clause: self.smallest(clause) for clause in self.idle}
        found = {
            clause: None if one is None else {"question": one[0], **asdict(one[1]), "cause": one[1].cause.listed}
            for clause, one in smallest.items()
        }
        asked = [
            {"kind": kind, "outcome": outcome, "cases": number} for (kind, outcome), number in self.run.asked.items()
        ]
        return {
            "sheet": self.sheet.name, "editions": self.run.two.labels,
            "clauses": [asdict(one) for one in self.clauses],
            "readings": [asdict(one) for one in self.readings], "asked": asked, "not_asked": self.run.refused,
            "changes": [one.record() for one in self.run.changes], "beyond": len(self.beyond),
            "decided": {clause: self.decided()[clause] for clause in self.changed}, "smallest": found,
            "questions": [asdict(one) for one in self.questions()], "tests": [asdict(one) for one in self.tests],
            "tests_not_run": self.not_run,
            "notes": [asdict(one) | {"where": str(one.where)} for one in self.notes],
            "exit_code": self.exit_code,
        }  # fmt: skip


def _notation(two: Compared, found: Counterexample) -> str:
    """Write a situation on one line, with which other commands can be asked about it."""
    if not found.situation:
        return ""
    return Position.from_dict(dict(found.data), two.second, found.situation).notation


def _played(name: str, asked: str, told: tuple[str, ...], found: Counterexample) -> CaseChange:
    before, after = told
    return CaseChange("situation", name, PLAY, asked, before, after, found.first, found.second, found.cause, True, True)


def make_plan(
    sheet: Sheet, cases: Iterable[CorpusCase], tests: Sequence[Path] = (), search: bool = True,
    tell: TellSearched = silent,
) -> Plan:  # fmt: skip
    """Ask all cases before and after, run the sheet's own tests, and search for what no case shows."""
    two = sheet.two
    pair = rule_pair.side_by_side(two.pair)
    with unsaved(sheet.texts):
        differences = clause_differences(pair)
    plan = Plan(sheet, pair, differences, CorpusRun(two), reading_differences(pair))
    here, game, own_files = two.second.date, two.second.game, two.second.overlays
    told = [one for path in (*sheet.tests, *tests) for one in load_tests(path, game, own_files)]
    own = [replace(one, edition=here) for one in told if not one.text.editions or one.edition == here]
    plan.not_run = len({one.text.where for one in told} - {one.text.where for one in own})
    plan.tests += [_run(test, two) for test in own]
    cases = list({one.key: one for one in (*cases, *map(case_of_test, own))}.values())
    plan.run.ask_all(cases)
    if search:
        with suppress(InputError):  # without a solver nothing more is proved
            proofs = prove_pair(pair, [one.name for one in pair.second.questions.values() if pair.changed_for(one)])
            plan.proofs.update((it.question, it) for it in proofs.questions.values() if it.relation != NOT_PROVED)
        _search(plan, cases, tell)
    with unsaved(sheet.texts):
        plan.notes += notes_on(pair)
    return plan


def show_clauses(two: Compared, cases: Sequence[CorpusCase], search: bool = False, tell: TellSearched = silent) -> Plan:
    """Ask cases until each changed clause decides in one, those about it first; search for what none shows if asked.

    Of editions that ship the lists have a case for nearly every clause, so that others are only asked if searched.
    """
    pair = rule_pair.side_by_side(two.pair)
    plan = Plan(Sheet(two, ""), pair, clause_differences(pair), CorpusRun(two))
    changed, is_listed = set(plan.changed), ships(two.second.game) and not two.second.overlays
    near = [case for case in cases if changed & {*case.clauses}]
    plan.run.ask_all(near)
    if plan.idle and (search or not is_listed):
        plan.run.ask_all(case for case in cases if case not in near)
    if search and plan.idle:
        _search(plan, cases, tell)
    return plan


def _search(plan: Plan, cases: Sequence[CorpusCase], tell: TellSearched) -> None:
    """Search every question that may change, then play, if a clause is left that has decided nothing."""
    pair, worlds = plan.pair, read_search(plan.sheet.two.second.game)
    bearing = {
        one.name: clauses for one in pair.second.questions.values()
        if one.name in pair.first.questions and (clauses := pair.changed_for(one))
    }  # fmt: skip
    known = {name: plan.known_of(name, clauses) for name, clauses in bearing.items()}
    known = {name: one for name, one in known.items() if not one.is_all(bearing[name])}
    names = list(known)
    # The longer search is for what the shorter one leaves open.
    like = [KnownCase(one.query, one.inputs, one.clauses) for one in cases if one.query]
    for budget, near in ((BUDGET, []), (counterexamples.BUDGET, like)):
        if names:
            found = find_differences(pair, worlds, names, tell, budget=budget, known=known, cases=near)
            plan.searches.update((one.question, one) for one in found)
        unknown = {name for name in names if name not in plan.proofs and not any(plan.directions(name))}
        names = [name for name in names if name in unknown or {*plan.open} & {*bearing[name]}]
    left = [clause for clause in plan.open if pair.events_of(clause)]
    if left and with_courses(worlds, pair.second).play:
        plan.searches[PLAY] = play_result(pair, with_courses(worlds, pair.second), tell, NODES)
    _look_round(plan, left)
    _ask_others(plan, worlds, tell)


def _ask_others(plan: Plan, worlds: SearchFile, tell: TellSearched) -> None:
    """Ask every question that is not known both ways about what was found for others, and which actions are legal."""

    def found() -> list[Counterexample]:
        asked = (result.found for name, result in plan.searches.items() if name != PLAY)
        return [one for some in asked for one in some if one.situation]

    questions, others = plan.pair.second.questions, found()
    known = {name: plan.known_of(name, result.clauses) for name, result in plan.searches.items() if name != PLAY}
    run = counterexamples.PairRun(plan.pair, worlds, tell, known=known)
    for name, before in known.items():
        result, (more, less) = plan.searches[name], plan.directions(name)
        if result.how == results.SEARCHED and not ((more or before.more) and (less or before.less)):
            about = [one for one in others if one.situation == questions[name].situation and one not in result.found]
            run.ask_about(result, about)
    playable = [one for one in found() if any(it.situation == one.situation for it in plan.pair.second.events.values())]
    if playable and plan.pair.changed(plan.pair.played) and not all(plan.directions(PLAY)):
        plan.searches[PLAY] = legal_in(plan.pair, playable, plan.searches.get(PLAY))


def _look_round(plan: Plan, left: Sequence[str]) -> None:
    """Compare legal actions in recorded games, until play is known to change and no clause of `left` is open."""
    asked, clauses = 0, plan.pair.changed(plan.pair.played)

    def is_known() -> bool:
        searched = plan.searches.get(PLAY)
        plays = any(one.question == PLAY for one in plan.run.changes)
        plays = plays or (searched is not None and searched.relation != rule_pair.EQUIVALENT)
        return plays and not set(plan.open) & {*left}

    while clauses and asked < VISITED and not is_known():
        plan.run.look_round(asked, VISITED)
        asked += 1
    if asked:
        result = plan.searches.setdefault(PLAY, QuestionResult(PLAY, results.SEARCHED, clauses=clauses))
        result.searches.append(results.Search("situations of recorded games", None, asked, given=True))


def _run(test: RuleTest, two: Compared) -> OwnTest:
    """Run a test under both editions, with the special rules that it names besides the sheet."""

    def passes(number: int) -> tuple[bool, str]:
        try:
            special = special_rules(test, two)
            edition = two.editions[number]
            edition = replace(edition, overlays=(*special, *edition.overlays)) if special else edition
            edition = edition.with_readings(dict(test.text.readings))
            got, wanted = test.ask(edition), test.demanded
        except TitmError as error:
            return False, error.faults[0].what
        text = "" if got == wanted else f"wanted {json.dumps(wanted)}, got {json.dumps(got)}"
        return got == wanted, text

    now, trouble = passes(1)
    return OwnTest(str(test), test.text.clause, now, passes(0)[0], trouble)


# ---------------------------------------------------------------------- cases to keep
def kept_case(plan: Plan, clause: str, file: Path) -> Mapping[str, Any] | None:
    """Give the smallest situation in which a clause decides as a test for a file, in the form of `titm test`.

    Nothing for a clause without one, and for a difference in the course of play.
    """
    found = plan.smallest(clause)
    if found is None or found[0] == PLAY:
        return None
    name, one = found
    second = plan.sheet.two.second
    question = second.questions[name]
    inputs = {**one.inputs, **({question.situation: one.data} if question.situation else {})}
    answer = {key: value for key, value in second.answer(name, inputs).items() if key != "sha256"}
    words = [shlex.quote(f"{key}={_word(value)}") for key, value in one.inputs.items() if value is not None]
    named = [overlay_seen_from(one, file, second.game) for one in second.overlays]
    overlays = {"overlays": named} if named else {}
    situation = {"with": dict(one.data)} if question.situation else {}
    text = {**situation, "ask": " ".join([name, *words]), "expect": answer}
    return {"clause": clause, "edition": second.date, **overlays, "tests": [{f"{clause} decides": text}]}


def _word(value: object) -> str:
    return json.dumps(value) if isinstance(value, dict | list | bool) else str(value)


# ---------------------------------------------------------------------- the page
WHOLE = "titm plan -o FILE has all"
SHOWN, MANY, FEW = 3, 20, 6  # changes of one question by the same clauses; clauses of one kind; choices


def plan_page(plan: Plan, whole: bool = False) -> Document:
    """Write a plan as a report, with all changed cases or the first ones; its data are the record of the plan."""
    _, after = plan.run.two.labels
    differ, cases = len(plan.clauses), len(plan.run.changes)
    changes = [
        *_section("Clauses", _clause_lines(plan, differ if whole else MANY)),
        *_section("What changes", [*_change_lines(plan, cases if whole else SHOWN), *_asked_lines(plan)]),
    ]  # fmt: skip
    others = [
        *_test_sections(plan),
        *_section("Cases in which changed clauses decide", (_decided(plan, clause, whole) for clause in plan.changed)),
        *_question_sections(plan, after),
        *_section("Notes", (note.render() for note in plan.notes)),
    ]  # fmt: skip
    title = f"{plan.run.two.title}: {differ or 'no'} clause{'s' * (differ != 1)} differ{'s' * (differ == 1)}"
    table = Section("", (), ("section", "what", "before", "after", "clauses"), list(_table_rows(plan, others)))
    return Document(title, [*changes, *others], plan.record(), table=table)


def _table_rows(plan: Plan, others: Iterable[Section]) -> Iterator[Sequence[Marked]]:
    """Write a plan as the rows of one table."""
    for one in plan.clauses:
        yield "Clauses", one.how, *edition_diff.both_texts(one.words), one.clause
    for reading in plan.readings:
        yield "Clauses", f"reading {reading.name}", *map(offered_text, reading.defaults, reading.offered), ""
    for case in plan.run.changes:
        asked = f"{case.question}, {case.kind} {case.name}: {case.asked}"
        yield "What changes", asked, case.before or "legal", case.after or "legal", str(case.cause)
    yield from (("What changes", text, "", "", "") for text in _asked_lines(plan))
    for section in others:
        yield from ((section.title, text, "", "", "") for text in section.texts)
        yield from ((section.title, what, "", f"{now}: {how}", by) for what, now, how, by in section.rows)


def _section(title: str, texts: Iterable[str]) -> list[Section]:
    """A section, unless it has no text."""
    return [Section(title, lines)] if (lines := list(texts)) else []


def _clause_lines(plan: Plan, most: int) -> Iterator[str]:
    for how in edition_diff.counts(plan.clauses):
        named = [one.clause for one in plan.clauses if one.how == how]
        if named:
            rest = f" and {len(named) - most} more" if len(named) > most else ""
            yield f"{how}: {', '.join(named[:most])}{rest}"
    for reading in plan.readings:
        before, after = map(offered_text, reading.defaults, reading.offered)
        yield f"reading {reading.name}: {before}, then {after}"


def _change_lines(plan: Plan, most: int) -> Iterator[str]:
    changes = sorted(plan.run.changes, key=lambda one: (one.question, str(one.cause)))
    for (question, cause), group in groupby(changes, key=lambda one: (one.question, str(one.cause))):
        same = list(group)
        lines = [f"{question}, by {cause}: {len(same)} case{'s' * (len(same) != 1)}"]
        for one in same[:most]:
            lines.append(f"{one.kind} {one.name}: {one.asked}")
            lines += [f"  before: {one.before or 'legal'}", f"  after:  {one.after or 'legal'}"]
        more = [f"and {len(same) - most} more; {WHOLE}"] if len(same) > most else []
        yield "\n".join([*lines, *more])


def _asked_lines(plan: Plan) -> Iterator[str]:
    if not plan.run.changes:
        yield "no known case changes"
    yield f"asked before and after: {_asked(plan.run)}"
    yield from (f"cannot be asked: {name}: {why}" for name, why in plan.run.refused.items())
    if plan.run.changes:
        every = len(plan.run.changes)
        yield f"{every - len(plan.beyond)} of {every} changed cases are announced by tests of the sheet"


def _asked(run: CorpusRun) -> str:
    """Say how many cases were asked, by kind, and of how many it is proved that nothing changes."""
    told = []
    for kind in KINDS:
        counts = {outcome: number for (of, outcome), number in run.asked.items() if of == kind}
        number = sum(counts.values())
        if number:
            rest = ", ".join(f"{counts[one]} {one}" for one in (CHANGED, SAME, NOT_ASKED) if counts.get(one))
            told.append(f"{number} {kind}{'s' * (number != 1)}" + (f" ({rest})" if rest else ""))
    return "; ".join(told) or "nothing was asked"


def _test_sections(plan: Plan) -> Iterator[Section]:
    failed = [one for one in plan.tests if not one.passes]
    left, many = plan.not_run, plan.not_run > 1
    rest = [f"{left} test{'s' * many} not run: of {'other editions' if many else 'another edition'}"] if left else []
    if plan.tests or rest:
        title = f"Tests of the sheet: {len(plan.tests)}, {len(failed) or 'none'} failed"
        yield Section(title, [*(f"{one.name}: {one.trouble}" for one in failed), *rest])


def _decided(plan: Plan, clause: str, whole: bool) -> str:
    """Say in how many cases a clause decides; of one that decides in none, the smallest situation in which it does.

    Of many choices that only one edition has the first are listed, or all if the `whole` plan is written.
    """

    def only(value: object) -> str:
        if whole or not isinstance(value, list) or len(value) <= FEW:
            return results.brief(value)
        return f"{results.brief(value[:FEW])} and {len(value) - FEW} more; {WHOLE}"

    number, found = plan.decided()[clause], plan.smallest(clause)
    if number:
        return f"{clause}: {number}"
    if found is None:
        asked = sum(one.asked for one in plan.searches.values())
        known = f"nor in {asked:,} situations that were searched" if plan.searches else "and nothing was searched"
        return f"{clause}: none, {known}"
    name, one = found
    lines = [f"{clause}: none; the smallest situation found is of {name} (--keep FILE writes it as a test)"]
    lines += results.situation(one.data)
    lines += [f"asked: {results.brief(dict(one.inputs))}"] if one.inputs else []
    lines += [f"played: {', '.join(one.line)}"] if one.line else []
    return "\n".join([*lines, f"only before: {only(one.first)}", f"only after:  {only(one.second)}"])


def _question_sections(plan: Plan, after: str) -> Iterator[Section]:
    rows = list(plan.questions())
    alike = [one.question for one in rows if one.how == f"{PROVED}: {SAME_CLAUSES}"]
    others = [
        (one.question, one.relation, one.how, ", ".join(one.clauses)) for one in rows if one.question not in alike
    ]
    told = [f"The same, proved, as no clause behind them changes: {', '.join(alike)}."] if alike else []
    yield Section("Questions", told, ("question", f"{after} is", "known by", "clauses"), others)
