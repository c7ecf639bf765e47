// The page: opens a game and a scenario, joins the board to the panels.

import { ask, get, post } from "./api.js";
import { BoardView } from "./board.js";
import { aim, battlePanel, drawShots, openBattle, pick, study } from "./battle.js";
import { button, byId, h, keepFocus, put, words } from "./dom.js";
import { draggable } from "./drag.js";
import { filesPanel, read } from "./files.js";
import { findClauses, openClause } from "./clause.js";
import { Game } from "./game.js";
import { askingPanel, chooseConnection, choosePiece, choosePieces, choosePlace, movePiece, selectionPanel, turnPanel } from "./panels.js";
import { askActions, light, playPanel, stand, timeline } from "./play.js";
import { askReach, begin, dropAnswers, goOn, pieceOf, put as question, recordOf } from "./questions.js";
import { applied, held } from "./share.js";
import { fillTray, ofTray, setDown, takeOff, trayPanel } from "./tray.js";
import { turnTrack } from "./track.js";
import { changed, commit, forget, goTo, onChange, open, rules, state } from "./state.js";
import { errorBox, verdictPanel } from "./verdict.js";
import { View } from "./view.js";

const enc = encodeURIComponent, EMPTY = "-";
const board = new BoardView(byId("board"));
const view = new View(byId("board"), board, {
  piece: choosePiece, place: clickPlace, connection: chooseConnection, drop: movePiece, off: (id) => takeOff([id]), next: nextPiece,
});

// ---------------------------------------------------------------------- opening
let opening = 0; // what was chosen last is opened, whatever comes first

async function openGame(name) {
  const mine = ++opening;
  const [told, questions, scenarios] = await Promise.all(["", "/questions", "/scenarios"].map((rest) => get(`games/${enc(name)}${rest}`)));
  if (mine !== opening) return false;
  state.game = new Game(name, told, questions);
  Object.assign(state, { edition: told.edition, readings: {}, overlays: [], scenarios });
  return true;
}

async function openScenario(name, edition = state.edition) {
  const mine = ++opening;
  const told = await get(`games/${enc(state.game.name)}/scenarios/${enc(name)}?edition=${enc(edition)}`);
  if (mine !== opening) return;
  put(byId("link"));
  const ask = () => told.query && question(told.query, told.input, told.situation);
  if (!state.game.lists(told.situation, "place").length) {
    if (!state.position) await openEmpty();
    state.scenario = name;
    openApart(told.situation, told.position, told.title);
    return ask();
  }
  open(told.position, told.situation, told.board, { scenario: name, titles: told.titles, overlays: told.overlays, summary: told.summary, about: told.about });
  draw();
  view.begin();
  ask();
  if (state.mode === "play") askActions();
}

