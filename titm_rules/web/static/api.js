// The server: what ships, and the protocol.

export class Refused extends Error {
  constructor(error) {
    super(error.message);
    this.kind = error.kind;
    this.at = error.at;
    this.fix = error.fix;
  }
}

const SILENT = { kind: "no-server", message: "the server does not answer" };

const reached = (...request) => fetch(...request).catch(() => { throw new Refused(SILENT); });

/** Give the answer to a request; what is not an answer of this server counts as none. */
async function told(...request) {
  const response = await reached(...request);
  const data = await response.json().catch(() => ({ error: SILENT }));
  if (!response.ok) throw new Refused(data.error ?? SILENT);
  return data;
}

const posted = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export async function get(path) {
  return told(`/api/${path}`);
}

export async function post(path, body) {
  return told(`/api/${path}`, posted(body));
}

export async function picture(body) {
  const response = await reached("/api/picture", posted(body));
  if (!response.ok) throw new Refused((await response.json()).error);
  return response.text();
}

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
