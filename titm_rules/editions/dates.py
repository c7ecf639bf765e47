"""Dates as people write them, turned into the one way that editions are named."""

from __future__ import annotations

import re

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>[a-z]{3,9})\.?", r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?"
_NUMBER = r"(?P<number>\d{1,2})"
_FORMS = tuple(
    re.compile(form, re.ASCII)
    for form in (
        rf"{_YEAR}[-/.]{_NUMBER}(?:[-/.](?P<day>\d{{1,2}}))?",  # 1997-8-20, 1997/08
        rf"(?P<day>\d{{1,2}})\.\s?{_NUMBER}\.\s?{_YEAR}",  # 20.8.1997
        rf"{_MONTH},?\s{_YEAR}",  # August 1997
        rf"{_DAY}\s(?:of\s)?{_MONTH},?\s{_YEAR}",  # 20 August 1997
        rf"{_MONTH}\s{_DAY},?\s{_YEAR}",  # August 20, 1997
    )
)


def iso_date(text: str) -> str:
    """Write a date, or a month, as `1997-08-20` or `1997-08`; what is no date comes back as it is."""
    plain = " ".join(text.casefold().split())
    for form in _FORMS:
        said = form.fullmatch(plain)
        if said is not None:
            month = _month(said.groupdict())
            day = said.groupdict().get("day")
            return text if not month else f"{said['year']}-{month:02}" + (f"-{int(day):02}" if day else "")
    return text


def _month(said: dict[str, str | None]) -> int:
    """Give the number of the month that was said; 0 for a word that is none."""
    if said.get("number"):
        return int(said["number"] or 0)
    word = said["month"] or ""
    return next((number for number, name in enumerate(MONTHS, 1) if name.startswith(word)), 0)
