"""Preferences against a referee of their own: an order of targets, compared line after line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from titm_rules.checker.link import link_model
from titm_rules.engines.factory import ENGINES, make_engine
from titm_rules.syntax.parser import parse_rules
from titm_rules.world.evaluate import PICKS
from titm_rules.world.world import World

GAME = """\
game "Two Hills".
piece scout has strength: number 1 to 4, tired: flag, hidden: flag.
situation skirmish has reds: list of scout, blues: list of scout.
allocation fire on skirmish: each firer: scout in reds, picks target: scout in blues.
clause 90 "Cover" "Nobody sees a hidden scout stronger than itself."
  fire may not choose when target has hidden and strength of target is more than strength of firer.
"""
Scout = Mapping[str, int]
# Conditions on a target and numbers, as the rules write them and as the referee works them out.
CLASSES = {
    "": lambda firer, target, picked: True,
    "strength of target is strength of firer": lambda firer, target, picked: target["strength"] == firer["strength"],
    "strength of target is less than strength of firer":
        lambda firer, target, picked: target["strength"] < firer["strength"],
    "target has tired": lambda firer, target, picked: target["tired"],
    "picks of target is 0": lambda firer, target, picked: picked == 0,
}  # fmt: skip
ORDERS = {
    "": lambda target, picked: 0,
    "lowest strength of target": lambda target, picked: target["strength"],
    "highest strength of target": lambda target, picked: -target["strength"],
    "lowest picks of target": lambda target, picked: picked,
}
WHENS = {
    "": lambda firer: True,
    "firer has tired": lambda firer: firer["tired"],
    "strength of firer is at least 3": lambda firer: firer["strength"] >= 3,
}
EXEMPTIONS = {
    "": lambda firer, target: False,
    "target has tired": lambda firer, target: target["tired"],
    "strength of target is 1 and firer has tired": lambda firer, target: target["strength"] == 1 and firer["tired"],
}
LIFTS = {
    "": lambda firer, first: False,
    "firer has hidden": lambda firer, first: firer["hidden"],
    "some t in first-picks has tired": lambda firer, first: any(target["tired"] for target in first),
    "every t in first-picks is hidden or strength of firer is 1":
        lambda firer, first: all(target["hidden"] for target in first) or firer["strength"] == 1,
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A preference: the lines right before it, its class, order and condition, and what lifts it."""

    after: tuple[int, ...]
    within: str
    order: str
    when: str
    lifted: str

    def text(self, number: int) -> str:
        after = f" after {', '.join(map(str, self.after))}" if self.after else ""
        within = f" target where {self.within}" if self.within else ""
        order = f"{',' if self.within else ''} {self.order}{' first' if self.within else ''}" if self.order else ""
        when = f" when {self.when}" if self.when else ""
        lifted = f'clause 5{number} "L" "L."\n  lifts {number} in fire when {self.lifted}.\n' if self.lifted else ""
        return f'clause {number} "P" "P."\n  fire prefers{after}{within}{order}{when}.\n{lifted}'


PAIRS = [(within, order) for within in CLASSES for order in ORDERS if within or order]
SCOUTS = st.fixed_dictionaries({"strength": st.integers(1, 4), "tired": st.booleans(), "hidden": st.booleans()})


def seldom(values: Mapping[str, object]) -> st.SearchStrategy[str]:
    """Draw the empty text as often as any other."""
    return st.booleans().flatmap(lambda empty: st.just("") if empty else st.sampled_from([*values]))


@st.composite
def lines(draw: st.DrawFn) -> tuple[Line, ...]:
    """Draw a chain; most lines come right after the one before them."""
    made: list[Line] = []
    for number in range(1, draw(st.integers(2, 4)) + 1):
        others = st.sets(st.integers(1, max(number - 1, 1)), max_size=2)
        before = draw(st.just({number - 1}) | others) if number > 1 else ()
        within, order = draw(st.sampled_from(PAIRS))
        made.append(Line(tuple(sorted(before)), within, order, draw(seldom(WHENS)), draw(seldom(LIFTS))))
    return tuple(made)


