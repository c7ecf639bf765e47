// A place seen as another situation, such as a battle: who picks whom, joined by clicks or by dragging, judged, with its odds.

import { ask } from "./api.js";
import { button, capital, h, s, words } from "./dom.js";
import { askButtons } from "./fields.js";
import { begin, pieceOf, put } from "./questions.js";
import { counterPicture } from "./shapes.js";
import { changed, forgetAnswers, open, rules, state, stays } from "./state.js";
import { named, told } from "./verdict.js";

const MOST_PLANS = 5;

export async function openBattle(view, place) {
  forgetAnswers();
  const isWanted = stays();
  try {
    const reply = await ask({ ...rules(), query: `${view}_of`, input: { position: state.position, place } });
    if (isWanted()) study({ view, place, data: reply.answer[view] });
  } catch (error) {
    if (isWanted()) state.error = error;
  }
  changed();
}

/** Begin with a position: on its board, or, where it has none, such as a battle, as that alone. */
export function openWhole({ situation, position, board, summary, overlays }, more = {}) {
  if (state.game.isApart(situation)) state.mode = "ask";
  open(position, situation, board, { summary, overlays: overlays ?? [], ...more });
  if (state.game.isApart(situation)) study({ view: situation, place: "", data: position });
}

/** Open a battle, as one of its own if it was open already, and ask all of it that takes no further word. */
export function study({ view, place, data }) {
  const battle = { view, place, data, plan: {}, firer: null, who: null, sides: {}, facts: {}, odds: null };
  state.battle = battle; // an answer or a click that was for another is dropped
  battle.ready = findSides(battle);
  battle.ready.then(() => findFacts(battle)).then(() => findOdds(battle));
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

/** Ask what is asked of a battle without a further word. */
async function findFacts(battle) {
  for (const name of state.game.asking(battle.view, ["answers"]).filter((one) => !state.game.takes(one).length)) {
    const reply = await ask({ ...rules(), query: name, input: { [battle.view]: battle.data } }).catch(() => null);
    if (state.battle !== battle) return;
    if (reply) battle.facts[name] = reply.answer;
  }
  changed();
}

/** Ask for the best plans of each side, with exact odds. */
async function findOdds(battle) {
  const reply = await ask({ ...rules(), query: "odds", input: { [battle.view]: battle.data, top: MOST_PLANS } }).catch(() => null);
  if (state.battle !== battle || !reply) return;
  battle.odds = reply.answer.questions ?? [reply.answer];
  changed();
}

// ---------------------------------------------------------------------- what is shown
export function battlePanel() {
  const { battle, game } = state;
  if (!battle) return null;
  const lists = game.fields(battle.view).filter((field) => field.owns && (battle.data[field.name] ?? []).length);
  return h("section", { class: "battle", "aria-label": words(battle.view) },
    h("h2", null, `${capital(words(battle.view))}${battle.place && ` at ${battle.place}`} `, battle.place && button("Close", () => { state.battle = null; changed(); }, { class: "small" })),
    h("div", { class: "ranks" }, lists.map((field) => h("div", { class: "rank", role: "group", "aria-label": words(field.name) },
      h("h3", null, capital(words(field.name))), battle.data[field.name].map((row) => combatant(field, row)))),
    s("svg", { class: "shots", "aria-hidden": "true" })),
    h("p", { class: "hint", "aria-live": "polite" }, battle.firer ? `${named(battle.firer)} picks: click a target` : "Click who picks, then the target; or drag from one to the other."),
    planned(battle),
    facts(battle),
    odds(battle),
    h("details", { class: "fold" }, h("summary", null, `Ask of this ${words(battle.view)}`),
      askButtons(Object.keys(game.questions).filter((name) => game.questions[name].situation === battle.view), beginHere)));
}

function beginHere(name) {
  const { judge, plan, who } = planQuestions(state.battle.view);
  const sides = state.game.takes(name).filter((one) => state.battle.who && one.type.kind === "enum" && one.type.name === who?.type.name);
  const given = Object.fromEntries(sides.map((one) => [one.name, state.battle.who]));
  begin(name, state.battle.view, name === judge ? { ...given, [plan.name]: state.battle.plan } : given);
}

/** Show who takes part, in the colours of the side, with what may be made of him. */
function combatant(field, row) {
  const { battle, game } = state, record = field.type.name;
  const target = battle.plan[row.id], known = battle.place && pieceOf(row.id);
  const open = battle.firer && battle.sides[battle.who]?.legal.has(`${battle.firer}>${row.id}`);
  const marks = game.fields(record).filter((one) => "default" in one && row[one.name] !== undefined && row[one.name] !== one.default);
  const others = game.fields(battle.view).filter((one) => one.owns && one.type.name === record && one.name !== field.name);
  const side = teamOf(field.name);
  const piece = known ? { record: known.record, row: { ...known.row, ...row } } : { record, row: { ...row, ...side } };
  return h("span", { class: "member" }, h("button", {
    type: "button", onclick: () => pick(row.id), class: `combatant ${open ? "open" : ""}`, "aria-pressed": battle.firer === row.id,
    "data-combatant": row.id, "data-id": row.id,
  }, counterPicture(game, piece, ""), h("span", { class: "who", title: row.id }, h("b", null, named(row.id)), ` ${game.label(record, row)}`,
    h("small", null, ` ${marks.map((one) => `${words(one.name)} ${plain(row[one.name])}`).join(", ")}`),
    target && h("em", null, ` → ${named(target)}`), open && h("em", null, " may be picked"))),
  others.map((one) => button(`to ${words(one.name)}`, () => moveTo(row, field.name, one.name), { class: "plain" })));
}

/** Give the side that those in a list are taken to have, as the style tells it. */
function teamOf(list) {
  const { battle, game } = state, told = game.style.teams[list];
  if (!told) return {};
  const field = game.fields(battle.view).find((one) => one.name === told.field), value = battle.data[told.field];
  return { [told.as]: told.other ? game.words[field.type.name].find((one) => one !== value) : value };
}

function planned(battle) {
  const shots = Object.entries(battle.plan);
  if (!shots.length) return null;
  return h("p", { class: "row" }, shots.map((pair) => named(pair.join(" → "))).join(", "), " ",
    button("Judge", judgePlan, { class: "main" }), button("Clear", () => { battle.plan = {}; changed(); }));
}

const facts = (battle) => Object.entries(battle.facts).map(([name, answer]) =>
  h("section", { class: "fact", "aria-label": words(name), "data-fact": name }, h("h3", null, capital(words(name))), told(answer)));

/** Show the best plans of each side: chances are exact fractions, told in hundredths as well. */
function odds(battle) {
  if (!battle.odds) return null;
  return h("section", { class: "odds", "aria-label": "odds" }, battle.odds.filter((one) => one.plans?.length).map((one) => {
    const { who } = planQuestions(battle.view), side = who && one.input[who.name];
    return [h("h3", null, `Best plans of the ${words(side ?? one.query)} `, h("small", null, `${one.count} legal`)),
      h("table", null, h("tr", null, ["plan", "expected", "destroyed", ""].map((name) => h("th", { scope: "col" }, name))), one.plans.map((plan) => h("tr", { "data-plan": plan.plan },
        h("td", null, named(plan.plan.replaceAll(">", " → ").replaceAll(",", ", "))),
        h("td", null, share(plan.total?.expected, false)),
        h("td", null, Object.entries(plan.targets ?? {}).map(([id, each]) => h("div", null, `${named(id)} `, share(each.destroyed, true)))),
        h("td", null, side && button("take", () => takePlan(side, plan.plan), { class: "small", "aria-label": `take ${plan.plan}` })))))];
  }));
}

/** Write a fraction, and about how much it is. */
function share(fraction, hundredths) {
  if (fraction === undefined || fraction === null) return "";
  const [over, under = "1"] = String(fraction).split("/"), value = Number(over) / Number(under);
  const about = hundredths ? `${(value * 100).toFixed(1)} %` : value.toFixed(2);
  const exact = under !== "1" && String(fraction).length <= 18;
  return h("span", { class: "chance", title: fraction }, about, exact && h("small", null, `= ${fraction}`));
}

/** Draw the plan as lines from who picks to who is picked, once the panel stands. */
export function drawShots() {
  const field = document.querySelector(".ranks"), svg = field?.querySelector(".shots");
  if (!svg) return;
  const base = field.getBoundingClientRect();
  svg.setAttribute("viewBox", `0 0 ${base.width} ${base.height}`);
  const spot = (id) => field.querySelector(`[data-combatant="${CSS.escape(id)}"] .counter`)?.getBoundingClientRect();
  const look = state.game.style.shots.always ?? {};
  const tip = s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 4.5, markerHeight: 4.5, orient: "auto-start-reverse" },
    s("path", { d: "M0 0L8 4L0 8z", fill: look.stroke }));
  svg.replaceChildren(tip, ...Object.entries(state.battle.plan).flatMap(([one, other]) => {
    const [from, to] = [spot(one), spot(other)];
    if (!from || !to) return [];
    const right = from.left < to.left;
    return s("line", {
      x1: (right ? from.right : from.left) - base.left, y1: from.top + from.height / 2 - base.top,
      x2: (right ? to.left : to.right) - base.left, y2: to.top + to.height / 2 - base.top,
      stroke: look.stroke, "stroke-width": 3, "marker-end": "url(#arrow)",
    });
  }));
}

