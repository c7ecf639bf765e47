// The turn track: what a position is summed up with, each as steps or words to choose from.

import { button, h, words } from "./dom.js";
import { state } from "./state.js";

const MOST_STEPS = 40, MOST_BUTTONS = 8;

/** List the fields of the situation that its summary tells. */
function told() {
  const names = Object.keys(state.summary ?? {}).map((name) => name.replace(/-/g, "_"));
  return names.map((name) => state.game.fields(state.situation).find((field) => field.name.replace(/-/g, "_") === name)).filter(Boolean);
}

/** Show the track; `set` is told a field and its new value. */
export function turnTrack(set) {
  return told().map((field) => {
    const value = state.game.value(state.situation, state.position, field.name);
    const choices = choicesOf(field.type);
    if (!choices) return null;
    if (choices.length > MOST_BUTTONS) return menu(field, choices, value, set);
    return h("span", { class: "group", role: "group", "aria-label": words(field.name) }, h("small", { "aria-hidden": "true" }, words(field.name)),
      choices.map((one) => button(words(one), () => set(field.name, one), {
        "aria-pressed": one === value, disabled: state.mode === "play" && one !== value, "aria-label": `${words(field.name)} ${words(one)}`,
      })));
  });
}

function menu(field, choices, value, set) {
  return h("label", null, h("small", null, words(field.name)), h("select", {
    disabled: state.mode === "play", onchange: (event) => set(field.name, field.type.kind === "number" ? Number(event.target.value) : event.target.value),
  }, choices.map((one) => h("option", { value: one, selected: one === value }, words(one)))));
}

function choicesOf({ kind, name, low, high }) {
  if (kind === "enum") return state.game.words[name];
  if (kind !== "number" || low === undefined || high === undefined || high - low > MOST_STEPS) return null;
  return Array.from({ length: high - low + 1 }, (_, step) => low + step);
}
