"""Six disputes, each set up from the campaign as it opens: settled with the mouse alone, and with keys alone."""

import pytest

MOST_CLICKS = 12


class TestMouse:
    """How many clicks each takes is asserted: whoever makes it more sees that."""

    def test_may_it_go_on_past_a_contested_area(self, hand):
        hand.piece("2-pz-a")
        hand.place("Lutzkampen")
        hand.place("Burg Reuland")
        assert "8.22 Stop on entering enemies" in hand.verdict("Not legal")
        assert "legal as far as Lutzkampen" in hand.verdict()
        assert hand.clicks == 3
        hand.strip()
        assert hand.page.locator(".strip li .no").count() == 9, "every edition"

    def test_who_shoots_at_whom(self, hand):
        """The defending armor would leave out the attacking armor, as in the example of the book."""
        hand.drag("560-vg-a", "Marnach")
        hand.drag("2-pz-a", "Marnach")
        hand.place("Marnach")
        with hand.unanswered("fire_allocations"):  # who may shoot at whom; a hand does not wait for it
            hand.press("battle here")
            for one, target in (("28-inf-b", "2-pz-a"), ("707-tnk", "560-vg-a")):
                hand.drag_from(f'[data-combatant="{one}"]', f'[data-combatant="{target}"]')
        assert "707-tnk must prefer 2-pz-a to " in hand.verdict("Not legal")
        assert hand.clicks == 6
        hand.click('.member:has([data-combatant="2-pz-a"]) >> text="to bystanders"')
        for one in ("28-inf-b", "707-tnk"):
            hand.click(f'[data-combatant="{one}"]')
            hand.click('[data-combatant="560-vg-a"]')
        hand.verdict("Legal")
        assert hand.clicks <= MOST_CLICKS

    def test_a_blown_bridge_and_supply(self, hand):
        hand.drag("2-pz-a", "Marnach")
        hand.press("supplied")
        assert "13.14a" in hand.verdict("No ")
        hand.connection("Dasburg-Marnach")
        hand.page.locator('select[name="bridge"]').select_option("intact")
        hand.clicks += 2
        hand.press("supplied")
        hand.verdict("Yes")
        assert hand.clicks == 6

    def test_may_the_engineer_rebuild(self, hand):
        hand.drag("2-pz-a", "Marnach")
        hand.click("summary:has-text('Turn and board')")
        hand.press("construction options")
        assert "207-eng" in hand.verdict("Answer")
        assert hand.clicks == 3

    def test_how_many_artillery_counters(self, hand):
        hand.drag("2-pz-a", "Marnach")
        hand.place("Marnach")
        hand.press("battle here")
        told = hand.page.locator('[data-fact="artillery_calls"]')
        told.wait_for()
        assert "calls attacker 0 defender 1 availability attacker 6 defender 8" in " ".join(told.inner_text().split())
        assert hand.clicks == 3

    def test_may_they_blow_it(self, hand):
        hand.drag("2-pz-a", "Marnach")
        hand.connection("Marnach-Lullange")
        hand.press("demolition options")
        told = hand.verdict("Answer")
        assert "the day is 16 and 1107-eng is Allied" in told
        assert "10.26" in told
        assert hand.clicks == 3


KEYS = {
    "past a contested area": (["2-pz-a", "Lutzkampen", "Burg Reuland"], "Not legal", "8.22 Stop on entering enemies"),
    "who shoots at whom": (
        ["560-vg-a@Marnach", "2-pz-a@Marnach", "Marnach", "battle here", "28-inf-b", "2-pz-a", "707-tnk", "560-vg-a"],
        "Not legal", "707-tnk must prefer 2-pz-a to ",
    ),
    "a blown bridge and supply": (
        ["2-pz-a@Marnach", "bridge Dasburg-Marnach intact", "supplied"], "Yes", "supplied",
    ),
    "may the engineer rebuild": (["2-pz-a@Marnach", "construction options"], "Answer", "207-eng"),
    "how many artillery counters": (
        ["2-pz-a@Marnach", "Marnach", "battle here", "artillery calls"], "Answer", "availability",
    ),
    "may they blow it": (["2-pz-a@Marnach", "Marnach-Lullange", "demolition options"], "Answer", "10.26"),
}  # fmt: skip


@pytest.mark.parametrize("name", KEYS)
def test_with_keys_alone(hand, name):
    lines, outcome, reason = KEYS[name]
    hand.type(*lines)
    assert reason in hand.verdict(outcome)
    assert hand.clicks == 0


def test_arrow_keys_go_about_the_board(hand):
    keys = hand.page.keyboard
    hand.type("Dasburg")
    hand.page.locator("#board").focus()
    keys.press(" ")  # the first unit there
    hand.page.wait_for_selector("section.card h3")
    taken = hand.page.locator("section.card h3").first.inner_text().split()[0]
    assert hand.page.locator(f'[data-place="Dasburg"] [data-piece="{taken}"]').count() == 1
    start = hand.page.evaluate("document.activeElement.dataset.place")
    keys.press("ArrowUp")
    moved = hand.page.evaluate("document.activeElement.dataset.place")
    assert start == "Dasburg"
    assert moved not in (None, "Dasburg")
    keys.press("Enter")
    hand.verdict()
    assert hand.clicks == 0
