// The board as SVG: places, connections and counters, as the style of the rule set wants them.

import { s } from "./dom.js";
import { state } from "./state.js";

const LARGE = { w: 74, h: 36, gap: 6, name: 13, head: 23, pad: 6, row: 2, symbol: 24, figure: 14, ids: true };
const SMALL = { w: 40, h: 19, gap: 3, name: 11, head: 18, pad: 4, row: 3, symbol: 18, figure: 11.5, ids: false };
const MANY = 40;
const letters = (text) => String(text).length;

export class BoardView {
  constructor(svg) {
    this.svg = svg;
    this.drawn = {};
    this.boxes = new Map();
    this.centres = new Map();
    this.below = s("g", { class: "lines" });
    this.routes = s("g", { class: "routes", "aria-hidden": "true" });
    this.places = s("g", { class: "places" });
    this.above = s("g", { class: "above", "aria-hidden": "true" });
    this.hits = s("g", { class: "hits" });
    svg.append(this.below, this.hits, this.routes, this.places, this.above);
  }

  /** Draw what has changed: the position only if it is another one, what lies over it always. */
  draw() {
    const { game, position, board, situation } = state;
    if (!position) return;
    if (this.drawn.position !== position || this.drawn.board !== board) {
      this.drawPosition(game, situation, position, board);
      this.drawn = { position, board };
    }
    this.drawOverlay(game);
  }

  drawPosition(game, situation, position, board) {
    const places = game.rows(situation, position, "place").filter(({ row }) => board.points[row.id]);
    const pieces = game.rows(situation, position, "piece");
    this.size = places.length > MANY ? SMALL : LARGE;
    this.standing = Map.groupBy ? Map.groupBy(pieces, ({ row }) => row.place) : grouped(pieces);
    this.boxes.clear();
    this.placeRows = new Map(places.map((one) => [one.row.id, one]));
    for (const one of places) this.boxes.set(one.row.id, this.boxOf(game, one));
    this.drawLines(game, game.rows(situation, position, "connection"));
    this.places.replaceChildren(...places.map((one) => this.drawPlace(game, one)));
  }

  boxOf(game, { record, row }) {
    const m = this.size;
    const [x, y] = state.board.points[row.id];
    const pieces = (this.standing.get(row.id) ?? []).length;
    const tags = this.tags(game, record, row);
    const head = letters(row.id) * m.name * 0.66 + tags.reduce((sum, tag) => sum + letters(tag.text) * m.name * 0.7 + 9, 0);
    const across = Math.min(pieces, m.row) * (m.w + m.gap);
    const w = Math.max(head, across) + 2 * m.pad;
    const h = m.head + Math.ceil(pieces / m.row) * (m.h + m.gap) + (pieces ? 1 : 0);
    return { x: x - w / 2, y: y - h / 2, w, h, cx: x, cy: y, tags };
  }

  tags(game, record, row) {
    return game.looks("badges", record, row)
      .map((rule) => ({ rule, value: game.value(record, row, rule.field) }))
      .filter(({ value }) => value)
      .map(({ rule, value }) => ({ ...rule, text: String(rule.text ?? "{}").replace("{}", value) }));
  }

  // ---------------------------------------------------------------- connections
  drawLines(game, connections) {
    const lines = [], marks = [], hits = [];
    this.centres.clear();
    for (const { record, row } of connections) {
      const [one, other] = (row.ends ?? []).map((id) => this.boxes.get(id));
      const look = game.looks("lines", record, row)[0];
      const its = game.looks("marks", record, row);
      if (!one || !other || !(look || its.length)) continue;
      const middle = gapMiddle(one, other);
      this.centres.set(row.id, middle);
      if (look) lines.push(line(one, other, look));
      marks.push(...its.flatMap((rule) => mark(middle, rule)));
      hits.push(s("line", {
        x1: one.cx, y1: one.cy, x2: other.cx, y2: other.cy, class: "hit", "data-connection": row.id,
      }, s("title", null, [row.id, look?.label, ...its.map((rule) => rule.label)].filter(Boolean).join(", "))));
    }
    this.below.replaceChildren(...lines, ...marks);
    this.hits.replaceChildren(...hits);
  }

