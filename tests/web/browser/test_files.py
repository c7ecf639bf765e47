"""The page as static files: it loads, says what it does, works without a network, and says what forbids it."""

import contextlib
import re
import shutil
from pathlib import Path

import pytest
from titm_rules.web.site import CHECKOUT

from tests.web.browser.conftest import files_at, first_visit

WAITS_MS = 120_000


def asked(hand):
    """Ask where a unit may go, and wait until the referee has started and answered."""
    hand.piece("2-pz-a")
    hand.place("Prum")
    hand.page.locator("#verdict .outcome", has_text="go to Prum? Yes, for 7").wait_for(timeout=WAITS_MS)


@pytest.mark.slow
def test_the_board_comes_first_then_the_referee_and_all_of_it_stays_without_a_network(browser, site):
    with files_at(site) as host, first_visit(browser, f"{host}/club/board/") as hand:
        hand.page.locator("#referee progress").wait_for()
        assert hand.page.locator("#opening").is_hidden()
        hand.page.locator("#referee:has(progress:not([value]))", has_text="starting Python").wait_for()
        asked(hand)
        assert hand.page.locator("#referee").is_hidden()
        hand.press("Copy a link")
        hand.page.wait_for_selector("#link a")
        link = hand.page.locator("#link a").get_attribute("href")
        assert link.startswith(f"{host}/club/board/#")
        hand.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        hand.page.context.set_offline(True)
        hand.page.goto("about:blank")
        hand.load(link)
        hand.page.locator("#verdict .outcome", has_text="go to Prum? Yes, for 7").wait_for(timeout=WAITS_MS)


SENT = """() => {
  const post = Worker.prototype.postMessage;
  window.sent = [];
  Worker.prototype.postMessage = function (message) {
    if (message.body) window.sent.push(JSON.parse(message.body));
    post.call(this, message);
  };
}"""


@pytest.mark.slow
def test_what_is_asked_goes_first_and_the_rules_of_all_editions_are_read_while_nobody_asks(browser, site):
    with files_at(site) as host, first_visit(browser, f"{host}/club/board/") as hand:
        hand.page.evaluate(SENT)
        asked(hand)
        editions = hand.page.locator("#editions option").all_inner_texts()
        read = "window.sent.filter(({ query }) => query === 'legal_actions').map(({ edition }) => edition)"
        while len(found := hand.page.evaluate(read)) < len(editions):
            hand.page.wait_for_timeout(100)
        assert hand.page.evaluate("window.sent[0].input.units") == ["2-pz-a"]
        assert (found[0], sorted(found)) == ("1999", sorted(editions))


@contextlib.contextmanager
def changed(site, tmp_path, *changes, policy=""):
    """Serve a copy of the page with texts of files changed: a file, what stands there, and what shall."""
    copy = tmp_path / "copy"
    shutil.copytree(site / "club" / "board", copy)
    for name, old, new in changes:
        text = (copy / name).read_text(encoding="utf-8")
        assert old in text
        (copy / name).write_text(text.replace(old, new), encoding="utf-8")
    with files_at(copy, policy) as host:
        yield host, copy


STARTS = "const python = await loadPyodide"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "policy", "told"),
    [([("oracle/worker.js", "const isNode", "delete globalThis.WebAssembly; const isNode")], "", "no WebAssembly"),
     ([], "script-src 'self'", "Content Security Policy"),
     ([("oracle/worker.js", STARTS, f"await new Promise(() => {{}}); {STARTS}"),
       ("oracle/index.js", "SILENT_MS = 60_000", "SILENT_MS = 2_000")], "", "no answer for 2 s")],
)  # fmt: skip
def test_where_webassembly_is_forbidden_the_page_says_so(browser, site, tmp_path, changes, policy, told):
    with (
        changed(site, tmp_path, *changes, policy=policy) as (host, _),
        first_visit(browser, host) as hand,
    ):
        hand.page.locator("#referee", has_text="cannot run in this browser").wait_for()
        hand.piece("2-pz-a")
        hand.place("Prum")
        hand.page.locator("#verdict .error", has_text=told).wait_for()
        hand.faults = [fault for fault in hand.faults if not policy]


