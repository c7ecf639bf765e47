// Search by names: what was meant, though it is mistyped, shortened or written out; and the list that shows it while one types.

import { h, put } from "./dom.js";

const LEAST = 0.5, ORDINAL = /^(\d+)(?:st|nd|rd|th)$/, MARKS = /\p{M}/gu, MOST_SHOWN = 8;

/** Part a text into words and numbers in lower case, without accents: 2nd is 2. */
const parts = (text) => (String(text).normalize("NFD").replace(MARKS, "").toLowerCase().match(/[\p{L}\d]+/gu) ?? []).map((part) => part.replace(ORDINAL, "$1"));

/** Count the typing errors between two texts: letters that are wrong, missing, too many or swapped (optimal string alignment). */
export function errors(one, other) {
  let before = [], last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const same = one[row - 1] === other[at - 1];
      next[at] = Math.min(last[at] + 1, next[at - 1] + 1, last[at - 1] + (same ? 0 : 1));
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) next[at] = Math.min(next[at], before[at - 2] + 1);
    }
    [before, last] = [last, next];
  }
  return last[other.length];
}

const isWithin = (short, long) => [...long].reduce((at, letter) => at + (letter === short[at] ? 1 : 0), 0) === short.length;
const room = (length) => (length < 3 ? 0 : length < 5 ? 1 : length < 8 ? 2 : 3);

/** Say from 0 to 1 how well a typed word fits a word of a name: begun, written out where the name is short, or mistyped. */
function likeness(typed, word) {
  if (typed === word) return 1;
  const isNumber = /^\d+$/.test(typed) && /^\d+$/.test(word);
  if (word.startsWith(typed)) return isNumber ? 0.5 : 0.75 + (0.2 * typed.length) / word.length;
  const most = Math.max(typed.length, word.length);
  const isShort = word.length > 1 && typed.length > 3 && typed[0] === word[0] && !isNumber && isWithin(word, typed);
  const wrong = Math.abs(typed.length - word.length) <= room(most) ? errors(typed, word) : most;
  const mistyped = wrong <= room(most) ? 1 - (isNumber ? 1.5 : 1) * (wrong / most) : 0;
  const begun = typed.length > 3 && typed.length < word.length ? errors(typed, word.slice(0, typed.length)) : most;
  const half = begun <= room(typed.length) ? 0.8 * (1 - begun / typed.length) : 0;
  return Math.max(mistyped, half, isShort ? 0.82 : 0);
}

/** Say from 0 to 1 how well what was typed fits a name: word by word, or as a whole where spaces are missing or too many. */
function fit(typed, name) {
  const all = typed.join(""), whole = name.join(""), longest = Math.max(all.length, whole.length);
  if (!all || !whole) return 0;
  const left = [...name];
  let hit = 0, used = 0;
  for (const part of typed) {
    const best = left.map((word) => [likeness(part, word), word]).sort(([one], [other]) => other - one)[0] ?? [0, ""];
    hit += best[0] * part.length;
    if (!best[0]) continue;
    used += best[1].length;
    left.splice(left.indexOf(best[1]), 1);
  }
  const wrong = Math.abs(all.length - whole.length) > 3 ? longest : errors(all, whole);
  return Math.max((hit / all.length) * (0.88 + (0.12 * used) / whole.length), wrong <= room(longest) ? 1 - wrong / longest - 0.01 : 0);
}

/** List of things, each with `names`, a `kind`, and if need be a `note` and a `weight` under 1, those that fit what was typed, best first. */
export function rank(text, things) {
  const typed = parts(text);
  const found = things.map((thing) => ({ thing, score: Math.max(...thing.names.map((name) => fit(typed, (known.get(name) ?? keep(name))))) * (thing.weight ?? 1) }));
  return found.filter(({ score }) => score >= LEAST).sort((one, other) => other.score - one.score);
}

const known = new Map(); // names in parts
function keep(name) {
  known.set(name, parts(name));
  return known.get(name);
}

/** Let a field list what is found while one types; `on.things()` gives what can be found, `on.else(text)` what stands last, `on.take(text, thing)` takes a line, or what was picked. */
export function finder(form, on) {
  const field = form.querySelector("input"), list = form.querySelector("[role=listbox]");
  let shown = [], at = -1;
  const draw = () => {
    field.setAttribute("aria-expanded", String(shown.length > 0));
    field.setAttribute("aria-activedescendant", at < 0 ? "" : `found-${at}`);
    put(list, shown.map(({ thing }, index) => h("li", {
      role: "option", id: `found-${index}`, "aria-selected": index === at, onpointerdown: (event) => { event.preventDefault(); take(thing); },
    }, h("span", null, thing.names[0]), h("small", null, `${thing.kind} ${thing.note ?? ""}`))));
  };
  const close = () => { shown = []; at = -1; draw(); };
  const take = (thing) => {
    const text = field.value.trim();
    close();
    if (thing) field.value = thing.text ?? thing.names[0];
    field.select(); // what was typed stays, and what is typed next takes its place
    if (thing || text) on.take(text, thing);
  };
  field.addEventListener("input", () => {
    const text = field.value.trim();
    shown = text.length > 1 ? [...rank(text, on.things()).slice(0, MOST_SHOWN), { thing: on.else(text) }] : [];
    at = -1;
    draw();
  });
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    if (!step || !shown.length) return;
    event.preventDefault();
    at = Math.max(-1, Math.min(shown.length - 1, at + step));
    draw();
  });
  field.addEventListener("blur", close);
  form.addEventListener("submit", (event) => { event.preventDefault(); take(shown[at]?.thing); });
}
