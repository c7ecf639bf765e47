// The board as SVG: places, connections and counters, as the style of the rule set wants them.

import { fields, through } from "./borders.js";
import { s } from "./dom.js";
import { LARGE, SMALL, counter, gapMiddle, hexBox, letters, line, mark, outline, pill, scaled } from "./shapes.js";
import { state } from "./state.js";
import { turnsOut } from "./verdict.js";

const BOLD = 0.7, MANY = 40, IN_HEX = 6, ROOMY = 64, EDGE = 20, LEAST = { w: 620, h: 460 }, ASTRAY = 0.04;

export class BoardView {
  constructor(svg) {
    this.svg = svg;
    this.drawn = {};
    this.boxes = new Map();
    this.centres = new Map();
    this.ground = s("g", { class: "ground" });
    this.below = s("g", { class: "lines" });
    this.routes = s("g", { class: "routes", "aria-hidden": "true" });
    this.places = s("g", { class: "places" });
    this.above = s("g", { class: "above", "aria-hidden": "true" });
    this.hits = s("g", { class: "hits" });
    svg.append(this.ground, this.below, this.hits, this.routes, this.places, this.above);
  }

  /** Draw what has changed: the position, what lies over it, and how its places are reached. */
  draw() {
    const { game, position, board, situation, reply, reach, path, pieces, place, connection, lit, cursor, pointed } = state;
    if (!position) return;
    if (this.isNew("position", [position, board])) this.drawPosition(game, situation, position, board);
    if (this.isNew("overlay", [position, board, reply, reach, path, pieces, place, connection, lit, pointed, state.asked])) this.drawOverlay(game);
    if (this.isNew("places", [position, board, reach, cursor])) this.describePlaces();
  }

  /** Whether something is drawn from other values than it was; the new ones are kept. */
  isNew(what, from) {
    const same = this.drawn[what]?.every((one, index) => one === from[index]);
    this.drawn[what] = from;
    return !same;
  }

  drawPosition(game, situation, position, board) {
    const places = game.rows(situation, position, "place").filter(({ row }) => board.points[row.id]);
    const pieces = game.rows(situation, position, "piece");
    this.size = board.hex ? scaled(LARGE, board.hex.radius / ROOMY) : places.length > MANY ? SMALL : LARGE;
    this.standing = grouped(pieces);
    this.boxes.clear();
    for (const one of places) this.boxes.set(one.row.id, this.boxOf(game, one));
    this.drawLines(game, game.rows(situation, position, "connection"), new Map(places.map((one) => [one.row.id, one])));
    this.ground.replaceChildren(...(board.hex ? places.map((one) => this.drawGround(game, one)) : []));
    this.places.replaceChildren(...places.map((one) => this.drawPlace(game, one)));
  }

  boxOf(game, { record, row }) {
    const m = this.size, { hex } = state.board;
    const [x, y] = state.board.points[row.id];
    const tags = this.tags(game, record, row);
    if (hex) return { ...hexBox(x, y, hex), tags };
    const pieces = (this.standing.get(row.id) ?? []).length;
    const head = letters(row.id) * m.name * BOLD + tags.reduce((sum, tag) => sum + letters(tag.text) * m.name * 0.7 + 9, 0);
    const across = Math.min(pieces, m.row) * (m.w + m.gap);
    const w = Math.max(head, across) + 2 * m.pad;
    const h = m.head + Math.ceil(pieces / m.row) * (m.h + m.gap) + (pieces ? 1 : 0);
    return { x: x - w / 2, y: y - h / 2, w, h, cx: x, cy: y, tags };
  }

  tags(game, record, row) {
    return game.looks("badges", record, row)
      .map((rule) => ({ rule, value: rule.named_in ? (state.position[rule.named_in] ?? []).includes(row.id) : game.value(record, row, rule.field) }))
      .filter(({ value }) => value)
      .map(({ rule, value }) => ({ ...rule, text: String(rule.text ?? "{}").replace("{}", value) }));
  }

