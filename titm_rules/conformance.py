"""Conformance: ask an oracle cases whose answers are known, and report on it.

Every failure of the oracle (silence, exit, output that is not an answer, endless output) becomes a message.
"""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from titm_rules.catalog import CONFORMANCE_FOLDER, default_game, files_of, game_name
from titm_rules.diagnostics import TitmError, cut
from titm_rules.editions.clause_index import chapter_of, natural_key
from titm_rules.files import MAX_BYTES, read_text
from titm_rules.formats.case_files import conformance_cases, read_cases
from titm_rules.formats.safe_json import bad, parse_json
from titm_rules.service.records import Request

# ---------------------------------------------------------------------- referee
SECONDS = 60.0
ENDING_SECONDS = 2.0
TOLD_LINES, TOLD_BYTES, SHOWN = 20, 2_000, 80


class NoAnswerError(Exception):
    """Raised if a program gives no readable answer; the text describes its output instead."""


def command_of(text: str) -> list[str]:
    """Split a command line into words, as shells do; one without words, or with an open quotation, is refused."""
    try:
        words = shlex.split(text, posix=sys.platform != "win32")
    except ValueError as error:
        raise bad(f"this is not a command: {str(error).lower()}", "--against", "close the quotation mark") from None
    if not words:
        raise bad("no command is named", "--against", 'write it in quotes, as --against "python my_referee.py"')
    return words


class SubprocessOracle:
    """A program (`command`, without a shell) asked request after request, and started again after a failure.

    One answer may take `seconds`, the start of the program included; a line of its at most `max_bytes`.
    """

    def __init__(self, command: Sequence[str], seconds: float = SECONDS, max_bytes: int = MAX_BYTES) -> None:
        self.command = list(command)
        self.seconds = seconds
        self.max_bytes = max_bytes
        self._running: _Running | None = None

    def __enter__(self) -> SubprocessOracle:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Give the answer to a request, its frame checked. Raises `NoAnswerError` (the program is stopped then)."""
        if self._running is None:
            self._running = _Running(self.command, self.max_bytes)
        try:
            line = self._running.exchange(json.dumps(request).encode() + b"\n", self.seconds)
            return checked_reply(line, request.get("id"))
        except NoAnswerError:
            self.stop(0)
            raise

    def stop(self, patience: float = ENDING_SECONDS) -> None:
        """Stop the program, if it runs: its input ends, and after so many seconds it is killed."""
        running, self._running = self._running, None
        if running is not None:
            running.stop(patience)


class _Running:
    """A program that runs, with threads that read what it writes, so that no pipe fills up."""

    def __init__(self, command: Sequence[str], max_bytes: int) -> None:
        pipe = subprocess.PIPE
        try:  # no shell: the words are the user's own
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its name cannot be one of a program"
            fix = "name a program that can be run, with its arguments"
            raise bad(f"cannot start `{cut(command[0])}`: {reason}", "--against", fix, "no-file") from None
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process, self.stdin, self.max_bytes = process, process.stdin, max_bytes
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.told: deque[bytes] = deque(maxlen=TOLD_LINES)
        readers = ((self._read_answers, process.stdout), (self._read_errors, process.stderr))
        self.threads = [threading.Thread(target=target, args=(stream,), daemon=True) for target, stream in readers]
        for thread in self.threads:
            thread.start()

    def _read_answers(self, stream: IO[bytes]) -> None:
        """Queue the lines that it writes; the first that is too long is the last that is read."""
        line = b"\n"
        with suppress(OSError, ValueError):
            while line.endswith(b"\n"):
                line = stream.readline(self.max_bytes + 1)
                self.lines.put(line)

    def _read_errors(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while line := stream.readline(TOLD_BYTES):
                self.told.append(line)

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a line and wait for the next that comes back; a `NoAnswerError` says why no whole line came in time."""
        threading.Thread(target=self._send, args=(line,), daemon=True).start()  # a full pipe would hold it up
        try:
            answer = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise NoAnswerError(f"no answer within {seconds:g} seconds") from None
        if answer.endswith(b"\n"):
            return answer
        if len(answer) > self.max_bytes:
            raise NoAnswerError(f"the answer is over {self.max_bytes} bytes")
        raise NoAnswerError(self._ended("in the middle of an answer" if answer else "without an answer"))

    def _send(self, line: bytes) -> None:
        with suppress(OSError, ValueError):
            self.stdin.write(line)
            self.stdin.flush()

    def _close(self) -> None:
        with suppress(OSError, ValueError):
            self.stdin.close()

    def _ended(self, when: str) -> str:
        """Say how the program has ended, with its last line on standard error."""
        try:
            code = self.process.wait(ENDING_SECONDS)
            self.threads[1].join(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return f"the program closed its output {when}"
        last = b"".join(self.told).decode("utf-8", "replace").strip().splitlines()
        return f"the program ended {when} (exit code {code})" + (f": {excerpt(last[-1])}" if last else "")

    def stop(self, patience: float) -> None:
        threading.Thread(target=self._close, daemon=True).start()  # what is still being sent would hold it up
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self.threads:
            thread.join(ENDING_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None and not any(thread.is_alive() for thread in self.threads):
                stream.close()


def checked_reply(line: bytes, identity: object) -> dict[str, Any]:
    """Read an answer line and check its frame; a `NoAnswerError` says what is wrong with it."""
    try:
        reply = parse_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise NoAnswerError("the answer is not UTF-8") from None
    except TitmError as error:
        first = error.faults[0].what if error.faults else str(error)
        raise NoAnswerError(f"the answer is not JSON ({first}): {excerpt(line.decode('utf-8'))}") from None
    if not isinstance(reply, dict):
        raise NoAnswerError(f"the answer is not a JSON object: {excerpt(line.decode('utf-8'))}")
    if "id" not in reply or reply["id"] != identity:
        given = excerpt(json.dumps(reply.get("id"))) if "id" in reply else "none"
        raise NoAnswerError(f"the answer has another `id` than the request: {given}")
    if reply.get("ok") is True and isinstance(reply.get("answer"), dict):
        return reply
    fault = reply.get("error")
    if reply.get("ok") is False and isinstance(fault, dict) and isinstance(fault.get("kind"), str):
        return reply
    raise NoAnswerError("the answer has neither `ok` true with an `answer`, nor `ok` false with an `error` of a `kind`")


def excerpt(text: str) -> str:
    """Cut a text of a program for a message, on one line, what cannot be printed escaped."""
    plain = text.strip().encode("unicode_escape").decode("ascii")
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN]}..."


