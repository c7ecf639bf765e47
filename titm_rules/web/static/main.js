// The page: opens a game and a scenario, joins the board to the panels.

import { ask, get, post } from "./api.js";
import { BoardView } from "./board.js";
import { follow, linesPanel } from "./lines.js";
import { jointPanel, jointParts } from "./joint.js";
import { aim, battlePanel, drawShots, openBattle, openWhole, pick, showPlan, study } from "./battle.js";
import { button, byId, capital, h, keepFocus, put, words } from "./dom.js";
import { draggable } from "./drag.js";
import { filesPanel, read, takeDrops, titlesOf } from "./files.js";
import { findClauses, openClause } from "./clause.js";
import { finder, rank } from "./finder.js";
import { Game } from "./game.js";
import { askingPanel, chooseConnection, choosePiece, choosePieces, choosePlace, movePiece, selectionPanel, turnPanel } from "./panels.js";
import { legend, origin } from "./legend.js";
import { askActions, proceed, undo } from "./course.js";
import { light, phaseBar, playConnection, playDrop, playPanel, playPiece, playPlace, stand, timeline } from "./play.js";
import { aimAt, askReach, begin, goOn, pieceOf, put as question, recordOf } from "./questions.js";
import { applied, held } from "./share.js";
import { fillTray, ofTray, setDown, takeOff, trayPanel } from "./tray.js";
import { turnTrack } from "./track.js";
import { BARE, begins, changed, commit, forget, onChange, open, rules, state } from "./state.js";
import { errorBox, named, verdictPanel } from "./verdict.js";
import { View } from "./view.js";

const enc = encodeURIComponent, EMPTY = "-", dark = matchMedia("(prefers-color-scheme: dark)");
const board = new BoardView(byId("board"));
const view = new View(byId("board"), board, {
  piece: clickPiece, place: clickPlace, connection: (id) => (state.mode === "play" ? playConnection(id) : chooseConnection(id)),
  drop: dropPiece, off: (id) => state.mode !== "play" && takeOff([id]), next: nextPiece,
});

// ---------------------------------------------------------------------- opening
let opening = 0; // what was chosen last is opened, whatever comes first

async function openGame(name) {
  const mine = ++opening;
  const [told, questions, scenarios] = await Promise.all(["", "/questions", "/scenarios"].map((rest) => get(`games/${enc(name)}${rest}`)));
  if (mine !== opening) return false;
  state.game = new Game(name, told, questions);
  state.game.isDark = dark.matches;
  // nothing is drawn until there is a position of this game
  Object.assign(state, { edition: told.edition, readings: {}, overlays: [], scenarios, position: null, battle: null });
  return true;
}

async function openScenario(name, edition = state.edition) {
  const mine = ++opening;
  const told = await get(`games/${enc(state.game.name)}/scenarios/${enc(name)}?edition=${enc(edition)}`);
  if (mine !== opening) return;
  put(byId("link"));
  openWhole(told, { scenario: name, titles: told.titles, about: told.about });
  draw();
  if (told.query) pose(told.query, told.input, told.situation);
  if (state.mode === "play") proceed();
}

/** Put the question of a case, with what it is about selected and drawn. */
function pose(query, given, situation) {
  const { [situation]: _, ...input } = given;
  question(query, input, situation);
  choose(query, input);
  if (state.pieces.length) askReach();
  changed();
}

/** Do what opens something; until it stands, the page says that it is not ready. */
async function opens(work) {
  document.documentElement.dataset.ready = "no";
  try {
    await work();
  } catch (error) {
    Object.assign(state, { error, reply: null });
    if (state.position) changed();
    else put(byId("verdict"), errorBox(error, ["Open the board again", () => { location.hash = ""; location.reload(); }]));
  }
  document.documentElement.dataset.ready = "yes";
}

/** Start with nothing on the board: every field at the value that it has if it is not given. */
function emptyPosition(situation) {
  const given = {};
  for (const field of state.game.fields(situation)) {
    if ("default" in field) continue;
    if (field.type.kind === "set") given[field.name] = [];
    else if (field.type.kind === "number") given[field.name] = field.type.low ?? 0;
    else if (field.type.kind === "enum") given[field.name] = state.game.words[field.type.name][0];
  }
  return given;
}

