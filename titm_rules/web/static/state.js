// What the page holds: the position with its history, what is selected, and what was answered.

const MOST_HISTORY = 2_000;
export const QUICK = "greedy", THINKING = "beam"; // players of the protocol

/** The chart of a board without places. */
export const BARE = {
  size: [600, 400], room: [0, 0], head: 0, sizes: {}, points: {}, regions: {}, borders: [], joints: [], bends: [], crossings: {}, rivers: {},
  names: [], labels: {}, towns: {}, slots: [{ scale: 1, corners: [[0, 0]] }], stack: { scale: 1, corners: [[0, 0]] },
};

export const state = {
  game: null, edition: "", readings: {}, overlays: [], scenario: null, start: null, situation: "", position: null,
  board: BARE, titles: {}, mode: "ask", pieces: [], place: null, connection: null, path: [], flags: {},
  history: [], at: 0, log: [], reply: null, asked: null, strip: null, reach: null, waits: false, battle: null, actions: null,
  error: null, cursor: null, march: null, closing: false, typing: null, computer: null, player: QUICK, going: 0, pointed: [], stripError: null, held: null, building: false, notice: "", lines: null, checked: null,
};

const asking = { turn: 0, reach: 0, aim: 0 }; // what is shown as the verdict, as reach, and which goal was chosen

/** Tell from now on whether nothing newer has been asked: an answer that comes later than that is not shown. */
export function stays(what = "turn") {
  const now = asking[what];
  return () => now === asking[what];
}

/** Begin to ask something newer. */
export function begins(what = "turn") {
  asking[what] += 1;
  return stays(what);
}

const listeners = new Set();

export function onChange(listener) {
  listeners.add(listener);
}

let drawn = false;

/** Say that something has changed; all is drawn anew, once, before the browser paints. */
export function changed() {
  if (drawn) return;
  drawn = true;
  queueMicrotask(() => {
    drawn = false;
    for (const listener of listeners) listener();
  });
}

/** Begin with a position. */
export function open(position, situation, board, more) {
  Object.assign(state, {
    position, situation, board, start: position, scenario: null, titles: {}, overlays: [], about: "", ...more,
    history: [{ position, log: [] }], at: 0, log: [], cursor: null, actions: null,
  });
  forget();
}

/** Forget what was selected and answered. */
export function forget() {
  Object.assign(state, { pieces: [], place: null, connection: null, battle: own(), march: null, closing: false, typing: null });
  forgetAnswers();
}

/** Give what is open if it is all there is, such as a battle without a board. */
const own = () => (state.battle?.view === state.situation ? state.battle : null);

/** Forget what was answered, also what is still to come. */
export function forgetAnswers() {
  Object.keys(asking).forEach(begins);
  Object.assign(state, { path: [], reply: null, asked: null, asking: null, strip: null, stripError: null, reach: null, error: null, waits: false, building: false, notice: "", checked: null });
  changed();
}

/** Go on to another position; what was undone is lost. */
export function commit(position, line = null) {
  const log = line === null ? state.log : [...state.log, line];
  state.history = [...state.history.slice(0, state.at + 1), { position, log }].slice(-MOST_HISTORY);
  goTo(state.history.length - 1);
}

/** Go to a position of the history. */
export function goTo(index) {
  state.at = Math.max(0, Math.min(index, state.history.length - 1));
  ({ position: state.position, log: state.log } = state.history[state.at]);
  Object.assign(state, { battle: own(), actions: null });
  forgetAnswers();
}

/** Give the position with a row of a list changed; a value of undefined takes a field away. */
export function withRow(position, list, id, values) {
  const rows = position[list].map((row) => {
    if (row.id !== id) return row;
    const next = { ...row, ...values };
    for (const name of Object.keys(next)) if (next[name] === undefined) delete next[name];
    return next;
  });
  return { ...position, [list]: rows };
}

/** The rules that questions are put to, as a request names them. */
export function rules() {
  return {
    game: state.game.name, edition: state.edition,
    ...(state.overlays.length ? { overlays: state.overlays } : {}),
    ...(Object.keys(state.readings).length ? { readings: state.readings } : {}),
  };
}