  // ---------------------------------------------------------------- places and counters
  drawPlace(game, { record, row }) {
    const m = this.size, box = this.boxes.get(row.id);
    const look = game.look("places", record, row);
    const pieces = this.standing.get(row.id) ?? [];
    const origin = game.style.bases[state.board.origins?.[row.id]] ?? {};
    const number = state.board.numbers?.[row.id];
    const label = [row.id, look.label, ...pieces.map((p) => `${p.row.id}: ${game.label(p.record, p.row)}`)];
    const group = s("g", {
      class: "place", "data-place": row.id, "data-id": row.id, role: "button", tabindex: -1,
      "aria-label": label.filter(Boolean).join(", "),
    });
    group.append(s("rect", {
      x: box.x, y: box.y, width: box.w, height: box.h, rx: look.round ?? 6, fill: look.fill, stroke: look.stroke,
      "stroke-width": game.looks("places", record, row)[0]?.width ?? 1.3,
    }));
    const tagged = box.tags.reduce((sum, tag) => sum + letters(tag.text) * m.name * 0.7 + 9, 0);
    group.append(s("text", {
      x: box.cx - tagged / 2, y: box.y + m.head / 2, class: "name", "font-size": m.name, fill: look.ink,
      "font-weight": origin.weight ?? "bold", "font-style": origin.slope ?? "normal",
    }, row.id));
    if (number !== undefined) group.append(s("title", null, `${number} ${row.id}: ${[look.label, origin.label].filter(Boolean).join(", ")}`));
    let left = box.cx - tagged / 2 + (letters(row.id) * m.name * 0.66) / 2 + 3;
    for (const tag of box.tags) {
      const wide = letters(tag.text) * m.name * 0.7 + 6;
      group.append(...pill(left, box.y + m.head / 2, wide, m.name, tag, tag.text));
      left += wide + 3;
    }
    pieces.forEach((piece, index) => group.append(this.drawPiece(game, piece, box, index, pieces.length)));
    return group;
  }

  slot(box, index, count) {
    const m = this.size, line = Math.floor(index / m.row);
    const inLine = Math.min(m.row, count - line * m.row);
    const start = box.cx - (inLine * (m.w + m.gap) - m.gap) / 2;
    return { x: start + (index % m.row) * (m.w + m.gap), y: box.y + m.head + line * (m.h + m.gap) };
  }

  drawPiece(game, { record, row }, box, index, count) {
    const m = this.size, { x, y } = this.slot(box, index, count);
    const look = game.look("pieces", record, row), sign = game.looks("symbols", record, row)[0];
    const figure = game.style.piece_number ? String(game.value(record, row, game.style.piece_number) ?? "") : "";
    const label = game.label(record, row), title = state.titles[row.id];
    const group = s("g", { class: "piece", "data-piece": row.id, "data-id": row.id, transform: `translate(${x} ${y})` },
      s("title", null, [row.id, title, label, look.label].filter(Boolean).join(", ")),
      s("rect", {
        width: m.w, height: m.h, rx: look.round ?? 3, fill: look.fill, stroke: look.stroke,
        "stroke-width": look.width === 2 ? 1 : look.width,
      }));
    const middle = m.ids ? 3 + m.symbol / 3 : m.h / 2, high = (m.symbol * 2) / 3;
    if (sign) {
      const wide = m.symbol + 3 + letters(figure) * m.figure * 0.6, from = (m.w - wide) / 2;
      group.append(s("path", {
        d: sign.path, transform: `translate(${from} ${middle - high / 2}) scale(${m.symbol / 24})`,
        fill: "none", stroke: look.ink, "stroke-width": 1.6,
      }), s("text", { x: from + m.symbol + 3, y: middle, class: "figure", "font-size": m.figure, fill: look.ink }, figure));
    } else {
      group.append(s("text", {
        x: m.w / 2, y: middle, class: "name", "font-size": m.figure * 0.8, fill: look.ink,
      }, fit(label || row.id, m.w, m.figure * 0.8)));
    }
    if (m.ids) group.append(s("text", { x: m.w / 2, y: m.h - 8, class: "name", "font-size": 10, fill: look.ink }, fit(row.id, m.w, 10)));
    return group;
  }

