// Builds the single HTML file that Python fills with a model. The same source gives the same bytes on every machine:
// nothing here reads the clock, a path or the environment.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const PLACEHOLDER = "<!--hypercone-data-->";
const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** @param {string} entry @param {Partial<import("esbuild").BuildOptions>} [options] */
async function bundle(entry, options = {}) {
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    legalComments: "none",
    target: ["chrome109", "firefox115", "safari16.4"],
    ...options,
  });
  return (result.outputFiles ?? [])[0].text.trim();
}

/** The hash by which a policy allows an inline script or style. @param {string} text */
function digest(text) {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

/** @param {string} script @param {string} style */
function policy(script, style) {
  // The page may run its own script and style and nothing else, so it cannot reach any network.
  const own = `script-src ${digest(script)}; style-src ${digest(style)}`;
  return `default-src 'none'; ${own}; base-uri 'none'; form-action 'none'`;
}

/** @param {string} page @param {string} script @param {string} style */
function checkPage(page, script, style) {
  if (/<\/script|<!--/i.test(script)) throw new Error("the script contains text that would end it early");
  if (/<\/style/i.test(style)) throw new Error("the style contains text that would end it early");
  if (page.split(PLACEHOLDER).length !== 2) throw new Error(`the page must contain ${PLACEHOLDER} exactly once`);
  return page;
}

async function buildPage() {
  const [script, style, template] = await Promise.all([
    bundle("src/main.js", { format: "iife" }),
    bundle("src/style.css"),
    readFile(here("src/page.html"), "utf8"),
  ]);
  // Functions, because $& and the like have a meaning in a replacement text.
  const page = template
    .replace("{{policy}}", () => policy(script, style))
    .replace("{{style}}", () => style)
    .replace("{{script}}", () => script);
  return checkPage(page, script, style);
}

const target = here("../src/hypercone/explorer/page.html");
const page = await buildPage();
if (process.argv.includes("--check")) {
  const isFresh = (await readFile(target, "utf8").catch(() => "")) === page;
  console.log(isFresh ? "page.html is up to date" : "page.html is out of date: npm run build");
  process.exitCode = isFresh ? 0 : 1;
} else {
  await mkdir(here("../src/hypercone/explorer/"), { recursive: true });
  await writeFile(target, page);
  console.log(`page.html: ${Buffer.byteLength(page).toLocaleString("en")} bytes`);
}
