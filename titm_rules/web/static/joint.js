// Moves of several stacks together: one line for each, with the places where it may end; a way for all, or why there is none.

import { ask } from "./api.js";
import { openClause } from "./clause.js";
import { button, byId, h } from "./dom.js";
import { inUnit } from "./game.js";
import { pieceOf } from "./questions.js";
import { changed, rules, state } from "./state.js";
import { errorBox, named } from "./verdict.js";

const MOST = 5, SHAPE = "2-pz-a, 2-pz-b: Lutzkampen or Marnach";
const form = { text: "", against: false }; // as it is filled in
let found = null; // the last answer, of which position, or that it is waited for

/** Give what the panel is drawn from; an answer about another position is forgotten. */
export function jointParts() {
  const { position, edition, pieces, path, asked } = state;
  byId("joint").hidden = !state.game.told.vocabulary.played.includes(state.situation);
  if (found && (found.position !== position || found.edition !== edition)) found = null;
  return [byId("joint").open, found, pieces, path, asked, position];
}

export function jointPanel() {
  const next = suggested(), area = h("textarea", { name: "stacks", rows: 3, "aria-label": "stacks, a line each", placeholder: SHAPE, value: form.text, oninput: ({ target }) => { form.text = target.value; } });
  const submit = (event) => { event.preventDefault(); look(); };
  return h("form", { onsubmit: submit, "aria-label": "moves together" },
    h("p", { class: "hint" }, "A line for each stack: who moves, and where they may end. Select units and ask about a place, and add them here."),
    area,
    h("p", { class: "row" }, next && button(`Add ${next}`, () => { form.text = added(form.text, next); found = null; area.value = form.text; changed(); }, { class: "small" }),
      h("label", null, h("input", { type: "checkbox", name: "against", checked: form.against, onchange: ({ target }) => { form.against = target.checked; } }), " must hold against any one attempt to stop it")),
    h("p", { class: "row" }, h("button", { type: "submit", class: "main" }, "Find a way for all")),
    h("div", { "aria-live": "polite" }, found && told(found)));
}

/** Write down who is selected, with the place that was asked about. */
function suggested() {
  const pieces = state.pieces.filter(pieceOf), { query, input } = state.asked ?? {};
  const takes = state.game.questions[query] ? state.game.takes(query) : [];
  const goal = takes.filter(({ role }) => role === "place").map(({ name }) => input[name]).find(Boolean) ?? state.path.at(-1);
  return pieces.length > 0 && `${pieces.join(", ")}: ${goal ?? ""}`;
}

/** Add a stack to the lines; one that is there already may end in one place more. */
function added(text, next) {
  const [who, goal] = next.split(": "), lines = text.split("\n").filter((line) => line.trim());
  const at = lines.findIndex((line) => line.split(":")[0].trim() === who);
  if (at < 0) return [...lines, next].join("\n");
  if (goal) lines[at] = /:\s*$/.test(lines[at]) ? `${lines[at].trim()} ${goal}` : `${lines[at]} or ${goal}`;
  return lines.join("\n");
}

/** Read the lines: ids, or what is called so on the board. */
function stacks() {
  const ids = Object.fromEntries(state.game.rows(state.situation, state.position, "piece").map(({ row }) => [named(row.id), row.id]));
  const parts = (text, by) => text.split(by).map((one) => one.trim()).filter(Boolean);
  return parts(form.text, "\n").map((line) => {
    const [who, to = ""] = line.split(":");
    return { units: parts(who, ",").map((one) => ids[one] ?? one), to: parts(to, /\s+or\s+|,/) };
  });
}

async function look() {
  const { position, edition } = state, mine = { position, edition };
  found = mine;
  changed();
  try {
    const { answer } = await ask({ ...rules(), query: "joint_moves", input: { position, stacks: stacks(), against: form.against, top: MOST } });
    if (found === mine) found = { ...mine, answer };
  } catch (error) {
    if (found === mine) found = { ...mine, error };
  }
  changed();
}

function told({ answer, error }) {
  if (error) return errorBox(error);
  if (!answer) return h("p", { class: "hint" }, "Looking for a way …");
  if (!answer.plans.length) return whyNot(answer.why);
  const query = state.game.asking(state.situation, ["ends"])[0], [parts] = Object.values(state.game.questions[query]?.parts ?? {});
  return h("ol", { class: "plans" }, answer.plans.map(({ ends, cost, actions }) => h("li", null,
    h("strong", null, ends.join(", ")), `: cost ${parts ? inUnit(cost, parts) : cost} in all`, h("details", { class: "fold" }, h("summary", null, "step by step"), h("ol", null, actions.map((one) => h("li", null, named(one))))))),
    !answer.complete && h("li", null, "… and more"));
}

function whyNot({ stacks: those, clauses, stopped_by: stopping }) {
  return h("p", { class: "outcome no" }, h("span", { class: "sign", "aria-hidden": "true" }, "✗"), h("span", null,
    h("strong", null, those.length > 1 ? "These cannot all move so" : "This cannot move so"), stopping && `, if the other side answers with “${named(stopping)}”`, `: ${named(those.join("; "))}. `,
    clauses.map((number) => [button(number, () => openClause(number), { class: "clause" }), " "])));
}
