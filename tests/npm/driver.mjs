// Calls methods of an oracle that lines of JSON name: `node driver.mjs INDEX OPTIONS`.

import { createInterface } from "node:readline";

const { load } = await import(process.argv[2]);
const restarts = [];
const oracle = await load({ ...JSON.parse(process.argv[3]), onrestart: (error) => restarts.push(error.kind) });
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...given] = JSON.parse(line), start = performance.now();
  const value = await oracle[name](...given);
  process.stdout.write(`${JSON.stringify({ value, ms: performance.now() - start, restarts })}\n`);
}
oracle.end();
