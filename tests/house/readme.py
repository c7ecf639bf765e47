"""The console examples of the README: run them, or write their output anew.

`python -m tests.house.readme` puts what the commands print now into the README; read every
line that it changes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[str]:
    """List the commands of a console block."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def run_block(block: str) -> str:
    """Run the commands of a console block and write it as it would look now."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    shown = []
    for command in commands(block):
        done = subprocess.run(
            ["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        shown.append(f"$ {command}\n{done.stdout}{done.stderr}")
    return "".join(shown)


def main() -> None:
    """Write the README with the output of today."""
    text = README.read_text(encoding="utf-8")
    README.write_text(CONSOLE.sub(lambda m: f"```console\n{run_block(m[1])}```", text), encoding="utf-8")


if __name__ == "__main__":
    main()
