// The board as SVG, drawn from its chart: regions, rivers, roads, places and counters, as the style of the rule set wants them.

import { s } from "./dom.js";
import { overlay } from "./lines.js";
import { LEVELS, around, counter, line, mark, pill, stack, textWidth } from "./shapes.js";
import { state } from "./state.js";
import { turnsOut } from "./verdict.js";

const NUMBER = 9, TAG = 10, TOWN_ROOM = 8, FAR = 2.4, FAN_PIXELS = 48, FAN_ROW = 6, HIT = 12, EDGE = 20, LEAST = { w: 620, h: 460 };

export class BoardView {
  constructor(svg) {
    this.svg = svg;
    this.drawn = {};
    this.boxes = new Map();
    this.ground = s("g", { class: "ground" });
    this.below = s("g", { class: "lines" });
    this.hits = s("g", { class: "hits" });
    this.routes = s("g", { class: "routes", "aria-hidden": "true" });
    this.places = s("g", { class: "places" });
    this.above = s("g", { class: "above", "aria-hidden": "true" });
    this.fan = s("g", { class: "fan" });
    this.world = s("g", { class: "world" }, this.ground, this.below, this.hits, this.routes, this.places, this.above, this.fan);
    svg.append(this.world);
    svg.addEventListener("pointerover", ({ target }) => this.fanOut(target.closest?.(".fan") ? this.fanned : target.closest?.("[data-place]")?.dataset.place));
  }

  /** Draw what has changed: the position, what lies over it, and how its places are reached. */
  draw() {
    const { game, position, board, situation, reply, reach, path, pieces, place, connection, lit, cursor, pointed } = state;
    if (!position) return;
    const isNew = this.isNew("position", [position, board, game.isDark]);
    if (isNew) this.drawPosition(game, situation, position, board);
    if (this.isNew("overlay", [position, board, game.isDark, this.level, reply, reach, path, pieces, place, connection, lit, pointed, state.asked, state.lines])) this.drawOverlay(game);
    if (this.isNew("places", [position, board, reach, cursor])) this.describePlaces();
    if (isNew) this.fanOut(null);
  }

  /** Whether something is drawn from other values than it was; the new ones are kept. */
  isNew(what, from) {
    const same = this.drawn[what]?.every((one, index) => one === from[index]);
    this.drawn[what] = from;
    return !same;
  }

  /** Show what is seen at so many pixels for a unit. */
  look(scale) {
    this.scale = scale;
    const { far, close } = state.board.levels ?? {};
    const level = scale < far ? "far" : scale > close ? "close" : "middle";
    if (level === this.level) return;
    this.level = level;
    this.svg.dataset.level = level;
    this.draw();
  }

  drawPosition(game, situation, position, board) {
    const places = game.rows(situation, position, "place").filter(({ row }) => board.points[row.id]);
    this.standing = grouped(game.rows(situation, position, "piece"));
    this.boxes.clear();
    for (const { row } of places) this.boxes.set(row.id, this.boxOf(row.id));
    this.grounds = new Map();
    this.drawLines(game, game.rows(situation, position, "connection"), new Map(places.map((one) => [one.row.id, one])));
    this.ground.replaceChildren(...places.map((one) => this.drawGround(game, one)));
    this.places.replaceChildren(...places.map((one) => this.drawPlace(game, one)));
  }

  /** Give the room of a place: for its name and its counters. */
  boxOf(id) {
    const [x, y] = state.board.points[id], { room: [w, h], head } = state.board, top = y + head - state.board.sizes.name;
    return { x: x - w / 2, y: top, w, h, cx: x, cy: y };
  }

  /** Keep for the legend what is drawn, by its label: what it is, and its looks. */
  know(what, look, drawn = this.grounds) {
    if (look?.label && !drawn.has(look.label)) drawn.set(look.label, { what, look });
  }

  /** List what is drawn, with its looks. */
  known() {
    return [...this.grounds.values(), ...this.overlays.values()];
  }

