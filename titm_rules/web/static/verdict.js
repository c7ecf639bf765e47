// An answer in words: the verdict, the clauses that decide, what would be legal, and the same by edition.

import { ruling } from "./api.js";
import { button, coded, h, save, words } from "./dom.js";
import { openClause } from "./clause.js";
import { askPath, recordOf, whole } from "./questions.js";
import { changed, forgetAnswers, rules, state } from "./state.js";

const MOST_SHOWN = 6, MOST_BY = 3, MOST_SAID = 8;
const FORBIDS = ["forbids", "also"];
const LESS = [ // the parts of what counts less, the weightiest first
  ["What this rests on", ["rests", "gives", "lifts"]], ["What it costs or adds", ["counts"]],
  ["Considered, without effect here", ["unmet", "lifted", "exception", "considered"]],
];

/** Say how an answer turns out: yes, no, open where the rules leave it open, or told. */
export function turnsOut(answer, query = state.asked?.query) {
  const { asks } = state.game.questions[query] ?? {};
  if ("undetermined" in answer) return "open";
  if (asks === "cost") return Object.values(answer)[0] === null ? "no" : "yes";
  const first = "legal" in answer ? answer.legal : asks === "answers" || !asks ? Object.values(answer)[0] : null;
  return typeof first === "boolean" ? (first ? "yes" : "no") : "told";
}

const SIGNS = { yes: "✓", no: "✗", open: "?", told: "•" };

/** Write a text with the names of pieces instead of their ids: 2-pz-a is 2 Pz-a, and 207-eng is 207 Eng if no other is called so. */
export function named(text) {
  const { titles } = state;
  if (names.of !== titles) {
    const ids = Object.keys(titles), shared = (id) => ids.some((other) => other !== id && titles[other] === titles[id]);
    names.of = titles;
    names.called = Object.fromEntries(ids.map((id) => [id, shared(id) ? `${titles[id]}-${id.split("-").at(-1)}` : titles[id]]));
    const longest = ids.sort((one, other) => other.length - one.length).map((id) => id.replace(/[^\w-]/g, "\\$&"));
    names.found = ids.length ? new RegExp(`(?<![\\w-])(?:${longest.join("|")})(?![\\w-])`, "g") : /$^/g;
  }
  const apart = String(text).replace(/(?<=\S)>(?=\S)/g, " > ").replace(/(?<=\S),(?=\S)/g, ", ");
  return apart.replace(names.found, (id) => names.called[id]);
}

const names = { of: null, called: {}, found: /$^/g };

export function verdictPanel() {
  const { reply, asked, notice } = state, says = state.game.questions[asked?.query]?.says;
  if (state.error && !reply) return [says && h("p", { class: "outcome open" }, says), errorBox(state.error, state.error.kind === "no-server" ? ["Try again", tryAgain] : ["Back to the board", forgetAnswers])];
  if (!reply && asked) return h("p", { class: "outcome told" }, says ?? words(asked.query), " …");
  if (!reply) return [notice && h("p", { class: "note" }, notice), opening()];
  const kind = turnsOut(reply.answer);
  return [
    checkedNote(),
    headline(reply, kind),
    notice && h("p", { class: "note" }, notice),
    reasons(reply, kind),
    alternatives(reply.nearest),
    wayOn(),
    depends(reply),
    reply.assumed?.length > 0 && h("p", { class: "note" }, `Assumed: rests on ${reply.assumed.length} clauses that this edition does not attest.`),
    (kind === "told" || isLong(reply.answer)) && inFull(reply.answer, isLong(reply.answer)),
    state.error && [h("p", { class: "hint" }, "The reasons could not be worked out:"), errorBox(state.error)],
    !state.waits && state.game.questions[asked.query] && h("p", { class: "row" }, button("Keep this ruling", keepRuling, { class: "small", title: "as a small file that can be verified later" })),
    state.waits ? h("p", { class: "hint" }, "Working out the reasons …") : state.game.questions[asked.query] && state.mode !== "play" && strip(),
    reply.witness && h("details", { class: "fold" }, h("summary", null, "What shows it, for experts"), told(state.game.inUnits(asked.query, reply.witness))),
  ];
}

const tryAgain = () => (state.position ? document.dispatchEvent(new Event("rules")) : location.reload());

