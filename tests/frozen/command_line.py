"""The command line: what it prints for people, its JSON, its exit codes, and which options it has."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from typer import main as typer_main

from tests.frozen.cases import (
    GAMES,
    app,
    example,
    is_played,
    questions,
    questions_asked,
    records,
    run,
    sample,
    shipped,
    words_for,
    workplace,
)
from tests.frozen.goldens import MOST, Record, digest, group

OF_POSITION = 10
NOTHING: frozenset[str] = frozenset()
EACH_GAME = [(game,) for game in GAMES]


def printed(*words: object, name: str = "") -> Record:
    """Run a command and keep what it prints for people."""
    done = run(*words)
    return Record(name or line_of(words), text=done.text, code=done.code)


def answered(*words: object, texts: frozenset[str] = NOTHING, most: int = MOST) -> Record:
    """Run a command and keep its JSON."""
    done = run(*words, "--json")
    return Record(f"{line_of(words)} --json", json.loads(done.stdout), code=done.code, texts=texts, most=most)


def asked(*lines: str, texts: frozenset[str] = NOTHING, most: int = MOST) -> Iterator[Record]:
    """Run commands for people; for their JSON those that end in `--json`, and in both ways those in `[--json]`."""
    for line in lines:
        words = shlex.split(line)
        way = words.pop() if "--json" in words[-1] else ""
        if way != "--json":
            yield printed(*words)
        if way:
            yield answered(*words, texts=texts, most=most)


def line_of(words: tuple[object, ...]) -> str:
    return " ".join(f"'{word}'" if " " in str(word) or not str(word) else str(word) for word in words)


# ---------------------------------------------------------------------- verdicts
@group("verdicts-{}", *EACH_GAME)
def of_verdicts(game: str) -> Iterator[Record]:
    """Check a case of every question, and ask why of some more; of the JSON a few are kept, as the protocol has it."""
    with workplace():
        for case in sample(game, 1)[:16]:
            yield printed("check", *words_for(case))
        for case in sample(game, 2 if game == "titm" else 1)[:40]:
            yield printed("why", *words_for(case))
        for case in sample(game, 1)[:6]:
            yield answered("check", *words_for(case))


@group("examples-{}", *EACH_GAME)
def of_examples(game: str) -> Iterator[Record]:
    for question in questions(game):
        name = question["query"]
        yield Record(f"question {name}", question, texts=frozenset({"answer"}))
        words, given = example(question)
        if given is None:  # else it is a request of a public case
            yield printed(*words, name=f"example of {name}")
    yield printed("questions", "--game", game)
    yield printed("questions", questions(game)[0]["query"], "--game", game)


# ---------------------------------------------------------------------- what ships
@group("shipped-{}", *EACH_GAME)
def of_shipped(game: str) -> Iterator[Record]:
    """Ask of all that ships what can be asked about it: verdicts, legal actions, odds, courses."""
    for name, data in shipped(game).items():
        if "query" in data:
            yield printed("why", name, "--game", game)
            if game == "titm":
                yield answered("check", name, "--game", game)
        if is_played(data):
            yield answered("legal", name, "--game", game, "--limit", 5)
            yield printed("perft", name, "--game", game, "--depth", 1)


@group("disputes")
def of_disputes() -> Iterator[Record]:
    yield from asked("check spare-shot --edition all [--json]", "check spare-shot --overlay divisional-integrity")
    for name in ("06-combat-foot-before-armor", "10-nobody-leaves-bastogne", "spare-shot"):
        ways = ("--edition 1997-08-20", "--reading R2=strict-quality")
        yield from asked(f"why {name} --readings all [--json]", *(f"check {name} {way}" for way in ways))
    yield printed("check", "06-combat-foot-before-armor", "--engine", "naive")


FIGHT = "two-bridges --set 'g-tank@4, 21-2' --at 4"


@group("choices")
def of_choices() -> Iterator[Record]:
    return asked(
        "legal combat-of-1999 [--json]", "legal combat-of-1999 fire_allocations who=attacker [--json]",
        "legal combat-of-1999 artillery_targetings who=defender n=2 [--json]",
        "legal spare-shot --edition 1997-08-20 [--json]", f"legal --from {FIGHT} [--json]",
        "legal combat-of-1999 --count", "legal two-bridges --kind muster [--json]",
        "legal two-bridges --unit g-eng [--json]", "legal two-bridges --set 21-2 [--json]",
        "legal two-bridges --edition 1994-11-01 --count", "perft two-bridges --depth 2 [--json]",
        "perft two-bridges --depth 2 --divide [--json]", "perft sauer-crossing --depth 2 --edition 1996-08-01 [--json]",
        "perft the-ford --depth 1 --game cold-ford [--json]", "perft two-bridges --depth 2 --set 21-2 --json",
        "trace two-bridges g-tank [--json]", "lines two-bridges German --top 2 --reach [--json]",
        "joint two-bridges 'g-tank: 2 or 3' 'g-foot: 3' --top 1 [--json]", "joint two-bridges 'g-foot: H' [--json]",
        "lines two-bridges a-tank --set 'g-mech@6, bridge 5-7 blown' [--json]",
        "trace two-bridges a-tank --set 'g-mech@6, bridge 5-7 blown' [--json]",
    )  # fmt: skip


@group("odds")
def of_odds() -> Iterator[Record]:
    fights = [name for name in shipped("titm") if "battle" in name or name.startswith(("06", "07", "08", "09"))]
    plans = ("a1>d1,a2>d2,a3>d1,a4>d2", "a1>d1,a2>d1,a3>d1,a4>d1")
    return asked(
        *(f"odds {name} --top 3 --json" for name in fights), "odds combat-of-1999 --top 4 [--json]",
        *(f"odds combat-of-1999 who=attacker --plan '{plan}' [--json]" for plan in plans),
        "odds combat-of-1999 who=attacker n=2 [--json]", "odds combat-of-1999 who=attacker --plan d2,d1 [--json]",
        "odds second-artillery-counter --top 3 [--json]", "odds spare-shot --edition 1997-08-20 [--json]",
        f"odds --from {FIGHT} [--json]", "odds two-bridges [--json]", "odds the-ford --game cold-ford [--json]",
    )  # fmt: skip


# ---------------------------------------------------------------------- records
@group("replays-{}", *((game,) for game in GAMES if records(game)))
def of_replays(game: str) -> Iterator[Record]:
    """Replay the records that ship, and play some more."""
    with workplace():
        for case in records(game):
            replay = f"replay {case['id']}.txt"
            Path(f"{case['id']}.txt").write_text(case["input"]["record"], encoding="utf-8")
            yield from asked(f"{replay} --game {game}")
            if "beginning" in case["id"]:
                ways = ("--verbose --game {}", "--game {} --json", "--at 3 --game {} [--json]")
                yield from asked(*(f"{replay} {way.format(game)}" for way in ways), most=OF_POSITION)


@group("plays")
def of_plays() -> Iterator[Record]:
    with workplace():
        for policy in ("random", "first", "greedy"):
            yield printed("play", "two-bridges", "--policy", policy, "--seed", 4, "--limit", 60, "-o", f"{policy}.txt")
            yield Record(f"the record of {policy}", text=Path(f"{policy}.txt").read_text(encoding="utf-8"))
            yield printed("replay", f"{policy}.txt")
        yield from asked(
            "play the-ford --game cold-ford --seed 2 --json",
            "play the-ford --game cold-ford --seed 2 --verbose --limit 20", "replay random.txt --at 10 -o reached.yaml",
        )  # fmt: skip
        yield Record("the position reached", text=Path("reached.yaml").read_text(encoding="utf-8"))
        yield from asked(
            "legal reached.yaml --limit 5 --game titm [--json]", "tournament two-bridges --games 1 --limit 10 --json"
        )


# ---------------------------------------------------------------------- two editions
DIFFERENCE = frozenset({"title", "words", "form", "question", "clauses.readings"})
SEARCHED = frozenset({"proof", "like", "worlds"})
ATLAS = frozenset({"grades", "says"})


@group("differences")
def of_differences() -> Iterator[Record]:
    dates = ["1994-11-01", "1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20", "1998-01-15", "1999", "2002-07-25",
             "2016-10-01"]  # fmt: skip
    yield from asked(*(f"diff {first} {second} --json" for first, second in pairwise(dates)), texts=DIFFERENCE, most=12)
    yield from asked(
        "diff 1997-08-20 1998-01-15", "diff 1999 2016-10-01", "diff 2014 2014-qa --game bitterwoods --json",
        "diff 1999 1999 --overlay divisional-integrity --json", texts=DIFFERENCE,
    )  # fmt: skip
    yield from asked(
        "diff 1997-08-20 1998-01-15 --position two-bridges",
        "diff 1997-08-20 1998-01-15 --position 06-combat-foot-before-armor",
        "diff 1997-08-20 1998-01-15 --position spare-shot [--json]",
        "diff 1994-11-01 2016-10-01 --position second-artillery-counter [--json]",
        f"diff 1997-08-20 1998-01-15 --position {FIGHT} --json",
        "diff 1997-08-20 1998-01-15 --find --query may_fire --json",
        "diff 2002-07-25 2016-10-01 --find --query supplied", texts=SEARCHED,
    )  # fmt: skip


@group("atlas")
def of_atlas() -> Iterator[Record]:
    with workplace():
        yield from asked("atlas 1997-08-20 1998-01-15 --jobs 1 --work parts --max 1x1 [--json]", texts=ATLAS)


# ---------------------------------------------------------------------- faults and options
FAULTS = [
    "check", "check nowhere", "check two-bridges", "check two-bridges reachabel units=g-mech",
    "check two-bridges reachable", "check two-bridges reachable unit=g-mech",
    "check two-bridges reachable units=nobody", "check two-bridges reachable g-mech",
    "check campaign_victory_level points=many", "check campaign_victory_level points=-1",
    "check combat-of-1999 to_hit who=nobody firing=a1 target=d1", "check two-bridges to_hit who=attacker",
    "check 06-combat-foot-before-armor --edition 1066", "check 06-combat-foot-before-armor --edition 1997",
    "check 06-combat-foot-before-armor --reading R2", "check 06-combat-foot-before-armor --reading R2=maybe",
    "check 06-combat-foot-before-armor --reading R99=maybe", "check 06-combat-foot-before-armor --readings none",
    "check 06-combat-foot-before-armor --overlay nowhere", "check 06-combat-foot-before-armor --overlay nowhere.rules",
    "check 06-combat-foot-before-armor --game chess", "check 06-combat-foot-before-armor --game cold-ford",
    "check missing.yaml", "check bad.yaml", "check list.yaml", "check typo.yaml", "check faults.yaml", "check bad.json",
    "check 'two-bridges, g-tank@nowhere' supplied unit=g-tank", "check 'two-bridges, 99-9' supplied",
    "legal campaign_victory_level", "legal combat-of-1999 --kind muster", "legal two-bridges --kind mustr",
    "legal two-bridges --unit g-mch", "odds combat-of-1999 who=attacker --plan nonsense",
    "odds two-bridges --at nowhere", "odds combat-of-1999 to_hit", "perft 06-combat-foot-before-armor", "perft nowhere",
    "replay missing.txt", "replay empty.txt", "replay bad.txt", "replay other.txt", "replay stamp.txt",
    "replay house.txt", "diff 1066 1999", "diff 1999", "diff", "diff 1997-08-20 1999 --position nowhere",
    "diff 1998-01-15 1999 --find --query nonsense", "atlas 1999", "atlas 1997-08-20 1999 --max huge",
    "trace two-bridges nobody", "clauses 99.9", "questions nonsense", "editions 1066", "scenario show nowhere",
    "map show Nowhere", "map route Bastogne Nowhere", "play two-bridges --policy wise", "lint missing.rules",
    "lint bad.rules", "lint unsound.rules", "fmt --check untidy.rules",
]  # fmt: skip
MISUSED = ["chekc", "check --nonsense", "legal two-bridges --limit 0", "check --edition"]
HEAD = "game titm\nedition 1999\nstart two-bridges 9aa69d0e2ade6a76\n"
FILES = {
    "bad.yaml": "position: [1, 2\n", "list.yaml": "- 1\n", "bad.json": "{'a': 1}",
    "typo.yaml": "bais: two-bridges\nquery: supplied\n",
    "faults.yaml": "query: supplied\nposition:\n  day: many\n  areas: [{id: X, contrl: German}]\n"
    "  units: [{id: u, kind: cavalry}]\n",
    "empty.txt": "", "bad.txt": f"{HEAD}nonsense\n", "other.txt": HEAD.replace("9aa6", "0000"),
    "stamp.txt": f"{HEAD}21-2 German muster g-mech\n",
    "house.txt": "game titm\nedition 1999\nhouse nobody-knows\nstart two-bridges 9aa69d0e2ade6a76\n",
    "bad.rules": 'clause 1 "Title"\n  "Says."\n  move may not begn when x.\n',
    "unsound.rules": 'add clause house:1 "Title"\n  "Says."\n  move costs 1 when u is cavalry.\n',
    "untidy.rules": 'add   clause house:1 "Title"\n "Says."\n   move costs 1.\n',
}  # fmt: skip


@group("faults-of-commands")
def of_faults() -> Iterator[Record]:
    with workplace():
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        for number, line in enumerate(FAULTS):
            yield from asked(f"{line} --json", *([line] if number % 3 == 0 else []))
        for line in MISUSED:  # the library lays its complaint out, as versions of it differ
            yield Record(line, code=run(*line.split()).code)


@group("options")
def of_options() -> Iterator[Record]:
    yield from _options_of("titm", typer_main.get_command(app))


def _options_of(name: str, command: Any) -> Iterator[Record]:
    params = [_option(param) for param in command.params]
    value = {"help": command.help or "", "params": params}
    yield Record(name, value, texts=frozenset({"metavar"}), whole=frozenset({"params"}))
    for below, one in getattr(command, "commands", {}).items():
        yield from _options_of(f"{name} {below}", one)


def _option(param: Any) -> Mapping[str, Any]:
    """Describe an option, or an argument, whose name in the code nobody writes."""
    default = param.default if isinstance(param.default, str | int | float | bool | None) else str(param.default)
    bounds = {name: getattr(param, name, None) for name in ("min", "max")}
    return {
        "opts": [*param.opts, *param.secondary_opts] if param.param_type_name == "option" else [],
        "required": param.required, "many": param.multiple or param.nargs != 1,
        "flag": getattr(param, "is_flag", False),
        "default": default, **{name: bound for name, bound in bounds.items() if bound is not None},
        "metavar": param.metavar or "", "help": getattr(param, "help", None) or "",
    }  # fmt: skip


# ---------------------------------------------------------------------- other commands
CLAUSE = frozenset({"title", "says", "text", "silent", "at", "tests", "grade"})
SCENARIO = frozenset({"about", "says", "note"})
SOURCE = frozenset({"source"})


@group("others")
def of_others() -> Iterator[Record]:
    numbers = {"titm": "9.57", "bitterwoods": "5.4", "cold-ford": "3"}
    for game, number in numbers.items():
        yield answered("clauses", number, "--game", game, texts=CLAUSE)
        yield answered("editions", "--game", game, texts=SOURCE)
        yield answered("scenario", "list", "--game", game, texts=SCENARIO)
        yield answered("map", "list", "--game", game)
    yield from asked("scenario list --game cold-ford", "games [--json]", texts=frozenset({"folder"}))
    yield from asked("clauses 8.22", "clauses bridge --chapter 10 [--json]", texts=CLAUSE)
    yield answered("clauses", "9.52a", "--history", texts=frozenset({"title", "at", "how"}))
    yield from asked("editions 1998-01-15 [--json]", "editions --owned 1999 --sheets 2002-07-25 [--json]", texts=SOURCE)
    yield from asked("scenario show sauer-crossing [--json]", texts=SCENARIO)
    yield from asked("scenario check sauer-crossing [--json]", "map show Bastogne [--json]", texts=SOURCE)
    yield from asked("map route Bastogne Houffalize [--json]", "map places", "conform --game cold-ford [--json]")


# ---------------------------------------------------------------------- slow
@group("sweep-verdicts-{}", *EACH_GAME, slow=True)
def of_all_verdicts(game: str) -> Iterator[Record]:
    """Check all public cases and ask why, as people see it, in digests."""
    with workplace():
        for case in questions_asked(game):
            done = {name: run(name, *words_for(case)) for name in ("check", "why")}
            codes = {name: one.code for name, one in done.items()}
            yield Record(case["id"], codes, text=" ".join(digest(one.text) for one in done.values()))


@group("sweep-searches", slow=True)
def of_searches() -> Iterator[Record]:
    """Search all questions and games for differences of two editions; compare all on small battles, in digests."""
    found = answered("diff", "1997-08-20", "1998-01-15", "--find", texts=SEARCHED, most=6)
    yield replace(found, value=found.value["questions"])
    with workplace():
        yield from asked("atlas --all --max 2x1 --jobs 1 --work parts --json", texts=ATLAS, most=6)
