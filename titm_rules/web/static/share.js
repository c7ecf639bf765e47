// A position in a link: what differs from the scenario that was opened, packed into the fragment.

import { state } from "./state.js";

const MOST = 400_000;

async function through(bytes, stream) {
  const packed = new Blob([bytes]).stream().pipeThrough(stream);
  const reader = packed.getReader(), parts = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    size += next.value.length;
    if (size > MOST * 10) throw new Error("the link holds too much");
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const toText = (bytes) => btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));

/** Write the position, its rules and what was asked as the fragment of a link. */
export async function fragment() {
  const { game, edition, readings, overlays, scenario, situation, asked, pieces, path, place, connection } = state;
  const held = {
    g: game.name, e: edition, r: readings, o: overlays, s: scenario, t: situation,
    ...(scenario ? { d: difference(state.start, state.position) } : { p: state.position }),
    a: asked && asked.situation === situation ? asked : null, u: pieces, w: path, i: place, c: connection,
  };
  const bytes = new TextEncoder().encode(JSON.stringify(held));
  return toText(await through(bytes, new CompressionStream("deflate-raw")));
}

const NAMED = "?";

/** Write a link that people can read and write: the notation of a position, the edition, and the game. */
export const readable = (notation) => `${NAMED}${new URLSearchParams({ game: state.game.name, edition: state.edition })}&position=${notation}`;

const isText = (value) => typeof value === "string";
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value) => Array.isArray(value) && value.every(isText);
const isChange = (value) => isRecord(value) && ("rows" in value ? isRecord(value.rows) && Object.values(value.rows).every((row) => row === null || isRecord(row)) : "is" in value);
const isOverlay = (value) => isText(value) || (isRecord(value) && isText(value.name) && isText(value.text));

// What a link may hold; all else is damage, which the page must not try to open.
const SHAPES = {
  g: isText, e: isText, s: isText, t: isText, n: isText, u: isTexts, w: isTexts, i: isText, c: isText, p: isRecord,
  r: (value) => isRecord(value) && Object.values(value).every(isText),
  o: (value) => Array.isArray(value) && value.every(isOverlay),
  d: (value) => isRecord(value) && Object.values(value).every(isChange),
  a: (value) => isRecord(value) && isText(value.query) && isRecord(value.input) && isText(value.situation),
};

/** Read the fragment of a link: packed, or in words: a case, or the notation of a position and a question as on the command line. */
export async function held(text) {
  const link = await unpacked(text);
  const isWhole = isRecord(link) && ("n" in link || (link.s ? "d" in link : "p" in link && "t" in link));
  const isSound = ([name, value]) => !(name in SHAPES) || value === null || value === undefined || SHAPES[name](value);
  if (!isWhole || !Object.entries(link).every(isSound)) throw new Error("the link is damaged");
  return link;
}

async function unpacked(text) {
  if (text.length > MOST) throw new Error("the link is too long");
  if (text.startsWith(NAMED)) {
    const given = new URLSearchParams(text.slice(NAMED.length));
    return { n: given.get("position") ?? "", g: given.get("game"), e: given.get("edition"), k: given.get("case"), q: given.get("ask") };
  }
  const bytes = await through(toBytes(text), new DecompressionStream("deflate-raw"));
  return JSON.parse(new TextDecoder().decode(bytes));
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const isRows = (value) => Array.isArray(value) && value.every((row) => row && typeof row === "object" && "id" in row);

/** Tell how a position differs from another: fields, and rows of lists by id; null is what is not there any more. */
export function difference(before, after) {
  const found = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (same(before[name], after[name])) continue;
    if (isRows(before[name]) && isRows(after[name])) found[name] = { rows: rowsChanged(before[name], after[name]) };
    else found[name] = { is: after[name] ?? null };
  }
  return found;
}

function rowsChanged(before, after) {
  const was = new Map(before.map((row) => [row.id, row])), is = new Map(after.map((row) => [row.id, row]));
  const gone = [...was.keys()].filter((id) => !is.has(id)).map((id) => [id, null]);
  return Object.fromEntries([...gone, ...[...is].filter(([id, row]) => !same(row, was.get(id)))]);
}

/** Give the position that differs from another in this way. */
export function applied(before, changes) {
  const position = { ...before };
  for (const [name, change] of Object.entries(changes)) {
    if ("rows" in change) position[name] = withRows(before[name] ?? [], change.rows);
    else if (change.is === null) delete position[name];
    else position[name] = change.is;
  }
  return position;
}

function withRows(rows, changes) {
  const known = new Set(rows.map((row) => row.id));
  const added = Object.entries(changes).filter(([id, row]) => row && !known.has(id)).map(([, row]) => row);
  return [...rows.map((row) => (row.id in changes ? changes[row.id] : row)).filter(Boolean), ...added];
}
