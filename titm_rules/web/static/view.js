// Zoom, pan and pinch of the board, and what is clicked, dragged or reached by keys on it.

import { changed, state } from "./state.js";

const NEAR = 0.8, FAR = 6, FEW = 60, MOST_SHRUNK = 1.45, ROOM = 130;

export class View {
  /** @param on handlers: place(id, further), piece(id, further), connection(id), drop(piece, place), off(piece), next(place) */
  constructor(svg, board, on) {
    Object.assign(this, { svg, board, on, pointers: new Map(), box: { x: 0, y: 0, w: 400, h: 300 } });
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => this.cancel());
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focus", () => this.focusCursor());
  }

  show(box) {
    this.box = box;
    this.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
    this.svg.classList.toggle("near", Math.max(box.w / this.svg.clientWidth, box.h / this.svg.clientHeight) < NEAR);
  }

  fit() {
    this.show(this.board.extent());
  }

  /** Show the part of the board where something stands, large enough to be read, and no empty ground that could show more of it. */
  begin() {
    const whole = this.board.extent(), { x, y, w, h } = this.board.extent(this.board.boxes.size > FEW);
    const { clientWidth: wide, clientHeight: high } = this.svg;
    const shrunk = Math.min(Math.max(w / wide, h / high), MOST_SHRUNK);
    const [left, across] = within(x + w / 2, wide * shrunk, whole.x, whole.w);
    const [top, down] = within(y + h / 2, high * shrunk, whole.y, whole.h);
    this.show({ x: left, y: top, w: across, h: down });
  }

  /** Bring a place into sight, near enough to be read, or all of the board between it and another. */
  reveal(id, near = false, other = id) {
    const box = this.board.boxes.get(id), from = this.board.boxes.get(other);
    if (!box) return;
    if (from && from !== box) {
      this.show(around(box, from, this.svg.clientWidth / this.svg.clientHeight));
      return;
    }
    const wide = near ? Math.min(this.box.w, this.svg.clientWidth * 1.1) : this.box.w;
    const high = (wide * this.box.h) / this.box.w;
    const { x, y, w, h } = this.box;
    const inside = box.cx > x && box.cx < x + w && box.cy > y && box.cy < y + h;
    if (!inside || wide !== w) this.show({ x: box.cx - wide / 2, y: box.cy - high / 2, w: wide, h: high });
  }

  point(event) {
    const matrix = this.svg.getScreenCTM();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  }

  zoom(factor, at) {
    const { x, y, w, h } = this.box;
    const spot = at ?? { x: x + w / 2, y: y + h / 2 };
    const most = this.board.extent().w * 2;
    const scale = Math.min(Math.max(w * factor, 150), most) / w;
    this.show({ x: spot.x - (spot.x - x) * scale, y: spot.y - (spot.y - y) * scale, w: w * scale, h: h * scale });
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY * 0.0015), this.point(event));
  }

  // ---------------------------------------------------------------- pointers
  down(event) {
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size > 1) {
      this.held = null;
      return;
    }
    const piece = event.target.closest?.("[data-piece]");
    this.held = { x: event.clientX, y: event.clientY, target: event.target, piece, box: this.box, moved: false };
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    if (this.pointers.size === 2) this.pinch(event);
    else if (this.held) this.drag(event);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  drag(event) {
    const dx = event.clientX - this.held.x, dy = event.clientY - this.held.y;
    if (!this.held.moved && Math.hypot(dx, dy) < FAR) return;
    if (!this.held.moved) this.svg.setPointerCapture(event.pointerId);
    this.held.moved = true;
    const scale = 1 / this.svg.getScreenCTM().a;
    if (this.held.piece) {
      this.held.home ??= this.held.piece.getAttribute("transform");
      const { x, y } = this.point(event);
      this.held.piece.setAttribute("transform", `translate(${x - 15} ${y - 8})`);
      this.held.piece.classList.add("held");
      return;
    }
    const { box } = this.held;
    this.show({ ...box, x: box.x - dx * scale, y: box.y - dy * scale });
  }

  pinch(event) {
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
    const before = this.pointers.get(event.pointerId);
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    if (was > 0 && is > 0) this.zoom(was / is, this.point({ clientX: (event.clientX + other.x) / 2, clientY: (event.clientY + other.y) / 2 }));
  }

  up(event) {
    const held = this.held;
    this.cancel(event.pointerId);
    if (!held) return;
    if (!held.moved) this.click(held.target, event.shiftKey);
    else if (held.home) this.drop(held, event);
  }

  cancel(id) {
    if (id === undefined) this.pointers.clear();
    this.pointers.delete(id);
    this.held = null;
  }

  drop(held, event) {
    held.piece.setAttribute("transform", held.home);
    held.piece.classList.remove("held");
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    const place = under.map((one) => one.closest?.("[data-place]")).find((one) => one && !one.contains(held.piece));
    if (place) this.on.drop(held.piece.dataset.piece, place.dataset.place);
    else if (under.some((one) => one.closest?.("#tray"))) this.on.off(held.piece.dataset.piece);
  }

  click(target, further) {
    const piece = target.closest?.("[data-piece]");
    const place = target.closest?.("[data-place]"), connection = target.closest?.("[data-connection]");
    if (piece) this.on.piece(piece.dataset.piece, further);
    else if (place) this.on.place(place.dataset.place, further);
    else if (connection) this.on.connection(connection.dataset.connection);
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

/** Give the part of the board that holds two boxes, with the neighbourhood of both, in the shape of the frame. */
function around(one, other, shape) {
  const left = Math.min(one.x, other.x), top = Math.min(one.y, other.y);
  const wide = Math.max(one.x + one.w, other.x + other.w) - left + 2 * ROOM, high = Math.max(one.y + one.h, other.y + other.h) - top + 2 * ROOM;
  const w = Math.max(wide, high * shape), h = w / shape;
  return { x: left - ROOM - (w - wide) / 2, y: top - ROOM - (h - high) / 2, w, h };
}

/** Lay a length about a middle, inside what there is of the board if that is longer. */
function within(middle, length, start, all) {
  if (length >= all) return [start + (all - length) / 2, length];
  return [Math.min(Math.max(middle - length / 2, start), start + all - length), length];
}
