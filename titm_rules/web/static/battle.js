// A place seen as another situation, such as a battle: a sheet over the board on which both sides face each other. Who picks
// whom is joined by clicks or by dragging, judged, and completed under conditions; switches change what the odds rest on.

import { ask, get } from "./api.js";
import { openClause } from "./clause.js";
import { button, capital, h, s, words } from "./dom.js";
import { askButtons } from "./fields.js";
import { begin, pieceOf, put } from "./questions.js";
import { counterPicture } from "./shapes.js";
import { changed, forgetAnswers, open, rules, state, stays } from "./state.js";
import { errorBox, forbids, named, told } from "./verdict.js";

const MOST_PLANS = 5, LONGEST = 8; // plans of each side, and digits of a fraction that stands beside its share

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
export function study({ view, place, data, plan = {}, who = null, wants = {}, spared = [], best, found = null }) {
  const battle = { view, place, data, plan, who, wants, spared, best, found: null, firer: null, sides: {}, facts: {}, hits: {}, odds: null };
  state.battle = battle; // an answer or a click that was for another is dropped
  battle.ready = findSides(battle);
  battle.ready.then(() => found && complete(battle)).then(() => findFacts(battle)).then(() => findOdds(battle));
  showPlan(who, plan);
}

/** Find the question that lists plans, the one that judges a plan, and what they call the side that is asked. */
function planQuestions(view) {
  const { game } = state;
  const judge = game.asking(view, ["choice"]).find((name) => game.takes(name).some((one) => one.type.kind === "assignment"));
  const list = judge && game.asking(view, ["choices"]).find((name) => game.questions[name].about === game.questions[judge].about);
  const who = judge && game.takes(judge).find((one) => one.type.kind === "enum");
  return { judge, list, who, plan: judge && game.takes(judge).find((one) => one.type.kind === "assignment") };
}

const asked = (battle, query, input, more) =>
  ask({ ...rules(), query, input: { [battle.view]: battle.data, ...input }, ...more }).catch(() => null);

/** Ask for each side which pieces it picks with, and whom it may pick. */
async function findSides(battle) {
  const { list, who } = planQuestions(battle.view);
  if (!list || !who) return;
  for (const side of state.game.words[who.type.name]) {
    const reply = await asked(battle, list, { [who.name]: side });
    if (state.battle !== battle) return;
    const lines = reply?.answer[state.game.questions[list].answers[0]] ?? [];
    const pairs = lines.flatMap((line) => line.split(",")).filter(Boolean).map((shot) => shot.split(">"));
    battle.sides[side] = { firers: new Set(pairs.map(([one]) => one)), legal: new Set(pairs.map((pair) => pair.join(">"))), count: reply?.answer.count };
  }
  changed();
}

/** Ask what is asked of a battle without a further word, with its reasons. */
async function findFacts(battle) {
  for (const name of state.game.asking(battle.view, ["answers"]).filter((one) => !state.game.takes(one).length)) {
    const reply = await asked(battle, name, {}, { explain: true, words: true });
    if (state.battle !== battle) return;
    if (reply) battle.facts[name] = reply;
  }
  changed();
}

/** Ask for the best plans of each side, with exact odds. */
async function findOdds(battle) {
  const reply = await asked(battle, "odds", { top: MOST_PLANS });
  if (state.battle !== battle || !reply) return;
  battle.odds = reply.answer.questions ?? [reply.answer];
  changed();
}

/** Find the question of a throw that names, after the side, two who fight: who throws, and whom it is for. */
function hitQuestion(view) {
  const { game } = state;
  return game.asking(view, ["roll"]).map((name) => ({ name, takes: game.takes(name) }))
    .map(({ name, takes }) => ({ name, who: takes.find((one) => one.type.kind === "enum"), pair: takes.filter((one) => one.type.kind === "record") }))
    .find(({ who, pair }) => who && pair.length === 2 && pair[0].type.name === pair[1].type.name);
}

