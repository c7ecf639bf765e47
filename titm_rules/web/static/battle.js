// A place seen as another situation, such as a battle: who picks whom, clicked together and judged.

import { ask } from "./api.js";
import { button, h, words } from "./dom.js";
import { dropAnswers, put } from "./questions.js";
import { changed, forgetAnswers, rules, state } from "./state.js";

export async function openBattle(view, place) {
  dropAnswers();
  forgetAnswers();
  try {
    const reply = await ask({ ...rules(), query: `${view}_of`, input: { position: state.position, place } });
    state.battle = { view, place, data: reply.answer[view], plan: {}, firer: null, sides: {}, who: null };
    state.battle.ready = findSides(state.battle);
  } catch (error) {
    state.error = error;
  }
  changed();
}

/** Find the question that lists plans, the one that judges a plan, and what they call the side that is asked. */
function planQuestions(view) {
  const { game } = state;
  const judge = game.asking(view, ["choice"]).find((name) => game.takes(name).some((one) => one.type.kind === "assignment"));
  const list = judge && game.asking(view, ["choices"]).find((name) => game.questions[name].about === game.questions[judge].about);
  const who = judge && game.takes(judge).find((one) => one.type.kind === "enum");
  return { judge, list, who, plan: judge && game.takes(judge).find((one) => one.type.kind === "assignment") };
}

/** Ask for each side which pieces it picks with, and whom it may pick. */
async function findSides(battle) {
  const { list, who } = planQuestions(battle.view);
  if (!list || !who) return;
  for (const side of state.game.words[who.type.name]) {
    const reply = await ask({ ...rules(), query: list, input: { [battle.view]: battle.data, [who.name]: side } }).catch(() => null);
    const lines = reply?.answer[state.game.questions[list].answers[0]] ?? [];
    const pairs = lines.flatMap((line) => line.split(",")).filter(Boolean).map((shot) => shot.split(">"));
    if (state.battle !== battle) return;
    battle.sides[side] = { firers: new Set(pairs.map(([one]) => one)), legal: new Set(pairs.map((pair) => pair.join(">"))), count: reply?.answer.count };
  }
  changed();
}

export function battlePanel() {
  const { battle, game } = state;
  if (!battle) return null;
  const lists = game.fields(battle.view).filter((field) => field.owns && (battle.data[field.name] ?? []).length);
  return h("section", { class: "battle", "aria-label": words(battle.view) },
    h("h2", null, `${words(battle.view)} at ${battle.place} `, button("close", () => { state.battle = null; changed(); })),
    lists.map((field) => h("div", { class: "rank" }, h("h3", null, words(field.name)), battle.data[field.name].map((row) => combatant(field, row)))),
    h("p", { class: "hint" }, battle.firer ? `${battle.firer} picks: click a target` : "Click who picks, then the target."),
    planned(battle),
    h("p", { class: "row" }, Object.keys(game.questions).filter((name) => game.questions[name].situation === battle.view)
      .map((name) => button(words(name), () => beginHere(name)))));
}

async function beginHere(name) {
  const { begin } = await import("./panels.js");
  const { judge, plan } = planQuestions(state.battle.view);
  const given = Object.fromEntries(state.game.takes(name).filter((one) => one.type.kind === "enum" && state.battle.who && one.type.name === planQuestions(state.battle.view).who?.type.name).map((one) => [one.name, state.battle.who]));
  begin(name, state.battle.view, name === judge ? { ...given, [plan.name]: state.battle.plan } : given);
}

/** Show who takes part, as one who picks or is picked, with what may be made of him. */
function combatant(field, row) {
  const { battle, game } = state, record = field.type.name;
  const target = battle.plan[row.id], look = game.look("pieces", record, row);
  const open = battle.firer && battle.sides[battle.who]?.legal.has(`${battle.firer}>${row.id}`);
  const marks = game.fields(record).filter((field) => "default" in field && row[field.name] !== undefined && row[field.name] !== field.default);
  const others = game.fields(battle.view).filter((one) => one.owns && one.type.name === record && one.name !== field.name);
  return h("span", { class: "member" }, button([
    h("b", null, row.id), ` ${game.label(record, row)}`,
    marks.map((field) => h("small", null, ` ${words(field.name)} ${told(row[field.name])}`)),
    target && h("em", null, ` → ${target}`), open && h("em", null, " may be picked"),
  ], () => pick(row.id), { class: `combatant ${open ? "open" : ""}`, "aria-pressed": battle.firer === row.id, "data-combatant": row.id, title: look.label }),
  others.map((one) => button(`to ${words(one.name)}`, () => moveTo(row, field.name, one.name), { class: "small" })));
}

/** Let somebody take part as another. */
function moveTo(row, from, to) {
  const { battle } = state, { data } = battle;
  battle.data = { ...data, [from]: data[from].filter((one) => one !== row), [to]: [...(data[to] ?? []), row] };
  Object.assign(battle, { plan: {}, firer: null, who: null, sides: {} });
  dropAnswers();
  forgetAnswers();
  battle.ready = findSides(battle);
  changed();
}

const told = (value) => (value === true ? "yes" : value === false ? "no" : String(value));

/** Take the one who picks, or with one taken the target; a plan that is whole is judged at once. */
async function pick(id) {
  const { battle } = state;
  await battle.ready; // a click may come before it is known who may pick
  const side = Object.keys(battle.sides).find((name) => battle.sides[name].firers.has(id));
  const own = battle.firer && battle.sides[battle.who]?.firers.has(id);
  if (!battle.firer || own) {
    if (side && side !== battle.who) Object.assign(battle, { who: side, plan: {} });
    battle.firer = battle.firer === id ? null : id;
  } else {
    battle.plan = { ...battle.plan, [battle.firer]: id };
    battle.firer = null;
    const firers = battle.sides[battle.who]?.firers ?? new Set();
    if (firers.size && [...firers].every((one) => battle.plan[one])) judgePlan();
  }
  changed();
}

function judgePlan() {
  const { judge, who, plan } = planQuestions(state.battle.view);
  put(judge, { ...(who ? { [who.name]: state.battle.who } : {}), [plan.name]: state.battle.plan }, state.battle.view);
}

function planned(battle) {
  const shots = Object.entries(battle.plan);
  if (!shots.length) return null;
  return h("p", { class: "row" }, shots.map((pair) => pair.join(" → ")).join(", "), " ",
    button("Judge", judgePlan, { class: "main" }), button("Clear", () => { battle.plan = {}; changed(); }));
}
