// Playing: what is legal is lit and done by a click or a drag; above the board stands what is to be done, beside it what was done.

import { ask, digestOf } from "./api.js";
import { askActions, chosen, eventOf, proceed, send, take } from "./course.js";
import { button, byId, h, save, words } from "./dom.js";
import { askReach, pieceOf } from "./questions.js";
import { grouped, label, lineOf, needed, phase, say, summed } from "./narration.js";
import { QUICK, THINKING, changed, forgetAnswers, goTo, rules, state } from "./state.js";

const MOST_SHOWN = 12, MOST_LISTED = 60, MOST_LINES = 200, NONE = [];

/** List what a side may do that the computer does not play. */
const legal = () => (state.actions?.list ?? []).filter(({ by }) => by !== state.computer);
const begins = (action) => eventOf(action).goes === "begins";

/** List the actions that what is selected has a part in; with nothing selected all. */
function fitting() {
  return legal().filter((action) => holds(action, selected()));
}

/** Whether a piece may act: it comes first in what an action chooses. */
const mayAct = (id) => legal().some((action) => chosen(action)[0] === id);

/** Whether clicks on the board alone take an action: it chooses nothing else, and no other chooses the same. */
function isClicked(action) {
  const ids = chosen(action), rest = Object.values(action.choices).filter((value) => typeof value !== "boolean" && !ids.includes(value));
  return ids.length > 0 && !rest.length && legal().filter((other) => other.kind === action.kind && holds(other, ids)).length === 1;
}

const selected = () => [...state.pieces, state.place, state.connection].filter(Boolean);
const holds = (action, ids) => ids.every((id) => chosen(action).includes(id));

/** Give what an action wants clicked next, behind what is selected: one thing, or any of a set. */
function nextOf(action) {
  const left = chosen(action).filter((id) => !selected().includes(id));
  return Object.values(action.choices).some(Array.isArray) && state.place ? left : left.slice(0, 1);
}

/** Light what can be clicked next. */
export function light() {
  if (state.mode !== "play" || !legal().length) return void (state.lit = NONE);
  const { pieces, reach } = state;
  const each = pieces.map((id) => new Set(legal().filter((action) => chosen(action)[0] === id).map((action) => chosen(action)[1])));
  const common = each.length ? [...each[0]].filter((id) => each.every((ids) => ids.has(id))) : [];
  const isStack = pieces.length && !state.place;
  state.lit = [...new Set(isStack ? [...common.filter(Boolean), ...Object.keys(reach ?? {})] : fitting().flatMap(nextOf))];
}

// ---------------------------------------------------------------------- what is clicked
function select(pieces) {
  Object.assign(state, { pieces, place: null, connection: null, flags: {} });
  forgetAnswers();
  if (pieces.length && pieces.every((id) => legal().some((action) => begins(action) && chosen(action)[0] === id))) askReach();
}

/** Take the action that chooses just this, if no other chooses it too. */
function takes(...ids) {
  const found = legal().filter((action) => !begins(action) && holds(action, ids));
  const isSure = found.length === 1 && chosen(found[0]).length === ids.length;
  if (isSure) take(found[0]);
  return isSure;
}

export function playPiece(id) {
  if (state.going) return;
  const { pieces } = state, { row } = pieceOf(id), others = selected().filter((one) => one !== id);
  if (takes(...others, id)) return;
  if (state.place && legal().some((action) => holds(action, [...others, id]))) {
    state.pieces = pieces.includes(id) ? others.filter(pieceOf) : [...pieces, id];
    forgetAnswers();
    return;
  }
  const together = pieces.filter((one) => pieceOf(one).row.place === row.place);
  if (pieces.includes(id)) select(pieces.filter((one) => one !== id));
  else if (mayAct(id)) select([...together, id]);
  else if ((pieces.length && !together.length) || legal().some((action) => holds(action, [row.place]))) playPlace(row.place);
  else refuse([id]);
}

export async function playPlace(place) {
  if (state.going) return null;
  const { pieces, closing } = state;
  if (!place || (pieces.length && !state.place && pieceOf(pieces[0]).row.place === place && !closing)) return select([]);
  if (pieces.length && !state.place) return (await send(place)) || refuse(pieces, place);
  if (takes(place)) return null;
  const step = legal().find((action) => eventOf(action).goes === "steps" && chosen(action)[0] === place);
  if (step) return take(step);
  const stack = state.game.rows(state.situation, state.position, "piece").filter(({ row }) => row.place === place && mayAct(row.id));
  if (stack.length) return select(stack.map(({ row }) => row.id));
  if (!legal().some((action) => chosen(action).includes(place))) return refuse([], place);
  return pick(place);
}