/** Ask what a shot needs, and what changes that, once. */
async function findHit(battle, [one, other]) {
  const question = hitQuestion(battle.view), key = `${one}>${other}`;
  if (!question || key in battle.hits) return;
  battle.hits[key] = null;
  const { name, who, pair: [firing, target] } = question;
  const reply = await asked(battle, name, { [who.name]: battle.who, [firing.name]: one, [target.name]: other }, { explain: true });
  if (state.battle !== battle) return;
  battle.hits[key] = reply;
  changed();
}

// ---------------------------------------------------------------------- what is shown
export function battlePanel() {
  const { battle, game } = state;
  if (!battle) return null;
  const lists = game.fields(battle.view).filter((field) => field.owns && (battle.data[field.name] ?? []).length);
  const facing = lists.filter((field) => field.type.name === lists[0].type.name).slice(0, 2);
  return h("section", { class: "battle", "aria-label": words(battle.view) },
    h("h2", null, `${capital(words(battle.view))}${battle.place && ` at ${battle.place}`} `, battle.place && button("Close", () => { state.battle = null; changed(); }, { class: "small" })),
    h("div", { class: "row switches", role: "group", "aria-label": "what the odds rest on" }, switchesOf(undefined).map((one) => toggle(one, battle.data, (next) => turn({ ...battle.data, ...next })))),
    h("div", { class: "ranks" }, facing.map(rank), s("svg", { class: "shots", "aria-hidden": "true" })),
    h("p", { class: "hint", "aria-live": "polite" }, battle.firer ? `${named(battle.firer)} picks: click a target` : "Click who picks, then the target; or drag. An arrow that you draw is pinned; click it to forbid or to free it."),
    planned(battle),
    completing(battle),
    needed(battle),
    facts(battle),
    odds(battle),
    h("div", { class: "others" }, lists.filter((field) => !facing.includes(field)).map(rank)),
    h("details", { class: "fold" }, h("summary", null, `Ask of this ${words(battle.view)}`),
      askButtons(Object.keys(game.questions).filter((name) => game.questions[name].situation === battle.view), beginHere)));
}

const rank = (field) => h("div", { class: "rank", role: "group", "aria-label": words(field.name) },
  h("h3", null, capital(words(field.name))), state.battle.data[field.name].map((row) => combatant(field, row)));

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
  const own = switchesOf(field.name), shown = own.map((one) => one.field);
  const marks = game.fields(record).filter((one) => "default" in one && !shown.includes(one.name) && row[one.name] !== undefined && row[one.name] !== one.default);
  const team = JSON.stringify(teamOf(field.name)), picking = sideAgainst(field.name);
  const others = game.fields(battle.view).filter((one) => one.owns && one.type.name === record && one.name !== field.name && JSON.stringify(teamOf(one.name)) === team);
  const piece = known ? { record: known.record, row: { ...known.row, ...row } } : { record, row: { ...row, ...teamOf(field.name) } };
  const chance = open && faces(battle.hits[`${battle.firer}>${row.id}`]);
  return h("span", { class: "member" }, h("button", {
    type: "button", onclick: () => pick(row.id), class: `combatant ${open ? "open" : ""}`, "aria-pressed": battle.firer === row.id,
    "data-combatant": row.id, "data-id": row.id,
  }, counterPicture(game, piece, ""), h("span", { class: "who", title: row.id }, h("b", null, named(row.id)), ` ${game.label(record, row)}`,
    h("small", null, ` ${marks.map((one) => `${words(one.name)} ${plain(row[one.name])}`).join(", ")}`),
    target && h("em", null, ` → ${named(target)}`), open && h("em", null, chance ? ` hit on ${chance}` : " may be picked"))),
  own.map((one) => toggle(one, row, (next) => turn(withMember(field.name, row, next)), `${named(row.id)}: `)),
  picking && button("spare", () => spare(row.id, picking), { class: "small switch", "aria-pressed": battle.spared.includes(row.id), "aria-label": `${named(row.id)}: spare`, title: "nobody is to pick this one" }),
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
  const shots = Object.entries(battle.plan).map((pair) => pair.join(">")), barred = Object.keys(battle.wants).filter((pair) => !shots.includes(pair));
  if (!shots.length && !barred.length) return null;
  return h("p", { class: "row" }, [...shots, ...barred].map((pair) => button([named(pair.replace(">", " → ")), " ", h("small", null, wish(battle, pair))], () => cycle(pair), {
    class: `arrow ${wish(battle, pair)}`, name: pair, "data-arrow": pair, title: "pinned, forbidden, free",
  })), shots.length > 0 && button("Judge", judgePlan, { class: "main" }),
  button("Clear", () => { Object.assign(battle, { plan: {}, wants: {}, spared: [], found: null }); changed(); }));
}

