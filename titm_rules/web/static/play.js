// Playing: what is legal is lit, an action is taken with dice rolled or typed, and the log is the record.

import { ask, digestOf, know } from "./api.js";
import { button, byId, h, save, words } from "./dom.js";
import { changed, commit, goTo, rules, state } from "./state.js";

const MOST_SHOWN = 60;

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

/** Give the ids that an action chooses. */
const chosen = (action) => Object.values(action.choices).flat(2).filter((one) => typeof one === "string");

/** List the actions that what is selected has a part in; with nothing selected all. */
function fitting() {
  const wanted = [...state.pieces, ...[state.place, state.connection].filter(Boolean)];
  return (state.actions?.list ?? []).filter((action) => wanted.every((id) => chosen(action).includes(id)));
}

const NONE = [];

/** Light what can be chosen. */
export function light() {
  state.lit = state.mode === "play" ? [...new Set(fitting().flatMap(chosen))] : NONE;
}

export function playPanel() {
  if (state.mode !== "play") return null;
  if (!state.actions?.list) return h("p", null, "What is legal is worked out …");
  const found = fitting(), kinds = new Map();
  for (const action of found) kinds.set(action.kind, [...(kinds.get(action.kind) ?? []), action]);
  return [
    h("h2", null, state.actions.count ? `${state.actions.to_act.join(", ")}: ${state.actions.count} legal` : "The game is over"),
    state.result && told(state.result),
    state.throwing && diceForm(state.throwing),
    [...kinds].map(([kind, actions]) => h("details", { open: found.length <= 12 },
      h("summary", null, `${words(kind)} (${actions.length})`),
      h("p", { class: "row" }, actions.slice(0, MOST_SHOWN).map((action) => button(brief(action), () => take(action), { class: "action", "aria-label": action.text }))))),
    (state.pieces.length || state.place || state.connection) && !found.length && h("p", { class: "hint" }, "Nothing is legal here with what is selected."),
    log(),
  ];
}

/** Say what an action chooses: who takes it and its kind stand above. */
const brief = ({ text, by, kind }) => text.replace(`${by} ${kind}`, "").trim() || words(kind);

const told = (result) => h("p", { class: "outcome told" }, Object.entries(result).map(([name, value]) => `${words(name)} ${value}`).join(", "));

function take(action) {
  if (!action.dice) return apply(action, []);
  state.throwing = action;
  changed();
}

function diceForm(action) {
  const { count, low, high } = action.dice;
  const faces = Array.from({ length: count }, () => h("input", { type: "number", min: Math.min(low, 0), max: high, required: true, "aria-label": "die" }));
  const roll = () => {
    const [spot] = [new Uint32Array(count)];
    crypto.getRandomValues(spot);
    faces.forEach((face, index) => { face.value = low + (spot[index] % (high - low + 1)); });
  };
  const submit = (event) => {
    event.preventDefault();
    apply(action, faces.map((face) => Number(face.value)));
  };
  return h("form", { class: "card", onsubmit: submit, "aria-label": "dice" }, h("h3", null, action.text),
    h("p", { class: "row" }, faces), button("Roll", roll), h("button", { type: "submit", class: "main" }, "Take it"));
}

async function apply(action, dice) {
  const position = state.position;
  try {
    const reply = await ask({ ...rules(), query: "apply", input: { position, action: { kind: action.kind, by: action.by, choices: action.choices }, dice } });
    if (state.position !== position) return;
    const made = reply.answer;
    know(made.position, made.digest);
    state.throwing = null;
    Object.assign(state, { pieces: [], place: null, connection: null, result: made.over ? made.result : null });
    const line = `${stamp(state.log.at(-1)?.summary ?? state.summary)} ${action.text}${dice.length ? ` : ${dice.join(" ")}` : ""}`;
    commit(made.position, { line, happened: made.happened.slice(1), summary: made.summary });
    askActions();
  } catch (error) {
    state.error = error;
    changed();
  }
}

/** Say when it is, as records do: the numbers with which the summary of a position begins. */
export function stamp(summary) {
  const values = Object.values(summary ?? {}), end = values.findIndex((value) => !Number.isInteger(value));
  return values.slice(0, end < 0 ? values.length : end).join("-") || "0";
}

function log() {
  if (!state.log.length) return null;
  return h("section", { "aria-label": "Log" }, h("h3", null, "Log ", button("Save the record", saveRecord)),
    h("ol", { class: "log", tabindex: 0 }, state.log.slice(-200).map(({ line, happened }) =>
      h("li", null, line, happened.length > 0 && h("small", null, ` then ${happened.map((one) => one.text).join("; ")}`)))));
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
