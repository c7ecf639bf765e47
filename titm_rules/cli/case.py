"""Case files: a situation, and perhaps a question about it, as YAML or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from titm_rules.diagnostics import Fault, InputError, did_you_mean
from titm_rules.edges.jsonin import bad, read_data
from titm_rules.editions.load import edition_on
from titm_rules.model.model import FieldSpec, Model, Question
from titm_rules.oracle.answer import find_question
from titm_rules.oracle.edition import Edition
from titm_rules.vocabulary.data import data_folder

FRAME = {"edition": (str, int, date), "readings": dict, "query": str, "input": dict}
NOTES = ("id", "title", "question", "source", "basis", "rebuilt", "expected", "layout", "trace")
BUILT = {"base": str, "changes": dict}
SCENARIO = {"situation", "map", "start", "victory"}
SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Options:
    """What the command line says about the rules; it goes before what the file says."""

    edition: str | None = None
    readings: Sequence[str] = ()
    engine: str = Edition.engine
    as_json: bool = False
    overlays: Sequence[str] = ()
    under: str | None = None

    @property
    def all_readings(self) -> bool:
        """Whether no reading is fixed.

        Raises:
            InputError: for a word other than `all`.
        """
        if self.under not in (None, "all"):
            raise bad(f"`{self.under}` is not `all`", "--readings", "fix one reading with --reading NAME=CHOICE")
        return self.under == "all"


@dataclass(frozen=True)
class Case:
    """A situation under an edition, and perhaps a question.

    Attributes:
        situation: the name of the situation; `data` its values as in JSON.
        query: the name of the question; empty if the file asks none.
        inputs: what the question takes besides the situation.
        notes: the other keys of the file (title, layout, expected answer).
    """

    edition: Edition
    situation: str
    data: Mapping[str, Any]
    query: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)

    def full_input(self, query: str, words: Sequence[str] = ()) -> dict[str, Any]:
        """Give the input of a question: the situation, the file's inputs, and `name=value` words.

        Raises:
            InputError: for an unknown question, or words that do not fit what it takes.
        """
        question = find_question(self.edition.model, query)
        given = dict(self.inputs) if query == self.query else {}
        return {self.situation: self.data, **given, **parse_words(question, words)}


def split_words(case: Case, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Tell the name of the question from the `name=value` words after it.

    Raises:
        InputError: if neither the words nor the file name a question.
    """
    if words and "=" not in words[0]:
        return words[0], words[1:]
    if not case.query:
        known = [name for name, q in case.edition.questions.items() if q.situation == case.situation]
        raise bad("no question is asked", "QUERY", did_you_mean("", known), "missing-field")
    return case.query, words


def shipped_cases() -> dict[str, Path]:
    """Name the files that ship: by their folder, or, where it holds several, by themselves."""
    folders: dict[Path, list[Path]] = {}
    for path in sorted(data_folder("scenarios").glob("*/*.yaml")):
        folders.setdefault(path.parent, []).append(path)
    return {(folder if len(paths) == 1 else path).stem: path for folder, paths in folders.items() for path in paths}


def find_case(name: Path) -> Path:
    """Find a file; a name without an ending is that of a scenario or a case that ships.

    Raises:
        InputError: if nothing ships under the name.
    """
    if name.suffix or name.is_file():
        return name
    shipped = shipped_cases()
    if str(name) not in shipped:
        what = f"`{str(name)[:80]}` is no file, and nothing ships under this name"
        raise bad(what, "FILE", did_you_mean(str(name), shipped), "unknown-name")
    return shipped[str(name)]


