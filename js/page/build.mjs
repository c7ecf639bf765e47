// Bundle what the page takes from others, with their licences, into one file: node build.mjs [OUT]

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = process.argv[2] ?? "../../titm_rules/web/static/vendor.js";
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const taken = Object.entries(lock.packages).filter(([path, one]) => path && !one.dev && !one.optional);
const notices = new Map();
for (const [path, { version }] of taken) {
  const text = readFileSync(`${path}/LICENSE`, "utf8").trim();
  notices.set(text, [...(notices.get(text) ?? []), `${path.replace("node_modules/", "")} ${version}`]);
}
const banner = [...notices].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n");
const { outputFiles: [{ text }] } = await build({
  entryPoints: ["vendor.js"], bundle: true, format: "esm", minify: true, target: "es2022", legalComments: "none", write: false,
});
writeFileSync(out, `/* Made by js/page/build.mjs from these packages.\n\n${banner}\n*/\n${text}`);
