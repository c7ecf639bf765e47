"""The sheet of a battle: who faces whom, what each shot needs, and the switches that change the odds."""

import pytest

from .test_disputes import DISPUTES, act

BATTLE = DISPUTES["who shoots at whom"][0]
SHOT = '[data-shot="28-inf-b>2-pz-a"]'
# the switch that is pressed, by its name for the blind; what the odds take as given then; what one shot needs
SWITCHES = [
    ("artillery of the attacker", "artillery of the attacker came", "hits on 1 to 4"),
    ("28 Inf-b: out of supply", "defenders out of supply: 28 Inf-b", "die +1 out of supply 9.71-oos"),
    ("28 Inf-b: entrenched", "no defender is entrenched", "hits on 1 to 5"),
    ("confusion", "special forces cause confusion", "die +1 confusion 14.24b"),
]


def test_the_guilty_shot_is_barred_and_switches_change_what_a_shot_needs(hand):
    for action in BATTLE:
        act(hand, action)
    hand.verdict("legal for the defender? No.")
    lines = hand.page.locator(".shots line")
    lines.nth(1).wait_for(state="attached")
    looks = {one.get_attribute("data-line"): one.get_attribute("class") for one in lines.all()}
    assert looks == {"28-inf-b>2-pz-a": "shot", "707-tnk>560-vg-a": "barred"}
    assert (
        hand.page.locator(SHOT).inner_text()
        == "28 Inf-b → 2 Pz-a hits on 1 to 5: factor 4, die −1 not combined arms 9.6b"
    )
    for name, told, needs in SWITCHES:
        switch = hand.page.get_by_role("button", name=name, exact=True)
        was = switch.get_attribute("aria-pressed")
        switch.click()
        hand.page.locator(".odds .note", has_text=told).wait_for()
        hand.page.locator(SHOT, has_text=needs).wait_for()
        assert switch.get_attribute("aria-pressed") != was
        switch.click()
        hand.page.locator(SHOT, has_text="hits on 1 to 5: factor 4, die −1").wait_for()
    hand.verdict("No.")
    assert (
        hand.page.locator('[data-fact="combined_arms"]')
        .inner_text()
        .endswith("No. 9.6c Artillery must have been called")
    )
    hand.page.keyboard.press("Escape")
    assert hand.page.locator("#board").is_visible()


@pytest.mark.slow
def test_what_may_be_picked_is_lit_with_its_number(hand):
    hand.choose("scenarios", "07-combat-leaving-out-one-point")
    hand.verdict("Yes")
    hand.click('[data-combatant="d1"]')
    lit = hand.page.locator(".combatant.open")
    lit.first.wait_for()
    assert lit.evaluate_all("(all) => all.map((one) => one.dataset.combatant)") == ["a1"]
    lit.get_by_text("hit on 1 to").wait_for()
    hand.page.locator(".chance[title='exactly 49/100']").first.wait_for()
