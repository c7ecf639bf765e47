"""Notes on words of a clause that name other numbers or kinds of piece than its sentences."""

from dataclasses import replace

import pytest
from titm_rules.catalog import game_folders
from titm_rules.compare.rule_pair import ModelPair
from titm_rules.compare.sheet_notes import notes_on
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import list_editions


def unlike(model, clauses, before=()):
    """Note what is unlike in some clauses of a model, all of them new but for those `before`."""
    pair = ModelPair(replace(model, clauses=dict(before)), replace(model, clauses=clauses))
    return [one.what for one in notes_on(pair) if "the words of" in one.what]


def said(words, clause, is_new=True):
    """Note what is unlike if a clause says other words over the same sentences."""
    model = load_model("1999")
    old = model.clauses[clause]
    info = replace(old, says=words, span=replace(old.span, line=old.span.line + 1))
    return unlike(model, {clause: info}, {} if is_new else {clause: old})


@pytest.mark.parametrize("words", [
    "Building succeeds on 1-4.",
    "Building succeeds on 1 to 4.",
    "Building succeeds on 4 or less.",
    "Building succeeds on at most four.",
    "Building fails on 5 or more.",
    "Building fails on more than four.",
    "Building succeeds on 1, 2, 3 or 4.",
    "On the fourth it succeeds, with 8 dice.",
    "Germans succeed as others do.",
])  # fmt: skip
def test_words_that_say_a_number_as_a_bound_are_as_the_sentence(words):
    """That of the clause is `construction succeeds on 4`."""
    assert not said(words, "10.15")


@pytest.mark.parametrize("words", [
    "Building succeeds on 1-5.",
    "Building succeeds on 5 or less.",
    "Building succeeds on 3.",
])  # fmt: skip
def test_another_number_is_noted(words):
    assert said(words, "10.15")


def test_other_kinds_are_noted_and_a_side_is_none():
    assert said("Armor has 5 movement points a turn.", "8.32")
    assert not said("Allied foot has 5 movement points a turn.", "8.32")


def test_words_alone_that_change_are_noted():
    assert said("Engineers have as many movement points as shown.", "8.32", is_new=False)
    assert not said("Foot has a turn of 5.", "8.32", is_new=False)


# Its sentence is about all other kinds than those that the rule leaves out.
TOLD = {"the words of 37.1 name the kinds army-artillery, its sentences corps-artillery, rockets"}


@pytest.mark.slow
def test_no_clause_that_ships_is_noted_without_reason():
    noted = set()
    for game in game_folders():
        infos = [load_model(info.name, game) for info in list_editions(game)]
        for before, model in zip([None, *infos], infos, strict=False):
            noted |= {*unlike(model, model.clauses), *unlike(model, model.clauses, before.clauses if before else {})}
    assert noted == TOLD
