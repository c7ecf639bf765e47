// What a game's rule set declares, read: records, defaults, looks, questions. Nothing here knows a game.

/** Write a number of parts in its unit, 16 of twelve parts as `1 1/3`; of a list or an object each of its numbers. */
export function inUnit(value, parts) {
  if (Array.isArray(value)) return value.map((one) => inUnit(one, parts));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inUnit(one, parts)]));
  if (typeof value !== "number") return value;
  const whole = Math.floor(Math.abs(value) / parts), rest = Math.abs(value) % parts, shared = divisor(rest, parts);
  const share = rest ? `${rest / shared}/${parts / shared}` : "";
  return (value < 0 ? "-" : "") + [whole || !rest ? whole : "", share].filter((part) => part !== "").join(" ");
}

const divisor = (one, other) => (other ? divisor(other, one % other) : one);

export class Game {
  /** @param told of /api/games/NAME; `questions` of /api/games/NAME/questions */
  constructor(name, told, questions) {
    this.name = name;
    this.told = told;
    this.questions = questions;
    this.records = told.vocabulary.records;
    this.words = told.vocabulary.words;
    this.style = told.vocabulary.style;
    this.views = told.vocabulary.views;
    this.actors = told.vocabulary.actors;
    this.events = told.vocabulary.events;
    this.isDark = false;
  }

  fields(record) {
    return this.records[record]?.fields ?? [];
  }

  /** List the fields of a situation that hold records of a role, as [field, record]. */
  lists(situation, role) {
    return this.fields(situation)
      .filter((field) => field.owns && field.type.kind === "set" && this.records[field.type.name]?.role === role)
      .map((field) => [field.name, field.type.name]);
  }

  /** Whether a situation has no places, such as a battle: it is shown without a board. */
  isApart(situation) {
    return !this.lists(situation, "place").length;
  }

  /** List the records of a role in a position, as {list, record, row}. */
  rows(situation, position, role) {
    return this.lists(situation, role).flatMap(([list, record]) =>
      (position[list] ?? []).filter((row) => row && row.id !== undefined).map((row) => ({ list, record, row })));
  }

  /** Give a field of a row, or its default. */
  value(record, row, name) {
    if (name === "record") return record;
    if (row[name] !== undefined) return row[name]; // also what a record has not, but is taken to have
    const field = this.fields(record).find((one) => one.name === name);
    if (field?.same_as) return row[field.same_as[field.same_as.length - 1]] ?? null;
    return field && "default" in field ? field.default : null;
  }

  /** List the rules of the style for something, in the colours of the screen. */
  all(what) {
    const known = `${what} ${this.isDark}`;
    this.painting ??= new Map();
    if (!this.painting.has(known)) this.painting.set(known, (this.style[what] ?? []).map((rule) => this.painted(rule)));
    return this.painting.get(known);
  }

  /** Give a colour of the style as it is on this screen: on a dark one the paper is dark. */
  paint(colour) {
    return (this.isDark && this.style.dark[colour]) || colour;
  }

  painted(look) {
    if (!this.isDark || !look) return look;
    return Object.fromEntries(Object.entries(look).map(([name, value]) => [name, name === "casing" ? this.painted(value) : typeof value === "string" ? this.paint(value) : value]));
  }

  looks(what, record, row) {
    return this.all(what).filter((rule) =>
      Object.entries(rule.when).every(([name, wanted]) => this.value(record, row, name) === wanted));
  }

  look(what, record, row) {
    return { fill: "#ffffff", ink: "#222222", stroke: "#777777", width: 2, ...this.looks(what, record, row)[0] };
  }

  /** Fill a text of a counter with fields of its piece, or with more; one that it has not, or that is 0, is left out. */
  written(record, row, text, more) {
    return text.replace(/\{([\w-]+)\}/g, (_, name) => more[name] ?? (this.value(record, row, name) || "")).replace(/(?<=-)-+|^-+|-+$/g, "");
  }

  /** Name the side of a piece: the value of its first field that can hold who plays; nothing if no side plays the game. */
  side({ record, row }) {
    const field = this.fields(record).find(({ type }) => type.kind === "enum" && type.name === this.actors);
    return field ? this.value(record, row, field.name) : null;
  }

  /** Say in words what a piece is. */
  label(record, row) {
    return this.style.piece_label.map((name) => this.value(record, row, name)).filter((v) => v !== null).join(" ");
  }

  /** Find the inputs of a question besides its situation, by the record or kind that each takes. */
  takes(question) {
    return this.questions[question].inputs.map((input) => ({ ...input, role: this.roleOf(input.type) }));
  }

  roleOf(type) {
    if (type.kind === "path") return "path";
    const role = type.kind === "place" || type.name === "place" ? "place" : this.records[type.name]?.role;
    if (!role || role === "plain" || role === "situation") return type.kind;
    return type.kind === "set" ? `${role}s` : role;
  }

  /** Name the questions about a situation that are asked in some way. */
  asking(situation, asks) {
    return Object.keys(this.questions).filter((name) => this.questions[name].situation === situation &&
      asks.includes(this.questions[name].asks));
  }

  /** Name the question that judges a path, if there is one. */
  pathQuestion(situation) {
    const judging = Object.keys(this.questions).filter((name) => this.questions[name].situation === situation &&
      this.questions[name].answers.includes("legal") || this.questions[name].asks === "path");
    return judging.find((name) => {
      const roles = this.takes(name).map((input) => input.role);
      return roles.some((role) => role.startsWith("piece")) &&
        (roles.includes("path") || (roles.includes("places") && roles.length === 2));
    });
  }

  /** Give an answer, or what shows it, with its numbers of parts in their unit. */
  inUnits(question, answer) {
    const parts = this.questions[question]?.parts ?? {};
    return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, parts[name] ? inUnit(value, parts[name]) : value]));
  }

  moverInput(question) {
    return this.takes(question).find((input) => input.role.startsWith("piece"));
  }
}
