"""The commands and their options as one table: a plain line is parsed from it, and `app` makes typer's commands of it.

Importing typer takes a fifth of the time of `titm check`, so it is imported only for lines that are not plain: help,
completion, faults, numbers and paths. Each command names the function that does its work, which is imported when it
is called; it takes `SharedOptions` and, by name, what else the command declares, and returns the exit code if not 0.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from titm_rules.cli.terminal import LEGAL, exit_code
from titm_rules.engines.factory import ENGINES
from titm_rules.service.budget import Budget

COMPLETING = "_TITM_COMPLETE"  # the environment in which a shell asks for completions


@dataclass(frozen=True)
class Parameter:
    """An argument, or an option if it has flags."""

    name: str  # the name of the value for the function that does the work
    help: str
    flags: str = ""  # as they are written: `-o --out`, or `--whole/--no-whole`
    _: KW_ONLY
    metavar: str | None = None
    default: Any = ""  # `...` if the value must be given; a repeated parameter has none
    kind: type | None = None  # type of the value; default: that of the default, or text
    many: bool = False  # whether it may be repeated; the value is a tuple
    least: float | None = None  # the smallest number that is accepted; `most` the largest
    most: float | None = None
    complete: str = ""  # what a shell offers, by the name of a list in `app.COMPLETIONS`
    hidden: bool = False

    @property
    def type(self) -> type:
        return self.kind or (str if self.default in ("", None, ...) else type(self.default))


@dataclass(frozen=True)
class Command:
    """A command by its words (`map list`)."""

    name: str
    work: str  # the function that does it, as `module:function`
    help: str
    params: Sequence[Parameter] = ()
    faults_as_json: bool = False  # also without `--json`

    def run(self, values: Mapping[str, Any]) -> int:
        return exit_code(lambda: self._work(values), self.faults_as_json or values.get("as_json", False))

    def _work(self, values: Mapping[str, Any]) -> int:
        from titm_rules.cli.ask import SharedOptions

        module, function = self.work.split(":")
        work: Callable[..., int | None] = getattr(import_module(f"titm_rules.cli.{module}"), function)
        shared = {name: value for name, value in values.items() if name in SharedOptions.__dataclass_fields__}
        own = {name: value for name, value in values.items() if name not in shared}
        return work(SharedOptions(**shared), **own) or LEGAL


def parse_plain(words: Sequence[str]) -> tuple[Command, dict[str, Any]] | None:
    """Parse a line of texts and flags; None if typer must: for help, faults, completion, numbers and paths."""
    if COMPLETING in os.environ or os.name == "nt":  # on Windows typer puts files in place of patterns
        return None
    length = 2 if words[:1] and words[0] in GROUPS else 1
    command = COMMANDS.get(" ".join(words[:length]))
    if command is None:
        return None
    options = {flag: param for param in command.params for flag in param.flags.partition("/")[0].split()}
    arguments = [param for param in command.params if not param.flags]
    values: dict[str, Any] = {param.name: () if param.many else param.default for param in command.params}
    left = list(words[length:])
    while left:
        word = left.pop(0)
        flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if not word.startswith("-"):
            param, value = (arguments[0] if arguments else None), word
            arguments = arguments if param and param.many else arguments[1:]
        elif (param := options.get(flag)) and param.type is not bool and not equals:
            value = left.pop(0) if left else "-"
        if param is None or param.type not in (str, bool) or value.startswith("-") or (param.type is bool and equals):
            return None
        values[param.name] = (*values[param.name], value) if param.many else True if param.type is bool else value
    return None if ... in values.values() else (command, values)


# ---------------------------------------------------------------------- options of several commands
FILE = Parameter(
    "file", "A case or a situation, as YAML or JSON; the name of one that ships; or a position on one line.",
    metavar="FILE", complete="cases",
)  # fmt: skip
QUERY = Parameter(
    "words", "The question and what it takes, as path=A,B.", metavar="[QUERY] [NAME=VALUE]...", many=True,
    complete="questions",
)  # fmt: skip
FROM = Parameter("base", "Start from a bundled position instead of FILE.", "--from", metavar="NAME", complete="cases")
SET = Parameter(
    "changes", "Changes to the position, as `18-2, UNIT@PLACE, bridge A-B blown`.", "--set", metavar="CHANGES",
    many=True,
)  # fmt: skip
AT = Parameter("at", "Ask about the situation at one place of the position: a battle.", "--at", metavar="PLACE")
GAME = Parameter(
    "game", "A game by its name, or the path of its folder; see `titm games`.", "--game", metavar="NAME",
    complete="games",
)  # fmt: skip
EDITION = Parameter(
    "edition", "Edition or date. Overrides the one in the file.", "--edition", metavar="DATE", default=None,
    complete="editions",
)  # fmt: skip
READING = Parameter("readings", "Take a reading; may be repeated.", "--reading", metavar="NAME=CHOICE", many=True)
READINGS = Parameter(
    "under", "With `all`, fix no reading: it may depend on them.", "--readings", metavar="all", default=None
)
OVERLAY = Parameter(
    "overlays", "Additional house rules, by name or file; may be repeated.", "--overlay", metavar="FILE", many=True,
    complete="overlays",
)  # fmt: skip
ENGINE = Parameter("engine", f"One of {', '.join(ENGINES)}.", "--engine", default=ENGINES[0])
EVENT = Parameter("event", "The folder of an event, by whose rules it is judged.", "--event", metavar="FOLDER")
JSON = Parameter("as_json", "Write JSON.", "--json", default=False)
ABOUT = (FILE, QUERY, FROM, SET, AT)
RULES = (GAME, EDITION, READING, OVERLAY, EVENT, ENGINE, JSON)
START = Parameter("file", "A scenario that ships, or a file with a position.", metavar="SCENARIO", default=...)
JOBS = (
    Parameter("jobs", "How many workers; -1: one for each core.", "--jobs", default=-1, least=-1),
    Parameter("backend", "Parallel backend: loky, or dask where installed; ray is deprecated.", "--backend",
              default="loky"),
    Parameter("folder", "Folder for partial results.", "--work", metavar="DIR", default=None, kind=Path),
)  # fmt: skip
RULE_FILES = Parameter("files", "Rule files; default: those that ship.", metavar="[FILE]...", kind=Path, many=True)
MAP = Parameter("name", "Name or file of a map; default: the whole board that ships.", "--map", metavar="MAP")


def _place(name: str) -> Parameter:
    return Parameter(name, "Any name, spelling or number of a place.", metavar="PLACE", default=...)


def _out(help_: str, default: object = None, metavar: str | None = None) -> Parameter:
    return Parameter("out", help_, "-o --out", metavar=metavar, default=default, kind=Path)


def _limits(what: str) -> tuple[Parameter, Parameter]:
    memory = f"Memory for one {what}, in MiB; 0: no limit."
    return (
        Parameter("seconds", f"Time for one {what}; 0: no limit.", "--seconds", default=Budget.seconds, least=0),
        Parameter("memory", memory, "--memory", metavar="MIB", default=Budget.mebibytes, least=0),
    )


_FOLDER = Parameter("place", "The folder of the event.", metavar="FOLDER", default=..., kind=Path)
_BECAUSE = Parameter("because", "The reason for the readings.", "--because", metavar="TEXT")


# ---------------------------------------------------------------------- commands
ABOUT_TITM = "Judge positions by the rules, with the clauses that decide."
GROUPS = {
    "map": "Look at maps, check and compare them, carry them to other formats.",
    "scenario": "List scenarios, show one, check them.",
    "event": "Keep the book of an event: its rules, readings that are settled, rulings.",
}
_TABLE = (
    Command("check", "ask:judge", """Check whether an action is legal, and list the clauses that forbid it.

    Exit codes: 0 legal or answered, 1 illegal, 2 bad input, 3 depends on a reading.
    """, (
        *ABOUT,
        Parameter("ruling", "Write the verdict as a file that `titm verify` asks again.", "--ruling", metavar="FILE",
                  default=None, kind=Path),
        GAME, EDITION, READING, READINGS, OVERLAY, EVENT, ENGINE, JSON,
    )),
    Command("verify", "ask:verify", """
    Ask the question of a ruling again, or check the record of a game line by line.

    Exit code 1 if a ruling does not hold, or a line of a record fails. With other rules than those of a ruling
    it says what would change.
    """, (
        Parameter("files", "Rulings (YAML or JSON), or records of games.", metavar="FILE...", kind=Path, many=True),
        Parameter("last", "The last link of the record, as you have noted it.", "--last", metavar="LINK"),
        *RULES,
    )),
    Command("why", "ask:explain", "Like check, with every finding, exception, witness and alternative.", (
        *ABOUT, GAME, EDITION, READING, READINGS, OVERLAY, EVENT, ENGINE, JSON,
    )),
    Command("legal", "listing:list_legal", """
    List the legal actions of a position, or the legal choices of a battle.

    With --where or --best the exit code is 1 if no choice meets the conditions; the answer says why.
    """, (
        *ABOUT,
        Parameter("kinds", "Only actions of this kind.", "--kind", metavar="ACTION", many=True),
        Parameter("unit", "Only those that choose this piece or place.", "--unit", metavar="ID"),
        Parameter("limit", "List at most so many.", "--limit", default=100, least=1),
        Parameter("count", "Only count them.", "--count", default=False),
        Parameter("where", "Only choices that meet this condition, as d1>a4 or `picks of a4 is at least 2`.", "--where",
                  metavar="CONDITION", many=True),
        Parameter("best", "List the best, as `most chance to destroy a4` or `most expected loss`.", "--best",
                  metavar="WHAT"),
        Parameter("against", "What is best for those who choose, against this plan of the other side, or `worst`.",
                  "--against", metavar="PLAN"),
        Parameter("top", "Of choices with conditions or the best list at most so many.", "--top", default=5, least=1),
        *RULES,
    )),
    Command("odds", "listing:show_odds", """
    Give the exact chances of losses: of one plan, or of the legal plans by expected loss.

    Exit code 1 if the plan is illegal.
    """, (
        *ABOUT,
        Parameter("plan", "Only this plan, as a1>d1,a2>d2 or d1,d3.", "--plan", metavar="PLAN"),
        Parameter("top", "Show at most so many plans.", "--top", default=10, least=1, most=1_000),
        *RULES,
    )),
    Command("trace", "listing:trace_piece", "Trace a piece's route to its goal, or show what blocks it.", (
        FILE, Parameter("piece", "Id of the piece that traces."), FROM, SET,
        Parameter("place", "Trace from here, not from where it stands.", "--at", metavar="PLACE"),
        Parameter("route", "Which route, if the rules have several.", "--route", metavar="NAME"),
        _out("Write a picture (SVG)."),
        *RULES,
    )),
    Command("lines", "listing:show_lines", """
    Say what every trace of a piece or a side passes, and the fewest losses that cut it off.

    Exit code 1 if some have no trace.
    """, (
        FILE, Parameter("of", "A piece or a side; default: each side.", metavar="[PIECE | SIDE]"), FROM, SET,
        Parameter("kinds", "Only losses of this kind, connection or place; may be repeated.", "--only", many=True,
                  metavar="KIND"),
        Parameter("route", "Which route, if the rules have several.", "--route", metavar="NAME"),
        Parameter("top", "List at most so many of each.", "--top", default=5, least=1, most=1_000),
        Parameter("reach", "Say which pieces of the side to move can cut the line now.", "--reach",
                  default=False),
        *RULES,
    )),
    Command("joint", "listing:show_joint", """
    Find a way for several stacks together: each ends in one of its places, in any order of moving.

    Exit code 1 if there is none; then the fewest stacks that cannot all move are shown.
    """, (
        FILE, Parameter("stacks", "A stack and where it may end: 'A, B: PLACE or PLACE'.", metavar="STACK...",
                        many=True),
        FROM, SET,
        Parameter("against", "Each way must survive any one attempt to stop it.", "--against", default=False),
        Parameter("top", "List at most so many ways.", "--top", default=3, least=1, most=1_000),
        *RULES,
    )),
    Command("render", "draw:draw", "Draw a situation, and an overlay on it.", (
        FILE, Parameter("words", "Additional inputs for --reach and --path.", metavar="[NAME=VALUE]...", many=True),
        FROM, SET, AT, _out("The picture: .svg or .png.", Path("board.svg")),
        Parameter("reach", "Where these pieces may go, with the cost.", "--reach", metavar="ID,..."),
        Parameter("path", "A route; --reach names the pieces that move.", "--path", metavar="PLACE,..."),
        Parameter("supply", "The trace of this piece, or what blocks it.", "--supply", metavar="ID"),
        Parameter("lines", "What cuts off this piece or side.", "--lines", metavar="ID | SIDE"),
        Parameter("fire", "Show the legal targets of each piece.", "--fire", metavar="NAME=VALUE", many=True),
        Parameter("compare", "Where this edition allows something else.", "--compare", metavar="DATE"),
        Parameter("around", "Only these places and their neighbours.", "--around", metavar="PLACE,..."),
        Parameter("whole", "All of a large board, even if the overlay shows a part.", "--whole/--no-whole",
                  default=False),
        *RULES,
    )),
    Command("clauses", "rule_commands:show_clauses", """
    List clauses; with a number, show its restatement and formal text; with the name of a reading, its choices; with a
    word, list those that have it.

    A number is that of the rulebook, or the one that the clause bore in the edition. A letter or a word behind it names
    a part of the rule; the number alone shows all parts. Special rules bear the number of their scenario first.
    """, (
        Parameter("numbers", "Clauses to show in full, or words that are in the clauses to list.",
                  metavar="[NUMBER | WORD]...", many=True, complete="clauses"),
        Parameter("chapter", "Only this chapter.", "--chapter", metavar="N"),
        Parameter("totals", "Count by chapter what is formalised and list what is missing.", "--totals/--no-totals",
                  default=False),
        Parameter("history", "Show the clauses through all editions.", "--history", default=False),
        GAME, EDITION, OVERLAY, JSON,
    )),
    Command("questions", "listing:show_questions",
        "List the questions; with a name, show the inputs and the answer of the question, and an example.", (
        Parameter("name", "Only this one, in full.", metavar="[NAME]", complete="questions"), GAME, EDITION, OVERLAY,
                  JSON,
    )),
    Command("editions", "rule_commands:show_editions", """
    List the editions: sources, and how many clauses are attested and carried back.

    With --owned, say which sheets apply to rules of that date, and how to name the result.
    """, (
        Parameter("date", "Only the rules in force on this date.", metavar="[DATE]"),
        Parameter("owned", "The date of the rules that you own.", "--owned", metavar="DATE"),
        Parameter("sheets", "The sheets that you have; default: all.", "--sheets", metavar="DATE,..."),
        GAME, JSON,
    )),
    Command("games", "rule_commands:show_games",
        "List the games: those that ship, and those in the folders that TITM_RULES_GAMES names.", (JSON,)),
    Command("new-game", "rule_commands:make_game",
        "Write the start of a game: rules that are sound, a position, and a question that they answer.", (
        Parameter("name", "Name of the game and of its folder.", metavar="NAME", default=...),
        Parameter("parent", "Where its folder goes.", "--in", metavar="DIR", default=Path("."), kind=Path),
        JSON,
    )),
    Command("diff", "diff:show_difference", """
    Compare two editions: their clauses, what differs in one position, or where they differ at all.

    House rules (--overlay) are added to B, or to the default edition. With --find --all-questions and no A and B,
    all editions are compared pair by pair; interrupted runs resume. Exit codes: 0 no difference, 1 some, 2 bad input,
    3 none found, but something is unknown or without evidence.
    """, (
        Parameter("first", "An edition, or any date; the older one, as a rule.", metavar="A"),
        Parameter("second", "The edition to compare with.", metavar="B"),
        Parameter("file", "Compare answers here.", "--position", metavar="FILE", complete="cases"), SET, AT,
        Parameter("find", "Search the smallest situations that differ.", "--find", default=False),
        Parameter("each", "Search each question separately; without A and B: all editions.", "--all-questions",
                  default=False),
        Parameter("names", "Only this question.", "--query", metavar="NAME", many=True),
        Parameter("players", "What changed at the table, by chapter, on a page.", "--for-players", default=False),
        *JOBS, _out("Write it here instead: .html, .md, .csv, .json or .txt."), OVERLAY, GAME, JSON,
    )),
    Command("book", "diff:print_book", """
    Write the consolidated rulebook of an edition as one HTML page, made to be printed.

    Bars in the margin mark words that differ from the edition before, or from --against, whose words are struck.
    """, (
        Parameter("date", "The edition, or any date; default: that of the game.", metavar="[EDITION]"),
        Parameter("against", "Strike the words of this edition that have changed.", "--against", metavar="EDITION"),
        _out("Write it here: a page of HTML."), OVERLAY, GAME,
    )),
    Command("plan", "plan:plan_sheet", """
    Plan a sheet: what it changes in all known cases, what nothing exercises, and what is open.

    SHEET is a file of amendments, the folder of an edition that follows another, or an edition, with the one to
    compare it with. Tests stand beside the sheet: FILE.yaml, or tests/*.yaml in the folder. Exit codes: 0 nothing
    changes but what these tests announce, 1 one of them fails, 2 bad input or faults in the rules, 4 more changes than
    they announce, 5 no more, but a changed clause decides in no known case, or something else is open.
    """, (
        Parameter("first", "The file or folder, or an edition.", metavar="SHEET", default=...),
        Parameter("second", "The newer edition, if SHEET is one.", metavar="[B]"),
        Parameter("corpus", "More cases: lists, positions and records in a folder.", "--corpus", metavar="FOLDER",
                  kind=Path, many=True),
        Parameter("tests", "More tests of the sheet.", "--tests", metavar="FILE", kind=Path, many=True),
        Parameter("keep", "Write the smallest situations in which idle clauses decide as tests.", "--keep",
                  metavar="FILE", default=None, kind=Path),
        Parameter("search", "Prove, and search what no case shows.", "--search/--no-search", default=True),
        _out("Write it here instead: .html, .md, .csv, .json or .txt."), GAME, EDITION, JSON,
    )),
    Command("atlas", "diff:make_atlas", """
    Ask all small situations of several editions, and count by clauses where they differ.

    Interrupted runs resume. The result does not depend on the number of workers.
    """, (
        Parameter("names", "Editions, or dates.", metavar="[A B]...", many=True),
        Parameter("every", "Compare all editions, pair by pair.", "--all", default=False),
        Parameter("most", "At most so many on each side.", "--max", metavar="NxM", default="2x2"),
        *JOBS, _out("Write it here: a page, or JSON if so named."), GAME, JSON,
    )),
    Command("prove", "prove:prove", """
    Prove how two editions stand to each other, head by head and question by question, or that one has no gap and its
    claims hold.

    Needs the extra `proofs`. Exit codes: 0 all is equal, or free of conflicts and gaps, and each claim is proved, 1 a
    claim is refuted, or a certificate was not confirmed, 2 bad input, 3 something is open or differs.
    """, (
        Parameter("first", "An edition, or any date.", metavar="[A]"),
        Parameter("second", "The edition to compare with.", metavar="[B]"),
        Parameter("claims", "Only this claim of an edition.", "--claim", metavar="NAME", many=True),
        Parameter("check", "Repeat the proofs of a certificate with a second solver.", "--check", metavar="FILE",
                  default=None, kind=Path),
        Parameter("search_seconds", "Search each open question or claim in small worlds for so many seconds.",
                  "--search", metavar="SECONDS", default=0, least=0),
        _out("Write the certificate here (JSON with SMT-LIB)."), OVERLAY, GAME, JSON,
    )),
    Command("lint", "rule_commands:lint_files", "Check rule files and show every fault.", (RULE_FILES, GAME, JSON)),
    Command("fmt", "rule_commands:format_files", "Format rule files.", (
        RULE_FILES, Parameter("check", "Change nothing; exit 1 if a file would change.", "--check", default=False),
        GAME, JSON,
    )),
    Command("test", "rule_commands:run_tests", """
    Run the tests of rules: files of positions, questions and what the rules must answer.

    Without PATH, run those in the folders `tests` of the game. Exit codes: 0 all pass, 1 one fails, 2 a file is bad.
    """, (
        Parameter("paths", "Files of tests, or folders.", metavar="[PATH]...", kind=Path, many=True),
        GAME, Parameter("edition", "Only tests of this edition.", "--edition", metavar="DATE", default=None,
                        complete="editions"), ENGINE, JSON,
    )),
    Command("play", "play:play", """
    Play a whole game by a policy and print its course.

    With --games only the results are printed; interrupted runs resume.
    """, (
        START, SET,
        Parameter("policy", "The policy: random, first, greedy, beam or monte-carlo.", "--policy", metavar="NAME",
                  default="random"),
        Parameter("seed", "The same seed gives the same game.", "--seed", metavar="N", default=0),
        Parameter("limit", "Stop after so many actions.", "--limit", default=200_000, least=1),
        _out("Write the record of the game here."),
        Parameter("frames", "Write a picture of each part of the game here.", "--frames", metavar="DIR",
                  default=None, kind=Path),
        Parameter("verbose", "Print every action.", "--verbose", default=False),
        Parameter("games", "Play so many, with one seed after the other.", "--games", default=1, least=1),
        Parameter("chain", "Link each line of the record to those before it, so that a change shows.", "--chain",
                  default=False),
        *JOBS, *RULES,
    )),
    Command("tournament", "play:run_tournament",
        "Let players meet in all seats of a scenario; print how often each has won, with 95% intervals.", (
        START,
        Parameter("players", "The players: two or more of random, first, greedy, beam, monte-carlo.", "--players",
                  metavar="NAME,NAME",
              default="greedy,random"),
        Parameter("games", "How many games each seating plays.", "--games", default=10, least=1),
        Parameter("seed", "The same seed gives the same games.", "--seed", metavar="N", default=0),
        Parameter("limit", "Stop a game after so many actions.", "--limit", default=5_000, least=1),
        *RULES,
    )),
    Command("replay", "play:replay_file", """
    Judge a record of a game: the first illegal action with its clauses, or the result.

    With --at and no file, the position reached is printed on one line. House rules of one's own that the record
    names are given with --overlay. Exit codes: 0 all legal, 1 an action is not, 2 bad input.
    """, (
        Parameter("path", "A record of a game.", metavar="FILE", default=..., kind=Path),
        Parameter("start", "Start from here, not from what the record names.", "--from", metavar="SCENARIO"),
        Parameter("actions", "Judge the first N actions.", "--at", metavar="N", default=None, kind=int, least=0),
        _out("Write the position reached here, as a case."),
        Parameter("verbose", "Print every action with its clauses.", "--verbose", default=False),
        GAME, OVERLAY, ENGINE, JSON,
    )),
    Command("perft", "play:count_courses",
        "Count the courses of a game: actions, and for dice each number of successes.", (
        START, SET,
        Parameter("depth", "Count courses of so many actions.", "--depth", default=2, least=1, most=12),
        Parameter("divide", "Count behind each first action.", "--divide", default=False),
        *RULES,
    )),
    Command("conform", "serve:run_cases", """
    Run conformance cases against this oracle, or against any program that speaks the protocol.

    Exit codes: 0 no case fails, 1 one fails or has no answer, 2 bad input.
    """, (
        Parameter("path", "Cases, one JSON object a line.", metavar="[FILE]", default=None, kind=Path),
        Parameter("against", "Ask this program, over its standard input and output.", "--against", metavar="COMMAND"),
        Parameter("seconds", "Time for one answer of it.", "--seconds", default=60.0, least=0.1),
        Parameter("to", "Write a report by clause: a page, or JSON.", "--report", metavar="FILE", default=None,
                  kind=Path),
        GAME, EDITION, ENGINE, JSON,
    )),
    Command("serve", "serve:serve_page",
        "Serve the analysis board and the protocol over HTTP, by default only to this machine.", (
        Parameter("host", "The address to listen at; 0.0.0.0: all.", "--host", metavar="ADDRESS", default="127.0.0.1"),
        Parameter("port", "The port; 0: any that is free.", "--port", default=8000, least=0, most=65535),
        Parameter("names", "An allowed Host header; may be repeated.", "--name", metavar="HOST", many=True),
        Parameter("origins", "An origin, such as https://example.org, whose pages may ask; may be repeated.",
                  "--origin", metavar="ORIGIN", many=True),
        *_limits("request"),
        Parameter("workers", "Worker processes; each holds the rules once.", "--workers", metavar="N", default=1,
                  least=1, most=64),
        Parameter("proxies", "A proxy whose X-Forwarded-For names the client; may be repeated.", "--proxy",
                  metavar="ADDRESS", many=True),
        ENGINE,
    )),
    Command("site", "serve:write_page", """
    Write the analysis board as static files, which any web server serves: no Python is needed there.

    The npm package `titm-oracle` answers in the page. In a checkout `make npm` builds it.
    """, (
        Parameter("out", "The folder to write.", metavar="OUT", kind=Path),
        Parameter("oracle", "The folder of the npm package.", "--oracle", metavar="FOLDER", default=None, kind=Path),
    )),
    Command("lsp", "serve:serve_editor", """
    Serve an editor: faults while one types, what names mean, completion, renaming, layout.

    It speaks the Language Server Protocol over standard input and output.
    """, (Parameter("_stdio", "Has no effect; some editors add it.", "--stdio", default=True, hidden=True),)),
    Command("mcp", "serve:serve_assistant", """
    Serve an assistant: check, explain, look clauses up, compare editions, list legal actions.

    It speaks the Model Context Protocol over standard input and output.
    """, (*_limits("call"), GAME, ENGINE)),
    Command("oracle", "serve:serve_oracle", "Serve the protocol: a JSON object a line in, one a line out.", (
        Parameter("lists", "List editions, readings and queries, as JSON.", "--list", default=False),
        Parameter("shows_schemas", "Give the JSON Schema of every query's input.", "--schemas", default=False),
        Parameter("shows_replies", "Give the JSON Schemas of requests and replies.", "--reply-schemas", default=False),
        *_limits("request"), GAME, ENGINE,
    ), True),
    Command("demo", "draw:run_demo", "Judge the disputes that ship with the rules, and draw them.", (
        _out("Where the pictures go.", Path("demo-out"), "DIR"), GAME, ENGINE, JSON,
    )),
    Command("map list", "map_commands:list_maps", "List the maps that can be named.", (GAME, JSON)),
    Command("map places", "map_commands:list_places", "List the places of a map with their numbers and other names.", (
        Parameter("named", "Only those with this in a name.", metavar="[WORD]...", many=True), MAP, GAME, JSON,
    )),
    Command("map lint", "map_commands:lint_maps", """
    Check maps: form, connections, sources, parts, and the facts that they must hold.

    Exit codes: 0 nothing wrong (doubts are shown), 1 something wrong, 2 a file that is not a map.
    """, (Parameter("names", "Names or files; default: all.", metavar="[MAP]...", many=True), GAME, JSON)),
    Command("map show", "map_commands:show_place", "Show a place or a connection, and where each datum comes from.", (
        _place("place"), MAP, GAME, JSON,
    )),
    Command("map route", "map_commands:show_way", "Find the cheapest way between two places on an empty board.", (
        _place("start"), _place("end"), MAP,
        Parameter("fields", "Fields of the piece that differ.", "--piece", metavar="FIELD=VALUE", many=True),
        Parameter("edition", "", "--edition", metavar="DATE"), GAME, JSON,
    )),
    Command("map diff", "map_commands:diff_maps", "Show what differs between two maps; exit code 1 if anything does.", (
        Parameter("first", "", default=...), Parameter("second", "", default=...),
        Parameter("fields", "Compare only these fields.", "--field", many=True), GAME, JSON,
    )),
    Command("map export", "map_commands:export_map",
        "Write a map as GraphML, GeoJSON or YAML, or as two CSV tables in a folder.", (
        _out("Where to write.", ...), MAP, GAME,
    )),
    Command("map import", "map_commands:import_map", "Read a map of another format and write it as a map file.", (
        Parameter("path", "A .graphml or .geojson file, or a folder of tables.", metavar="FILE", default=...,
                  kind=Path),
        _out("Where to write.", ...), GAME,
    )),
    Command("map new", "map_commands:new_map",
        "Write a template, with a checklist, for a transcription of your own map.", (
        Parameter("out", "The file to write, such as mine.yaml.", metavar="FILE", default=..., kind=Path), GAME,
    )),
    Command("map schema", "map_commands:show_schema", "Print the JSON Schema of map files.", (GAME,), True),
    Command("event new", "events:begin", "Make the book of an event in a folder.", (
        _FOLDER, Parameter("name", "What it is called.", "--name", metavar="NAME"), _BECAUSE,
        GAME, EDITION, READING, OVERLAY, JSON,
    )),
    Command("event show", "events:show", "Show the rules, the settled readings and the rulings of an event.", (
        _FOLDER, JSON,
    )),
    Command("event rule", "events:rule", """
    Add rulings to an event, or settle a reading for it.

    Refused if it contradicts an earlier ruling, or the rules of the event; both are shown.
    """, (
        _FOLDER,
        Parameter("files", "Rulings that `titm check --ruling` wrote.", metavar="[RULING]...", kind=Path, many=True),
        _BECAUSE, READING, JSON,
    )),
    Command("event export", "events:export", "Write the rulings as conformance cases, and the book as a page.", (
        _FOLDER, _out("The folder to write to.", ...), JSON,
    )),
    Command("scenario list", "map_commands:list_scenarios", "List scenarios and positions that ship.", (GAME, JSON)),
    Command("scenario show", "map_commands:show_scenario", "Show a scenario (forces, start, end) or a position.", (
        Parameter("name", "Its name, or its file.", metavar="SCENARIO", default=...),
        Parameter("as_position", "Only the position at the start, as JSON.", "--position", default=False), GAME, JSON,
    )),
    Command("scenario check", "map_commands:check_scenarios",
        "Check scenarios: forces, places, totals, special rules, and what must hold at the start.", (
        Parameter("names", "Default: all that ship.", metavar="[SCENARIO]...", many=True), GAME, JSON,
    )),
    Command("scenario schema", "map_commands:show_schemas",
        "Print the JSON Schemas of force files and of scenario files.", (), True),
)  # fmt: skip
COMMANDS = {command.name: command for command in _TABLE}
