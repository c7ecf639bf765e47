"""Words in pictures: made fit for XML, and measured."""

from __future__ import annotations

import html
import re

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
LONGEST = 20
_NOT_XML = re.compile(r"[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Advance of DejaVu Sans Bold in hundredths of the type size. It is among the widest of the usual
# fonts, so that a text is no longer than measured wherever the picture is looked at.
_ADVANCES = {
    31: "'", 34: "ijl", 35: " ", 37: "/IJ\\|", 38: ",.", 40: ":;", 42: "-", 44: "f", 46: "!()[]", 48: "t", 49: "r",
    50: "_`", 52: '"*', 58: "?z", 59: "c", 60: "s", 65: "vxyL", 67: "ak", 68: "EFTe", 69: "o",
    70: "$0123456789", 71: "hnu{}", 72: "SYbdgpq", 73: "CPZ", 77: "AKRVXB", 81: "U", 82: "G", 83: "D",
    84: "#+<=>HN^~", 85: "OQ", 87: "&", 92: "w", 100: "%@M", 104: "m", 110: "W",
}  # fmt: skip
_ADVANCE = {letter: hundredths for hundredths, letters in _ADVANCES.items() for letter in letters}
_OTHER = 110


def clean(text: str, longest: int = LONGEST) -> str:
    """Make a text fit for a picture: no control characters, and not longer than so many."""
    text = _NOT_XML.sub("?", text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def written(name: str) -> str:
    """Write an id as the value of an attribute of XML: nothing in it ends the value."""
    return html.escape(_NOT_XML.sub("?", name), quote=True)


def width_of(text: str, size: float) -> float:
    """Measure a text of one line, in pixels: an upper bound, bold or not."""
    return sum(_ADVANCE.get(letter, _OTHER) for letter in text) * size / 100
