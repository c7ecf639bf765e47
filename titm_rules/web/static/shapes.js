// Small shapes of the board: counters, stacks, pills, marks on connections, outlines of places.

import { s } from "./dom.js";
import { state } from "./state.js";

const WIDE = 0.62, PICTURE = 1.9, MOST_BELOW = 2, STEP = 1.6, RIM = 2.5;
export const LEVELS = ["far", "middle", "close"];

export const letters = (text) => String(text).length;
export const textWidth = (text, size) => letters(text) * size * WIDE;
const fit = (text, room, size) => (textWidth(text, size) <= room ? text : `${text.slice(0, Math.max(1, Math.floor(room / size / WIDE) - 1))}…`);

/** Draw a counter with its upper left corner at 0, 0, as it is seen from some distances. */
export function counter(game, piece, levels, title = state.titles[piece.row.id]) {
  const { record, row } = piece, look = game.look("pieces", record, row), [wide, high] = game.style.counter.size;
  const group = s("g", { class: "piece", "data-id": row.id },
    s("title", null, [...new Set([row.id, title, game.label(record, row), look.label])].filter(Boolean).join(", ")),
    s("rect", { class: "card", width: wide, height: high, rx: look.round ?? 2, fill: look.fill, stroke: look.stroke, "stroke-width": look.width === 2 ? 1 : look.width }));
  const more = { name: title || row.id, label: game.label(record, row) };
  for (const level of levels) group.append(face(game, piece, level, look.ink, more, levels.length > 1));
  return group;
}

/** Draw what stands on a counter: the sign of its kind, and texts with its fields. */
function face(game, { record, row }, level, ink, more, isOneOf) {
  const sign = game.looks("symbols", record, row)[0], [wide] = game.style.counter.size;
  return s("g", { class: isOneOf ? `face at-${level}` : "face" }, game.style.counter[level].map((part) => {
    const [x, y] = part.at;
    if (part.text === undefined) {
      return sign && s("path", { d: sign.path, transform: `translate(${x - part.wide / 2} ${y - part.wide / 3}) scale(${part.wide / 24})`, fill: "none", stroke: ink, "stroke-width": 1.7 });
    }
    const text = game.written(record, row, part.text, more);
    return s("text", { x, y, class: part.text.includes("{name}") ? "name id" : "name", "font-size": part.size, "font-weight": part.weight, fill: ink }, fit(text, part.room ?? wide, part.size));
  }));
}

/** Draw the counters of a place as one that lies on the others, with their figures added up: as they are seen from far. */
export function stack(game, pieces) {
  const [wide, high] = game.style.counter.size, top = [...pieces].sort((one, other) => figure(game, other) - figure(game, one))[0];
  const look = game.look("pieces", top.record, top.row), total = pieces.reduce((sum, one) => sum + figure(game, one), 0);
  const below = Array.from({ length: Math.min(MOST_BELOW, pieces.length - 1) }, (_, at) => at + 1).reverse();
  return s("g", { class: "stack" },
    below.map((at) => s("rect", { x: at * STEP, y: at * STEP, width: wide, height: high, rx: 2, fill: look.fill, stroke: look.stroke, "stroke-width": 0.7 })),
    s("rect", { class: "card", width: wide, height: high, rx: 2, fill: look.fill, stroke: look.stroke, "stroke-width": look.width === 2 ? 1 : look.width / 2 }),
    face(game, top, "far", look.ink, { total: total || "", name: top.row.id, label: game.label(top.record, top.row) }, false));
}

const figure = (game, { record, row }) => Number(game.value(record, row, game.style.piece_number)) || 0;

/** Draw a counter as a picture of its own, for panels. */
export function counterPicture(game, piece, title) {
  const [wide, high] = game.style.counter.size;
  return s("svg", { class: "counter", viewBox: `-2 -2 ${wide + 4} ${high + 4}`, width: (wide + 4) * PICTURE, height: (high + 4) * PICTURE, "aria-hidden": "true" },
    counter(game, piece, ["close"], title || undefined));
}

/** Give the data of the path around a region, whose corners are numbers one after another. */
export const around = (region) => `M${region.join(" ")}Z`;

export function line(one, other, look, grow = 1) {
  return s("line", {
    x1: one.x, y1: one.y, x2: other.x, y2: other.y, stroke: look.stroke, "stroke-width": (look.width ?? 2) * grow,
    "stroke-dasharray": look.dash?.split(" ").map((part) => part * grow).join(" "), opacity: look.opacity, "stroke-linecap": look.dash ? "butt" : "round",
  });
}

/** Draw what stands on a connection; a light rim keeps it seen on any ground. */
export function mark(spot, rule) {
  const d = markPath(spot, rule), pen = { d, fill: "none", "stroke-linecap": "round" };
  return d ? [s("path", { ...pen, class: "rim", "stroke-width": rule.width + RIM }), s("path", { ...pen, stroke: rule.stroke, "stroke-width": rule.width })] : [];
}

function markPath([x, y, ux, uy], { shape, size = 12 }) {
  if (shape === "cross") return `M${x - size / 2} ${y - size / 2}l${size} ${size}M${x - size / 2} ${y + size / 2}l${size} ${-size}`;
  const bar = (across) => `M${x - ux * 7 - uy * across} ${y - uy * 7 + ux * across}l${ux * 14} ${uy * 14}`;
  return shape === "rails" ? bar(size / 2) + bar(-size / 2) : "";
}

/** Draw a text in a rounded box. */
export function pill(left, middle, wide, size, look, text) {
  return [
    s("rect", { x: left, y: middle - size * 0.65, width: wide, height: size * 1.3, rx: look.round ?? 6, fill: look.fill ?? "#ffffff", stroke: look.stroke ?? "#777777" }),
    s("text", { x: left + wide / 2, y: middle, class: "name", "font-size": size * 0.9, fill: look.ink ?? "#222222", "font-weight": "bold" }, text),
  ];
}
