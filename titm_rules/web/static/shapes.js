// Small shapes of the board: counters, pills, marks on connections, outlines of places.

import { s } from "./dom.js";

export const LARGE = { w: 74, h: 36, gap: 6, name: 13, head: 23, pad: 6, row: 2, symbol: 24, figure: 14, ids: true };
export const SMALL = { w: 40, h: 19, gap: 3, name: 12, head: 19, pad: 4, row: 3, symbol: 18, figure: 11.5, ids: false };
const LEAST_READ = 0.5, RIM = 2.5, WIDE = 0.6, ROOT = Math.sqrt(3);

/** Give measures a part as large, or larger; ids are left out where they could not be read. */
export function scaled(m, factor) {
  const sizes = Object.fromEntries(["w", "h", "gap", "name", "head", "pad", "symbol", "figure"].map((name) => [name, m[name] * factor]));
  return { ...m, ...sizes, ids: m.ids && factor > LEAST_READ };
}

export const letters = (text) => String(text).length;
const fit = (text, width, size) => (letters(text) * size * WIDE <= width ? text : `${text.slice(0, Math.max(1, Math.floor(width / size / WIDE) - 1))}…`);

/** Draw a counter with its upper left corner at 0, 0: symbol and figure, or what it is in words, and its id where there is room.

  On a board of many places ids are small: they are seen once one looks from near, and what stands above them makes way.
*/
export function counter(game, { record, row }, m, title = "") {
  const look = game.look("pieces", record, row), sign = game.looks("symbols", record, row)[0];
  const figure = game.style.piece_number ? String(game.value(record, row, game.style.piece_number) ?? "") : "";
  const label = game.label(record, row), middle = m.ids ? m.h / 12 + m.symbol / 3 : m.h / 2;
  const group = s("g", { class: m.ids ? "piece" : "piece tiny", "data-id": row.id },
    s("title", null, [row.id, title, label, look.label].filter(Boolean).join(", ")),
    s("rect", {
      width: m.w, height: m.h, rx: look.round ?? 3, fill: look.fill, stroke: look.stroke,
      "stroke-width": look.width === 2 ? 1 : look.width,
    }));
  const face = s("g", { class: "face" }), small = m.ids ? m.figure * 0.71 : m.h * 0.29;
  if (sign) {
    const wide = m.symbol + 3 + letters(figure) * m.figure * WIDE, from = (m.w - wide) / 2;
    face.append(s("path", {
      d: sign.path, transform: `translate(${from} ${middle - m.symbol / 3}) scale(${m.symbol / 24})`,
      fill: "none", stroke: look.ink, "stroke-width": 1.6,
    }), s("text", { x: from + m.symbol + 3, y: middle, class: "figure", "font-size": m.figure, fill: look.ink }, figure));
  } else {
    face.append(s("text", {
      x: m.w / 2, y: middle, class: "name", "font-size": m.figure * 0.8, fill: look.ink,
    }, fit(label || row.id, m.w, m.figure * 0.8)));
  }
  group.append(face, s("text", { x: m.w / 2, y: m.h - small * 0.8, class: "name id", "font-size": small, fill: look.ink }, fit(row.id, m.w, small)));
  return group;
}

/** Draw a counter as a picture of its own, for panels. */
export function counterPicture(game, piece, title) {
  const m = LARGE;
  return s("svg", { class: "counter", viewBox: `-2 -2 ${m.w + 4} ${m.h + 4}`, width: m.w + 4, height: m.h + 4, "aria-hidden": "true" },
    counter(game, piece, m, title));
}

/** Draw the outline of a place: a hex if the board has them, a rounded box otherwise. */
export function outline(box, grow, attributes) {
  if (!box.hex) {
    const { x, y, w, h } = box;
    return s("rect", { x: x - grow, y: y - grow, width: w + 2 * grow, height: h + 2 * grow, rx: 6, ...attributes });
  }
  const radius = box.hex.radius + grow, turned = box.hex.flat ? 0 : Math.PI / 6;
  const corner = (number) => {
    const angle = turned + (number * Math.PI) / 3;
    return `${(box.cx + radius * Math.cos(angle)).toFixed(1)},${(box.cy + radius * Math.sin(angle)).toFixed(1)}`;
  };
  return s("polygon", { points: Array.from({ length: 6 }, (_, number) => corner(number)).join(" "), ...attributes, rx: null });
}

/** Give the box around a hex. */
export function hexBox(x, y, hex) {
  const w = (hex.flat ? 2 : ROOT) * hex.radius, h = (hex.flat ? ROOT : 2) * hex.radius;
  return { x: x - w / 2, y: y - h / 2, w, h, cx: x, cy: y, hex };
}

export function line(one, other, look) {
  return s("line", {
    x1: one.cx, y1: one.cy, x2: other.cx, y2: other.cy, stroke: look.stroke, "stroke-width": look.width,
    "stroke-dasharray": look.dash, opacity: look.opacity, "stroke-linecap": "round",
  });
}

/** Find the middle of what is seen of a line between two places, and the direction along it. */
export function gapMiddle(one, other) {
  const dx = other.cx - one.cx, dy = other.cy - one.cy, length = Math.hypot(dx, dy) || 1;
  const ux = dx / length, uy = dy / length;
  if (one.hex) return { x: one.cx + dx / 2, y: one.cy + dy / 2, ux, uy, side: one.hex.radius };
  const inside = (box) => Math.min(ux ? box.w / 2 / Math.abs(ux) : Infinity, uy ? box.h / 2 / Math.abs(uy) : Infinity);
  const near = inside(one), far = length - inside(other), at = (near + far) / 2;
  return { x: one.cx + ux * at, y: one.cy + uy * at, ux, uy };
}

/** Draw what stands on a connection; a light rim keeps it seen on any ground. */
export function mark(spot, rule) {
  const d = markPath(spot, rule), pen = { d, fill: "none", "stroke-linecap": "round" };
  const drawn = s("path", { ...pen, stroke: rule.stroke, "stroke-width": rule.width });
  return rule.shape === "band" ? [drawn] : [s("path", { ...pen, class: "rim", "stroke-width": rule.width + RIM }), drawn];
}

function markPath({ x, y, ux, uy, side }, rule) {
  const half = (rule.size ?? 14) * 0.4, apart = 4;
  const bar = (across) => {
    const px = x - uy * across, py = y + ux * across;
    return `M${px - ux * (half + 2)} ${py - uy * (half + 2)}L${px + ux * (half + 2)} ${py + uy * (half + 2)}`;
  };
  if (rule.shape === "rails") return bar(apart) + bar(-apart);
  if (rule.shape === "cross") return `M${x - half} ${y - half}L${x + half} ${y + half}M${x - half} ${y + half}L${x + half} ${y - half}`;
  const reach = side ? side / 2 : half * 1.4; // a river runs along the whole side of a hex
  return `M${x - uy * reach} ${y + ux * reach}L${x + uy * reach} ${y - ux * reach}`;
}

/** Draw a text in a rounded box. */
export function pill(left, middle, wide, size, look, text) {
  return [
    s("rect", {
      x: left, y: middle - size * 0.65, width: wide, height: size * 1.3, rx: look.round ?? 6, fill: look.fill ?? "#ffffff",
      stroke: look.stroke ?? "#777777",
    }),
    s("text", { x: left + wide / 2, y: middle, class: "name", "font-size": size * 0.9, fill: look.ink ?? "#222222", "font-weight": "bold" }, text),
  ];
}
