// What stands beside the board: what is selected, what can be asked of it, the turn.

import { askReach, begin, pieceOf, put, recordOf } from "./questions.js";
import { button, coded, h, put as fill, words } from "./dom.js";
import { askButtons, fieldForm, valueControl } from "./fields.js";
import { openBattle } from "./battle.js";
import { cutButton } from "./lines.js";
import { changed, commit, forgetAnswers, state, withRow } from "./state.js";
import { takeOff } from "./tray.js";
import { errorBox, named } from "./verdict.js";

const FEW = 8; // questions that are offered at once

// ---------------------------------------------------------------------- selecting
export function choosePieces(pieces) {
  Object.assign(state, { pieces, place: null, connection: null, flags: {} });
  forgetAnswers();
  if (pieces.length && state.mode !== "play") askReach();
}

/** Take a piece: alone, or to those of its side that stand with it; once more: out again. */
export function choosePiece(id) {
  const one = pieceOf(id);
  const together = state.pieces.map(pieceOf).filter((other) => other && goesWith(one, other)).map(({ row }) => row.id);
  choosePieces(together.includes(id) ? together.filter((other) => other !== id) : [...together, id]);
}

const goesWith = (one, other) => one.row.place === other.row.place && state.game.side(one) === state.game.side(other);

export function choosePlace(place) {
  Object.assign(state, { pieces: [], place, connection: null });
  forgetAnswers();
}

export function chooseConnection(connection) {
  Object.assign(state, { connection, place: null });
  changed();
}

/** Set a piece to another place; it counts as having stood there. */
export function movePiece(id, place) {
  const { list, record } = pieceOf(id);
  const like = state.game.fields(record).filter((field) => field.same_as).map((field) => [field.name, undefined]);
  commit(withRow(state.position, list, id, { ...Object.fromEntries(like), place }));
  choosePieces([id]);
}

// ---------------------------------------------------------------------- what is selected
export function selectionPanel() {
  const chosen = state.pieces.map(pieceOf).filter(Boolean);
  const one = state.place ? recordOf("place", state.place) : state.connection ? recordOf("connection", state.connection) : null;
  return [
    chosen.map((piece) => card(piece, state.game.label(piece.record, piece.row))),
    chosen.length > 0 && [declared(), state.mode !== "play" && h("p", { class: "row" },
      button("Take off the board", () => takeOff(state.pieces), { id: "take-off", class: "small", title: "Delete" }))],
    one && card(one),
    state.place && [standing(state.place), views(state.place)],
    (chosen.length > 0 || one) && [h("h3", null, "Ask"), chosen.length > 0 && cutButton(state.pieces[0]), questions(chosen, one)],
  ];
}

function card({ list, record, row }, label) {
  const set = (name, value) => {
    const { pieces, place, connection } = state;
    commit(withRow(state.position, list, row.id, { [name]: value }));
    Object.assign(state, { pieces, place, connection });
    if (pieces.length) askReach();
  };
  return h("section", { class: "card", "aria-label": row.id },
    h("h3", null, named(row.id), " ", h("small", null, [named(row.id) !== row.id && row.id, label].filter(Boolean).join(", "))),
    state.mode !== "play" && fieldForm(record, row, set));
}

function standing(place) {
  const here = state.game.rows(state.situation, state.position, "piece").filter(({ row }) => row.place === place);
  return h("p", { class: "row" }, here.map(({ record, row }) => button(`${named(row.id)} ${state.game.label(record, row)}`, () => choosePiece(row.id))));
}

/** Offer what a place can be seen as, such as a battle. */
function views(place) {
  const { record } = recordOf("place", place);
  return h("p", { class: "row" }, Object.entries(state.game.views)
    .filter(([, view]) => view.situation === state.situation && view.of === record)
    .map(([name]) => button(`${words(name)} here`, () => openBattle(name, place), { class: "main" })));
}

/** Offer what may be declared for a move. */
function declared() {
  const query = state.game.asking(state.situation, ["ends"]).find((name) => state.game.moverInput(name));
  const flags = query ? state.game.takes(query).filter((input) => input.type.kind === "flag") : [];
  const set = (name) => (event) => {
    state.flags = { ...state.flags, [name]: event.target.checked };
    forgetAnswers();
    askReach();
  };
  return h("p", { class: "row" }, flags.map(({ name }) => h("label", null,
    h("input", { type: "checkbox", checked: state.flags[name], onchange: set(name) }), ` ${words(name)}`)));
}

