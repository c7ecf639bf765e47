"""From lark's tree to ours: the declarations of a vocabulary."""

from __future__ import annotations

from typing import Any

from titm_rules.syntax import declarations as decls
from titm_rules.syntax.build_nodes import MAX_DEPTH, NodeBuilder, TooDeep, TreeNode, unquote
from titm_rules.syntax.declarations import AnswerValue, Asks, Declaration, NamedAnswer
from titm_rules.syntax.nodes import Word


class DeclarationBuilder(NodeBuilder):
    """Builds declarations; each method takes the tree of the grammar's rule of its name."""

    def declaration(self, tree: TreeNode) -> Declaration:
        """Build a declaration."""
        built: Declaration = self._build(tree)
        return built

    def _build(self, tree: TreeNode) -> Any:
        return getattr(self, f"_{tree.data}")(tree)

    def _parts(self, trees: list[Any]) -> tuple[Any, ...]:
        """Build the parts of a form or an event."""
        return tuple(self._build(tree) for tree in trees if tree is not None)

    # ------------------------------------------------------------------ what there is
    def _game(self, tree: TreeNode) -> Declaration:
        return decls.GameDecl(self._quoted(tree.children[0]))

    def _edition(self, tree: TreeNode) -> Declaration:
        name, title, date, basis, folder, source = tree.children
        kind, base = ("", "") if basis is None else (str(basis.data), unquote(basis.children[0]))
        told = "" if source is None else unquote(source.children[0])
        return decls.EditionDecl(self._quoted(name), unquote(title), str(date), kind, base, unquote(folder), told)

    def _type(self, tree: TreeNode) -> Declaration:
        name, *values = tree.children
        words = tuple(self.word(value.children[0]) for value in values)
        aliases = [value.children[1] for value in values]
        texts = (
            word.text if alias is None else unquote(alias.children[0])
            for word, alias in zip(words, aliases, strict=True)
        )
        others = (
            () if also is None else tuple(self._quoted(one) for one in also.children)
            for also in (value.children[2] for value in values)
        )
        return decls.TypeDecl(self.word(name), words, tuple(texts), tuple(others))

    def _measure(self, tree: TreeNode) -> Declaration:
        name, parts = tree.children
        return decls.MeasureDecl(self.word(name), int(parts))

    def _record(self, tree: TreeNode) -> Declaration:
        name, *fields = tree.children
        return decls.RecordDecl(self.word(name), str(tree.data).removesuffix("_record"), self.fields(fields))

    _place_record = _piece_record = _connection_record = _situation = _record

    def _plain_record(self, tree: TreeNode) -> Declaration:
        name, written, *fields = tree.children
        text = None if written is None else self._quoted(written)
        return decls.RecordDecl(self.word(name), "plain", self.fields(fields), text)

    def _die(self, tree: TreeNode) -> Declaration:
        name, low, high, *reads = tree.children
        marked = tuple(int(number) for number in reads if number is not None)
        return decls.DieDecl(self.word(name), int(low), int(high), marked)

    def _reading(self, tree: TreeNode) -> Declaration:
        name, question, *choices = tree.children
        built, reasons = [], []
        for choice in choices:
            word, text, default, because = choice.children
            built.append(decls.ChoiceDecl(self.word(word), unquote(text), default is not None))
            reasons += [] if because is None else [unquote(because.children[0])]
        return decls.ReadingDecl(self.word(name), unquote(question), tuple(built), "; ".join(reasons))

    # ------------------------------------------------------------------ what clauses decide
    def _define(self, tree: TreeNode) -> Declaration:
        ftype, optional, name, params, situation, default = tree.children
        value = None if default is None else self.expr(default.children[0])
        return decls.DefineDecl(
            self.word(name), self.type(ftype), optional is not None, self.params(params), self.on(situation), value
        )

    def _total_definition(self, tree: TreeNode) -> Declaration:
        ftype, name, params, situation = tree.children
        given = self.params(params), self.on(situation)
        return decls.DefineDecl(self.word(name), self.type(ftype), False, *given, None, adds_up=True)

    def _table(self, tree: TreeNode) -> Declaration:
        name, key, other, gives = tree.children
        number = self._number_key(other) if other is not None and other.data == "number_key" else None
        across = self.word(other.children[0]) if other is not None and number is None else None
        gives = None if gives is None else self.type(gives)
        return decls.TableDecl(self.word(name), self.word(key), number, gives, across)

    def _number_key(self, tree: TreeNode) -> tuple[Word, int, int]:
        name, low, high = tree.children
        return self.word(name), int(low), int(high)

    def _roll(self, tree: TreeNode) -> Declaration:
        name, params, situation, die = tree.children
        return decls.RollDecl(self.word(name), self.params(params), self.on(situation), self.word(die))

    def _route(self, tree: TreeNode) -> Declaration:
        name, situation, *parts = tree.children
        return decls.RouteDecl(self.word(name), self.on(situation), self._parts(parts))

    def _allocation(self, tree: TreeNode) -> Declaration:
        name, situation, *parts = tree.children
        return decls.AllocationDecl(self.word(name), self.on(situation), self._parts(parts))

    def _selection(self, tree: TreeNode) -> Declaration:
        name, situation, *parts = tree.children
        return decls.SelectionDecl(self.word(name), self.on(situation), self._parts(parts))

    def _mover(self, tree: TreeNode) -> decls.MoverDecl:
        return decls.MoverDecl(self.span(tree), self.param(tree.children[0]))

    def _given(self, tree: TreeNode) -> decls.GivenDecl:
        return decls.GivenDecl(self.span(tree), self.param(tree.children[0]))

    def _crosses(self, tree: TreeNode) -> decls.Crosses:
        return decls.Crosses(self.span(tree), *map(self.word, tree.children))

    def _interruption(self, tree: TreeNode) -> decls.Interruption:
        name, field, before, after, *named = tree.children
        words = self.word(name), self.expr(field), self.word(before), self.word(after)
        noted, stranded = (None if word is None else self.word(word) for word in named)
        return decls.Interruption(self.span(tree), *words, noted, stranded)

    def _closing(self, tree: TreeNode) -> decls.Closing:
        return decls.Closing(self.span(tree), self.word(tree.children[0]))

    def _tallied(self, tree: TreeNode) -> decls.Tallied:
        name, most = tree.children
        return decls.Tallied(self.span(tree), self.word(name), int(most))

    def _halted(self, tree: TreeNode) -> decls.Halted:
        return decls.Halted(self.span(tree), self.word(tree.children[0]))

    def _simple(self, tree: TreeNode) -> decls.Simple:
        return decls.Simple(self.span(tree))

    def _entering(self, tree: TreeNode) -> decls.Simple:
        return decls.Simple(self.span(tree), returns=True)

    def _paid(self, tree: TreeNode) -> decls.Paid:
        return decls.Paid(self.span(tree), self.word(tree.children[0]))

    def _choosers(self, tree: TreeNode) -> decls.Choosers:
        name, record, base = tree.children
        return decls.Choosers(self.span(tree), self.word(name), self.word(record), self.expr(base))

    def _picks(self, tree: TreeNode) -> decls.PickedFrom:
        name, record, base = tree.children
        return decls.PickedFrom(self.span(tree), self.word(name), self.word(record), self.expr(base))

    def _prefers(self, tree: TreeNode) -> decls.Prefers:
        return decls.Prefers(self.span(tree), self.expr(tree.children[0]))

    def _counters(self, tree: TreeNode) -> decls.Counters:
        return decls.Counters(self.span(tree), self.word(tree.children[0]))

    def _order(self, tree: TreeNode) -> decls.OrderOf:
        return decls.OrderOf(self.span(tree), self.expr(tree.children[0]))

    def _rolls(self, tree: TreeNode) -> decls.DiceFor:
        return decls.DiceFor(self.span(tree), *map(self.expr, tree.children))

    def _success(self, tree: TreeNode) -> decls.Success:
        return decls.Success(self.span(tree), *map(self.expr, tree.children))

    # ------------------------------------------------------------------ what may be asked
    def _question(self, tree: TreeNode) -> Declaration:
        name, says, situation, takes, *lacking, asks = tree.children
        inputs = () if takes is None else self.fields(takes.children)
        asked = self._answers(asks.children) if asks.data == "answers" else self._asks(asks)
        told = "" if says is None else unquote(says)
        return decls.QuestionDecl(self.word(name), self.on(situation), inputs, asked, self._parts(lacking), told)

    def _gap(self, tree: TreeNode) -> decls.GapDecl:
        what, when = tree.children
        return decls.GapDecl(self.span(tree), unquote(what), self.expr(when))

    def _refusal(self, tree: TreeNode) -> decls.RefusalDecl:
        given, when, says = tree.children
        return decls.RefusalDecl(self.span(tree), self.word(given), self.expr(when), self.template(says))

    def _asks(self, tree: TreeNode) -> Asks:
        form, bindings, *others = tree.children
        names = [one for one in others if one is not None and getattr(one, "data", "") != "bare"]
        words = tuple(self.word(name) for name in names)
        is_bare = any(getattr(one, "data", "") == "bare" for one in others)
        return Asks(str(tree.data).removeprefix("ask_"), self.word(form), self.bindings(bindings), words, is_bare)

    def _view(self, tree: TreeNode) -> Declaration:
        name, params, situation, *answers = tree.children
        return decls.ViewDecl(self.word(name), self.params(params), self.on(situation), self._answers(answers))

    def _summary(self, tree: TreeNode) -> Declaration:
        situation, *answers = tree.children
        return decls.SummaryDecl(self.word(situation.children[0]), self._answers(answers))

    def _victory(self, tree: TreeNode) -> Declaration:
        situation, *answers = tree.children
        return decls.VictoryDecl(self.word(situation.children[0]), self._answers(answers))

    def _always(self, tree: TreeNode) -> Declaration:
        situation, each, condition, says = tree.children
        var, base = (None, None) if each is None else each.children
        return decls.AlwaysDecl(
            self.word(situation.children[0]), None if var is None else self.word(var),
            None if base is None else self.expr(base), self.expr(condition), self.template(says),
        )  # fmt: skip

    def _answers(self, trees: list[Any], depth: int = 0) -> tuple[NamedAnswer, ...]:
        named = ((tree, *tree.children) for tree in trees)
        return tuple(
            NamedAnswer(self.span(tree), self.word(name), self._answer_value(value, depth), self.maybe(when))
            for tree, name, value, when in named
        )

    def _answer_value(self, tree: TreeNode, depth: int) -> AnswerValue:
        """Build what stands behind the colon of an answer.

        Raises:
            TooDeep: beyond 60 levels of answers.
        """
        if depth > MAX_DEPTH:
            raise TooDeep(self.span(tree))
        if tree.data == "answer_record":
            return decls.RecordAnswer(self.span(tree), self._answers(tree.children, depth + 1))
        if tree.data == "choices_of":
            form, bindings = tree.children
            return decls.ChoicesAnswer(self.span(tree), self.word(form), self.bindings(bindings))
        if tree.data not in ("each", "each_gives"):
            return self.expr(tree)
        name, base, where, value = tree.children
        inner = None if value is None else self._answer_value(value, depth + 1)
        each = self.span(tree), self.word(name), self.expr(base), self.maybe(where), inner
        return decls.EachAnswer(*each, in_order=tree.data == "each_gives")

    # ------------------------------------------------------------------ what happens in a game
    def _event(self, tree: TreeNode) -> Declaration:
        name, situation, otherwise, actor, *parts = tree.children
        return decls.EventDecl(
            self.word(name), self.on(situation), otherwise is not None, self.maybe(actor), self._parts(parts)
        )

    def _domain(self, tree: TreeNode) -> decls.ForEach:
        name, base, where = tree.children
        is_first = tree.data == "first"
        return decls.ForEach(self.span(tree), self.word(name), self.expr(base), self.maybe(where), is_first)

    _first = _domain

    def _condition(self, tree: TreeNode) -> decls.Condition:
        condition, says = tree.children
        return decls.Condition(self.span(tree), self.expr(condition), self.template(says))

    def _let(self, tree: TreeNode) -> decls.Let:
        name, value = tree.children
        return decls.Let(self.span(tree), self.word(name), self.expr(value))

    def _able(self, tree: TreeNode) -> decls.AbleTo:
        route, bindings = tree.children
        return decls.AbleTo(self.span(tree), self.word(route), self.bindings(bindings))

    def _going(self, tree: TreeNode) -> decls.Going:
        at, spent, route, bindings = tree.children
        where = self.expr(at), self.expr(spent), self.word(route), self.bindings(bindings)
        return decls.Going(self.span(tree), str(tree.data), *where)

    _steps = _halts = _closes = _going

    def _selects(self, tree: TreeNode) -> decls.Selects:
        selection, bindings = tree.children
        return decls.Selects(self.span(tree), self.word(selection), self.bindings(bindings))

    def _seen(self, tree: TreeNode) -> decls.SeenAs:
        view, of = tree.children
        return decls.SeenAs(self.span(tree), self.word(view), self.expr(of))

    def _picking(self, tree: TreeNode) -> decls.PicksOf:
        allocation, kept, bindings = tree.children
        return decls.PicksOf(self.span(tree), self.word(allocation), self.word(kept), self.bindings(bindings))

    def _rolling(self, tree: TreeNode) -> decls.RollsFor:
        roll, thrown = tree.children
        return decls.RollsFor(self.span(tree), None, self.expr(roll), self._thrown(thrown))

    def _rolling_many(self, tree: TreeNode) -> decls.RollsFor:
        count, roll, thrown = tree.children
        return decls.RollsFor(self.span(tree), self.expr(count), self.expr(roll), self._thrown(thrown))

    def _throwing(self, tree: TreeNode) -> decls.Throws:
        count, die, thrown = tree.children
        return decls.Throws(self.span(tree), self.expr(count), self.word(die), self.word(thrown.children[0]))

    def _thrown(self, tree: TreeNode | None) -> Word | None:
        return None if tree is None else self.word(tree.children[0])

    # ------------------------------------------------------------------ small things
    def on(self, tree: TreeNode | None) -> Word | None:
        """Build the situation that something is about, if it is named."""
        return None if tree is None else self.word(tree.children[0])

    def _quoted(self, token: Any) -> Word:
        """Build a word of a name in quotes."""
        return Word(unquote(token), self.span(token))
