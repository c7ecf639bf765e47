"""What the model holds of defaults, of the course of play and of the words of a refusal."""

from pathlib import Path

from titm_rules.ir.model import NOBODY
from titm_rules.ir.terms import Field, Var
from titm_rules.world.evaluate import Evaluator

from tests.syntax.programs import ROOT, link


def program(name):
    return link(Path(ROOT / "grammar" / "good" / f"{name}.rules"))


def test_a_default_is_said_by_nobody_and_gives_way_to_clauses():
    head = program("13_define_default").heads["open"]
    [default] = head.statements
    assert (default.clause, default.when) == (NOBODY, None)
    assert [(lift.clause, lift.target) for lift in head.lifts] == [("1", NOBODY)]
    [default] = program("13_define_default").heads["held"].statements
    assert default.clause == NOBODY
    assert default.when is not None
    default, toll = program("13_define_default").heads["toll"].statements
    assert (default.clause, toll.clause) == (NOBODY, "2")
    assert toll.instead == (NOBODY,)


def test_sections_of_the_course_of_play_are_no_clauses():
    model = program("85_course")
    assert list(model.clauses) == ["1"]
    assert model.courses["turn-passes"].title == "The turn passes to the other side"
    assert {one.clause for one in model.heads["wait.effects"].statements} == {"1", "turn-passes"}


def test_the_words_of_a_refusal_are_texts_and_terms_in_the_names_of_the_head():
    model = program("46_bar_says")
    [bar] = model.heads["march.step"].statements
    first, words, levels, more, second = bar.says
    assert (first, words, more) == (Var("goal", first.type), " lies ", " levels above ")
    assert second == Var("start", second.type)
    assert levels.left == Field(first, "height", levels.left.type)
    [points] = model.heads["march.points"].statements
    assert points.says[1] == " may march two trails a day"


def test_defaults_count_unless_clauses_speak():
    model = program("13_define_default")

    class Hex:
        def __init__(self, height, flooded):
            self.height, self.flooded = height, flooded

    evaluator = Evaluator(model, None, None)  # neither is asked for here
    ask = {key: lambda h, key=key: evaluator.head(model.heads[key], {"h": h}) for key in ("open", "toll")}
    assert ask["open"](Hex(0, False))
    assert not ask["open"](Hex(0, True))
    assert ask["toll"](Hex(0, False)) is None
    assert ask["toll"](Hex(2, False)) == 2