const PINNED = "pinned", FORBIDDEN = "forbidden", FREE = "free";
const wish = (battle, pair) => battle.wants[pair] ?? FREE;

/** Offer to complete the plan of a side, best first; show the plans that are found, or why there is none. */
function completing(battle) {
  const { who } = planQuestions(battle.view), side = planner(battle), { found } = battle;
  if (!side) return null;
  const able = Object.keys(battle.sides).filter((name) => battle.sides[name].legal.size), targets = [...new Set([...battle.sides[side].legal].map((pair) => pair.split(">")[1]))];
  const option = (value, text) => h("option", { value, selected: value === bestOf(battle) }, text);
  const own = isAnswered(battle, side) ? [...battle.sides[side].firers] : [];
  return h("section", { class: "completing", "aria-label": "plans under conditions" },
    h("div", { class: "row" },
      h("span", { class: "group", role: "group", "aria-label": `whose plan: ${words(who.name)}` }, able.map((name) => button(capital(words(name)), () => turnTo(name), { "aria-pressed": name === side }))),
      h("select", { "aria-label": "what is best", onchange: (event) => { battle.best = event.target.value; if (found) complete(battle); changed(); } },
        hitQuestion(battle.view) && [option(EXPECTED, EXPECTED), targets.map((id) => option(`${DESTROY} ${id}`, `${DESTROY} ${named(id)}`)), own.length > 0 && option(`${LEAST} ${own.join(" and ")}`, `fewest own losses, ${WORST}`), own.length > 1 && own.map((id) => option(`${LEAST} ${id}`, `${LEAST} ${named(id)}, ${WORST}`))], option("", "in no order")),
      button("Complete this plan", () => complete(battle), { class: "main" })),
    found && h("div", { "aria-live": "polite" }, plansFound(battle)));
}

const EXPECTED = "most expected loss", DESTROY = "most chance to destroy", LEAST = "least expected loss of", WORST = "against the worst reply";

/** Whether the other side answers the plan of a side, so that its own losses depend on it. */
function isAnswered({ view }, side) {
  const { list, who } = planQuestions(view);
  return state.game.questions[list].answered.some((first) => Object.entries(first).every(([name, value]) => name === who.name && value === side));
}
const bestOf = ({ best, view }) => best ?? (hitQuestion(view) ? EXPECTED : "");

/** Name the side whose plan is completed: the one that picks, or the first that can. */
const planner = ({ who, sides }) => [who, ...Object.keys(sides)].find((name) => sides[name]?.legal.size);

function plansFound({ found }) {
  if (found.error) return errorBox(found.error, ["Try again", () => complete(state.battle)]);
  if (!found.answer) return h("p", { class: "hint" }, "Looking for plans …");
  const { answer: { count, complete: isAll, plans }, best, side } = found;
  if (!count) return whyNone(found);
  return [
    h("p", null, `${isAll ? "" : "More than "}${count} legal ${count === 1 ? "plan" : "plans"} of the ${words(side)}${plans.length < count ? `; the ${best ? "best" : "first"} ${plans.length}` : ""}:`),
    h("ol", { class: "plans" }, plans.map(({ plan, value }) => h("li", { "data-found": plan, onpointerenter: () => drawShots(shotsOf(plan)), onpointerleave: () => drawShots() },
      button([value !== undefined && [share(value, best.startsWith(DESTROY)), " "], named(plan.replaceAll(">", " → "))], () => takePlan(side, plan), { class: "small" }))))];
}

