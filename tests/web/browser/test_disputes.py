"""Disputes, each from an opened page to its verdict: with the mouse, and with keys alone."""

from statistics import median

import pytest

from tests.sampling import one_in

MOST, MOST_USUAL = 6, 3  # actions: of the longest dispute, and of one in the middle

# What is done with the mouse, what is typed instead, the answer that the headline ends with, and what it rests on.
MARNACH, BATTLE, BOARD = "drag 2-pz-a Marnach", "press battle here", "open Turn and board"
BRIDGE = "connection Dasburg-Marnach"
DISPUTES = {
    "past a contested area": (["piece 2-pz-a", "place Burg Reuland"], ["2nd panzer", "burg ruland"],
     "May 2 Pz-a go to Burg Reuland? No.", "8.22 Stop on entering enemies"),
    "past it by a way": (["piece 2-pz-a", "place Lutzkampen", "further Burg Reuland"], ["2 pz", "lutzkampn",
     "by burg reuland"], "May 2 Pz-a go from Dasburg by Lutzkampen to Burg Reuland? No.", "legal as far as Lutzkampen"),
    "up to the enemy": (["piece 2-pz-a", "piece 28-inf-a"], ["2-pz-a", "Lutzkampen"],
     "go to Lutzkampen? Yes, for 3 of 8 MPs.", "8.22"),
    "far behind the front": (["piece 2-pz-a", "place Prum"], ["2-pz-a", "Prum"], "Yes, for 7 of 8 MPs.", "8.33"),
    "across the map": (["piece 2-pz-a", "place Bastogne"], ["2 pz", "bastonge"], "May 2 Pz-a go to Bastogne? No.",
     "8.38"),
    "supply over a blown bridge": ([MARNACH, "ask supplied"], ["2 pz@marnach", "supplied"],
     "Is 2 Pz-a in supply at Marnach? No", "13.14a"),
    "supply over the bridge": ([MARNACH, BRIDGE, "choose bridge intact", "ask supplied"], ["2-pz-a@Marnach",
     "bridge Dasburg-Marnach intact", "supplied"], "in supply at Marnach? Yes", "13.11a"),
    "who may build the bridge": ([MARNACH, BOARD, "ask construction_options"], ["2-pz-a@Marnach",
     "construction options"], "Which bridges may be built now", "207 Eng"),
    "who may blow a bridge": ([MARNACH, "connection Marnach-Lullange", "ask demolition_options"], ["2-pz-a@Marnach",
     "Marnach-Lullange", "demolition options"], "Who may blow the bridge", "the day is 16 and 1107 Eng"),
    "must it attack": ([MARNACH, "ask attack_status"], ["2-pz-a@Marnach", "atack status"],
     "Must 2 Pz-a attack, may it, or may it not?", ""),
    "may it dig in": (["piece 2-pz-a", "ask entrench_options"], ["2 pz", "dig in"], "Where may 2 Pz-a dig in?", ""),
    "who shoots at whom": (["drag 560-vg-a Marnach", MARNACH, "place Marnach", BATTLE, "shoot 28-inf-b 2-pz-a",
     "shoot 707-tnk 560-vg-a"], ["560-vg-a@Marnach", "2-pz-a@Marnach", "Marnach", "battle here", "28-inf-b", "2-pz-a",
     "707-tnk", "560-vg-a"], "legal for the defender? No.", "707 Tnk must prefer 2 Pz-a to 560 VG-a"),
    "how many artillery counters": ([MARNACH, "place Marnach", BATTLE, "open Ask of this battle",
     "ask artillery_calls"], ["2-pz-a@Marnach", "Marnach", "battle here", "artillery calls"],
     "How many artillery counters may each side call for", ""),
    "too many in an area": (["place Dasburg", "ask overstack_eliminations", "press Ask"], ["Dasburg",
     "overstack eliminations", "Ask"], "units may be removed at Dasburg, where too many stand?", ""),
    "special forces": ([BOARD, "ask special_forces_options"], ["special forces"], "Where may the special forces appear",
     ""),
    "who holds what": ([BOARD, "ask control_after_impulse"], ["who controls each area"], "Who controls each area", ""),
    "points of a turn": ([BOARD, "ask vp_at_turn_end"], ["victory points turn"], "How many victory points", ""),
    "a hex game: armor in a forest": (["choose games bitterwoods", "choose scenarios e1-armor-in-0812", "place F1"],
     None, "May u go from 0812 to F1? No.", "5.3.forest-armor"),
    "a hex game: over the river": (["choose games cold-ford", "piece r-second", "piece b-ford"], None, "to 0404? No.",
     "3.4 Enemies"),
    "a hex game: a march": (["choose games cold-ford", "piece r-first", "place 0303"], None,
     "to 0303? Yes, for 3 of 3 points.", ""),
    "a hex game: supply": (["choose games cold-ford", "piece r-first", "ask supplied"], None, "in supply? Yes.", ""),
}  # fmt: skip