/** Give what a position says besides what its map gives. */
function mapless(situation) {
  const drawn = new Set(state.game.fields(situation).filter((field) => field.owns).map((field) => field.name));
  return Object.fromEntries(Object.entries(emptyPosition(situation)).filter(([name]) => !drawn.has(name)));
}

/** Open what a link says; one that cannot be read opens the board as it is without one, and says so. */
async function openFragment(text) {
  let link = null;
  try {
    link = await held(text);
    await openLink(link);
  } catch (error) {
    if (error.kind === "no-server") throw error;
    await openUsual();
    const what = link ? "This link cannot be opened here." : "This link is cut off or damaged.";
    throw { message: what, fix: `${error.kind ? `${capital(error.message)}. ` : ""}Copy it again where it was made. Until then, the board is open as usual.` };
  }
}

async function openLink(link) {
  if (!(await openGame(link.g || state.games.find((one) => one.usual).game))) return;
  Object.assign(state, { edition: link.e || state.edition });
  if (link.k) return openCase(link.k);
  if (link.n !== undefined) {
    await (state.scenarios.some((one) => one.name === link.n) ? openScenario(link.n, link.e ?? state.edition) : openFirst().then(() => link.n && read(link.n)));
    if (!link.q) return null;
    const [query, ...words] = link.q.split(/\s+(?=[\w-]+=)/);
    return pose(query, asGiven(query, words), state.game.questions[query].situation);
  }
  if (link.s) await openScenario(link.s, link.e);
  if (!link.s) {
    state.situation = link.t;
    await read(JSON.stringify(link.p));
  }
  Object.assign(state, { edition: link.e, readings: link.r ?? {}, overlays: link.o ?? [] });
  if (link.s && Object.keys(link.d).length) commit(applied(state.start, link.d));
  Object.assign(state, { pieces: link.u ?? [], place: link.i, connection: link.c });
  if (state.pieces.length) askReach();
  state.path = link.w ?? [];
  if (link.a) question(link.a.query, link.a.input, link.a.situation);
  draw();
}

/** Read what a question takes from words, such as `units=2-pz-a`. */
function asGiven(query, lines) {
  const types = new Map(state.game.takes(query).map(({ name, type }) => [name, type]));
  return Object.fromEntries(lines.map((line) => {
    const at = line.indexOf("="), name = line.slice(0, at).replace(/-/g, "_"), text = line.slice(at + 1), type = types.get(name) ?? {};
    const plain = (one) => (type.kind === "number" || type.name === "number" ? Number(one) : one);
    if (type.kind === "flag") return [name, text === "yes"];
    if (type.kind === "assignment") return [name, Object.fromEntries(text.split(",").map((pair) => pair.split(">")))];
    return [name, ["set", "pair", "path", "sequence"].includes(type.kind) ? text.split(",").map(plain) : plain(text)];
  }));
}

/** Open a case in which a clause decides: its position, with its question asked. */
async function openCase(name) {
  byId("clause").close();
  if (state.scenarios.some((one) => one.name === name)) return openScenario(name);
  const told = await get(`games/${enc(state.game.name)}/cases/${enc(name)}`);
  Object.assign(state, { edition: told.edition, readings: told.readings ?? {} });
  if (told.situation) openWhole(told);
  else if (!state.position) await openFirst();
  pose(told.query, told.input, told.situation);
}

/** Open the position of a ruling that was verified, with its question, and say whether it holds. */
async function openRuling({ game, edition, readings, overlays, situation, position, query, input, start, holds, says, question: asked }) {
  if (game !== state.game.name && !(await openGame(game))) return;
  if (situation) {
    const placed = await post("board", { game, edition, overlays: overlays.filter((one) => typeof one === "string"), situation, position });
    openWhole({ ...placed, overlays }, { titles: await titlesOf(start, edition) });
  }
  Object.assign(state, { edition, readings });
  pose(query, input, situation);
  state.checked = { title: "The ruling", holds, says: [`It says: ${asked}`, ...says.slice(1)] };
}