/** Say why there is no plan: conditions and clauses of which each is necessary. */
function whyNone({ answer: { why }, asked: wanted, says }) {
  if (!why) return h("p", { class: "outcome no" }, "No legal plan does that. It takes too long to find out why.");
  const rules = why.clauses.map((number) => h("span", null, button(number, () => openClause(number), { class: "clause" }), says[number] ? ` (“${says[number]}”)` : ""));
  const all = [...why.conditions.map((text) => h("span", null, capital(wanted.get(text) ?? text))), ...rules];
  return h("p", { class: "outcome no", id: "why-none" }, h("span", { class: "sign", "aria-hidden": "true" }, "✗"), h("span", null, h("strong", null, "No legal plan does that."), " ",
    all.map((one, index) => [index > 0 && (index === all.length - 1 ? " and " : ", "), one]), all.length > 1 ? " cannot hold together; without any one of them there is a plan." : " stands against it."));
}

/** Say what each shot needs, of the plan or of whoever picks, with each clause that changes it. */
function needed(battle) {
  const { plan, firer, who } = battle;
  const legal = [...battle.sides[who]?.legal ?? []].filter((pair) => pair.startsWith(`${firer}>`));
  const pairs = firer ? legal : Object.entries(plan).map((pair) => pair.join(">"));
  const known = pairs.filter((pair) => battle.hits[pair]);
  if (!known.length) return null;
  return h("ul", { class: "needed", "aria-label": "what each shot needs" }, known.map((pair) => {
    const { answer, why } = battle.hits[pair];
    return h("li", { "data-shot": pair }, h("b", null, named(pair.replace(">", " → "))), ` hits on ${faces(battle.hits[pair])}: factor ${answer.factor ?? 0}`,
      why.filter((one) => one.holds && one.effect === "counts").map((one) => [", die ", added(one), " ", button(one.clause, () => openClause(one.clause), { class: "clause", title: one.says })]));
  }));
}

/** Give what a clause adds to a die, without the title of the clause. */
const added = ({ message, title }) => message.replace(`${title}: `, "").replace(/^-/, "−").replace(/^(?=\d)/, "+").replace(/-/g, " ");

/** Write the faces of a die that hit: up to the highest, or from the lowest on where higher is better. */
function faces(reply) {
  const { highest, lowest } = reply?.answer ?? {};
  if (lowest !== undefined) return lowest === null ? "nothing" : `${lowest} or more`;
  if (highest === undefined) return "";
  return highest < 1 ? "nothing" : highest === 1 ? "1" : `1 to ${highest}`;
}

const facts = (battle) => Object.entries(battle.facts).map(([name, reply]) => {
  const because = (reply.why ?? []).find((one) => one.holds && one.effect !== "gives") ?? (reply.why ?? []).find((one) => one.effect === "unmet");
  return h("p", { class: "fact", "aria-label": words(name), "data-fact": name }, named(reply.headline ?? ""), !reply.headline && told(reply.answer), " ",
    because && button(`${because.clause} ${because.title}`, () => openClause(because.clause), { class: "clause", title: because.says }));
});

