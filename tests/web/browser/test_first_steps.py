"""What players see first: the links that `titm questions` prints open the board with the question and its answer."""

from urllib.parse import urlsplit

import pytest
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition
from titm_rules.service.capabilities import questions_told

GAMES = ("titm", "bitterwoods", "cold-ford")
LINKS = [(game, one.board) for game in GAMES for one in questions_told(load_model(default_edition(game), game))]
OFTEN = 12  # of so many links one is opened in every run


@pytest.mark.parametrize(
    ("game", "link"),
    [one if not number % OFTEN else pytest.param(*one, marks=pytest.mark.slow) for number, one in enumerate(LINKS)],
)
def test_the_link_of_a_question_opens_with_its_answer(hand, address, game, link):
    hand.page.goto("about:blank")
    hand.load(f"{address}#{urlsplit(link).fragment}")
    told = hand.verdict("? ")
    assert hand.page.locator("#verdict .error").count() == 0, told
    assert hand.page.locator("#games").input_value() == game