/** Select the pieces, show the way and draw the plan that a question is about. */
function choose(query, input) {
  for (const { name, role } of state.game.takes(query)) {
    if (role === "path") state.path = input[name] ?? [];
    if (!state.battle && (role === "pieces" || role === "piece")) state.pieces = [input[name] ?? []].flat().filter(pieceOf);
  }
  const of = (role) => state.game.takes(query).find((one) => one.role === role)?.name;
  if (state.battle) showPlan(input[of("enum")] ?? null, input[of("assignment")] ?? {});
}

async function start() {
  state.games = await get("games");
  return location.hash.length > 1 ? openFragment(location.hash.slice(1)) : openUsual();
}

async function openUsual() {
  await openGame((state.games.find((one) => one.usual) ?? state.games[0]).game);
  return openFirst();
}

async function openFirst() {
  const first = state.scenarios.find((one) => one.scenario) ?? state.scenarios[0];
  return first ? openScenario(first.name) : openEmpty();
}

/** Open an empty board: the first map of the game with nothing on it, or nothing at all. */
async function openEmpty() {
  const situation = Object.keys(state.game.records).find((name) => state.game.lists(name, "place").length);
  const [map] = await get(`games/${enc(state.game.name)}/maps`);
  state.situation = situation;
  open(emptyPosition(situation), situation, BARE, { summary: {} });
  if (map) await read(JSON.stringify({ ...mapless(situation), map: map.name })).catch((error) => { state.error = error; });
}

// ---------------------------------------------------------------------- what is clicked
function clickPlace(place, further = false) {
  state.cursor = place;
  if (state.held) return setDown(state.held, place);
  if (state.mode === "play") return playPlace(place);
  if (state.pieces.length && place !== undefined) {
    if (further || state.building) return goOn(place);
    if (pieceOf(state.pieces[0])?.row.place !== place) return aimAt(place);
  }
  return choosePlace(place === state.place ? null : place);
}

/** Take a counter; with one taken, whoever else stands elsewhere is asked about as the place is, unless he is of its side. */
function clickPiece(id, further = false) {
  if (state.mode === "play") return playPiece(id);
  const one = pieceOf(id), own = pieceOf(state.pieces[0]), { game } = state;
  const isElsewhere = own && one.row.place !== own.row.place;
  if (isElsewhere && (further || state.building || game.side(one) !== game.side(own) || game.side(one) === null)) return clickPlace(one.row.place, further);
  return choosePiece(id);
}

const takePiece = (id) => (state.mode === "play" ? playPiece : choosePiece)(id);

function dropPiece(id, place) {
  return (state.mode === "play" ? playDrop : movePiece)(id, place);
}

/** Take the next of the pieces that stand at a place. */
function nextPiece(place) {
  const here = (board.standing.get(place) ?? []).map(({ row }) => row.id);
  const at = here.indexOf(state.pieces[0]);
  if (!here.length) return;
  state.pieces = [];
  takePiece(here[(at + 1) % here.length]);
}

let doing = Promise.resolve(); // lines are done in the order in which they were written
const SURE = 0.8, LIKELY = 0.6, SMALL = 0.9;

/** Do what a line of the search field says, or what was picked of its list. */
function find(line, thing) {
  doing = doing.then(() => (thing ? thing.open() : carryOut(line))).catch((error) => { state.error = error; changed(); });
}

