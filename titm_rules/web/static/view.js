// Zoom, pan and pinch of the board, and what is clicked, dragged or reached by keys on it.

import { changed, state } from "./state.js";
import { drag, select, zoom, zoomIdentity, zoomTransform } from "./vendor.js";

const FAR = 6, FEW = 60, LEAST_SCALE = 0.68, NEAR_SCALE = 1, ABOUT = 500, MOST_SCALE = 6, ROOM = 130;

export class View {
  /** @param on handlers: place(id, further), piece(id, further), connection(id), drop(piece, place), off(piece), next(place) */
  constructor(svg, board, on) {
    Object.assign(this, { svg, board, on, selection: select(svg) });
    this.zooming = zoom().clickDistance(FAR).extent(() => [[0, 0], this.frame]).on("zoom", ({ transform }) => this.follow(transform));
    this.selection
      .call(drag().clickDistance(FAR).container(board.world.parentNode).subject(({ sourceEvent: { target } }) => this.taken(target))
        .filter((event) => !event.button && target(event, "[data-piece]")).on("start drag end", (event) => this.move(event)))
      .call(this.zooming.filter((event) => event.type === "wheel" || (!event.button && !(event.type === "mousedown" && target(event, "[data-piece]")))))
      .on("dblclick.zoom", null);
    svg.addEventListener("click", (event) => this.click(event));
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focus", () => svg.matches(":focus-visible") && this.focusCursor()); // by keys, not by a click
    new ResizeObserver(() => this.resize()).observe(svg);
  }

  get frame() {
    return [this.svg.clientWidth || 1, this.svg.clientHeight || 1];
  }

  /** Give the part of the board that is shown. */
  get box() {
    const now = zoomTransform(this.svg), [w, h] = this.frame;
    return { x: -now.x / now.k, y: -now.y / now.k, w: w / now.k, h: h / now.k };
  }

  follow(transform) {
    this.board.world.setAttribute("transform", transform);
    this.board.look(transform.k);
  }

  /** Keep what is in the middle there when the frame becomes larger or smaller. */
  resize() {
    const [w, h] = this.frame, [was, high] = this.was ?? [w, h];
    this.was = [w, h];
    if (was !== w || high !== h) this.zooming.translateBy(this.selection, (w - was) / 2 / this.scale, (h - high) / 2 / this.scale);
  }

  get scale() {
    return zoomTransform(this.svg).k;
  }

  /** Show a part of the board, all of it, in the middle of the frame. */
  show({ x, y, w, h }) {
    const [wide, high] = this.frame, k = Math.min(wide / w, high / h);
    this.zooming.transform(this.selection, zoomIdentity.translate(wide / 2, high / 2).scale(k).translate(-(x + w / 2), -(y + h / 2)));
  }

  fit() {
    this.show(this.board.extent());
  }

  /** Show the part of the board where something stands, large enough to be read, and no empty ground that could show more of it. */
  begin() {
    const whole = this.board.extent(), { x, y, w, h } = this.board.extent(this.board.boxes.size > FEW), [wide, high] = this.frame;
    const k = Math.max(Math.min(wide / w, high / h), LEAST_SCALE);
    this.zooming.scaleExtent([Math.min(wide / whole.w, high / whole.h) / 1.5, MOST_SCALE]);
    const [left, across] = within(x + w / 2, wide / k, whole.x, whole.w), [top, down] = within(y + h / 2, high / k, whole.y, whole.h);
    this.show({ x: left, y: top, w: across, h: down });
  }

  /** Bring a place into sight, near enough to be read, or all of the board between it and another. */
  reveal(id, near = false, other = id) {
    const box = this.board.boxes.get(id), from = this.board.boxes.get(other);
    if (!box) return;
    if (from && from !== box) return this.show(around(box, from));
    const { x, y, w, h } = this.box;
    const inside = box.cx > x && box.cx < x + w && box.cy > y && box.cy < y + h;
    const scale = Math.max(LEAST_SCALE, Math.min(NEAR_SCALE, ...this.frame.map((length) => length / ABOUT))); // its neighbours are seen too
    if (near && this.scale < scale) this.zooming.scaleTo(this.selection, scale);
    else if (inside) return;
    this.zooming.translateTo(this.selection, box.cx, box.cy);
  }