def open_case(path: Path, options: Options) -> Case:
    """Read a case file, or what ships under a name.

    Raises:
        InputError: for a file that is no case and no situation, or a name under which nothing ships.
    """
    path = find_case(path)
    raw = read_data(path)
    if not isinstance(raw, dict) or not raw:
        raise bad("a case is an object", str(path), "write keys and values, such as `query: ...`", "bad-case")
    if raw.keys() >= SCENARIO:
        return _scenario(path, raw, options)
    kinds: dict[str, Any] = {**FRAME, **BUILT}
    for name, wanted in kinds.items():
        if name in raw and not isinstance(raw[name], wanted):
            raise bad(
                f"`{name}` must be {'an object' if wanted is dict else 'a text'}", f"{path}: $.{name}", kind="bad-value"
            )
    dated = options.edition or str(raw.get("edition", Edition.date))
    edition = Edition(edition_on(dated), _readings(raw, options), options.engine, overlays=tuple(options.overlays))
    situations = [name for name, record in edition.model.records.items() if record.role == "situation"]
    if not any(name in raw for name in ("query", "input", "base", *situations)):
        return Case(edition, _fitting(edition.model, situations, raw, path), raw)
    _only_known(raw, [*FRAME, *NOTES, *BUILT, *situations], path)
    return _framed(edition, situations, raw, path)


def _scenario(path: Path, raw: Mapping[str, Any], options: Options) -> Case:
    """Take the position that a scenario begins with; its special rules lie over those of the edition."""
    from titm_rules.board.scenarios import read_scenario

    dated = edition_on(options.edition or str(raw.get("edition", Edition.date)))
    scenario = read_scenario(Edition(dated).model, path)
    overlays = (*scenario.overlays, *options.overlays)
    edition = Edition(dated, _readings({}, options), options.engine, overlays=overlays)
    return Case(edition, scenario.situation, scenario.position, notes={"title": scenario.data["title"]})


def _readings(raw: Mapping[str, Any], options: Options) -> dict[str, str]:
    chosen = {str(name): str(choice) for name, choice in raw.get("readings", {}).items()}
    for word in options.readings:
        name, equals, choice = word.partition("=")
        if not equals:
            raise bad(f"`{word}` is no reading", "--reading", "write NAME=CHOICE", "bad-value")
        chosen[name] = choice
    return chosen


def _framed(edition: Edition, situations: Sequence[str], raw: Mapping[str, Any], path: Path) -> Case:
    inputs, notes = dict(raw.get("input", {})), {name: raw[name] for name in NOTES if name in raw}
    found = {name: source.pop(name) for source in (inputs, dict(raw)) for name in situations if name in source}
    if "base" in raw:
        name, data, notes = _base(raw, situations, path, notes)
        found[name] = data
    if len(found) > 1:
        raise bad(
            f"{' and '.join(f'`{name}`' for name in found)} cannot stand together",
            str(path),
            "keep one situation",
            "bad-case",
        )
    if not found:
        raise bad("the case gives no situation", str(path), f"add one of: {', '.join(situations)}", "missing-field")
    [(situation, data)] = found.items()
    if not isinstance(data, dict):
        raise bad(f"`{situation}` must be an object", f"{path}: $.{situation}", kind="bad-value")
    return Case(edition, situation, data, raw.get("query", ""), inputs, notes)


def _fitting(model: Model, situations: Sequence[str], raw: Mapping[str, Any], path: Path) -> str:
    """Name the situation that has all the keys of a bare file."""
    keys = set(raw)
    known = {name: {spec.json for spec in model.records[name].fields} for name in situations}
    for name, fields in known.items():
        if keys and keys <= fields:
            return name
    nearest = max(known, key=lambda name: len(keys & known[name]))
    strange = next(iter(sorted(map(str, keys - known[nearest]))), "")
    raise InputError(
        [
            Fault(
                f"`{strange}` is no field of a {nearest}",
                str(path),
                "the file is no case and no situation",
                did_you_mean(strange, known[nearest]),
                kind="unknown-field",
            )
        ]
    )


def _only_known(raw: Mapping[str, Any], known: Sequence[str], path: Path) -> None:
    strange = sorted(str(name) for name in raw if name not in known)
    if strange:
        raise bad(
            f"unknown field `{strange[0]}`", f"{path}: $.{strange[0]}", did_you_mean(strange[0], known), "unknown-field"
        )


