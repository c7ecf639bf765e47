"""Packs the wheels for WebAssembly; it runs there, as its Python compiles them.

A module is packed compiled, without its source, so that no first load compiles it. The sources that are a part of the
names of compiled rules are packed too: without them no rules would be found under their names.
"""

import hashlib
import io
import json
import marshal
import struct
import sys
import zipfile
from email.parser import HeaderParser
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

from compression import zstd

WHEELS, OUT = Path("/wheels"), Path("/out")  # `build.mjs` sees to both
LEFT_OUT = (
    "titm_rules/cli/", "titm_rules/lsp/", "titm_rules/envs/", "titm_rules/mcp.py", "titm_rules/web/static/",
    "titm_rules/web/app.py", "titm_rules/web/guards.py", "titm_rules/web/server.py", "titm_rules/web/pool.py",
    "titm_rules/web/worker.py", "titm_rules/web/messages.py", "titm_rules/engines/library/",
    "titm_rules/data/rulesets/new/", "pydantic/v1/", "pydantic/mypy.py", "lark/tools/", "lark/__pyinstaller/",
)  # fmt: skip
UNCHECKED = struct.pack("<I", 1)  # of a hash of the source: unpacking changes the times of files
SUFFIXES = (".pyi", ".pyx", ".typed", ".md", ".png")
DATE = (1980, 1, 1, 0, 0, 0)


def compiled(source: bytes, name: str) -> bytes:
    code = compile(source, f"/lib/app/{name}", "exec", dont_inherit=True, optimize=0)
    return MAGIC_NUMBER + UNCHECKED + bytes(8) + marshal.dumps(code)


def is_packed(name: str) -> bool:
    foreign = name.endswith(".so") and "wasm32" not in name
    in_part = name.startswith(LEFT_OUT) or name.endswith(SUFFIXES) or ".data/" in name or ".dist-info/" in name
    return not (foreign or in_part or name.startswith("_yaml/") or name.endswith("/"))


def packed(name: str, data: bytes, keeps_source: bool) -> dict[str, bytes]:
    if not name.endswith(".py"):
        return {name: data}
    if keeps_source:
        return {name: data, cache_from_source(name, optimization=""): compiled(data, name)}
    return {f"{name}c": compiled(data, name)}


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


def archive_of(files: dict[str, bytes]) -> bytes:
    """Return files as a zip archive that is compressed as a whole, which takes a third less than each alone."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name in sorted(files, key=lambda name: (Path(name).suffix, name)):
            archive.writestr(zipfile.ZipInfo(name, DATE), files[name])
    parameter = zstd.CompressionParameter
    return zstd.compress(whole.getvalue(), options={parameter.compression_level: 22, parameter.window_log: 25})


def size(files: dict[str, bytes]) -> int:
    return len(archive_of(files))


def main() -> str:
    parts, whole, code = [], {}, ""
    for path in sorted(WHEELS.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            [about] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            told = HeaderParser().parsestr(wheel.read(about).decode())
            sources = reading_code() if told["Name"] == "titm_rules" else set()
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
