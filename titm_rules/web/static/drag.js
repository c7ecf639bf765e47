// Dragging what stands beside the board: counters of the tray to places, and from who picks to who is picked.

const FAR = 6;

/** Let what a selector finds be dragged; `drop` is told the element and what lies under the pointer, `ghost` moves along. */
export function draggable(within, selector, drop) {
  let held = null;
  within.addEventListener("pointerdown", (event) => {
    const from = event.target.closest(selector);
    if (from && event.button === 0) held = { from, x: event.clientX, y: event.clientY, moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!held) return;
    if (!held.moved && Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
    if (!held.moved) held.ghost = ghostOf(held.from);
    held.moved = true;
    held.ghost.setAttribute("transform", `translate(${event.clientX - 28} ${event.clientY - 26}) scale(1.9)`);
  });
  window.addEventListener("pointerup", (event) => {
    const was = held;
    held = null;
    if (!was?.moved) return;
    was.ghost.ownerSVGElement.remove();
    swallowClick();
    drop(was.from, document.elementsFromPoint(event.clientX, event.clientY));
  });
  window.addEventListener("pointercancel", () => {
    held?.ghost?.ownerSVGElement.remove();
    held = null;
  });
}

/** Make a picture that goes along with the pointer; where it stands is an attribute, as the page allows no styles of its own. */
function ghostOf(from) {
  const layer = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  layer.setAttribute("class", "ghost");
  const group = layer.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "g"));
  group.append(from.querySelector(".piece").cloneNode(true));
  document.body.append(layer);
  return group;
}

/** A drag is no click on what it began at. */
function swallowClick() {
  const stop = (event) => event.stopPropagation();
  window.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", stop, { capture: true }), 50);
}