/** Save the verdict as a ruling: a file that anybody can have asked again. */
async function keepRuling() {
  const { query, input, situation } = state.asked;
  try {
    save(`ruling-${query}.yaml`, await ruling({ ...rules(), query, input: whole(input, situation) }), "application/yaml");
  } catch (error) {
    state.notice = `The ruling could not be written: ${error.message}.`;
    changed();
  }
}

/** Say of a ruling or a record that was opened whether it holds; if not, what differs and why. */
function checkedNote() {
  const { checked } = state;
  if (!checked) return null;
  const { title, holds, says, last, compare } = checked;
  return h("div", { class: `checked ${holds ? "yes" : "no"}`, role: "status" },
    h("p", null, h("span", { class: "sign", "aria-hidden": "true" }, holds ? SIGNS.yes : SIGNS.no), " ", h("strong", null, `${title} ${holds ? "holds" : "does not hold"}.`)),
    says.map((text) => h("p", null, named(text))),
    compare && h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); compare(event.target.elements.last.value.trim()); } },
      h("label", null, "Last link, as you noted it ", h("input", { name: "last", value: last, size: 18, autocomplete: "off", spellcheck: "false" })), h("button", { type: "submit", class: "small" }, "Compare")));
}

/** Show the question with what was given, and the answer behind it. */
function headline(reply, kind) {
  const [question, answer] = split(named(reply.headline));
  return h("p", { class: `outcome ${kind}` }, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]),
    h("span", null, `${question} `, h("strong", null, answer)), h("small", null, state.edition));
}

function split(text) {
  const at = text.indexOf("? ") + 1;
  return [text.slice(0, at), text.slice(at).trim()];
}

/** Whether a headline leaves out a part of an answer because it is long. */
const isLong = (value) => value !== null && typeof value === "object" &&
  (Object.keys(value).length > MOST_SAID || "sha256" in value || Object.values(value).some(isLong));

const inFull = (answer, open) => h("details", { class: "fold", open }, h("summary", null, "The answer in full"), told(state.game.inUnits(state.asked.query, answer)));

/** Show what decides, in the order of its weight; what only counts is folded away. */
function reasons(reply, kind) {
  const why = reply.why ?? [], holds = (effects) => why.filter((one) => one.holds && effects.includes(one.effect));
  let first = kind === "yes" ? [] : holds(FORBIDS), far = [];
  if (kind === "told") [first, far] = byNearness(first);
  if (kind === "no" && !first.length) first = why.filter((one) => one.effect === "unmet");
  if (!first.length && kind !== "open") first = holds(["gives"]);
  const left = LESS.map(([title, effects]) => [title, why.filter((one) => effects.includes(one.effect) && !first.includes(one))]);
  const groups = clausesOf(first);
  return [
    plain(reply),
    h("ul", { class: "findings" }, groups.map((ones, index) => finding(ones, kind === "no" && index === 0))),
    far.length > 0 && folded(`${far.length} more that forbid something`, far),
    left.filter(([, ones]) => ones.length).map(([title, ones]) => folded(title, ones)),
  ];
}

function folded(title, ones) {
  const groups = clausesOf(ones), numbers = groups.slice(0, MOST_SHOWN).map(([{ clause }]) => clause).join(", ");
  return h("details", { class: "fold" }, h("summary", null, `${title}: ${numbers}${groups.length > MOST_SHOWN ? " …" : ""}`),
    h("ul", { class: "findings" }, groups.map((each) => finding(each))));
}

/** Whether a finding is of a clause that forbids something here. */
export const forbids = (one) => one.holds && FORBIDS.includes(one.effect);

/** Group findings by their clause, in the order in which clauses first come. */
function clausesOf(findings) {
  const found = new Map();
  for (const one of findings) found.set(one.clause, [...(found.get(one.clause) ?? []), one]);
  return [...found.values()];
}

/** Part the findings about what is selected, of which there are not many, from all others. */
function byNearness(findings) {
  const sorted = [...findings].sort((one, other) => nearness(other) - nearness(one));
  const near = sorted.filter((one, index) => index < MOST_SHOWN && nearness(one) > 0);
  return [near, sorted.slice(near.length)];
}

