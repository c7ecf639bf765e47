"""A whole session over standard input and output, with a client that is not ours."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient

from tests.lsp.conftest import RULES, VOCABULARY

SERVER = [sys.executable, "-c", "from titm_rules.cli import main; main()", "lsp", "--stdio"]
PATIENCE_S = 60
OPEN = set()  # files that are open: all their faults are told together


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER))
async def client(lsp_client: LanguageClient):
    general = types.GeneralClientCapabilities(position_encodings=["utf-16"])
    await lsp_client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities(general=general)))
    yield
    await lsp_client.shutdown_session()
    assert lsp_client._server.returncode == 0


class Editor:
    """What an editor does with one file, in lines and characters from 0."""

    def __init__(self, client, path):
        self.client, self.uri = client, path.as_uri()
        self.text = path.read_bytes().decode("utf-8") if path.exists() else ""
        self.version = 0
        self.file = types.TextDocumentIdentifier(uri=self.uri)

    async def open(self, text=None):
        self.text = self.text if text is None else text
        item = types.TextDocumentItem(uri=self.uri, language_id="titm", version=0, text=self.text)
        self.client.diagnostics.clear()
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        return await self.told()

    async def write(self, old, new):
        assert self.text.count(old) == 1, old
        self.text, self.version = self.text.replace(old, new), self.version + 1
        document = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        change = types.TextDocumentContentChangeWholeDocument(text=self.text)
        self.client.diagnostics.clear()
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
        )
        return await self.told()

    async def close(self):
        self.client.diagnostics.clear()
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=self.file))
        found = await self.told()
        OPEN.discard(self.uri)
        return found

    async def told(self):
        OPEN.add(self.uri)
        async with asyncio.timeout(PATIENCE_S):
            while not self.client.diagnostics.keys() >= OPEN:
                await asyncio.sleep(0.01)
        return list(self.client.diagnostics[self.uri])

    def place(self, words, pointed):
        start = self.text.index(words) + words.index(pointed)
        before = self.text[:start].replace("\r\n", "\n").split("\n")
        return types.Position(line=len(before) - 1, character=len(before[-1].encode("utf-16-le")) // 2)

    def at(self, words, pointed):
        return SimpleNamespace(text_document=self.file, position=self.place(words, pointed))

    def under(self, where, text=None):
        lines = (self.text if text is None else text).replace("\r\n", "\n").split("\n")
        raw = lines[where.start.line].encode("utf-16-le")
        return raw[2 * where.start.character : 2 * where.end.character].decode("utf-16-le")


def applied(text, edits):
    """Make the changes of the server in a text, as an editor does that counts as UTF-16 does."""
    raw = [line.encode("utf-16-le") for line in text.splitlines(keepends=True)] + [b""]
    starts = [sum(map(len, raw[:at])) for at in range(len(raw))]
    whole = b"".join(raw)
    for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        start, end = (starts[at.line] + 2 * at.character for at in (edit.range.start, edit.range.end))
        whole = whole[:start] + edit.new_text.encode("utf-16-le") + whole[end:]
    return whole.decode("utf-16-le")


@pytest.mark.asyncio
async def test_a_whole_session(client, game):
    """One server for all, since it takes a second to start."""
    rules = Editor(client, game / RULES)
    assert await rules.open() == []

    # faults come with what why and fix
    [fault] = await rules.write("lifts 5.3 when", "lifts 5.33 when")
    assert rules.under(fault.range) == "5.33"
    assert fault.severity == types.DiagnosticSeverity.Error
    assert fault.message == ("unknown clause `5.33`\nwhy: no clause has this number\nfix: did you mean `5.3`?")
    context = types.CodeActionContext(diagnostics=[fault])
    [action] = await client.text_document_code_action_async(
        types.CodeActionParams(text_document=rules.file, range=fault.range, context=context)
    )
    assert (action.title, action.kind) == ("write `5.3`", types.CodeActionKind.QuickFix)
    mended = applied(rules.text, action.edit.changes[rules.uri])
    assert await rules.write(rules.text, mended) == []
    [also] = (await rules.write("clause 3.2 ", "clause 3.1 "))[0].related_information
    assert (also.location.uri, rules.under(also.location.range)) == (rules.uri, "3.1")
    assert await rules.write('clause 3.1 "Open', 'clause 3.2 "Open') == []

    # names are told and found
    at = rules.at("closed holds", "closed")
    vocabulary = Editor(client, game / VOCABULARY)
    told = await client.text_document_hover_async(types.HoverParams(**vars(at)))
    assert "define flag closed of way: hexside." in told.contents.value
    assert rules.under(told.range) == "closed"
    [declared] = await client.text_document_definition_async(types.DefinitionParams(**vars(at)))
    assert (declared.uri, vocabulary.under(declared.range)) == (vocabulary.uri, "closed")
    clause = rules.at("clause 5.3", "5.3")
    [excepted] = await client.text_document_implementation_async(types.ImplementationParams(**vars(clause)))
    assert rules.under(excepted.range) == "5.4"
    for wanted, count in ((True, 2), (False, 1)):
        context = types.ReferenceContext(include_declaration=wanted)
        asked = types.ReferenceParams(context=context, **vars(clause))
        assert len(await client.text_document_references_async(asked)) == count

    # outline and search
    outline = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=rules.file))
    assert [entry.name for entry in outline] == list("12345678")
    assert [(one.name, one.detail) for one in outline[1].children] == [("2.1", "The river"), ("2.2", "One unit a hex")]
    assert rules.under(outline[1].children[0].selection_range) == "2.1"
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="the river"))
    assert [entry.name for entry in found if entry.name[0].isdigit()] == ["2.1 The river", "3.5 No way over the river"]

    # completion and rename
    at = rules.at("when way is closed says", "closed")
    offers = await client.text_document_completion_async(types.CompletionParams(**vars(at)))
    assert {"closed", "zoned", "way"} <= {offer.label for offer in offers.items}
    at = rules.at("closed holds", "closed")
    assert (
        rules.under(await client.text_document_prepare_rename_async(types.PrepareRenameParams(**vars(at)))) == "closed"
    )
    changes = (await client.text_document_rename_async(types.RenameParams(new_name="barred", **vars(at)))).changes
    assert {Path(uri).name for uri in changes} >= {Path(RULES).name, VOCABULARY}
    assert "barred holds when river of way" in applied(rules.text, changes[rules.uri])
    with pytest.raises(JsonRpcException, match="would make the rules wrong"):
        await client.text_document_rename_async(types.RenameParams(new_name="zoned", **vars(at)))
    at = rules.at("clause 5.3", "5.3")
    with pytest.raises(JsonRpcException, match="that of the printed rules"):
        await client.text_document_prepare_rename_async(types.PrepareRenameParams(**vars(at)))

    # layout
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    asked = types.DocumentFormattingParams(text_document=rules.file, options=options)
    assert not await client.text_document_formatting_async(asked)
    before = rules.text
    assert await rules.write("  march has 3 points.", "      march   has 3\n points.") == []
    assert applied(rules.text, await client.text_document_formatting_async(asked)) == before
    assert await rules.write(rules.text, before) == []

    # columns and line ends: a file that is never saved, with the line ends of Windows and a letter that counts twice
    other = Editor(client, game / "1" / "99_tower.rules")
    text = 'clause 99.1 "Tower 🏰" "A 🏰 stands."\r\n  march may not step when 🏰 is way says "🏰 {wayy} 🏰".\r\n'
    [fault] = await other.open(text)
    assert other.under(fault.range) == "🏰"
    [fault] = await other.write("when 🏰 is way says", "when way is closed says")
    assert other.under(fault.range) == "wayy"
    context = types.CodeActionContext(diagnostics=[fault])
    [action] = await client.text_document_code_action_async(
        types.CodeActionParams(text_document=other.file, range=fault.range, context=context)
    )
    assert "🏰 {way} 🏰" in applied(other.text, action.edit.changes[other.uri])
    squeezed = types.DocumentFormattingParams(
        text_document=other.file, options=types.FormattingOptions(tab_size=2, insert_spaces=True)
    )
    await other.write("  march may not", "     march may not")
    laid = applied(other.text, await client.text_document_formatting_async(squeezed))
    assert laid.count("\r\n") == laid.count("\n")
    assert "\r\n  march may not" in laid
    assert await other.close() == []

    # a text without a file
    untitled = Editor(client, Path("/untitled"))
    untitled.uri = "untitled:Untitled-1"
    [fault] = await untitled.open("define flag somewhat of u: nobody.\n")
    assert "unknown type `nobody`" in fault.message

    # a sheet, with what each clause changes above it
    sheet = Editor(client, game.parent / "woods.rules")
    woods = 'replace clause 3.3 "Woods" "Three." march costs 3 when terrain of place-entered is wood.\n'
    woods = f'game "cold-ford".\n{woods}'
    assert await sheet.open(woods) == []
    asked = types.CodeLensParams(text_document=sheet.file)
    [lens] = await client.text_document_code_lens_async(asked)
    assert (sheet.under(lens.range).split()[-1], lens.command.title) == ("3.3", "what does it change?")
    command = types.ExecuteCommandParams(command=lens.command.command, arguments=lens.command.arguments)
    await client.workspace_execute_command_async(command)
    [lens] = await client.text_document_code_lens_async(asked)
    assert lens.command.title == "decides in 3 cases"
    assert [one.message for one in client.messages] == ["3 known cases change; `titm plan woods.rules` shows them"]
    client.messages.clear()
    await sheet.write("costs 3", "costs 2")
    [lens] = await client.text_document_code_lens_async(asked)
    assert lens.command.title == "decides in 3 cases, before the last edit"

    # what is closed counts no more
    assert await rules.write("march has 3 points.", "march has 3 pointz.")
    assert await rules.close() == []

    assert client.messages == []
