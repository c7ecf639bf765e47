"""The language server: translate the requests of an editor to the workspace of rule files."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from titm_rules.diagnostics import Fault, Span, TitmError
from titm_rules.lsp import navigation
from titm_rules.lsp.completion import complete
from titm_rules.lsp.edits import Edit, can_rename, character_of, column_at, layout_edits, quick_fixes, rename
from titm_rules.lsp.workspace import Index, PlannedText, Symbol, Workspace, real_path
from titm_rules.syntax.references import Mention
from titm_rules.version import __version__

SOURCE, PLAN = "titm", "titm.plan"
DELAY_S = 0.1  # further typing within it postpones the check
MOST_SYMBOLS = 500
_SYMBOLS = {
    "chapter": types.SymbolKind.Namespace, "clause": types.SymbolKind.Method, "course": types.SymbolKind.Method,
    "amendment": types.SymbolKind.Operator, "type": types.SymbolKind.Enum, "record": types.SymbolKind.Struct,
    "reading": types.SymbolKind.Boolean, "define": types.SymbolKind.Function, "table": types.SymbolKind.Array,
    "event": types.SymbolKind.Event, "question": types.SymbolKind.Interface, "claim": types.SymbolKind.Property,
}  # fmt: skip
_OFFERS = {
    "word": types.CompletionItemKind.Keyword, "clause": types.CompletionItemKind.Reference,
    "type": types.CompletionItemKind.Class, "role": types.CompletionItemKind.Variable,
    "local": types.CompletionItemKind.Variable, "field": types.CompletionItemKind.Field,
    "value": types.CompletionItemKind.EnumMember, "name": types.CompletionItemKind.Function,
    "function": types.CompletionItemKind.Function,
}  # fmt: skip


class Asked(Protocol):
    """A request about a place in a file."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


@dataclass(frozen=True)
class Named:
    """A name at a place of a file, and its meaning."""

    path: Path
    index: Index
    mention: Mention
    symbol: Symbol


