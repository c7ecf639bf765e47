// What happens in a game, in words: the rule set gives them in its style (`play`), and everything else is named plainly.

import { capital, words } from "./dom.js";
import { pieceRow, recordOf } from "./questions.js";
import { state } from "./state.js";
import { named } from "./verdict.js";

const spoken = () => state.game.style.play;
const wordsOf = (kind) => spoken().events?.[kind] ?? {};

const list = (texts) => (texts.length > 1 ? `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}` : texts.join(""));

/** Name what an action chooses; a connection by its two ends. */
function shown(value) {
  if (Array.isArray(value)) return list(value.map(shown)) || "nobody";
  const ends = recordOf("connection", value)?.row.ends;
  return ends ? `between ${list(ends)}` : named(value ?? "nobody");
}

/** Fill in a text: {u} is what an action chooses, {u.aims_at} a field of that, {phase} the phase. */
const filled = (text, choices) => text.replace(/\{([\w-]+)(?:\.(\w+))?\}/g, (_, name, field) =>
  name === "phase" ? phase([]).name : shown(field ? pieceRow(choices[name])[field] : choices[name]));

/** Say what an action or an event is, at the beginning of a line or in it; nothing for an event that the rule set has no words for. */
export function say({ kind, by, choices }, isFirst = true) {
  const { do: text } = wordsOf(kind);
  if (text) return filled(isFirst && !text.startsWith("{") ? capital(text) : text, choices);
  if (!by) return "";
  const chosen = Object.entries(choices).filter(([, value]) => value !== false && !recordOf("connection", value));
  return capital([words(kind), ...chosen.map(([name, value]) => (value === true ? words(name) : shown(value)))].join(" "));
}

/** Name what can be pressed for an action: with dice also what the throw needs. */
export function label(action) {
  const { name } = wordsOf(action.kind), text = name ?? say(action);
  return action.dice ? `${text}: ${needed(action)}` : text;
}

/** Say how many dice are thrown, and which faces succeed. */
export const needed = (action) => [action.dice.count === 1 ? "1 die" : `${action.dice.count} dice`, faces(action)].filter(Boolean).join(", ");

function faces({ kind, dice: { lowest, highest } }) {
  if (lowest === undefined) return "";
  if (highest < lowest) return "no throw is enough";
  return `${wordsOf(kind).needs ?? "success on"} ${lowest === highest ? lowest : `${lowest} to ${highest}`}`;
}

/** Say what was needed, what was thrown and how often it succeeded. */
export function fell(action, fallen) {
  const { kind, dice: { low, high, lowest, highest } } = action;
  const thrown = [faces(action), `threw ${list(fallen)}`].filter(Boolean).join(", "), { made, failed, hit = ["success", "successes"] } = wordsOf(kind);
  if (lowest === undefined) return thrown;
  const count = fallen.map((face) => (face < low ? high : face)).filter((face) => face >= lowest && face <= highest).length;
  return `${thrown}: ${made ? (count ? made : failed) : `${count || "no"} ${hit[count === 1 ? 0 : 1]}`}`;
}

/** Say of each piece what it lost between two positions, and which are gone. */
export function losses(before, after) {
  const { strength: [of, ...less] = [], gone = "is gone" } = spoken(), { game, situation } = state;
  const left = ({ record, row }) => less.reduce((sum, name) => sum - game.value(record, row, name), game.value(record, row, of));
  const later = new Map(game.rows(situation, after, "piece").map((piece) => [piece.row.id, piece]));
  return game.rows(situation, before, "piece").flatMap((piece) => {
    const { id, place } = piece.row, then = later.get(id), was = of ? left(piece) : 1;
    if (was <= 0 || !place) return [];
    const now = then?.row.place ? (of ? left(then) : 1) : 0;
    if (now >= was) return [];
    return { id, text: now > 0 ? `${named(id)} loses ${was - now}, ${now} left` : `${named(id)} ${gone}` };
  });
}

/** Say when something happens (`heading`), or how the game has ended (`over`), in the words of a summary. */
export const summed = (what, summary) => (spoken()[what] ?? "").replace(/\{([\w-]+)\}/g, (_, name) => words(summary?.[name] ?? "nobody"));

/** Name the phase and say what is to be done in it; what can be done now may know better. */
export function phase(actions) {
  const { phase: field, phases = {} } = spoken();
  const value = field && state.game.value(state.situation, state.position, field), known = phases[value] ?? {};
  const hint = actions.map(({ kind }) => wordsOf(kind).hint).find(Boolean);
  return { name: known.name ?? capital(words(value ?? "")), hint: hint ?? known.do ?? "" };
}

/** List the lines of a log in groups by time; the steps of a march are one line. */
export function grouped(log) {
  const groups = [];
  let march = null;
  const add = (summary, line) => {
    const head = summed("heading", summary);
    if (groups.at(-1)?.head !== head) groups.push({ head, lines: [] });
    groups.at(-1).lines.push(line);
  };
  for (const { action, says, line, ids = [], happened, summary, at } of log) {
    const goes = action && state.game.events[action.kind]?.goes;
    if (goes === "begins" && march) {
      march.who.push(...ids);
    } else if (goes === "begins") {
      march = { who: [...ids], way: [at].filter(Boolean), at: null, then: [] };
      add(summary, march);
    } else if (goes === "steps" && march) {
      march.way.push(...ids.slice(0, 1));
    } else if (goes && march) {
      if (goes === "closes") march.then.push(say(action, false));
    } else {
      add(summary, { says: says ?? line, ids, then: happened.map((one) => one.says ?? one.text).filter(Boolean) });
    }
    if (goes && march) march.then.push(...happened.map((one) => one.says).filter(Boolean));
    if (goes === "halts" || goes === "closes") march = null;
  }
  return groups;
}

/** Write a line of the log: a march as who went which way. */
export function lineOf({ who, way, says, then, ids }) {
  const text = who ? `${list(who.map(named))}: ${way.join(" → ")}` : says;
  return { text: [text, ...then].join("; "), ids: ids ?? [...who, ...way] };
}
