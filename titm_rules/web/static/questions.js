// What is asked: where pieces may go, ways, any question of the rule set, and the same of every edition.

import { ask } from "./api.js";
import { begins, changed, rules, state, stays } from "./state.js";

const QUIET_MS = 250; // what is clicked next goes before it
let coming = null, reaching = null; // what is asked now, for what has to wait for its answer

/** Put a question about what is on the board; its answer is shown as the verdict. */
export async function put(query, input, situation = state.situation) {
  const isMine = begins();
  state.asked = { query, input, situation };
  Object.assign(state, { strip: null, stripError: null, error: null, reply: null, waits: false, notice: "", checked: null });
  const request = { ...rules(), query, input: whole(input, situation) };
  changed();
  try {
    await show(isMine, request, false);
    if (isMine()) await show(isMine, request, true);
    if (isMine() && state.mode !== "play") setTimeout(() => askEditions(isMine), QUIET_MS);
  } catch (error) {
    if (!isMine()) return;
    state.waits = false;
    state.error = error; // the bare answer stays, if it has come
    changed();
  }
}

/** Put a question, or ask for what it takes besides what is selected. */
export function begin(name, situation = state.game.questions[name].situation, given = {}) {
  begins("aim");
  const inputs = state.game.takes(name);
  const input = { ...Object.fromEntries(inputs.map((one) => [one.name, selected(one)]).filter(([, value]) => value !== undefined)), ...given };
  const missing = inputs.filter((one) => input[one.name] === undefined && !("default" in one) && !one.same_as);
  state.asking = { name, situation, input };
  if (missing.length) changed();
  else put(name, input, situation);
}

function selected(input) {
  if (input.role === "pieces" && state.pieces.length) return state.pieces;
  if (input.role === "piece" && state.pieces.length) return state.pieces[0];
  if (input.role === "place" && state.place) return state.place;
  if (input.role === "connection" && state.connection) return state.connection;
  return undefined;
}

/** Show the bare answer, which comes at once, or the one with its reasons. */
async function show(isMine, request, explain) {
  const reply = await ask({ ...request, explain, words: true });
  if (!isMine()) return;
  state.reply = reply;
  state.waits = !explain;
  const way = state.game.questions[request.query]?.asks === "cost" ? reply.witness?.route : null;
  if (!state.path.length && Array.isArray(way) && way[0] === pieceRow(state.pieces[0]).place) state.path = way;
  changed();
}

/** Give an input with the situation in it: the battle that is open, or the position. */
export function whole(input, situation) {
  if (!situation) return input;
  return { [situation]: state.battle?.view === situation ? state.battle.data : state.position, ...input };
}

/** Ask the question that is shown of every edition at once; of those at which the answer changes also why. */
async function askEditions(isMine) {
  if (!isMine() || !state.asked) return;
  const { query, input, situation } = state.asked;
  const request = { ...rules(), query, input: whole(input, situation) };
  try {
    const reply = await ask({ ...request, edition: "all" });
    if (!isMine()) return;
    state.strip = strip(reply);
    changed();
    const at = state.strip.flatMap((row, index) => (row.differs ? [state.strip[index - 1].edition, row.edition] : []));
    if (!at.length) return;
    const told = await ask({ ...request, edition: [...new Set(at)], explain: true });
    if (!isMine()) return;
    state.strip = state.strip.map((row) => ({ ...row, why: told.why[row.edition] }));
  } catch (error) {
    if (!isMine()) return;
    state.strip = [];
    state.stripError = error;
  }
  changed();
}

const same = (one, other) => JSON.stringify(one.answer ?? null) === JSON.stringify(other.answer ?? null);

/** Give a row for each edition: its answer, or why it has none, and whether that is another than before. */
function strip(reply) {
  const rows = state.game.told.editions.map(({ edition, title }) => ({
    edition, title, answer: reply.answer[edition], error: reply.errors?.[edition],
  }));
  rows.forEach((row, index) => { row.differs = index > 0 && !same(row, rows[index - 1]); });
  return rows;
}

// ---------------------------------------------------------------------- moves
/** Give the input that names the movers, as the question takes it, with what was declared. */
function movers(question) {
  const input = state.game.moverInput(question);
  const flags = {};
  for (const one of state.game.takes(question)) if (one.type.kind === "flag" && state.flags[one.name]) flags[one.name] = true;
  return { [input.name]: input.role === "pieces" ? state.pieces : state.pieces[0], ...flags };
}

/** Show where the selected pieces may go. */
export function askReach() {
  reaching = reach(begins("reach"));
}

