"""Case files: a situation, and perhaps a question about it, as YAML or JSON; inputs as words."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from titm_rules.catalog import (
    CONFORMANCE_FOLDER,
    default_game,
    files_of,
    game_folder,
    game_folders,
    game_name,
    scenario_files,
)
from titm_rules.diagnostics import cut, did_you_mean
from titm_rules.files import open_file, within
from titm_rules.formats.safe_json import bad, parse_json, parse_yaml, read_data
from titm_rules.ir.model import FieldSpec, Model, Question
from titm_rules.ir.types import Amount, Measure, read_amount

FRAME = {"game": str, "edition": (str, int, date), "readings": dict, "query": str, "input": dict, "at": (str, int)}
NOTES = ("id", "title", "question", "source", "basis", "rebuilt", "expected", "layout", "trace")
BUILT = {"base": str, "changes": dict}
SCENARIO = {"situation", "map", "start", "victory"}
SUFFIXES = (".yaml", ".yml", ".json")
# Lists of cases in the folder of a game: in which clauses decide, and which show what sheets changed.
DECIDING_FILE, CHANGES_FILE = "deciding.jsonl", "changes.jsonl"
REPLAY = "replay"  # in place of a question, where a record is judged


@dataclass(frozen=True, slots=True)
class CaseText:
    """The content of a case file."""

    situation: str  # its name; `data` its values as in JSON
    data: Mapping[str, Any]
    query: str = ""  # the name of the question; empty if the file asks none
    inputs: Mapping[str, Any] = field(default_factory=dict)  # what the question takes besides the situation
    notes: Mapping[str, Any] = field(default_factory=dict)  # title, layout, expected answer


# ---------------------------------------------------------------------- files
def shipped_cases(game: str = "") -> dict[str, Path]:
    """Name the cases and scenarios of a game: by their folder, or, where it holds several, by their own names."""
    folders: dict[Path, list[Path]] = {}
    for path in scenario_files(game, "*/*.yaml"):
        folders.setdefault(path.parent, []).append(path)
    return {(folder if len(paths) == 1 else path).stem: path for folder, paths in folders.items() for path in paths}


def of_another(name: str, game: str) -> str:
    """Say which other game has a case or a scenario of some name; empty if none has."""
    mine = game_name(game or default_game())
    other = next((one for one in game_folders() if one != mine and name in shipped_cases(one)), "")
    return f"it belongs to the game `{other}`, and `{mine}` is asked" if other else ""


def find_case(name: Path, game: str = "") -> Path:
    """Find a file, or what ships under a name without an ending. Raises `InputError` if nothing does."""
    if name.suffix or name.is_file():
        return name
    shipped = shipped_cases(game)
    if str(name) not in shipped:
        what = f"`{str(name)[:80]}` is not a file, and nothing ships under this name"
        none = f"the game `{game_name(game or default_game())}` has no scenario; name a file"
        fix = did_you_mean(str(name), shipped) if shipped else none
        raise bad(what, "FILE", fix, "unknown-name", of_another(str(name), game))
    return shipped[str(name)]


def read_case_file(path: Path) -> Mapping[str, Any]:
    """Read a case, a scenario or a bare situation, types of the frame checked. Raises `InputError` for all else."""
    raw = read_data(path)
    if not isinstance(raw, dict) or not raw:
        raise bad("a case is an object", str(path), "write keys and values, such as `query: ...`", "bad-case")
    kinds: dict[str, Any] = {} if is_scenario(raw) else {**FRAME, **BUILT}
    for name, wanted in kinds.items():
        if name in raw and not isinstance(raw[name], wanted):
            what = f"`{name}` must be {'an object' if wanted is dict else 'a text'}"
            raise bad(what, f"{path}: $.{name}", kind="bad-value")
    return raw


def is_scenario(raw: Mapping[str, Any]) -> bool:
    return raw.keys() >= SCENARIO


def case_text(
    model: Model,
    raw: Mapping[str, Any],
    path: Path,
    on: tuple[str, Mapping[str, Any]] | None = None,
    home: Path | None = None,
) -> CaseText:
    """Sort what a case file says, or a file with the fields of a situation and nothing else.

    `on` is the situation that it is built on, by its name and values, where that is not one of a file; outside the
    folder `home` no file is read as a base (none: a base may lie anywhere). Raises `InputError` for values that are
    neither a case nor a situation.
    """
    situations = [name for name, record in model.records.items() if record.role == "situation"]
    if _is_bare(raw, situations):
        return CaseText(_fitting(model, situations, raw, path), raw)
    known = [*FRAME, *NOTES, *BUILT, *situations]
    if strange := sorted(str(name) for name in raw if name not in known):
        what, where = f"unknown field `{strange[0]}`", f"{path}: $.{strange[0]}"
        raise bad(what, where, did_you_mean(strange[0], known), "unknown-field")
    inputs, notes = dict(raw.get("input", {})), {name: raw[name] for name in NOTES if name in raw}
    found = {name: source.pop(name) for source in (inputs, dict(raw)) for name in situations if name in source}
    if "base" in raw:
        name, data, notes = (*on, notes) if on is not None else _base(model, raw, path, notes, home)
        found[name] = changed(data, raw.get("changes", {}), f"{path}: $.changes")
    if len(found) > 1:
        named = " and ".join(f"`{name}`" for name in found)
        raise bad(f"{named} cannot go together", str(path), "keep one situation", "bad-case")
    if not found:
        raise bad("the case gives no situation", str(path), f"add one of: {', '.join(situations)}", "missing-field")
    [(situation, data)] = found.items()
    if not isinstance(data, dict):
        raise bad(f"`{situation}` must be an object", f"{path}: $.{situation}", kind="bad-value")
    return CaseText(situation, data, raw.get("query", ""), inputs, notes)


def _is_bare(raw: Mapping[str, Any], situations: Sequence[str]) -> bool:
    """Whether a file holds the fields of a situation and nothing else."""
    return not any(name in raw for name in ("query", "input", "base", *situations))


def _fitting(model: Model, situations: Sequence[str], raw: Mapping[str, Any], path: Path) -> str:
    keys = set(raw)
    known = {name: {spec.json for spec in model.records[name].fields} for name in situations}
    for name, fields in known.items():
        if keys and keys <= fields:
            return name
    nearest = max(known, key=lambda name: len(keys & known[name]))
    strange = min(map(str, keys - known[nearest]), default="")
    what, why = f"`{strange}` is not a field of a {nearest}", "the file is neither a case nor a situation"
    raise bad(what, str(path), did_you_mean(strange, known[nearest]), "unknown-field", why)


# ---------------------------------------------------------------------- cases built on others
def _base(
    model: Model, raw: Mapping[str, Any], path: Path, notes: Mapping[str, Any], home: Path | None
) -> tuple[str, Any, dict[str, Any]]:
    """Take the situation of another file, which may hold nothing else."""
    target = Path(raw["base"])
    if target.suffix not in SUFFIXES:
        what, fix = "a base is what ships, or a YAML or JSON file", "write the name of a scenario or of a file"
        raise bad(what, f"{path}: $.base", fix, "bad-value")
    found = path.parent / target
    if home is not None and within(home, found.absolute()) is None:
        what, why = f"`{cut(str(target))}` is not a base", "it lies outside the scenarios of the game"
        raise bad(what, f"{path}: $.base", "put the file there", "no-file", why)
    situations = [name for name, record in model.records.items() if record.role == "situation"]
    other = read_data(found)
    if isinstance(other, dict) and other and _is_bare(other, situations):
        return _fitting(model, situations, other, found), other, dict(notes)
    names = [name for name in situations if isinstance(other, dict) and isinstance(other.get(name), dict)]
    if len(names) != 1:
        fix = f"known: {', '.join(situations)}"
        raise bad("a base holds one situation, under its name or by its fields alone", str(target), fix, "bad-case")
    kept = {name: other[name] for name in NOTES if name in other}
    return names[0], other[names[0]], {**kept, **notes}


def changed(data: Mapping[str, Any], changes: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Change fields, and rows of lists by id; nothing takes a row away. Raises `InputError` if it is not there."""
    result = dict(data)
    for name, change in changes.items():
        old = data.get(name, [])
        if not (isinstance(change, dict) and isinstance(old, list)):
            result[name] = change
            continue
        records = {item["id"]: item for item in old if isinstance(item, dict) and "id" in item}
        for identity, fields in change.items():
            records[identity] = _changed_record(records, identity, fields, f"{where}.{name}.{identity}")
        result[name] = [item for item in records.values() if item is not None]
    return result


