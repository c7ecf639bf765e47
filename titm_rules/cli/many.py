"""`titm play --games`: many games, and what came of them."""

from __future__ import annotations

from dataclasses import replace

from titm_rules.cli.games import Play
from titm_rules.cli.guard import print_json
from titm_rules.cli.labour import Labour
from titm_rules.cli.options import SharedOptions
from titm_rules.cli.progress import progress
from titm_rules.cli.terminal import echo
from titm_rules.diagnostics import did_you_mean
from titm_rules.formats.jsonin import bad
from titm_rules.oracle.game import POLICIES, open_start
from titm_rules.oracle.many import ManyGames, counted, play_many


def play_games(start: str, play: Play, games: int, labour: Labour, options: SharedOptions) -> int:
    """Play many games, or go on with a run that was broken off, and print what came of them."""
    if play.policy not in POLICIES:
        raise bad(f"unknown policy `{play.policy}`", "--policy", did_you_mean(play.policy, POLICIES), "unknown-name")
    if replace(play, out=None, frames=None, verbose=False) != play:
        what, fix = "records, pictures and courses are those of one game", "leave out --out, --frames and --verbose"
        raise bad(what, "--games", fix, "bad-value")
    wanted = ManyGames(open_start(start, options.rules)[1], play.policy, play.seed, games, play.limit)
    with labour.kept(f"games-{wanted.digest}") as folder, progress("playing") as tell:

        def told(played: int, of: int) -> None:
            tell(f"{played} of {of} games", played / of)

        rows = play_many(wanted, folder, labour.jobs, labour.backend, told)
    if options.as_json:
        print_json({"games": rows, **dict(counted(rows))})
    else:
        actions = sum(row["actions"] for row in rows) / len(rows)
        came = "; ".join(f"{what}: {number}" for what, number in counted(rows) if number)
        echo(f"{len(rows)} games of {actions:.1f} actions on average; {came}")
    return 0
