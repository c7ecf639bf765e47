"""The page in a real Chromium; without one these tests are left out and say how to get it."""

from __future__ import annotations

import functools
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from titm_rules.web.site import write_site

from tests.npm.conftest import built_package, unpacked  # noqa: F401 -- a fixture of the tests here
from tests.web.conftest import LONG_S

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "no Chromium: `apt-get install chromium`, or name one in TITM_CHROMIUM"
MENUS = ("games", "scenarios", "editions")
# Keep what the page sends to its referee and what holds a text, until `release` is called.
HOLD = """(text) => {
  const sent = Worker.prototype.postMessage, held = [];
  Worker.prototype.postMessage = function (message) {
    if (message.body?.includes(text)) held.push([this, message]); else sent.call(this, message);
  };
  window.release = () => {
    Worker.prototype.postMessage = sent;
    for (const [worker, message] of held) sent.call(worker, message);
  };
}"""
USUAL_LIMIT = "seconds = 10"
PATIENCE_MS = int(os.environ.get("TITM_PATIENCE_MS", 30_000))  # a busy machine answers late


def find_browser() -> str | None:
    return os.environ.get("TITM_CHROMIUM") or next((path for path in map(shutil.which, NAMES) if path), None)


@pytest.fixture(scope="module")  # while it is open its thread has a running loop, where no asynchronous test can run
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    path = find_browser()
    if path is None:
        pytest.skip(HOW)
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


