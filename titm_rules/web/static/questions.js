// What is asked: where pieces may go, ways, any question of the rule set, and the same of every edition.

import { ask } from "./api.js";
import { changed, rules, state } from "./state.js";

const QUIET_MS = 250; // what is clicked next goes before it
let turn = 0; // an answer that comes when something else has been asked already is not shown
let reaching = 0;
let coming = null;

/** Let no answer that is still to come be shown. */
export function dropAnswers() {
  turn += 1;
  reaching += 1;
  coming = null;
}

/** Put a question about what is on the board; its answer is shown as the verdict. */
export async function put(query, input, situation = state.situation) {
  const mine = ++turn;
  state.asked = { query, input, situation };
  Object.assign(state, { strip: null, stripError: null, error: null, reply: null, waits: false });
  const request = { ...rules(), query, input: whole(input, situation) };
  try {
    await show(mine, request, false);
    if (mine === turn) await show(mine, request, true);
    if (mine === turn) setTimeout(() => askEditions(mine), QUIET_MS);
  } catch (error) {
    if (mine !== turn) return;
    state.waits = false;
    state.error = error; // the bare answer stays, if it has come
    changed();
  }
}

/** Put a question, or ask for what it takes besides what is selected. */
export function begin(name, situation = state.situation, given = {}) {
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
async function show(mine, request, explain) {
  const reply = await ask({ ...request, explain, words: true });
  if (mine !== turn) return;
  state.reply = reply;
  state.waits = !explain;
  const way = state.game.questions[request.query]?.asks === "cost" ? reply.witness?.route : null;
  if (!state.path.length && Array.isArray(way) && way[0] === pieceRow(state.pieces[0]).place) state.path = way;
  changed();
}

/** Give an input with the situation in it: the battle that is open, or the position. */
function whole(input, situation) {
  return { [situation]: situation === state.situation ? state.position : state.battle.data, ...input };
}

/** Ask the question that is shown of every edition at once; of those at which the answer changes also why. */
export async function askEditions(mine = turn) {
  if (mine !== turn || !state.asked) return;
  const { query, input, situation } = state.asked;
  const request = { ...rules(), query, input: whole(input, situation) };
  try {
    const reply = await ask({ ...request, edition: "all" });
    if (mine !== turn) return;
    state.strip = strip(reply);
    changed();
    const at = state.strip.flatMap((row, index) => (row.differs ? [state.strip[index - 1].edition, row.edition] : []));
    if (!at.length) return;
    const told = await ask({ ...request, edition: [...new Set(at)], explain: true });
    if (mine !== turn) return;
    state.strip = state.strip.map((row) => ({ ...row, why: told.why[row.edition] }));
  } catch (error) {
    if (mine !== turn) return;
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
export async function askReach() {
  const mine = ++reaching;
  const query = state.game.asking(state.situation, ["ends"]).find((name) => state.game.moverInput(name));
  if (!query || !state.pieces.length) return;
  try {
    const reply = await ask({ ...rules(), query, input: whole(movers(query), state.situation) });
    if (mine !== reaching) return;
    const found = state.game.inUnits(query, reply.answer)[state.game.questions[query].answers[0]] ?? reply.answer;
    state.reach = Array.isArray(found) ? Object.fromEntries(found.map((name) => [name, "✓"])) : found;
  } catch (error) {
    if (mine !== reaching) return;
    state.error = error;
  }
  changed();
}

/** Go on to a place: back along the path, a step further, or there by the best way. */
export async function goOn(place) {
  await coming; // a second click may come before the way that the first has asked for
  const start = pieceRow(state.pieces[0]).place, path = state.path.length ? state.path : [start];
  const at = path.lastIndexOf(place);
  if (at >= 0) return askPath(path.slice(0, at + 1));
  const isNext = joined(path.at(-1), place);
  return isNext && (path.length > 1 || state.reach?.[place] === undefined) ? askPath([...path, place]) : askWay(place);
}

export function askPath(path) {
  state.path = path;
  const query = state.game.pathQuestion(state.situation);
  if (path.length < 2 || !query) return changed();
  const input = state.game.takes(query).find((one) => one.role === "path" || one.role === "places");
  return put(query, { ...movers(query), [input.name]: path });
}

/** Ask for the way to a place that is not next to the path, and why there is none. */
function askWay(place) {
  state.path = [];
  const query = state.game.asking(state.situation, ["cost"]).find((name) => state.game.moverInput(name));
  const input = query && state.game.takes(query).find((one) => one.role === "place");
  if (!input) return changed();
  coming = put(query, { ...movers(query), [input.name]: place });
  return coming;
}

export function joined(one, other) {
  return state.game.rows(state.situation, state.position, "connection")
    .some(({ row }) => row.ends?.includes(one) && row.ends.includes(other));
}

export function pieceOf(id) {
  return state.game.rows(state.situation, state.position, "piece").find(({ row }) => row.id === id);
}

export const pieceRow = (id) => pieceOf(id)?.row ?? {};

export function recordOf(role, id) {
  return state.game.rows(state.situation, state.position, role).find(({ row }) => row.id === id);
}
