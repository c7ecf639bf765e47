"""From lark's tree to ours: the items of a file."""

from __future__ import annotations

from typing import Any, cast

from titm_rules.syntax.build_declarations import DeclarationBuilder
from titm_rules.syntax.build_nodes import TreeNode, unquote
from titm_rules.syntax.build_sentences import SentenceBuilder
from titm_rules.syntax.declarations import Declaration
from titm_rules.syntax.nodes import Word
from titm_rules.syntax.sentences import CourseSentence
from titm_rules.syntax.tree import (
    AddClause,
    AddCourse,
    AddKnown,
    Amendment,
    Attest,
    Clause,
    Course,
    DeleteClauses,
    DeleteCourse,
    DeleteSection,
    Extend,
    Limit,
    Renumber,
    ReplaceClauses,
    ReplaceCourse,
    Restate,
)

AMENDMENTS = (
    "add_clause", "add", "replace", "restate", "attest", "renumber", "delete", "delete_section", "limit", "extend",
    "add_course", "replace_course", "delete_course",
)  # fmt: skip


class Builder(DeclarationBuilder, SentenceBuilder):
    """Builds the tree of one item; lines are counted from `offset`."""

    def item(self, tree: TreeNode) -> Declaration | Clause | Course | Amendment:
        """Build a declaration, a clause, a section of the course of play or an amendment."""
        if tree.data == "clause":
            return self.clause(tree)
        if tree.data == "course":
            return self.course(tree)
        if tree.data in AMENDMENTS:
            return self.amendment(tree)
        return self.declaration(tree)

    def clause(self, tree: TreeNode) -> Clause:
        """Build a clause."""
        ref, number, title, says, *sentences = tree.children
        return Clause(
            self.word(ref),
            unquote(title),
            unquote(says),
            tuple(one for sentence in sentences for one in self.shared(sentence)),
            self.span(tree),
            "" if number is None else str(number.children[0]),
        )

    def course(self, tree: TreeNode) -> Course:
        """Build a section of the course of play."""
        name, title, *sentences = tree.children
        found = (cast(CourseSentence, one) for sentence in sentences for one in self.shared(sentence))
        return Course(self.word(name), unquote(title), tuple(found))

    def amendment(self, tree: TreeNode) -> Amendment:
        """Build an amendment; the names of its kinds are those of the grammar."""
        first, *others = tree.children
        match tree.data:
            case "add_clause":
                return AddClause(self.clause(first))
            case "add_course":
                return AddCourse(self.course(first))
            case "replace_course":
                return ReplaceCourse(self.course(first))
            case "delete_course":
                return DeleteCourse(self.word(first))
            case "delete_section":
                return DeleteSection(self.word(first))
            case "limit":
                return self._limit(first, others)
            case "extend":
                return Extend(self.word(first), self.fields(others))
            case "replace":
                clause = self.clause(others[0])
                return ReplaceClauses((clause.id,) if first is None else self.refs(first), clause)
        return self._of_clauses(str(tree.data), self.refs(first), others)

    def _of_clauses(self, kind: str, refs: tuple[Word, ...], others: list[Any]) -> Amendment:
        match kind:
            case "attest":
                return Attest(refs, unquote(others[0]))
            case "delete":
                return DeleteClauses(refs)
        number = "" if others[0] is None else str(others[0].children[0])
        kinds: dict[str, type[AddKnown | Restate | Renumber]] = {
            "add": AddKnown, "restate": Restate, "renumber": Renumber
        }  # fmt: skip
        return kinds[kind](refs, number)

    def _limit(self, reading: Any, others: list[Any]) -> Limit:
        *offers, because = others
        words = [(self.word(offer.children[0]), offer.children[1] is not None) for offer in offers]
        return Limit(
            self.word(reading),
            tuple(word for word, _ in words),
            tuple(word.text for word, is_default in words if is_default),
            "" if because is None else unquote(because.children[0]),
        )
