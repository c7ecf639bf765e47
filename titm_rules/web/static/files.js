// Files and links: positions and records in and out, pictures.

import { ask, get, know, picture, post } from "./api.js";
import { button, byId, h, put, save } from "./dom.js";
import { openWhole } from "./battle.js";
import { openPlan } from "./plan.js";
import { applied, fragment, readable } from "./share.js";
import { changed, goTo, open, rules, state } from "./state.js";
import { errorBox } from "./verdict.js";

const shown = () => ({ ...rules(), readings: undefined, situation: state.situation, position: state.position });

/** Write the position as a case that `titm check` takes: under its rules, with the question that is shown. */
function written() {
  const { asked, situation, position } = state, isShown = asked && asked.situation === situation;
  const { overlays, ...known } = rules(); // the command line takes house rules as an option
  return { ...known, ...(overlays ? { title: `with ${overlays.map((name) => `--overlay ${name}`).join(" ")}` } : {}), ...(isShown ? { query: asked.query, input: asked.input } : {}), [situation]: position };
}

export function filesPanel() {
  return h("p", { class: "row" },
    button("Copy a link", told(copyLink), { id: "copy-link" }),
    button("Notation", showNotation, { id: "notation" }),
    button("Open …", openDialog, { id: "open" }),
    button("Plan a sheet …", openPlan, { id: "plan" }),
    button("Save the position", () => save("position.json", JSON.stringify(written(), null, 1), "application/json")),
    button("Save SVG", told(async () => save("board.svg", await picture(shown()), "image/svg+xml"))),
    button("Save PNG", told(async () => savePng(await picture(shown())))),
    h("output", { id: "link", class: "link", "aria-label": "link" }));
}

/** Do something, and show what goes wrong. */
const told = (work) => async () => {
  try {
    await work();
  } catch (error) {
    put(byId("link"), errorBox(error));
  }
};

async function copyLink() {
  const link = `${location.href.split("#")[0]}#${await fragment()}`;
  history.replaceState(null, "", link);
  put(byId("link"), h("a", { href: link }, `link of ${link.length} characters`));
  await navigator.clipboard?.writeText(link).catch(() => {}); // where it may not be copied, it can be taken from the page
}

/** Show the position on one line, which the command line and the protocol take too, and as a link that can be read. */
const showNotation = told(async () => {
  const reply = await ask({ ...rules(), query: "notation", input: { position: state.position } });
  const { notation } = reply.answer, link = `${location.href.split("#")[0]}#${readable(notation)}`;
  put(byId("link"), h("code", { id: "notation-text" }, notation), " ", h("a", { href: link }, "as a link"));
  await navigator.clipboard?.writeText(notation).catch(() => {});
});

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
  const area = h("textarea", { rows: 12, "aria-label": "a notation, a position as JSON, a ruling, or a record", placeholder: "campaign,18-2,2-pz-a@Bastogne" });
  const file = h("input", { type: "file", accept: ".json,.yaml,.yml,.txt", "aria-label": "a file", onchange: async () => { area.value = await file.files[0].text(); } });
  const go = async () => {
    try {
      await read(area.value);
      dialog.close();
    } catch (error) {
      put(fault, errorBox(error));
    }
  };
  const fault = h("div");
  put(dialog, h("h2", null, "Open a position, a ruling or a record"),
    h("p", { class: "hint" }, "A line of notation, a position as JSON, a ruling that was kept, or the record of a game. A file can also be dropped on the page."), file, area, fault,
    h("p", { class: "row" }, button("Open", go, { class: "main" }), button("Start empty", () => { dialog.close(); document.dispatchEvent(new Event("empty")); }), button("Close", () => dialog.close())));
  dialog.showModal();
  area.focus();
}

/** Open files that are dropped on the page; `opens` does what opens something. */
export function takeDrops(opens) {
  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => isFile(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    opens(async () => read(await event.dataTransfer.files[0].text()));
  });
}

const isRuling = (text) => ["question", "outcome", "digest"].every((name) => new RegExp(`^\\s*"?${name}"?:`, "m").test(text));

/**
 * Open a notation, a position in JSON, a ruling, or a record: a ruling is asked again, and a record is replayed up to its
 * end or its first line that fails.
 */