/** Choose what bears a name, press what is called so, change the position, take what is nearest to it, or look it up. */
async function carryOut(name) {
  const [moved, place] = name.split("@").map((part) => part.trim());
  const nearest = (text, kinds = null) => rank(text, things().filter(({ kind }) => !kinds || kinds.includes(kind)))[0];
  if (place !== undefined && pieceOf(moved) && recordOf("place", place)) return dropPiece(moved, place);
  if (/^(by|via|>)\s/.test(name) && state.pieces.length) return goOn(nearest(name.replace(/^\S+\s+/, ""), ["place"])?.thing.id ?? "");
  if (state.battle && document.querySelector(`[data-combatant="${CSS.escape(name)}"]`)) return pick(name);
  if (pieceOf(name)) return openPiece(name);
  if (recordOf("place", name)) return openPlace(name);
  if (recordOf("connection", name)) return chooseConnection(name);
  if (await openedView(name)) return null;
  if (buttonCalled(name)) return buttonCalled(name).click();
  if (questionCalled(name)) return begin(questionCalled(name));
  if (/^\d\S*\.\S+$/.test(name)) return openClause(name);
  const best = nearest(name);
  if (best?.score >= SURE) return best.thing.open();
  const fault = await changeBy(name);
  if (!fault) return null;
  if (place !== undefined) {
    const [who, where] = [nearest(moved, [PIECE])?.thing.id, nearest(place, [PLACE])?.thing.id];
    if (who && where) return dropPiece(who, where);
    throw fault;
  }
  return best?.score > LIKELY ? best.thing.open() : findClauses(name);
}

function openPiece(id) {
  takePiece(id);
  view.reveal(pieceOf(id).row.place, true);
}

/** Choose a place, or ask about it; then also where the way to it begins is in sight. */
function openPlace(id) {
  clickPlace(id);
  view.reveal(id, true, pieceOf(state.pieces[0])?.row.place);
}

// ---------------------------------------------------------------------- what can be found
const PIECE = "unit", PLACE = "place";
const clauses = { of: "", all: [] };

/** List all that bears a name: who and what is on the board, questions, clauses, scenarios, and what can be pressed. */
export function things() {
  const { game, situation, position, titles } = state;
  const rows = (role) => game.rows(situation, position, role);
  const pressed = [...document.querySelectorAll("header button:not([disabled]), aside section button:not(.clause, .of, .action), #battle button:not(.clause, .combatant)")];
  return [
    ...rows("piece").map(({ record, row: { id, place }, row }) => ({
      id, kind: PIECE, note: place ? `at ${place}` : "", names: [...new Set([named(id), id, titles[id] ?? id, `${titles[id] ?? id} ${game.label(record, row)}`])], weight: recordOf("place", place) ? 1 : SMALL, open: () => openPiece(id),
    })),
    ...rows("place").map(({ row: { id } }) => ({ id, kind: PLACE, names: [id, ...[state.board.numbers?.[id]].filter(Boolean).map(String)], open: () => openPlace(id) })),
    ...rows("connection").map(({ row: { id } }) => ({ id, kind: "connection", names: [id], weight: SMALL, open: () => chooseConnection(id) })),
    ...Object.keys(game.questions).filter((name) => [situation, state.battle?.view, ""].includes(game.questions[name].situation)).map((name) => ({
      id: name, kind: "question", names: [game.questions[name].says ?? words(name), words(name)], weight: 0.97, open: () => begin(name),
    })),
    ...clauses.all.map(({ clause, title }) => ({ id: clause, kind: "clause", names: [`${clause} ${title}`, title, clause], weight: 0.9, open: () => openClause(clause) })),
    ...state.scenarios.map(({ name, title }) => ({ id: name, kind: "scenario", names: [...new Set([title, words(name)])], weight: 0.95, open: () => opens(() => openScenario(name)) })),
    ...pressed.map((one) => ({ id: "", kind: "command", names: [one.textContent.trim() || one.getAttribute("aria-label")], weight: 0.97, open: () => one.click() })),
  ];
}

/** Fetch the clauses of an edition, once. */
async function fillClauses() {
  const of = `games/${enc(state.game.name)}/clauses?edition=${enc(state.edition)}`;
  if (clauses.of === of) return;
  clauses.of = of;
  const all = await get(of).catch(() => []);
  if (clauses.of === of) clauses.all = all;
}

/** Open what the chosen place can be seen as, if that is what a line says. */
async function openedView(name) {
  const view = Object.keys(state.game.views).find((one) => name.toLowerCase() === `${words(one)} here`);
  if (view && state.place) await openBattle(view, state.place);
  return view && state.place;
}