async function reach(isMine) {
  const query = state.game.asking(state.situation, ["ends"]).find((name) => state.game.moverInput(name));
  if (!query || !state.pieces.length) return;
  try {
    const reply = await ask({ ...rules(), query, input: whole(movers(query), state.situation) });
    if (!isMine()) return;
    const found = state.game.inUnits(query, reply.answer)[state.game.questions[query].answers[0]] ?? {};
    state.reach = Array.isArray(found) ? Object.fromEntries(found.map((name) => [name, "✓"])) : found;
  } catch (error) {
    if (!isMine()) return;
    Object.assign(state, { reach: {}, notice: `Where they may go is not known: ${error.message}.` });
  }
  changed();
}

/** Ask whether the selected pieces may go to a place, by the best way. */
export function aimAt(place) {
  begins("aim");
  state.path = [];
  const query = state.game.asking(state.situation, ["cost"]).find((name) => state.game.moverInput(name));
  const input = query && state.game.takes(query).find((one) => one.role === "place");
  coming = input ? put(query, { ...movers(query), [input.name]: place }) : tryPath(place);
  return coming;
}

/** Give the best way of the selected pieces to a place; where there is none, the verdict says why. */
export async function wayTo(place) {
  const query = state.game.asking(state.situation, ["cost"]).find((name) => state.game.moverInput(name));
  const input = query && state.game.takes(query).find((one) => one.role === "place");
  const reply = input && await ask({ ...rules(), query, explain: true, input: whole({ ...movers(query), [input.name]: place }, state.situation) });
  if (reply?.witness?.route && Object.values(reply.answer)[0] !== null) return reply.witness.route;
  aimAt(place);
  return null;
}

/** Go on to a place: back along the path, or further, by a way between if it is not next to its end. */
export function goOn(place) {
  const isWanted = stays("aim"), before = coming;
  const further = async () => {
    await before; // a second click may come before the way that the first has asked for
    if (!isWanted()) return;
    const path = state.path.length ? state.path : [pieceRow(state.pieces[0]).place], at = path.lastIndexOf(place);
    askPath(at >= 0 ? path.slice(0, at + 1) : [...path, ...(between(path.at(-1), place)?.slice(1) ?? [place])]);
  };
  coming = further();
}

export function askPath(path) {
  state.path = path;
  const query = state.game.pathQuestion(state.situation);
  if (!query) state.notice = "The rules of this game have no question about a way.";
  if (path.length < 2 || !query) return changed();
  const input = state.game.takes(query).find((one) => one.role === "path" || one.role === "places");
  return put(query, { ...movers(query), [input.name]: path });
}

/** Where the rules tell no best way: judge a short one, by where the pieces may stop if it leads to such a place. */
async function tryPath(place) {
  const isMine = begins(), start = pieceRow(state.pieces[0]).place;
  Object.assign(state, { asked: null, reply: null, error: null });
  await reaching;
  if (!isMine()) return;
  if (!state.game.pathQuestion(state.situation)) {
    state.notice = "The rules of this game have no question about where a unit may go. What they answer is below.";
    return changed();
  }
  const isLit = state.reach?.[place] !== undefined;
  const held = new Set(state.game.rows(state.situation, state.position, "piece").filter((one) => state.game.side(one) !== state.game.side(pieceOf(state.pieces[0]))).map(({ row }) => row.place));
  const way = between(start, place, (name) => (isLit ? state.reach[name] !== undefined : !held.has(name)));
  const judged = askPath(way ?? between(start, place) ?? [start, place]), isShown = stays();
  await judged;
  if (!isShown() || state.reply?.answer.legal !== false) return;
  const better = state.reply.nearest?.legal_route;
  if (better?.at(-1) === place) return askPath(better);
  if (state.reach && !isLit) state.notice = "No other way leads there now: where they may stop, the board shows a number.";
  changed();
}

/** Find a way of the fewest steps between two places; it leads through those that are wanted; nothing if there is none. */
function between(start, end, wanted = () => true) {
  const next = new Map();
  for (const { row } of state.game.rows(state.situation, state.position, "connection")) {
    for (const [one, other] of [row.ends ?? [], [...(row.ends ?? [])].reverse()]) next.set(one, [...(next.get(one) ?? []), other]);
  }
  const before = new Map([[start, null]]);
  for (const here of before.keys()) {
    for (const there of next.get(here) ?? []) if (!before.has(there) && (there === end || wanted(there))) before.set(there, here);
  }
  const way = [];
  for (let at = before.has(end) ? end : null; at !== null; at = before.get(at)) way.unshift(at);
  return way.length ? way : null;
}

export function pieceOf(id) {
  return state.game.rows(state.situation, state.position, "piece").find(({ row }) => row.id === id);
}

export const pieceRow = (id) => pieceOf(id)?.row ?? {};

export function recordOf(role, id) {
  return state.game.rows(state.situation, state.position, role).find(({ row }) => row.id === id);
}
