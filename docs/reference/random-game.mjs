// Plays a random game over HTTP: node random-game.mjs ADDRESS SCENARIO [MOST ACTIONS [GAME]]
// Needs Node 18 or later and nothing else.

const [address = "http://127.0.0.1:8000", scenario = "two-bridges", most = "100000", game = "titm"] = process.argv.slice(2);

async function told(response) {
  const data = await response.json();
  if (response.ok) return data;
  throw new Error(`${data.error.kind} at ${data.error.at}: ${data.error.message}; ${data.error.fix}`);
}

const get = async (path) => told(await fetch(`${address}/api/games/${game}/${path}`));

async function ask(edition, query, input) {
  const body = JSON.stringify({ game, edition, query, input });
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  return (await told(await fetch(`${address}/api/ask`, request))).answer;
}

const below = (count) => Math.floor(Math.random() * count);
const roll = ({ count, low, high }) => Array.from({ length: count }, () => low + below(high - low + 1));

const start = await get(`scenarios/${scenario}`);
const edition = start.edition;
let position = start.position;
let played = 0;
let over = false;

while (!over && played < Number(most)) {
  const { actions } = await ask(edition, "legal_actions", { position });
  if (!actions.length) break;
  const action = actions[below(actions.length)];
  const dice = action.dice ? roll(action.dice) : [];
  const { kind, by, choices } = action;
  const next = await ask(edition, "apply", { position, action: { kind, by, choices }, dice });
  console.log(action.text, ...(dice.length ? [":", ...dice] : []));
  position = { ref: next.digest }; // the server has seen it: it need not be sent again
  over = next.over;
  played += 1;
}
console.log(`${played} actions${over ? "; the game is over" : ""}`);
