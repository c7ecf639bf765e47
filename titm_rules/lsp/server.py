"""The language server: what an editor sends over standard input and output, in terms of the desk."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from titm_rules.diagnostics import Fault, Span, TitmError
from titm_rules.lsp import navigation
from titm_rules.lsp.code_actions import Edit, character_of, column_at, layout_edits, quick_fixes
from titm_rules.lsp.completion import complete
from titm_rules.lsp.index import Symbol
from titm_rules.lsp.navigation import hover
from titm_rules.lsp.workspace import CheckedFiles, Workspace, real_path
from titm_rules.syntax.references import Mention
from titm_rules.version import __version__

SOURCE = "titm"
DELAY_S = 0.1  # who types on within it is not interrupted
MOST_SYMBOLS = 500
_SYMBOLS = {
    "chapter": types.SymbolKind.Namespace, "clause": types.SymbolKind.Method, "course": types.SymbolKind.Method,
    "amendment": types.SymbolKind.Operator, "type": types.SymbolKind.Enum, "record": types.SymbolKind.Struct,
    "reading": types.SymbolKind.Boolean, "define": types.SymbolKind.Function, "table": types.SymbolKind.Array,
    "event": types.SymbolKind.Event, "question": types.SymbolKind.Interface,
}  # fmt: skip
_OFFERS = {
    "word": types.CompletionItemKind.Keyword, "clause": types.CompletionItemKind.Reference,
    "type": types.CompletionItemKind.Class, "role": types.CompletionItemKind.Variable,
    "local": types.CompletionItemKind.Variable, "field": types.CompletionItemKind.Field,
    "value": types.CompletionItemKind.EnumMember, "name": types.CompletionItemKind.Function,
}  # fmt: skip


class RuleServer(LanguageServer):
    """Keeps the desk and tells the editor the faults of all open files, a moment after the last change."""

    def __init__(self) -> None:
        super().__init__("titm", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.desk = Workspace()
        self.uris: dict[Path, str] = {}
        self.ends: dict[Path, str] = {}
        self._told: set[str] = set()
        self._waiting: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------------ files
    def take(self, uri: str, text: str) -> None:
        """Hold the text of an open file."""
        path = path_of(uri)
        self.uris[path] = uri
        self.ends[path] = "\r\n" if "\r\n" in text else "\n"
        self.desk.put(path, text)
        self.soon()

    def leave(self, uri: str) -> None:
        """Hold a file no longer."""
        path = path_of(uri)
        self.uris.pop(path, None)
        self.ends.pop(path, None)
        self.desk.drop(path)
        self.soon()

    def soon(self) -> None:
        """Tell the faults after a moment, in which more changes may come."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(DELAY_S, self.tell)

    def uri(self, path: Path) -> str:
        """Name a file as the editor does."""
        return self.uris.get(path) or uris.from_fs_path(str(path)) or ""

    # ------------------------------------------------------------------ faults
    def tell(self) -> None:
        """Tell the editor the faults of all open files and of those that belong to them."""
        found: defaultdict[str, dict[Fault, None]] = defaultdict(dict)
        for path in list(self.uris):
            for fault in self.desk.check(path).faults:
                place = real_path(fault.where.path) if isinstance(fault.where, Span) else path
                found[self.uri(place)][fault] = None
        for uri in {*found, *self._told, *self.uris.values()}:
            diagnostics = [self.diagnostic(fault, uri) for fault in found.get(uri, ())]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))
        self._told = set(found)

    def diagnostic(self, fault: Fault, uri: str) -> types.Diagnostic:
        """Write a fault as the editor shows it."""
        lines = [
            fault.what,
            *([f"why: {fault.why}"] if fault.why else []),
            *([f"fix: {fault.fix}"] if fault.fix else []),
        ]
        others = [
            types.DiagnosticRelatedInformation(location=self.location(span), message="see also") for span in fault.also
        ]
        where = (
            self.range(fault.where) if isinstance(fault.where, Span) else self.range(Span(str(path_of(uri)), 1, 1, 2))
        )
        return types.Diagnostic(
            range=where, message="\n".join(lines), severity=types.DiagnosticSeverity.Error, source=SOURCE,
            code=fault.kind, related_information=others or None,
        )  # fmt: skip

    # ------------------------------------------------------------------ places
    @property
    def encoding(self) -> str:
        """How the editor counts columns."""
        return str(self.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16)

    def lines(self, path: Path) -> list[str]:
        """Give the lines of a file as it is now."""
        return self.desk.text(path).split("\n")

    def position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        """Turn a line and a column into a position."""
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        return types.Position(line=max(0, line - 1), character=character_of(text, column, self.encoding))

    def range(self, span: Span) -> types.Range:
        """Turn a span into a range of its file."""
        lines = self.lines(real_path(span.path))
        start, end = (self.position(lines, span.line, column) for column in (span.column, span.end_column))
        return types.Range(start=start, end=end)

    def location(self, span: Span) -> types.Location:
        """Turn a span into a file and a range."""
        return types.Location(uri=self.uri(real_path(span.path)), range=self.range(span))

    def here(self, uri: str, position: types.Position) -> tuple[Path, int, int]:
        """Turn a position into a file, a line and a column."""
        path = path_of(uri)
        lines = self.lines(path)
        text = lines[position.line] if position.line < len(lines) else ""
        return path, position.line + 1, column_at(text, position.character, self.encoding)

    def named(self, uri: str, position: types.Position) -> tuple[Path, CheckedFiles, Mention, Symbol] | None:
        """Find the name at a position, and what it stands for."""
        path, line, column = self.here(uri, position)
        checked = self.desk.check(path)
        found = checked.index.at(checked.shown.get(path, ""), line, column)
        return None if found is None else (path, checked, *found)

    def edits(self, path: Path, edits: Sequence[Edit]) -> list[types.TextEdit]:
        """Turn changes of a file into those of the editor, with the ends of lines that the file has."""
        lines, end = self.lines(path), self.ends.get(path, "\n")
        return [
            types.TextEdit(
                range=types.Range(
                    start=self.position(lines, one.line, one.column),
                    end=self.position(lines, one.end_line, one.end_column),
                ),
                new_text=one.text.replace("\n", end),
            )
            for one in edits
        ]