PASSED, FAILED, NOT_ANSWERED, BROKEN, NOT_ASKED = "passed", "failed", "not answered", "no answer", "not asked"
OUTCOMES = (PASSED, FAILED, NOT_ANSWERED, BROKEN, NOT_ASKED)
NOT_KNOWN = ("unknown-query", "unknown-edition", "unknown-game")
MAX_TROUBLE = 3  # after so many cases in a row without an answer the others are not asked
WITHIN = "."  # a name such as `refused.line` under `expected` leads into the answer
AskOracle = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True)
class CaseResult:
    """The result of one case."""

    identity: str  # its id; `number` and `title` stand in the list of cases, `clauses` are those that it is about
    query: str
    outcome: str
    expected: Mapping[str, Any]  # what the answer must give
    got: Mapping[str, Any]  # the answer line; empty if there was none
    number: str = ""
    title: str = ""
    game: str = ""
    edition: str = ""
    clauses: tuple[str, ...] = field(default=())
    trouble: str = ""  # why there was none, or what is wrong with the answer; empty if it agrees


def wanted_cases(file: Path | None, game: str | None, edition: str | None) -> list[dict[str, Any]]:
    """Read the cases of a file, or those that ship, of one game and edition or of all; none is an `InputError`."""
    cases = read_cases(file) if file else conformance_cases(game or default_game())
    named = game and game_name(game)
    found = [case for case in cases if named in (None, "", case["game"]) and edition in (None, case["edition"])]
    if not found:
        what = "no case belongs to this game and edition" if game or edition or not file else "the file holds no case"
        raise bad(what, str(file or "conformance"), kind="no-case")
    return found