  // ---------------------------------------------------------------- connections
  drawLines(game, connections, places) {
    const lines = [], marks = [], hits = [], known = [], crossed = new Map();
    this.centres.clear();
    for (const { record, row } of connections) {
      const [one, other] = (row.ends ?? []).map((id) => this.boxes.get(id));
      const look = game.looks("lines", record, row)[0];
      const its = game.looks("marks", record, row);
      if (!one || !other || !(look || its.length)) continue;
      const middle = gapMiddle(one, other);
      this.centres.set(row.id, middle);
      known.push(row);
      if (look) lines.push(line(one, other, look));
      for (const rule of its.filter((rule) => rule.shape === "band")) crossed.set(rule, (crossed.get(rule) ?? new Set()).add(row.id));
      marks.push(...its.flatMap((rule) => mark(middle, rule)));
      hits.push(s("line", {
        x1: one.cx, y1: one.cy, x2: other.cx, y2: other.cy, class: "hit", "data-connection": row.id, "data-id": row.id,
      }, s("title", null, [row.id, look?.label, ...its.map((rule) => rule.label)].filter(Boolean).join(", "))));
    }
    const borders = state.board.hex ? [] : this.borders(game, known, crossed, places);
    this.below.replaceChildren(...borders, ...lines, ...marks);
    this.hits.replaceChildren(...hits);
  }

  /** Draw rivers from crossing to crossing, and the front between places that are held by others. */
  borders(game, links, crossed, places) {
    const found = fields(links, this.boxes), front = game.style.front ?? {};
    const drawn = [...crossed].map(([rule, ids]) => s("path", {
      d: through(found, ids, this.centres), class: "river", stroke: rule.stroke, "stroke-width": rule.width * 0.8,
    }, s("title", null, rule.label)));
    if (!front.fields) return drawn;
    const holder = (id) => front.fields.map((name) => game.value(places.get(id).record, places.get(id).row, name)).find(Boolean);
    const apart = links.filter(({ ends }) => ends.every(holder) && holder(ends[0]) !== holder(ends[1]));
    const d = through(found, new Set(apart.map(({ id }) => id)), this.centres);
    return [...drawn,
      s("path", { d, class: "front rim", "stroke-width": front.width + 3 }),
      s("path", { d, class: "front", stroke: front.stroke, "stroke-width": front.width, "stroke-dasharray": front.dash }, s("title", null, front.label))];
  }

  // ---------------------------------------------------------------- places and counters
  /** Draw what lies below roads and rivers: the ground of a hex. */
  drawGround(game, { record, row }) {
    const look = game.look("places", record, row);
    return outline(this.boxes.get(row.id), 0, { fill: look.fill, stroke: look.stroke, "stroke-width": look.width ?? 1.3 });
  }

  drawPlace(game, { record, row }) {
    const m = this.size, box = this.boxes.get(row.id);
    const look = game.look("places", record, row);
    const pieces = this.standing.get(row.id) ?? [], shown = box.hex ? pieces.slice(0, IN_HEX) : pieces;
    const origin = game.style.bases[state.board.origins?.[row.id]] ?? {};
    const number = state.board.numbers?.[row.id];
    const label = [row.id, look.label, ...pieces.map((p) => `${p.row.id}: ${game.label(p.record, p.row)}`)];
    const group = s("g", {
      class: "place", "data-place": row.id, "data-id": row.id, role: "group", tabindex: -1,
      "aria-label": label.filter(Boolean).join(", "),
    });
    group.append(outline(box, 0, box.hex ? { class: "edge", fill: "transparent", stroke: "none" } : {
      class: "edge", rx: look.round ?? 6, fill: look.fill, stroke: look.stroke,
      "stroke-width": game.looks("places", record, row)[0]?.width ?? 1.3,
    }));
    const top = this.head(box), tagged = box.tags.reduce((sum, tag) => sum + letters(tag.text) * m.name * 0.7 + 9, 0);
    group.append(s("text", {
      x: box.cx - tagged / 2, y: top + m.head / 2, class: "name", "font-size": m.name, fill: look.ink,
      "font-weight": origin.weight ?? "bold", "font-style": origin.slope ?? "normal",
    }, row.id));
    if (number !== undefined) group.append(s("title", null, `${number} ${row.id}: ${[look.label, origin.label].filter(Boolean).join(", ")}`));
    let left = box.cx - tagged / 2 + (letters(row.id) * m.name * BOLD) / 2 + 3;
    for (const tag of box.tags) {
      const wide = letters(tag.text) * m.name * 0.7 + 6;
      group.append(...pill(left, top + m.head / 2, wide, m.name, tag, tag.text));
      left += wide + 3;
    }
    shown.forEach((piece, index) => group.append(this.drawPiece(game, piece, box, index, shown.length)));
    if (shown.length < pieces.length) group.append(...pill(box.cx + box.w / 4, top, 26, m.name, {}, `+${pieces.length - shown.length}`));
    return group;
  }

