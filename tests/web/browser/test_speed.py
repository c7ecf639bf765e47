"""How long a hand waits for a verdict after a click, and for the first board. Reported, not asserted."""

import re
import time
from statistics import median

import pytest

from tests.web.browser.conftest import opened

CLICKS = 30
# Wait for a click, and then for the answer about a place: how many milliseconds later it stands in the verdict.
ARMED = """(place) => { window.waited = new Promise((done) => {
  const verdict = document.getElementById("verdict");
  window.addEventListener("pointerup", () => {
    const before = performance.now();
    const seen = new MutationObserver(() => {
      const text = verdict.querySelector(".outcome")?.textContent ?? "";
      if (!text.includes(`to ${place}? `) || !verdict.querySelector("strong")?.textContent) return;
      seen.disconnect();
      requestAnimationFrame(() => done(performance.now() - before));
    });
    seen.observe(verdict, { childList: true, subtree: true });
  }, { once: true, capture: true });
}); }"""


IN_SIGHT = """() => {
  const frame = document.getElementById("board").getBoundingClientRect(), { left, right, top, bottom } = frame;
  return [...document.querySelectorAll("[data-place]")].filter((one) => {
    const { x, y } = one.querySelector(".name").getBoundingClientRect();
    return x > left + 60 && x < right - 160 && y > top + 40 && y < bottom - 40 && one.dataset.place !== "Dasburg";
  }).map((one) => one.dataset.place);
}"""


@pytest.mark.slow
def test_a_click_is_answered_while_one_looks(browser, address, record_property, capsys):
    begun = time.perf_counter()
    with opened(browser, address) as hand:
        hand.stands("2-pz-a", "Dasburg")
        opening = time.perf_counter() - begun
        hand.piece("2-pz-a")
        hand.page.locator("#selection").get_by_text(re.compile("2 Pz")).first.wait_for()
        places = hand.page.evaluate(IN_SIGHT)
        goals = [places[number % len(places)] for number in range(CLICKS)]
        waits = []
        for place in goals:
            hand.page.evaluate(ARMED, place)
            hand.place(place)
            waits.append(hand.page.evaluate("window.waited"))
    assert len(waits) == CLICKS
    told = f"from click to verdict: median {median(waits):.0f} ms of {CLICKS}; first board: {opening:.1f} s"
    record_property("waits", told)
    with capsys.disabled():
        print(f"\n{told}")
