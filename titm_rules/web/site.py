"""The analysis board as static files, which any web server serves: `titm site`.

The page is that of `titm serve`. What every visitor asks first is written as files beside it; the npm package
`titm-oracle`, which is this package in WebAssembly, answers the rest in a worker of the page.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

from titm_rules.catalog import default_game, game_folder
from titm_rules.editions.cache import digest
from titm_rules.editions.registry import default_edition
from titm_rules.files import write_file
from titm_rules.formats.safe_json import bad, read_data
from titm_rules.maps.scenarios import scenario_folders
from titm_rules.oracle.position import Position
from titm_rules.render.pictures import render_board
from titm_rules.service.protocol import Oracle
from titm_rules.service.records import Json
from titm_rules.version import __version__
from titm_rules.web import library
from titm_rules.web.routes import OK, POLICY, Routes

PAGE = Path(__file__).resolve().parent / "static"
CHECKOUT = PAGE.parents[2] / "js" / "oracle"
ORACLE = ("index.js", "worker.js", "verdict.js")
MANIFEST = "dist/manifest.json"
API = "/api/"
OURS = 'const VERSION = "titm '  # the service worker of every site begins with it
# Browsers take no `frame-ancestors` from a page itself, and compile WebAssembly only where it is allowed.
PAGE_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'").partition("; frame-anc")[0]


def write_site(out: Path, oracle: Path | None = None) -> dict[str, int]:
    """Write the folder; give the bytes of its parts.

    `oracle` is the folder of the npm package; default: the one that `make npm` builds in a checkout. Raises
    `InputError` if the package is missing or of other sources, or if the folder has something of somebody else that
    the site would replace.
    """
    folder = oracle or CHECKOUT
    manifest = read_manifest(folder)
    files: dict[str, bytes] = {path.name: path.read_bytes() for path in PAGE.iterdir() if path.is_file()}
    for name in (*ORACLE, MANIFEST, *(f"dist/{name}" for name in manifest["files"])):
        files[f"oracle/{name}"] = (folder / name).read_bytes()
    shelf = dict(_shelf())
    names = {target: f"{hashlib.sha256(target.encode()).hexdigest()[:12]}.json" for target in shelf}
    files |= {f"shelf/{names[target]}": text for target, text in shelf.items()}
    files["shelf/index.json"] = json.dumps(names).encode()
    first = next(iter(scenario_folders(default_game())))
    files["shelf/opening.svg"] = _opening(first).encode()
    files["index.html"] = _page(files["index.html"].decode(), sorted(files), first).encode()
    worker = files.pop("sw.js")
    version = hashlib.sha256(b"".join(name.encode() + b"\0" + files[name] for name in sorted(files))).hexdigest()
    kept = json.dumps(["./", *sorted(files.keys() - {"index.html"})])
    files["sw.js"] = f'{OURS}{version[:16]}", FILES = {kept};\n'.encode() + worker
    _clear(out, {name.partition("/")[0] for name in files})
    for name, data in files.items():
        write_file(out / name, data, "site", "name a folder that can be written", make_folder=True)
    parts = ("oracle", "shelf", "")
    return {part or "page": sum(len(data) for name, data in files.items() if _part(name) == part) for part in parts}


def _clear(out: Path, names: set[str]) -> None:
    """Take away the folders that an older site wrote; raises `InputError` if a site did not write what is there."""
    worker = out / "sw.js"
    if worker.is_file() and worker.read_bytes().startswith(OURS.encode()):
        for name in names:
            if (out / name).is_dir() and not (out / name).is_symlink():
                shutil.rmtree(out / name, ignore_errors=True)
        return
    if taken := sorted(name for name in names if (out / name).exists()):
        fix, why = "name a new or an empty folder", "a site did not write it, so nothing is replaced"
        raise bad(f"the folder has a `{taken[0]}` of its own", str(out), fix, "file-exists", why)


def _part(name: str) -> str:
    return name.partition("/")[0] if "/" in name else ""


def read_manifest(folder: Path) -> Json:
    """Read what the npm package says of itself. Raises `InputError` if it is missing, or other than this package."""
    where, install = "--oracle", f"npm install titm-oracle@{__version__}, then --oracle node_modules/titm-oracle"
    if not (folder / MANIFEST).is_file():
        why = "a page without a server runs the npm package titm-oracle, which brings Python for browsers"
        fix = f"in a checkout: make npm; else: {install}"
        raise bad(f"the npm package is not in {folder}", where, fix, "no-file", why)
    manifest: Json = read_data(folder / MANIFEST)
    if not isinstance(manifest, dict) or not {"version", "code", "rules", "files"} <= manifest.keys():
        raise bad("this is not the manifest of the npm package", str(folder / MANIFEST), install, "bad-file")
    if manifest["version"] != __version__:
        raise bad(f"the npm package has version {manifest['version']}, and this one {__version__}", where, install)
    models = [f"{digest(game_folder(game), default_edition(game), [])}.model" for game in _games()]
    if manifest["code"] != code_digest() or not set(models) <= set(manifest["rules"]):
        raise bad("the npm package was built from other sources", where, "build it again: make npm", "stale")
    return manifest


def code_digest() -> str:
    """Return the digest of this package's Python, as `js/oracle/pack.py` makes it of the wheel."""
    package = PAGE.parents[1]
    paths = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    whole = b"".join(f"{path}\0".encode() + (package / path).read_bytes() for path in paths)
    return hashlib.sha256(whole).hexdigest()