class FileServer(SimpleHTTPRequestHandler):
    """A server that knows nothing but files, and says nothing; some send a policy with each."""

    def __init__(self, *args: Any, policy: str = "", **named: Any) -> None:
        self.policy = policy
        super().__init__(*args, **named)

    def end_headers(self) -> None:
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def files_at(folder: Path, policy: str = "") -> Iterator[str]:
    """Serve a folder while this context lasts."""
    handler = functools.partial(FileServer, directory=str(folder), policy=policy)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose subfolder `club/board` is what `titm site` writes; as of the server, requests may take long."""
    built_package()
    folder = tmp_path_factory.mktemp("site")
    write_site(folder / "club" / "board")
    index = folder / "club" / "board" / "oracle" / "index.js"
    text = index.read_text(encoding="utf-8")
    assert USUAL_LIMIT in text
    index.write_text(text.replace(USUAL_LIMIT, f"seconds = {LONG_S}"), encoding="utf-8")
    return folder


@pytest.fixture(scope="session", params=["server", pytest.param("files", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, address: str) -> Iterator[str]:
    """The address of the page: of a server, or of static files in a folder, which answer by themselves."""
    if request.param == "server":
        yield address
        return
    with files_at(request.getfixturevalue("site")) as host:
        yield f"{host}/club/board/"


# For what is about requests that a server does not answer, or answers in another order than they came.
by_server = pytest.mark.parametrize("address", ["server"], indirect=True)


@dataclass
class Hand:
    """Somebody at the page: what is clicked and pressed is counted; faults of the page are kept.

    A click on something that stands outside the part of the board that is shown would not reach it.
    """

    page: Any
    clicks: int = 0
    keys: int = 0
    faults: list[str] = field(default_factory=list)

    def open(self, address: str) -> Hand:
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda line: self.faults.append(line.text) if "Security Policy" in line.text else None)
        self.page.set_default_timeout(PATIENCE_MS)
        self.load(address)
        return self

    def load(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready=yes]")

    def click(self, selector: str, **how: Any) -> None:
        self.page.locator(selector).first.click(**how)
        self.clicks += 1

    def piece(self, name: str) -> None:
        self.click(f'[data-piece="{name}"]', force=True)

    def place(self, name: str) -> None:
        self.click(f'[data-place="{name}"] > .name', force=True)

    def connection(self, name: str) -> None:
        """Click the middle of a connection, where its bridge is drawn."""
        box = self.page.locator(f'[data-connection="{name}"]').bounding_box()
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.clicks += 1

    def press(self, name: str, within: str = "aside") -> None:
        self.page.locator(within).get_by_role("button", name=name, exact=True).first.click()
        self.clicks += 1

    def ask(self, question: str) -> None:
        self.click(f'[data-question="{question}"]')

    def drag(self, piece: str, place: str) -> None:
        """Drag a counter to a place; counted as one click."""
        self.drag_from(f'[data-piece="{piece}"]', f'[data-place="{place}"] > .name')

    def drag_from(self, one: str, other: str) -> None:
        """Drag from one element to another; counted as one click."""
        start, end = self.box(one), self.box(other)
        mouse = self.page.mouse
        mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
        mouse.down()
        mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
        mouse.up()
        self.clicks += 1

    def box(self, selector: str) -> dict[str, float]:
        """Say where something is seen; what is drawn anew in between is looked for again."""
        for _ in range(50):
            found = self.page.locator(selector).first.bounding_box()
            if found is not None:
                return dict(found)
        raise AssertionError(f"{selector} is not seen")

    def is_of_files(self) -> bool:
        """Whether the page has no server, but a referee of its own."""
        return bool(self.page.locator("meta[name=answers]").count())

    def cut(self, address: str) -> None:
        """Cut the network of static files that were visited once, and open the page again."""
        self.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        self.page.context.set_offline(True)
        self.load(address)

    @contextmanager
    def unanswered(self, query: str) -> Iterator[None]:
        """Let the answers to a question wait until what is done here is over, as on a machine that is busy."""
        if self.is_of_files():
            self.page.evaluate(HOLD, f'"{query}"')
            yield
            self.page.evaluate("release()")
            return
        asked, is_over = f'"{query}"', False
        waiting: list[Any] = []

        def sort(route: Any) -> None:
            route.continue_() if is_over or asked not in (route.request.post_data or "") else waiting.append(route)

        self.page.route("**/api/ask", sort)
        yield
        is_over = True
        for route in waiting:
            route.continue_()
        self.page.unroute("**/api/ask", sort)

    def saved(self, name: str) -> bytes:
        """Press a button that saves a file; give what it saves."""
        with self.page.expect_download() as download:
            self.press(name)
        return bytes(download.value.path().read_bytes())

    def choose(self, what: str, value: str) -> None:
        self.page.select_option(f"#{what}", value)
        self.page.wait_for_selector("html[data-ready=yes]")

    def pick(self, what: str, value: str) -> None:
        """Choose from a menu of the head by its id, or from one beside the board by its name; counted as one click."""
        if what in MENUS:
            self.choose(what, value)
        else:
            self.page.locator(f'#selection select[name="{what}"]').select_option(value)
        self.clicks += 1

    def stands(self, piece: str, place: str) -> None:
        self.page.wait_for_selector(f'[data-place="{place}"] [data-piece="{piece}"]')

    def type(self, *texts: str) -> None:
        """Write lines into the search field, by keys alone; each as one input, as the finder answers every letter."""
        for text in texts:
            self.page.keyboard.press("/")
            self.page.keyboard.insert_text(text)
            self.page.keyboard.press("Enter")
            self.keys += len(text) + 2

    def verdict(self, wanted: str = "") -> str:
        """Give the verdict with its reasons, once they are there."""
        self.page.locator("#verdict .outcome", has_text=wanted).wait_for()
        self.page.wait_for_selector('#verdict[aria-busy="false"]')
        return str(self.page.inner_text("#verdict"))

    def strip(self) -> str:
        """Give what all editions say, once it is there."""
        self.page.wait_for_selector("#verdict .strip")
        return str(self.page.inner_text("#verdict .strip"))


@contextmanager
def first_visit(browser: Any, address: str, **how: Any) -> Iterator[Hand]:
    """Open the page, on a screen of usual size if none is given; it may have no fault."""
    context = browser.new_context(**{"viewport": {"width": 1360, "height": 860}, **how})
    found = Hand(context.new_page()).open(address)
    yield found
    context.close()
    assert found.faults == []


@contextmanager
def opened(browser: Any, address: str, **how: Any) -> Iterator[Hand]:
    """Open the page; after the first visit, static files have no network any more."""
    with first_visit(browser, address, **how) as found:
        if found.is_of_files():
            found.cut(address)
        yield found


@pytest.fixture(scope="module")
def screen(browser: Any, address: str) -> Iterator[Hand]:
    with opened(browser, address) as found:
        yield found


@pytest.fixture
def hand(screen: Hand, address: str) -> Iterator[Hand]:
    """Somebody at the page as it opens; it is loaded again, as it keeps nothing but its address."""
    screen.clicks = screen.keys = 0
    screen.page.mouse.move(0, 0)
    screen.load(address)
    yield screen
    faults, screen.faults = screen.faults, []
    assert faults == []
