// Bundles the pinned packages into the files that the console serves, with their licences beside them.
// `make vendor` runs it after `npm ci`, which has compared the packages with the hashes of package-lock.json.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../src/hashrange/console/static/vendor");
const modules = join(here, "node_modules");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { metafile } = await build({
  entryPoints: ["ui.js", "editor.js"].map((name) => join(here, name)),
  absWorkingDir: here,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  outdir: out,
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input);
  if (found) packages.add(found[1]);
}
// Packages with the same licence, but for the holder of the copyright, share its text.
const texts = new Map();
for (const name of [...packages].sort()) {
  const { version, license } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  const file = readdirSync(join(modules, name)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined || !existsSync(join(modules, name, file))) throw new Error(`${name} has no licence`);
  const lines = readFileSync(join(modules, name, file), "utf8").trim().split(/\r?\n/);
  const isHolder = (line) => /^\s*copyright (\(c\) )?[0-9]{4}/i.test(line);
  const text = lines.filter((line) => !isHolder(line) && !/^(the )?mit license( \(mit\))?$/i.test(line)).join("\n").trim();
  const words = text.replace(/\s+/g, " ");
  const named = [`${name} ${version} (${license})`, ...lines.filter(isHolder).map((line) => `  ${line.trim()}`)].join("\n");
  texts.set(words, { text, names: [...(texts.get(words)?.names ?? []), named] });
}
const licences = [...texts.values()].map(({ text, names }) => `${names.join("\n")}\n\n${text}\n`);
writeFileSync(join(out, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));

const sums = readdirSync(out).sort().map((name) => {
  const hash = createHash("sha256").update(readFileSync(join(out, name))).digest("hex");
  return `${hash}  ${name}\n`;
});
writeFileSync(join(here, "SHA256SUMS"), sums.join(""));
