"""Moves of several stacks: on small boards they equal brute force, and each witness is played out."""

import random
from itertools import islice, permutations, product

import pytest
from titm_rules import Edition, InputError, Position, joint_moves

from tests.worlds import random_position

MOST = 250  # positions of brute force on one board


class TooMany(Exception):
    pass


def marches(position, pieces, end, by, spent):
    """Yield every position in which pieces have come to an end, by all sequences of legal actions about no others."""
    waiting, seen = [position], set()
    while waiting:
        here = waiting.pop()
        if here.digest in seen:
            continue
        seen.add(here.digest)
        spent.append(1)
        if len(spent) > MOST:
            raise TooMany
        units = here.units
        there = [units[one]["place"] for one in pieces].count(end)
        if there == len(pieces):
            yield here
            continue
        for action in here.legal_actions:
            dice = here.dice(action)
            named = {one for _, value in action.choices for one in (value if isinstance(value, tuple) else (value,))}
            if (dice is not None and dice.count) or (action.by == by and (named & units.keys()) - set(pieces)):
                continue
            after = here.apply(action)
            arrived = [after.units[one]["place"] for one in pieces].count(end)
            if action.choices or action.by != by or arrived > there or moment(after) == moment(here):
                waiting.append(after)


def moment(position):
    return position.stamp, position.summary["phase"], position.summary["side-to-move"]


def is_crowded(position, ends, side):
    rows = {piece: end for pieces, end in ends for piece in pieces}
    data = position.to_dict()
    data["units"] = [{**unit, "place": rows.get(unit["id"], unit["place"])} for unit in data["units"]]
    after = Position.from_dict(data, position.edition)
    return any("" not in after.ask("overstack_eliminations", place=end, side=side)["sets"] for _, end in ends)


def are_at(position, pieces, end):
    units = position.units
    return all(units[one]["place"] == end for one in pieces)


def has_way(position, ends, by, spent):
    for order in permutations(ends):
        reached = [position]
        for pieces, end in order:
            after = {one.digest: one for here in reached for one in marches(here, pieces, end, by, spent)}
            reached = list(after.values())
        if any(all(are_at(here, pieces, end) for pieces, end in ends) for here in reached):
            return True
    return False


def set_out(position, rng):
    """Take a few actions without dice, so that somebody may be on the way."""
    for _ in range(rng.randint(1, 3)):
        legal = [one for one in position.legal_actions if one.choices and not position.dice(one)]
        position = position.apply(rng.choice(legal)) if legal else position
    return position


def check_board(seed):
    """Compare one board with brute force; false if it is too large for that."""
    rng = random.Random(seed)
    position = Position.from_dict(random_position(rng, 4), Edition("1999"))
    try:
        position = position.settled
        if rng.random() < 0.5:
            position = set_out(position, rng)
    except InputError:
        return False
    by = position.edition.model.enums["side"].texts[position.world.root.side_to_move] if position.to_act else None
    own = [name for name, unit in position.units.items() if unit["side"] == by]
    if by not in position.to_act or len(own) < 2:
        return False
    rng.shuffle(own)
    stacks = [[own[0]], [own[1]]]
    if len(own) > 2 and rng.random() < 0.6:
        stacks = rng.choice(([*stacks, [own[2]]], [[own[0], own[2]], [own[1]]]))
    places = [place.id for place in position.world.places]
    given = [(pieces, rng.sample(places, rng.randint(1, min(2, len(places))))) for pieces in stacks]
    spent = []
    try:
        wanted = set()
        for ends in product(*(to for _, to in given)):
            named = list(zip([pieces for pieces, _ in given], ends, strict=True))
            if not is_crowded(position, named, by) and has_way(position, named, by, spent):
                wanted.add(ends)
    except TooMany:
        return False
    found = joint_moves(position, given, top=100)
    assert {plan.ends for plan in found.plans} == wanted, (seed, given, position.to_dict())
    for plan in found.plans:
        check_witness(position, given, plan)
    if not found.plans:
        check_reason(position, given, found)
    return True


def check_witness(position, given, plan):
    for text in plan.actions:
        kind, *_ = words = text.split()
        action = next(one for one in position.legal_actions if str(one).split() == words)
        assert action.kind == kind
        position = position.apply(action)
    for (pieces, _), end in zip(given, plan.ends, strict=True):
        assert are_at(position, pieces, end)


def check_reason(position, given, found):
    named = {f"{', '.join(pieces)}: {' or '.join(to)}": (pieces, to) for pieces, to in given}
    kept = [named[one] for one in found.stacks]
    assert not joint_moves(position, kept).plans
    for one in kept:
        rest = [other for other in kept if other is not one]
        assert not rest or joint_moves(position, rest).plans


def test_on_small_boards_they_equal_brute_force():
    compared = (seed for seed in range(60) if check_board(seed))
    assert len(list(islice(compared, 15))) == 15


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 2_000, 100))
def test_on_many_small_boards_they_equal_brute_force(first):
    compared = (seed for seed in range(first, first + 100) if check_board(seed))
    assert len(list(islice(compared, 30))) == 30


def test_an_attempt_to_stop_them_is_reckoned_with():
    position = Position.from_file("two-bridges")
    foot = [(["g-foot"], ["3"])]
    assert joint_moves(position, foot).plans
    found = joint_moves(position, foot, against=True)
    assert (found.plans, found.stacks, found.stopped_by) == ((), ("g-foot: 3",), "blow a-foot")


@pytest.mark.parametrize(
    ("game", "scenario", "stacks", "clauses"),
    [
        ("cold-ford", "the-ford", [(["r-first"], ["0303"]), (["r-guard"], ["0303"])], ("2.2",)),
        ("cold-ford", "the-ford", [(["r-first", "r-guard"], ["0303"])], ("2.2",)),
        ("cold-ford", "the-ford", [(["r-first"], ["0603"])], ("3.7",)),
        ("bitterwoods", "teaching-battle", [(["g-tanks"], ["0101"])], ("5.2.allowance",)),
        ("bitterwoods", "teaching-road", [(["g-tanks"], ["0503"])], ("4.A.4",)),
        ("titm", "two-bridges", [(["g-foot"], ["8"])], ("8.22", "8.38", "8.28", "13.12a")),
    ],
)
def test_the_clauses_against_it_are_named_in_each_game(game, scenario, stacks, clauses):
    found = joint_moves(Position.from_file(scenario, Edition(game=game)), stacks)
    assert (found.plans, len(found.stacks), found.clauses) == ((), len(stacks), clauses)


@pytest.mark.parametrize(
    ("stacks", "message"),
    [
        ([(["g-foot", "g-foot"], ["3"])], "each piece is in one stack"),
        ([(["g-foot"], ["3"]), (["a-foot"], ["3"])], "the stacks are of Allied and German"),
        ([(["nobody"], ["3"])], "unknown piece or place `nobody`"),
        ([(["g-foot"], ["Atlantis"])], "unknown piece or place `Atlantis`"),
        ([(["g-foot"], ["3"]), (["g-foot"], ["2"])], "each piece is in one stack"),
        ([], "0 stacks"),
    ],
)
def test_a_bad_question_is_a_clear_fault(stacks, message):
    with pytest.raises(InputError, match=message):
        joint_moves(Position.from_file("two-bridges"), stacks)
