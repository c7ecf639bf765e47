// An answer in words: the verdict, the clauses that decide, what would be legal, and the same by edition.

import { button, coded, h, words } from "./dom.js";
import { openClause } from "./clause.js";
import { askPath, recordOf } from "./questions.js";
import { state } from "./state.js";

const MOST_SHOWN = 6, MOST_BY = 3;

/** Say the outcome of a reply: [class, sign, words]. */
export function outcome(reply) {
  const answer = reply.answer ?? {};
  const first = typeof answer.legal === "boolean" ? answer.legal : Object.values(answer).find((one) => typeof one === "boolean");
  if (first === undefined) return Object.keys(answer).length ? ["told", "•", "Answer"] : ["told", "•", "Nothing"];
  const yes = "legal" in answer ? ["Legal", "Not legal"] : ["Yes", "No"];
  return first ? ["yes", "✓", yes[0]] : ["no", "✗", yes[1]];
}

export function failing(reply) {
  return (reply.why ?? []).filter((one) => one.holds && one.effect === "forbids");
}

export function verdictPanel() {
  if (state.error && !state.reply) return errorBox(state.error);
  if (!state.reply && state.asked) return h("p", { class: "hint" }, `${words(state.asked.query)} …`);
  if (!state.reply) return opening();
  const { reply } = state, [kind, sign, text] = outcome(reply);
  const forbids = failing(reply), others = (reply.why ?? []).filter((one) => !forbids.includes(one));
  const sorted = [...forbids].sort((one, other) => nearness(other) - nearness(one));
  const near = sorted.filter((one, index) => index < MOST_SHOWN && (kind !== "told" || nearness(one) > 0));
  const far = sorted.slice(near.length);
  return [
    h("p", { class: `outcome ${kind}` }, h("span", { "aria-hidden": "true" }, sign), ` ${text} `,
      h("small", { title: state.game.questions[state.asked.query]?.says }, `${words(state.asked.query)}, ${state.edition}`)),
    (kind === "told" || Object.keys(reply.answer).length > 1) && told(state.game.inUnits(state.asked.query, reply.answer)),
    plain(reply),
    h("ul", { class: "findings" }, near.map(finding)),
    far.length > 0 && h("details", { class: "fold" }, h("summary", null, `${far.length} more that forbid something`), h("ul", { class: "findings" }, far.map(finding))),
    alternatives(reply.nearest),
    depends(reply),
    reply.assumed?.length > 0 && h("p", { class: "note" }, `Assumed: rests on ${reply.assumed.length} clauses that this edition does not attest.`),
    others.length > 0 && h("details", { class: "fold" }, h("summary", null, `${others.length} more that count`), h("ul", { class: "findings" }, others.map(finding))),
    reply.witness && h("details", { class: "fold" }, h("summary", null, "What shows it"), told(state.game.inUnits(state.asked.query, reply.witness))),
    state.error && [h("p", { class: "hint" }, "The reasons could not be worked out:"), errorBox(state.error)],
    state.waits ? h("p", { class: "hint" }, "The reasons are worked out …") : state.asked.query !== "replay" && strip(),
  ];
}

/** Say what can be done, and with nothing selected what the board shows. */
function opening() {
  if (state.mode === "play") return h("p", { class: "hint" }, "What is lit may act: click it, or take an action from the list.");
  const isFresh = state.about && !state.pieces.length && !state.place && !state.connection && !state.battle;
  return [
    h("p", { class: "hint" }, "Click a counter, then a place, to ask whether it may go there. Drag a counter to set it elsewhere."),
    isFresh && h("p", { class: "about" }, coded(state.about)),
  ];
}

/** Count how much of what is selected a finding names: of a long list these come first. */
function nearness(one) {
  const { game, situation, position, connection, pieces, place } = state;
  const ends = connection ? recordOf("connection", connection)?.row.ends ?? [] : [place];
  const there = game.rows(situation, position, "piece").filter(({ row }) => ends.includes(row.place)).map(({ row }) => row.id);
  const text = `${one.where} ${one.message} ${one.looked_at.join(" ")}`;
  return [connection, ...pieces, ...there].filter((id) => id && text.includes(id)).length;
}

function finding(one) {
  const where = one.where && !one.message.includes(one.where) ? `${one.where}: ` : "";
  return h("li", { class: one.effect },
    button(`${one.clause} ${one.title}`, () => openClause(one.clause), { class: "clause" }),
    h("span", null, `${where}${one.message}`), h("q", null, one.says));
}

/** Say why it is not legal where no clause is broken. */
function plain(reply) {
  const why = reply.witness?.first_bad_step?.step ?? reply.witness?.why;
  return reply.answer?.legal === false && !failing(reply).length && why ? h("p", null, String(why)) : null;
}

