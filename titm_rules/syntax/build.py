"""From lark's tree to ours: the items of a file."""

from __future__ import annotations

from typing import cast

from titm_rules.syntax.build_declarations import DeclarationBuilder
from titm_rules.syntax.build_nodes import TreeNode, unquote
from titm_rules.syntax.build_sentences import SentenceBuilder
from titm_rules.syntax.declarations import Declaration
from titm_rules.syntax.nodes import Word
from titm_rules.syntax.sentences import CourseSentence
from titm_rules.syntax.tree import Amendment, Clause, Course

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
        found = (cast(CourseSentence, self.sentence(sentence)) for sentence in sentences)
        return Course(self.word(name), unquote(title), tuple(found))

    def amendment(self, tree: TreeNode) -> Amendment:
        """Build an amendment."""
        refs: tuple[Word, ...] = ()
        words: list[Word] = []
        defaults: list[str] = []
        clause, course, number, text, fields = None, None, "", "", []
        for child in tree.children:
            match getattr(child, "data", getattr(child, "type", None)):
                case "REF" | "NAME":
                    refs = (self.word(child),)
                case "TEXT":
                    text = unquote(child)
                case "refs":
                    refs = self.refs(child)
                case "clause":
                    clause = self.clause(child)
                case "course":
                    course = self.course(child)
                    refs = (course.name,)
                case "numbered":
                    number = str(child.children[0])
                case "because":
                    text = unquote(child.children[0])
                case "offer":
                    words.append(self.word(child.children[0]))
                    defaults += [str(child.children[0])] if child.children[1] is not None else []
                case "field":
                    fields.append(child)
        kind = str(tree.data).removesuffix("_clause")
        return Amendment(
            kind, self.span(tree), refs or ((clause.id,) if clause else ()), clause, number, text,
            tuple(words), tuple(defaults), self.fields(fields), course,
        )  # fmt: skip
