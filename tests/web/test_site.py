"""The folder of the page is written anew, and nothing of anybody else's is taken away."""

import pytest
from titm_rules.diagnostics import InputError
from titm_rules.web import site


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of empty files, and no shelf, which takes its time."""
    folder = tmp_path / "package"
    (folder / "dist").mkdir(parents=True)
    for name in (*site.ORACLE, site.MANIFEST):
        (folder / name).write_text("")
    monkeypatch.setattr(site, "read_manifest", lambda _: {"files": []})
    monkeypatch.setattr(site, "_shelf", lambda: iter([("games", b"{}")]))
    return folder


def test_an_older_site_is_replaced_and_nothing_else(package, tmp_path):
    out = tmp_path / "out"
    site.write_site(out, package)
    (out / "shelf" / "old.json").write_text("{}")
    (out / "CNAME").write_text("example.org")
    site.write_site(out, package)
    assert not (out / "shelf" / "old.json").exists()
    assert (out / "CNAME").read_text() == "example.org"


@pytest.mark.parametrize("name", ["oracle/mine.txt", "shelf/mine.txt", "index.html", "sw.js"])
def test_a_folder_of_somebody_else_is_left_as_it_is(package, tmp_path, name):
    mine = tmp_path / "out" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(InputError, match="of its own"):
        site.write_site(tmp_path / "out", package)
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [mine]
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("text", ["[]", "{}", '{"version": "1"}'])
def test_a_damaged_manifest_is_a_fault(tmp_path, text):
    (tmp_path / "dist").mkdir()
    (tmp_path / site.MANIFEST).write_text(text)
    with pytest.raises(InputError, match="not the manifest"):
        site.read_manifest(tmp_path)