  /** Say where the name of a place begins: at the top of a box; in a hex so that all stands in its middle. */
  head(box) {
    if (!box.hex) return box.y;
    return box.hex.flat ? box.y + 2 : box.y + box.hex.radius / 3;
  }

  /** Give the measures of the counters at a place: in a hex one is as wide as there is room, and more stand two in a row. */
  measures(box, count) {
    return box.hex ? scaled(LARGE, (box.hex.radius * (count > 1 ? 0.78 : 1.15)) / LARGE.w) : this.size;
  }

  slot(box, index, count) {
    const m = this.measures(box, count), row = box.hex ? 2 : m.row, at = Math.floor(index / row);
    const inLine = Math.min(row, count - at * row);
    const start = box.cx - (inLine * (m.w + m.gap) - m.gap) / 2;
    return { x: start + (index % row) * (m.w + m.gap), y: this.head(box) + this.size.head + at * (m.h + m.gap) };
  }

  drawPiece(game, piece, box, index, count) {
    const { x, y } = this.slot(box, index, count), id = piece.row.id;
    const group = counter(game, piece, this.measures(box, count), state.titles[id]);
    group.setAttribute("data-piece", id);
    group.setAttribute("transform", `translate(${x} ${y})`);
    return group;
  }

  // ---------------------------------------------------------------- what lies over it
  drawOverlay(game) {
    const style = game.style, shapes = [], routes = [];
    const ways = Object.entries(state.reply?.witness ?? {}).filter(([name, way]) => Array.isArray(way) && way.every((one) => this.boxes.has(bare(one))) && (name !== "route" || state.path.length < 2));
    for (const [name, way] of [["route", state.path], ...ways]) routes.push(...this.parted(way.map(bare), name === "route" ? style.route : style.closest));
    for (const [place, cost] of Object.entries(state.reach ?? {})) shapes.push(...this.note(place, cost, style.notes.reach ?? {}));
    for (const id of state.pieces) shapes.push(this.ring(this.pieceBox(id), "chosen"));
    for (const id of blamed(state.reply)) {
      const spot = this.centres.get(id);
      const box = this.pieceBox(id) ?? this.boxes.get(id) ?? (spot && { x: spot.x - 13, y: spot.y - 13, w: 26, h: 26 });
      shapes.push(this.ring(box, "blamed", style.blocker));
    }
    for (const id of new Set([state.place, ...placesAsked(game)])) shapes.push(this.ring(this.boxes.get(id), "chosen"));
    const spot = this.centres.get(state.connection);
    if (spot) shapes.push(this.ring({ x: spot.x - 16, y: spot.y - 16, w: 32, h: 32 }, "chosen"));
    for (const id of state.pointed) shapes.push(this.ring(this.pieceBox(id) ?? this.boxes.get(id), "pointed"));
    for (const id of state.lit ?? []) shapes.push(this.ring(this.pieceBox(id) ?? this.boxes.get(id), "lit"));
    this.routes.replaceChildren(...routes);
    this.above.replaceChildren(...shapes.filter(Boolean));
  }

  /** Say of each place whether keys reach it, and units. */
  describePlaces() {
    for (const group of this.places.children) {
      const id = group.dataset.place, cost = state.reach?.[id];
      group.setAttribute("tabindex", id === state.cursor ? 0 : -1);
      group.setAttribute("aria-description", cost === undefined ? "" : `can be reached, ${cost}`);
    }
  }

  /** Draw a way up to where it is barred, and the rest as what is barred. */
  parted(way, look) {
    if (way.length < 2) return [];
    const open = openUpTo(way, state.reply);
    return [...this.way(way.slice(0, open + 1), look), ...this.way(way.slice(open), state.game.style.barred)];
  }