@pytest.mark.slow
def test_a_new_version_takes_over_whole(browser, site, tmp_path):
    with changed(site, tmp_path, ("index.html", "<title>Analysis board", "<title>Old board")) as (host, copy):
        worker = copy / "sw.js"
        with first_visit(browser, host) as hand:
            hand.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            shutil.copy(site / "club" / "board" / "index.html", copy)
            newer = re.sub(r'VERSION = "titm \w+"', 'VERSION = "titm new"', worker.read_text(encoding="utf-8"))
            worker.write_text(newer, encoding="utf-8")
            hand.load(f"{host}/")
            assert hand.page.title() == "Old board"
            hand.page.evaluate("navigator.serviceWorker.ready.then((one) => one.update())")
            while not hand.page.evaluate("navigator.serviceWorker.ready.then((one) => Boolean(one.waiting))"):
                pass
            for _ in range(20):  # the browser notices after a while that no old page is open
                hand.page.goto("about:blank")
                hand.page.wait_for_timeout(500)
                hand.load(f"{host}/")
                if hand.page.title() != "Old board":
                    break
            assert hand.page.title() == "Analysis board"
            asked(hand)
            assert len(hand.page.evaluate("caches.keys()")) == 1


@pytest.mark.slow
def test_an_interpreter_that_ends_is_replaced_and_the_page_says_so(browser, site, tmp_path):
    ends = "const ends = target.includes('conformance'); if (ends) throw new Error('it ends'); const found = route"
    with (
        changed(site, tmp_path, ("oracle/worker.js", "const found = route", ends)) as (host, _),
        first_visit(browser, host) as hand,
    ):
        asked(hand)
        hand.page.evaluate("import('./api.js').then(({ get }) => get('conformance').catch(() => null))")
        hand.page.locator("#referee", has_text="The referee was started again").wait_for(timeout=WAITS_MS)
        hand.page.keyboard.press("Escape")
        asked(hand)


ROOT = Path(__file__).resolve().parents[3]
HOW_TO = (ROOT / "docs" / "how-to" / "pages.md").read_text(encoding="utf-8")
EMBEDDED, GAME = re.findall(r"```html\n(.*?)```", HOW_TO, re.DOTALL)


@pytest.mark.slow
def test_the_page_of_the_docs_plays_a_random_game_from_the_tarball(browser, unpacked):
    (unpacked / "game.html").write_text(GAME, encoding="utf-8")
    page = browser.new_page()
    with files_at(unpacked) as host:
        page.goto(f"{host}/game.html")
        page.locator("li", has_text="The game is over.").wait_for(timeout=WAITS_MS)
    assert page.locator("li").count() > 20
    page.close()


@pytest.mark.slow
def test_the_page_of_the_package_asks(browser, unpacked):
    [example] = re.findall(r"```html\n(.*?)```", (CHECKOUT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (unpacked / "asks.html").write_text(example, encoding="utf-8")
    page = browser.new_page()
    with files_at(unpacked) as host:
        page.goto(f"{host}/asks.html")
        page.locator("#verdict", has_text="Yes, for 5 of 8 MPs.").wait_for(timeout=WAITS_MS)
    page.close()


@pytest.mark.slow
def test_a_verdict_in_any_page_is_asked_by_a_click_and_opens_on_the_board(browser, site):
    text = EMBEDDED.replace("rambrouch.svg", "board/icon.svg")
    (site / "club" / "forum.html").write_text(f"<!doctype html>{text}", encoding="utf-8")
    page = browser.new_page()
    with files_at(site) as host:
        page.goto(f"{host}/club/forum.html")
        assert page.locator("titm-verdict p").first.inner_text() == "May tank go to Rambrouch? Yes, for 5 of 8 MPs."
        assert page.workers == []
        page.get_by_role("button", name="Ask the referee").click()
        page.locator("titm-verdict .outcome", has_text="1999").first.wait_for(timeout=WAITS_MS)
        assert page.locator("titm-verdict li", has_text="8.33-major Major road").count() >= 1
        assert len(page.workers) == 1
        page.get_by_role("link", name="Open on the board").click()
        page.wait_for_selector("html[data-ready=yes]", timeout=WAITS_MS)
        page.locator('[data-place="Rambrouch"]').wait_for(timeout=WAITS_MS)
    page.close()