def _changed_record(records: Mapping[str, Any], identity: str, fields: object, where: str) -> Any:
    if fields is None and identity not in records:
        what = f"`{identity}` is not there to be taken away"
        raise bad(what, where, did_you_mean(str(identity), records), "unknown-name")
    if fields is not None and not isinstance(fields, dict):
        raise bad("a changed record is given by its new fields", where, kind="bad-value")
    return None if fields is None else {"id": identity, **records.get(identity, {}), **fields}


# ---------------------------------------------------------------------- cases whose answers are known
def known_case(name: str, game: str) -> Mapping[str, Any] | None:
    """Find a question of which the answer is known, with what it is asked of, by its id, or by the clause it opens."""
    asked = (case for case in known_cases(game or default_game()) if case["query"] != REPLAY)
    return next((case for case in asked if name in (case["id"], case.get("clause"))), None)


def known_cases(game: str) -> Iterator[dict[str, Any]]:
    """Yield the cases of a game whose answers are known: those of conformance, and those of its other lists."""
    yield from conformance_cases(game)
    for name in (DECIDING_FILE, CHANGES_FILE):
        yield from listed_cases(game, name)


def listed_cases(game: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield the cases of a list of a game; none if it has no such list."""
    path = game_folder(game) / name
    if path.is_file():
        yield from read_cases(path)


def conformance_cases(game: str) -> Iterator[dict[str, Any]]:
    for path in files_of(game, f"{CONFORMANCE_FOLDER}/*.jsonl"):
        yield from read_cases(path)


def read_cases(path: Path) -> Iterator[dict[str, Any]]:
    """Read cases, one a line; a file or a line that cannot be read is an `InputError`."""
    try:
        with io.TextIOWrapper(open_file(path, fix="name a file of cases"), encoding="utf-8") as lines:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    yield _case(text, f"{path}:{number}")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise bad(f"cannot read the file: {reason}", str(path), "name a file of cases", "no-file") from None


def _case(text: str, where: str) -> dict[str, Any]:
    case = parse_json(text, where)
    if not isinstance(case, dict) or not isinstance(case.get("expected"), dict):
        raise bad("a case is a request with its `expected` answer", where, kind="bad-case")
    return {"id": "", "game": default_game(), "edition": "", "query": "", **case}


# ---------------------------------------------------------------------- inputs as words
def parse_words(question: Question, words: Sequence[str]) -> dict[str, Any]:
    """Parse `name=value` words by the types of the question. Raises `InputError` for words that do not fit."""
    fields = {spec.json: spec for spec in question.inputs}
    found = {}
    for word in words:
        name, equals, text = word.partition("=")
        key = name.replace("-", "_")
        if not equals:
            raise bad(f"`{word}` is not an input", question.name, "write NAME=VALUE", "bad-value")
        if key not in fields:
            raise bad(f"`{question.name}` takes no `{name}`", word, did_you_mean(key, fields), "unknown-field")
        found[key] = _parse_value(fields[key], text, word)
    return found


def _parse_value(spec: FieldSpec, text: str, where: str) -> Any:
    if spec.type.optional and text == "nothing":
        return None
    if text[:1] in ("{", "["):
        return parse_yaml(text, where)
    match spec.type.kind:
        case "flag":
            if text not in ("yes", "no", "true", "false"):
                raise bad(f"`{text}` is not a flag", where, "write yes or no", "bad-value")
            return text in ("yes", "true")
        case "number" if spec.type.measure is not None:
            return _amount(spec.type.measure, text, where)
        case "number":
            return _number(text, where)
        case "path" | "set" | "sequence" | "pair":
            parts = [part.strip(" ") for part in text.split(",") if part.strip(" ")]
            return [_number(part, where) for part in parts] if spec.type.name == "number" else parts
        case "assignment":
            return dict(_pair(part, where) for part in text.split(",") if part.strip(" "))
    return text


def _number(text: str, where: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > 10:
        raise bad(f"`{text}` is not a number", where, "write a whole number", "bad-value")
    return int(text)


def _amount(measure: Measure, text: str, where: str) -> int:
    found = read_amount(text, measure)
    if found is None:
        fix = f"write a multiple of 1/{measure.parts}, as `{Amount(measure.parts + 1, measure.parts)}`"
        raise bad(f"`{cut(text)}` is not a number of {measure.name}", where, fix, "bad-value")
    return found


def _pair(part: str, where: str) -> tuple[str, str]:
    one, arrow, other = part.strip(" ").partition(">")
    if not arrow or not one or not other:
        raise bad(f"`{part}` is not a pair", where, "write FIRST>SECOND, with commas between pairs", "bad-value")
    return one, other