export async function read(text) {
  if (isRuling(text)) return openRuling(text);
  const given = text.trim(), raw = given.startsWith("{") ? parsed(given) : given;
  if (typeof raw === "string" && /\n/.test(given)) return replay(given);
  const situation = Object.keys(state.game.records).find((name) => state.game.records[name].role === "situation" && typeof raw[name] === "object");
  const edition = (situation && raw.edition) || state.edition;
  const found = await post("board", { ...rules(), edition, readings: undefined, situation: situation ?? state.situation, position: raw[situation] ?? raw });
  openWhole({ ...found, overlays: state.overlays }, { edition, readings: (situation && raw.readings) || state.readings });
  if (situation && raw.query) document.dispatchEvent(new CustomEvent("posed", { detail: [raw.query, raw.input ?? {}, situation] }));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw { message: "This position cannot be read: its text is cut off or damaged.", fix: "Open the whole file, or copy the whole text." };
  }
}

/** Ask a ruling again, under its own rules: its position is opened with its question, and whether it holds is shown. */
async function openRuling(text) {
  const told = await post("verify", { text }), start = /^\s*"?position"?: "?([\w-]+)/m.exec(text)?.[1];
  if (told.kind === "ruling") document.dispatchEvent(new CustomEvent("ruling", { detail: { ...told, start } }));
}

const LINK = / = [0-9a-f]{16}$/;

/** Check the chain of a record as well, whose links show each change; give what is said of it, as `state.checked` is shown. */
async function checkChain(record, last = "") {
  const told = await post("verify", { text: record, game: state.game.name, last });
  const fault = told.fault && `${told.line ? `Line ${told.line}: ` : ""}${told.fault}.`;
  const compare = async (noted) => {
    state.checked = await checkChain(record, noted).catch((error) => ({ title: "The record", holds: false, says: [error.message] }));
    changed();
  };
  return { title: "The record", holds: told.holds, line: told.line, last, says: [fault, `${told.says[0]}. Last link: ${told.last}`].filter(Boolean), compare };
}

/** Replay a record; every step of it can be gone to. */
async function replay(record) {
  const named = (word) => new RegExp(`^${word}\\s+(\\S+)`, "m").exec(record)?.[1];
  const edition = named("edition") ?? state.edition, input = { record, steps: true };
  const reply = await ask({ game: state.game.name, edition, query: "replay", input });
  const { course, digest, refused, legal, actions } = reply.answer;
  const placed = await post("board", { game: state.game.name, edition, overlays: state.overlays, position: course.start });
  open(course.start, placed.situation, placed.board, { scenario: null, edition, summary: course.summary, titles: await titlesOf(named("start"), edition) });
  let position = course.start, before = course.summary;
  for (const { text, changes, summary } of course.steps) {
    position = applied(position, changes);
    state.history.push({ position, log: [...state.history.at(-1).log, { line: text.replace(LINK, ""), happened: [], summary: before, after: summary }] });
    before = summary;
  }
  know(position, digest);
  state.from = named("start");
  goTo(state.history.length - 1);
  state.asked = { query: "replay", input: { record }, situation: "" };
  const asks = "May the game go as the record says?", ends = legal ? `Yes, all ${actions} actions.` : `No, not at line ${refused.line}: ${refused.text}. ${refused.reason}`;
  state.reply = { headline: `${asks} ${ends}`, answer: { legal, actions, ...(refused ? { line: refused.line, text: refused.text, reason: refused.reason } : {}) }, why: refused?.why ?? [] };
  changed();
  if (!record.split("\n").some((line) => LINK.test(line.trimEnd()))) return;
  const checked = await checkChain(record);
  if (state.position !== position && state.asked?.query !== "replay") return;
  const held = course.steps.filter(({ line }) => !checked.line || line < checked.line).length;
  if (checked.line) goTo(held);
  Object.assign(state, { checked, asked: { query: "replay", input: { record }, situation: "" }, reply: checked.line && checked.line !== refused?.line ? { headline: `${asks} No, not as from line ${checked.line}.`, answer: { legal: false, actions: held }, why: [] } : state.reply });
  changed();
}

/** Give what pieces are called, where a record begins with a scenario. */
export async function titlesOf(start, edition) {
  const name = start?.split(",")[0];
  if (!state.scenarios.some((one) => one.name === name && one.scenario)) return {};
  return (await get(`games/${encodeURIComponent(state.game.name)}/scenarios/${encodeURIComponent(name)}?edition=${encodeURIComponent(edition)}`)).titles;
}
