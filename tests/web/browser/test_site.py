"""The documentation: opened from disk, as somebody does who was sent the folder, and with the board beside it."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.browser.conftest import files_at
from tests.web.browser.test_files import WAITS_MS

ROOT = Path(__file__).resolve().parents[3]


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="`pip install -e .[docs]` is not done"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the documentation."""
    folder = tmp_path_factory.mktemp("docs")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True)
    return folder


def test_the_site_is_searched_without_a_server(browser, built):
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto((built / "how-to" / "play.html").as_uri())
    page.locator("input.md-search__input").first.click()
    page.keyboard.type("blown bridge")
    page.wait_for_selector(".md-search-result__item")
    page.locator(".md-search-result__item a").first.click()
    page.wait_for_url("file://**")
    assert "bridge" in page.inner_text("article").lower()
    page.close()


def referees(page):
    """Count the interpreters; the search of the site has a worker too."""
    return sum("/oracle/worker.js" in one.url for one in page.workers)


def test_disputes_of_the_gallery_are_asked_by_one_referee_and_open_on_the_board(browser, built, site):
    shutil.copytree(site / "club" / "board", built / "board")
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.set_default_timeout(WAITS_MS)
    with files_at(built) as host:
        page.goto(f"{host}/disputes.html")
        verdicts = page.locator("titm-verdict")
        assert (verdicts.count() > 5, referees(page)) == (True, 0)
        for number in range(3):
            one = verdicts.nth(number)
            assert one.locator("img").evaluate("(image) => image.naturalWidth") > 100
            one.get_by_role("button", name="Ask the referee").click()
            one.locator(".outcome", has_text="1999").first.wait_for()
        assert referees(page) == 1
        page.get_by_role("link", name="Open on the board").first.click()
        page.wait_for_selector("html[data-ready=yes]")
        page.locator("#board [data-place]").first.wait_for()
        assert page.locator("#verdict .error").count() == 0
    page.close()
