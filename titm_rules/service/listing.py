"""What the protocol offers: editions, readings, house rules, questions, and the schemas of all that is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from titm_rules.editions.load import load_model
from titm_rules.editions.named import list_editions
from titm_rules.editions.overlay_files import shipped_overlays
from titm_rules.formats.maps import question_schema
from titm_rules.rules.model import Model
from titm_rules.service.queries import queries_of
from titm_rules.service.records import ErrorTold, Request

VERSION = 2


def listing(game: str = "") -> dict[str, Any]:
    """List editions, readings with their defaults, house rules, and queries.

    A reading has its default in the newest edition that leaves it open; `editions` gives for each
    edition that leaves it open its choices there, the default first.
    """
    infos = list_editions(game)
    models = {info.name: load_model(info.name, game) for info in infos}
    newest = models[infos[-1].name]
    return {
        "protocol": VERSION,
        "game": newest.game,
        "editions": [{"edition": info.name, "title": info.title} for info in infos],
        "overlays": sorted(shipped_overlays(game)),
        "readings": _readings(models),
        "queries": [*newest.questions, *(name for name in queries_of(newest) if name not in newest.questions)],
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


def schemas(game: str = "") -> dict[str, Any]:
    """Give the JSON Schema of the input of every query, by name."""
    model = load_model(list_editions(game)[-1].name, game)
    of_rules = {name: question_schema(model, question) for name, question in model.questions.items()}
    of_games = {name: query.input.model_json_schema() for name, query in queries_of(model).items()}
    return {**of_games, **of_rules}


def frame_schemas(game: str = "") -> dict[str, Any]:
    """Give the JSON Schemas of a request and an error, and of the answers of the questions about games."""
    model = load_model(list_editions(game)[-1].name, game)
    answers = {name: query.told.model_json_schema() for name, query in queries_of(model).items() if query.told}
    return {"request": Request.model_json_schema(), "error": ErrorTold.model_json_schema(), "answers": answers}
