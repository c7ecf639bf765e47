// The course of a game: what is legal now, an action taken, and what follows without a choice: the rest of a march, the
// actions of the computer, and those that are the only ones.

import { ask, know } from "./api.js";
import { pieceOf, wayTo } from "./questions.js";
import { fell, losses, say } from "./narration.js";
import { QUICK, changed, commit, goTo, rules, state } from "./state.js";

export const eventOf = ({ kind }) => state.game.events[kind];

/** Give the ids of what an action chooses on the board, in its order. */
export function chosen(action) {
  const { chooses } = eventOf(action);
  const roles = ["piece", "place", "connection"];
  return Object.entries(action.choices).filter(([name]) => roles.includes(chooses[name]) || Array.isArray(action.choices[name])).flatMap(([, value]) => value);
}

const isFlagged = ({ choices }) => Object.values(choices).includes(true);

export async function askActions() {
  if (state.actions && state.actions.of === state.position) return;
  const position = state.position;
  state.actions = { of: position, list: null };
  try {
    const reply = await ask({ ...rules(), query: "legal_actions", input: { position } });
    if (state.position !== position) return;
    state.actions = { of: position, ...reply.answer, list: reply.answer.actions };
  } catch (error) {
    state.error = error;
  }
  changed();
}

/** Throw the dice of an action. */
function rolled({ dice }) {
  if (!dice) return [];
  const spots = crypto.getRandomValues(new Uint32Array(dice.count));
  return [...spots].map((spot) => dice.low + (spot % (dice.high - dice.low + 1)));
}

/** Take an action that somebody has chosen, with the dice that were typed or else thrown here; then go on. */
export const take = (action, faces = rolled(action)) => busily(async () => {
  if (action.by === state.march?.by) state.march = null;
  await apply(action, faces);
  await goOn();
});

/** Do what takes a while; until it is done, or has failed, nothing else is chosen. */
async function busily(work) {
  state.going += 1;
  changed();
  try {
    return await work();
  } finally {
    state.going -= 1;
    changed();
  }
}

async function apply(action, faces, isForced = false) {
  const position = state.position, { kind, by, choices } = action;
  try {
    const reply = await ask({ ...rules(), query: "apply", input: { position, action: { kind, by, choices }, dice: faces } });
    if (state.position !== position) return;
    const made = reply.answer, lost = losses(position, made.position), before = state.log.at(-1)?.after ?? state.summary;
    know(made.position, made.digest);
    const told = [say(action), faces.length ? fell(action, faces) : "", ...lost.map(({ text }) => text)].filter(Boolean);
    const ids = chosen(action), happened = made.happened.slice(1).map((one) => ({ ...one, says: say({ ...one, by: null }, false) }));
    const line = `${stamp(before)} ${action.text}${faces.length ? ` : ${faces.join(" ")}` : ""}`;
    Object.assign(state, { pieces: [], place: null, connection: null, typing: null });
    state.history[state.at].isForced = isForced;
    commit(made.position, { line, action, says: told.join("; "), thrown: faces.length > 0, ids: [...ids, ...lost.map(({ id }) => id)], at: pieceIn(position, ids[0])?.place, happened, summary: before, after: made.summary });
  } catch (error) {
    Object.assign(state, { error, march: null });
    changed();
  }
}

const pieceIn = (position, id) => state.game.rows(state.situation, position, "piece").find(({ row }) => row.id === id)?.row;

/** Say when it is, as records do: the numbers with which the summary of a position begins. */
function stamp(summary) {
  const values = Object.values(summary ?? {}), end = values.findIndex((value) => !Number.isInteger(value));
  return values.slice(0, end < 0 ? values.length : end).join("-") || "0";
}

/** Go on as long as nobody has a choice: with the march that was begun, for the computer, with the only action. */
export const proceed = () => busily(goOn);