  way(names, look) {
    const boxes = names.map((name) => this.boxes.get(name)).filter(Boolean);
    const steps = boxes.slice(1).map((box, index) => [boxes[index], box]);
    const rim = look.dash ? steps.map(([one, other]) => line(one, other, { stroke: "#ffffff", width: look.width + 4 })) : []; // else the road shows between the dashes
    return [...rim, ...steps.map(([one, other]) => line(one, other, { ...look, opacity: look.dash ? 1 : 0.75 }))];
  }

  note(place, text, look) {
    const box = this.boxes.get(place), m = this.size;
    if (!box) return [];
    const wide = letters(text) * m.name * 0.7 + 8;
    const [middle, level] = box.hex ? [box.cx, box.y + box.h - m.name * 1.2] : [box.x + box.w, box.y];
    return pill(middle - wide / 2, level, wide, m.name * 1.15, look, text);
  }

  ring(box, name, look) {
    return box && outline(box, box.hex ? -4 : 4, { class: `ring ${name}`, stroke: look?.stroke });
  }

  pieceBox(id) {
    for (const [place, pieces] of this.standing ?? []) {
      const index = pieces.findIndex((piece) => piece.row.id === id), box = this.boxes.get(place);
      if (index < 0 || !box) continue;
      const count = box.hex ? Math.min(IN_HEX, pieces.length) : pieces.length;
      const { w, h } = this.measures(box, count);
      return { ...this.slot(box, Math.min(index, count - 1), count), w, h };
    }
    return null;
  }

  /** Give the rectangle around all places, or around those where nearly all pieces stand. */
  extent(manned = false) {
    let boxes = [...this.boxes.values()];
    if (manned) boxes = [...this.boxes].flatMap(([id, box]) => (this.standing.get(id) ?? []).map(() => box));
    if (!boxes.length) return manned ? this.extent() : { x: 0, y: 0, ...LEAST };
    const [left, right] = span(boxes.map((b) => [b.x, b.x + b.w]), manned ? ASTRAY : 0, LEAST.w);
    const [top, bottom] = span(boxes.map((b) => [b.y, b.y + b.h]), manned ? ASTRAY : 0, LEAST.h);
    return { x: left, y: top, w: right - left, h: bottom - top };
  }
}

/** Give the ends of what lies between two sides, without the few that lie farthest out, and so much at least. */
function span(sides, astray, least) {
  const skip = Math.floor(sides.length * astray);
  const low = sides.map(([one]) => one).sort((a, b) => a - b)[skip] - EDGE;
  const high = sides.map(([, other]) => other).sort((a, b) => b - a)[skip] + EDGE;
  const more = Math.max(0, least - (high - low)) / 2;
  return [low - more, high + more];
}

const bare = (step) => String(step).replace(/^!/, "");

/** Say up to which of its places a way is open; with no answer all of it counts as open, and what is refused without a reason as barred. */
function openUpTo(way, reply) {
  if (!reply || turnsOut(reply.answer) !== "no") return way.length - 1;
  const prefix = (reply.nearest?.longest_prefix ?? []).map(bare);
  if (prefix.length && prefix.every((name, index) => way[index] === name)) return prefix.length - 1;
  const bars = (reply.nearest?.changes ?? []).map(({ step }) => String(step).split(" > "));
  const at = way.findIndex((name, index) => bars.some(([one, other]) => one === name && other === way[index + 1]));
  return Math.max(at, 0);
}

/** List the places that the question is about. */
function placesAsked(game) {
  const { query, input } = state.asked ?? {};
  if (!game.questions[query]) return [];
  return game.takes(query).filter(({ role }) => role === "place").map(({ name }) => input[name]);
}

/** List the ids that what forbids it looked at. */
function blamed(reply) {
  return (reply?.why ?? []).filter((one) => one.holds && one.effect === "forbids").flatMap((one) => one.looked_at);
}

function grouped(pieces) {
  const found = new Map();
  for (const piece of pieces) found.set(piece.row.place, [...(found.get(piece.row.place) ?? []), piece]);
  return found;
}