/** Show the best plans of each side, and what the odds rest on: chances are exact fractions, told in hundredths as well. */
function odds(battle) {
  if (!battle.odds) return h("p", { class: "hint" }, "Working out the odds …");
  const { who } = planQuestions(battle.view), assumes = battle.odds[0]?.assumes ?? [];
  return h("section", { class: "odds", "aria-label": "odds" },
    assumes.length > 0 && h("p", { class: "note" }, `The odds take as given: ${named(assumes.join("; "))}.`),
    h("div", { class: "tables" }, battle.odds.filter((one) => one.plans?.some((plan) => plan.plan)).map((one) => {
      const side = who && one.input[who.name];
      return h("div", null, h("h3", null, `Best plans of the ${words(side ?? one.query)} `, h("small", null, `${one.count} legal`)),
        h("table", null, h("tr", null, ["plan", "expected", "destroyed", "take"].map((name) => h("th", { scope: "col" }, name === "take" ? h("span", { class: "unseen" }, name) : name))), one.plans.map((plan) => h("tr", {
          "data-plan": plan.plan, onpointerenter: () => drawShots(shotsOf(plan.plan)), onpointerleave: () => drawShots(),
        },
          h("td", null, named(plan.plan.replaceAll(">", " → ").replaceAll(",", ", "))),
          h("td", null, share(plan.total?.expected, false)),
          h("td", null, Object.entries(plan.targets ?? {}).filter(([, each]) => each.destroyed !== "0").map(([id, each]) => h("div", null, `${named(id)} `, share(each.destroyed, true)))),
          h("td", null, side && button("take", () => takePlan(side, plan.plan), { class: "small", "aria-label": `take ${plan.plan}` }))))));
    })));
}

/** Write about how much a fraction is; the fraction itself beside it if it is short, and always when one points at it. */
function share(fraction, hundredths) {
  if (fraction === undefined || fraction === null) return "";
  const [over, under = "1"] = String(fraction).split("/"), value = Number(over) / Number(under);
  const about = hundredths ? `${(value * 100).toFixed(1)} %` : value.toFixed(2);
  const exact = under !== "1" && String(fraction).length <= LONGEST;
  return h("span", { class: "chance", title: `exactly ${fraction}` }, about, exact && h("small", null, `= ${fraction}`));
}

const shotsOf = (text) => Object.fromEntries(text.split(",").map((shot) => shot.split(">")));

/** Name the shots that clauses forbid in the plan that was judged. */
function guilty() {
  const { reply, asked: question, battle } = state;
  if (question?.query !== planQuestions(battle.view).judge || !reply?.why) return new Set();
  return new Set(reply.why.filter(forbids).flatMap(({ where }) => String(where).split(/[;,]\s*/)));
}

/** Draw a plan as arrows from who picks to who is picked, once the sheet stands; what clauses forbid of it looks barred. */
export function drawShots(plan = null) {
  const field = document.querySelector(".ranks"), svg = field?.querySelector(".shots");
  if (!svg || !state.battle) return;
  const { battle, game: { style } } = state, bad = guilty(), base = field.getBoundingClientRect();
  const pairs = plan ? Object.entries(plan) : [...Object.entries(battle.plan), ...Object.keys(battle.wants).filter((pair) => battle.wants[pair] === FORBIDDEN).map((pair) => pair.split(">"))];
  svg.setAttribute("viewBox", `0 0 ${base.width} ${base.height}`);
  const spot = (id) => field.querySelector(`[data-combatant="${CSS.escape(id)}"]`)?.getBoundingClientRect();
  const looks = { shot: style.shots.sometimes ?? {}, barred: style.barred };
  const tip = ([name, look]) => s("marker", { id: `tip-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 4.5, markerHeight: 4.5, orient: "auto-start-reverse" },
    s("path", { d: "M0 0L8 4L0 8z", fill: look.stroke }));
  svg.replaceChildren(...Object.entries(looks).map(tip), ...pairs.flatMap(([one, other]) => {
    const [from, to] = [spot(one), spot(other)], pair = `${one}>${other}`, wanted = plan ? FREE : wish(battle, pair);
    const kind = bad.has(pair) || wanted === FORBIDDEN ? "barred" : "shot";
    if (!from || !to) return [];
    const right = from.left < to.left;
    const [x1, y1] = [(right ? from.right : from.left) - base.left, from.top + from.height / 2 - base.top];
    const [x2, y2] = [(right ? to.left : to.right) - base.left, to.top + to.height / 2 - base.top];
    const text = wanted === FORBIDDEN ? "forbidden" : `${kind === "barred" ? "✗ " : wanted === PINNED ? "● " : ""}${faces(battle.hits[pair])}`;
    return [s("line", { x1, y1, x2, y2, stroke: looks[kind].stroke, "stroke-width": 3, "stroke-dasharray": kind === "barred" ? "7 6" : null, "data-line": pair, class: kind, "marker-end": `url(#tip-${kind})` }),
      !plan && s("path", { d: `M${x1} ${y1}L${x2} ${y2}`, class: "grip", onclick: () => cycle(pair) }),
      s("text", { x: x1 + (x2 - x1) * 0.3, y: y1 + (y2 - y1) * 0.3 - 6 }, text)].filter(Boolean);
  }));
}

