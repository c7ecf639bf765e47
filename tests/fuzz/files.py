"""Files of every kind, changed, and what reading one may come to: a value, or faults with a place."""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from titm_rules import Edition
from titm_rules.catalog import files_of, game_folder, scenario_files, scenario_folder
from titm_rules.checker.link import link_model
from titm_rules.diagnostics import TitmError
from titm_rules.editions.load import link_edition
from titm_rules.explain.verdict import Verdict
from titm_rules.files import read_text
from titm_rules.formats.case_files import find_case
from titm_rules.formats.safe_json import read_data
from titm_rules.maps.expand import open_situation
from titm_rules.maps.lint import lint_map
from titm_rules.maps.maps import build_map
from titm_rules.maps.scenarios import check_whole, read_scenario
from titm_rules.oracle.case import Rules, open_case
from titm_rules.oracle.game import choose_randomly, open_recorded_start, open_start, play_game, replay
from titm_rules.oracle.position import Position
from titm_rules.service.budget import OverBudget
from titm_rules.syntax.format import format_rules
from titm_rules.syntax.game_record import read_record
from titm_rules.syntax.parser import parse_rules

from tests.fuzz.lines import BUDGET
from tests.fuzz.mutate import as_bytes, changed, retyped, written
from tests.maps.conftest import raw_map
from tests.syntax.programs import GOOD
from tests.worlds import random_position

EDITION = Edition("1999")
SCENARIOS = ("seventh-army", "sauer-crossing")
WHEN = {"day": 17, "impulse": 1, "side_to_move": "German"}


def text_of(tree: Any, rng: random.Random, *others: Any) -> str:
    """Change a tree, and write it as YAML, or as JSON, which is YAML too; then change the text now and then."""
    tree = changed(tree, rng, [*others])
    if rng.random() < 0.5:
        return written(tree, rng)
    text = yaml.safe_dump(tree, allow_unicode=rng.random() < 0.5, sort_keys=False)
    return retyped(text, rng) if rng.random() < 0.3 else text


# ---------------------------------------------------------------------- samples
@cache
def texts(kind: str) -> list[str]:
    paths = GOOD if kind == "rules" else [*files_of("", "house/*.rules"), *scenario_files("", "*/*.rules")]
    return [path.read_text(encoding="utf-8") for path in paths]


@cache
def small_map() -> dict[str, Any]:
    """A part of the reconstruction as a board of its own, with facts and sources of the attested map."""
    raw, attested = raw_map(), raw_map("attested")
    inside = {name for names in raw.pop("parts")["seventh-army"]["places"].values() for name in names}
    for table in ("areas", "zones"):
        raw[table] = [row for row in raw[table] if row["id"] in inside]
    for table in ("connections", "zone_neighbours"):
        raw[table] = [row for row in raw[table] if inside.issuperset(row["ends"])]
    facts = [*attested["facts"], *raw["facts"]]
    return {**raw, "holds": [], "facts": facts, "sources": {**attested["sources"], **raw["sources"]}}


@cache
def scenario(name: str = "sauer-crossing") -> dict[str, Any]:
    return dict(read_data(scenario_folder() / name / "scenario.yaml"))


@cache
def a_record() -> str:
    name, start = open_start("two-bridges", Rules())
    turns = list(play_game(start, choose_randomly, 3, 25))
    head = f"edition 1999\nstart {name} {start.digest}\n"
    return head + "".join(f"{turn.recorded}\n" for turn in turns)


@cache
def cases() -> list[dict[str, Any]]:
    return [read_data(path) for path in sorted((scenario_folder() / "disputes").glob("*.yaml"))]


# ---------------------------------------------------------------------- kinds of files: how one is read, how it is made
def read_rules(path: Path) -> object:
    text = read_text(path)
    format_rules(text, path.name)
    return link_model([parse_rules(text, path.name)], "1")


def read_overlay(path: Path) -> object:
    return link_edition(game_folder(), "1999", [path])


def read_map(path: Path) -> object:
    board = build_map(EDITION.model, read_data(path), str(path))
    named = {"map": board.name, **WHEN, "bridges": {"58-59": "blown"}}
    return lint_map(board, EDITION.answer), open_situation(EDITION.model, "position", named, "$", board)


def read_position(path: Path) -> object:
    position = Position.from_dict(read_data(path), EDITION)
    return [str(action) for action, _ in zip(position.legal_actions, range(20), strict=False)]


def read_whole_scenario(path: Path) -> object:
    found = read_scenario(EDITION.model, path)
    Position.from_dict(found.position, EDITION, found.situation)
    return list(check_whole(found, EDITION.answer))


def read_game(path: Path) -> object:
    record = read_record(read_text(path), str(path))
    return replay(record, open_recorded_start(record, Rules(record.edition), str(path)), str(path))


def read_case(path: Path) -> Verdict | None:
    found = open_case(find_case(path), Rules())
    return found.edition.verdict(found.query, {found.situation: found.data, **found.inputs}) if found.query else None


KINDS: dict[str, tuple[str, Callable[[random.Random], str], Callable[[Path], object]]] = {
    "rules": ("x.rules", lambda rng: retyped(rng.choice(texts("rules")), rng, 4), read_rules),
    "overlay": ("x.rules", lambda rng: retyped(rng.choice(texts("overlay")), rng, 3), read_overlay),
    "map": ("x.yaml", lambda rng: text_of(small_map(), rng, scenario()), read_map),
    "position": ("x.yaml", lambda rng: text_of(random_position(rng), rng, random_position(rng)), read_position),
    "scenario": (
        "scenario.yaml",
        lambda rng: text_of(scenario(rng.choice(SCENARIOS)), rng, small_map()),
        read_whole_scenario,
    ),
    "record": ("game.txt", lambda rng: retyped(a_record(), rng, 4), read_game),
    "case": ("case.yaml", lambda rng: text_of(rng.choice(cases()), rng, *cases()), read_case),
}


def try_file(kind: str, seed: object, folder: Path) -> str:
    """Read a changed file; say what came of it."""
    path, faults, came = write_file(kind, seed, folder), (), "read"
    try:
        BUDGET.run(lambda: KINDS[kind][2](path))
    except TitmError as error:
        faults, came = error.faults, "too-large" if isinstance(error, OverBudget) else "refused"
    assert all(fault.what and fault.where for fault in faults)
    return f"{kind} {came}"


def write_file(kind: str, seed: object, folder: Path) -> Path:
    """Write a changed file; the same seed gives the same file."""
    rng = random.Random(f"{kind} {seed}")
    name, make, _ = KINDS[kind]
    path = folder / name
    path.write_bytes(as_bytes(make(rng), rng))
    return path
