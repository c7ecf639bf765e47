"""The container gets what the build of the package names, and nothing of that is ignored."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def copied() -> set[str]:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    return {name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]}


def test_the_image_has_what_the_build_needs():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = told["tool"]["hatch"]["build"]["targets"]["wheel"]
    hooks = {hook["path"] for hook in wheel.get("hooks", {}).values()}
    data = {name.split("/")[0] for name in wheel["force-include"]}
    needed = {told["project"]["readme"], *told["project"]["license-files"], *wheel["packages"], *hooks, *data}
    assert needed - copied() == set()


def test_what_is_copied_is_there_and_not_ignored():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert all((ROOT / name).exists() for name in copied())
    assert not copied() & set(ignored)
