"""The documentation opened from disk, as somebody does who was sent the folder."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="`pip install -e .[docs]` is not done")
def test_the_site_is_searched_without_a_server(browser, tmp_path):
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True)
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto((tmp_path / "how-to" / "play.html").as_uri())
    page.locator("input.md-search__input").first.click()
    page.keyboard.type("blown bridge")
    page.wait_for_selector(".md-search-result__item")
    page.locator(".md-search-result__item a").first.click()
    page.wait_for_url("file://**")
    assert "bridge" in page.inner_text("article").lower()
    page.close()
