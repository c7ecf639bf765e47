// The fields of a record as a form, made from what the rule set declares.

import { button, h, put, words } from "./dom.js";
import { inUnit } from "./game.js";
import { state } from "./state.js";

const MOST_CHOICES = 400, FEW = 24;

/** Make a form for the fields of a row; `set` is told the name and the new value, undefined for the default. */
export function fieldForm(record, row, set) {
  const shown = state.game.fields(record).filter((field) => editable(field.type));
  const first = shown.filter((field) => !("default" in field) && !field.same_as || row[field.name] !== undefined || isMark(record, field));
  const rest = shown.filter((field) => !first.includes(field));
  return [
    h("div", { class: "fields" }, first.map((field) => control(record, row, field, set))),
    rest.length > 0 && h("details", { class: "fold" }, h("summary", null, "More"), h("div", { class: "fields" }, rest.map((field) => control(record, row, field, set)))),
  ];
}

/** Offer questions in words; `begin` is told the name of one. */
export const askButtons = (names, begin) => names.map((name) => button(state.game.questions[name].says ?? words(name), () => begin(name), {
  class: "question", "data-question": name, "aria-pressed": state.asking?.name === name,
}));

const editable = (type) => ["enum", "flag", "number", "place"].includes(type.kind);

/** Whether the style draws something that depends on a field: what is seen is what one wants to change. */
function isMark(record, field) {
  return ["places", "pieces", "lines", "marks"].some((what) =>
    (state.game.style[what] ?? []).some((rule) => field.name in rule.when) && state.game.records[record].role === ROLES[what]);
}

const ROLES = { places: "place", pieces: "piece", lines: "connection", marks: "connection" };

function control(record, row, field, set) {
  const value = state.game.value(record, row, field.name);
  const given = (next) => set(field.name, "default" in field && next === field.default ? undefined : next);
  return h("label", null, h("span", null, words(field.name)), valueControl(field.type, value, given, field.name));
}

/** Make a control for a value of a type. */
export function valueControl(type, value, given, name = "") {
  if (type.kind === "flag") {
    if (type.optional || value === null) return choice(["", "yes", "no"], value === null ? "" : value ? "yes" : "no", (text) => given(text === "" ? null : text === "yes"), name);
    return h("input", { type: "checkbox", name, checked: value, onchange: (event) => given(event.target.checked) });
  }
  if (type.parts) {
    const shown = inUnit(value ?? "", type.parts), title = `in ${type.unit}, such as 1/${type.parts}`;
    return h("input", { type: "text", name, title, value: shown, onchange: (event) => given(event.target.value || null) });
  }
  if (type.kind === "number") {
    return h("input", {
      type: "number", name, min: type.low, max: type.high, value: value ?? "", onchange: (event) => given(event.target.value === "" ? null : Number(event.target.value)),
    });
  }
  if (type.kind === "enum") return choice(type.optional || value === null ? ["", ...state.game.words[type.name]] : state.game.words[type.name], value ?? "", (text) => given(text || null), name);
  const ids = state.game.rows(state.situation, state.position, type.kind === "place" ? "place" : state.game.roleOf(type)).map(({ row }) => row.id);
  return choice(["", ...ids.slice(0, MOST_CHOICES)], value ?? "", (text) => given(text || null), name);
}

/** Make a menu; a long one holds what is chosen, and the rest as soon as somebody turns to it. */
function choice(options, value, given, name) {
  const shown = (some) => some.map((option) => h("option", { value: option, selected: option === value }, option || "–"));
  const menu = h("select", { name, onchange: (event) => given(event.target.value) }, shown(options.length > FEW ? [value] : options));
  if (options.length > FEW) for (const turn of ["pointerdown", "focus"]) menu.addEventListener(turn, () => put(menu, shown(options)), { once: true });
  return menu;
}