  // ---------------------------------------------------------------- what lies over it
  drawOverlay(game) {
    const style = game.style, shapes = [], routes = [];
    const witness = state.reply?.witness ?? {};
    const refused = state.reply?.answer?.legal === false;
    const along = state.path.length > 1 ? state.path : [];
    routes.push(...this.way(along.map(bare), refused ? { stroke: style.blocker.stroke, width: 7, dash: "3 9" } : style.route));
    if (!along.length) routes.push(...this.way(route(witness.route), style.route));
    for (const [name, way] of Object.entries(witness)) {
      if (name !== "route" && Array.isArray(way) && way.length > 1) routes.push(...this.way(route(way), style.closest));
    }
    for (const [place, cost] of Object.entries(state.reach ?? {})) shapes.push(...this.note(place, cost, style.notes.reach ?? {}));
    for (const id of state.pieces) shapes.push(this.ring(this.pieceBox(id), "chosen"));
    for (const id of blamed(state.reply)) {
      const spot = this.centres.get(id);
      const box = this.pieceBox(id) ?? this.boxes.get(id) ?? (spot && { x: spot.x - 13, y: spot.y - 13, w: 26, h: 26 });
      shapes.push(this.ring(box, "blamed", style.blocker));
    }
    if (state.place) shapes.push(this.ring(this.boxes.get(state.place), "chosen"));
    const spot = this.centres.get(state.connection);
    if (spot) shapes.push(this.ring({ x: spot.x - 16, y: spot.y - 16, w: 32, h: 32 }, "chosen"));
    for (const id of state.lit ?? []) shapes.push(this.ring(this.pieceBox(id) ?? this.boxes.get(id), "lit"));
    this.routes.replaceChildren(...routes);
    this.above.replaceChildren(...shapes.filter(Boolean));
    for (const group of this.places.children) {
      const id = group.dataset.place, cost = state.reach?.[id];
      group.setAttribute("tabindex", id === state.cursor ? 0 : -1);
      group.setAttribute("aria-description", cost === undefined ? "" : `can be reached, ${cost}`);
    }
  }

  way(names, look) {
    const boxes = names.map((name) => this.boxes.get(name)).filter(Boolean);
    return boxes.slice(1).map((box, index) => line(boxes[index], box, { ...look, opacity: 0.75 }));
  }

  note(place, text, look) {
    const box = this.boxes.get(place), m = this.size;
    if (!box) return [];
    const wide = letters(text) * m.name * 0.7 + 8;
    return pill(box.x + box.w - wide / 2, box.y, wide, m.name * 1.15, look, text);
  }

  ring(box, name, look) {
    return box && s("rect", {
      x: box.x - 4, y: box.y - 4, width: box.w + 8, height: box.h + 8, rx: 6, class: `ring ${name}`, stroke: look?.stroke,
    });
  }

  pieceBox(id) {
    for (const [place, pieces] of this.standing ?? []) {
      const index = pieces.findIndex((piece) => piece.row.id === id), box = this.boxes.get(place);
      if (index >= 0 && box) return { ...this.slot(box, index, pieces.length), w: this.size.w, h: this.size.h };
    }
    return null;
  }