async function goOn() {
  for (let position = null; position !== state.position && state.mode === "play" && !state.error;) {
    position = state.position;
    await askActions();
    if (state.position !== position || !state.actions?.list) return;
    const next = await following(state.actions.list);
    if (state.position !== position || !next) return;
    await apply(next, rolled(next), true);
  }
}

async function following(list) {
  const step = state.march && stepOf(state.march, list);
  if (step || state.march?.isBarred) return step;
  const own = list.filter(({ by }) => by === state.computer);
  if (own.length) return own.length === 1 ? own[0] : advised();
  return list.length === 1 && !list[0].dice ? list[0] : null;
}

/** Let the computer choose; a search that takes too long is left to the quick player. */
async function advised(player = state.player) {
  const seed = Math.floor(Math.random() * 1e9);
  try {
    return (await ask({ ...rules(), query: "advise", input: { position: state.position, by: state.computer, player, seed } })).answer.action;
  } catch (error) {
    if (player !== QUICK) return advised(QUICK);
    state.error = error;
    changed();
    return null;
  }
}

// ---------------------------------------------------------------------- marches
/** Send the selected pieces to a place: one after the other where an action takes each there, else together along the best way. */
export const send = (place) => busily(async () => {
  const { pieces, actions: { list } } = state;
  const reaches = (id) => list.some((action) => goesThere(action, id, place));
  if (pieces.every(reaches)) return march({ pieces, place, way: null });
  if (!pieces.every((id) => list.some((action) => isBegun(action, id)))) return false;
  const { row } = pieceOf(pieces[0]);
  const way = place === row.place ? [place] : await wayTo(place);
  if (!way) return true; // what forbids it is shown as the verdict
  if (way.length === 1 && !state.closing) return false;
  return march({ pieces, place, way });
});

const goesThere = (action, id, place) => !eventOf(action).goes && chosen(action).join() === [id, place].join();
const isBegun = (action, id) => eventOf(action).goes === "begins" && chosen(action).includes(id);

async function march(wanted) {
  const start = state.at, by = state.actions.list[0].by, { flags, closing } = state;
  state.march = { ...wanted, by, left: [...wanted.pieces], at: 0, isFlagged: Object.values(flags).includes(true), closing };
  state.closing = false;
  const first = stepOf(state.march, state.actions.list);
  if (!first) return false;
  await apply(first, []);
  await goOn();
  if (!state.march?.isBarred) return true;
  state.history = state.history.slice(0, start + 1);
  goTo(start);
  Object.assign(state, { march: null, pieces: wanted.pieces });
  await askActions();
  return false;
}

/** Give the next action of a march; nothing while the other side has to answer, or when it is over. */
function stepOf(march, list) {
  const { left, way, place, by, closing } = march;
  const own = list.filter((action) => action.by === by), goes = (action) => eventOf(action).goes;
  if (!own.length) return null;
  const ended = () => { state.march = null; return null; };
  if (!way) {
    const next = left.length && own.find((action) => goesThere(action, left[0], place));
    left.shift();
    return next || ended();
  }
  if (left.length) {
    const starting = own.filter((action) => isBegun(action, left[0]));
    left.shift();
    const next = starting.find((action) => isFlagged(action) === march.isFlagged) ?? starting[0];
    march.isBarred = !next;
    return next ?? null;
  }
  if (march.at < way.length - 1) {
    const next = own.find((action) => goes(action) === "steps" && chosen(action).includes(way[march.at + 1]));
    march.at += 1;
    return next ?? ended();
  }
  const last = own.find((action) => goes(action) === (closing ? "closes" : "halts"));
  if (closing && !last && way.length === 1) { march.isBarred = true; return null; }
  state.march = null;
  return last ?? null;
}

/** Go back to the last position in which somebody chose, or forward to the next. */
export function undo(steps) {
  const { history } = state;
  let at = state.at + steps;
  while (at > 0 && at < history.length - 1 && history[at].isForced) at += steps;
  goTo(at);
  Object.assign(state, { march: null, pieces: state.pieces.filter(pieceOf) });
  if (state.mode === "play") askActions();
}
