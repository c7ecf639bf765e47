// The interpreter in its worker, in a page and in Node: one message is one question, answered in order.

const isNode = typeof process === "object" && Boolean(process.versions?.node);
let take = null; // who waits for a message
const waiting = []; // messages that came before somebody waited
const heard = (message) => (take ? take(message) : waiting.push(message));
if (!isNode) self.onmessage = ({ data }) => heard(data);
const port = isNode ? (await import("node:worker_threads")).parentPort : self;
if (isNode) port.on("message", heard);
const next = () => (waiting.length ? Promise.resolve(waiting.shift()) : new Promise((resolve) => { take = (message) => { take = null; resolve(message); }; }));

const base = new URL("dist/", import.meta.url);
const say = (message) => port.postMessage(message);

/** Give the bytes of a file beside this one, and say how many there are as they come. */
async function bytesOf(name) {
  if (isNode) return new Uint8Array(await (await import("node:fs/promises")).readFile(new URL(name, base)));
  return new Uint8Array(await (await fetch(new URL(name, base))).arrayBuffer());
}

/** Let the page know how much has come of what is fetched from here on. */
function countFetched() {
  const whole = self.fetch.bind(self);
  self.fetch = async (...request) => {
    const response = await whole(...request);
    if (!response.ok || !response.body) return response;
    const counted = response.body.pipeThrough(new TransformStream({
      transform(chunk, controller) { say({ loaded: chunk.length }); controller.enqueue(chunk); },
    }));
    return new Response(counted, { headers: response.headers });
  };
}

/** Say why a browser cannot run this; what it forbids would otherwise never be answered. */
function checkWasm() {
  if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly");
  new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); // an empty one; the policy of a page may forbid any
}

// Memory is counted as it grows, for it never shrinks. What would go far past the limit at once is refused.
const PAGE = 65_536, MEBIBYTE = 2 ** 20, AT_ONCE = 256 * MEBIBYTE, WORN = 512 * MEBIBYTE;
let held = 0, most = Infinity;
function watchMemory() {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    const wanted = this.buffer.byteLength + pages * PAGE;
    if (wanted > most + AT_ONCE) throw new RangeError("the limit of memory");
    const before = grow.call(this, pages);
    held = wanted;
    return before;
  };
}

// Python looks at this in place of a buffer for interrupts: 2 is Control-C. It says so once, and after a tenth of a second again.
let deadline = Infinity, quiet = 0;
const clock = {
  get 0() {
    const now = performance.now();
    if ((now <= deadline && held <= most) || now < quiet) return 0;
    quiet = now + 100;
    return 2;
  },
  set 0(value) { void value; },
};
const limit = (seconds, mebibytes) => {
  deadline = seconds ? performance.now() + seconds * 1000 : Infinity;
  most = mebibytes ? held + mebibytes * MEBIBYTE : Infinity;
};

// What stands in the archive is not compressed by itself, and is cut out: a tenth of the time of `extractall`.
const UNPACK = `
import io, os, sys, zipfile
from compression import zstd
with open("/app", "rb") as file:
    whole = zstd.decompress(file.read())
os.remove("/app")
folders = set()
for one in zipfile.ZipFile(io.BytesIO(whole)).infolist():
    folder, begins = os.path.dirname("/lib/app/" + one.filename), one.header_offset + 30 + len(one.filename.encode())
    if folder not in folders:
        os.makedirs(folder, exist_ok=True)
        folders.add(folder)
    with open("/lib/app/" + one.filename, "wb") as file:
        file.write(whole[begins:begins + one.file_size])
sys.path.insert(0, "/lib/app")
del whole
`;

async function start({ seconds }) {
  checkWasm();
  watchMemory();
  if (!isNode) countFetched();
  const app = bytesOf("app.zip.zst");
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", base));
  const python = await loadPyodide({
    indexURL: isNode ? (await import("node:url")).fileURLToPath(new URL("pyodide/", base)) : new URL("pyodide/", base).href,
    lockFileContents: { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2" }, packages: {} },
    env: { PYDANTIC_DISABLE_PLUGINS: "1", TITM_RULES_CACHE: "/cache", HOME: "/", PYTHONDONTWRITEBYTECODE: "1" },
    stdout: () => {}, stderr: (text) => console.error(text),
  });
  say({ stage: "unpack" });
  python.FS.writeFile("/app", await app);
  python.runPython(UNPACK);
  say({ stage: "rules" });
  const embedded = python.pyimport("titm_rules.web.embedded");
  python.setInterruptBuffer(clock);
  const [ask, route] = embedded.start(limit, seconds);
  return { python, ask, route };
}

function answered({ python, ask, route }, { line, method, target, body, code }) {
  if (line !== undefined) return { text: ask(line) };
  if (code !== undefined) return { text: String(python.runPython(code)) }; // tests and the build look inside
  const found = route(method, target, body ?? "");
  const [status, type, text] = found.toJs();
  found.destroy();
  return { status, type, text };
}

try {
  const interpreter = await start(await next()), least = held;
  say({ stage: "ready" });
  for (;;) {
    const message = await next();
    const reply = answered(interpreter, message);
    say({ id: message.id, ...reply, isWorn: held - least > WORN });
  }
} catch (error) {
  say({ fatal: String(error?.message ?? error) }); // whoever hears this starts another
}
