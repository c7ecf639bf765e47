"""axe-core finds nothing on the page that keeps somebody out, in each of its states."""

import pytest

from tests.web.browser.conftest import opened
from tests.web.browser.test_disputes import DISPUTES, act
from tests.web.browser.test_page import open_text
from tests.web.test_openapi import CLIENTS, RULING

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
    "lines": (["drag 2-pz-a Vianden", "press What cuts its line"], {}, "#cuts .cuts"),
    "lines in the dark": (["piece 2-pz-a", "press What cuts its line"], DARK, "#cuts .cuts"),
    "plans": ([*BATTLE, "press Complete this plan"], {}, "#why-none"),
    "plans on a phone": (["choose scenarios combat-of-1999", "press Complete this plan"], PHONE, ".plans"),
    "stacks": (["open Move several stacks", "piece 2-pz-a"], {}, "#stacks textarea"),
    "ruling": (["open a ruling"], {}, ".checked"),
    "error": (["type quux-7@zzz"], {}, "#verdict .error"),
}


def prepare(hand, action):
    match action:
        case "press Play":
            hand.press("Play", "header")
        case "open finder":
            hand.page.locator("#find").press_sequentially("2nd pan")
        case "press Complete this plan":
            hand.press("Complete this plan", "#battle")
        case "open a ruling":
            open_text(hand, RULING)
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
