// What answers: what ships, and the protocol. A page says in a `meta` element if that is no server but a module.

export class Refused extends Error {
  constructor(error) {
    super(error.message);
    this.kind = error.kind;
    this.at = error.at;
    this.fix = error.fix;
  }
}

const SILENT = { kind: "no-server", message: "the server does not answer" };

async function overHttp(method, path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(new URL(`api/${path}`, document.baseURI), body === undefined ? { method } : { method, headers, body });
  return { status: response.status, text: await response.text() };
}

const module = document.querySelector('meta[name="answers"]')?.content;
const sender = module ? import(module).then((found) => found.send) : Promise.resolve(overHttp);

/** Give the text of an answer; what refuses throws, and so does what cannot be reached. */
async function sent(method, path, value) {
  const { status, text } = await sender.then((send) => send(method, path, value && JSON.stringify(value))).catch((error) => { throw new Refused(error?.kind ? error : SILENT); });
  if (status >= 400) throw new Refused(read(text).error ?? SILENT);
  return text;
}

/** Read an answer; what is not one of ours counts as none. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(SILENT);
  }
}

export const get = async (path) => read(await sent("GET", path));

export const post = async (path, body) => read(await sent("POST", path, body));

export const picture = (body) => sent("POST", "picture", body);

export const ruling = (request) => sent("POST", "ruling", request);

// Positions that the server has answered about, by the object that the page holds: it is sent whole only once.
const digests = new WeakMap();

/** Remember under which digest the server knows a position. */
export function know(position, digest) {
  if (digest) digests.set(position, digest);
}

export const digestOf = (position) => digests.get(position);

/** Put a request of the protocol; a position that the server has forgotten is sent again. */
export async function ask(request) {
  const position = request.input?.position;
  const digest = position && digests.get(position);
  try {
    const input = digest ? { ...request.input, position: { ref: digest } } : request.input;
    const reply = await post("ask", { ...request, input });
    if (position) know(position, reply.digest);
    return reply;
  } catch (error) {
    if (!digest || error.kind !== "unknown-position") throw error;
    digests.delete(position);
    return ask(request);
  }
}
