"""Disputes whose verdict is known: judged, compared with what is expected, and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from titm_rules.catalog import default_game, game_name, scenario_files, scenario_folder
from titm_rules.explain.verdict import Verdict
from titm_rules.formats.safe_json import bad
from titm_rules.oracle.case import Case, Rules, open_case
from titm_rules.oracle.choice_listing import trace_verdict
from titm_rules.render.overlays import draw_trace
from titm_rules.render.pictures import write_picture

DISPUTES = "disputes"


@dataclass(frozen=True)
class Dispute:
    """A dispute with its verdict, what is wrong with that, and its trace with a picture."""

    name: str
    case: Case
    verdict: Verdict
    faults: tuple[str, ...]
    traced: Verdict | None = None
    picture: Path | None = None


def judge_disputes(out: Path, engine: str, game: str = "") -> Iterator[Dispute]:
    """Judge every dispute of a game; its picture goes to the folder `out`.

    Raises:
        InputError: for a game without disputes.
    """
    paths = scenario_files(game, f"{DISPUTES}/*.yaml")
    if not paths:
        what = f"the game `{game_name(game or default_game())}` has no disputes"
        raise bad(what, "--game", f"lay cases into {scenario_folder(game) / DISPUTES}", "no-case")
    for path in paths:
        yield judge_dispute(path, out, engine, game)


def judge_dispute(path: Path, out: Path, engine: str, game: str = "") -> Dispute:
    """Judge one dispute and draw the trace that it asks for."""
    case = open_case(path, Rules(engine=engine, game=game))
    verdict = case.edition.verdict(case.query, case.full_input(case.query))
    wrong = tuple(faults(verdict, case.notes["expected"]))
    if "trace" not in case.notes:
        return Dispute(path.stem, case, verdict, wrong)
    piece, at = case.notes["trace"]["piece"], case.notes["trace"]["at"]
    traced = trace_verdict(case, piece, at)
    picture = out / f"{path.stem}.svg"
    write_picture(picture, draw_trace(case, traced, piece, at))
    return Dispute(path.stem, case, verdict, wrong, traced, picture)


def faults(verdict: Verdict, expected: Mapping[str, Any]) -> list[str]:
    """Say where a verdict is not the expected one: outcome, answer or failing clauses."""
    found = []
    if verdict.outcome != expected["outcome"]:
        found.append(f"expected {expected['outcome']}, got {verdict.outcome}")
    for name, value in expected["answer"].items():
        if verdict.answer.get(name) != value:
            found.append(f"expected {name} {value}, got {verdict.answer.get(name)}")
    missing = set(expected.get("clauses", ())) - {f.clause for f in verdict.failing}
    if missing:
        found.append(f"not cited: {', '.join(sorted(missing))}")
    return found
