"""The command line: what it prints for people, its JSON, its exit codes, and which options it has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.frozen.cases import (
    GAMES,
    example,
    questions,
    questions_asked,
    record_file,
    records,
    sample,
    shipped,
    words_for,
)
from tests.frozen.entrances import commands, run, workplace
from tests.frozen.goldens import MOST, Record, digest

OF_POSITION = 10
NOTHING: frozenset[str] = frozenset()


def printed(*words: object, name: str = "") -> Record:
    """Run a command and keep what it prints for people."""
    done = run(*words)
    return Record(name or line_of(words), text=done.text, code=done.code)


def answered(*words: object, texts: frozenset[str] = NOTHING, most: int = MOST) -> Record:
    """Run a command and keep its JSON."""
    done = run(*words, "--json")
    return Record(f"{line_of(words)} --json", json.loads(done.stdout), code=done.code, texts=texts, most=most)


def both(*words: object, texts: frozenset[str] = NOTHING, most: int = MOST) -> Iterator[Record]:
    """Run a command in both ways."""
    yield printed(*words)
    yield answered(*words, texts=texts, most=most)


def line_of(words: tuple[object, ...]) -> str:
    """Write a command as a line."""
    return " ".join(f"'{word}'" if " " in str(word) or not str(word) else str(word) for word in words)


# ---------------------------------------------------------------------- verdicts
def of_verdicts(game: str) -> Iterator[Record]:
    """Check a case of every question, and ask why of some more; of the JSON a few are kept, as the protocol has it."""
    with workplace():
        for case in sample(game, 1)[:16]:
            yield printed("check", *words_for(case))
        for case in sample(game, 2 if game == "titm" else 1)[:40]:
            yield printed("why", *words_for(case))
        for case in sample(game, 1)[:6]:
            yield answered("check", *words_for(case))


def of_examples(game: str) -> Iterator[Record]:
    """List the questions, and try the line that each gives."""
    for question in questions(game):
        name = question["query"]
        yield Record(f"question {name}", question, texts=frozenset({"answer"}))
        words, given = example(question)
        if given is None:  # else it is a request of a public case
            yield printed(*words, name=f"example of {name}")
    yield printed("questions", "--game", game)
    yield printed("questions", questions(game)[0]["query"], "--game", game)


# ---------------------------------------------------------------------- what ships
def of_shipped(game: str) -> Iterator[Record]:
    """Ask of all that ships what can be asked about it: verdicts, legal actions, odds, courses."""
    for one in shipped(game):
        about = (one.name, "--game", game)
        if one.asks:
            yield printed("why", *about)
            if game == "titm":
                yield answered("check", *about)
        if one.is_played:
            yield answered("legal", *about, "--limit", 5)
            yield printed("perft", *about, "--depth", 1)


def of_disputes() -> Iterator[Record]:
    """Check some disputes under all editions and readings, and with another engine."""
    yield from both("check", "spare-shot", "--edition", "all")
    yield printed("check", "spare-shot", "--overlay", "divisional-integrity")
    for name in ("06-combat-foot-before-armor", "10-nobody-leaves-bastogne", "spare-shot"):
        yield from both("why", name, "--readings", "all")
        yield printed("check", name, "--edition", "1997-08-20")
        yield printed("check", name, "--reading", "R2=strict-quality")
    yield printed("check", "06-combat-foot-before-armor", "--engine", "naive")


def of_choices() -> Iterator[Record]:
    """List choices and actions in all the ways that `legal` has, and count courses."""
    fight = ("--from", "two-bridges", "--set", "g-tank@4, 21-2", "--at", "4")
    yield from both("legal", "combat-of-1999")
    yield from both("legal", "combat-of-1999", "fire_allocations", "who=attacker")
    yield from both("legal", "combat-of-1999", "artillery_targetings", "who=defender", "n=2")
    yield from both("legal", "spare-shot", "--edition", "1997-08-20")
    yield from both("legal", *fight)
    yield printed("legal", "combat-of-1999", "--count")
    yield from both("legal", "two-bridges", "--kind", "muster")
    yield from both("legal", "two-bridges", "--unit", "g-eng")
    yield from both("legal", "two-bridges", "--set", "21-2")
    yield printed("legal", "two-bridges", "--edition", "1994-11-01", "--count")
    yield from both("perft", "two-bridges", "--depth", 2)
    yield from both("perft", "two-bridges", "--depth", 2, "--divide")
    yield from both("perft", "sauer-crossing", "--depth", 2, "--edition", "1996-08-01")
    yield from both("perft", "the-ford", "--depth", 1, "--game", "cold-ford")
    yield answered("perft", "two-bridges", "--depth", 2, "--set", "21-2")
    yield from both("trace", "two-bridges", "g-tank")
    yield from both("trace", "two-bridges", "a-tank", "--set", "g-mech@6, bridge 5-7 blown")


def of_odds() -> Iterator[Record]:
    """Give odds of plans, of all of them, of artillery, and of what has none."""
    fight = ("--from", "two-bridges", "--set", "g-tank@4, 21-2", "--at", "4")
    for one in shipped("titm"):
        if "battle" in one.name or one.name.startswith(("06", "07", "08", "09")):
            yield answered("odds", one.name, "--top", 3)
    yield from both("odds", "combat-of-1999", "--top", 4)
    yield from both("odds", "combat-of-1999", "who=attacker", "--plan", "a1>d1,a2>d2,a3>d1,a4>d2")
    yield from both("odds", "combat-of-1999", "who=attacker", "--plan", "a1>d1,a2>d1,a3>d1,a4>d1")
    yield from both("odds", "combat-of-1999", "who=attacker", "n=2")
    yield from both("odds", "combat-of-1999", "who=attacker", "--plan", "d2,d1")
    yield from both("odds", "second-artillery-counter", "--top", 3)
    yield from both("odds", "spare-shot", "--edition", "1997-08-20")
    yield from both("odds", *fight)
    yield from both("odds", "two-bridges")
    yield from both("odds", "the-ford", "--game", "cold-ford")


# ---------------------------------------------------------------------- records
def of_replays(game: str) -> Iterator[Record]:
    """Replay the records that ship, and play some more."""
    with workplace():
        for case in records(game):
            file = record_file(case)
            yield printed("replay", file, "--game", game)
            if "beginning" in case["id"]:
                yield printed("replay", file, "--verbose", "--game", game)
                yield answered("replay", file, "--game", game, most=OF_POSITION)
                yield from both("replay", file, "--at", 3, "--game", game, most=OF_POSITION)


def of_plays() -> Iterator[Record]:
    """Play by each policy; a seed gives the same game."""
    with workplace():
        for policy in ("random", "first", "greedy"):
            yield printed("play", "two-bridges", "--policy", policy, "--seed", 4, "--limit", 60, "-o", f"{policy}.txt")
            yield Record(f"the record of {policy}", text=Path(f"{policy}.txt").read_text(encoding="utf-8"))
            yield printed("replay", f"{policy}.txt")
        yield answered("play", "the-ford", "--game", "cold-ford", "--seed", 2)
        yield printed("play", "the-ford", "--game", "cold-ford", "--seed", 2, "--verbose", "--limit", 20)
        yield printed("replay", "random.txt", "--at", 10, "-o", "reached.yaml")
        yield Record("the position reached", text=Path("reached.yaml").read_text(encoding="utf-8"))
        yield from both("legal", "reached.yaml", "--limit", 5, "--game", "titm")
        yield answered("tournament", "two-bridges", "--games", 1, "--limit", 10)


# ---------------------------------------------------------------------- two editions
DIFFERENCE = frozenset({"title", "words", "form", "question", "clauses.readings"})


def of_differences() -> Iterator[Record]:
    """Compare editions: their words, one situation, and the smallest situations that differ."""
    dates = ["1994-11-01", "1996-08-01", "1996-11-01", "1997-03-01", "1997-08-20", "1998-01-15", "1999", "2002-07-25",
             "2016-10-01"]  # fmt: skip
    for first, second in pairwise(dates):
        yield answered("diff", first, second, texts=DIFFERENCE, most=12)
    yield printed("diff", "1997-08-20", "1998-01-15")
    yield printed("diff", "1999", "2016-10-01")
    yield answered("diff", "2014", "2014-qa", "--game", "bitterwoods", texts=DIFFERENCE)
    yield answered("diff", "1999", "1999", "--overlay", "divisional-integrity", texts=DIFFERENCE)
    for name in ("two-bridges", "06-combat-foot-before-armor"):
        yield printed("diff", "1997-08-20", "1998-01-15", "--position", name)
    yield from both("diff", "1997-08-20", "1998-01-15", "--position", "spare-shot")
    yield from both("diff", "1994-11-01", "2016-10-01", "--position", "second-artillery-counter")
    fight = ("--position", "two-bridges", "--set", "g-tank@4, 21-2", "--at", "4")
    yield answered("diff", "1997-08-20", "1998-01-15", *fight)
    searched = frozenset({"proof", "like", "worlds"})
    yield answered("diff", "1997-08-20", "1998-01-15", "--find", "--query", "may_fire", texts=searched)
    yield printed("diff", "2002-07-25", "2016-10-01", "--find", "--query", "supplied")


def of_atlas() -> Iterator[Record]:
    """Ask all small battles of two editions: as data and as a page."""
    words = ("atlas", "1997-08-20", "1998-01-15", "--jobs", 1, "--work", "parts")
    texts = frozenset({"grades", "says"})
    with workplace():
        yield from both(*words, "--max", "1x1", texts=texts)


# ---------------------------------------------------------------------- faults and options
FAULTS = (
    ("check",), ("check", "nowhere"), ("check", "two-bridges"), ("check", "two-bridges", "reachabel", "units=g-mech"),
    ("check", "two-bridges", "reachable"), ("check", "two-bridges", "reachable", "unit=g-mech"),
    ("check", "two-bridges", "reachable", "units=nobody"), ("check", "two-bridges", "reachable", "g-mech"),
    ("check", "campaign_victory_level", "points=many"), ("check", "campaign_victory_level", "points=-1"),
    ("check", "combat-of-1999", "to_hit", "who=nobody", "firing=a1", "target=d1"),
    ("check", "two-bridges", "to_hit", "who=attacker"), ("check", "06-combat-foot-before-armor", "--edition", "1066"),
    ("check", "06-combat-foot-before-armor", "--edition", "1997"),
    ("check", "06-combat-foot-before-armor", "--reading", "R2"),
    ("check", "06-combat-foot-before-armor", "--reading", "R2=maybe"),
    ("check", "06-combat-foot-before-armor", "--reading", "R99=maybe"),
    ("check", "06-combat-foot-before-armor", "--readings", "none"),
    ("check", "06-combat-foot-before-armor", "--overlay", "nowhere"),
    ("check", "06-combat-foot-before-armor", "--overlay", "nowhere.rules"),
    ("check", "06-combat-foot-before-armor", "--game", "chess"),
    ("check", "06-combat-foot-before-armor", "--game", "cold-ford"), ("check", "missing.yaml"), ("check", "bad.yaml"),
    ("check", "list.yaml"), ("check", "typo.yaml"), ("check", "faults.yaml"), ("check", "bad.json"),
    ("check", "two-bridges, g-tank@nowhere", "supplied", "unit=g-tank"), ("check", "two-bridges, 99-9", "supplied"),
    ("legal", "campaign_victory_level"), ("legal", "combat-of-1999", "--kind", "muster"),
    ("legal", "two-bridges", "--kind", "mustr"), ("legal", "two-bridges", "--unit", "g-mch"),
    ("odds", "combat-of-1999", "who=attacker", "--plan", "nonsense"), ("odds", "two-bridges", "--at", "nowhere"),
    ("odds", "combat-of-1999", "to_hit"), ("perft", "06-combat-foot-before-armor"), ("perft", "nowhere"),
    ("replay", "missing.txt"), ("replay", "empty.txt"), ("replay", "bad.txt"), ("replay", "other.txt"),
    ("replay", "stamp.txt"), ("replay", "house.txt"), ("diff", "1066", "1999"), ("diff", "1999"), ("diff",),
    ("diff", "1997-08-20", "1999", "--position", "nowhere"),
    ("diff", "1998-01-15", "1999", "--find", "--query", "nonsense"),
    ("atlas", "1999"), ("atlas", "1997-08-20", "1999", "--max", "huge"), ("trace", "two-bridges", "nobody"),
    ("clauses", "99.9"), ("questions", "nonsense"), ("editions", "1066"), ("scenario", "show", "nowhere"),
    ("map", "show", "Nowhere"), ("map", "route", "Bastogne", "Nowhere"), ("play", "two-bridges", "--policy", "wise"),
    ("lint", "missing.rules"), ("lint", "bad.rules"), ("lint", "unsound.rules"), ("fmt", "--check", "untidy.rules"),
)  # fmt: skip
MISUSED = (("chekc",), ("check", "--nonsense"), ("legal", "two-bridges", "--limit", "0"), ("check", "--edition"))
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


def of_faults() -> Iterator[Record]:
    """Ask what cannot be answered."""
    with workplace():
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        for number, words in enumerate(FAULTS):
            yield answered(*words)
            if number % 3 == 0:
                yield printed(*words)
        for words in MISUSED:
            done = run(*words)  # the library lays its complaint out, as versions of it differ
            yield Record(line_of(words), code=done.code)


def of_options() -> Iterator[Record]:
    """List commands with their arguments and options."""
    yield from _options_of("titm", commands())


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
def of_others() -> Iterator[Record]:
    """List clauses, editions, games, scenarios and maps; check what ships."""
    clause = frozenset({"title", "says", "text", "silent", "at", "tests", "grade"})
    number = {"titm": "9.57", "bitterwoods": "5.3", "cold-ford": "3"}
    for game in GAMES:
        yield answered("clauses", number[game], "--game", game, texts=clause)
        yield answered("editions", "--game", game, texts=frozenset({"source"}))
        yield answered("scenario", "list", "--game", game, texts=frozenset({"about", "says", "note"}))
        yield answered("map", "list", "--game", game)
    yield printed("scenario", "list", "--game", "cold-ford")
    yield from both("games", texts=frozenset({"folder"}))
    yield printed("clauses", "8.22")
    yield from both("clauses", "bridge", "--chapter", "10", texts=clause)
    yield answered("clauses", "9.52a", "--history", texts=frozenset({"title", "at", "how"}))
    yield from both("editions", "1998-01-15", texts=frozenset({"source"}))
    yield from both("editions", "--owned", "1999", "--sheets", "2002-07-25", texts=frozenset({"source"}))
    yield from both("scenario", "show", "sauer-crossing", texts=frozenset({"about", "says", "note"}))
    yield from both("scenario", "check", "sauer-crossing")
    yield from both("map", "show", "Bastogne", texts=frozenset({"source"}))
    yield from both("map", "route", "Bastogne", "Houffalize")
    yield printed("map", "places")
    yield from both("conform", "--game", "cold-ford")


# ---------------------------------------------------------------------- slow
def of_all_verdicts(game: str) -> Iterator[Record]:
    """Check all public cases and ask why, as people see it, in digests."""
    with workplace():
        for case in questions_asked(game):
            words = words_for(case)
            done = {name: run(name, *words) for name in ("check", "why")}
            codes = {name: one.code for name, one in done.items()}
            yield Record(case["id"], codes, text=" ".join(digest(one.text) for one in done.values()))


def of_searches() -> Iterator[Record]:
    """Search all questions for differences of two editions, and compare all editions on small battles, in digests.

    Games are left out: which ones the search plays depends on the order of sets, and so on the hash seed of Python.
    """
    searched = frozenset({"proof", "like", "worlds"})
    found = answered("diff", "1997-08-20", "1998-01-15", "--find", texts=searched, most=6)
    yield replace(found, value=[one for one in found.value["questions"] if one["question"] != "play"])
    with workplace():
        texts = frozenset({"grades", "says"})
        yield answered("atlas", "--all", "--max", "2x1", "--jobs", 1, "--work", "parts", texts=texts, most=6)


def slow_groups() -> dict[str, Callable[[], Iterator[Record]]]:
    """Name the groups that take long."""
    verdicts = {f"sweep-verdicts-{game}": lambda game=game: of_all_verdicts(game) for game in GAMES}
    return {**verdicts, "sweep-searches": of_searches}


def groups() -> dict[str, Callable[[], Iterator[Record]]]:
    """Name the groups of the command line."""
    found: dict[str, Callable[[], Iterator[Record]]] = {}
    for game in GAMES:
        found[f"verdicts-{game}"] = lambda game=game: of_verdicts(game)
        found[f"examples-{game}"] = lambda game=game: of_examples(game)
        found[f"shipped-{game}"] = lambda game=game: of_shipped(game)
        if records(game):
            found[f"replays-{game}"] = lambda game=game: of_replays(game)
    return found | {
        "disputes": of_disputes, "choices": of_choices, "odds": of_odds, "plays": of_plays,
        "differences": of_differences,
        "atlas": of_atlas, "faults-of-commands": of_faults, "options": of_options, "others": of_others,
    }  # fmt: skip