/** Show a place. */
function pick(place) {
  Object.assign(state, { pieces: [], place: place === state.place ? null : place });
  forgetAnswers();
}

export function playConnection(connection) {
  state.connection = connection === state.connection ? null : connection;
  changed();
}

/** Send a stack where it is dropped: all that is selected, or what was dragged alone. */
export function playDrop(piece, place) {
  if (!state.pieces.includes(piece)) select([piece]);
  return playPlace(place);
}

/** Ask why nothing comes of a click, and show the clause that says so. */
async function refuse(pieces, place = null) {
  const offered = new Set(legal().map(({ kind }) => kind)), [by] = state.actions.to_act;
  const action = Object.entries(state.game.events)
    .map(([kind, { chooses }]) => ({ kind, by, choices: given(chooses, pieces[0], place ?? pieceOf(pieces[0])?.row.place) }))
    .filter(({ choices }) => choices)
    .sort((one, other) => offered.has(other.kind) - offered.has(one.kind) || (used(other) - used(one)) * (place ? 1 : -1))[0];
  if (!action || (!pieces.length && !offered.has(action.kind))) return pick(place);
  const { position } = state;
  try {
    const reply = await ask({ ...rules(), query: "judge", explain: true, input: { position, action } });
    if (state.position !== position) return;
    state.asked = { query: "judge", input: {}, situation: "" };
    state.reply = { ...reply, headline: `${say(action)}? ${reply.answer.legal ? "Yes: choose it from the list of actions" : "No"}.` };
  } catch (error) {
    state.error = error;
  }
  changed();
}

const used = ({ choices }) => Object.values(choices).filter((one) => one !== false).length;

/** Fill in what an event chooses: a piece and a place; nothing if it needs more, or does not choose what is given. */
function given(chooses, piece, place) {
  const known = { piece, place, flag: false }, roles = Object.values(chooses);
  const count = (wanted) => roles.filter((role) => role === wanted).length;
  const fits = roles.every((role) => (known[role] ?? null) !== null) && count("piece") === (piece ? 1 : 0) && count("place") < 2;
  return fits && roles.some((role) => role !== "flag") ? Object.fromEntries(Object.entries(chooses).map(([name, role]) => [name, known[role]])) : null;
}

// ---------------------------------------------------------------------- what is to be done
/** Say above the board who is to act, in which phase, and what can be done; what chooses nothing on the board is a button there. */
export function phaseBar() {
  if (state.mode !== "play") return null;
  const list = legal(), { name, hint } = phase(list), acting = state.actions?.to_act ?? [], last = state.log.slice(-3).findLast(({ thrown }) => thrown);
  const isComputers = acting.length > 0 && !list.length;
  const plain = list.filter((action) => !action.dice && !Object.keys(action.choices).length);
  return [
    h("p", null, h("strong", null, `${[acting.join(" and "), name].filter(Boolean).join(": ")}.`),
      ` ${!state.actions?.list ? "Working out what is legal …" : isComputers ? "The computer plays." : acting.length ? hint : ""}`),
    last && h("p", { class: "last" }, last.says),
    h("p", { class: "row" }, list.filter(({ dice }) => dice).slice(0, MOST_SHOWN).map((action) => button(label(action), () => take(action), { class: "main", disabled: state.going > 0 })),
      plain.map((action) => button(label(action), () => take(action), { disabled: state.going > 0 })), isComputers && !state.going && button("Go on", proceed)),
  ];
}

export function playPanel() {
  if (state.mode !== "play" || !state.actions?.list) return state.mode === "play" ? log() : null;
  const found = fitting(), listed = found.filter((action) => !begins(action) && !action.dice && Object.keys(action.choices).length && !isClicked(action));
  const thrown = found.filter(({ dice }) => dice), few = listed.length <= MOST_SHOWN ? listed : [];
  return [
    !state.actions.count && result(state.log.at(-1)?.after ?? state.summary),
    marching(),
    h("p", { class: "row" }, few.map((action) => button(label(action), () => take(action), { class: "action" }))),
    state.typing ? diceForm(state.typing) : thrown.slice(0, MOST_SHOWN).map((action) => button(["Type the dice", thrown.length > 1 && say(action)].filter(Boolean).join(": "), () => { state.typing = action; changed(); }, { class: "plain" })),
    log(),
    found.length > 0 && h("details", { class: "fold", open: listed.length > MOST_SHOWN && !state.lit.some(pieceOf) }, h("summary", null, found.length === legal().length ? `All ${found.length} legal actions` : `Legal with what is selected: ${found.length}`),
      h("p", { class: "row" }, found.slice(0, MOST_LISTED).map((action) => button(label(action), () => take(action), { class: "action small" })))),
    opponent(),
  ];
}

