"""The bundle of the page is what its lock file makes, and its licences are told."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE, BUNDLE = ROOT / "js" / "page", ROOT / "titm_rules" / "web" / "static" / "vendor.js"
OFFLINE = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|network")


def taken():
    packages = json.loads((SOURCE / "package-lock.json").read_text())["packages"]
    return {
        path.removeprefix("node_modules/"): one
        for path, one in packages.items()
        if path and not one.get("dev") and not one.get("optional")
    }


def test_what_is_bundled_is_pinned_and_its_licences_are_told():
    told = (ROOT / "docs" / "reference" / "licences.md").read_text()
    head = BUNDLE.read_text().partition("*/")[0]
    rows = {tuple(row) for row in re.findall(r"^\| ([\w-]+) \| ([\d.]+) \| ([\w-]+) \|$", told, re.MULTILINE)}
    assert rows == {(name, one["version"], one["license"]) for name, one in taken().items()}
    assert all(f"{name} {one['version']}" in head for name, one in taken().items())
    assert "Permission to use, copy, modify" in head
    wanted = json.loads((SOURCE / "package.json").read_text())
    versions = (wanted["dependencies"] | wanted["devDependencies"]).values()
    assert all(re.fullmatch(r"[\d.]+", version) for version in versions)


def test_the_bundle_is_made_again_byte_for_byte(tmp_path):
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("no Node with npm: the bundle of the page cannot be made again here")
    for name in ("package.json", "package-lock.json", "build.mjs", "vendor.js"):
        shutil.copy(SOURCE / name, tmp_path)

    def run(*command):
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)

    installed = run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
    if installed.returncode and OFFLINE.search(installed.stderr):
        pytest.skip("the registry of npm cannot be reached: the bundle of the page cannot be made again here")
    assert installed.returncode == 0, installed.stderr
    made = run("node", "build.mjs", "made.js")
    assert made.returncode == 0, made.stderr
    same = (tmp_path / "made.js").read_bytes() == BUNDLE.read_bytes()
    assert same, "vendor.js is not what js/page makes: npm ci && npm run build in js/page"