  tags(game, record, row) {
    return game.looks("badges", record, row)
      .map((rule) => ({ rule, value: rule.named_in ? (state.position[rule.named_in] ?? []).includes(row.id) : game.value(record, row, rule.field) }))
      .filter(({ value }) => value)
      .map(({ rule, value }) => ({ ...rule, sign: String(rule.text ?? "{}").replace("{}", value) }));
  }

  // ---------------------------------------------------------------- connections
  drawLines(game, connections, places) {
    const casings = [], roads = [], marks = [], hits = [], { crossings, rivers, names } = state.board;
    const bands = new Map(game.all("marks").filter((rule) => rule.shape === "band").map((rule) => [rule.label, rule]));
    for (const { record, row } of connections) {
      const [one, other] = (row.ends ?? []).map((id) => this.spot(id));
      const look = game.looks("lines", record, row)[0], its = game.looks("marks", record, row);
      if (!one || !other || !crossings[row.id]) continue;
      if (look?.width) {
        this.know("line", look);
        if (look.casing) casings.push(line(one, other, look.casing));
        roads.push(line(one, other, look));
      }
      for (const rule of its.filter(({ shape }) => shape !== "band")) {
        this.know("mark", rule);
        marks.push(...mark(crossings[row.id], rule));
      }
      const [cx, cy] = crossings[row.id];
      hits.push(s("circle", { cx, cy, r: its.length ? HIT : HIT / 2, class: "hit", "data-connection": row.id, "data-id": row.id }, s("title", null, [row.id, look?.label, ...its.map((rule) => rule.label)].filter(Boolean).join(", "))));
    }
    const water = Object.entries(rivers).map(([label, d]) => {
      this.know("line", bands.get(label));
      return s("path", { d, class: "river", stroke: bands.get(label).stroke, "stroke-width": bands.get(label).width });
    });
    const named = game.style.river.ink ? names.map(({ text, x, y }) => s("text", { x, y, class: "name river-name at-close", "font-size": state.board.sizes.river, fill: game.paint(game.style.river.ink) }, text)) : [];
    if (named.length) this.know("river", game.painted(game.style.river));
    this.below.replaceChildren(...water, ...casings, ...roads, ...this.front(game, places), ...marks, ...named);
    this.hits.replaceChildren(...hits);
  }

  spot(id) {
    const [x, y] = state.board.points[id] ?? [];
    return x === undefined ? null : { x, y };
  }

  /** Draw the front along the borders of places that are held by others. */
  front(game, places) {
    const front = game.painted(game.style.front ?? {}), { borders, joints, bends } = state.board;
    if (!front.fields) return [];
    const holder = (id) => places.has(id) && front.fields.map((name) => game.value(places.get(id).record, places.get(id).row, name)).find(Boolean);
    const holds = borders.map((ends) => ends.map(holder)), isFront = holds.map(([one, other]) => one && other && one !== other);
    const d = bends.filter((_, at) => joints[at].every((border) => isFront[border])).join("");
    if (!d) return [];
    this.know("line", front);
    return [
      s("path", { d, class: "front rim", "stroke-width": front.width + 3 }),
      s("path", { d, class: "front", stroke: front.stroke, "stroke-width": front.width, "stroke-dasharray": front.dash }, s("title", null, front.label))];
  }

  // ---------------------------------------------------------------- places and counters
  /** Draw what lies below roads and rivers: the region of a place. */
  drawGround(game, { record, row }) {
    const look = game.look("places", record, row), border = game.painted(game.style.border ?? {});
    this.know("place", game.looks("places", record, row)[0]);
    this.know("line", border);
    return s("path", {
      d: around(state.board.regions[row.id]), class: "region", "data-region": row.id, "data-id": row.id, fill: look.fill,
      stroke: border.stroke ?? look.stroke, "stroke-width": border.width ?? game.looks("places", record, row)[0]?.width ?? 1.3,
    });
  }

