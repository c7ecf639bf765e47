// What cuts a line: what every line of a piece or a side passes, and the fewest losses that cut it off, listed and on the board.

import { ask } from "./api.js";
import { openClause } from "./clause.js";
import { button, byId, capital, h } from "./dom.js";
import { pieceOf } from "./questions.js";
import { changed, rules, state } from "./state.js";
import { errorBox, named } from "./verdict.js";

const QUERY = "supply_lines", MOST = 12, MOST_NAMED = 8, NOTHING = { passed: [], notes: [], lost: [], severed: [] };

/** Whether the rules have lines that can be cut: a question about where a piece traces to. */
const isTraced = () => Object.values(state.game.questions).some((one) => one.traces && one.situation === state.situation);

/** List the kinds of loss that the rule set has words for; each is asked about alone. */
const kinds = () => Object.entries(state.game.style.cuts).filter(([, look]) => look.fewest);

const sides = () => state.game.words[state.game.actors] ?? [];

/** Offer to show what cuts the line of a piece. */
export function cutButton(id) {
  return isTraced() && button("What cuts its line", () => {
    byId("lines").open = true;
    study(id);
    byId("lines").scrollIntoView({ block: "nearest" });
  }, { class: "question", id: "cut-line" });
}

/** Ask again where the panel is open and something else is on the board or selected; forget all when it is closed. */
export function follow() {
  byId("lines").hidden = !isTraced();
  if (!byId("lines").open || !isTraced()) return void (state.lines = null);
  const { lines } = state, from = basis(), picked = from.at(-1);
  if (lines && from.every((one, index) => one === lines.from[index])) return;
  const of = picked !== lines?.from.at(-1) ? picked : lines?.of;
  study(sides().includes(of) || pieceOf(of)?.row.place ? of : toMove(), lines?.reach);
}

/** List what an answer rests on: the position, its rules, and last who is selected, or was. */
function basis() {
  const { position, edition, readings, overlays, pieces, lines } = state;
  return [position, edition, readings, overlays, pieceOf(pieces[0]) ? pieces[0] : lines?.from.at(-1)];
}

/** Name the side that is to move, or the first. */
function toMove() {
  const field = state.game.fields(state.situation).find(({ type }) => type.kind === "enum" && type.name === state.game.actors);
  return (field && state.game.value(state.situation, state.position, field.name)) ?? sides()[0];
}

/** Ask what cuts the line of a piece or a side; with `reach` also who of the side to move can do it in this impulse. */
async function study(of, reach = false) {
  const lines = { of, reach, from: basis(), answers: null, error: null, cut: null, kept: null };
  state.lines = lines;
  changed();
  const input = { position: state.position, of, reach, top: MOST };
  try {
    const asked = kinds().length ? kinds().map(([kind]) => ({ ...input, kinds: [kind] })) : [input];
    const replies = await Promise.all(asked.map((one) => ask({ ...rules(), query: QUERY, input: one })));
    turn(lines, { answers: replies.map(({ answer }) => answer) });
  } catch (error) {
    turn(lines, { error });
  }
}

/** Show the panel otherwise, unless something else has been asked since. */
function turn(lines, more) {
  if (state.lines?.from !== lines.from) return;
  state.lines = { ...state.lines, ...more };
  changed();
}

// ---------------------------------------------------------------------- what is shown
export function linesPanel() {
  const { lines } = state;
  if (!lines) return null;
  const { of, reach, answers, error } = lines, choices = [...new Set([lines.from.at(-1), of, ...sides()])].filter((one) => one && (sides().includes(one) || pieceOf(one)));
  return [
    h("p", { class: "row", role: "group", "aria-label": "whose line" }, choices.map((one) => button(named(one), () => study(one, reach), { class: "small", "aria-pressed": one === of }))),
    h("p", { class: "row" }, h("label", null, h("input", { type: "checkbox", checked: reach, onchange: () => study(of, !reach) }), ` who can do it now: ${toMove()} is to move`)),
    error ? errorBox(error, ["Try again", () => study(of, reach)]) : answers ? told(lines) : h("p", { class: "hint" }, "Looking for what cuts it …"),
  ];
}

