"""The page on a phone, its links, its clauses, playing, and another game."""

import pytest

from tests.web.browser.conftest import Hand


def test_a_link_opened_elsewhere_gives_the_same_verdict(hand, browser, address):
    hand.drag("2-pz-a", "Marnach")
    hand.connection("Dasburg-Marnach")
    hand.page.locator('select[name="bridge"]').select_option("intact")
    hand.press("supplied")
    told = (hand.verdict(), hand.strip())
    hand.press("Copy a link")
    hand.page.wait_for_selector("#link a")
    link = hand.page.locator("#link a").get_attribute("href")
    elsewhere = Hand(browser.new_context().new_page()).open(link)
    assert (elsewhere.verdict(), elsewhere.strip()) == told
    assert elsewhere.page.locator('[data-place="Marnach"] [data-piece="2-pz-a"]').count() == 1
    elsewhere.page.context.close()
    assert elsewhere.faults == []


def test_on_a_phone_nothing_is_wider_than_the_screen(browser, address):
    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    hand = Hand(phone.new_page()).open(address)
    hand.page.locator('[data-piece="2-pz-a"]').tap(force=True)
    hand.page.wait_for_selector('section.card[aria-label="2-pz-a"]')
    assert hand.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert hand.page.locator('section.card[aria-label="2-pz-a"]').is_visible()
    phone.close()
    assert hand.faults == []


@pytest.mark.slow
def test_changes_are_undone_and_done_again(hand):
    where = '[data-place="{}"] [data-piece="2-pz-a"]'
    hand.drag("2-pz-a", "Marnach")
    hand.page.wait_for_selector(where.format("Marnach"))
    hand.press("Undo", within="header")
    hand.page.wait_for_selector(where.format("Dasburg"))
    hand.press("Redo", within="header")
    hand.page.wait_for_selector(where.format("Marnach"))


@pytest.mark.slow
def test_a_clause_opens_with_its_history(hand):
    hand.type("unbridged")
    hand.page.get_by_role("button", name="8.33-unbridged").click()
    hand.page.wait_for_selector("dialog pre")
    told = hand.page.inner_text("dialog")
    assert "Unbridged river" in told
    assert "through the editions" in told


@pytest.mark.slow
def test_a_game_is_played_by_clicks(hand):
    hand.page.select_option("#scenarios", "two-bridges")
    hand.page.wait_for_selector('[data-piece="g-mech"]')
    hand.press("Play", within="header")
    for _ in range(4):
        hand.page.locator("#play .action").first.click()
        if hand.page.locator("form[aria-label=dice]").count():
            hand.press("Roll")
            hand.press("Take it")
        hand.page.wait_for_timeout(300)
        hand.page.wait_for_selector("#play .action")
    assert hand.page.locator("#play .log li").count() >= 3
    assert "legal" in hand.page.inner_text("#play h2")


@pytest.mark.slow
def test_another_game_opens(hand):
    hand.page.select_option("#games", "bitterwoods")
    hand.page.locator("#editions", has_text="2014-qa").wait_for()
    hand.page.wait_for_timeout(500)
    assert "Bitter Woods" in hand.page.locator("#games option:checked").inner_text()
