"""Whatever is refused in a game, a clause is cited for it."""

import random

import pytest
from titm_rules import Action, Edition, Position
from titm_rules.oracle.game import POLICIES, play_game

TRIED_AT_EACH_STEP = 3


def positions(name, date, seed, limit):
    """Positions of a random game of a scenario."""
    start = Position.from_file(name, Edition(date))
    return (turn.before for turn in play_game(start, POLICIES["random"], seed, limit))


def random_action(position, rng):
    """An action whose choices are of the right types, and name what there is."""
    model, data = position.edition.model, position.to_dict()
    event = rng.choice([one for one in model.events.values() if one.actor is not None])
    types = dict(event.params)
    choices = tuple((name, random_choice(model, position, data, types[name], rng)) for name in event.open)
    return Action(event.name, rng.choice(model.enums["side"].texts), choices)


def random_choice(model, position, data, wanted, rng):
    if wanted.kind == "flag":
        return rng.random() < 0.5
    if wanted.kind == "enum":
        return rng.choice(model.enums[wanted.name].texts)
    names = [one.id for one in position.world.places] if wanted.kind == "place" else known(model, data, wanted.name)
    if wanted.kind == "set":
        return tuple(sorted(rng.sample(names, min(len(names), rng.randint(1, 3)))))
    return rng.choice(names) if names else "none"


def known(model, data, record):
    """Ids of the records of a type."""
    lists = [one.json for one in model.records["position"].fields if one.owns and one.type.name == record]
    return [row["id"] for name in lists for row in data.get(name) or ()]


def cited(verdict):
    """What forbids, what it would cost, and else what says when and how such a thing is done."""
    return {one.clause for one in verdict.findings if one.holds and one.effect in ("forbids", "counts", "rests")}


@pytest.mark.parametrize("date", ["1994-11-01", "1996-08-01", "1999", "2016-10-01"])
@pytest.mark.parametrize("name", ["two-bridges", "sauer-crossing"])
def test_every_refusal_names_a_clause(name, date):
    rng = random.Random(f"{name} {date}")
    refused = 0
    for position in positions(name, date, seed=1, limit=60):
        for _ in range(TRIED_AT_EACH_STEP):
            action = random_action(position, rng)
            verdict = position.judge(action)
            assert (verdict.outcome == "legal") is position.is_legal(action)
            if verdict.outcome == "illegal":
                refused += 1
                assert cited(verdict) & set(position.edition.clauses), (str(action), action.by, verdict.witness)
    assert refused > 100