class RuleServer(LanguageServer):
    """Holds the workspace and publishes the faults of all open files, a moment after the last change."""

    def __init__(self) -> None:
        super().__init__("titm", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.files = Workspace()
        self.plans: dict[Path, PlannedText] = {}
        self.uris: dict[Path, str] = {}
        self.ends: dict[Path, str] = {}
        self._published: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None

    def take(self, uri: str, text: str) -> None:
        path = path_of(uri)
        self.uris[path] = uri
        self.ends[path] = "\r\n" if "\r\n" in text else "\n"
        self.files.put(path, text)
        self.schedule()

    def leave(self, uri: str) -> None:
        path = path_of(uri)
        self.uris.pop(path, None)
        self.ends.pop(path, None)
        self.files.drop(path)
        self.schedule()

    def schedule(self) -> None:
        """Publish the faults after a delay, which every further change restarts."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(DELAY_S, self.publish)

    def uri(self, path: Path) -> str:
        return self.uris.get(path) or uris.from_fs_path(str(path)) or ""

    def publish(self) -> None:
        faults: defaultdict[str, dict[Fault, None]] = defaultdict(dict)
        for path in list(self.uris):
            for fault in self.files.check(path).faults:
                place = real_path(fault.where.path) if isinstance(fault.where, Span) else path
                faults[self.uri(place)][fault] = None
        for uri in {*faults, *self._published, *self.uris.values()}:
            diagnostics = [self.diagnostic(fault, uri) for fault in faults.get(uri, ())]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))
        self._published = set(faults)

    def diagnostic(self, fault: Fault, uri: str) -> types.Diagnostic:
        """Convert a fault to a diagnostic of the editor; one without a span goes to the first line."""
        reasons = (("why", fault.why), ("fix", fault.fix))
        lines = [fault.what, *(f"{label}: {text}" for label, text in reasons if text)]
        others = [
            types.DiagnosticRelatedInformation(location=self.location(span), message="see also") for span in fault.also
        ]
        span = fault.where if isinstance(fault.where, Span) else Span(str(path_of(uri)), 1, 1, 2)
        return types.Diagnostic(
            range=self.range(span), message="\n".join(lines), severity=types.DiagnosticSeverity.Error, source=SOURCE,
            code=fault.kind, related_information=others or None,
        )  # fmt: skip

    # ------------------------------------------------------------------ positions of the protocol
    @property
    def encoding(self) -> str:
        return str(self.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16)

    def lines(self, path: Path) -> list[str]:
        return self.files.text(path).split("\n")

    def position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        return types.Position(line=max(0, line - 1), character=character_of(text, column, self.encoding))

    def range(self, span: Span) -> types.Range:
        lines = self.lines(real_path(span.path))
        return self.range_in(lines, (span.line, span.column), (span.line, span.end_column))

    def range_in(self, lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> types.Range:
        return types.Range(self.position(lines, *start), self.position(lines, *end))

    def location(self, span: Span) -> types.Location:
        return types.Location(uri=self.uri(real_path(span.path)), range=self.range(span))

    def here(self, asked: Asked) -> tuple[Path, int, int]:
        path, position = path_of(asked.text_document.uri), asked.position
        lines = self.lines(path)
        text = lines[position.line] if position.line < len(lines) else ""
        return path, position.line + 1, column_at(text, position.character, self.encoding)

    def named(self, asked: Asked) -> Named | None:
        path, line, column = self.here(asked)
        checked = self.files.check(path)
        name = checked.index.at(checked.shown.get(path, ""), line, column)
        return None if name is None else Named(path, checked.index, *name)

    def locations(self, asked: Asked, find: Callable[[Named], Iterable[Span]]) -> list[types.Location]:
        named = self.named(asked)
        return [] if named is None else [self.location(span) for span in find(named)]

    def edits(self, path: Path, edits: Sequence[Edit]) -> list[types.TextEdit]:
        """Convert edits of a file to those of the protocol, with the line ends of the file."""
        lines, end = self.lines(path), self.ends.get(path, "\n")
        return [
            types.TextEdit(
                range=self.range_in(lines, (edit.line, edit.column), (edit.end_line, edit.end_column)),
                new_text=edit.text.replace("\n", end),
            )
            for edit in edits
        ]


def path_of(uri: str) -> Path:
    """Find the file of a URI; a text that was never saved gets a name in the working folder."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path or uri.rpartition(":")[2].rpartition("/")[2] or "untitled").resolve()


def make_server() -> RuleServer:
    server = RuleServer()
    _follow_files(server)
    _answer_places(server)
    _answer_edits(server)
    _answer_plans(server)
    return server


def _follow_files(server: RuleServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.take(params.text_document.uri, params.text_document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.take(uri, server.workspace.get_text_document(uri).source)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.leave(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def touched(_params: types.DidSaveTextDocumentParams | types.DidChangeWatchedFilesParams) -> None:
        server.files.refresh()
        server.schedule()


def _answer_places(server: RuleServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        named = server.named(params)
        if named is None:
            return None
        text = navigation.hover(named.index, named.mention, named.symbol)
        contents = types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
        return types.Hover(contents=contents, range=server.range(named.mention.span))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def declared(params: types.DefinitionParams) -> list[types.Location]:
        return server.locations(params, lambda named: navigation.definition(named.index, named.symbol))

    @server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
    def excepted(params: types.ImplementationParams) -> list[types.Location]:
        return server.locations(params, lambda named: navigation.exceptions(named.index, named.symbol))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def used(params: types.ReferenceParams) -> list[types.Location]:
        with_own = params.context.include_declaration
        find = navigation.references
        return server.locations(params, lambda named: find(server.files, named.path, named.symbol, with_own))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outlined(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        path = path_of(params.text_document.uri)
        lines = server.lines(path)
        return [_symbol(server, lines, entry) for entry in navigation.outline("\n".join(lines), str(path))]

    @server.feature(types.WORKSPACE_SYMBOL)
    def searched(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        wanted = params.query.lower()
        return [
            types.WorkspaceSymbol(
                name=f"{entry.name} {entry.detail}".strip(), kind=_kind(entry), location=server.location(entry.span)
            )
            for entry in navigation.search(server.files, list(server.uris), wanted)[:MOST_SYMBOLS]
        ]


def _kind(entry: navigation.OutlineEntry) -> types.SymbolKind:
    return _SYMBOLS.get(entry.kind, types.SymbolKind.Variable)


def _symbol(server: RuleServer, lines: Sequence[str], entry: navigation.OutlineEntry) -> types.DocumentSymbol:
    span = entry.span
    last = lines[entry.end_line - 1] if entry.end_line <= len(lines) else ""
    whole = server.range_in(lines, (span.line, 1), (entry.end_line, len(last) + 1))
    name = server.range_in(lines, (span.line, span.column), (span.line, span.end_column))
    inner = [_symbol(server, lines, inner) for inner in entry.inner]
    return types.DocumentSymbol(
        name=entry.name, detail=entry.detail, kind=_kind(entry), range=whole, selection_range=name, children=inner
    )


def _answer_edits(server: RuleServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completed(params: types.CompletionParams) -> types.CompletionList:
        path, line, column = server.here(params)
        checked = server.files.check(path)
        offers = complete(checked.index, server.files.text(path), checked.shown.get(path, str(path)), line, column)
        items = [
            types.CompletionItem(
                label=offer.text,
                kind=_OFFERS[offer.kind],
                detail=offer.detail or None,
                sort_text=f"{offer.rank}{offer.text}",
            )
            for offer in offers
        ]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def may_rename(params: types.PrepareRenameParams) -> types.Range | None:
        named = server.named(params)
        if named is None:
            return None
        why = can_rename(named.index, named.symbol)
        if why:
            raise JsonRpcInvalidParams(message=f"`{named.symbol.name}` cannot be renamed: {why}")
        return server.range(named.mention.span)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renamed(params: types.RenameParams) -> types.WorkspaceEdit | None:
        named = server.named(params)
        if named is None:
            return None
        try:
            changes = rename(server.files, named.path, named.symbol, params.new_name)
        except TitmError as error:
            raise JsonRpcInvalidParams(message=str(error)) from None
        return types.WorkspaceEdit(
            changes={server.uri(path): server.edits(path, edits) for path, edits in changes.items()}
        )

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def laid_out(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        path = path_of(params.text_document.uri)
        return server.edits(path, layout_edits(server.files.text(path), str(path)))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def mended(params: types.CodeActionParams) -> list[types.CodeAction]:
        path = path_of(params.text_document.uri)
        wanted = range(params.range.start.line + 1, params.range.end.line + 2)
        faults = [
            fault for fault in server.files.check(path).faults
            if isinstance(fault.where, Span) and fault.where.line in wanted and real_path(fault.where.path) == path
        ]  # fmt: skip
        return [
            types.CodeAction(
                title=fix.title, kind=types.CodeActionKind.QuickFix, is_preferred=True,
                diagnostics=[server.diagnostic(fault, params.text_document.uri)],
                edit=types.WorkspaceEdit(changes={params.text_document.uri: server.edits(path, [fix.edit])}),
            )
            for fault in faults for fix in quick_fixes(fault)
        ]  # fmt: skip


def _answer_plans(server: RuleServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        """Say above each clause that a sheet amends in how many cases it decides; or offer to plan the sheet."""
        uri = params.text_document.uri
        path = path_of(uri)
        text, known = server.files.text(path), server.plans.get(path)
        return [
            types.CodeLens(
                range=server.range_in(text.split("\n"), (word.span.line, 1), (word.span.line, word.span.end_column)),
                command=types.Command(
                    title=known.told(word.text, text) if known else "what does it change?", command=PLAN,
                    arguments=[uri],
                ),
            )
            for word in navigation.amended(text, str(path))
        ]  # fmt: skip

    @server.command(PLAN)
    @server.thread()
    def planned(uri: str) -> None:
        path = path_of(uri)
        try:
            found = server.plans[path] = server.files.plan(path)
        except TitmError as error:
            told, kind = error.faults[0].what, types.MessageType.Error
        else:
            told = f"{found.changes or 'no'} known case{'s' * (found.changes != 1)} change{'s' * (found.changes == 1)}"
            told, kind = f"{told}; `titm plan {path.name}` shows them", types.MessageType.Info
        server.window_show_message(types.ShowMessageParams(kind, told))
        lens = server.client_capabilities.workspace and server.client_capabilities.workspace.code_lens
        if lens and lens.refresh_support:
            server.workspace_code_lens_refresh(None)


def serve() -> None:
    """Serve one editor over standard input and output, until it ends the session.

    The editor gets every refusal. The log of the library is for debugging only: set TITM_RULES_DEBUG.
    """
    if not os.environ.get("TITM_RULES_DEBUG"):
        logging.getLogger("pygls").addHandler(logging.NullHandler())
        logging.getLogger("pygls").propagate = False
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:  # the library closes what it writes to
        make_server().start_io(None, out)
