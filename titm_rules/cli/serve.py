"""`titm oracle`, `serve`, `lsp` and `mcp`: the servers; and `titm conform`, which asks one what is known."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from titm_rules import conformance
from titm_rules.catalog import default_game
from titm_rules.cli.ask import SharedOptions
from titm_rules.cli.terminal import ILLEGAL, LEGAL, echo, print_json, strip_controls, track
from titm_rules.cli.verdict_text import print_table
from titm_rules.files import MAX_BYTES, write_file
from titm_rules.formats.safe_json import bad
from titm_rules.service.capabilities import listing, reply_schemas, schemas
from titm_rules.service.protocol import Oracle

# ---------------------------------------------------------------------- servers
CHUNK = 64 * 1024


def serve_oracle(options: SharedOptions, lists: bool, shows_schemas: bool, shows_replies: bool) -> None:
    if lists or shows_schemas or shows_replies:
        shown: object = (listing if lists else schemas if shows_schemas else reply_schemas)(options.game)
        print_json(shown)
        return
    if sys.stdin is None:
        raise bad("standard input is closed", "titm oracle", "send requests there, one a line", "no-file")
    oracle = Oracle(options.engine, options.budget, options.game)
    for answer in oracle.serve(bounded_lines(sys.stdin.buffer)):
        sys.stdout.buffer.write(encoded(answer) + b"\n")
        sys.stdout.buffer.flush()


def encoded(answer: str) -> bytes:
    """Encode an answer line; one that holds half a character is escaped as JSON allows."""
    try:
        return answer.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(json.loads(answer)).encode("ascii")


def bounded_lines(stream: BinaryIO, limit: int = MAX_BYTES) -> Iterator[bytes]:
    """Yield lines of so many bytes besides their end; of a longer one the beginning, and the rest is skipped."""
    while line := stream.readline(limit + len(b"\r\n")):
        yield line
        while len(line) > 0 and not line.endswith(b"\n"):
            line = stream.readline(CHUNK)


def serve_page(
    options: SharedOptions, host: str, port: int, names: Sequence[str], origins: Sequence[str], proxies: Sequence[str],
    workers: int,
) -> None:  # fmt: skip
    """Serve over HTTP until interrupted; `names` are further names of the server, `origins` may ask too."""
    with _extra("web", "serving needs libraries that are not installed", "titm serve"):
        from titm_rules.web.messages import Settings
        from titm_rules.web.server import Endpoint, serve
    serve(Endpoint(host, port, names, origins, proxies), Settings(options.engine, options.budget), workers, echo)


def write_page(options: SharedOptions, out: Path, oracle: Path | None) -> None:
    """Write the page as static files, and say how much there is of what."""
    from titm_rules.web.site import write_site

    del options
    parts = write_site(out, oracle)
    sizes = ", ".join(f"{part} {size / 1e6:.1f} MB" for part, size in parts.items())
    echo(f"{out}: {sizes}; to look at it: python -m http.server --directory {out}")


def serve_editor(options: SharedOptions, _stdio: bool) -> None:
    del options  # a file says which game it belongs to
    with _extra("lsp", "the language server needs a library that is not installed", "titm lsp"):
        from titm_rules.lsp.server import serve
    serve()


def serve_assistant(options: SharedOptions) -> None:
    with _extra("mcp", "the server for assistants needs a library that is not installed", "titm mcp"):
        from titm_rules.mcp import serve
    serve(options.engine, options.budget, options.game)


@contextmanager
def _extra(name: str, what: str, where: str) -> Iterator[None]:
    """Import what only an extra installs. Raises `InputError` if it is not installed, with the extra to install."""
    try:
        yield
    except ImportError:
        raise bad(what, where, f"pip install 'titm_rules[{name}]'", "no-library") from None


# ---------------------------------------------------------------------- conformance
def run_cases(options: SharedOptions, path: Path | None, against: str, to: Path | None) -> int:
    """Run conformance cases, print a table and write a report (JSON if so named); 1 if one fails or has no answer."""
    cases = conformance.wanted_cases(path, options.game or None, options.edition)
    with _asked(options, against) as ask:
        results = list(track(conformance.judge_cases(cases, ask), "asking", len(cases)))
    if to is not None:
        version = "" if path else conformance.version_of_cases(options.game or default_game())
        told = conformance.report(results, against or "titm oracle", version)
        is_json = to.suffix == ".json"
        write_file(
            to, json.dumps(told, ensure_ascii=False, indent=2) + "\n" if is_json else conformance.page(told), "report"
        )
    failed = [result for result in results if result.outcome in (conformance.FAILED, conformance.BROKEN)]
    if options.as_json:
        print_json({"cases": len(results), "queries": conformance.tally(results), "failed": [vars(r) for r in failed]})
    else:
        _show(results, failed)
    return ILLEGAL if failed else LEGAL


@contextmanager
def _asked(options: SharedOptions, against: str) -> Iterator[conformance.AskOracle]:
    if not against:
        yield Oracle(options.engine, game=options.game).ask
        return
    with conformance.SubprocessOracle(conformance.command_of(against), options.seconds) as referee:
        yield referee.ask


def _show(results: list[conformance.CaseResult], failed: list[conformance.CaseResult]) -> None:
    counts = Counter(result.outcome for result in results)
    shown = [
        name
        for name in conformance.OUTCOMES
        if counts[name] or name in (conformance.PASSED, conformance.FAILED, conformance.NOT_ANSWERED)
    ]
    rows = ((query, *(str(row[name] or "") for name in shown)) for query, row in conformance.tally(results).items())
    print_table(("query", *shown), rows)
    for result in failed:
        name = f"{result.identity} ({result.number} {result.title})" if result.number else result.identity
        echo(strip_controls(f"{result.outcome}: {name}: {result.trouble}"))
        if result.outcome == conformance.FAILED:
            echo(f"  expected {json.dumps(result.expected)}")
            echo(f"  got      {strip_controls(json.dumps(result.got)[:400])}")
    echo(", ".join(f"{counts[name]} {name}" for name in shown))
    if counts[conformance.NOT_ANSWERED]:
        echo("(not answered: the rules have no such edition or question)")
    if counts[conformance.NOT_ASKED]:
        echo(f"(not asked: {results[-1].trouble})")