def path_of(uri: str) -> Path:
    """Find the file that a URI names; a text that was never saved has a name in the working folder."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return Path(path or uri.rpartition(":")[2].rpartition("/")[2] or "untitled").resolve()


def make_server() -> RuleServer:
    """Make a server that answers all that an editor may ask."""
    server = RuleServer()
    _follow_files(server)
    _answer_places(server)
    _answer_edits(server)
    return server


def _follow_files(server: RuleServer) -> None:
    """Follow what is open and what changes."""

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
    def saved(_params: types.DidSaveTextDocumentParams) -> None:
        server.desk.refresh()
        server.soon()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def touched(_params: types.DidChangeWatchedFilesParams) -> None:
        server.desk.refresh()
        server.soon()


def _answer_places(server: RuleServer) -> None:
    """Answer what a name is, where it comes from, and what there is."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        found = server.named(params.text_document.uri, params.position)
        if found is None:
            return None
        _, checked, one, symbol = found
        text = types.MarkupContent(kind=types.MarkupKind.Markdown, value=hover(checked.index, one, symbol))
        return types.Hover(contents=text, range=server.range(one.span))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def declared(params: types.DefinitionParams) -> list[types.Location]:
        found = server.named(params.text_document.uri, params.position)
        spans = [] if found is None else navigation.definition(found[1].index, found[3])
        return [server.location(span) for span in spans]

    @server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
    def excepted(params: types.ImplementationParams) -> list[types.Location]:
        found = server.named(params.text_document.uri, params.position)
        spans = [] if found is None else navigation.exceptions(found[1].index, found[3])
        return [server.location(span) for span in spans]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def used(params: types.ReferenceParams) -> list[types.Location]:
        found = server.named(params.text_document.uri, params.position)
        declared = params.context.include_declaration
        spans = [] if found is None else navigation.references(server.desk, found[0], found[3], declared)
        return [server.location(span) for span in spans]

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
            for entry in navigation.search(server.desk, list(server.uris), wanted)[:MOST_SYMBOLS]
        ]


