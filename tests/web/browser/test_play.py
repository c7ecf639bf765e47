"""Playing on the page: stacks go where they are sent, throws are told in words, a refused click names its clause."""

import random
import re

import pytest

from tests.web.browser.test_disputes import act
from tests.web.browser.test_page import open_text


def begin(hand, scenario, game="titm"):
    """Open a scenario to be played; clicks are counted from there."""
    hand.choose("games", game)
    hand.choose("scenarios", scenario)
    hand.press("Play", within="header")
    phase(hand)
    hand.clicks = 0


def phase(hand, text=""):
    """Give what is to be done, once somebody has a choice."""
    hand.page.locator('#phase[aria-busy="false"] strong', has_text=text).wait_for()
    return hand.page.inner_text("#phase")


def log(hand, text):
    hand.page.locator(".log li", has_text=text).first.wait_for()


@pytest.mark.parametrize("face", [4, *(pytest.param(face, marks=pytest.mark.slow) for face in (0, 9))])
def test_an_impulse_with_a_battle_of_three_counters_takes_few_clicks(hand, face):
    begin(hand, "fifth-panzer-army")
    hand.page.evaluate("(value) => { crypto.getRandomValues = (spots) => spots.fill(value); }", face)  # all dice alike
    for counter in ("2-pz-a", "2-pz-b"):
        hand.piece(counter)
    hand.place("Lutzkampen")
    log(hand, "2 Pz-a and 2 Pz-b: Dasburg → Lutzkampen")
    assert "German: Movement. Click" in phase(hand, "German: Movement")
    hand.press("Done", within="#phase")
    phase(hand, "Calls for artillery")
    while "Allied: Movement" not in (said := phase(hand)):
        if hand.page.locator("#phase button.main").count():
            assert "die" in said or "dice" in said
            hand.click("#phase button.main")
            continue
        for counter in ["28-inf-a", "2-pz-a"] if "Aiming" in said else ["2-pz-a"]:
            hand.piece(counter)
    assert hand.clicks <= 15
    assert "; hits on 1 to" in hand.page.inner_text(".log")
    assert hand.page.locator(".log h4").first.inner_text() == "Day 16, impulse 1: German"


@pytest.mark.slow
def test_two_bridges_is_played_against_the_computer_to_its_end(hand):
    """What is chosen is clicked, the computer answers, all dice are rolled by the page; the record is then judged."""
    chance = random.Random(3)
    begin(hand, "two-bridges")
    hand.piece("g-tank")
    hand.place("3")
    log(hand, "g-tank: 1 → 3")
    hand.page.select_option("#computer", label="Allied")
    while "Game over" not in phase(hand):
        hand.page.evaluate("document.querySelectorAll('#play details').forEach((one) => { one.open = true; })")
        offered = hand.page.locator("#phase button, #play .action")
        offered.nth(chance.randrange(offered.count())).click()
    assert re.search(r"The game is over: [\w ]+, \d+ points?\.", hand.page.inner_text("#play"))
    assert any("Allied" in head for head in hand.page.locator(".log h4").all_inner_texts())
    text = hand.saved("Save the record").decode()
    assert "German muster g-tank" in text
    open_text(hand, text)
    hand.verdict("Yes, all")


@pytest.mark.parametrize(
    ("game", "scenario", "actions", "headline", "reason"),
    [("titm", "fifth-panzer-army", ["piece 28-inf-a"], "28 Inf-a sets out? No.", "8.1c"),
     ("titm", "fifth-panzer-army", ["piece 2-pz-c", "place Marnach"], "go to Marnach? No.", "8.33-unbridged"),
     ("titm", "fifth-panzer-army", ["drag 2-pz-c Weiswampach"], "go to Weiswampach? No.", "8.22"),
     ("cold-ford", "the-ford", ["piece r-second", "piece b-ford"], "Second Red to 0404? No.", "3.7"),
     ("cold-ford", "the-ford", ["drag r-first 0303", "piece r-first"], "to 0303? No.", "First Red has marched"),
     ("bitterwoods", "teaching-battle", ["piece g-tanks", "place 0101"], "Leading tanks to 0101? No.",
      "5.2.allowance")],
)  # fmt: skip
def test_a_refused_click_names_the_clause(hand, game, scenario, actions, headline, reason):
    begin(hand, scenario, game)
    for action in actions:
        act(hand, action)
        phase(hand)
    assert reason in hand.verdict(headline)
    assert hand.page.locator("#verdict button.clause").count() > 0


@pytest.mark.slow
def test_a_stack_that_is_dragged_goes_there_is_shown_when_its_line_is_pointed_at_and_comes_back(hand):
    begin(hand, "fifth-panzer-army")
    hand.place("Daleiden")  # all three that stand there
    hand.page.locator("#board .chosen").nth(2).wait_for()
    hand.page.keyboard.press("Escape")
    hand.place("Daleiden")
    hand.drag("560-vg-a", "Prum")
    log(hand, "560 VG-a, 560 VG-b and 116 Pz-c: Daleiden → Arzfeld → Pronsfeld → Prum")
    phase(hand)
    assert hand.page.locator("#board .pointed").count() == 0
    hand.page.hover(".log li")
    hand.page.locator("#board .pointed").nth(4).wait_for()
    hand.press("Undo", within="header")
    hand.stands("116-pz-c", "Daleiden")
    assert "step 0 of" in hand.page.inner_text("#timeline")
