// The tray: counters that are not on the board, those of the game's scenarios and those that were taken off.

import { get } from "./api.js";
import { button, h } from "./dom.js";
import { pieceOf } from "./questions.js";
import { counterPicture } from "./shapes.js";
import { changed, commit, state } from "./state.js";

const MOST_SHOWN = 24;
const kept = { game: "", all: [], word: "" };

/** Fetch the pieces of a game's scenarios, once. */
export async function fillTray() {
  if (kept.game === state.game.name) return;
  Object.assign(kept, { game: state.game.name, all: [], word: "" });
  try {
    kept.all = await get(`games/${encodeURIComponent(state.game.name)}/forces`);
  } catch (error) {
    state.error = error;
  }
  changed();
}

/** List what is not on the board: pieces of the game, those that stood there at first, and one that is new. */
function waiting() {
  const { game, situation } = state, found = new Map();
  const first = game.rows(situation, state.start, "piece").map(({ record, row }) => ({ record, row, title: state.titles[row.id] }));
  for (const one of [...first, ...(kept.game === game.name ? kept.all : [])]) {
    if (!pieceOf(one.row.id) && !found.has(one.row.id)) found.set(one.row.id, one);
  }
  const fresh = game.lists(situation, "piece").map(([, record]) => newPiece(record));
  return [...fresh, ...found.values()];
}

/** Make a piece that no game has: like the one that is selected, or with the first of all values. */
function newPiece(record) {
  const { game } = state, like = pieceOf(state.pieces[0]), row = like?.record === record ? { ...like.row } : {};
  for (const field of game.fields(record)) {
    if (row[field.name] !== undefined || "default" in field || field.same_as) continue;
    if (field.type.kind === "enum") row[field.name] = game.words[field.type.name][0];
    if (field.type.kind === "number") row[field.name] = Math.max(1, field.type.low ?? 1);
    if (field.type.kind === "flag") row[field.name] = false;
  }
  let number = 1;
  while (pieceOf(`new-${number}`)) number += 1;
  return { record, row: { ...row, id: `new-${number}` }, title: like ? `like ${like.row.id}` : "new" };
}

export function trayPanel() {
  const word = kept.word.toLowerCase();
  const found = waiting().filter(({ row, title }) => `${row.id} ${title ?? ""}`.toLowerCase().includes(word));
  const search = h("input", {
    type: "search", id: "tray-word", placeholder: "Find a counter", value: kept.word, "aria-label": "find a counter of the tray",
    oninput: (event) => { kept.word = event.target.value; changed(); },
  });
  return [
    h("p", { class: "hint" }, state.held ? `Click a place for ${state.held.row.id}.` : "Drag a counter to a place, or click it and then the place."),
    search,
    h("p", { class: "row tray" }, found.slice(0, MOST_SHOWN).map((one) => h("button", {
      type: "button", class: "chip", "data-tray": one.row.id, "aria-pressed": state.held?.row.id === one.row.id, onclick: () => hold(one),
      "aria-label": [one.row.id, one.title, state.game.label(one.record, one.row)].filter(Boolean).join(", "),
    }, counterPicture(state.game, one, one.title)))),
    found.length > MOST_SHOWN && h("p", { class: "hint" }, `${found.length - MOST_SHOWN} more; a word finds them.`),
  ];
}

function hold(one) {
  state.held = state.held?.row.id === one.row.id ? null : one;
  changed();
}

/** Find a counter of the tray by its id. */
export const ofTray = (id) => waiting().find(({ row }) => row.id === id);

/** Set a counter of the tray on the board; whoever else bore its id, such as one that was to come, is gone. */
export function setDown({ record, row }, place) {
  const { game, situation, position } = state, next = { ...position };
  for (const field of game.fields(situation)) {
    const rows = next[field.name];
    if (field.owns && Array.isArray(rows) && rows.some((one) => one?.id === row.id)) next[field.name] = rows.filter((one) => one.id !== row.id);
  }
  const [list] = game.lists(situation, "piece").find(([, name]) => name === record);
  next[list] = [...(next[list] ?? []), { ...row, place }];
  state.held = null;
  commit(next);
}

export function takeOff(ids) {
  const position = { ...state.position };
  for (const { list, row } of ids.map(pieceOf).filter(Boolean)) position[list] = position[list].filter((one) => one.id !== row.id);
  state.pieces = [];
  commit(position);
}
