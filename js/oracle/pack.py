"""Packs the wheels and Python's own library for WebAssembly; it runs there, as its Python compiles them.

A module is packed compiled, without its source, so that no load compiles it. The sources that are a part of the
names of compiled rules are packed too: without them no rules would be found under their names. Of Python's library, the
part that starts the interpreter stays in an archive of its own; the rest is packed with the wheels.
"""

# ruff: noqa: E402 -- first of all, what unpacks; what came from the library until then starts an interpreter
import io
import sys
import zipfile

from compression import zstd

LIBRARY = "/lib/python314.zip"
STARTS = {name.partition(".")[0] for name, one in sys.modules.items() if LIBRARY in str(getattr(one, "__file__", ""))}

import hashlib
import json
import marshal
import re
import struct
from email.parser import HeaderParser
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

WHEELS, OUT = Path("/wheels"), Path("/out")  # `build.mjs` sees to both
LEFT_OUT = (
    "titm_rules/cli/", "titm_rules/lsp/", "titm_rules/envs/", "titm_rules/mcp.py", "titm_rules/conformance.py",
    "titm_rules/compare/book.py", "titm_rules/compare/player_page.py", "titm_rules/web/static/",
    "titm_rules/web/app.py", "titm_rules/web/guards.py", "titm_rules/web/server.py", "titm_rules/web/pool.py",
    "titm_rules/web/worker.py", "titm_rules/web/messages.py", "titm_rules/engines/library/",
    "titm_rules/data/rulesets/new/", "pydantic/v1/", "pydantic/mypy.py", "lark/tools/", "lark/__pyinstaller/",
)  # fmt: skip
# Of Python's library: what needs a terminal, processes or a network, what serves developers, and old encodings.
NOT_HERE = re.compile(
    r"(unittest|multiprocessing|_pyrepl|xmlrpc|wsgiref|sqlite3|site-packages|ensurepip|idlelib|tkinter|turtledemo)/"
    r"|(pdb|bdb|pydoc|doctest|_pyio|pickletools|mailbox|imaplib|optparse|smtplib|ftplib|poplib|trace|pstats|profile|wave"
    r"|modulefinder|compileall|plistlib|fileinput|cmd|timeit|tabnanny|pyclbr|rlcompleter|zipapp|py_compile|netrc|pty|tty"
    r"|_pydatetime|webbrowser|this|antigravity|cProfile|shelve|filecmp|socketserver|nturl2path|code|sre_\w+|__p?hello__)[./]"
    r"|http/(server|cookiejar|cookies)|xml/dom|encodings/(?!__init__|aliases|ascii|charmap|cp437|cp1252|idna|latin_1|iso8859_1\b|punycode|raw_uni|unicode_|utf_)"
)
UNCHECKED = struct.pack("<I", 1)  # of a hash of the source: unpacking changes the times of files
SUFFIXES = (".pyi", ".pyx", ".typed", ".md", ".png")
DATE = (1980, 1, 1, 0, 0, 0)


def compiled(source: bytes, path: str, optimize: int) -> bytes:
    """Compile a module: 0 as it is, 2 without texts for readers and checks of its writers."""
    code = compile(source, path, "exec", dont_inherit=True, optimize=optimize)
    return MAGIC_NUMBER + UNCHECKED + bytes(8) + marshal.dumps(code)


def is_packed(name: str) -> bool:
    foreign = name.endswith(".so") and "wasm32" not in name
    in_part = name.startswith(LEFT_OUT) or name.endswith(SUFFIXES) or ".data/" in name or ".dist-info/" in name
    return not (foreign or in_part or name.startswith("_yaml/") or name.endswith("/"))


def packed(name: str, data: bytes, keeps_source: bool) -> dict[str, bytes]:
    if not name.endswith(".py"):
        return {name: as_json(data) if name.endswith(".yaml") else data}
    code = compiled(data, f"/lib/app/{name}", 0 if name.startswith("titm_rules/") else 2)
    return {name: data, cache_from_source(name, optimization=""): code} if keeps_source else {f"{name}c": code}