# ---------------------------------------------------------------------- putting cases
def judge_cases(cases: Iterable[Mapping[str, Any]], ask: AskOracle) -> Iterator[CaseResult]:
    """Put cases one by one; after several without an answer in a row the others are not asked."""
    trouble = 0
    for case in cases:
        if trouble >= MAX_TROUBLE:
            yield _result(case, NOT_ASKED, {}, f"no case was asked after {MAX_TROUBLE} in a row had no answer")
            continue
        result = judge_case(case, ask)
        trouble = trouble + 1 if result.outcome == BROKEN else 0
        yield result


def judge_case(case: Mapping[str, Any], ask: AskOracle) -> CaseResult:
    """Put a case and compare; an answer agrees if it gives every expected value, and cites what must be cited."""
    request = {name: value for name, value in case.items() if name in Request.model_fields}
    if request.get("game") == default_game():
        del request["game"]
    try:
        got = ask(request)
    except NoAnswerError as error:
        return _result(case, BROKEN, {}, str(error))
    if got["ok"]:
        trouble = disagreement(case, got["answer"])
        return _result(case, FAILED if trouble else PASSED, got, trouble)
    kind = got["error"]["kind"]
    return _result(case, NOT_ANSWERED if kind in NOT_KNOWN else FAILED, got, f"an error of kind {kind}")


