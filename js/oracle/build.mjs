// Builds dist/ from wheels: `node build.mjs FOLDER`. `make npm` calls it; nothing here uses the network.

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";
import openapiTS, { astToString } from "openapi-typescript";
import { load } from "./index.js";

const here = (name) => new URL(name, import.meta.url);
const wheels = process.argv[2];
const COPIED = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"], RUNTIME = [...COPIED, "python_stdlib.zip"];

process.on("uncaughtException", (error) => { // Node would print a line of the interpreter's source, of a megabyte
  console.error(String(error?.message ?? error));
  process.exit(1);
});

// ---------------------------------------------------------------------- the interpreter, and what runs in it
await rm(here("dist"), { recursive: true, force: true });
await mkdir(here("dist/pyodide"), { recursive: true });
for (const name of COPIED) await copyFile(here(`node_modules/pyodide/${name}`), here(`dist/pyodide/${name}`));
const python = await loadPyodide({ stdLibURL: undefined });
python.FS.mkdirTree("/wheels");
python.mountNodeFS("/wheels", wheels);
python.FS.mkdirTree("/out");
const packed = JSON.parse(await python.runPythonAsync(await readFile(here("pack.py"), "utf-8")));
await writeFile(here("dist/app.zip.zst"), python.FS.readFile("/out/app.zip.zst"));
await writeFile(here("dist/pyodide/python_stdlib.zip"), python.FS.readFile("/out/python_stdlib.zip"));

// ---------------------------------------------------------------------- what it consists of
const about = JSON.parse(await readFile(here("node_modules/pyodide/package.json"), "utf-8"));
const own = JSON.parse(await readFile(here("package.json"), "utf-8"));
const files = {};
for (const name of [...RUNTIME.map((one) => `pyodide/${one}`), "app.zip.zst"]) {
  const data = await readFile(here(`dist/${name}`));
  files[name] = { bytes: data.length, gzip: gzipSync(data, { level: 9 }).length, sha256: createHash("sha256").update(data).digest("hex") };
}
const runtime = RUNTIME.reduce((sum, name) => sum + files[`pyodide/${name}`].gzip, 0);
const manifest = {
  version: own.version, python: packed.python, code: packed.code, rules: packed.rules,
  parts: [{ name: "pyodide, with CPython and what starts it", version: about.version, licence: `${about.license}; CPython: PSF-2.0`, bytes: runtime }, ...packed.parts],
  files,
};
await writeFile(here("dist/manifest.json"), `${JSON.stringify(manifest)}\n`);

// ---------------------------------------------------------------------- types, as the schemas of the package have them
const oracle = await load({ seconds: 0 }); // a build has time
const games = JSON.parse((await oracle.route("GET", "/api/games")).text);
await mkdir(here("dist/games"));
const capital = (name) => name.replace(/(^|-)(\w)/g, (_, __, letter) => letter.toUpperCase());
for (const { game } of games) {
  const told = await oracle.schemas(game);
  const renamed = JSON.parse(JSON.stringify(told).replaceAll('"#/$defs/', '"#/components/schemas/'));
  const schemas = { ...renamed.$defs };
  const tree = await openapiTS({ openapi: "3.1.0", info: { title: game, version: own.version }, paths: {}, components: { schemas } });
  const of = (schema) => (schema.anyOf ? schema.anyOf.map(of).join(" | ") : `components["schemas"]["${schema.$ref.split("/").at(-1)}"]`);
  const queries = Object.entries(renamed.queries).map(([name, { request, reply }]) => `  ${JSON.stringify(name)}: { request: ${of(request)}; reply: ${of(reply)} };`);
  const text = `// Made from the schemas of the game \`${game}\`.\n${astToString(tree)}\nexport interface Queries {\n${queries.join("\n")}\n}\n`;
  await writeFile(here(`dist/games/${game}.d.ts`), text);
}
const imports = games.map(({ game }) => `import type { Queries as ${capital(game)} } from "./${game}.js";`);
const rows = games.map(({ game }) => `  ${JSON.stringify(game)}: ${capital(game)};`);
await writeFile(here("dist/games/index.d.ts"), `${imports.join("\n")}\nexport interface Games {\n${rows.join("\n")}\n}\n`);
oracle.end();
const total = runtime + (await stat(here("dist/app.zip.zst"))).size;
console.log(`titm-oracle ${own.version} with Python ${packed.python}: ${(total / 1e6).toFixed(1)} MB to download`);