def act(hand, action):
    """Do what a line says; names in it have no spaces, but for the last."""
    verb, _, rest = action.partition(" ")
    one, _, other = rest.partition(" ")
    special = {
        "further": lambda: hand.click(f'[data-place="{rest}"] > .name', force=True, modifiers=["Shift"]),
        "open": lambda: hand.click(f"summary:has-text('{rest}')"), "drag": lambda: hand.drag(one, other),
        "shoot": lambda: hand.drag_from(f'[data-combatant="{one}"]', f'[data-combatant="{other}"]'),
        "choose": lambda: hand.pick(one, other),
    }  # fmt: skip
    special[verb]() if verb in special else getattr(hand, verb)(rest)


@pytest.mark.parametrize("name", one_in(3, DISPUTES))
def test_with_the_mouse(hand, name):
    actions, _, headline, reason = DISPUTES[name]
    for action in actions:
        act(hand, action)
    assert reason in hand.verdict(headline)
    assert hand.clicks == len(actions)


TYPED = [name for name, (_, lines, *_) in DISPUTES.items() if lines]


@pytest.mark.parametrize("name", one_in(6, TYPED))
def test_with_keys_alone(hand, name):
    _, lines, headline, reason = DISPUTES[name]
    hand.type(*lines)
    assert reason in hand.verdict(headline)
    assert hand.clicks == 0


def test_disputes_take_few_actions():
    counts = [len(actions) for actions, *_ in DISPUTES.values()]
    assert (len(counts) >= 20, max(counts) <= MOST, median(counts) <= MOST_USUAL) == (True, True, True)


def test_a_hand_does_not_wait_until_it_is_known_who_may_shoot(hand):
    actions, _, headline, _ = DISPUTES["who shoots at whom"]
    for action in actions[:3]:
        act(hand, action)
    with hand.unanswered("fire_allocations"):
        for action in actions[3:]:
            act(hand, action)
    hand.verdict(headline)
    hand.click('.member:has([data-combatant="2-pz-a"]) >> text="to bystanders"')
    for one in ("28-inf-b", "707-tnk"):
        hand.click(f'[data-combatant="{one}"]')
        hand.click('[data-combatant="560-vg-a"]')
    hand.verdict("? Yes.")


def test_arrow_keys_go_about_the_board(hand):
    keys = hand.page.keyboard
    hand.type("Dasburg")
    hand.page.locator("#board").focus()
    keys.press(" ")  # the first unit there
    hand.page.wait_for_selector("section.card h3 small")
    taken = hand.page.locator("section.card").first.get_attribute("aria-label")
    assert hand.page.locator(f'[data-place="Dasburg"] [data-piece="{taken}"]').count() == 1
    start = hand.page.evaluate("document.activeElement.dataset.place")
    keys.press("ArrowUp")
    moved = hand.page.evaluate("document.activeElement.dataset.place")
    assert (start, moved in (None, "Dasburg")) == ("Dasburg", False)
    keys.press("Enter")
    hand.verdict()
    assert hand.clicks == 0
