// The page: opens a game and a scenario, joins the board to the panels.

import { get } from "./api.js";
import { BoardView } from "./board.js";
import { battlePanel } from "./battle.js";
import { button, byId, h, put, words } from "./dom.js";
import { filesPanel } from "./files.js";
import { findClauses } from "./clause.js";
import { Game } from "./game.js";
import { askingPanel, chooseConnection, choosePiece, choosePlace, movePiece, selectionPanel, turnPanel } from "./panels.js";
import { askActions, light, playPanel, timeline } from "./play.js";
import { askReach, dropAnswers, goOn, pieceOf, put as question, recordOf } from "./questions.js";
import { applied, held } from "./share.js";
import { changed, commit, forget, goTo, onChange, open, state } from "./state.js";
import { errorBox, verdictPanel } from "./verdict.js";
import { View } from "./view.js";

const enc = encodeURIComponent;
const board = new BoardView(byId("board"));
const view = new View(byId("board"), board, {
  piece: choosePiece, place: clickPlace, connection: chooseConnection, drop: movePiece, next: nextPiece,
});

// ---------------------------------------------------------------------- opening
async function openGame(name) {
  const [told, questions] = await Promise.all([get(`games/${enc(name)}`), get(`games/${enc(name)}/questions`)]);
  state.game = new Game(name, told, questions);
  Object.assign(state, { edition: told.edition, readings: {}, overlays: [], scenarios: await get(`games/${enc(name)}/scenarios`) });
}

async function openScenario(name, edition = state.edition) {
  const told = await get(`games/${enc(state.game.name)}/scenarios/${enc(name)}?edition=${enc(edition)}`);
  open(told.position, told.situation, told.board, { scenario: name, titles: told.titles, overlays: told.overlays, summary: told.summary, about: told.about });
  draw();
  view.begin();
  if (state.mode === "play") askActions();
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

async function openFragment(text) {
  const link = await held(text);
  await openGame(link.g);
  Object.assign(state, { edition: link.e });
  if (link.s) await openScenario(link.s, link.e);
  const { read } = await import("./files.js");
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

async function start() {
  try {
    state.games = await get("games");
    if (location.hash.length > 1) return await openFragment(location.hash.slice(1));
    await openGame((state.games.find((one) => one.usual) ?? state.games[0]).game);
    await openFirst();
  } catch (error) {
    put(byId("verdict"), errorBox(error));
  }
}

async function openFirst() {
  const first = state.scenarios.find((one) => one.scenario) ?? state.scenarios[0];
  if (first) return openScenario(first.name);
  const situation = Object.keys(state.game.records).find((name) => state.game.lists(name, "place").length);
  open(emptyPosition(situation), situation, { points: {} });
  return draw();
}

// ---------------------------------------------------------------------- what is clicked
function clickPlace(place) {
  state.cursor = place;
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

/** Find a piece, a place or a connection by its name, as if it had been clicked. */
function find(event) {
  event.preventDefault();
  const name = byId("find").value.trim();
  byId("find").value = "";
  if (pieceOf(name)) {
    choosePiece(name);
    view.reveal(pieceOf(name).row.place, true);
  } else if (recordOf("place", name)) {
    clickPlace(name);
    view.reveal(name, true);
  } else if (recordOf("connection", name)) chooseConnection(name);
  else if (name) findClauses(name);
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
  Object.assign(state, { reach: null, reply: null, strip: null, actions: null });
  if (pieces.length) askReach();
  if (asked) question(asked.query, asked.input, asked.situation);
  if (state.mode === "play") askActions();
  changed();
}

// ---------------------------------------------------------------------- drawing
function draw() {
  if (!state.position) return;
  light();
  board.draw();
  drawTop();
  put(byId("verdict"), verdictPanel());
  put(byId("asking"), askingPanel());
  put(byId("battle"), battlePanel());
  put(byId("selection"), selectionPanel());
  put(byId("play"), playPanel());
  put(byId("turn"), turnPanel());
  put(byId("timeline"), timeline());
}

function option(value, text, chosen) {
  return h("option", { value, selected: value === chosen }, text);
}

function drawTop() {
  byId("undo").disabled = state.at === 0;
  byId("redo").disabled = state.at === state.history.length - 1;
  for (const mode of ["ask", "play"]) byId(`mode-${mode}`).setAttribute("aria-pressed", state.mode === mode);
  put(byId("games"), state.games.map((one) => option(one.game, one.title, state.game.name)));
  put(byId("scenarios"), !state.scenario && option("", "own position", ""), state.scenarios.map((one) => option(one.name, one.title, state.scenario)));
  put(byId("editions"), state.game.told.editions.map((one) => option(one.edition, one.edition, state.edition)));
  const rows = [...state.game.rows(state.situation, state.position, "piece"), ...state.game.rows(state.situation, state.position, "place")];
  if (board.named !== state.position) put(byId("names"), rows.map(({ row }) => h("option", { value: row.id })));
  board.named = state.position;
}

/** Offer the readings that the edition leaves open, and the house rules that ship. */
function rulesDialog() {
  const { told } = state.game, dialog = byId("clause");
  const readings = Object.entries(told.readings).filter(([, one]) => one.editions[state.edition]);
  put(dialog, h("h2", null, "Readings and house rules"),
    readings.map(([name, one]) => h("label", { class: "stacked" }, h("span", null, `${name} ${one.question}`), h("select", {
      onchange: (event) => { state.readings = { ...state.readings, [name]: event.target.value }; again(); },
    }, one.editions[state.edition].map((choice) => option(choice, one.choices[choice], state.readings[name] ?? one.editions[state.edition][0]))))),
    (told.overlays ?? []).map((name) => h("label", { class: "stacked" }, h("span", null, words(name)), h("input", {
      type: "checkbox", checked: state.overlays.includes(name),
      onchange: (event) => {
        state.overlays = event.target.checked ? [...state.overlays, name] : state.overlays.filter((one) => one !== name);
        again();
      },
    }))),
    h("p", null, button("Close", () => dialog.close())));
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
byId("games").addEventListener("change", async (event) => { await openGame(event.target.value); await openFirst(); });
byId("scenarios").addEventListener("change", (event) => event.target.value && openScenario(event.target.value));
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
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea, dialog");
  if (event.key === "Escape" && !typing) { dropAnswers(); forget(); }
  const isStarting = event.target === byId("find") && !event.target.value;
  if (event.key === "/" && (!typing || isStarting)) { event.preventDefault(); byId("find").focus(); }
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) undo(event.shiftKey ? 1 : -1);
});
window.addEventListener("hashchange", () => { if (location.hash.length > 1) openFragment(location.hash.slice(1)); });
start().then(() => { document.documentElement.dataset.ready = "yes"; });
