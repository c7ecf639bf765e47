"""Compare the length of the formal rules with that of their restatements, by chapter, for two commits.

`python docs/tools/rule_words.py OLD` compares the rules of a commit with those of the work tree. It
also lists every sentence, formal or restated, of more than 40 words.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("rulesets/titm", "scenarios")
LONGEST = 40
CLAUSE = re.compile(r'^(?:add |replace )?clause (\S+)(?: as \S+)?\s+"[^"]*"\s+"([^"]*)"(.*?)(?=^\S|\Z)', re.M | re.S)
SAYS = re.compile(r'\bsays\s+"[^"]*"')
COURSE = re.compile(r'^course (\S+)\s+"[^"]*"(.*?)(?=^\S|\Z)', re.M | re.S)


def texts(commit: str) -> dict[str, str]:
    """Read the rule files of a commit, or of the work tree, by path."""
    if not commit:
        files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.rules"))
        return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}
    listed = _git("ls-tree", "-r", "--name-only", commit, *FOLDERS).splitlines()
    return {path: _git("show", f"{commit}:{path}") for path in listed if path.endswith(".rules")}


def _git(*args: str) -> str:
    return subprocess.run(("git", *args), cwd=ROOT, check=True, capture_output=True, text=True).stdout


def sentences(formal: str) -> list[str]:
    """Split the body of a clause at its full stops; full stops inside numbers stay."""
    bare = re.sub(r'"[^"]*"', lambda match: match[0].replace(".", ""), re.sub(r"#[^\n]*", "", unsaid(formal)))
    return [part for part in re.split(r"\.(?:\s+|\Z)", bare.strip()) if part.strip()]


def unsaid(formal: str) -> str:
    """Remove the refusal messages of sentences: they are for readers and decide nothing."""
    return SAYS.sub("", formal)


def words(text: str) -> int:
    """Count the words and numbers of a text, without punctuation."""
    return len(re.findall(r"\w[\w'.:-]*", text))


def measured(rules: dict[str, str]) -> tuple[Counter[str], Counter[str], list[str]]:
    """Count restated and formal words by file; list the sentences that are too long."""
    restated, formal, long = Counter[str](), Counter[str](), []
    for path, text in sorted(rules.items()):
        name = "/".join(path.removesuffix(".rules").split("/")[-2:])
        for number, says, body in CLAUSE.findall(text):
            restated[name] += words(says)
            formal[name] += words(unsaid(body))
            long += too_long(f"{name}: {number}", [*re.split(r"(?<=[.:;!?])\s+", says), *sentences(body)])
        for section, body in COURSE.findall(text):
            long += too_long(f"{name}: {section}", sentences(body))
    return restated, formal, long


def too_long(where: str, texts: list[str]) -> list[str]:
    """List the sentences that are too long."""
    counted = ((words(text), " ".join(text.split())[:60]) for text in texts)
    return [f"{where}: {count} words: {start}" for count, start in counted if count > LONGEST]


def table(old: str) -> str:
    """Write the table, and list the sentences that are too long now."""
    before, after = measured(texts(old)), measured(texts(""))
    lines = ["| file | restated | formal before | after | formal per restated before | after |", "| --- " * 6 + "|"]
    for name in sorted({*before[0], *after[0]}):
        lines.append(_row(name, [counts[name] for counts in (before[0], before[1], after[0], after[1])]))
    lines.append(_row("all", [sum(counts.values()) for counts in (before[0], before[1], after[0], after[1])]))
    long = [f"sentences of over {LONGEST} words: {len(before[2])} before, {len(after[2])} after", *after[2]]
    return "\n".join([*lines, "", *long])


def _row(name: str, counts: list[int]) -> str:
    says_before, formal_before, says_after, formal_after = counts
    ratios = [f"{f / s:.2f}" if s else "" for f, s in ((formal_before, says_before), (formal_after, says_after))]
    return f"| {name} | {says_after} | {formal_before} | {formal_after} | {ratios[0]} | {ratios[1]} |"


if __name__ == "__main__":
    print(table(sys.argv[1]))
