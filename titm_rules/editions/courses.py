"""The sections of the course of play that are in force while documents are applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from titm_rules.diagnostics import did_you_mean
from titm_rules.rules.schema import Faults
from titm_rules.syntax.nodes import Word
from titm_rules.syntax.tree import Course, SourceFile


class Courses:
    """Sections by name, each with the file that holds it."""

    def __init__(self, faults: Faults, vocabulary: Iterable[SourceFile]) -> None:
        self.faults = faults
        self.by_name: dict[str, tuple[str, Course]] = {}
        for file in vocabulary:
            self.take(file)

    def __iter__(self) -> Iterator[Course]:
        return (course for _, course in self.by_name.values())

    def take(self, file: SourceFile) -> None:
        """Bring in the sections of a file."""
        for course in file.courses:
            self.bring(course, file.path)

    def bring(self, course: Course, path: str) -> None:
        """Bring in a section that is not in force."""
        was = self.by_name.get(course.name.text)
        if was is None:
            self.by_name[course.name.text] = (path, course)
            return
        self.faults.add(
            f"the course `{course.name.text}` is in force already", course.name.span,
            "a section has one text on a date", "replace it, or take another name", (was[1].name.span,),
        )  # fmt: skip

    def replace(self, course: Course, path: str) -> None:
        """Put a section in the place of the one of its name."""
        if self.is_known(course.name):
            self.by_name[course.name.text] = (path, course)

    def delete(self, name: Word) -> None:
        """Take a section out."""
        if self.is_known(name):
            del self.by_name[name.text]

    def is_known(self, name: Word) -> bool:
        """Whether a section is in force; one that is not is a fault."""
        if name.text not in self.by_name:
            self.faults.add(
                f"the course `{name.text}` is not in force", name.span, "only what is in force can be changed",
                did_you_mean(name.text, self.by_name),
            )  # fmt: skip
        return name.text in self.by_name

    def of(self, path: str) -> tuple[Course, ...]:
        """List the sections in force that a file holds."""
        return tuple(course for home, course in self.by_name.values() if home == path)
