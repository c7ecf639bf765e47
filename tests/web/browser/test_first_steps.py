"""What players see first: the links that `titm questions` prints open the board with the question and its answer."""

import re
from urllib.parse import urlsplit

import pytest
from titm_rules.editions.load import load_model
from titm_rules.editions.registry import default_edition
from titm_rules.service.capabilities import questions_told

from tests.house.pages import DOCS, read

GAMES = ("titm", "bitterwoods", "cold-ford")
LINKS = [(game, one.board) for game in GAMES for one in questions_told(load_model(default_edition(game), game))]
OFTEN = 30  # of so many links one is opened in every run


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


# A line of the lesson, and what a hand does then; behind `>` stands what the page says after that.
STEPS = [
    (r"Click the counter `(.+)`", lambda hand, one: hand.piece(one)),
    (r"Click the area `(.+)`", lambda hand, one: hand.place(one)),
    (r"Hold Shift and click the area `(.+)`",
     lambda hand, one: hand.click(f'[data-place="{one}"] > .name', force=True, modifiers=["Shift"])),
    (r"Drag the counter `(.+)` to the area `(.+)`", lambda hand, one, other: hand.drag(one, other)),
    (r"Click the question `(.+)`", lambda hand, one: hand.press(one)),
    (r"Press `/`, type `(.+)` and press Enter", lambda hand, one: hand.type(one)),
    (r"Press `(.+)`", lambda hand, one: hand.press(one, "main")),
    (r"On the sheet, drag `(.+)` to `(.+)`",
     lambda hand, one, other: hand.drag_from(f'[data-combatant="{one}"]', f'[data-combatant="{other}"]')),
]  # fmt: skip
LESSON = [
    part for part in read(DOCS / "tutorial" / "first-dispute.md").split("\n## ") if re.search(r"^1\. ", part, re.M)
]


@pytest.mark.parametrize("part", LESSON, ids=lambda part: part.partition("\n")[0])
def test_the_first_lesson_is_as_the_page_says(hand, part):
    done = 0
    for line in part.splitlines():
        if line.startswith("> "):
            hand.page.locator("main", has_text=line[2:]).wait_for()
        elif re.match(r"\d+\. ", line):
            [(act, found)] = [
                (act, found) for step, act in STEPS if (found := re.fullmatch(rf"\d+\. {step}\.?", line))
            ][:1]
            act(hand, *found.groups())
            done += 1
    assert done > 1
