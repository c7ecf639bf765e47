"""Bundled data as JSON values: games, editions, scenarios, maps, clauses. Names are looked up, never used as paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NotRequired

from typing_extensions import TypedDict

from titm_rules.catalog import default_game, is_name, scenario_folder
from titm_rules.diagnostics import Fault, InputError, cut, did_you_mean
from titm_rules.editions.cache import read_only
from titm_rules.editions.clause_index import choose_clauses, clause_histories
from titm_rules.editions.coverage import clause_record, coverage_of, whole_book
from titm_rules.editions.house_rules import shipped_overlays
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition, edition_on, list_editions
from titm_rules.formats.case_files import REPLAY, is_scenario, known_cases, read_case_file, shipped_cases
from titm_rules.ir.dependencies import tracing_questions
from titm_rules.ir.model import MISSING, AblePart, Event, FieldSpec, GoingPart, Model, Question, Route
from titm_rules.maps.maps import GameMap, load_map, map_paths
from titm_rules.maps.scenarios import Scenario, load_scenario, scenario_folders
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.edition import Edition, list_games
from titm_rules.oracle.position import Position
from titm_rules.oracle.replies import read_replies
from titm_rules.render.style import load_style
from titm_rules.service import records

if TYPE_CHECKING:
    from titm_rules.render.chart import Caption

Json = dict[str, Any]
KEPT = 8
MOST_FOUND, MOST_CASES = 2_000, 12
CONFORMANCE = "conformance: "
PIECE_ROLE, PLACE_KIND = "piece", "place"

# ---------------------------------------------------------------------- answers, as the document of the routes has them
GameHeader = TypedDict("GameHeader", {
    "game": str, "title": str, "edition": str, "editions": list[str], "questions": list[str], "maps": list[str],
    "scenarios": list[str], "usual": bool,
})  # fmt: skip
FieldTold = TypedDict("FieldTold", {
    "name": str, "type": Json, "owns": NotRequired[bool], "same_as": NotRequired[list[str]],
    "default": NotRequired[Any],
})  # fmt: skip
RecordTold = TypedDict("RecordTold", {"role": str, "fields": list[FieldTold]})
EventShown = TypedDict("EventShown", {"goes": str | None, "chooses": dict[str, str]})
Vocabulary = TypedDict("Vocabulary", {
    "words": dict[str, list[str]], "records": dict[str, RecordTold], "actors": str, "played": list[str],
    "views": dict[str, dict[str, str]], "events": dict[str, EventShown], "style": Json,
})  # fmt: skip
GameTold = TypedDict("GameTold", {
    "protocol": int, "game": str, "editions": list[records.EditionNamed], "overlays": list[str],
    "ships": dict[str, dict[str, str]], "readings": dict[str, records.ReadingTold], "queries": list[str],
    "edition": str, "vocabulary": Vocabulary,
})  # fmt: skip
EditionTold = TypedDict("EditionTold", {
    "edition": str, "title": str, "dated": str, "basis": str, "base": str | None, "source": str | None,
})  # fmt: skip
QuestionShown = TypedDict("QuestionShown", {
    "says": str | None, "situation": str, "asks": str, "about": str, "traces": str | None, "inputs": list[FieldTold],
    "answered": list[dict[str, str]], "answers": list[str], "parts": dict[str, int], "schema": Json,
})  # fmt: skip
HexTold = TypedDict("HexTold", {"radius": float, "flat": bool})
SlotsTold = TypedDict("SlotsTold", {"scale": float, "corners": list[list[float]]})
LabelTold = TypedDict("LabelTold", {"text": str, "x": float, "y": float})
# A chart (see `render/chart.py`): borders by their two places; `bends` are the paths of `joints`, pairs of borders.
BoardTold = TypedDict("BoardTold", {
    "size": list[float], "room": list[float], "head": float, "hex": HexTold | None, "levels": dict[str, float],
    "sizes": dict[str, float], "points": dict[str, list[float]], "regions": dict[str, list[float]],
    "borders": list[list[str]], "joints": list[list[int]], "bends": list[str], "crossings": dict[str, list[float]],
    "rivers": dict[str, str], "names": list[LabelTold], "slots": list[SlotsTold], "stack": SlotsTold,
    "labels": dict[str, LabelTold], "towns": dict[str, int], "map": str, "numbers": dict[str, int],
    "origins": dict[str, str], "bases": dict[str, int], "notes": list[str],
})  # fmt: skip
PositionShown = TypedDict("PositionShown", {
    "position": Json, "situation": str, "summary": Json, "board": NotRequired[BoardTold],
})  # fmt: skip
ScenarioHeader = TypedDict("ScenarioHeader", {"name": str, "title": str, "scenario": bool, "query": str | None})
ScenarioTold = TypedDict("ScenarioTold", {
    "name": str, "title": str, "scenario": bool, "query": str | None, "input": Json, "about": str, "situation": str,
    "edition": str, "overlays": list[str], "position": Json, "summary": Json, "titles": dict[str, str],
    "board": BoardTold,
})  # fmt: skip
ForceTold = TypedDict("ForceTold", {"record": str, "title": str, "row": Json})
MapHeader = TypedDict("MapHeader", {
    "name": str, "title": str, "fragment": bool, "reconstructed": bool, "note": str | None,
})  # fmt: skip
MapTold = TypedDict("MapTold", {
    "name": str, "title": str, "fragment": bool, "reconstructed": bool, "note": str | None, "about": str,
    "places": list[Json], "connections": list[Json],
})  # fmt: skip
ClauseFound = TypedDict("ClauseFound", {"clause": str, "title": str, "says": str})
ClauseTold = TypedDict("ClauseTold", {
    "clause": str, "title": str, "says": str, "at": str, "decides": list[str], "excepts": list[str], "sees": list[str],
    "silent": str | None, "number": str, "edition": str, "attested": bool, "grade": str | None, "tests": list[str],
    "text": str, "excepted_by": list[str], "cases": list[str],
})  # fmt: skip
ClausesTold = TypedDict("ClausesTold", {"edition": str, "clauses": list[ClauseTold], "history": dict[str, list[Json]]})
CaseTold = TypedDict("CaseTold", {
    "id": str, "edition": str, "overlays": list[str] | None, "query": str, "input": Json, "readings": Json | None,
    "expected": Json, "source": str | None, "situation": str | None, "position": NotRequired[Json],
    "summary": NotRequired[Json], "board": NotRequired[BoardTold],
})  # fmt: skip


def games() -> list[GameHeader]:
    """List the games that can be asked, and the default one, without their folders."""
    usual = default_game()
    return [
        {"game": info.game, "title": info.title, "edition": info.edition, "editions": list(info.editions),
         "questions": list(info.questions), "maps": list(info.maps), "scenarios": list(info.scenarios),
         "usual": info.game == usual}
        for info in list_games() if not info.fault
    ]  # fmt: skip


def checked_game(game: str) -> str:
    """Let through the name of a game; another text is an `InputError`."""
    if not is_name(game):
        raise InputError([Fault(f"unknown game `{cut(game)}`", "$.game", "", "see /api/games", kind="unknown-game")])
    list_editions(game)
    return game


def _refuse_unknown(what: str, name: str, known: Collection[str], where: str) -> None:
    if name not in known:
        why, fix = "nothing ships under this name", did_you_mean(name, known)
        raise InputError([Fault(f"unknown {what} `{cut(name)}`", where, why, fix, kind="unknown-name")])


def model_of(game: str) -> Model:
    return load_model(load_date(game), game)


@lru_cache(maxsize=KEPT)
def game_told(game: str) -> GameTold:
    """Describe a game as far as a program needs it to show boards: editions, readings, queries, records, looks."""
    from titm_rules.service.capabilities import listing

    return {**listing(game), "edition": default_edition(game), "vocabulary": vocabulary(model_of(game))}


def editions(game: str) -> list[EditionTold]:
    return [
        {"edition": info.name, "title": info.title, "dated": info.dated, "basis": info.basis or "book",
         "base": info.base or None, "source": info.source or None}
        for info in list_editions(checked_game(game))
    ]  # fmt: skip


@lru_cache(maxsize=KEPT)
def questions(game: str) -> dict[str, QuestionShown]:
    """Describe the questions of a game: their inputs, the form of their answers, and the schemas of their inputs."""
    model = model_of(game)
    from titm_rules.formats.file_schemas import question_schemas

    traces, schemas = tracing_questions(model), question_schemas(model)
    return {name: _question(model, one, traces, schemas[name]) for name, one in model.questions.items()}


# ---------------------------------------------------------------------- scenarios and boards
@lru_cache(maxsize=KEPT)
def scenarios(game: str) -> list[ScenarioHeader]:
    return [_header(name, read_case_file(path)) for name, path in shipped_cases(checked_game(game)).items()]


def _header(name: str, raw: Mapping[str, Any]) -> ScenarioHeader:
    whole = is_scenario(raw)
    return {"name": name, "title": str(raw.get("title") or name), "scenario": whole, "query": raw.get("query")}


def scenario(game: str, name: str, edition: str = "") -> ScenarioTold:
    """Describe a scenario: its position at the start, the rules that go with it, and where its places are drawn."""
    _refuse_unknown("scenario", name, shipped_cases(checked_game(game)), "name")
    return _scenario(game, name, edition)


@lru_cache(maxsize=KEPT)
def _scenario(game: str, name: str, edition: str) -> ScenarioTold:
    path = shipped_cases(game)[name]
    case = open_case(path, Rules(edition=edition or None, game=game), home=scenario_folder(game))
    position = Position.from_dict(case.data, case.edition, case.situation)
    raw = read_case_file(path)
    titles = load_scenario(load_model(case.edition.date, game), name).titles if is_scenario(raw) else {}
    whole = case.full_input(case.query) if case.query else {}
    inputs = {name: value for name, value in whole.items() if name != case.situation}  # what it takes besides
    return {
        **_header(name, raw), "input": inputs, "about": str(raw.get("about") or ""), "situation": case.situation,
        "edition": case.edition.date, "overlays": list(map(str, case.edition.overlays)), "position": position.to_dict(),
        "summary": dict(position.summary), "titles": titles, "board": board(position),
    }  # fmt: skip


def first_asked() -> list[Callable[[], object]]:
    """List the work of opening the page: the games, one with its first scenario, then the rules of every edition."""
    game = default_game()
    first = [games, lambda: game_told(game), lambda: questions(game), lambda: scenarios(game)]
    boards = [partial(scenario, game, name, default_edition(game)) for name in list(scenario_folders(game))[:1]]
    return [*first, *boards, *(partial(load_model, info.name, game) for info in list_editions(game))]


@lru_cache(maxsize=KEPT)
def forces(game: str) -> list[ForceTold]:
    """List the pieces of all scenarios of a game as they first stand there, without what is said of arrival."""
    model = model_of(game)
    found: dict[str, ForceTold] = {}
    for name in scenario_folders(game):
        scenario = load_scenario(model, name)
        for record, row in _pieces_of(model, scenario):
            fields = {spec.json for spec in model.records[record].fields}
            kept = {key: value for key, value in row.items() if key in fields - _whereabouts(model, record)}
            title = scenario.titles.get(row["id"], "")
            found.setdefault(row["id"], {"record": record, "title": title, "row": {"id": row["id"], **kept}})
    return [found[name] for name in sorted(found)]


def _pieces_of(model: Model, scenario: Scenario) -> Iterator[tuple[str, Mapping[str, Any]]]:
    pieces = [record.name for record in model.records.values() if record.role == PIECE_ROLE]
    for rows in (*scenario.rows.values(), *scenario.known.values()):
        for row in rows:
            if record := next((name for name in pieces if _needed(model, name) <= row.keys()), ""):
                yield record, row


def _needed(model: Model, record: str) -> set[str]:
    given = {spec.json for spec in model.records[record].fields if spec.default == MISSING and not spec.same_as}
    return given - _whereabouts(model, record)


def _whereabouts(model: Model, record: str) -> set[str]:
    return {spec.json for spec in model.records[record].fields if spec.type.kind == PLACE_KIND}


def board(position: Position) -> BoardTold:
    """Describe how the board of a position is drawn, and data of its map."""
    from titm_rules.render.board import town_of  # see `routes.py`
    from titm_rules.render.chart import CLOSE_ABOVE, FAR_BELOW, FAR_NAME, NAME, RIVER_NAME
    from titm_rules.render.pictures import board_chart

    chart, style = board_chart(position), load_style(position.edition.game)
    return {
        "size": _rounded(chart.size), "room": _rounded(chart.room), "head": round(chart.head, 1),
        "hex": None if chart.hex is None else {"radius": round(chart.hex[0], 1), "flat": chart.hex[1]},
        "levels": {"far": FAR_BELOW, "close": CLOSE_ABOVE},
        "sizes": {"name": NAME, "river": RIVER_NAME, "far": FAR_NAME},
        "points": {name: _rounded(spot) for name, spot in chart.spots.items()},
        "regions": {name: _rounded(number for corner in region for number in corner)
                    for name, region in chart.regions.items()},
        "borders": [list(border.ends) for border in chart.borders],
        "joints": [[one, other] for one, other, _ in chart.joints], "bends": [path for *_, path in chart.joints],
        "crossings": {name: [*_rounded(spot[:2]), *(round(part, 3) for part in spot[2:])]
                      for name, spot in chart.crossings.items()},
        "rivers": dict(chart.rivers), "names": list(map(_label, chart.names)),
        "slots": [{"scale": slots.scale, "corners": list(map(_rounded, slots.corners))} for slots in chart.slots],
        "stack": {"scale": chart.stack[2], "corners": [_rounded(chart.stack[:2])]},
        "labels": {name: _label(label) for name, label in chart.labels.items()},
        "towns": {name: style.towns.index(town_of(style, rank)) for name, rank in chart.ranks.items()
                  if style.towns and not chart.hex},
        "map": position.map_title, "numbers": position.numbers, "origins": position.origins, "bases": position.bases,
        "notes": list(position.notes),
    }  # fmt: skip


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [round(number, 1) for number in numbers]


def _label(label: Caption) -> LabelTold:
    return {"text": label.text, "x": round(label.at[0], 1), "y": round(label.at[1], 1)}


def shipped_rules(game: str, edition: str, overlays: tuple[str, ...]) -> Edition:
    """Return an edition with bundled house rules; names are never file names."""
    known = shipped_overlays(checked_game(game))
    for number, name in enumerate(overlays):
        _refuse_unknown("house rules", name, known, f"$.overlays[{number}]")
    with read_only():
        rules = Edition(edition_on(edition, game), game=game, overlays=overlays)
    _ = rules.model
    return rules


# ---------------------------------------------------------------------- maps
def maps(game: str) -> list[MapHeader]:
    model = model_of(game)
    return [_map_header(load_map(model, name)) for name in map_paths(model)]


def _map_header(found: GameMap) -> MapHeader:
    return {
        "name": found.name, "title": found.data.get("title", ""), "fragment": found.is_fragment,
        "reconstructed": bool(found.caution), "note": found.caution or None,
    }  # fmt: skip


def map_told(game: str, name: str) -> MapTold:
    """Describe a map: its places with coordinates, and its connections."""
    found = load_map(model_of(game), name, "name")
    return {
        **_map_header(found),
        "about": found.data.get("about", ""),
        "places": [{"list": table, **row} for table, row in found.tables("place")],
        "connections": [{"list": table, **row} for table, row in found.tables("connection")],
    }


# ---------------------------------------------------------------------- clauses
def clauses(game: str, edition: str = "", word: str = "") -> list[ClauseFound]:
    """List the clauses in which a word stands, in the order of the book."""
    date = load_date(game, edition)
    book = whole_book(date, load_model(date, game), game)
    wanted = word.casefold()
    found = [
        info for info in choose_clauses(book.clauses, date, [])
        if wanted in f"{info.id} {info.number} {info.title} {info.says}".casefold()
    ]  # fmt: skip
    return [{"clause": info.id, "title": info.title, "says": info.says} for info in found[:MOST_FOUND]]


def clause(game: str, number: str, edition: str = "") -> ClausesTold:
    """Tell a clause, or the parts of one: its words, its formal text, the tests it decides, its history."""
    date = load_date(game, edition)
    model = load_model(date, game)
    book = whole_book(date, model, game)
    chosen = choose_clauses(book.clauses, date, [number], game=game)
    tested = coverage_of(book.clauses, book.tested)
    ids = [info.id for info in chosen if info.id in model.clauses]
    told: list[Any] = [
        clause_record(info, tested.get(info.id), True)
        | {"excepted_by": [one.id for one in book.clauses.values() if info.id in one.excepts]}
        for info in chosen
    ]
    return {
        "edition": date,
        "clauses": [one | {"cases": cases_of(game, one["clause"], one["tests"])} for one in told],
        "history": clause_histories(ids, model.clauses, game) if ids else {},
    }


# ---------------------------------------------------------------------- cases
def cases_of(game: str, clause: str, tests: Sequence[str]) -> list[str]:
    """Name the cases that can be opened in which a clause decides: disputes, small ones, those of conformance."""
    shipped = {name: read_case_file(path) for name, path in shipped_cases(checked_game(game)).items()}
    expected = ((name, raw.get("expected")) for name, raw in shipped.items())
    cited = [name for name, told in expected if isinstance(told, Mapping) and clause in told.get("clauses", ())]
    known = _cases(checked_game(game))
    named = (test.removeprefix(CONFORMANCE) for test in tests if test.startswith(CONFORMANCE))
    own = (name for name, case in known.items() if case.get("clause") == clause)
    return [*cited, *own, *(name for name in named if name in known)][:MOST_CASES]


@lru_cache(maxsize=KEPT)
def _cases(game: str) -> dict[str, Json]:
    return {str(case["id"]): case for case in known_cases(game) if case["query"] != REPLAY}


def case(game: str, name: str) -> CaseTold:
    """Tell a case in which a clause decides: a request of the protocol; with a position, where its places are drawn."""
    known = _cases(checked_game(game))
    _refuse_unknown("case", name, known, "name")
    asked = known[name]
    rules = shipped_rules(game, asked["edition"], tuple(asked.get("overlays", ())))
    situation = rules.model.questions[asked["query"]].situation
    told: CaseTold = {
        "id": asked["id"], "edition": asked["edition"], "overlays": asked.get("overlays"), "query": asked["query"],
        "input": asked["input"], "readings": asked.get("readings"), "expected": asked["expected"],
        "source": asked.get("source"), "situation": None,
    }  # fmt: skip
    if situation in asked["input"]:
        position = Position.from_dict(asked["input"][situation], rules, situation)
        told |= {
            "situation": situation, "position": position.to_dict(), "summary": dict(position.summary),
            "board": board(position),
        }  # fmt: skip
    return told


def load_date(game: str, edition: str = "") -> str:
    game = checked_game(game)
    return edition_on(edition, game) if edition else default_edition(game)


# ---------------------------------------------------------------------- routes
# The path of each behind /api/games, the id of its operation, what answers (with what it takes), and what it does.
SHELVES: Sequence[tuple[str, str, Callable[..., object], str]] = (
    ("", "list_games", games, "List the games"),
    ("/{game}", "show_game", game_told, "Tell a game: editions, readings, queries, records and looks"),
    ("/{game}/editions", "list_editions", editions, "List the editions and their sources"),
    ("/{game}/questions", "list_questions", questions, "List the questions with the schemas of their inputs"),
    ("/{game}/scenarios", "list_scenarios", scenarios, "List the scenarios and positions that ship"),
    ("/{game}/scenarios/{name}", "show_scenario", scenario, "Tell a scenario: its position, its rules and its board"),
    ("/{game}/forces", "list_forces", forces, "List the pieces of a game's scenarios"),
    ("/{game}/cases/{name}", "show_case", case, "Tell a case in which a clause decides, which can be asked as it is"),
    ("/{game}/maps", "list_maps", maps, "List the maps"),
    ("/{game}/maps/{name}", "show_map", map_told, "Tell a map: places with coordinates, connections"),
    ("/{game}/clauses", "find_clauses", clauses, "Find clauses by a word"),
    ("/{game}/clauses/{number}", "show_clause", clause, "Tell a clause with its history"),
)  # fmt: skip


# ---------------------------------------------------------------------- vocabulary
LOOKS = ("front", "border", "river", "stack", "route", "closest", "blocker", "barred", "changed", "number")
PRICES = ("cost", "costs", "points")  # of a route, in answers and in what shows them
TABLES = ("bases", "notes", "cuts", "shots", "teams")


def vocabulary(model: Model) -> Vocabulary:
    return {
        "words": {enum.name: list(enum.texts) for enum in model.enums.values()},
        "records": {
            record.name: {"role": record.role, "fields": [_field(spec) for spec in record.fields]}
            for record in model.records.values()
        },
        "actors": next((event.actor.type.name for event in model.events.values() if event.actor is not None), ""),
        "played": [name for name, answers in model.summaries.items() if answers],
        "views": {
            name: {"situation": view.situation, "of": view.params[0][1].name} for name, view in model.views.items()
        },
        "events": {name: _event(model, event) for name, event in model.events.items() if event.actor is not None},
        "style": _style(model.home),
    }


def _event(model: Model, event: Event) -> EventShown:
    """Describe what a side may do: what is chosen by name, as a role of records or a kind, and its part of a way.

    A way `begins` with some events; others are `steps` of it, and one that `halts` or `closes` ends it.
    """
    types = dict(event.params)
    part = next((part for part in event.parts if isinstance(part, AblePart | GoingPart)), None)
    goes = "begins" if isinstance(part, AblePart) else part.kind if part is not None else None
    chosen = {name: model.records.get(types[name].name) for name in event.open}
    return {"goes": goes, "chooses": {name: one.role if one else types[name].kind for name, one in chosen.items()}}


def _field(spec: FieldSpec) -> FieldTold:
    """Describe a field; one that has no `default` has to be given, unless it has the value of another."""
    given, measure = spec.type, spec.type.measure
    bounds = {"low": given.low, "high": given.high} if given.low is not None or given.high is not None else {}
    parts = {"unit": measure.name, "parts": measure.parts} if measure is not None else {}
    wanted = {"kind": given.kind, "name": given.name, "optional": given.optional, **bounds, **parts}
    told: FieldTold = {"name": spec.json, "type": wanted}
    if spec.owns:
        told["owns"] = True
    if spec.same_as:
        told["same_as"] = list(spec.same_as)
    elif spec.default != MISSING:
        told["default"] = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    return told


def _style(game: str) -> Json:
    style = load_style(game)
    rules = {what: [{"when": dict(r.when), **r.draw} for r in its] for what, its in style.rules.items()}
    named = {name: dict(getattr(style, name)) for name in LOOKS}
    tables = {name: {key: dict(look) for key, look in getattr(style, name).items()} for name in TABLES}
    return {
        **rules, **named, **tables, "piece_label": list(style.piece_label), "piece_number": style.piece_number,
        "short": dict(style.short), "play": dict(style.play), "switches": dict(style.switches),
        "towns": list(map(dict, style.towns)), "counter": dict(style.counter), "dark": dict(style.dark),
    }  # fmt: skip


def _parts(model: Model, question: Question) -> Json:
    """Tell which numbers of an answer, and of what shows it, are in parts, and of how many parts one is."""
    form = model.forms.get(question.form)
    if isinstance(form, Route) and form.measure is not None:
        return dict.fromkeys((*question.names, *PRICES), form.measure.parts)
    typed = ((name, answer.term.type) for name, answer in question.answers if answer.term is not None)
    return {name: wanted.measure.parts for name, wanted in typed if wanted.measure is not None}


def _question(model: Model, question: Question, traces: Mapping[str, str], schema: Mapping[str, Any]) -> QuestionShown:
    return {
        "says": question.says or None,
        "situation": question.situation,
        "asks": question.ask,
        "about": question.form,
        "traces": traces.get(question.name),
        "answered": [dict(one.first) for one in read_replies(model.home).replies if one.question == question.name],
        "inputs": [_field(spec) for spec in question.inputs],
        "answers": list(question.names) or [name for name, _ in question.answers],
        "parts": _parts(model, question),
        "schema": dict(schema),
    }