/** Do what opens something; until it stands, the page says that it is not ready. */
async function opens(work) {
  document.documentElement.dataset.ready = "no";
  try {
    await work();
  } catch (error) {
    Object.assign(state, { error, reply: null });
    if (state.position) changed();
    else put(byId("verdict"), errorBox(error));
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

async function openFragment(text) {
  const link = await held(text);
  await openGame(link.g || state.games.find((one) => one.usual).game);
  Object.assign(state, { edition: link.e || state.edition });
  if (link.n !== undefined) return openNotation(link.n);
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
  view.begin();
}

async function openNotation(text) {
  await openFirst();
  await read(text);
  draw();
  view.begin();
}

/** Open a case in which a clause decides: its position, with its question asked. */
async function openCase(name) {
  byId("clause").close();
  if (state.scenarios.some((one) => one.name === name)) return openScenario(name);
  const told = await get(`games/${enc(state.game.name)}/cases/${enc(name)}`);
  const onBoard = told.situation && state.game.lists(told.situation, "place").length;
  Object.assign(state, { edition: told.edition, readings: told.readings ?? {} });
  if (onBoard) open(told.position, told.situation, told.board, { summary: told.summary, titles: {}, overlays: told.overlays ?? [] });
  else if (told.situation) openApart(told.situation, told.position, name);
  const { [told.situation]: _, ...input } = told.input;
  question(told.query, input, told.situation);
  choose(told.query, input);
  draw();
  if (onBoard) view.begin();
}

/** Select the pieces and show the way that a question is about. */
function choose(query, input) {
  for (const { name, role } of state.game.takes(query)) {
    if (role === "path") state.path = input[name] ?? [];
    if (role === "pieces" || role === "piece") state.pieces = [input[name] ?? []].flat().filter(pieceOf);
  }
}

/** Open what has no board of its own, such as a battle, beside the one that is shown. */
function openApart(situation, data, name) {
  forget();
  study({ view: situation, place: name, data });
}

async function start() {
  state.games = await get("games");
  if (location.hash.length > 1) return openFragment(location.hash.slice(1));
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
  open(emptyPosition(situation), situation, { points: {} }, { summary: {} });
  if (map) await read(JSON.stringify({ ...mapless(situation), map: map.name })).catch((error) => { state.error = error; });
  draw();
  view.begin();
}

// ---------------------------------------------------------------------- what is clicked
function clickPlace(place) {
  state.cursor = place;
  if (state.held) return setDown(state.held, place);
  if (state.pieces.length && state.mode !== "play" && place !== undefined) {
    if (pieceOf(state.pieces[0])?.row.place !== place || state.path.length > 1) return goOn(place);
  }
  return choosePlace(place === state.place ? null : place);
}

/** Take the next of the pieces that stand at a place. */
function nextPiece(place) {
  const here = (board.standing.get(place) ?? []).map(({ row }) => row.id);
  const at = here.indexOf(state.pieces[0]);
  if (!here.length) return;
  state.pieces = [];
  choosePiece(here[(at + 1) % here.length]);
}

let doing = Promise.resolve(); // lines are done in the order in which they were written

function find(event) {
  event.preventDefault();
  const line = byId("find").value.trim();
  byId("find").value = "";
  if (line) doing = doing.then(() => carryOut(line)).catch((error) => { state.error = error; changed(); });
}

/** Do what a line of the search field says: choose what bears the name, press what is called so, change the position, or look it up. */
async function carryOut(name) {
  const [moved, place] = name.split("@");
  if (place !== undefined && pieceOf(moved) && recordOf("place", place)) movePiece(moved, place);
  else if (state.battle && document.querySelector(`[data-combatant="${CSS.escape(name)}"]`)) await pick(name);
  else if (pieceOf(name)) {
    choosePiece(name);
    view.reveal(pieceOf(name).row.place, true);
  } else if (recordOf("place", name)) {
    clickPlace(name);
    view.reveal(name, true);
  } else if (recordOf("connection", name)) chooseConnection(name);
  else if (await openedView(name)) return;
  else if (buttonCalled(name)) buttonCalled(name).click();
  else if (questionCalled(name)) begin(questionCalled(name));
  else if (/^\S+\.\S+$/.test(name)) openClause(name);
  else if (!(await changeBy(name))) findClauses(name);
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
  return [...document.querySelectorAll("aside section button, header button")].find(says);
}

/** Find a question about the board by its name. */
function questionCalled(name) {
  const { questions } = state.game;
  return Object.keys(questions).find((one) => questions[one].situation === state.situation && words(one) === name.toLowerCase());
}

/** Change the position as a word of the notation says; nothing happens if it is none. */
async function changeBy(word) {
  const { situation, pieces } = state;
  try {
    const { answer } = await ask({ ...rules(), query: "notation", input: { position: state.position } });
    const sent = { ...rules(), readings: undefined, situation, position: `${answer.notation},${word}`, placed: false };
    commit((await post("board", sent)).position);
    choosePieces(pieces.filter(pieceOf));
    return true;
  } catch (error) {
    if (/^[\p{L} -]+$/u.test(word)) return false;
    state.error = error;
    changed();
    return true;
  }
}

function setMode(mode) {
  state.mode = mode;
  forget();
  if (mode === "play") askActions();
}

/** Ask again what is shown: the rules are others now. */
function again() {
  const { asked, pieces } = state;
  dropAnswers();
  Object.assign(state, { reach: null, reply: null, strip: null, stripError: null, actions: null, error: null });
  if (pieces.length) askReach();
  if (asked && asked.situation) question(asked.query, asked.input, asked.situation);
  if (state.battle) study(state.battle);
  if (state.mode === "play") askActions();
  changed();
}

/** Drop a counter of the tray on a place, or what picks on what is picked. */
function dropped(from, under) {
  const found = (name) => under.map((one) => one.closest?.(`[data-${name}]`)).find(Boolean)?.dataset[name];
  if (from.dataset.tray && found("place")) setDown(ofTray(from.dataset.tray), found("place"));
  if (from.dataset.combatant && found("combatant")) aim(from.dataset.combatant, found("combatant"));
}

// ---------------------------------------------------------------------- drawing
function draw() {
  if (state.position) keepFocus(drawAll);
}

function drawAll() {
  const { game, situation, position, mode, pieces, place, connection, asking, titles, flags, history, at } = state;
  light();
  board.draw();
  drawTop();
  const { error, reply, asked, waits, strip, stripError, edition } = state;
  part("verdict", [error, reply, asked, waits, strip, stripError, edition, mode, position, pieces, place, connection], verdictPanel);
  byId("verdict").setAttribute("aria-busy", String(Boolean(asked) && (waits || !(reply || error))));
  byId("board").setAttribute("aria-busy", String(mode !== "play" && pieces.length > 0 && !(state.reach || error)));
  part("asking", [asking, position], askingPanel);
  put(byId("battle"), battlePanel());
  part("selection", [game, situation, position, mode, pieces, place, connection, asking, titles, flags], selectionPanel);
  put(byId("play"), playPanel());
  if (byId("turning").open) part("turn", [game, situation, position, mode, state.board], turnPanel);
  part("track", [game, situation, position, mode, state.summary], () => turnTrack((name, value) => commit({ ...state.position, [name]: value })));
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
  menu("scenarios", [scenarios, scenario], scenario ?? "", () => [
    ...(scenario ? [] : [["", "own position"]]), ...scenarios.map((one) => [one.name, one.title]), [EMPTY, "Empty board"],
  ]);
  menu("editions", [game], edition, () => game.told.editions.map((one) => [one.edition, one.edition]));
  part("names", [position], () => ["piece", "place"].flatMap((role) => game.rows(state.situation, position, role)).map(({ row }) => h("option", { value: row.id })));
}

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

function undo(steps) {
  dropAnswers();
  goTo(state.at + steps);
  state.pieces = state.pieces.filter(pieceOf);
  if (state.mode === "play") askActions();
}

// ---------------------------------------------------------------------- begin
onChange(draw);
document.addEventListener("rules", again);
document.addEventListener("case", (event) => opens(() => openCase(event.detail)));
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
byId("finder").addEventListener("submit", find);
put(byId("files"), filesPanel());
byId("tray").addEventListener("toggle", () => { if (byId("tray").open) fillTray().then(changed); });
byId("turning").addEventListener("toggle", changed);
draggable(document.querySelector("aside"), "[data-tray], [data-combatant]", dropped);
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, dialog");
  if (event.key === "Escape" && !typing) { dropAnswers(); forget(); }
  const isStarting = event.target === byId("find") && !event.target.value;
  if (event.key === "/" && (!typing || isStarting)) { event.preventDefault(); byId("find").focus(); }
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) undo(event.shiftKey ? 1 : -1);
});
window.addEventListener("hashchange", () => { if (location.hash.length > 1) opens(() => openFragment(location.hash.slice(1))); });
opens(start);
