"""The JSON-lines protocol: one request a line in, one answer a line out, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from titm_rules.diagnostics import Fault, TitmError
from titm_rules.edges.jsonin import MAX_BYTES, bad, parse_json
from titm_rules.edges.maps import question_schema
from titm_rules.editions.load import list_editions, load_model
from titm_rules.model.model import Model
from titm_rules.oracle.edition import Edition

VERSION = 1
IGNORED = frozenset({"expected", "source", "basis", "rebuilt"})
FIELDS = frozenset({"id", "edition", "readings", "query", "input", "explain"})


@lru_cache(maxsize=64)
def _edition(date: str, readings: tuple[tuple[str, str], ...], engine: str) -> Edition:
    return Edition(date, dict(readings), engine)


class Oracle:
    """Serves the protocol; keeps no state between requests.

    Args:
        engine: compiled, library or naive.
    """

    def __init__(self, engine: str = "compiled") -> None:
        self.engine = engine

    def serve(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield an answer line for every request line; blank lines are passed over."""
        for raw in lines:
            if raw.strip():
                yield self.answer_line(raw)

    def answer_line(self, raw: bytes | str) -> str:
        """Answer one line; whatever it holds, the answer is a line of JSON."""
        identity: Any = None
        try:
            request = self._parse(raw)
            identity = request.get("id") if isinstance(request, dict) else None
            answer = self._answer(request)
            return json.dumps({"id": identity, "ok": True, **answer}, ensure_ascii=False)
        except TitmError as error:
            return json.dumps({"id": identity, "ok": False, "error": error_record(error)}, ensure_ascii=True)

    def _parse(self, raw: bytes | str) -> Any:
        if isinstance(raw, bytes):
            if len(raw) > MAX_BYTES:
                raise bad("the line is over 8 MiB", "$", "send less at a time", "too-large")
            try:
                raw = raw.decode("utf-8")
            except UnicodeDecodeError:
                raise bad("the line is not UTF-8", "$") from None
        return parse_json(raw)

    def _answer(self, request: Any) -> dict[str, Any]:
        frame = _frame(request)
        edition = _edition(frame["edition"], tuple(sorted(frame["readings"].items())), self.engine)
        query, inputs = frame["query"], frame["input"]
        if not frame["explain"]:
            notes = [note for situation in inputs.values() for note in edition.notes(situation)]
            return {"answer": edition.answer(query, inputs), **({"notes": notes} if notes else {})}
        verdict = edition.verdict(query, inputs)
        return {"answer": verdict.answer, **verdict.explanation()}


def _frame(request: Any) -> dict[str, Any]:
    """Check the frame of a request."""
    if not isinstance(request, dict):
        raise bad("a request is a JSON object", "$", kind="bad-request")
    unknown = sorted(set(request) - FIELDS - IGNORED)
    if unknown:
        raise bad(
            f"unknown field `{unknown[0][:80]}`",
            f"$.{unknown[0][:80]}",
            f"known: {', '.join(sorted(FIELDS))}",
            "unknown-field",
        )
    frame = {"readings": {}, "explain": False, **request}
    for name, wanted, what in (
        ("edition", str, "a text such as \"1999\""), ("query", str, "the name of a query"),
        ("input", dict, "an object"), ("readings", dict, "an object"), ("explain", bool, "true or false"),
    ):  # fmt: skip
        if name not in frame:
            raise bad(f"`{name}` is missing", f"$.{name}", f"add {what}", "missing-field")
        if not isinstance(frame[name], wanted):
            raise bad(f"`{name}` must be {what}", f"$.{name}", f"send {what}", "bad-value")
    for name, choice in frame["readings"].items():
        if not isinstance(choice, str):
            raise bad("a reading is named by a text", f"$.readings.{name[:80]}", kind="bad-value")
    return frame


def error_record(error: TitmError) -> dict[str, Any]:
    """Give an error as the protocol writes it: the first fault, and how many more there are."""
    fault: Fault = error.faults[0] if error.faults else Fault("unknown error", "$")
    record = {
        "kind": fault.kind,
        "at": str(fault.where),
        "message": fault.what + (f" ({fault.why})" if fault.why else ""),
        "fix": fault.fix,
    }
    if len(error.faults) > 1:
        record["more"] = str(len(error.faults) - 1)
    return record


def listing(game: str = "titm") -> dict[str, Any]:
    """List editions, readings with their defaults, and queries.

    A reading has its default in the newest edition that leaves it open; `editions` gives for each
    edition that leaves it open its choices there, the default first.
    """
    infos = list_editions(game)
    models = {info.name: load_model(info.name, game) for info in infos}
    return {
        "protocol": VERSION,
        "game": models[infos[-1].name].game,
        "editions": [{"edition": info.name, "title": info.title} for info in infos],
        "readings": _readings(models),
        "queries": list(models[infos[-1].name].questions),
    }


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


def schemas(game: str = "titm") -> dict[str, Any]:
    """Give the JSON Schema of the input of every query, by name."""
    model = load_model(list_editions(game)[-1].name, game)
    return {name: question_schema(model, question) for name, question in model.questions.items()}
