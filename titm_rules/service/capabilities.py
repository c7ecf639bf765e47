"""List what the protocol offers: editions, readings, questions and schemas."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pydantic import TypeAdapter

from titm_rules.catalog import default_game, files_of, game_name
from titm_rules.diagnostics import Fault, InputError, TitmError, cut, did_you_mean
from titm_rules.editions.house_rules import shipped_overlays
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions
from titm_rules.files import read_text
from titm_rules.formats.case_files import conformance_cases, is_scenario, read_case_file, shipped_cases
from titm_rules.formats.file_schemas import DEFS, question_schemas
from titm_rules.formats.record_schemas import AnswerSchemas, class_name, object_type, schemas_of
from titm_rules.formats.safe_json import read_data
from titm_rules.ir.model import MISSING, FieldSpec, Model, Question
from titm_rules.ir.types import Type, amount
from titm_rules.maps.maps import map_paths
from titm_rules.maps.scenarios import scenario_folders
from titm_rules.service import records
from titm_rules.service.protocol import IGNORED
from titm_rules.service.queries import POSITION, VIEW_OF, queries_of

# ---------------------------------------------------------------------- listing
VERSION = 2
_END_OF_SENTENCE = re.compile(r"(?<=[.?!]) ")


def listing(game: str = "") -> records.ListingTold:
    """List editions, readings with their choices by edition (the default first), house rules, and queries."""
    infos = list_editions(game)
    models = {info.name: load_model(info.name, game) for info in infos}
    newest = models[infos[-1].name]
    return {
        "protocol": VERSION,
        "game": newest.game,
        "editions": [{"edition": info.name, "title": info.title} for info in infos],
        "overlays": sorted(shipped_overlays(game)),
        "ships": what_ships(newest),
        "readings": _readings(models),
        "queries": [*newest.questions, *(name for name in queries_of(newest) if name not in newest.questions)],
    }


def what_ships(model: Model) -> dict[str, dict[str, str]]:
    """Name the scenarios, positions, maps and house rules of a game, each with a sentence about it."""
    scenarios, cases = scenario_folders(model.home), shipped_cases(model.home)
    found = {
        "scenarios": {name: path for name, path in cases.items() if name in scenarios},
        "positions": {name: path for name, path in cases.items() if name not in scenarios},
        "maps": map_paths(model), "overlays": shipped_overlays(model.home),
    }  # fmt: skip
    return {what: {name: _sentence(path) for name, path in sorted(paths.items())} for what, paths in found.items()}


def _sentence(path: Path) -> str:
    """Give the first sentence of the comment that a file begins with; without one, its title and what it asks."""
    lines = takewhile(lambda line: line.startswith("#"), read_text(path).splitlines())
    told = " ".join(line.lstrip("# ") for line in lines)
    if told or path.suffix == ".rules":
        return _END_OF_SENTENCE.split(told, 1)[0]
    raw = read_data(path)
    return ": ".join(str(raw[name]) for name in ("title", "question") if name in raw)


def _readings(models: Mapping[str, Model]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for date, model in models.items():
        for reading in model.readings.values():
            if len(reading.offered) < 2:
                continue
            record = found.setdefault(reading.name, {"question": reading.question, "choices": {}, "editions": {}})
            texts = dict(zip(reading.choices, reading.texts, strict=True))
            record["choices"] |= {choice: texts[choice] for choice in reading.offered}
            others = [choice for choice in reading.offered if choice != reading.default]
            record["editions"][date] = [reading.default, *others]
            record |= {"default": reading.default, "because": reading.because}
    return found


def schemas(game: str = "") -> dict[str, Any]:
    """Give the JSON Schema of the input of every query, by name."""
    model = load_model(list_editions(game)[-1].name, game)
    of_games = {name: query.input.model_json_schema() for name, query in queries_of(model).items()}
    return {**of_games, **question_schemas(model)}


# ---------------------------------------------------------------------- schemas of replies
FRAME = {"error": records.ErrorReply, "list": records.ListingTold, "request": records.Request}


def reply_schemas(game: str = "") -> Json:
    """Give the JSON Schemas of the request and the reply of every query, and of the types of the frame.

    They are in `queries` and `types`; what they refer to is in `$defs`. A request names a game that is not the default.
    """
    model = load_model(list_editions(game)[-1].name, game)
    walk = AnswerSchemas(model)
    shown = {view: object_type(f"{class_name(view)}Shown", {view: schemas_of(model).record(view), "digest": str})
             for view in model.views}  # fmt: skip
    answers = {name: query.answers or shown[name.removesuffix(VIEW_OF)] for name, query in queries_of(model).items()}
    answers |= {name: walk.answer_of(question) for name, question in model.questions.items()}
    summary = object_type("Summary", walk.parts(model.summaries.get(POSITION, ()), "Summary"))
    made = {**FRAME, "given": records.PositionGiven, "summary": summary}
    made |= {f"of {name}": records.reply_of(class_name(name), answer) for name, answer in answers.items()}
    keyed, whole = TypeAdapter.json_schemas([(name, "validation", TypeAdapter(one)) for name, one in made.items()])
    found, defs, queries = {name: schema for (name, _), schema in keyed.items()}, whole["$defs"], {}
    defs["SummaryTold"] = defs.pop("Summary") | {"title": "SummaryTold"}
    request = defs["Request"]
    request["properties"] |= {name: {"description": "is ignored"} for name in sorted(IGNORED)}
    is_usual = game_name(game or default_game()) == game_name(default_game())
    about = {} if is_usual else {"game": {"const": game_name(game)}}
    for name, schema in schemas(game).items():
        title, given = class_name(name), schema["properties"]
        if POSITION in given and name in model.questions:  # in full; in a request it may be given in other ways too
            defs["PositionTold"], given[POSITION] = given[POSITION], found["given"]
        defs |= {**schema.pop("$defs", {}), f"{title}Input": schema | {"title": f"{title}Input"}}
        own = {"query": {"const": name}, "input": {"$ref": f"{DEFS}{title}Input"}, **about}
        defs[f"{title}Request"] = {
            **request, "title": f"{title}Request", "properties": request["properties"] | own,
            "required": [*request["required"], *about],
        }  # fmt: skip
        queries[name] = {"request": {"$ref": f"{DEFS}{title}Request"}, "reply": found[f"of {name}"]}
    return {"queries": queries, "types": {name: found[name] for name in FRAME}, "$defs": defs}


# ---------------------------------------------------------------------- questions
EXAMPLES = "examples.txt"
Json = dict[str, Any]
# what an answer holds, by the kind of search that the question asks for; {} is replaced by the name in the answer
ANSWERS = {
    "ends": "{}: each place where the move may end, with its cheapest cost",
    "cost": "{}: the cheapest, or null if no way exists",
    "path": "`legal`, and `cost` if it is legal",
    "closings": "{}: the places where it can end in that way",
    "choices": "`count`, `sha256` of the sorted lines, and the lines if there are at most 130: {}",
    "choice": "`legal`",
    "roll": "`factor`, `drms` by name, `highest`: the highest die that succeeds (0: none)",
}
WRITTEN = {
    "path": "PLACE,PLACE", "assignment": "ID>ID,ID>ID", "sequence": "ID,ID", "place": "PLACE", "number": "NUMBER",
    "flag": "yes", "text": "TEXT",
}  # fmt: skip


@dataclass(frozen=True)
class QuestionTold:
    """A question as people see it."""

    name: str
    says: str
    about: str  # the situation; empty if it is about none
    # how each input is written, what it is, and its default; `MISSING` if it has to be there
    takes: tuple[tuple[str, str, Any], ...]
    answer: str
    form: str  # how it is put on the command line; `example` is a line to try, `board` the link to the board with it
    example: str
    board: str

    def record(self) -> Json:
        takes = [
            {"name": name, "type": kind, **({} if default == MISSING else {"default": default})}
            for name, kind, default in self.takes
        ]
        told = {"query": self.name, "says": self.says, "about": self.about or None, "takes": takes}
        return {
            **told,
            "answer": self.answer,
            "form": self.form,
            "example": self.example or None,
            "board": self.board or None,
        }


def questions_told(model: Model, name: str = "") -> list[QuestionTold]:
    """Tell of all questions of the rules, or of one; an unknown name is an `InputError`."""
    if name and name not in model.questions:
        what, fix = f"unknown question `{cut(name)}`", did_you_mean(name, model.questions)
        raise InputError([Fault(what, "NAME", "", fix, kind="unknown-query")])
    examples = _examples(model.home)
    return [_told(model, question, examples) for one, question in model.questions.items() if name in ("", one)]


def _told(model: Model, question: Question, examples: Mapping[str, Example]) -> QuestionTold:
    inputs = [(spec, _default(spec)) for spec in question.inputs]
    words = [f"{spec.json}={_written(model, spec.type)}" for spec, _ in inputs]
    said = [word if default == MISSING else f"[{word}]" for word, (_, default) in zip(words, inputs, strict=True)]
    form = " ".join(["titm check", *(["FILE"] if question.situation else []), question.name, *said])
    takes = tuple((spec.json, told_type(spec.type), default) for spec, default in inputs)
    one = examples.get(question.name)
    line, link = (one.line, one.link) if one is not None else ("", "")
    return QuestionTold(
        question.name, question.says, question.situation, takes, told_answer(question), form, line, link
    )  # fmt: skip


def _default(spec: FieldSpec) -> Any:
    if spec.same_as:
        return f"the same as {' of '.join(spec.same_as)}"
    return list(spec.default) if isinstance(spec.default, tuple) else spec.default


def _written(model: Model, kind: Type) -> str:
    if kind.kind == "enum":
        return "|".join(model.enums[kind.name].texts)
    record = model.records.get(kind.name)
    one = "PLACE" if record is not None and record.role == "place" else WRITTEN.get(kind.name, "ID")
    return f"{one},{one}" if kind.kind in ("set", "pair") else WRITTEN.get(kind.kind, one)


def told_type(kind: Type) -> str:
    """Describe the type of a field; a number with its bounds."""
    text = str(kind).replace(" or nothing", " or null")
    if kind.kind != "number" or kind.low is None or kind.high is None:
        return text
    low, high = amount(kind.measure, kind.low), amount(kind.measure, kind.high)
    return f"{text} {low} to {high}"


def told_answer(question: Question) -> str:
    told = question.names or tuple(name for name, _ in question.answers)
    names = ", ".join(f"`{name}`" for name in told if name not in {spec.name for spec in question.inputs})
    return ANSWERS.get(question.ask, "{}").format(names)


# ---------------------------------------------------------------------- lines to try
BOARD = "http://127.0.0.1:8000/"  # where `titm serve` serves


@dataclass(frozen=True)
class Example:
    """A question that can be put as it is: what stands behind `titm check`, the first of which names the position."""

    game: str
    words: tuple[str, ...]

    @property
    def line(self) -> str:
        option = () if self.game == game_name(default_game()) else ("--game", self.game)
        return " ".join(["titm check", *option, *(_quoted(word) for word in self.words)])

    @property
    def link(self) -> str:
        """The link to the board with the same question: in words, or as a case that holds it."""
        base, *asked = self.words
        if asked and "=" in asked[0]:
            about = {"ask": " ".join(self.words)}  # a question that is about no position
        else:
            about = {"position": base, "ask": " ".join(asked)} if asked else {"case": base}
        return f"{BOARD}#?{urlencode({'game': self.game, **about}, safe=',@>=')}"


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word


@lru_cache(maxsize=8)
def _examples(game: str) -> Mapping[str, Example]:
    """Find an example of each question: one that the game gives, a case that ships, or one known by its answer."""
    name = game_name(game or default_game())
    found = [*_of_conformance(game), *_asking(game), *_given(game)]
    return {query: Example(name, tuple(words)) for query, words in found}


def _given(game: str) -> Iterator[tuple[str, list[str]]]:
    for path in files_of(game, EXAMPLES):
        for line in read_text(path).splitlines():
            words = [] if line.startswith("#") else shlex.split(line)
            if words:
                yield next((word for word in words[1:] if "=" not in word), words[0]), words


def _asking(game: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the cases that ship and ask a question, each with it; of several the first comes last."""
    for name, path in reversed(shipped_cases(game).items()):
        try:
            raw = read_case_file(path)
        except TitmError:
            continue
        if not is_scenario(raw) and "query" in raw:
            yield str(raw["query"]), [name]


def _of_conformance(game: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the conformance cases that have an answer, each with its question; the shortest comes last."""
    known = (case for case in conformance_cases(game) if not Path(case["id"]).suffix)
    cases = [case for case in known if "undetermined" not in case["expected"]]
    for case in sorted(cases, key=lambda case: -len(json.dumps(case["input"]))):
        yield case["query"], [case["id"]]