/** Say what can be done, and with nothing selected what the board shows. */
function opening() {
  if (state.mode === "play") return null; // the line above the board says it
  const isFresh = state.about && !state.pieces.length && !state.place && !state.connection && !state.battle;
  return [
    h("p", { class: "hint" }, state.pieces.length
      ? "Click a place, or who stands there: may it go there? Shift-click goes on along a way. Press ? for all keys."
      : "Click a counter, then a place, to ask whether it may go there. Drag a counter to set it elsewhere."),
    isFresh && h("p", { class: "about" }, coded(state.about)),
  ];
}

/** Offer to name the places between, as Shift does. */
function wayOn() {
  if (state.path.length < 2 || state.battle || !state.pieces.length || state.mode === "play") return null;
  const turn = () => { state.building = !state.building; changed(); };
  return h("p", { class: "row" }, button("By way of …", turn, { class: "small", "aria-pressed": state.building }),
    state.building && h("small", null, "Click the places in order: the way goes on from its end, or back to a place on it."));
}

/** Count how much of what is selected a finding names: of a long list these come first. */
function nearness(one) {
  const { game, situation, position, connection, pieces, place } = state;
  const ends = connection ? recordOf("connection", connection)?.row.ends ?? [] : [place];
  const there = game.rows(situation, position, "piece").filter(({ row }) => ends.includes(row.place)).map(({ row }) => row.id);
  const text = `${one.where} ${one.message} ${one.looked_at.join(" ")}`;
  return [connection, ...pieces, ...there].filter((id) => id && text.includes(id)).length;
}

/** Show what a clause says here, place by place, and its words. */
function finding(ones, decides = false) {
  const [{ clause, title, says, effect }] = ones;
  const told = [...new Set(ones.map((one) => (one.where && !one.message.includes(one.where) ? `${one.where}: ${one.message}` : one.message)))];
  return h("li", { class: `${effect} ${decides ? "decides" : ""}` }, button(`${clause} ${title}`, () => openClause(clause), { class: "clause" }),
    told.filter((text) => text !== title).map((text) => h("span", null, named(text))), h("q", null, says));
}

/** Say why it is not legal where no clause is broken. */
function plain(reply) {
  const why = reply.witness?.first_bad_step?.step ?? reply.witness?.why;
  return turnsOut(reply.answer) === "no" && !(reply.why ?? []).some(forbids) && why ? h("p", null, named(why)) : null;
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
  return h("ul", { class: "nearest" }, lines.map(([text, path]) => h("li", null, named(text), " ", path && button("show", () => askPath(path), { class: "small" }))));
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
  if (typeof value !== "object") return h("span", null, named(value));
  const pairs = Array.isArray(value) ? null : Object.entries(value);
  if (pairs && !pairs.length) return h("span", null, "none");
  if (!pairs) return value.every((one) => typeof one !== "object") ? h("span", null, named(value.join(", ")) || "none") : h("ul", null, value.slice(0, 100).map((one) => h("li", null, told(one))));
  return h("dl", { class: "told" }, pairs.slice(0, 150).map(([name, one]) => [h("dt", null, named(words(name))), h("dd", null, told(one))]));
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
  const kind = row.answer ? turnsOut(row.answer) : "open", text = row.answer ? { yes: "Yes", no: "No", open: "Not determined", told: "Answer" }[kind] : row.error?.message ?? "no answer";
  const label = `${row.edition}: ${text}${row.differs ? ", changes" : ""}`;
  return h("li", null,
    button([h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]), h("b", null, row.edition), row.differs && h("em", null, "changes")],
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

// ---------------------------------------------------------------------- errors
const PLAIN = {
  "missing-field": (error) => [`“${words(error.at?.split(".").at(-1) ?? "a value")}” has to be given.`, "Fill it in and ask again."],
  "unknown-position": () => ["The server has forgotten this position.", "Ask again: the page sends it whole."],
  "no-server": () => ["The server does not answer.", "It may have been stopped, or the connection is lost. What stands on the board is still here: try again."],
};

/** Say what is wrong in words, and what can be done; where in a request it is, only experts want to know. */
export function errorBox(error, again = null) {
  const [message, fix] = PLAIN[error.kind]?.(error) ?? [error.message, error.fix];
  return h("div", { class: "error", role: "alert" }, h("strong", null, coded(message)), fix && h("p", null, coded(fix)),
    again && h("p", null, button(...again, { class: "small" })),
    error.at?.includes("$") && h("details", { class: "fold" }, h("summary", null, "For experts"), h("small", null, `${error.kind} at ${error.at}`)));
}
