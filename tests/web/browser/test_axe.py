"""axe-core finds nothing on the page that keeps somebody out, in each of its states."""

import pytest

from tests.web.browser.conftest import opened
from tests.web.browser.test_disputes import DISPUTES, act
from tests.web.test_openapi import CLIENTS

AXE = CLIENTS / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 140)).join(" | ")}`)"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DARK = {"color_scheme": "dark"}
REFUSED, BATTLE = DISPUTES["past a contested area"][0], DISPUTES["who shoots at whom"][0]


# What is done on the page, how it is opened, and what stands there then.
STATES = {
    "whole board": ([], {}, "#board [data-piece]"),
    "verdict": (REFUSED, {}, "#verdict .strip"),
    "battle": (BATTLE, {}, ".odds table"),
    "play": (["press Play"], {}, "#phase button"),
    "finder": (["open finder"], {}, "#found [role=option]"),
    "phone": (REFUSED, PHONE, "#verdict .strip"),
    "dark": (BATTLE, DARK, ".odds table"),
    "error": (["break"], {}, "#verdict .error"),
}


def prepare(hand, action):
    match action:
        case "press Play":
            hand.press("Play", "header")
        case "open finder":
            hand.page.locator("#find").press_sequentially("2nd pan")
        case "break":
            hand.page.route("**/api/ask", lambda route: route.abort())
            hand.type("who controls each area")
        case _:
            act(hand, action)


OFTEN = ("battle", "play")


@pytest.mark.parametrize(
    "state", [state if state in OFTEN else pytest.param(state, marks=pytest.mark.slow) for state in STATES]
)
def test_nothing_keeps_anybody_out(browser, address, state):
    if not AXE.exists():
        pytest.skip("no axe-core: `make clients` installs it with npm")
    actions, how, sign = STATES[state]
    with opened(browser, address, **how) as hand:
        for action in actions:
            prepare(hand, action)
        hand.page.locator(sign).first.wait_for()
        hand.page.evaluate(AXE.read_text(encoding="utf-8"))
        assert hand.page.evaluate(GRAVE) == []
