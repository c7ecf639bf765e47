"""Six disputes, each set up from the campaign as it opens and settled with the mouse alone; one with keys alone."""

import pytest

MOST_CLICKS = 12


def test_may_it_go_on_past_a_contested_area(hand):
    hand.piece("2-pz-a")
    hand.place("Lutzkampen")
    hand.place("Burg Reuland")
    assert "8.22 Stop on entering enemies" in hand.verdict("Not legal")
    assert "legal as far as Lutzkampen" in hand.verdict()
    assert hand.clicks == 3


def test_who_shoots_at_whom(hand):
    """The defending armor would leave out the attacking armor, as in the example of the book."""
    hand.drag("560-vg-a", "Marnach")
    hand.drag("2-pz-a", "Marnach")
    hand.place("Marnach")
    hand.press("battle here")
    for one, target in (("28-inf-b", "2-pz-a"), ("707-tnk", "560-vg-a")):
        hand.click(f'[data-combatant="{one}"]')
        hand.click(f'[data-combatant="{target}"]')
    assert "707-tnk is armor and must take an equal target first, 2-pz-a" in hand.verdict("Not legal")
    assert hand.clicks == 8
    hand.let_join("2-pz-a", "bystanders")
    for one in ("28-inf-b", "707-tnk"):
        hand.click(f'[data-combatant="{one}"]')
        hand.click('[data-combatant="560-vg-a"]')
    hand.verdict("Legal")


def test_a_blown_bridge_and_supply(hand):
    hand.drag("28-inf-b", "Wiltz")
    hand.drag("707-tnk", "Wiltz")
    hand.drag("2-pz-a", "Marnach")
    hand.press("supplied")
    hand.verdict("No ")
    hand.connection("Dasburg-Marnach")
    hand.page.locator('select[name="bridge"]').select_option("intact")
    hand.clicks += 2
    hand.press("supplied")
    hand.verdict("Yes")
    assert hand.clicks <= MOST_CLICKS


@pytest.mark.slow
def test_may_the_engineer_rebuild(hand):
    hand.drag("2-pz-a", "Marnach")
    hand.click("summary:has-text('Turn and board')")
    hand.press("construction options")
    told = hand.verdict("Answer")
    assert "207-eng" in told
    assert hand.clicks == 3


@pytest.mark.slow
def test_how_many_artillery_counters(hand):
    hand.drag("2-pz-a", "Marnach")
    hand.place("Marnach")
    hand.press("battle here")
    hand.press("artillery calls")
    assert "availability" in hand.verdict("Answer")
    assert hand.clicks == 4


def test_may_they_blow_it(hand):
    hand.drag("2-pz-a", "Marnach")
    hand.connection("Marnach-Lullange")
    hand.press("demolition options")
    told = hand.verdict("Answer")
    assert "1107-eng is Allied, and this is December 16" in told
    assert "10.26" in told
    assert hand.clicks == 3


def test_a_dispute_is_settled_with_keys_alone(hand):
    hand.type("2-pz-a")
    hand.type("Lutzkampen")
    hand.type("Burg Reuland")
    assert "8.22 Stop on entering enemies" in hand.verdict("Not legal")
    assert hand.clicks == 0


@pytest.mark.slow
def test_the_strip_shows_every_edition(hand):
    hand.piece("2-pz-a")
    hand.place("Lutzkampen")
    hand.place("Burg Reuland")
    hand.verdict("Not legal")
    hand.press("Ask every edition")
    hand.page.wait_for_selector(".strip li:nth-child(9) .no")
    assert hand.page.locator(".strip li").count() == 9