function alternatives(nearest) {
  if (!nearest) return null;
  const lines = [];
  const prefix = nearest.longest_prefix ?? [];
  if (prefix.length > 1) lines.push([`legal as far as ${prefix.at(-1)}`, prefix]);
  if (nearest.legal_route && nearest.legal_route.join() !== prefix.join()) lines.push([`legal instead: ${nearest.legal_route.join(", ")}, for ${state.game.inUnits(state.asked.query, nearest).cost}`, nearest.legal_route]);
  if (nearest.later) lines.push([`legal as two moves: to ${nearest.later.now.at(-1)} now, and ${nearest.later.closing ? `${nearest.later.closing} there` : `from there to ${nearest.later.then.at(-1)}`} another day`]);
  if (nearest.declared) lines.push([`legal with ${Object.entries(nearest.declared).map(([name, value]) => `${words(name)} ${value}`).join(", ")}`]);
  if (nearest.order) lines.push([`legal in another order: ${nearest.order}`]);
  else if (nearest.legal_choice !== undefined) lines.push([`legal instead: ${nearest.legal_choice || "none of them"}`]);
  return h("ul", { class: "nearest" }, lines.map(([text, path]) => h("li", null, text, " ", path && button("show", () => askPath(path), { class: "small" }))));
}

function depends(reply) {
  const sets = reply.deciding ?? [];
  if (!sets.length) return null;
  const told = state.game.told.readings;
  return h("div", { class: "note" }, h("strong", null, "It depends on a reading"),
    sets.map((set) => h("p", null, Object.entries(set).map(([name, choice]) => [
      `${told[name]?.question ?? name} With “${told[name]?.choices?.[choice] ?? choice}” the answer is another. `,
    ]), button("take it", () => take(set), { class: "small" }))));
}

function take(set) {
  state.readings = { ...state.readings, ...set };
  document.dispatchEvent(new Event("rules"));
}

/** Show JSON values as lists of names and values. */
export function told(value) {
  if (value === null || value === undefined) return h("span", null, "none");
  if (typeof value === "boolean") return h("span", null, value ? "yes" : "no");
  if (typeof value !== "object") return h("span", null, String(value));
  const pairs = Array.isArray(value) ? null : Object.entries(value);
  if (pairs && !pairs.length) return h("span", null, "none");
  if (!pairs) return value.every((one) => typeof one !== "object") ? h("span", null, value.join(", ") || "none") : h("ul", null, value.slice(0, 100).map((one) => h("li", null, told(one))));
  return h("dl", { class: "told" }, pairs.slice(0, 150).map(([name, one]) => [h("dt", null, name.replaceAll("_", " ")), h("dd", null, told(one))]));
}

// ---------------------------------------------------------------------- editions
/** Show the answers of all editions in a strip; where it changes, the clauses that say otherwise. */
function strip() {
  if (state.stripError) return [h("p", { class: "hint" }, "The other editions could not be asked:"), errorBox(state.stripError)];
  if (!state.strip) return h("p", { class: "hint" }, "The other editions are asked …");
  const changes = state.strip.filter((row) => row.differs).length;
  return h("section", { "aria-label": "By edition" },
    h("h3", null, changes ? `By edition: ${changes} change${changes > 1 ? "s" : ""}` : "Every edition says the same"),
    h("ol", { class: "strip" }, state.strip.map((row, index) => stripRow(row, state.strip[index - 1]))));
}

function stripRow(row, before) {
  const [kind, sign, text] = row.answer ? outcome({ answer: row.answer }) : ["told", "!", row.error?.message ?? "no answer"];
  const label = `${row.edition}: ${text}${row.differs ? ", changes" : ""}`;
  return h("li", null,
    button([h("span", { class: "sign", "aria-hidden": "true" }, sign), h("b", null, row.edition), row.differs && h("em", null, "changes")],
      () => takeEdition(row.edition), { class: `of ${kind} ${row.differs ? "differs" : ""}`, "aria-pressed": row.edition === state.edition, "aria-label": label, title: `${row.title}: ${text}` }),
    row.differs && h("span", { class: "by" }, by(row, before).map((number) => button(number, () => openClause(number, row.edition), { class: "clause" }))));
}

/** Name the clauses that one edition brings up and the one before it does not, or the other way round. */
function by(row, before) {
  const [one, other] = [row, before].map(({ why }) => (why ?? []).filter((each) => each.holds).map((each) => each.clause));
  const only = [...one.filter((number) => !other.includes(number)), ...other.filter((number) => !one.includes(number))];
  return [...new Set(only)].slice(0, MOST_BY);
}

function takeEdition(edition) {
  state.edition = edition;
  document.dispatchEvent(new Event("rules"));
}

export function errorBox(error) {
  return h("div", { class: "error", role: "alert" }, h("strong", null, error.message), error.fix && h("p", null, error.fix), error.at && h("small", null, error.at));
}