/** Find a button beside the board by what it says. */
function buttonCalled(name) {
  const says = (one) => (one.textContent.trim() || one.getAttribute("aria-label")).toLowerCase() === name.toLowerCase() && !one.disabled;
  return [...document.querySelectorAll("aside section button, #battle button, header button")].find(says);
}

/** Find a question about the board by its name. */
function questionCalled(name) {
  const { questions } = state.game;
  const situations = [state.situation, state.battle?.view];
  return Object.keys(questions).find((one) => situations.includes(questions[one].situation) && words(one) === name.toLowerCase());
}

/** Change the position as a word of the notation says; give what is wrong with it if it says nothing. */
async function changeBy(word) {
  if (state.mode === "play") return { message: `Nothing is called “${word}”.`, fix: "In a game the position changes only by what is played." };
  const { situation, pieces } = state;
  try {
    const { answer } = await ask({ ...rules(), query: "notation", input: { position: state.position } });
    const sent = { ...rules(), readings: undefined, situation, position: `${answer.notation},${word}`, placed: false };
    commit((await post("board", sent)).position);
    choosePieces(pieces.filter(pieceOf));
    return null;
  } catch (error) {
    return error;
  }
}

function setMode(mode) {
  state.mode = mode;
  forget();
  proceed();
}

/** Ask again what is shown: the rules are others now. */
function again() {
  const { asked, pieces } = state;
  ["turn", "reach", "aim"].forEach(begins);
  Object.assign(state, { reach: null, reply: null, strip: null, stripError: null, actions: null, error: null });
  if (pieces.length) askReach();
  if (asked && asked.query !== "replay") question(asked.query, asked.input, asked.situation);
  if (state.battle) study(state.battle);
  if (state.mode === "play") askActions();
  changed();
}

/** Drop a counter of the tray on a place, or what picks on what is picked. */
function dropped(from, under) {
  const found = (name) => under.map((one) => one.closest?.(`[data-${name}]`)).find(Boolean)?.dataset[name];
  const place = found("place") ?? found("region");
  if (from.dataset.tray && place) setDown(ofTray(from.dataset.tray), place);
  if (from.dataset.combatant && found("combatant")) aim(from.dataset.combatant, found("combatant"));
}

// ---------------------------------------------------------------------- drawing
let shownPointed = "";

/** Bring into sight what a line of the log is about. */
function showPointed(pointed) {
  const place = pointed.map((id) => pieceOf(id)?.row.place ?? recordOf("connection", id)?.row.ends[0] ?? id).find((id) => board.boxes.has(id));
  if (pointed.join() !== shownPointed && place) view.reveal(place);
  shownPointed = pointed.join();
}

let isFitted = null, shownOf = null; // the board that was fitted into its frame, and the question whose verdict is shown

function draw() {
  if (state.position) keepFocus(drawAll);
}

function drawAll() {
  const { game, situation, position, mode, pieces, place, connection, asking, titles, flags, history, at } = state;
  document.body.classList.toggle("apart", game.isApart(situation));
  light();
  follow();
  board.draw();
  if (isFitted !== state.board) view.begin();
  isFitted = state.board;
  drawTop();
  const { error, reply, asked, waits, strip, stripError, edition } = state;
  part("verdict", [error, reply, asked, waits, strip, stripError, state.notice, state.checked, state.building, state.path, edition, mode, position, pieces, place, connection], verdictPanel);
  if (asked && asked !== shownOf) byId("finder").scrollIntoView({ block: "nearest" }); // the verdict stands below it
  shownOf = asked;
  byId("verdict").setAttribute("aria-busy", String(Boolean(asked) && (waits || !(reply || error))));
  byId("board").setAttribute("aria-busy", String(mode !== "play" && pieces.length > 0 && !(state.reach || error)));
  part("asking", [asking, position], askingPanel);
  put(byId("battle"), battlePanel());
  const { of, reach, answers, error: fault, kept } = state.lines ?? {}; // a loss that is only pointed at changes the board alone
  part("cuts", [of, reach, answers, fault, kept, titles], linesPanel);
  const joint = jointParts();
  if (byId("joint").open) part("stacks", joint, jointPanel);
  part("selection", [game, situation, position, mode, pieces, place, connection, asking, titles, flags], selectionPanel);
  const { actions, log, typing, closing, computer, pointed } = state;
  part("phase", [game, mode, actions, actions?.list, position, computer, state.going], phaseBar);
  part("play", [game, position, mode, pieces, place, connection, actions, actions?.list, log, typing, closing, computer], playPanel);
  byId("phase").setAttribute("aria-busy", String(mode === "play" && (state.going > 0 || !actions?.list)));
  showPointed(kept ? kept.losses.map(({ id }) => id) : pointed);
  if (byId("turning").open) part("turn", [game, situation, position, mode, state.board], turnPanel);
  part("track", [game, situation, position, mode, state.summary], () => turnTrack((name, value) => commit({ ...state.position, [name]: value })));
  part("origin", [state.board], origin);
  if (byId("legend").open) put(byId("legend").lastElementChild, legend(game, board.known()));
  part("timeline", [history.length < 2, mode], timeline);
  stand(at, history.length);
  if (byId("tray").open) put(byId("counters"), trayPanel());
  if (state.battle) drawShots();
}