const plain = (value) => (value === true ? "yes" : value === false ? "no" : words(value));

// ---------------------------------------------------------------------- what the odds rest on
/** List the switches of the battle itself, or of those in one of its lists. */
const switchesOf = (list) => (state.game.style.switches[state.battle.view] ?? []).filter((one) => one.list === list);

const recordOfSwitch = ({ list }) => (list ? state.game.fields(state.battle.view).find((one) => one.name === list).type.name : state.battle.view);

/** Offer a switch; a number is on from its value, and off without one. */
function toggle(one, row, set, whose = "") {
  const value = state.game.value(recordOfSwitch(one), row, one.field);
  const isOn = typeof one.value === "number" ? value >= one.value : value === one.value;
  return button(one.name, () => set({ [one.field]: isOn ? undefined : one.value }), { class: "small switch", "aria-pressed": isOn, "aria-label": `${whose}${one.name}` });
}

function withMember(list, row, next) {
  const { data } = state.battle;
  return { ...data, [list]: data[list].map((one) => (one === row ? { ...one, ...next } : one)) };
}

/** Go on with the battle as it is now; the plan stays, and is judged again. */
function turn(data) {
  const { battle } = state, isJudged = Object.keys(battle.plan).length && state.asked;
  forgetAnswers();
  study({ ...battle, data: JSON.parse(JSON.stringify(data)) }); // fields without a value are gone
  if (isJudged) judgePlan();
  changed();
}

// ---------------------------------------------------------------------- what is done
/** Let somebody take part as another. */
function moveTo(row, from, to) {
  const { data, view, place } = state.battle;
  forgetAnswers();
  study({ view, place, data: { ...data, [from]: data[from].filter((one) => one !== row), [to]: [...(data[to] ?? []), row] } });
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
    if (side && side !== battle.who) planFor(battle, side);
    battle.firer = battle.firer === id ? null : id;
    for (const pair of battle.sides[battle.who]?.legal ?? []) if (battle.firer && pair.startsWith(`${battle.firer}>`)) findHit(battle, pair.split(">"));
  } else {
    battle.plan = { ...battle.plan, [battle.firer]: id };
    battle.wants = { ...keptOf(battle, (pair, wanted) => wanted !== PINNED || !pair.startsWith(`${battle.firer}>`)), [`${battle.firer}>${id}`]: PINNED };
    if (battle.found) complete(battle);
    findHit(battle, [battle.firer, id]);
    battle.firer = null;
    const firers = battle.sides[battle.who]?.firers ?? new Set();
    if (firers.size && [...firers].every((one) => battle.plan[one])) judgePlan();
  }
  changed();
}

/** Show a plan of a side, with what its shots need. */
export function showPlan(who, plan) {
  const { battle } = state;
  Object.assign(battle, { who, firer: null, plan });
  for (const pair of Object.entries(plan)) findHit(battle, pair);
}

