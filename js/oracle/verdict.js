// <titm-verdict game notation query input edition board>: a verdict in any page, which can be asked again there.
//
// What stands inside it is the verdict as it was written into the page: it is shown as it is, also where nothing of this
// runs. A click wakes the referee, one for the whole page. `board` is the folder that `titm site` wrote.

import { load } from "./index.js";

const STYLE = `
  :host { display: block; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px; padding: .6rem .8rem; overflow-x: auto; }
  ::slotted(img), ::slotted(svg) { max-width: 100%; height: auto; }
  p { margin: .5rem 0 0; } ul { margin: .3rem 0 0; padding-left: 1.2rem; }
  button { font: inherit; cursor: pointer; } .outcome { font-weight: bold; }
`;
let referee = null; // of all verdicts of the page; started by the first click

const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), { textContent: text, ...more });
const DECIDES = (one) => one.holds && one.effect !== "exception";

class Verdict extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    this.told = make("div", "", { ariaLive: "polite" });
    const asks = make("button", "Ask the referee", { type: "button", onclick: () => this.ask(asks) });
    const below = make("p", "");
    below.append(asks);
    if (this.board) below.append(" ", make("a", "Open on the board", { href: this.board }));
    root.append(make("style", STYLE), document.createElement("slot"), this.told, below);
  }

  /** The link that opens the position on the board. */
  get board() {
    const folder = this.getAttribute("board"), edition = this.getAttribute("edition");
    if (folder === null) return "";
    const rules = new URLSearchParams({ game: this.getAttribute("game") ?? "", ...(edition && edition !== "all" ? { edition } : {}) });
    return `${folder}#?${rules}&position=${this.getAttribute("notation")}`;
  }

  get request() {
    const input = JSON.parse(this.getAttribute("input") ?? "{}"), game = this.getAttribute("game");
    const edition = this.getAttribute("edition") ?? "all", notation = this.getAttribute("notation");
    const held = { ...input, ...(notation === null ? {} : { position: notation }) };
    return { ...(game ? { game } : {}), edition, query: this.getAttribute("query"), input: held, explain: true, words: true };
  }

  async ask(button) {
    button.disabled = true;
    this.told.replaceChildren(make("p", "The referee starts …"));
    try {
      referee ??= load();
      this.show(await (await referee).ask(this.request));
    } catch (error) {
      referee = null;
      this.told.replaceChildren(make("p", `The referee cannot run here: ${error.message}`));
    }
    button.disabled = false;
  }

  show(reply) {
    if (!reply.ok) return this.told.replaceChildren(make("p", `${reply.error.message}. ${reply.error.fix}`));
    const several = reply.headline !== null && typeof reply.headline === "object";
    const rows = several ? Object.keys(reply.headline).map((edition) => [edition, reply.headline[edition], reply.why[edition]]) : [["", reply.headline, reply.why]];
    const same = rows.reduce((groups, row) => {
      const last = groups.at(-1);
      if (last?.headline === row[1]) last.editions.push(row[0]);
      else groups.push({ editions: [row[0]], headline: row[1], why: row[2] });
      return groups;
    }, []);
    return this.told.replaceChildren(...same.flatMap(({ editions, headline, why }) => {
      const span = editions.length > 1 ? `${editions[0]} to ${editions.at(-1)}` : editions[0];
      const list = document.createElement("ul");
      const clauses = new Map((why ?? []).filter(DECIDES).map((one) => [one.clause, one]));
      list.append(...[...clauses.values()].map(({ clause, title, message }) => make("li", `${clause} ${title}${message && message !== title ? `: ${message}` : ""}`)));
      return [make("p", span ? `${span}: ${headline}` : headline, { className: "outcome" }), list];
    }));
  }
}

customElements.define("titm-verdict", Verdict);
