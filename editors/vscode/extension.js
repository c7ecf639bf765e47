// Starts `titm lsp` and lets the editor talk to it; all that is known of rules is known there.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const [command, ...args] = workspace.getConfiguration("titm").get("command");
  const options = {
    documentSelector: [{ language: "titm" }],
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.rules") },
  };
  client = new LanguageClient("titm", "titm_rules", { command, args }, options);
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
