"""The protocol: every question of every game, whole games, and every kind of fault."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.frozen.cases import (
    EDITIONS,
    GAMES,
    ROOT,
    ask,
    base_requests,
    cases,
    chapter,
    is_played,
    questions_asked,
    records,
    run,
    sample,
    shipped,
    spoiled,
    spoiled_situation,
)
from tests.frozen.goldens import MOST, Record, Split, digest, dump, group

EACH_GAME = [(game,) for game in GAMES]
TURNS, FEW_TURNS = 10, 3
LONG_GAMES = ("two-bridges", "sauer-crossing", "teaching-battle", "the-ford")  # small ones, with many kinds of action
SLOW_GAMES = ("first-three-days", "fifth-panzer-army", "race-for-bastogne")
OF_POSITION = 10  # of a longer list in a whole position the head is kept
Request = Mapping[str, Any]
Named = Iterable[tuple[str, Request | str]]


def asked(requests: Named, game: str, most: int = MOST) -> Iterator[Record]:
    """Ask requests of one game, and yield what comes of each under its name."""
    names, sent = zip(*requests, strict=True)
    for name, reply in zip(names, ask(sent, game), strict=True):
        yield Record(name, reply, most=most)


# ---------------------------------------------------------------------- public cases
CHAPTERS = dict.fromkeys(map(chapter, questions_asked("titm")))


@group("cases-{}-{}", *(("titm", part) for part in CHAPTERS), ("bitterwoods", ""), ("cold-ford", ""))
def of_cases(game: str, part: str) -> Iterator[Record]:
    chosen = [case for case in questions_asked(game) if not part or chapter(case) == part]
    return asked(((case["id"], {**case, "explain": True}) for case in chosen), game)


@group("replies-to-records-{}", *((game,) for game in GAMES if records(game)))
def of_records(game: str) -> Iterator[Record]:
    """Replay the records of the public cases: all, the first with each step, up to a line, and with reasons."""
    requests: dict[str, Request] = {}
    for case in records(game):
        name, record = case["id"], case["input"]["record"]
        requests[name] = case
        if len(record.splitlines()) < 10:
            requests[f"{name}, until line 4"] = {**case, "input": {"record": record, "until": 4}}
            requests[f"{name}, steps"] = {**case, "input": {"record": record, "steps": True}}
    return asked(requests.items(), game, OF_POSITION)


@group("editions-{}", *EACH_GAME)
def of_editions(game: str) -> Iterator[Record]:
    """Ask one case of every question under all editions, under two, and with no reading fixed."""
    requests: dict[str, Request] = {}
    for case in sample(game, 1):
        requests[f"{case['id']}, all editions"] = {**case, "edition": "all"}
        requests[f"{case['id']}, all readings"] = {**case, "readings": "all"}
    for case in sample(game, 1)[:6]:
        both = [EDITIONS[game], case["edition"]]
        requests[f"{case['id']}, two editions"] = {**case, "edition": both, "explain": True}
    return asked(requests.items(), game)


@group("rules")
def of_rules() -> Iterator[Record]:
    """Name rules in every way that there is: dates, sheets, house rules that ship and that are sent, readings."""
    level = {"query": "campaign_victory_level", "input": {"points": 36}, "edition": "1999"}
    [shot] = [case for case in questions_asked("titm") if case["query"] == "fire_allocation_legal"][:1]
    [path] = [one for one in questions_asked("titm") if one["query"] == "check_path"][:1]
    dates = ("1999", "2001", "20 August 1997", "1997-08-20", "August 1997", "2030", "1999+2002-07-25")
    bad_dates = ("1066", "1997", "yesterday", "", "1999+1066", "1999+1997-08-20", "1998-01-15+1999")
    overlays: list[list[Any]] = [
        ["nonsense"],
        [{"name": "bad", "text": "clause is nonsense here\nand there"}], [{"name": "no text"}], ["../../etc/passwd"],
        [{"name": "unsound", "text": 'add clause house:1 "Ours"\n  "Ours."\n  march costs 1 when u is blue.\n'}],
        [{"name": "ours", "text": 'add clause house:1 "Ours"\n  "All march farther."\n  march has 1 more points.\n'}],
        [{"name": "replaced", "text": 'replace clause 3.1 "Ours"\n  "Two points."\n  march has 2 points.\n'}],
    ]  # fmt: skip
    [march] = [{**one, "explain": True} for one in questions_asked("cold-ford")][:1]
    readings = ({"R2": "strict-quality"}, {"R2": "nonsense"}, {"R99": "yes"}, "all", "none", {"R2": 1})
    return asked([
        *((f"edition {date!r}", {**level, "edition": date}) for date in (*dates, *bad_dates)),
        ("editions of two games", {**level, "edition": ["1999", "2014"]}),
        ("no editions", {**level, "edition": []}),
        ("house rules that ship", {**path, "overlays": ["divisional-integrity"]}),
        *((f"house rules {number}", {**march, "overlays": one}) for number, one in enumerate(overlays, 1)),
        *((f"readings {dump(one)}", {**shot, "readings": one, "explain": True}) for one in readings),
    ], "titm")  # fmt: skip


# ---------------------------------------------------------------------- faults
@group("faults-{}", *EACH_GAME)
def of_faults(game: str) -> Iterator[Record]:
    return asked([
        (f"{question['query']}: {wrong}", {**request, "input": inputs})
        for question, request in base_requests(game) for wrong, inputs in spoiled(question, request["input"])
    ], game)  # fmt: skip


@group("faults-of-situations-{}", *EACH_GAME)
def of_situations(game: str) -> Iterator[Record]:
    chosen: dict[str, tuple[Request, Mapping[str, Any]]] = {}
    for _, request in base_requests(game):
        for name, data in request["input"].items():
            if name in ("position", "battle") and isinstance(data, dict):
                best = chosen.get(name)
                if best is None or len(data) > len(best[1]):
                    chosen[name] = request, data
    return asked([
        (f"{name}: {wrong}", {**request, "input": {**request["input"], name: spoilt}})
        for name, (request, data) in chosen.items() for wrong, spoilt in spoiled_situation(data)
    ], game)  # fmt: skip


@group("faults-of-frames")
def of_frames() -> Iterator[Record]:
    good = {"id": 1, "edition": "1999", "query": "campaign_victory_level", "input": {"points": 36}}
    lines = {
        "no JSON": "{", "no object": "[1]", "a number": "1", "a key twice": '{"id": 1, "id": 2}',
        "not a number": '{"id": NaN}',
        "too deep": "[" * 80 + "]" * 80, "half a character": '{"id": "\\ud800"}', "a word": "campaign",
    }  # fmt: skip
    frames: dict[str, Request] = {
        "good": good, "with a case's fields": {**good, "title": "t", "expected": {}, "tags": [], "clauses": []},
        "no id": {key: value for key, value in good.items() if key != "id"},
        **{f"no {name}": {key: value for key, value in good.items() if key != name} for name in good if name != "id"},
        **{f"{name} of another type": {**good, name: {"x": []}} for name in ("edition", "query", "explain", "game")},
        "input of another type": {**good, "input": 1}, "a field more": {**good, "nonsense": 1},
        "many faults": {"a": 1, "b": 2},
        "explained": {**good, "explain": True}, "another game": {**good, "game": "cold-ford"},
        "unknown game": {**good, "game": "chess"}, "a path for a game": {**good, "game": "../x"},
        "unknown query": {**good, "query": "campaign_victory_levle"}, "long name": {**good, "query": "x" * 300},
        "too many editions": {**good, "edition": ["1999"] * 60},
    }  # fmt: skip
    return asked([*lines.items(), *frames.items()], "titm")


# ---------------------------------------------------------------------- whole games
STARTS = {name: game for game in GAMES for name, data in shipped(game).items() if is_played(data)}


@group("game-{}", *((name, game) for name, game in STARTS.items() if name not in SLOW_GAMES))
@group("game-{}", *((name, game) for name, game in STARTS.items() if name in SLOW_GAMES), slow=True)
def of_game(start: str, game: str) -> Iterator[Record]:
    """Play some turns over the protocol, and ask about each position all that can be asked about one.

    The action of a turn is one of the kind that was taken least; so the few turns take many kinds.
    """
    has_rules = (ROOT / "scenarios" / game / start / f"{start}.rules").is_file()
    frame = {"game": game, "edition": EDITIONS[game], "overlays": [start] if has_rules else []}
    position: Any = start
    taken: Counter[str] = Counter()
    before = None
    for turn in range(1, (TURNS if start in LONG_GAMES else FEW_TURNS) + 1):
        about = {"position": position}
        [listed] = ask([{**frame, "query": "legal_actions", "input": about}], game)
        yield Record(f"{turn}: legal_actions", listed, most=OF_POSITION)
        actions = listed["answer"]["actions"]
        if not actions:
            return
        chosen = _chosen(actions, taken, turn)
        taken[chosen["kind"]] += 1
        parts = {name: chosen[name] for name in ("kind", "by", "choices")}
        requests: dict[str, Request] = {
            "notation": {"query": "notation", "input": about},
            "judge": {"query": "judge", "input": {**about, "action": chosen["text"]}, "explain": turn <= 2},
            "outcomes": {"query": "outcomes", "input": {**about, "action": parts}},
            f"apply {chosen['text']}": {
                "query": "apply", "input": {**about, "action": parts, "dice": _dice(chosen, turn)},
            },
        }  # fmt: skip
        if before is not None:
            asks = {"query": "judge", "input": {**about, "action": before}, "explain": True}
            requests["judge the action before"] = asks
        for name, reply in zip(requests, ask([{**frame, **one} for one in requests.values()], game), strict=True):
            yield Record(f"{turn}: {name}", reply, most=OF_POSITION)
            if requests[name]["query"] == "apply":
                position = reply["answer"]["position"]
        before = parts


def _chosen(actions: Sequence[Mapping[str, Any]], taken: Counter[str], turn: int) -> Mapping[str, Any]:
    least = min(taken[action["kind"]] for action in actions)
    some = [action for action in actions if taken[action["kind"]] == least]
    return some[turn * 5 % len(some)]


def _dice(action: Mapping[str, Any], turn: int) -> list[int]:
    dice = action["dice"]
    if dice is None:
        return []
    return [dice["low"] + (turn * 3 + number * 2) % (dice["high"] - dice["low"] + 1) for number in range(dice["count"])]


@group("positions")
def of_positions() -> Iterator[Record]:
    """Ask the questions about whole games with all their inputs, and with wrong ones."""
    frame = {"edition": "1999"}
    start = {"position": "two-bridges"}
    [reply] = ask([{**frame, "query": "notation", "input": start}])
    known = {"position": {"ref": reply["digest"]}}
    battle = {"battle": shipped("titm")["combat-of-1999"]}
    fight = {"position": "two-bridges, g-tank@4, 21-2", "place": "4"}
    muster = {"kind": "muster", "by": "German", "choices": {"u": "g-mech"}}
    throw = {"position": "two-bridges, bridge 1-2 blown", "action": "German muster g-mech"}
    head = "game titm\nedition 1999\nstart two-bridges 9aa69d0e2ade6a76\n"
    requests: list[tuple[str, str, Mapping[str, Any]]] = [
        ("seen before", "notation", start), ("by digest", "legal_actions", known),
        ("a page", "legal_actions", {**known, "limit": 2, "offset": 3}),
        ("none", "legal_actions", {**known, "limit": 0}),
        ("of a kind", "legal_actions", {**known, "kinds": ["muster"]}),
        ("of a piece", "legal_actions", {**known, "actor": "g-mech"}),
        ("unknown kind", "legal_actions", {**known, "kinds": ["mustr"]}),
        ("unknown piece", "legal_actions", {**known, "actor": "g-mch"}),
        ("bad page", "legal_actions", {**known, "limit": -1, "offset": "x"}),
        ("unknown digest", "legal_actions", {"position": {"ref": "0" * 16}}),
        ("bad notation", "notation", {"position": "two-bridges, nobody@nowhere, 99-9"}),
        ("no such scenario", "notation", {"position": "two-brigdes, 21-2"}), ("no text", "notation", {"position": ""}),
        ("an empty board", "notation", {"position": "-"}), ("a number", "notation", {"position": 3}),
        ("by text", "judge", {**start, "action": "German muster g-mech"}),
        ("by parts", "judge", {**start, "action": muster}),
        ("illegal", "judge", {**start, "action": "Allied muster a-foot"}),
        ("no action", "judge", {**start, "action": ""}),
        ("unknown kind", "judge", {**start, "action": "German dance g-mech"}),
        ("unknown piece", "judge", {**start, "action": {**muster, "choices": {"u": "nobody"}}}),
        ("unknown choice", "judge", {**start, "action": {**muster, "choices": {"x": "g-mech"}}}),
        ("apply", "apply", {**start, "action": muster}),
        ("apply illegal", "apply", {**start, "action": "Allied muster a-foot"}),
        ("dice that are not thrown", "apply", {**start, "action": muster, "dice": [3]}),
        ("dice in the text", "apply", {**throw, "action": "German muster g-mech : 3"}),
        ("dice of a wrong type", "apply", {**start, "action": muster, "dice": ["x"]}),
        ("without dice", "outcomes", {**start, "action": muster}),
        ("illegal", "outcomes", {**start, "action": "Allied halt"}), ("battle of a place", "battle_of", fight),
        ("of no place", "battle_of", {**fight, "place": "nowhere"}),
        ("of a place without", "battle_of", {**start, "place": "7"}), ("of a battle", "odds", {**battle, "top": 3}),
        ("of a side", "odds", {**battle, "who": "attacker", "top": 1}),
        ("of artillery", "odds", {**battle, "who": "attacker", "n": 2}),
        ("of conditions", "choices", {
            **battle, "query": "fire_allocations", "who": "attacker", "where": ["not a1>d1"],
            "best": "most expected loss",
        }),
        ("of a line", "supply_lines", {**start, "of": "g-tank", "top": 2}),
        ("of the lines of a side", "supply_lines", {**start, "of": "Allied", "kinds": ["place"], "reach": True}),
        ("of the line of nobody", "supply_lines", {**start, "of": "nobody"}),
        ("of moves", "joint_moves", {**start, "stacks": [{"units": ["g-tank"], "to": ["3", "2"]}], "top": 1}),
        ("of no moves", "joint_moves", {**start, "stacks": [{"units": ["g-foot"], "to": ["H"]}]}),
        ("of a plan", "odds", {**battle, "who": "attacker", "plan": "a1>d1,a2>d2,a3>d1,a4>d2"}),
        ("of an illegal plan", "odds", {**battle, "who": "attacker", "plan": "a1>d1,a2>d1,a3>d1,a4>d1"}),
        ("of a place", "odds", {**fight, "who": "attacker"}),
        ("of a question", "odds", {**battle, "query": "fire_allocations"}), ("of nothing", "odds", {}),
        ("of an unknown plan", "odds", {**battle, "who": "attacker", "plan": "x>y"}),
        ("bad top", "odds", {**battle, "top": 0}), ("of another question", "odds", {**battle, "query": "to_hit"}),
        ("a head alone", "replay", {"record": head}),
        ("a line", "replay", {"record": f"{head}21-1 German muster g-mech\n"}),
        ("a wrong stamp", "replay", {"record": f"{head}21-2 German muster g-mech\n"}),
        ("no line", "replay", {"record": f"{head}nonsense\n"}), ("no record", "replay", {"record": ""}),
        ("another start", "replay", {"record": head.replace("9aa6", "0000")}),
        ("unknown start", "replay", {"record": head.replace("two-bridges", "nowhere")}),
        ("dice that are missing", "replay", {"record": f"{head}21-1 German muster g-mech : 3\n"}),
        ("until no line", "replay", {"record": head, "until": 0}),
    ]  # fmt: skip
    explained = ("judge", "apply")
    return asked([
        (f"{query}: {name}", {**frame, "query": query, "input": inputs, "explain": query in explained})
        for name, query, inputs in requests
    ], "titm", OF_POSITION)  # fmt: skip


# ---------------------------------------------------------------------- what there is
@group("listing-{}", *EACH_GAME)
def of_listing(game: str) -> Iterator[Record]:
    """List editions, readings and questions, and the schemas of all inputs."""
    listed = json.loads(run("oracle", "--list", "--game", game).stdout)
    whole = frozenset({"queries", "editions", "overlays"})
    readings, ships = listed.pop("readings"), listed.pop("ships")
    yield Record("ships", {what: {"names": list(named), "says": list(named.values())} for what, named in ships.items()})
    yield Record("list", listed, whole=whole)
    for name, reading in readings.items():
        texts = {**reading, "says": list(reading["choices"].values()), "choices": list(reading["choices"])}
        yield Record(f"reading {name}", texts, texts=frozenset({"question"}))
    yield from _schemas(json.loads(run("oracle", "--schemas", "--game", game).stdout))


def _schemas(schemas: Mapping[str, Any]) -> Iterator[Record]:
    """Yield the schema of each question; that of an input that several take is shown once.

    Definitions are put in place of the references to them: their names are those of classes, and free to change.
    """
    shown: dict[str, str] = {}
    for query, schema in schemas.items():
        plain = _inlined(schema, schema.get("$defs", {}))
        large = {name: one for name, one in plain.get("properties", {}).items() if len(dump(one)) > 400}
        for name, one in large.items():
            key = f"{name} {digest(dump(one), 8)}"
            if key not in shown:
                shown[key] = query
                yield Record(f"schema of {name}, first taken by {query}", one)
            plain["properties"][name] = f"as {shown[key]} takes it"
        yield Record(f"schema of {query}", plain)


def _inlined(value: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_inlined(one, definitions) for one in value]
    if not isinstance(value, dict):
        return value
    inlined = {
        name: _inlined(one, definitions) for name, one in value.items()
        if name not in ("$defs", "$ref") and not (name == "title" and isinstance(one, str))
    }  # fmt: skip
    if "$ref" not in value:
        return inlined
    return _inlined(definitions[value["$ref"].rpartition("/")[2]], definitions) | inlined


# ---------------------------------------------------------------------- slow
@group("sweep-editions-{}", *EACH_GAME, slow=True)
def of_all_editions(game: str) -> Iterator[Record]:
    """Ask all public cases of all editions with their reasons, in digests: one for each edition and layer.

    Cases of one number ask the same.
    """
    for case in {case["number"]: case for case in cases(game)}.values():
        explain = case["query"] != "replay"
        [reply] = ask([{**case, "edition": "all", "explain": explain}], game)
        if not reply["ok"]:
            yield Record(case["id"], reply)
            continue
        names = {**reply["answer"], **reply.get("errors", {})}
        said = [(field, value) for field, value in reply.items() if isinstance(value, dict)]
        under = {name: {field: value[name] for field, value in said if name in value} for name in names}
        parts = {name: Split(Record(name, one)) for name, one in under.items()}
        yield Record(
            case["id"],
            {name: digest(dump(part.structure), 8) for name, part in parts.items()} | {"changes": reply["changes"]},
            text=" ".join(digest(dump([part.texts, sorted(part.clauses.items())]), 8) for part in parts.values()),
        )


@group("sweep-open-readings", slow=True)
def of_open_readings() -> Iterator[Record]:
    start = {"position": "two-bridges"}
    muster = {"query": "judge", "input": {**start, "action": "German muster g-mech"}, "explain": True}
    return asked([
        ("judge, all readings", {**muster, "edition": "1999", "readings": "all"}),
        ("judge, all editions", {**muster, "edition": "all"}),
        ("legal_actions, all editions", {"edition": "all", "query": "legal_actions", "input": {**start, "limit": 3}}),
    ], "titm")  # fmt: skip
