// The referee in this page: what every visitor asks is a file, and an oracle in a worker answers the rest.

import { byId, h, put } from "./dom.js";

const MEMORY_GB = 4; // from here on a second interpreter waits, so that a question that is stopped costs no start
const NOTICE_MS = 12_000, QUIET_MS = 300;
const STAGES = { unpack: "unpacking", rules: "reading the rules", ready: "" };

const notice = h("p", { id: "referee", role: "status" });
byId("verdict").before(notice);
if (location.hash) byId("opening")?.remove(); // a link opens another board than the picture shows

const shelf = fetch("shelf/index.json").then((response) => response.json());
const referee = start();
referee.then(warm).catch(() => {}); // whoever asks hears of it
let asked = 0, opened = null; // how many questions wait for their answers, and which scenario was opened last

async function start() {
  let loaded = 0, stage = "loading", whole = Infinity;
  fetch("oracle/dist/manifest.json").then((found) => found.json()).then(({ files }) => {
    const counted = Object.keys(files).filter((name) => !name.endsWith(".mjs")); // a module is not fetched, but imported
    whole = counted.reduce((sum, name) => sum + files[name].bytes, 0);
  }).catch(() => {}); // it is needed for the progress alone
  const show = () => {
    const isHere = loaded >= whole, value = isHere ? null : loaded / whole; // how long the rest takes is not known: the bar runs on
    put(notice, `The referee starts: ${isHere && stage === "loading" ? "starting Python" : stage} …`, h("progress", { "aria-label": "The referee starts", max: 1, value }));
  };
  show();
  const onprogress = (message) => {
    loaded += message.loaded ?? 0;
    stage = STAGES[message.stage] ?? stage;
    show();
  };
  const { load } = await import(new URL("oracle/index.js", import.meta.url));
  try {
    const oracle = await load({ onprogress, onrestart: ({ message }) => say(`The referee was started again: ${message}.`), standby: (navigator.deviceMemory ?? 0) >= MEMORY_GB });
    put(notice);
    return oracle;
  } catch (error) {
    put(notice, h("strong", null, "The referee cannot run in this browser. "), `${error.message}. A browser of the last two years that allows WebAssembly can run it; on a computer, “titm serve” needs no such browser.`);
    throw { kind: "no-referee", message: `the referee cannot run in this browser: ${error.message}`, fix: "see the note above, or ask “titm serve”" };
  }
}

/** Let the referee read the map and the rules of the board that is open, edition by edition, while nobody asks. */
async function warm(oracle) {
  if (!opened) return;
  const { game, scenario, edition } = opened, { editions } = JSON.parse((await send("GET", `games/${game}`)).text);
  for (const one of new Set([edition, ...editions.map((each) => each.edition)])) {
    while (asked) await pause();
    await oracle.route("POST", "/api/ask", JSON.stringify({ game, edition: one, query: "legal_actions", input: { position: scenario } }));
  }
}

const pause = () => new Promise((resolve) => { setTimeout(resolve, QUIET_MS); });

/** Show a note for some seconds. */
function say(text) {
  put(notice, text);
  setTimeout(() => { if (notice.textContent === text) put(notice); }, NOTICE_MS);
}

/** Answer as a server does: a status and a text. */
export async function send(method, path, body) {
  const [, game, scenario, edition] = path.match(/^games\/([^/]+)\/scenarios\/([^/?]+)\?edition=([^&]+)$/)?.map(decodeURIComponent) ?? [];
  if (scenario) opened = { game, scenario, edition };
  const file = method === "GET" && (await shelf)[path];
  if (file) return { status: 200, text: await (await fetch(`shelf/${file}`)).text() };
  asked += 1;
  try {
    return await (await referee).route(method, `/api/${path}`, body);
  } finally {
    asked -= 1;
  }
}

navigator.serviceWorker?.register("sw.js").catch(() => {}); // without it the page works, but not offline
