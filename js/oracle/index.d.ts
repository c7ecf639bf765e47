import type { Games } from "./dist/games/index.js";

export type { Games };
/** The games that ship. */
export type Game = keyof Games;
/** The questions of a game. */
export type Query<G extends Game> = keyof Games[G];
type Field<T, K extends string> = T extends Record<K, infer V> ? V : never;
/** A request of the protocol; what `load` was given may be left out. */
export type RequestOf<G extends Game, Q extends Query<G>> = Partial<Field<Games[G][Q], "request">> & { query: Q };
/** A refusal of the protocol. */
export interface ErrorReply {
  id: unknown;
  ok: false;
  error: { kind: string; at: string; message: string; fix: string; [more: string]: unknown };
}
/** The answer to a request: what the question answers, or a refusal. */
export type ReplyOf<G extends Game, Q extends Query<G>> = ({ ok: true } & Field<Games[G][Q], "reply">) | ErrorReply;

/** House rules as text, in the language of the rules. */
export interface HouseRules {
  name: string;
  text: string;
}

export interface Progress {
  /** What is done now: `unpack`, `rules`. */
  stage?: string;
  /** Bytes that have come since the last call, in a page. */
  loaded?: number;
}

export interface Options<G extends Game> {
  /** The game that requests are about if they name none; default: the first that ships. */
  game?: G;
  /** The edition of such requests: a date, `all`, or older rules and sheets that amend them, joined by `+`. */
  edition?: string;
  /** House rules of such requests: names of those that ship, or texts. */
  houseRules?: (string | HouseRules)[];
  /** The most that a request may take; 0: no limit. A worker that does not stop soon after it is ended. */
  seconds?: number;
  /** Keep a second worker, so that a request after one that was ended does not wait for a start. 100 MB more. */
  standby?: boolean;
  onprogress?: (progress: Progress) => void;
  /** A worker was ended, and another takes over. It has seen no positions: `unknown-position` asks to send them again. */
  onrestart?: (error: ErrorReply["error"]) => void;
}

export class Oracle<G extends Game = Game> {
  /** Put a request; the answer is an object with `ok`, also if the request is refused. */
  ask<Q extends Query<G>>(request: RequestOf<G, Q>): Promise<ReplyOf<G, Q>>;
  ask(request: object): Promise<{ ok: boolean; [field: string]: unknown }>;
  /** Put a line of JSON; the answer is the line that `titm oracle` writes, byte for byte. */
  askLine(line: string): Promise<string>;
  /** Ask as a page asks its server: `GET /api/games`, `POST /api/picture`. */
  route(method: string, target: string, body?: string): Promise<{ status: number; type: string; text: string }>;
  /** The JSON Schemas of the requests and replies of a game. */
  schemas(game?: Game): Promise<Record<string, unknown>>;
  /** End the workers. */
  end(): void;
}

/** Start an oracle; it throws if the rules cannot run here. */
export function load<G extends Game = Game>(options?: Options<G>): Promise<Oracle<G>>;