function takePlan(side, text) {
  showPlan(side, shotsOf(text));
  judgePlan();
  changed();
}

function judgePlan() {
  const { judge, who, plan } = planQuestions(state.battle.view);
  put(judge, { ...(who ? { [who.name]: state.battle.who } : {}), [plan.name]: state.battle.plan }, state.battle.view);
}

// ---------------------------------------------------------------------- conditions on a plan
const keptOf = ({ wants }, keeps) => Object.fromEntries(Object.entries(wants).filter(([pair, wanted]) => keeps(pair, wanted)));

/** Begin a plan of a side; what was wanted of the other side's is forgotten. */
function planFor(battle, side) {
  Object.assign(battle, { who: side, plan: {}, wants: {}, spared: [], best: undefined, found: null });
}

function turnTo(side) {
  const { battle } = state;
  if (side !== planner(battle)) planFor(battle, side);
  battle.who = side;
  changed();
}

/** Let an arrow be pinned, then forbidden, then free, and so on; one that is forbidden is not in the plan. */
function cycle(pair) {
  const { battle } = state, [one, other] = pair.split(">"), next = { [FREE]: PINNED, [PINNED]: FORBIDDEN, [FORBIDDEN]: FREE }[wish(battle, pair)];
  battle.wants = { ...keptOf(battle, (each) => each !== pair), ...(next === FREE ? {} : { [pair]: next }) };
  const { [one]: target, ...others } = battle.plan;
  if (next === FORBIDDEN && target === other) battle.plan = others;
  if (next === FREE && target === undefined) battle.plan = { ...battle.plan, [one]: other };
  if (battle.found) complete(battle);
  changed();
}

/** Name the side that may pick among those in a list; nothing if none may. */
function sideAgainst(list) {
  const { sides, data } = state.battle, ids = new Set(data[list].map(({ id }) => id));
  return Object.keys(sides).find((name) => [...sides[name].legal].some((pair) => ids.has(pair.split(">")[1])));
}

/** Let a target of a side be spared, or no longer, and look for plans that do so. */
function spare(id, side) {
  const { battle } = state;
  if (side !== planner(battle)) planFor(battle, side);
  battle.who = side;
  battle.spared = battle.spared.includes(id) ? battle.spared.filter((one) => one !== id) : [...battle.spared, id];
  complete(battle);
}

/** List what is wanted of a plan: each condition as the protocol takes it, and in words. */
function conditions({ wants, spared }) {
  const arrows = Object.entries(wants).map(([pair, wanted]) => [`${wanted === FORBIDDEN ? "not " : ""}${pair}`, `${named(pair.replace(">", " → "))} (${wanted})`]);
  return new Map([...arrows, ...spared.map((id) => [`${id} is not picked`, `sparing ${named(id)}`])]);
}

/** Ask for the best plans that meet the conditions; where there is none, also for the words of the clauses against it. */
async function complete(battle) {
  await battle.ready;
  const { list, who } = planQuestions(battle.view), side = planner(battle), wanted = conditions(battle), best = bestOf(battle);
  const found = { side, best, asked: wanted, answer: null, error: null, says: {} }, isNow = () => state.battle === battle && battle.found === found;
  battle.found = found;
  changed();
  try {
    const input = { [battle.view]: battle.data, query: list, [who.name]: side, where: [...wanted.keys()], best, top: MOST_PLANS, ...(best.startsWith(LEAST) ? { against: "worst" } : {}) };
    found.answer = (await ask({ ...rules(), query: "choices", input })).answer;
    if (isNow()) changed();
    if (!found.answer.why?.clauses.length) return;
    const all = await get(`games/${encodeURIComponent(state.game.name)}/clauses?edition=${encodeURIComponent(state.edition)}`);
    found.says = Object.fromEntries(all.map(({ clause, says }) => [clause, says]));
  } catch (error) {
    if (!found.answer) found.error = error;
  }
  if (isNow()) changed();
}