const plain = (value) => (value === true ? "yes" : value === false ? "no" : words(value));

// ---------------------------------------------------------------------- what is done
/** Let somebody take part as another. */
function moveTo(row, from, to) {
  const { battle } = state, { data } = battle;
  forgetAnswers();
  study({ ...battle, data: { ...data, [from]: data[from].filter((one) => one !== row), [to]: [...(data[to] ?? []), row] } });
  changed();
}

/** Take the one who picks, or with one taken the target; a click may come before it is known who may pick. */
export async function pick(id) {
  const { battle } = state;
  await battle.ready;
  take(battle, id);
}

/** Take a shot that was dragged from one to another, whole: the next may be dragged before it is known who may pick. */
export async function aim(one, other) {
  const { battle } = state;
  await battle.ready;
  if (battle.firer !== one) take(battle, one);
  if (battle.firer === one) take(battle, other);
}

/** Take who picks, or the target; a plan that is whole is judged at once. */
function take(battle, id) {
  if (state.battle !== battle) return;
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

function takePlan(side, text) {
  Object.assign(state.battle, { who: side, firer: null, plan: Object.fromEntries(text.split(",").map((shot) => shot.split(">"))) });
  judgePlan();
  changed();
}

function judgePlan() {
  const { judge, who, plan } = planQuestions(state.battle.view);
  put(judge, { ...(who ? { [who.name]: state.battle.who } : {}), [plan.name]: state.battle.plan }, state.battle.view);
}