  zoom(factor) {
    this.zooming.scaleBy(this.selection, 1 / factor);
  }

  // ---------------------------------------------------------------- pointers
  click(event) {
    const place = target(event, "[data-place], [data-region]")?.dataset, further = event.shiftKey;
    if (target(event, "[data-piece]")) this.on.piece(target(event, "[data-piece]").dataset.piece, further);
    else if (target(event, "[data-connection]")) this.on.connection(target(event, "[data-connection]").dataset.connection);
    else if (place) this.on.place(place.place ?? place.region, further);
  }

  taken(target) {
    const piece = target.closest("[data-piece]");
    return { piece, home: piece.getAttribute("transform"), x: 0, y: 0 };
  }

  /** Let a counter go along with the pointer; it is set down where it is let go. */
  move({ type, x, y, subject: { piece, home }, sourceEvent }) {
    const isMoved = Math.hypot(x, y) >= FAR;
    if (type === "drag" && isMoved) {
      piece.classList.add("held");
      const [, left, top, scale] = home.match(/translate\((\S+) (\S+)\) scale\((\S+)\)/).map(Number);
      piece.setAttribute("transform", `translate(${left + x / this.scale} ${top + y / this.scale}) scale(${scale})`);
    }
    if (type === "end" && piece.classList.contains("held")) {
      piece.classList.remove("held");
      piece.setAttribute("transform", home);
      this.drop(piece, sourceEvent.changedTouches?.[0] ?? sourceEvent);
    }
  }

  drop(piece, { clientX, clientY }) {
    const under = document.elementsFromPoint(clientX, clientY).filter((one) => !piece.contains(one)).map((one) => one.closest?.("[data-place], [data-region]")?.dataset);
    const place = under.find(Boolean);
    if (place) this.on.drop(piece.dataset.piece, place.place ?? place.region);
    else if (document.elementsFromPoint(clientX, clientY).some((one) => one.closest?.("#tray"))) this.on.off(piece.dataset.piece);
  }

  // ---------------------------------------------------------------- keys
  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (steps[event.key]) this.step(...steps[event.key]);
    else if (event.key === "Enter" && state.cursor) this.on.place(state.cursor, event.shiftKey);
    else if (event.key === " " && state.cursor) this.on.next(state.cursor);
    else if (event.key === "+" || event.key === "=") this.zoom(0.8);
    else if (event.key === "-") this.zoom(1.25);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  /** Move the cursor to the nearest place in a direction. */
  step(dx, dy) {
    const here = this.board.boxes.get(state.cursor) ?? [...this.board.boxes.values()][0];
    let best = null, least = Infinity;
    for (const [id, box] of this.board.boxes) {
      const along = (box.cx - here.cx) * dx + (box.cy - here.cy) * dy;
      const aside = Math.abs((box.cx - here.cx) * dy - (box.cy - here.cy) * dx);
      const far = along + 2 * aside;
      if (along > 1 && aside <= 2 * along && far < least) [best, least] = [id, far];
    }
    if (best !== null) state.cursor = best;
    changed();
    queueMicrotask(() => this.focusCursor());
  }

  focusCursor() {
    state.cursor ??= this.board.boxes.keys().next().value;
    this.reveal(state.cursor);
    this.svg.querySelector(`[data-place="${CSS.escape(state.cursor ?? "")}"]`)?.focus({ preventScroll: true });
  }
}

const target = (event, selector) => event.target.closest?.(selector);

/** Give the part of the board that holds two boxes, with the neighbourhood of both. */
function around(one, other) {
  const left = Math.min(one.x, other.x), top = Math.min(one.y, other.y);
  const wide = Math.max(one.x + one.w, other.x + other.w) - left, high = Math.max(one.y + one.h, other.y + other.h) - top;
  return { x: left - ROOM, y: top - ROOM, w: wide + 2 * ROOM, h: high + 2 * ROOM };
}

/** Lay a length about a middle, inside what there is of the board if that is longer. */
function within(middle, length, start, all) {
  if (length >= all) return [start + (all - length) / 2, length];
  return [Math.min(Math.max(middle - length / 2, start), start + all - length), length];
}
