// Files and links: positions and records in and out, pictures.

import { ask, get, know, picture, post } from "./api.js";
import { button, byId, h, put, save } from "./dom.js";
import { fragment } from "./share.js";
import { changed, open, rules, state } from "./state.js";

const shown = () => ({ ...rules(), readings: undefined, situation: state.situation, position: state.position });

export function filesPanel() {
  return h("p", { class: "row" },
    button("Copy a link", copyLink, { id: "copy-link" }),
    button("Save the position", () => save("position.json", JSON.stringify(state.position, null, 1), "application/json")),
    button("Save SVG", async () => save("board.svg", await picture(shown()), "image/svg+xml")),
    button("Save PNG", async () => savePng(await picture(shown()))),
    button("Open …", openDialog),
    h("output", { id: "link", class: "link" }));
}

async function copyLink() {
  const link = `${location.origin}/#${await fragment()}`;
  history.replaceState(null, "", link);
  put(byId("link"), h("a", { href: link }, `link of ${link.length} characters`));
  await navigator.clipboard?.writeText(link).catch(() => {}); // where it may not be copied, it can be taken from the page
}

async function savePng(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = h("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  canvas.getContext("2d").drawImage(image, 0, 0);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => save("board.png", blob));
}

function openDialog() {
  const dialog = byId("clause");
  const area = h("textarea", { rows: 12, "aria-label": "a position as JSON, or a record" });
  const file = h("input", { type: "file", accept: ".json,.txt", "aria-label": "a file", onchange: async () => { area.value = await file.files[0].text(); } });
  const go = async () => {
    try {
      await read(area.value);
      dialog.close();
    } catch (error) {
      put(fault, error.message, " ", error.fix ?? "");
    }
  };
  const fault = h("p", { class: "error", role: "alert" });
  put(dialog, h("h2", null, "Open a position or a record"), file, area, fault, h("p", { class: "row" }, button("Open", go, { class: "main" }), button("Close", () => dialog.close())));
  dialog.showModal();
}

/** Open a position in JSON, or a record: it is replayed up to its end or its first line that is not legal. */
export async function read(text) {
  const given = text.trim();
  if (!given.startsWith("{")) return replay(given);
  const raw = JSON.parse(given), position = raw.position ?? raw;
  const told = await post("board", { ...rules(), readings: undefined, situation: state.situation, position });
  open(told.position, told.situation, told.board, { summary: told.summary, overlays: state.overlays });
}

async function replay(record) {
  const named = (word) => new RegExp(`^${word}\\s+(\\S+)`, "m").exec(record)?.[1];
  const edition = named("edition") ?? state.edition, name = named("start");
  const reply = await ask({ game: state.game.name, edition, query: "replay", input: { record } });
  const told = await get(`games/${encodeURIComponent(state.game.name)}/scenarios/${encodeURIComponent(name)}?edition=${encodeURIComponent(edition)}`);
  const { position, digest, refused, legal, actions } = reply.answer;
  know(position, digest);
  open(position, told.situation, told.board, { summary: reply.answer.summary, titles: told.titles, overlays: told.overlays, edition });
  state.asked = { query: "replay", input: { record }, situation: "" };
  state.reply = { answer: { legal, actions, ...(refused ? { line: refused.line, text: refused.text } : {}) }, why: refused?.why ?? [] };
  changed();
}