  drawPlace(game, { record, row }) {
    const look = game.look("places", record, row), pieces = this.standing.get(row.id) ?? [];
    const origin = game.style.bases[state.board.origins?.[row.id]] ?? {};
    const label = [row.id, look.label, ...pieces.map((p) => `${p.row.id}: ${game.label(p.record, p.row)}`)];
    this.know("place-name", origin);
    const number = state.board.numbers?.[row.id];
    const group = s("g", {
      class: "place", "data-place": row.id, "data-id": row.id, role: "group", tabindex: -1, "aria-label": label.filter(Boolean).join(", "),
    }, s("path", { d: around(state.board.regions[row.id]), class: "edge" }));
    if (number !== undefined) group.append(s("title", null, `${number} ${row.id}: ${[look.label, origin.label].filter(Boolean).join(", ")}`));
    group.append(...this.head(game, record, row, look, origin), ...this.pieces(game, row.id, pieces));
    return group;
  }

  /** Draw the town of a place, its name, and beside the town its number and badges; and what is read of them from far. */
  head(game, record, row, { ink, fill }, origin) {
    const { head, hex, sizes, towns, numbers, labels } = state.board, { x, y } = this.spot(row.id);
    const how = { "font-weight": origin.weight ?? "bold", "font-style": origin.slope ?? "normal", stroke: fill }; // roads pass behind
    const shapes = [s("text", { x, y: y + head, class: "name at-near", "font-size": sizes.name, fill: ink, ...how }, row.id)];
    const level = hex ? y + head : y, wide = textWidth(row.id, sizes.name) / 2 + 3;
    const town = game.all("towns")[towns[row.id]], number = numbers?.[row.id], { ink: faint } = game.painted(game.style.number);
    if (town) {
      this.know("town", town);
      shapes.unshift(s("circle", { cx: x, cy: y, r: town.radius, class: "town", fill: town.fill, stroke: town.stroke }));
    }
    if (number !== undefined) {
      this.know("number", game.painted(game.style.number));
      shapes.push(s("text", { x: x - (hex ? wide : TOWN_ROOM), y: level, class: "number at-near", "font-size": NUMBER, fill: faint }, number));
    }
    let left = x + (hex ? wide : TOWN_ROOM);
    for (const tag of this.tags(game, record, row)) {
      this.know("badge", tag);
      const width = textWidth(tag.sign, TAG) + 6;
      shapes.push(s("g", { class: "at-near" }, pill(left, level, width, TAG, tag, tag.sign)));
      left += width + 3;
    }
    const far = labels[row.id];
    if (far) shapes.push(s("text", { x: far.x, y: far.y, class: "label at-far", "font-size": sizes.far, fill: ink, ...how }, far.text));
    return shapes;
  }

  /** Draw the counters of a place: each of them, and from far one for each look on which the others lie. */
  pieces(game, id, pieces) {
    const { x, y } = this.spot(id), { scale, corners: [[left, top]] } = state.board.stack;
    const drawn = pieces.map((piece, index) => this.drawPiece(game, piece, this.slot(id, index, pieces.length)));
    const sides = [...Map.groupBy?.(pieces, (one) => game.side(one)) ?? new Map(pieces.length ? [["", pieces]] : [])];
    if (sides.some(([, its]) => its.length > 1)) this.know("stack", game.painted(game.style.stack));
    const piles = sides.map(([, its], at) => {
      const pile = stack(game, its), aside = (at - (sides.length - 1) / 2) * -left * 1.2;
      pile.setAttribute("transform", `translate(${x + left + aside} ${y + top}) scale(${scale})`);
      return pile;
    });
    return [s("g", { class: "counters at-near" }, drawn), s("g", { class: "at-far" }, piles)];
  }

  drawPiece(game, piece, { x, y, scale }, levels = LEVELS.slice(1)) {
    const { record, row } = piece, group = counter(game, piece, levels);
    this.know("piece", game.looks("pieces", record, row)[0]);
    this.know("symbol", game.looks("symbols", record, row)[0]);
    group.setAttribute("data-piece", row.id);
    group.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    return group;
  }