# ---------------------------------------------------------------------- cases built on others
def _base(
    raw: Mapping[str, Any], situations: Sequence[str], path: Path, notes: Mapping[str, Any]
) -> tuple[str, Any, dict[str, Any]]:
    """Take the situation of another file and change it as the case says."""
    target = Path(raw["base"])
    if target.is_absolute() or target.suffix not in SUFFIXES:
        raise bad(
            "a base is a YAML or JSON file, named from the folder of the case", f"{path}: $.base", kind="bad-value"
        )
    other = read_data(path.parent / target)
    names = [name for name in situations if isinstance(other, dict) and isinstance(other.get(name), dict)]
    if len(names) != 1:
        raise bad(
            "a base holds one situation under its name", str(target), f"known: {', '.join(situations)}", "bad-case"
        )
    kept = {name: other[name] for name in NOTES if name in other}
    return names[0], changed(other[names[0]], raw.get("changes", {}), f"{path}: $.changes"), {**kept, **notes}


def changed(data: Mapping[str, Any], changes: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Change a situation: a field gets its new value, a list of records its changed records.

    Changes map a field to its value; a list of records they map by id to new fields, or to
    nothing for a record that goes. An id that is not there is a record that comes.

    Raises:
        InputError: if a record that goes is not there.
    """
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


def _changed_record(records: Mapping[str, Any], identity: str, fields: Any, where: str) -> Any:
    if fields is None and identity not in records:
        raise bad(
            f"`{identity}` is not there to be taken away", where, did_you_mean(str(identity), records), "unknown-name"
        )
    if fields is not None and not isinstance(fields, dict):
        raise bad("a changed record is given by its new fields", where, kind="bad-value")
    return None if fields is None else {"id": identity, **records.get(identity, {}), **fields}


# ---------------------------------------------------------------------- inputs as words
def parse_words(question: Question, words: Sequence[str]) -> dict[str, Any]:
    """Parse `name=value` words by the types that the question declares.

    Raises:
        InputError: for a word without a value, an unknown name or a value that cannot be read.
    """
    fields = {spec.json: spec for spec in question.inputs}
    found = {}
    for word in words:
        name, equals, text = word.partition("=")
        key = name.replace("-", "_")
        if not equals:
            raise bad(f"`{word}` is no input", question.name, "write NAME=VALUE", "bad-value")
        if key not in fields:
            raise InputError(
                [
                    Fault(
                        f"`{question.name}` takes no `{name}`",
                        word,
                        "",
                        did_you_mean(key, fields),
                        kind="unknown-field",
                    )
                ]
            )
        found[key] = parse_value(fields[key], text, word)
    return found


def parse_value(spec: FieldSpec, text: str, where: str) -> Any:
    """Turn the text of an input into the JSON value of its type.

    Raises:
        InputError: for a text that is no value of the type.
    """
    if spec.type.optional and text == "nothing":
        return None
    match spec.type.kind:
        case "flag":
            if text not in ("yes", "no", "true", "false"):
                raise bad(f"`{text}` is no flag", where, "write yes or no", "bad-value")
            return text in ("yes", "true")
        case "number":
            if not text.removeprefix("-").isdecimal() or len(text) > 10:
                raise bad(f"`{text}` is no number", where, "write a whole number", "bad-value")
            return int(text)
        case "path" | "set" | "sequence" | "pair":
            return [part.strip() for part in text.split(",") if part.strip()]
        case "assignment":
            return dict(_pair(part, where) for part in text.split(",") if part.strip())
    return text


def _pair(part: str, where: str) -> tuple[str, str]:
    one, arrow, other = part.strip().partition(">")
    if not arrow or not one or not other:
        raise bad(f"`{part}` is no pair", where, "write FIRST>SECOND, with commas between pairs", "bad-value")
    return one, other