  /** Give the rectangle around all places, or around those where something stands. */
  extent(manned = false) {
    const boxes = [...this.boxes].filter(([id]) => !manned || this.standing.has(id)).map(([, box]) => box);
    if (manned && !boxes.length) return this.extent();
    if (!boxes.length) return { x: 0, y: 0, w: 400, h: 300 };
    const x = Math.min(...boxes.map((b) => b.x)) - 20, y = Math.min(...boxes.map((b) => b.y)) - 20;
    return {
      x, y, w: Math.max(...boxes.map((b) => b.x + b.w)) - x + 20, h: Math.max(...boxes.map((b) => b.y + b.h)) - y + 20,
    };
  }
}

// ---------------------------------------------------------------------- shapes
const bare = (step) => String(step).replace(/^!/, "");
const route = (way) => (Array.isArray(way) ? way.map(bare) : []);

/** List the ids that what forbids it looked at. */
function blamed(reply) {
  return (reply?.why ?? []).filter((one) => one.holds && one.effect === "forbids").flatMap((one) => one.looked_at);
}

function grouped(pieces) {
  const found = new Map();
  for (const piece of pieces) found.set(piece.row.place, [...(found.get(piece.row.place) ?? []), piece]);
  return found;
}

function line(one, other, look) {
  return s("line", {
    x1: one.cx, y1: one.cy, x2: other.cx, y2: other.cy, stroke: look.stroke, "stroke-width": look.width,
    "stroke-dasharray": look.dash, opacity: look.opacity, "stroke-linecap": "round",
  });
}

function gapMiddle(one, other) {
  const dx = other.cx - one.cx, dy = other.cy - one.cy, length = Math.hypot(dx, dy) || 1;
  const ux = dx / length, uy = dy / length;
  const inside = (box) => Math.min(ux ? box.w / 2 / Math.abs(ux) : Infinity, uy ? box.h / 2 / Math.abs(uy) : Infinity);
  const near = inside(one), far = length - inside(other), at = (near + far) / 2;
  return { x: one.cx + ux * at, y: one.cy + uy * at, ux, uy };
}

/** Draw what stands on a connection; a light rim keeps it seen on any ground. */
function mark(spot, rule) {
  const d = markPath(spot, rule), pen = { d, fill: "none", "stroke-linecap": "round" };
  const drawn = s("path", { ...pen, stroke: rule.stroke, "stroke-width": rule.width });
  return rule.shape === "band" ? [drawn] : [s("path", { ...pen, class: "rim", "stroke-width": rule.width + 2.5 }), drawn];
}

function markPath({ x, y, ux, uy }, rule) {
  const half = (rule.size ?? 14) * 0.4, side = 4;
  const bar = (across) => {
    const px = x - uy * across, py = y + ux * across;
    return `M${px - ux * (half + 2)} ${py - uy * (half + 2)}L${px + ux * (half + 2)} ${py + uy * (half + 2)}`;
  };
  if (rule.shape === "rails") return bar(side) + bar(-side);
  if (rule.shape === "cross") return `M${x - half} ${y - half}L${x + half} ${y + half}M${x - half} ${y + half}L${x + half} ${y - half}`;
  return `M${x - uy * half * 1.4} ${y + ux * half * 1.4}L${x + uy * half * 1.4} ${y - ux * half * 1.4}`;
}

function pill(left, middle, wide, size, look, text) {
  return [
    s("rect", {
      x: left, y: middle - size * 0.65, width: wide, height: size * 1.3, rx: look.round ?? 6, fill: look.fill ?? "#ffffff",
      stroke: look.stroke ?? "#777777",
    }),
    s("text", { x: left + wide / 2, y: middle, class: "name", "font-size": size * 0.9, fill: look.ink ?? "#222222", "font-weight": "bold" }, text),
  ];
}

const fit = (text, width, size) => (letters(text) * size * 0.6 <= width ? text : `${text.slice(0, Math.max(1, Math.floor(width / size / 0.6) - 1))}…`);
