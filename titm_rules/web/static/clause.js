// A clause in a dialog: its words, its formal text, the tests it decides, its history.

import { get } from "./api.js";
import { button, byId, h, put } from "./dom.js";
import { state } from "./state.js";

const path = (rest) => `games/${encodeURIComponent(state.game.name)}/clauses${rest}`;

export async function openClause(number, edition = state.edition) {
  const dialog = byId("clause");
  put(dialog, h("p", null, `${number} …`));
  if (!dialog.open) dialog.showModal();
  try {
    const told = await get(path(`/${encodeURIComponent(number)}?edition=${encodeURIComponent(edition)}`));
    put(dialog, told.clauses.map(shown), Object.entries(told.history).map(([id, rows]) => history(id, rows)), closing(dialog));
  } catch (error) {
    put(dialog, h("p", { class: "error" }, error.message), closing(dialog));
  }
}

const closing = (dialog) => h("p", { class: "closing" }, button("Close", () => dialog.close(), { autofocus: true }));

function shown(one) {
  return [
    h("h2", null, `${one.clause} ${one.title}`),
    h("p", { class: "says" }, one.says),
    !one.attested && h("p", { class: "note" }, "Carried back: this edition does not attest it."),
    links("Exception to", one.excepts),
    links("Exceptions to it", one.excepted_by),
    h("pre", { tabindex: 0, "aria-label": "formal text" }, one.text),
    one.cases.length > 0 && h("p", { class: "row" }, "Cases in which it decides: ", one.cases.map((name) => button(name, () => openCase(name)))),
    one.tests.length > 0 && h("details", null, h("summary", null, "Tests in which it decides"), h("ul", null, one.tests.map((name) => h("li", null, name)))),
  ];
}

const links = (text, numbers) => numbers.length > 0 &&
  h("p", { class: "row" }, `${text} `, numbers.map((number) => button(number, () => openClause(number), { class: "clause" })));

const openCase = (name) => document.dispatchEvent(new CustomEvent("case", { detail: name }));

function history(id, rows) {
  return h("details", null, h("summary", null, `${id} through the editions`), h("table", null,
    h("tr", null, ["edition", "number", "what its document does", "words of"].map((name) => h("th", { scope: "col" }, name))),
    rows.map((row) => h("tr", null, [row.edition, row.number ?? "?", row.how, row.by].map((cell) => h("td", null, cell))))));
}

/** Look clauses up by a word. */
export async function findClauses(word) {
  const dialog = byId("clause");
  put(dialog, h("p", null, `${word} …`));
  if (!dialog.open) dialog.showModal();
  try {
    const found = await get(path(`?edition=${encodeURIComponent(state.edition)}&word=${encodeURIComponent(word)}`));
    put(dialog, h("h2", null, `${found.length} clauses`), h("ul", { class: "findings" }, found.map((one) =>
      h("li", null, button(`${one.clause} ${one.title}`, () => openClause(one.clause), { class: "clause" }), h("q", null, one.says)))), closing(dialog));
  } catch (error) {
    put(dialog, h("p", { class: "error" }, error.message), closing(dialog));
  }
}
