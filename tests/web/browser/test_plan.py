"""A sheet is planned on the board: amendments go in as text, what they change comes out."""

import pytest

from tests.web.browser.conftest import by_server

WOODS = 'replace clause 3.3 "Woods" "Three." march costs 3 when terrain of place-entered is wood.'
WAITS_MS = 60_000


@pytest.mark.slow
@by_server
def test_a_sheet_is_planned_and_a_fault_in_it_is_shown(hand):
    hand.choose("games", "cold-ford")
    hand.press("Plan a sheet …")
    sheet, shown = hand.page.locator("#clause textarea"), hand.page.locator("#clause")
    sheet.fill("replace 3.3")
    hand.press("Plan", "#clause")
    shown.locator(".error").wait_for(timeout=WAITS_MS)
    sheet.fill(WOODS)
    hand.press("Plan", "#clause")
    shown.get_by_text("1 clause differs").wait_for(timeout=WAITS_MS)
    assert "play, by 3.3: 3 cases" in shown.inner_text()
    assert shown.locator("th").all_inner_texts()[0] == "question"
    hand.press("Close", "#clause")
    hand.press("Plan a sheet …")
    assert sheet.input_value() == WOODS
    hand.press("Close", "#clause")