// ---------------------------------------------------------------------- any question
/** Offer the questions that what is selected has a part in. */
function questions(chosen, one) {
  const roles = new Set([...(chosen.length ? ["piece", "pieces"] : []), ...(one ? [state.game.records[one.record].role] : [])]);
  const { game } = state;
  const about = Object.keys(game.questions).filter((name) => game.questions[name].situation === state.situation &&
    !["ends", "cost", "path"].includes(game.questions[name].asks) && game.takes(name).some((input) => roles.has(input.role)));
  const sorted = [...about.filter((name) => game.questions[name].traces), ...about.filter((name) => !game.questions[name].traces)];
  const few = askButtons(sorted.slice(0, FEW), begin), more = askButtons(sorted.slice(FEW), begin);
  return [few, more.length > 0 && h("details", { class: "fold" }, h("summary", null, `${more.length} more questions`), more)];
}

/** Show a form for the question that has been begun. */
export function askingPanel() {
  if (!state.asking) return null;
  const { game } = state, { name, situation, input } = state.asking, inputs = game.takes(name);
  if (!inputs.length) return null;
  const values = { ...input };
  const given = (one) => (value) => {
    if (value === null) delete values[one.name];
    else values[one.name] = value;
  };
  const submit = (event) => {
    event.preventDefault();
    const missing = inputs.find((one) => values[one.name] === undefined && !("default" in one) && !one.same_as);
    if (missing) {
      fill(fault, errorBox({ message: `Not said yet: ${words(missing.name)}.`, fix: `Fill it in: ${game.questions[name].says ?? words(name)}` }));
      return;
    }
    state.asking = { name, situation, input: values };
    put(name, values, situation);
  };
  const fault = h("div");
  return h("form", { class: "card", novalidate: true, onsubmit: submit, "aria-label": words(name) }, h("h3", null, state.game.questions[name].says ?? words(name)),
    h("div", { class: "fields" }, inputs.map((one) => h("label", null, h("span", null, words(one.name)), inputControl(one, values[one.name], given(one))))),
    fault, h("button", { type: "submit", class: "main" }, "Ask"));
}

const FORMS = {
  set: "names, with commas between", sequence: "names in order, with commas between", path: "places in order, with commas between",
  pair: "two, with a comma between", assignment: '{"one": "other"}',
};

function inputControl(one, value, given) {
  if (["flag", "number", "enum", "place", "piece", "connection"].includes(one.role)) {
    const first = one.type.kind === "enum" && !("default" in one) ? state.game.words[one.type.name][0] : null;
    if (first !== null && value === undefined) given(first);
    return valueControl(one.type, value ?? one.default ?? first, given, one.name);
  }
  const read = (event) => given(parsed(event.target.value));
  return h("input", { type: "text", name: one.name, value: value === undefined ? "" : text(value), placeholder: FORMS[one.type.kind] ?? "", onchange: read, oninput: read });
}

const text = (value) => (Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(", ") : JSON.stringify(value));

/** Read a text as JSON, or as names with commas between. */
function parsed(given) {
  if (given.trim() === "") return null;
  try {
    return JSON.parse(given);
  } catch {
    return given.split(",").map((one) => one.trim()).filter(Boolean);
  }
}

// ---------------------------------------------------------------------- the turn
export function turnPanel() {
  const set = (name, value) => {
    const position = { ...state.position, [name]: value };
    if (value === undefined) delete position[name];
    commit(position);
  };
  return [
    h("p", { class: "hint" }, coded((state.board.notes ?? []).join(" "))),
    state.mode !== "play" && fieldForm(state.situation, state.position, set),
    h("h3", null, "Ask of the whole board"),
    askButtons(Object.keys(state.game.questions).filter((name) =>
      state.game.questions[name].situation === state.situation && !state.game.takes(name).some((one) => /^(piece|place|connection)s?$|path/.test(one.role))), begin),
  ];
}