def as_json(data: bytes) -> bytes:
    """Write YAML as JSON, which is YAML too, and which Python reads a hundred times as fast without the part in C."""
    from titm_rules.formats.safe_json import parse_yaml

    value = parse_yaml(data.decode())
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError:  # a day is no value of JSON
        return data
    return text.encode() if parse_yaml(text) == value else data


def library() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Give Python's library, compiled without the texts for readers: what starts the interpreter, and the rest."""
    starts, rest = {}, {}
    with zipfile.ZipFile(LIBRARY) as archive:
        for name in filter(lambda name: not NOT_HERE.match(name) and not name.endswith("/"), archive.namelist()):
            part = starts if re.split("[./]", name)[0] in STARTS else rest
            data = archive.read(name)
            home = LIBRARY if part is starts else "/lib/app"
            part |= {f"{name}c": compiled(data, f"{home}/{name}", 2)} if name.endswith(".py") else {name: data}
    return starts, rest


def reading_code() -> set[str]:
    """Name the sources that the digest of rules reads, by the package's own list."""
    folder = Path("/tmp/whole")
    for path in WHEELS.glob("*.whl"):
        with zipfile.ZipFile(path) as wheel:
            wheel.extractall(folder)
    sys.path.insert(0, str(folder))
    from titm_rules.editions import cache

    return {path.relative_to(folder).as_posix() for path in cache.reading_code()}


def code_digest(wheel: zipfile.ZipFile) -> str:
    """Return the digest of the package's Python, as `titm site` makes it of its own."""
    paths = sorted(name.removeprefix("titm_rules/") for name in wheel.namelist() if name.startswith("titm_rules/"))
    texts = ((path, wheel.read(f"titm_rules/{path}")) for path in paths if path.endswith(".py"))
    return hashlib.sha256(b"".join(f"{path}\0".encode() + text for path, text in texts)).hexdigest()


def zipped(files: dict[str, bytes], how: int) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", how, compresslevel=9) as archive:
        for name in sorted(files, key=lambda name: (Path(name).suffix, name)):
            archive.writestr(zipfile.ZipInfo(name, DATE), files[name], how)
    return whole.getvalue()


def archive_of(files: dict[str, bytes]) -> bytes:
    """Return files as a zip archive that is compressed as a whole, which takes a third less than each alone."""
    options = {zstd.CompressionParameter.compression_level: 22, zstd.CompressionParameter.window_log: 25}
    return zstd.compress(zipped(files, zipfile.ZIP_STORED), options=options)


def size(files: dict[str, bytes]) -> int:
    return len(archive_of(files))


def main() -> str:
    starts, whole = library()
    (OUT / "python_stdlib.zip").write_bytes(zipped(starts, zipfile.ZIP_DEFLATED))
    rest = {"name": "the rest of Python's library", "version": sys.version.split()[0], "licence": "PSF-2.0"}
    parts, code = [{**rest, "bytes": size(whole)}], ""
    code_of_rules = reading_code()
    for path in sorted(WHEELS.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            [about] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            told = HeaderParser().parsestr(wheel.read(about).decode())
            sources = code_of_rules if told["Name"] == "titm_rules" else set()
            files = {}
            for name in filter(is_packed, wheel.namelist()):
                files |= packed(name, wheel.read(name), name in sources)
        classified = (one.rpartition(" :: ")[2] for one in told.get_all("Classifier", ()) if one.startswith("License"))
        licence = told["License-Expression"] or told["License"] or next(classified, "")
        licence = licence.removesuffix(" License")
        part = {"name": told["Name"], "version": told["Version"], "licence": licence}
        if told["Name"] == "titm_rules":
            code = code_digest(zipfile.ZipFile(path))
            rules = {name: data for name, data in files.items() if "/data/" in name}
            parts.append({**part, "name": "titm_rules: rules, maps and scenarios", "bytes": size(rules)})
            parts.append({**part, "bytes": size({name: files[name] for name in files.keys() - rules.keys()})})
        else:
            parts.append({**part, "bytes": size(files)})
        whole |= files
    (OUT / "app.zip.zst").write_bytes(archive_of(whole))
    models = sorted(Path(name).name for name in whole if name.endswith(".model"))
    return json.dumps({"python": sys.version.split()[0], "parts": parts, "code": code, "rules": models})


main()
