"""The notebooks run from top to bottom, and draw.

`python -m tests.docs.test_notebooks` runs them and keeps what they show now.
"""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def run(path: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(path, as_version=4)
    return NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(path.parent))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_draws_and_is_kept_with_what_it_shows(path: Path) -> None:
    done = run(path)
    cells = [cell for cell in done.cells if cell.cell_type == "code"]
    assert cells
    for cell in cells:
        shown = [out for out in cell.outputs if out.output_type == "execute_result"]
        assert [out.data["image/svg+xml"].count("</svg>") for out in shown] == [1], cell.source
    kept = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert all("image/svg+xml" in cell.outputs[-1].data for cell in kept)


def main() -> None:
    for path in NOTEBOOKS:
        done = run(path)
        for cell in done.cells:
            cell.metadata.pop("execution", None)  # when it ran
        nbformat.write(done, path)


if __name__ == "__main__":
    main()
