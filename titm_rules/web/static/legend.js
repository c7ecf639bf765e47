// What the board shows, told: the legend of what is drawn, and whether its map is the printed one.

import { button, byId, h, put, s } from "./dom.js";
import { line, mark, pill } from "./shapes.js";
import { state } from "./state.js";

const ORDER = ["piece", "symbol", "stack", "place", "town", "place-name", "number", "badge", "line", "mark", "river", "route", "note", "ring"];
const WIDE = 34, HIGH = 20, INK = "currentColor";

/** List what is drawn with a sample of each. */
export function legend(game, drawn) {
  const rows = [...drawn].sort((one, other) => ORDER.indexOf(one.what) - ORDER.indexOf(other.what));
  return h("ul", null, rows.map((one) => h("li", null,
    s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH, "aria-hidden": "true" }, sample(game, one)), h("span", null, one.look.label))));
}

const text = (size, words, more) => s("text", { x: WIDE / 2, y: HIGH / 2, "font-size": size, ...more }, words);
const card = (look, more) => s("rect", { x: 3, y: 2, width: WIDE - 6, height: HIGH - 4, rx: 2, fill: look.fill ?? "none", stroke: look.stroke, "stroke-width": look.width ?? 1, ...more });

function sample(game, { what, look }) {
  const ends = [{ x: 2, y: HIGH / 2 }, { x: WIDE - 2, y: HIGH / 2 }];
  switch (what) {
    case "symbol": return s("path", { d: look.path, transform: "translate(5 2)", fill: "none", stroke: INK, "stroke-width": 1.5 });
    case "stack": return [6, 3, 0].map((at) => card({ ...look, width: 0.8 }, { x: 4 + at, y: 1 + at / 2, width: 18, height: 14 }));
    case "town": return s("circle", { cx: WIDE / 2, cy: HIGH / 2, r: look.radius, fill: look.fill, stroke: look.stroke });
    case "place-name": return text(13, "Abc", { fill: INK, "font-weight": look.weight, "font-style": look.slope });
    case "number": return text(10, "123", { fill: INK });
    case "badge": case "note": return pill(4, HIGH / 2, WIDE - 8, 12, look, String(look.text ?? (what === "note" ? "3" : "")).replace("{}", ""));
    case "line": case "route": return [look.casing && line(...ends, look.casing), line(...ends, look)].filter(Boolean);
    case "mark": return mark([WIDE / 2, HIGH / 2, 1, 0], look);
    case "river": return text(10, "Abc", { fill: INK, "font-style": "italic" });
    case "ring": return card({ stroke: look.stroke, width: look.width });
    default: return card(look);
  }
}

/** Say what map this is where it is not the printed one, and how to have one's own. */
export function origin() {
  const { map, notes } = state.board;
  return notes?.length ? [h("strong", null, map), button("Enter the printed map …", ownMap, { class: "plain" })] : [];
}

function ownMap() {
  const dialog = byId("clause");
  const steps = [
    [h("code", null, "titm map new mine.yaml"), " writes a template with a checklist: places with their numbers, roads, rivers and bridges."],
    [h("code", null, "titm map lint mine.yaml"), " says after each step what is wrong, and where it differs from what the rules say of the map."],
    ["Put the file into a folder, and start the board with ", h("code", null, "TITM_RULES_MAPS=FOLDER titm serve"), "."],
    ["A position then says ", h("code", null, "map: mine"), "."],
  ];
  put(dialog, h("h2", null, "Enter the printed map"), h("p", null, state.board.map, ". Whoever owns the game can write down its map, and play and ask on that."),
    h("ol", null, steps.map((step) => h("li", null, step))),
    h("p", { class: "hint" }, "The whole way is in the how-to “Use a map, or add your own”: docs/how-to/maps.md. Ask the publisher before you pass a transcription on."),
    h("p", { class: "closing" }, button("Close", () => dialog.close(), { autofocus: true })));
  dialog.showModal();
}
