// The plan of a sheet in a dialog: amendments go in as text, what they change comes out.

import { post } from "./api.js";
import { button, byId, h, put } from "./dom.js";
import { state } from "./state.js";
import { errorBox } from "./verdict.js";

const EXAMPLE = 'delete NUMBER.\n\nreplace clause NUMBER "TITLE"\n  "What it says now."\n  its sentences.';
let text = ""; // stays while the dialog is closed

export function openPlan() {
  const dialog = byId("clause"), result = h("div", { "aria-live": "polite" });
  const sheet = h("textarea", { rows: 8, spellcheck: "false", placeholder: EXAMPLE, "aria-label": "Amendments", value: text, oninput: (event) => (text = event.target.value) });
  const work = async () => {
    put(result, h("p", { class: "note" }, "All known cases are asked …"));
    try {
      put(result, report(await post("plan", { game: state.game.name, edition: state.edition, text })));
    } catch (error) {
      put(result, errorBox(error));
    }
  };
  put(dialog, h("h2", null, `Plan a sheet over ${state.edition}`), sheet,
    h("p", { class: "row" }, button("Plan", work, { class: "main" }), button("Close", () => dialog.close())), result);
  dialog.showModal();
  sheet.focus();
}

const report = (told) => [h("h3", null, told.title), told.sections.map((one) => [
  h("h4", null, one.title), one.texts.map((line) => h("pre", null, line)),
  one.rows.length > 0 && h("table", null, h("tr", null, one.head.map((name) => h("th", { scope: "col" }, name))),
    one.rows.map((row) => h("tr", null, row.map((cell) => h("td", null, cell))))),
])];