const made = new Map(); // what each part of the page was drawn from

/** Draw a part of the page, unless all that it is made from is as it was. */
function part(id, from, make) {
  if (made.get(id)?.every((one, index) => one === from[index])) return;
  made.set(id, from);
  put(byId(id), make());
}

function drawTop() {
  const { game, games, scenario, scenarios, edition, position } = state;
  byId("undo").disabled = state.at === 0;
  byId("redo").disabled = state.at === state.history.length - 1;
  for (const mode of ["ask", "play"]) byId(`mode-${mode}`).setAttribute("aria-pressed", state.mode === mode);
  menu("games", [games], game.name, () => games.map((one) => [one.game, one.title]));
  part("scenarios", [scenarios, scenario], () => [
    !scenario && h("option", { value: "" }, "own position"),
    GROUPS.map(([label, isIn]) => h("optgroup", { label }, scenarios.filter(isIn).map((one) => h("option", { value: one.name }, one.title === one.name ? capital(words(one.name)) : one.title)))),
    h("option", { value: EMPTY }, "Empty board"),
  ]);
  byId("scenarios").value = scenario ?? "";
  menu("editions", [game], edition, () => game.told.editions.map((one) => [one.edition, one.edition]));
  const isPlayed = game.told.vocabulary.played.includes(state.situation);
  byId("mode-play").disabled = !isPlayed;
  byId("mode-play").title = isPlayed ? "" : "This is not a position of a whole game, so it cannot be played on.";
}

const GROUPS = [["Scenarios", (one) => one.scenario], ["Questions that were asked", (one) => one.query], ["Positions", (one) => !one.scenario && !one.query]];

/** Draw a menu of values and texts, with one chosen. */
function menu(id, from, value, choices) {
  part(id, from, () => choices().map(([one, text]) => h("option", { value: one }, text)));
  byId(id).value = value;
}

/** Offer the readings that the edition leaves open, and the house rules that ship. */
function rulesDialog() {
  const { told } = state.game, dialog = byId("clause");
  const readings = Object.entries(told.readings).filter(([, one]) => one.editions[state.edition]);
  put(dialog, h("h2", null, "Readings and house rules"),
    readings.map(([name, one]) => h("label", { class: "stacked" }, h("span", null, h("small", null, name), ` ${one.question}`), h("select", {
      onchange: (event) => { state.readings = { ...state.readings, [name]: event.target.value }; again(); },
    }, one.editions[state.edition].map((choice, index) =>
      h("option", { value: choice, selected: choice === state.readings[name] || (!state.readings[name] && !index) }, one.choices[choice]))))),
    (told.overlays ?? []).map((name) => h("label", { class: "stacked switch" }, h("span", null, words(name)), h("input", {
      type: "checkbox", checked: state.overlays.includes(name),
      onchange: (event) => {
        state.overlays = event.target.checked ? [...state.overlays, name] : state.overlays.filter((one) => one !== name);
        again();
      },
    }))),
    h("p", { class: "closing" }, button("Close", () => dialog.close(), { autofocus: true })));
  dialog.showModal();
}

