"""How long a hand waits for a verdict after a click, and for the first board. Reported, not asserted."""

import time
from statistics import median, quantiles

import pytest

from tests.web.browser.conftest import first_visit

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


def first_verdict(hand, begun):
    """Ask as soon as the board stands; give the seconds until it did, and until the verdict."""
    hand.stands("2-pz-a", "Dasburg")
    board = time.perf_counter() - begun
    hand.piece("2-pz-a")
    hand.place("Lutzkampen")
    hand.verdict("go to Lutzkampen? Yes")
    return f"board {board:.1f} s, verdict {time.perf_counter() - begun:.1f} s"


@pytest.mark.slow
def test_a_click_is_answered_while_one_looks(browser, address, record_property, capsys):
    begun = time.perf_counter()
    with first_visit(browser, address) as hand:
        told = [f"first visit: {first_verdict(hand, begun)}"]
        if hand.is_of_files():
            hand.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        for _ in range(2):
            begun = time.perf_counter()
            hand.load(address)
            told.append(f"later: {first_verdict(hand, begun)}")
        places = hand.page.evaluate(IN_SIGHT)
        goals = [places[number % len(places)] for number in range(CLICKS)]
        waits = {"at once": [], "after looking": []}
        for place, looks in ((place, looks) for looks in (False, True) for place in goals):
            if looks:
                hand.strip()
            hand.page.evaluate(ARMED, place)
            hand.place(place)
            waits["after looking" if looks else "at once"].append(hand.page.evaluate("window.waited"))
    for how, ms in waits.items():
        assert len(ms) == CLICKS
        told.append(
            f"from click to verdict, {how}: median {median(ms):.0f} ms, 95 % within {quantiles(ms, n=20)[-1]:.0f} ms"
        )
    record_property("waits", "; ".join(told))
    with capsys.disabled():
        print("\n" + "\n".join(told))
