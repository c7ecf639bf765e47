// The oracle for JavaScript: `const oracle = await load({ game, edition }); await oracle.ask(request)`.

const isNode = typeof process === "object" && Boolean(process.versions?.node);
const GRACE_MS = 3_000; // in which Python gives up a question by itself before its worker is ended
const QUIET_MS = 5_000; // after a start; whoever asks at once has all of the machine
const SILENT_MS = 60_000; // after so long without a word an interpreter that starts is given up
const LOST = { kind: "lost", at: "$", message: "the interpreter ended at this question", fix: "ask again" };
const WORN = { kind: "too-large", at: "$", message: "a request took much memory", fix: "ask a smaller question" };
const tooLarge = (seconds) => ({ kind: "too-large", at: "$", message: `the request exceeded the limit of ${seconds} s (loading its rules counts)`, fix: "ask a smaller question, or raise the limit" });
const refusal = (error, id = null) => JSON.stringify({ id, ok: false, error });

async function newWorker(heard, failed) {
  const url = new URL("worker.js", import.meta.url);
  if (isNode) {
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(url, { stdin: false });
    worker.on("message", heard).on("error", (error) => failed(error.message));
    return worker;
  }
  const worker = new Worker(url, { type: "module" });
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = (event) => failed(event.message ?? "its script cannot be loaded");
  return worker;
}

/** One interpreter in a worker of its own; it answers one message at a time, and is ended for good. */
class Interpreter {
  #worker = null;
  #take = null;
  #isEnded = false;

  /** Start it; one that says nothing, not even that something has come, cannot run here. */
  async start(seconds, onprogress) {
    const started = new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(`no answer for ${SILENT_MS / 1000} s`));
      let timer = setTimeout(giveUp, SILENT_MS);
      this.#take = (message) => {
        clearTimeout(timer);
        if (message.fatal !== undefined) return reject(new Error(message.fatal));
        if (message.stage === "ready") return resolve(this);
        timer = setTimeout(giveUp, SILENT_MS);
        return onprogress?.(message);
      };
    });
    this.#worker = await newWorker((message) => this.#take?.(message), (why) => this.#take?.({ fatal: why }));
    if (this.#isEnded) this.end();
    else this.#worker.postMessage({ seconds });
    return started;
  }

  /** Give the answer to a message; null if it ended instead, or had not answered after so many milliseconds. */
  answer(message, most) {
    return new Promise((resolve) => {
      const timer = most ? setTimeout(() => done({ late: true }), most) : null;
      const done = (found) => { clearTimeout(timer); this.#take = null; resolve(found); };
      this.#take = done;
      this.#worker.postMessage({ id: 0, ...message });
    });
  }

  end() {
    this.#isEnded = true;
    this.#worker?.terminate();
  }
}

export class Oracle {
  #options;
  #current;
  #standby = null;
  #queue = Promise.resolve();
  #isEnded = false;

  constructor(options) {
    this.#options = options;
  }

  /** The interpreter that answers now; `load` waits for the first. */
  async start() {
    this.#current = this.#fresh(this.#options.onprogress);
    await this.#current;
    setTimeout(() => this.#prepare(), QUIET_MS).unref?.();
    return this;
  }

  #fresh(onprogress) {
    const interpreter = new Interpreter();
    const started = interpreter.start(this.#options.seconds, onprogress);
    started.catch(() => interpreter.end());
    return started;
  }

  #prepare() {
    if (!this.#options.standby || this.#standby || this.#isEnded) return;
    this.#standby = this.#fresh();
    this.#standby.catch(() => { this.#standby = null; });
  }

  /** Put a message after those that wait; one that ends its interpreter is answered, and the next has another. */
  #put(message) {
    const found = this.#queue.then(async () => {
      const { seconds } = this.#options, interpreter = await this.#current;
      const reply = await interpreter.answer(message, seconds ? seconds * 1000 + GRACE_MS : 0);
      const error = reply.late ? tooLarge(seconds) : reply.fatal !== undefined ? LOST : null;
      if (error || reply.isWorn) this.#replace(interpreter, error ?? WORN);
      return error ? { error } : reply;
    });
    this.#queue = found.catch(() => {});
    return found;
  }

  #replace(interpreter, error) {
    interpreter.end();
    this.#current = this.#standby ?? this.#fresh();
    this.#current.catch(() => {});
    this.#standby = null;
    this.#current.then(() => this.#prepare(), () => {});
    this.#options.onrestart?.(error);
  }

  /** Put a request of the protocol, for the game, the edition and the house rules that `load` was given, if it names none. */
  async ask(request) {
    return JSON.parse(await this.askLine(JSON.stringify({ ...this.#usual(request), ...request })));
  }

  #usual({ game }) {
    const { game: usual, edition, overlays } = this.#options;
    const isOther = game !== undefined && game !== usual;
    return { ...(usual ? { game: usual } : {}), ...(isOther ? {} : { edition, overlays }) };
  }

  /** Put a request as a line of the protocol, as it is; the answer is the line that `titm oracle` writes. */
  async askLine(line) {
    const reply = await this.#put({ line });
    return reply.error ? refusal(reply.error, idOf(line)) : reply.text;
  }

  /** Ask as a page asks its server, such as `GET /api/games`; the answer has a status, a type and a text. */
  async route(method, target, body = "") {
    const reply = await this.#put({ method, target, body });
    return reply.error ? { status: reply.error.kind === "lost" ? 503 : 413, type: "application/json", text: refusal(reply.error) } : reply;
  }

  /** Give the JSON Schemas of a game's requests and replies. */
  async schemas(game) {
    const code = `import json; from titm_rules.web.routes import schemas; json.dumps(schemas(${JSON.stringify(game ?? "")}))`;
    return JSON.parse(await this.evaluate(code));
  }

  /** Run Python inside, for tests and for the build. */
  async evaluate(code) {
    return (await this.#put({ code })).text;
  }

  /** End the workers; nothing can be asked after that. */
  end() {
    this.#isEnded = true;
    for (const one of [this.#current, this.#standby]) one?.then((interpreter) => interpreter.end(), () => {});
  }
}

function idOf(line) {
  try {
    return JSON.parse(line).id ?? null;
  } catch {
    return null;
  }
}

/** Start an oracle. See index.d.ts for the options. */
export async function load({ game, edition, houseRules, seconds = 10, standby = false, onprogress, onrestart } = {}) {
  return new Oracle({ game, edition, overlays: houseRules, seconds, standby, onprogress, onrestart }).start();
}