def _games() -> list[str]:
    return [row["game"] for row in library.games()]


def _shelf() -> Iterator[tuple[str, bytes]]:
    """Yield what is asked to open a game or a scenario, as the page names it, and the answer."""
    routes = Routes(Oracle())
    targets = ["games"]
    for game in _games():
        base, usual = f"games/{quote(game)}", quote(default_edition(game))
        names = [row["name"] for row in library.scenarios(game)]
        targets += [base, f"{base}/questions", f"{base}/scenarios", f"{base}/forces", f"{base}/maps"]
        targets += [f"{base}/scenarios/{quote(name)}?edition={usual}" for name in names]
        targets.append(f"{base}/clauses?edition={usual}")
    for target in targets:
        answer = routes.answer("GET", API + target)
        if answer.status == OK:
            yield target, answer.body


def _opening(first: str) -> str:
    """Draw the board that the page opens with."""
    game = default_game()
    rules = library.shipped_rules(game, default_edition(game), ())
    return render_board(Position.from_notation(first, rules, "$", "position"))


def _page(text: str, files: list[str], first: str) -> str:
    """Put into the page what a server says in its headers, where its answers come from, and what it opens with."""
    game = default_game()
    titles = {row["game"]: row["title"] for row in library.games()} | {
        row["name"]: row["title"] for row in library.scenarios(game)
    }
    opens = {"games": titles[game], "scenarios": titles[first], "editions": default_edition(game)}
    modules = (name for name in files if name.endswith(".js") and "/" not in name and name != "sw.js")
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{PAGE_POLICY}">',
        '<meta name="referrer" content="no-referrer">', '<meta name="answers" content="./local.js">',
        '<script type="module" src="local.js"></script>',  # first of all: the referee starts while the page is read
        *(f'<link rel="modulepreload" href="{name}">' for name in ("oracle/index.js", *modules)),
    ]  # fmt: skip
    changes: Mapping[str, str] = {
        '<meta charset="utf-8">': "\n  ".join(['<meta charset="utf-8">', *head]),
        '<svg id="board"': '<img id="opening" src="shelf/opening.svg" alt="">\n      <svg id="board"',
        **{
            f'<select id="{menu}">': f'<select id="{menu}"><option>{escape(title)}</option>'
            for menu, title in opens.items()
        },
    }
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text