const KEYS = [
  ["Click a counter, then a place", "May it go there? Who stands there counts as the place."],
  ["Shift + click, Shift + Enter", "Go on along a way, place by place; back to a place on it."],
  ["Click counters that stand together", "They go together. Once more: out again."],
  ["Drag a counter", "Set it elsewhere; no rule is asked."],
  ["Delete, Backspace", "Take the chosen counters off the board."],
  ["/", "Find a unit, a place, a question, a clause or a command by its name; arrow keys and Enter pick."],
  ["by NAME, in that field", "Go on along the way to a place."],
  ["Arrow keys on the board", "Go from place to place. Enter chooses one, Space the next unit there."],
  ["+, -, 0", "Nearer, farther, the whole board."],
  ["Ctrl + Z, Shift + Ctrl + Z", "Undo, redo."],
  ["Escape", "Choose nothing."],
];

function keysDialog() {
  const dialog = byId("clause");
  put(dialog, h("h2", null, "Keys and clicks"), h("dl", { class: "told keys" }, KEYS.map(([key, does]) => [h("dt", null, h("kbd", null, key)), h("dd", null, does)])),
    h("p", { class: "closing" }, button("Close", () => dialog.close(), { autofocus: true })));
  dialog.showModal();
}

// ---------------------------------------------------------------------- begin
onChange(draw);
document.addEventListener("rules", again);
document.addEventListener("case", (event) => opens(() => openCase(event.detail)));
document.addEventListener("posed", (event) => pose(...event.detail));
document.addEventListener("ruling", (event) => opens(() => openRuling(event.detail)));
document.addEventListener("empty", () => opens(openEmpty));
byId("games").addEventListener("change", ({ target }) => opens(async () => { if (await openGame(target.value)) await openFirst(); }));
byId("scenarios").addEventListener("change", ({ target }) => target.value && opens(() => (target.value === EMPTY ? openEmpty() : openScenario(target.value))));
byId("editions").addEventListener("change", (event) => { state.edition = event.target.value; again(); });
byId("undo").addEventListener("click", () => undo(-1));
byId("redo").addEventListener("click", () => undo(1));
byId("zoom-in").addEventListener("click", () => view.zoom(0.7));
byId("zoom-out").addEventListener("click", () => view.zoom(1.4));
byId("zoom-fit").addEventListener("click", () => view.fit());
byId("mode-ask").addEventListener("click", () => setMode("ask"));
byId("mode-play").addEventListener("click", () => setMode("play"));
byId("rules").addEventListener("click", rulesDialog);
byId("keys").addEventListener("click", keysDialog);
finder(byId("finder"), { things, take: find, else: (text) => ({ kind: "look up", text, names: [`“${text}” in the words of clauses`], open: () => findClauses(text) }) });
byId("find").addEventListener("focus", fillClauses);
put(byId("files"), filesPanel());
takeDrops(opens);
byId("tray").addEventListener("toggle", () => { if (byId("tray").open) fillTray().then(changed); });
for (const fold of ["turning", "legend", "lines", "joint"]) byId(fold).addEventListener("toggle", changed);
draggable(document.querySelector("aside"), "[data-tray]", dropped);
draggable(byId("battle"), "[data-combatant]", dropped);
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, dialog");
  if (event.key === "Escape" && !typing) forget();
  const field = byId("find"), isStarting = event.target === field && field.selectionEnd - field.selectionStart === field.value.length;
  if (event.key === "/" && (!typing || isStarting)) { event.preventDefault(); field.focus(); field.select(); }
  if (event.key === "?" && !typing) keysDialog();
  if (["Delete", "Backspace"].includes(event.key) && !typing && state.mode !== "play" && state.pieces.length) { event.preventDefault(); takeOff(state.pieces); }
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) undo(event.shiftKey ? 1 : -1);
});
dark.addEventListener("change", () => { if (state.game) state.game.isDark = dark.matches; made.clear(); changed(); });
window.addEventListener("hashchange", () => { if (location.hash.length > 1) opens(() => openFragment(location.hash.slice(1))); });
opens(start);