  /** Say where one of so many counters stands at a place. */
  slot(id, index, count) {
    const { slots } = state.board, { scale, corners } = slots[Math.min(count, slots.length) - 1];
    const [left, top] = corners[Math.min(index, corners.length - 1)], { x, y } = this.spot(id);
    return { x: x + left, y: y + top, scale };
  }

  /** Spread the counters of a place so that each can be read and clicked, where the board shows only that they are there. */
  fanOut(id) {
    const pieces = this.level === "far" ? this.standing?.get(id) ?? [] : [];
    if (this.fanned === id && this.fan.childElementCount === (pieces.length ? 1 : 0)) return;
    this.fanned = id;
    if (!pieces.length) return this.fan.replaceChildren();
    const { size } = state.game.style.counter, scale = FAN_PIXELS / size[0] / this.scale;
    const [wide, high] = size.map((length) => (length + 2) * scale), { x, y } = this.spot(id);
    const row = Math.min(FAN_ROW, pieces.length), rows = Math.ceil(pieces.length / row), top = y + state.board.stack.corners[0][1] - 8, rim = 3 * scale;
    const left = Math.max(0, Math.min(x - (row * wide) / 2, state.board.size[0] - row * wide));
    return this.fan.replaceChildren(s("g", { "data-place": id, class: "spread" },
      s("rect", { x: left - rim, y: top - rim, width: row * wide + 2 * rim, height: rows * high + 2 * rim, rx: rim }),
      pieces.map((piece, at) => this.drawPiece(state.game, piece, { x: left + (at % row) * wide, y: top + Math.floor(at / row) * high, scale }, ["close"]))));
  }