const result = (summary) => h("p", { class: "outcome told" }, `The game is over: ${summed("over", summary) || Object.entries(summary).map((pair) => words(pair.join(" "))).join(", ")}.`);

/** Offer what ends a march as well, such as digging in. */
function marching() {
  const kind = Object.keys(state.game.events).find((one) => state.game.events[one].goes === "closes");
  if (!kind || !state.pieces.length || !legal().some(begins)) return null;
  return h("p", { class: "row" }, h("label", null, h("input", { type: "checkbox", checked: state.closing, onchange: (event) => { state.closing = event.target.checked; changed(); } }),
    ` ${label({ kind, choices: {} })} where they arrive`), state.closing && button("Here", () => playPlace(pieceOf(state.pieces[0]).row.place), { class: "small" }));
}

function diceForm(action) {
  const { count, low, high } = action.dice;
  const faces = Array.from({ length: count }, () => h("input", { type: "number", min: Math.min(low, 0), max: high, required: true, "aria-label": "die" }));
  const submit = (event) => {
    event.preventDefault();
    take(action, faces.map((face) => Number(face.value)));
  };
  return h("form", { class: "card", onsubmit: submit, "aria-label": "dice" }, h("h3", null, say(action)), h("p", null, needed(action)),
    h("p", { class: "row" }, faces, h("button", { type: "submit", class: "main" }, "Take these")));
}

/** Let the computer play a side. */
function opponent() {
  const sides = state.game.words[state.game.actors] ?? [], now = state.computer && `${state.player} ${state.computer}`;
  const set = (event) => {
    [state.player, state.computer = null] = event.target.value.split(" ");
    changed();
    proceed();
  };
  const option = (value, text) => h("option", { value, selected: value === (now ?? QUICK) }, text);
  return h("label", { class: "stacked" }, h("span", null, "The computer plays"), h("select", { id: "computer", onchange: set },
    option(QUICK, "nobody"), sides.map((side) => option(`${QUICK} ${side}`, side)), sides.map((side) => option(`${THINKING} ${side}`, `${side}, with more thought`))));
}

// ---------------------------------------------------------------------- what was done
function log() {
  if (!state.log.length) return null;
  const groups = grouped(state.log.slice(-MOST_LINES));
  return h("section", { "aria-label": "Log" }, h("h3", null, "Log ", button("Save the record", saveRecord, { class: "small" })),
    h("div", { class: "log", tabindex: 0 }, h("div", null, groups.map(({ head, lines }) => [h("h4", null, head), h("ol", null, lines.map((line) => entry(lineOf(line))))]))));
}

/** Write a line of the log; who points at it is shown on the board what it is about. */
function entry({ text, ids }) {
  const point = (wanted) => () => { state.pointed = wanted; changed(); };
  return h("li", { tabindex: 0, onpointerenter: point(ids), onpointerleave: point(NONE), onfocus: point(ids), onblur: point(NONE) }, text);
}

export function record() {
  const head = [`edition ${state.edition}`, ...Object.entries(state.readings).map((pair) => `reading ${pair.join(" ")}`)];
  const start = state.history[0].position;
  return [...head, `start ${state.scenario ?? "position"} ${digestOf(start) ?? ""}`, ...state.log.map(({ line }) => line), ""].join("\n");
}

const saveRecord = () => save(`${state.scenario ?? "game"}.txt`, record());

/** Show a slider over the history, once there is one. */
export function timeline() {
  if (state.history.length < 2) return null;
  return h("label", { class: "timeline" }, h("span"), h("input", {
    type: "range", min: 0, "aria-label": "step of the history",
    oninput: (event) => { goTo(Number(event.target.value)); if (state.mode === "play") askActions(); },
  }));
}

/** Set the slider to where the history stands; it stays the same element, so that it can be dragged. */
export function stand(at, length) {
  const [told, slider] = byId("timeline").querySelectorAll("span, input");
  if (!slider) return;
  told.textContent = `step ${at} of ${length - 1}`;
  slider.max = length - 1;
  slider.value = at;
}
