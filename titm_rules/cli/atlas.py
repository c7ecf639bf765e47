"""`titm atlas`: all small situations asked of several editions, and where they differ."""

from __future__ import annotations

import json
from pathlib import Path

from titm_rules.cli.labour import Labour, write_out
from titm_rules.cli.progress import progress
from titm_rules.compare.atlas import gather, run
from titm_rules.compare.report import atlas_page
from titm_rules.compare.survey import AtlasPlan


def make_atlas(plan: AtlasPlan, labour: Labour, out: Path | None, as_json: bool) -> int:
    """Make an atlas, or go on with one that was broken off, and write it: a page, or with --json (or .json) data.

    Raises:
        InputError: for a plan that cannot be carried out, or a file that cannot be written.
    """
    with labour.kept(f"atlas-{plan.digest}") as folder, progress("atlas") as tell:

        def told(done: int, parts: int) -> None:
            tell(f"{done} of {parts}", done / parts if parts else 1.0)

        run(plan, folder, labour.jobs, labour.backend, told)
        atlas = gather(plan, folder)
    whole = as_json or (out is not None and out.suffix == ".json")
    write_out(out, json.dumps(atlas, ensure_ascii=False, indent=1) + "\n" if whole else atlas_page(atlas))
    return 0