function told({ of, answers }) {
  const [first] = answers, has = first.pieces.length > 0, known = new Set(answers.flatMap(({ cuts }) => cuts.map(signOf)));
  const single = answers.flatMap(({ pockets }) => pockets).filter((cut) => !known.has(signOf(cut)));
  const undone = first.restores.length ? answers.flatMap(({ restores }) => restores) : [];
  return [
    h("p", null, passing(of, first)),
    has && answers.map((answer, index) => fewest(answer, kinds()[index]?.[1].fewest ?? "Fewest losses")),
    single.length > 0 && [h("h3", null, pieceOf(of) ? "Also cuts it" : `A single loss cuts off some: ${single.length}`), list(single)],
    undone.length > 0 && [h("h3", null, "What would give a line"), list(undone)],
    first.lost_for_good.length > 0 && h("p", null, `No line, whatever is undone: ${people(first.lost_for_good)}.`),
  ];
}

/** Say what every line passes; or that there is none. */
function passing(of, { pieces, places, connections }) {
  if (!pieces.length) return pieceOf(of) ? `${named(of)} has no line now.` : `No ${of} unit has a line now.`;
  if (!places.length) return `${pieceOf(of) ? `The lines of ${named(of)}` : `The ${of} lines`} have no place in common.`;
  return [pieceOf(of) ? `Every line of ${named(of)}` : `Every ${of} line`, " passes ", h("strong", null, and(places)), connections.length > 0 && `, by ${and(connections)}`, "."];
}

function fewest({ size, at_least, cuts, complete, safe, pieces }, heading) {
  if (size === null) return h("h3", null, `${heading}: ${at_least ? `more than ${at_least - 1}` : "none are enough"}`);
  return [
    h("h3", null, `${heading}: ${size}`, h("small", null, complete ? cuts.length > 1 && ` ${cuts.length} ways` : ` more than ${cuts.length} ways`)),
    list(cuts, ({ id }) => named(id)),
    safe.length > 0 && pieces.length > 1 && h("p", { class: "hint" }, `Nothing of this kind cuts off the others: ${people(safe)}.`),
  ];
}

const list = (cuts, called = ({ text }) => capital(text)) => h("ul", { class: "cuts" }, cuts.map((cut) => shown(cut, called)));

/** Show a set of losses: who points at it sees it on the board, and who clicks it keeps it there. */
function shown(cut, called) {
  const { lines } = state, isKept = lines.kept === cut;
  const point = (one) => () => turn(lines, { cut: one });
  const keep = () => turn(lines, { kept: isKept ? null : cut, cut: isKept ? null : cut });
  const by = cut.losses.filter((loss) => loss.by).map((loss) => `${cut.losses.length > 1 ? `${called(loss)}: ` : ""}${loss.by.length ? `by ${people(loss.by)}` : "by nobody now"}`);
  return h("li", { onpointerenter: point(cut), onpointerleave: point(lines.kept) },
    button(cut.losses.map(called).join(" + "), keep, { class: "small", title: and(cut.losses.map(({ text }) => text)), "aria-pressed": isKept, onfocus: point(cut), onblur: point(lines.kept) }),
    h("span", null, cut.pieces.join() === lines.of ? "" : ` ${people(cut.pieces)} `, cut.clauses.map((number) => [" ", button(number, () => openClause(number), { class: "clause" })])),
    by.map((text) => h("small", null, text)),
    by.length > 1 && cut.losses.every((loss) => loss.by.length) && h("small", null, h("strong", null, "Each of them can be done now.")));
}

const signOf = ({ losses }) => losses.map(({ kind, id }) => `${kind} ${id}`).join("+");

const and = (texts) => (texts.length > 1 ? `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}` : texts.join(""));

/** Name some pieces; of many only how many they are. */
const people = (ids) => (ids.length > MOST_NAMED ? `${ids.length} units` : and(ids.map(named)));

// ---------------------------------------------------------------------- on the board
/** Give what lies over the board: what every line passes, how many each single loss cuts off, and the losses that are pointed at. */
export function overlay() {
  const { answers, cut } = state.lines ?? {};
  if (!answers) return NOTHING;
  const [{ places, connections }] = answers, pockets = cut ? [] : answers.flatMap((one) => one.pockets);
  const notes = pockets.map(({ losses: [{ id }], pieces }) => [id, `✂${pieces.length}`]);
  return { passed: [...places, ...connections], notes, lost: cut?.losses.map(({ id }) => id) ?? [], severed: cut?.pieces ?? [] };
}