def _kind(entry: navigation.OutlineEntry) -> types.SymbolKind:
    return _SYMBOLS.get(entry.kind, types.SymbolKind.Variable)


def _symbol(server: RuleServer, lines: Sequence[str], entry: navigation.OutlineEntry) -> types.DocumentSymbol:
    span = entry.span
    last = lines[entry.end_line - 1] if entry.end_line <= len(lines) else ""
    whole = types.Range(
        start=server.position(lines, span.line, 1), end=server.position(lines, entry.end_line, len(last) + 1)
    )
    name = types.Range(*(server.position(lines, span.line, column) for column in (span.column, span.end_column)))
    inner = [_symbol(server, lines, one) for one in entry.inner]
    return types.DocumentSymbol(
        name=entry.name, detail=entry.detail, kind=_kind(entry), range=whole, selection_range=name, children=inner
    )


def _answer_edits(server: RuleServer) -> None:
    """Answer what may be written, and change texts."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completed(params: types.CompletionParams) -> types.CompletionList:
        path, line, column = server.here(params.text_document.uri, params.position)
        checked = server.desk.check(path)
        offers = complete(checked.index, server.desk.text(path), checked.shown.get(path, str(path)), line, column)
        items = [
            types.CompletionItem(
                label=one.text, kind=_OFFERS[one.kind], detail=one.detail or None, sort_text=f"{one.rank}{one.text}"
            )
            for one in offers
        ]
        return types.CompletionList(is_incomplete=False, items=items)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def may_rename(params: types.PrepareRenameParams) -> types.Range | None:
        found = server.named(params.text_document.uri, params.position)
        if found is None:
            return None
        why = navigation.can_rename(found[1].index, found[3])
        if why:
            raise JsonRpcInvalidParams(message=f"`{found[3].name}` cannot be renamed: {why}")
        return server.range(found[2].span)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renamed(params: types.RenameParams) -> types.WorkspaceEdit | None:
        found = server.named(params.text_document.uri, params.position)
        if found is None:
            return None
        try:
            changes = navigation.rename(server.desk, found[0], found[3], params.new_name)
        except TitmError as error:
            raise JsonRpcInvalidParams(message=str(error)) from None
        return types.WorkspaceEdit(
            changes={server.uri(path): server.edits(path, edits) for path, edits in changes.items()}
        )

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def laid_out(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        path = path_of(params.text_document.uri)
        return server.edits(path, layout_edits(server.desk.text(path), str(path)))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    def mended(params: types.CodeActionParams) -> list[types.CodeAction]:
        path = path_of(params.text_document.uri)
        wanted = range(params.range.start.line + 1, params.range.end.line + 2)
        faults = [
            fault for fault in server.desk.check(path).faults
            if isinstance(fault.where, Span) and fault.where.line in wanted and real_path(fault.where.path) == path
        ]  # fmt: skip
        return [
            types.CodeAction(
                title=mend.title, kind=types.CodeActionKind.QuickFix, is_preferred=True,
                diagnostics=[server.diagnostic(fault, params.text_document.uri)],
                edit=types.WorkspaceEdit(changes={params.text_document.uri: server.edits(path, [mend.edit])}),
            )
            for fault in faults for mend in quick_fixes(fault)
        ]  # fmt: skip


def serve() -> None:
    """Serve one editor over standard input and output, until it says that it is enough.

    What is refused is told to the editor; the log of the library is for whoever looks for a bug.
    """
    if not os.environ.get("TITM_RULES_DEBUG"):
        logging.getLogger("pygls").addHandler(logging.NullHandler())
        logging.getLogger("pygls").propagate = False
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:  # the library closes what it writes to
        make_server().start_io(None, out)
