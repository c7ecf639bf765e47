"""One clause is changed at random, as a sheet would: what makes an answer or a legal action differ, the plan reports.

`python -m tests.compare.test_random_edits --edits 200 --asked 2000` tries many, and says what was missed; `--seed N`
tries others.
"""

import argparse
import random
import re
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from titm_rules.compare.corpus import read_corpus
from titm_rules.compare.plan import make_plan, open_sheet
from titm_rules.compare.playout import Playout
from titm_rules.compare.results import NO_EVIDENCE, NOT_FOUND, PLAY, UNKNOWN
from titm_rules.compare.rule_pair import EQUIVALENT
from titm_rules.diagnostics import TitmError
from titm_rules.editions.clause_index import formal_text
from titm_rules.oracle.case import Rules
from titm_rules.oracle.edition import Edition
from titm_rules.oracle.game import POLICIES, open_start, play_game

from tests.answers import GAMES, WOODS
from tests.bitterwoods.worlds import HexMaker, Maker
from tests.mutate import rule_mutants
from tests.properties.test_blame import question_of_ford
from tests.worlds import wide_case

NEWEST = {"titm": "1999", "bitterwoods": "2014-qa", "cold-ford": "1"}
TURN = ("titm", "titm", "titm", "bitterwoods", "bitterwoods", "cold-ford")  # whose rules are changed
ENGINES = ("compiled", "reference", "library")
HEAD = re.compile(r'\s*(?:add |replace )?clause (?P<rest>[^"]*".*)', re.S)
PLACES = 8  # of which the legal actions are compared, for every hundred questions
SURE = 10  # of the questions that nothing changed bears on, each so many-th is asked


@dataclass(frozen=True)
class Edit:
    """A sheet that says one clause otherwise."""

    game: str
    clause: str
    told: str
    sheet: str


def edits(games=TURN, seed=1):
    """Yield sheets of one random change each, without end."""
    rng = random.Random(seed)
    for number in count():
        game = games[number % len(games)]
        clause, mutant, text = rng.choice(changes(game))
        yield Edit(game, clause, mutant.told(text), "replace " + mutant.text(text))


@cache
def changes(game):
    """List every change of every clause in force."""
    return [one for clause in Edition(NEWEST[game], game=game).clauses for one in changes_of(game, clause)]


def changes_of(game, clause):
    head = HEAD.fullmatch(formal_text(Edition(NEWEST[game], game=game).clauses[clause].span))
    text = f"clause {head['rest']}" if head else ""
    text = re.sub(r'^clause \S+(?: as \S+)?(?= ")', f"clause {clause}", text)
    return [(clause, mutant, text) for mutant in rule_mutants(clause, text)]


@cache
def case_of(game, seed):
    """Give a random question and its input."""
    if game == "titm":
        case = wide_case(random.Random(seed))
        return case["query"], case["input"]
    if game == "cold-ford":
        case = question_of_ford(seed)
        return case.query, case.inputs
    query = WOODS[seed % len(WOODS)]
    maker = (HexMaker if seed % 2 else Maker)(seed)
    if query == "peiper_advance":
        maker.lead_peiper()
    request = maker.request(query)
    return request["query"], request["input"]


@cache
def places(game, seed, number):
    """Collect situations out of random games."""
    found = []
    for name, of in GAMES:
        if of == game:
            start = open_start(name, Rules(game=game))[1]
            found += [turn.before for turn in play_game(start, POLICIES["random"], seed, 10 * number)]
    return random.Random(seed).sample(found, min(number, len(found)))


@cache
def answer(edition, query, seed):
    try:
        return edition.answer(query, case_of(edition.game or "titm", seed)[1])
    except TitmError as error:
        return error.faults[0].kind


def differing(edit, two, asked, seed=1):
    """Name the questions that some random case answers otherwise, and play if the legal actions differ."""
    found = set()
    for number in range(seed * 10**6, seed * 10**6 + asked):
        query, _ = case_of(edit.game, number)
        question = two.second.questions.get(query)
        if question is None or query in found or (number % SURE and not two.pair.changed_for(question)):
            continue
        first, second = (engine_of(one, ENGINES[number % len(ENGINES)]) for one in two.editions)
        if answer(first, query, number) != answer.__wrapped__(second, query, number):
            found.add(query)
    for place in places(edit.game, seed, asked * PLACES // 100):
        both = two.pair.first, two.pair.second
        one, other = (Playout(model, place.situation, dict(place.world.data)).legal for model in both)
        if one != other:
            found.add(PLAY)
            break
    return found


@cache
def engine_of(edition, engine):
    return Edition(edition.date, game=edition.game, overlays=edition.overlays, engine=engine)


def missed(edit, path, asked, seed=1):
    """Plan a sheet; say what differs though the plan does not say so, or nothing if the sheet is not one."""
    path.write_text(edit.sheet, encoding="utf-8")
    try:
        sheet = open_sheet(str(path), game=edit.game, on=NEWEST[edit.game])
    except TitmError:
        return None
    differ = differing(edit, sheet.two, asked, seed)
    plan = make_plan(sheet, read_corpus(edit.game))
    known = {one.question: one for one in plan.questions()}
    silent = {name for name in differ if known[name].relation in (EQUIVALENT, NOT_FOUND, UNKNOWN, NO_EVIDENCE)}
    false = {name for name in differ if known[name].relation == EQUIVALENT}
    return differ, silent, false, plan.open


def planned(number, asked, folder, games=TURN, seed=1):
    """Plan sheets until so many were rules, and say of each what differs and what was missed."""
    done = 0
    for edit in edits(games, seed):
        found = missed(edit, folder / f"sheet{done}.rules", asked, seed)
        if found is not None:
            yield edit, *found
            done += 1
        if done == number:
            return


@pytest.mark.parametrize(("games", "number"), [(("cold-ford",), 2), pytest.param(TURN, 20, marks=pytest.mark.slow)])
def test_what_a_changed_clause_changes_is_reported(games, number, tmp_path):
    for edit, differ, _, false, left in planned(number, 100 if games != TURN else 300, tmp_path, games):
        assert not false, edit
        assert not differ or left != [edit.clause], edit


def main():
    """Print each sheet whose difference is missed, and the count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--asked", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tally = {"sheets": 0, "differ": 0, "questions": 0, "not reported": 0, "clause open": 0, "false": 0}
    with tempfile.TemporaryDirectory() as folder:
        for edit, differ, silent, false, left in planned(options.edits, options.asked, Path(folder), seed=options.seed):
            tally["sheets"] += 1
            tally["differ"] += bool(differ)
            tally["questions"] += len(differ)
            tally["not reported"] += len(silent)
            tally["clause open"] += bool(differ) and edit.clause in left
            tally["false"] += len(false)
            note = f"  FALSE {sorted(false)}" if false else f"  NOT REPORTED {sorted(silent)}" if silent else ""
            print(f"{edit.game} {edit.told}: differ {sorted(differ)}, open {left}{note}", flush=True)
            if tally["sheets"] % 10 == 0:
                print(tally, flush=True)
    print(tally)


if __name__ == "__main__":
    main()