def disagreement(case: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """Describe how an answer disagrees with the expected one; empty if it agrees."""
    for name, value in case["expected"].items():
        found = _within(answer, name)
        if found is _Missing or not same(found, value):
            return f"`{name}` is missing" if found is _Missing else f"`{name}` differs"
    cited = _within(answer, "refused.clauses")
    missing = [one for one in case.get("cites", ()) if not isinstance(cited, list) or one not in cited]
    return f"`refused.clauses` does not name {missing[0]}" if missing else ""


class _Missing:
    """Marks a value that an answer lacks."""


def _within(answer: object, name: str) -> object:
    """Find the value of a name in an answer; a name with full stops leads into what it holds."""
    for part in [name] if isinstance(answer, dict) and name in answer else name.split(WITHIN):
        if not isinstance(answer, dict) or part not in answer:
            return _Missing
        answer = answer[part]
    return answer


def same(one: object, other: object) -> bool:
    """Whether two JSON values are the same; true is not 1, as it is in Python."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def _result(case: Mapping[str, Any], outcome: str, got: Mapping[str, Any], trouble: str = "") -> CaseResult:
    told = {name: str(case.get(name, "")) for name in ("number", "title", "game", "edition")}
    clauses = tuple(map(str, case.get("clauses", ())))
    return CaseResult(
        str(case["id"]), str(case["query"]), outcome, case["expected"], got, clauses=clauses, trouble=trouble, **told
    )


def tally(results: Iterable[CaseResult]) -> dict[str, dict[str, int]]:
    found = list(results)
    queries = sorted({result.query for result in found})
    return {query: tally_cases(result for result in found if result.query == query) for query in queries}


# ---------------------------------------------------------------------- compliance
VERSION_FILE = "version.txt"
UNSORTED = "-"  # the chapter of cases that name no clause
MAX_SHOWN_CHARACTERS = 400
OutcomeCounts = dict[str, int]


def version_of_cases(game: str) -> str:
    found = files_of(game, f"{CONFORMANCE_FOLDER}/{VERSION_FILE}")
    return read_text(found[0], "version").strip() if found else ""


def report(results: Sequence[CaseResult], of: str, version: str = "") -> dict[str, Any]:
    """Report on a run of cases against `of`, such as a program; `version` is that of the list of cases.

    `complies` says whether all passed; `chapters` have counts and those of their `clauses`; `convicted` are cases that
    failed or had no answer, `left` those not answered or not asked, by outcome. A case that is about several clauses
    counts for each, in a chapter once.
    """
    chapters: dict[str, list[CaseResult]] = {}
    for result in results:
        for name in dict.fromkeys(map(chapter_of, result.clauses)) or [UNSORTED]:
            chapters.setdefault(name, []).append(result)
    return {
        "of": of,
        "version": version,
        "cases": len(results),
        "counts": tally_cases(results),
        "complies": all(result.outcome == PASSED for result in results),
        "chapters": [_chapter(name, chapters[name]) for name in sorted(chapters, key=natural_key)],
        "convicted": [_convicted(result) for result in results if result.outcome in (FAILED, BROKEN)],
        "left": {
            outcome: [result.identity for result in results if result.outcome == outcome]
            for outcome in (NOT_ANSWERED, NOT_ASKED)
        },
    }


def tally_cases(results: Iterable[CaseResult]) -> OutcomeCounts:
    found = Counter(result.outcome for result in results)
    return {name: found[name] for name in OUTCOMES}


def _chapter(name: str, results: Sequence[CaseResult]) -> dict[str, Any]:
    clauses = {clause for result in results for clause in result.clauses if chapter_of(clause) == name}
    told = {
        clause: tally_cases(result for result in results if clause in result.clauses)
        for clause in sorted(clauses, key=natural_key)
    }
    return {"chapter": name, "counts": tally_cases(results), "clauses": told}


def _convicted(result: CaseResult) -> dict[str, Any]:
    got = dict(result.got)
    return {
        "number": result.number, "title": result.title, "id": result.identity, "edition": result.edition,
        "query": result.query, "clauses": list(result.clauses), "outcome": result.outcome, "why": result.trouble,
        "expected": dict(result.expected), "got": got.get("answer", got.get("error")),
    }  # fmt: skip


# ---------------------------------------------------------------------- as a page
def page(told: Mapping[str, Any]) -> str:
    counts = told["counts"]
    parts = [
        "# Compliance report\n",
        f"Tested: `{told['of']}`" + (f", with version {told['version']} of the cases." if told["version"] else "."),
        "",
        f"{told['cases']} cases: {_in_words(counts)}. {_judgement(counts)}\n",
        _table(told["chapters"]),
    ]
    if told["convicted"]:
        parts += ["\n## Convicted by\n", *map(_entry, told["convicted"])]
    for outcome, names in told["left"].items():
        parts += [f"\n## Cases that were {outcome}\n", ", ".join(names)] if names else []
    return "\n".join(parts) + "\n"


def _judgement(counts: OutcomeCounts) -> str:
    if counts[FAILED] or counts[BROKEN]:
        return "It does not comply."
    return "It complies." if counts[PASSED] == sum(counts.values()) else "What it answers complies."


def _in_words(counts: OutcomeCounts) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "none"


def _table(chapters: Iterable[Mapping[str, Any]]) -> str:
    lines = [f"| chapter, clause | {' | '.join(OUTCOMES)} |", f"| --- |{' ---: |' * len(OUTCOMES)}"]
    for chapter in chapters:
        lines.append(_row(f"**{chapter['chapter']}**", chapter["counts"]))
        lines += [_row(clause, counts) for clause, counts in chapter["clauses"].items()]
    return "\n".join(lines)


def _row(name: str, counts: OutcomeCounts) -> str:
    return f"| {name} | {' | '.join(str(counts[outcome] or '') for outcome in OUTCOMES)} |"


def _entry(case: Mapping[str, Any]) -> str:
    name = " ".join(part for part in (case["number"], case["title"] or case["id"]) if part)
    lines = [
        f"- **{name}** ({case['edition']}, `{case['query']}`, clauses {', '.join(case['clauses']) or 'not named'}):",
        f"  {case['outcome']}, {case['why']}",
        f"    - expected `{_short(case['expected'])}`",
    ]
    return "\n".join([*lines, *([f"    - got `{_short(case['got'])}`"] if case["got"] is not None else [])])


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False).replace("`", "'")
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}..."