class Referee:
    """Judges picks by comparing targets, line after line; knows nothing of how preferences are compiled."""

    def __init__(self, chain: Sequence[Line], exempt: str, firer: Scout, blues: list[Scout], picks: list[int]) -> None:
        self.chain, self.firer, self.blues, self.picks = chain, firer, blues, picks
        self.open = [n for n, blue in enumerate(blues) if not (blue["hidden"] and blue["strength"] > firer["strength"])]
        self.claimed = [n for n in self.open if not EXEMPTIONS[exempt](firer, blues[n])]
        everything = range(1, len(chain) + 1)
        first = [n for n in self.open if not any(self.beats(m, n, line, ()) for m in self.open for line in everything)]
        self.idle = {
            number for number, line in enumerate(chain, 1)
            if not WHENS[line.when](firer) or LIFTS[line.lifted](firer, [blues[n] for n in first])
        }  # fmt: skip

    def place(self, blue: int, line: int) -> tuple[int, int]:
        """Rank a target by one line: those of the class first, in its order; the others are alike."""
        rule, target, picked = self.chain[line - 1], self.blues[blue], self.picks[blue]
        if not CLASSES[rule.within](self.firer, target, picked):
            return 1, 0
        return 0, ORDERS[rule.order](target, picked)

    def before(self, line: int) -> set[int]:
        return {number for near in self.chain[line - 1].after for number in {near, *self.before(near)}}

    def beats(self, other: int, blue: int, line: int, idle: tuple[int, ...] | set[int]) -> bool:
        """Whether another target comes before one by a line, and no line before it tells them apart."""
        if line in idle or self.place(other, line) >= self.place(blue, line):
            return False
        return all(self.place(other, each) == self.place(blue, each) for each in self.before(line) - {*idle})

    def clauses(self, blue: int) -> set[str]:
        """Give the clauses that forbid a pick: of each chain the first line by which it is not the best."""
        if blue not in self.open:
            return {"90", *self.beaten(blue)}
        return self.beaten(blue)

    def beaten(self, blue: int) -> set[str]:
        lost = {
            line for line in range(1, len(self.chain) + 1)
            if any(self.beats(other, blue, line, self.idle) for other in self.claimed)
        }  # fmt: skip
        return {str(line) for line in lost if not lost & self.before(line)}


@settings(max_examples=30)
@given(
    chain=lines(), exempt=seldom(EXEMPTIONS), firers=st.lists(SCOUTS, min_size=3, max_size=3),
    blues=st.lists(st.tuples(SCOUTS, st.integers(0, 2)), min_size=4, max_size=5),
)  # fmt: skip
def test_picks_are_judged_as_the_order_says(chain, exempt, firers, blues):
    text = GAME + "".join(line.text(number) for number, line in enumerate(chain, 1))
    if exempt:
        text += f'clause 80 "Spared" "Spared."\n  fire need not take target when {exempt}.\n'
    model = link_model([parse_rules(text, "two_hills.rules")], "test")
    data = {
        "reds": [{"id": f"r{number}", **red} for number, red in enumerate(firers, 1)],
        "blues": [{"id": f"b{number}", **blue} for number, (blue, _) in enumerate(blues, 1)],
    }
    world = World(model, "skirmish", data, "$")
    picks = [picked for _, picked in blues]
    kept = {blue: picked for blue, picked in zip(world.root.blues, picks, strict=True) if picked}
    for firer, red in zip(firers, world.root.reds, strict=True):
        referee = Referee(chain, exempt, firer, [blue for blue, _ in blues], picks)
        for name in ENGINES:
            engine = make_engine(name, model, world)
            for number, blue in enumerate(world.root.blues):
                said = engine.said("fire.choose", {"firer": red, "target": blue, PICKS: kept})
                assert {statement.clause for statement in said} == referee.clauses(number), (name, red, blue)
                assert engine.is_barred(model.forms["fire"], {}, red, blue, kept) is bool(said), (name, red, blue)


def test_a_chain_in_which_each_line_names_all_before_it_is_read():
    """Who listed the lines before a line by every way to them would need 2**29 of them."""
    chain = [Line(tuple(range(1, number)), "target has tired", "", "", "") for number in range(1, 31)]
    text = GAME + "".join(line.text(number) for number, line in enumerate(chain, 1))
    heads = link_model([parse_rules(text, "two_hills.rules")], "test").heads
    assert len([key for key in heads if key.startswith("fire.behind-")]) == 30