  // ---------------------------------------------------------------- what lies over it
  drawOverlay(game) {
    const { style } = game, shapes = [], routes = [];
    this.overlays = new Map();
    const ways = Object.entries(state.reply?.witness ?? {}).filter(([name, way]) => Array.isArray(way) && way.every((one) => this.boxes.has(bare(one))) && (name !== "route" || state.path.length < 2));
    for (const [name, way] of [["route", state.path], ...ways]) routes.push(...this.parted(way.map(bare), name === "route" ? style.route : style.closest));
    if (state.lines) shapes.push(...this.cuts(style, routes));
    else for (const [place, cost] of Object.entries(state.reach ?? {})) shapes.push(...this.note(place, cost, style.notes.reach ?? {}));
    for (const id of state.pieces) shapes.push(this.ring(id, "chosen"));
    for (const id of blamed(state.reply)) shapes.push(this.ring(id, "blamed", style.blocker));
    for (const id of new Set([state.place, ...placesAsked(game), state.connection])) shapes.push(this.ring(id, "chosen"));
    for (const id of state.pointed) shapes.push(this.ring(id, "pointed"));
    for (const id of state.lit ?? []) shapes.push(this.ring(id, "lit"));
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

  /** How much larger lines are drawn where the whole board is seen. */
  get grow() {
    return this.level === "far" ? FAR : 1;
  }

  /** Draw a way up to where it is barred, and the rest as what is barred. */
  parted(way, look) {
    if (way.length < 2) return [];
    const open = openUpTo(way, state.reply);
    return [...this.way(way.slice(0, open + 1), look), ...this.way(way.slice(open), state.game.style.barred)];
  }

  way(names, look) {
    if (names.length > 1) this.know("route", look, this.overlays);
    const spots = names.map((name) => this.boxes.has(name) && this.spot(name)).filter(Boolean), { grow } = this;
    const steps = spots.slice(1).map((spot, index) => [spots[index], spot]);
    const rim = look.dash ? steps.map(([one, other]) => line(one, other, { stroke: "#ffffff", width: look.width + 4 }, grow)) : []; // else the road shows between the dashes
    return [...rim, ...steps.map(([one, other]) => line(one, other, { ...look, opacity: look.dash ? 1 : 0.75 }, grow))];
  }

  /** Draw what every line passes and what cuts it; the connections go into `routes`, below the counters. */
  cuts({ cuts, route, blocker, notes: { cut: look = {} } }, routes) {
    const { passed: way, lost: loss, severed: off } = { passed: route, lost: blocker, severed: blocker, ...cuts };
    const { passed, notes, lost, severed } = overlay(), found = [];
    for (const id of passed) {
      const ends = connected(id);
      if (ends) routes.push(...this.way(ends, way));
      else found.push(this.ring(id, "passed", way));
    }
    for (const id of severed) found.push(this.ring(id, "severed", off));
    for (const id of lost) found.push(this.ring(id, "lost", loss));
    for (const [id, text] of notes) found.push(...this.note(id, text, look));
    return found;
  }

  note(id, text, look) {
    const [cx, cy] = state.board.crossings?.[id] ?? [], box = this.boxes.get(id) ?? (cx === undefined ? null : { cx, cy }), size = state.board.sizes.name * this.grow;
    if (!box) return [];
    this.know("note", look, this.overlays);
    const wide = textWidth(text, size) + 8, { hex } = state.board;
    const [middle, level] = hex ? [box.cx, box.cy + hex.radius * 0.7] : [box.cx + wide / 2 + 9 * this.grow, box.cy];
    return pill(middle - wide / 2, level, wide, size, look, text);
  }

  /** Ring a counter, a place, or what stands on a connection. */
  ring(id, name, look) {
    if (look) this.know("ring", look, this.overlays);
    const piece = this.pieceBox(id), region = state.board.regions?.[id], spot = state.board.crossings?.[id], pen = { class: `ring ${name}`, stroke: look?.stroke };
    if (piece) return s("rect", { x: piece.x - 2, y: piece.y - 2, width: piece.w + 4, height: piece.h + 4, rx: 4, ...pen });
    if (region && this.boxes.has(id)) return s("path", { d: around(region), ...pen });
    return spot && s("circle", { cx: spot[0], cy: spot[1], r: 14 * this.grow, ...pen });
  }

  /** Say where a counter is seen: in its slot, or from far with its stack. */
  pieceBox(id) {
    const [wide, high] = state.game.style.counter.size;
    for (const [place, pieces] of this.standing ?? []) {
      const index = pieces.findIndex((piece) => piece.row.id === id);
      if (index < 0 || !this.boxes.has(place)) continue;
      const { scale: large, corners: [[left, top]] } = state.board.stack, { cx, cy } = this.boxes.get(place);
      const { x, y, scale } = this.level === "far" ? { x: cx + left, y: cy + top, scale: large } : this.slot(place, index, pieces.length);
      return { x, y, w: wide * scale, h: high * scale };
    }
    return null;
  }

  /** Give the rectangle around all of the board, or around where pieces stand. */
  extent(manned = false) {
    const [w, h] = state.board.size;
    if (!manned) return { x: -EDGE, y: -EDGE, w: w + 2 * EDGE, h: h + 2 * EDGE };
    const boxes = [...this.boxes].flatMap(([id, box]) => (this.standing.get(id) ?? []).map(() => box));
    if (!boxes.length) return this.extent();
    const [left, right] = span(boxes.map((b) => [b.x, b.x + b.w]), LEAST.w);
    const [top, bottom] = span(boxes.map((b) => [b.y, b.y + b.h]), LEAST.h);
    return { x: left, y: top, w: right - left, h: bottom - top };
  }
}

/** Give the ends of what lies between two sides, and so much at least. */
function span(sides, least) {
  const low = Math.min(...sides.map(([one]) => one)) - EDGE, high = Math.max(...sides.map(([, other]) => other)) + EDGE;
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

/** Give the ends of a connection; nothing for a place. */
const connected = (id) => state.board.crossings?.[id] && state.game.rows(state.situation, state.position, "connection").find(({ row }) => row.id === id)?.row.ends;

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
