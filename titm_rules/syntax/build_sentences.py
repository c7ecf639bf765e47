"""From lark's tree to ours: the sentences of clauses."""

from __future__ import annotations

from copy import copy
from typing import Any

from titm_rules.diagnostics import Span
from titm_rules.syntax import sentences
from titm_rules.syntax.build_nodes import NodeBuilder, TreeNode, unquote
from titm_rules.syntax.nodes import Expr, Word
from titm_rules.syntax.sentences import Sentence, Sweep

Opening = tuple[Span, tuple[Word, ...], Word, Expr | None]


class SentenceBuilder(NodeBuilder):
    """Builds sentences; each method takes the tree of the grammar's rule of its name."""

    def shared(self, tree: TreeNode) -> tuple[Sentence, ...]:
        """Build a sentence of a clause; one that several forms share is one of each."""
        subjects = tree.children[0]
        if getattr(subjects, "data", "") != "subjects":
            return (self.sentence(tree),)
        return tuple(self.sentence(_about(tree, name)) for name in subjects.children)

    def sentence(self, tree: TreeNode) -> Sentence:
        """Build a sentence of a clause."""
        built: Sentence = getattr(self, f"_{tree.data}")(tree)
        return built

    # ------------------------------------------------------------------ about other clauses
    def _lifts(self, tree: TreeNode) -> Sentence:
        refs, subject, when = tree.children
        word = None if subject is None else self.word(subject)
        return sentences.Lifts(self.span(tree), self.refs(refs), word, self._when(when))

    def _see(self, tree: TreeNode) -> Sentence:
        return sentences.See(self.span(tree), self.refs(tree.children[0]))

    def _silent(self, tree: TreeNode) -> Sentence:
        return sentences.Silent(self.span(tree), (), unquote(tree.children[0]))

    # ------------------------------------------------------------------ about a question
    def _holds(self, tree: TreeNode) -> Sentence:
        subject, instead, when, says = tree.children
        return sentences.Holds(*self._said(tree, instead, subject, when), self.template(says))

    def _value(self, tree: TreeNode) -> Sentence:
        subject, value, instead, when, says = tree.children
        said = self._said(tree, instead, subject, when)
        return sentences.Is(*said, self.template(says), self.expr(value))

    def _rows(self, tree: TreeNode) -> Sentence:
        subject, *rows = tree.children
        return sentences.TableRows(*self._said(tree, None, subject, None), self._cells(rows))

    def _line(self, tree: TreeNode) -> Sentence:
        subject, key, *rows = tree.children
        return sentences.TableRows(*self._said(tree, None, subject, None), self._cells(rows), self.word(key))

    def _cells(self, rows: list[Any]) -> tuple[tuple[Word, Expr], ...]:
        return tuple((self.word(row.children[0]), self.expr(row.children[1])) for row in rows)

    def _bands(self, tree: TreeNode) -> Sentence:
        subject, key, *bands = tree.children
        return sentences.Bands(*self._said(tree, None, subject, None), self.word(key), tuple(map(self._band, bands)))

    def _band(self, tree: TreeNode) -> sentences.Band:
        low, high, value = tree.children
        return sentences.Band(self.span(tree), int(low), int(low if high is None else high), self.expr(value))

    def _bar(self, tree: TreeNode) -> Sentence:
        subject, word, when, says = tree.children
        return sentences.Bar(*self._said(tree, None, subject, when), self.template(says), self.word(word))

    def _stop(self, tree: TreeNode) -> Sentence:
        subject, when, says = tree.children
        return sentences.Stop(*self._said(tree, None, subject, when), self.template(says))

    def _goal(self, tree: TreeNode) -> Sentence:
        subject, when = tree.children
        return sentences.Goal(*self._said(tree, None, subject, when))

    def _cost(self, tree: TreeNode) -> Sentence:
        subject, value, instead, when = tree.children
        return sentences.Cost(*self._said(tree, instead, subject, when), self.expr(value))

    def _tally(self, tree: TreeNode) -> Sentence:
        subject, value, counter, instead, when = tree.children
        return sentences.Tally(*self._said(tree, instead, subject, when), self.expr(value), self.word(counter))

    def _points(self, tree: TreeNode) -> Sentence:
        subject, value, instead, when, says = tree.children
        said = self._said(tree, instead, subject, when)
        return sentences.Points(*said, self.template(says), self.expr(value))

    def _factor(self, tree: TreeNode) -> Sentence:
        subject, limit, value, instead, when = tree.children
        rises = limit is not None and limit.data == "rising"
        return sentences.Factor(*self._said(tree, instead, subject, when), self.expr(value), rises)

    def _modifier(self, tree: TreeNode) -> Sentence:
        subject, value, label, instead, when = tree.children
        return sentences.Modifier(*self._said(tree, instead, subject, when), self.expr(value), unquote(label))

    # ------------------------------------------------------------------ about what comes of an event
    def _sets(self, tree: TreeNode) -> Sentence:
        subject, sweep, *assignments, instead, when = tree.children
        said = self._said(tree, instead, subject, when)
        pairs = tuple((self.expr(one.children[0]), self.expr(one.children[1])) for one in assignments)
        return sentences.Sets(*said, self._sweep(sweep), pairs)

    def _puts(self, tree: TreeNode) -> Sentence:
        subject, sweep, record, into, bindings, instead, when = tree.children
        said = self._said(tree, instead, subject, when)
        words = (self.word(record), self.word(into))
        return sentences.Puts(*said, self._sweep(sweep), *words, self.bindings(bindings))

    def _removes(self, tree: TreeNode) -> Sentence:
        subject, sweep, member, source, instead, when = tree.children
        said = self._said(tree, instead, subject, when)
        return sentences.Removes(*said, self._sweep(sweep), self.expr(member), self.word(source))

    def _sweep(self, tree: TreeNode | None) -> Sweep | None:
        if tree is None:
            return None
        name, base, where = tree.children
        return Sweep(self.word(name), self.expr(base), self.maybe(where))

    # ------------------------------------------------------------------ small things
    def refs(self, tree: TreeNode) -> tuple[Word, ...]:
        """Build references to clauses."""
        return tuple(self.word(ref) for ref in tree.children)

    def _said(self, tree: TreeNode, instead: TreeNode | None, subject: TreeNode, when: TreeNode | None) -> Opening:
        """Give what every sentence about a question begins with: span, clauses that give way, subject, condition."""
        refs = () if instead is None else self.refs(instead.children[0])
        return self.span(tree), refs, self.word(subject), self._when(when)

    def _when(self, tree: TreeNode | None) -> Expr | None:
        if tree is None:
            return None
        condition = self.expr(tree.children[0])
        return Expr("negation", (condition,), condition.span) if tree.data == "unless" else condition


def _about(tree: TreeNode, name: Any) -> TreeNode:
    """Give a sentence about several forms as one about one of them."""
    alone = copy(tree)
    alone.children = [name, *tree.children[1:]]
    return alone
