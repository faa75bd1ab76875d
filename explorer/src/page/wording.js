// Everything the page says in English: numbers, angles, and sentences about nodes. No function here touches the page.

import { displayName, fullName } from "../model/model.js";

/**
 * @typedef {import("../model/model.js").Model} Model
 * @typedef {import("../answers/agreement.js").Selection} Selection
 * @typedef {import("../answers/agreement.js").Explanation} Explanation
 */

const INTEGERS = new Intl.NumberFormat("en");

/** A number with four significant digits, in the format of the Python package. @param {number} value */
export function number(value) {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : String(value);
  const short = Number(value.toPrecision(4));
  const size = Math.abs(short);
  if (size < 1e-4 || size >= 1e7) return short.toExponential().replace("e-", "e−").replace(/^-/, "−");
  return short.toLocaleString("en", { maximumFractionDigits: 8 }).replace("-", "−");
}

/** @param {number} value */
export function count(value) {
  return INTEGERS.format(value);
}

/** @param {number} value @param {string} noun in the singular */
export function pluralize(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** An angle in degrees. @param {number} radians */
export function degrees(radians) {
  const value = (radians * 180) / Math.PI;
  if (value !== 0 && Math.abs(value) < 0.005) return `${number(value)}°`;
  return `${value.toFixed(2).replace("-", "−")}°`;
}

/** An angle in radians and degrees. @param {number} radians */
export function inBothUnits(radians) {
  return `${number(radians)} rad (${degrees(radians)})`;
}

/** The name after "a" or "an", chosen by its first letter. @param {string} name */
export function withArticle(name) {
  return `${"aeio".includes(name.slice(0, 1).toLowerCase()) && name ? "an" : "a"} ${name}`;
}

/** The display name of a method. @param {string} method */
export function methodName(method) {
  /** @type {Record<string, string>} */
  const names = {
    "hyperbolic-cones": "hyperbolic cones",
    "euclidean-cones": "Euclidean cones",
    order: "order embedding",
    poincare: "Poincaré embedding",
    euclidean: "Euclidean embedding",
  };
  return names[method] ?? method;
}

/** What the set of points below a node is called, by method. @param {string} method */
export function region(method) {
  if (method.endsWith("cones")) return "cone";
  return method === "order" ? "region" : "reach";
}

/** What an answer was taken from. @param {"graph" | "geometry" | "mixed"} by */
export function originName(by) {
  return { graph: "by the graph", geometry: "by geometry", mixed: "by the graph and by geometry" }[by];
}

/** The facts in the header. The kind "given" is left out: it only means that it is not known. @param {Model} model */
export function modelFacts({ method, dim, count: nodes, kind, threshold }) {
  const facts = [methodName(method), `${dim}-D`, pluralize(nodes, "node"), kind === "given" ? "" : kind];
  return [...facts, `threshold ${number(threshold)}`].filter(Boolean);
}

/** What is drawn, where it is not the model itself. @param {Pick<Model, "view" | "dim">} model */
export function captionOf({ view, dim }) {
  /** @type {Record<string, string>} */
  const drawn = {
    construction: "a 2-D construction of the same hierarchy",
    projection: "the points projected on their best plane",
  };
  if (!Object.hasOwn(drawn, view.kind)) return view.caption;
  return `Drawn: ${drawn[view.kind]}. Lit: the answers of the model itself, in ${dim}-D.`;
}

/** The answer of the one that is asked. @param {Model} model @param {Explanation} found */
export function verdictSentence(model, { child, parent, verdict }) {
  return `${displayName(model, child)} is ${verdict ? "" : "not "}${withArticle(displayName(model, parent))}.`;
}

/** The answer of geometry. @param {Model} model @param {Explanation} found */
export function geometrySentence(model, { child, parent, isA }) {
  const place = `${isA ? "inside" : "outside"} the ${region(model.method)} of ${displayName(model, parent)}`;
  return `${displayName(model, child)} is ${place}.`;
}

/** The answer of the graph. @param {Model} model @param {Explanation} found */
export function graphSentence(model, { graph, child, parent, path }) {
  if (graph === null) return model.graph ? "Unknown: not both are in the graph." : "Unknown: the model has no edges.";
  if (graph === "same") return "They are one node.";
  if (graph === "no") return `There is no way up from ${displayName(model, child)} to ${displayName(model, parent)}.`;
  return graph === "edge" ? "An edge." : `It follows from ${pluralize(path.length, "edge")}.`;
}

/** Whether the two agree, and if not, where they part. @param {Model} model @param {Explanation} found */
export function agreementSentence(model, { isA, graph, agrees, stray, path, child }) {
  const lost = path.find((step) => step.childMargin < 0);
  const lostText = lost && `is lost at ${displayName(model, lost.row)} (margin ${number(lost.childMargin)})`;
  const where = lostText && `${displayName(model, child)} ${lostText}`;
  if (isA && graph === "no" && stray !== null) {
    const first = `${displayName(model, stray)} is the first step up that is not above it in the graph`;
    return `Geometry and graph disagree: ${first}.`;
  }
  if (where) return agrees ? `Geometry and graph agree, but ${where}.` : `Geometry and graph disagree: ${where}.`;
  return agrees ? "Geometry and graph agree." : "Geometry and graph disagree.";
}

// A longer path is shown by its first node and its last ones.
const LONGEST_PATH = 4;

/** The nodes of a path from a root, shortened in the middle. @param {Model} model @param {number[]} path */
export function pathWords(model, path) {
  const names = path.map((row) => displayName(model, row));
  const shown = names.length <= LONGEST_PATH ? names : [names[0], "…", ...names.slice(2 - LONGEST_PATH)];
  return shown.join(" › ");
}

/**
 * What became of an id that is no longer used, in the words of Python.
 * @param {Model} model @param {NonNullable<ReturnType<typeof import("../answers/lookup.js").findObsolete>>} obsolete
 */
export function obsoleteSentence(model, { name, label, replacements, consider, rows }) {
  const old = `${name}${label && ` (${label})`} is obsolete`;
  const others = replacements.length ? replacements : consider;
  if (!others.length) return `${old}, and nothing replaces it.`;
  const shown = (rows.length ? rows.map((row) => fullName(model, row)) : others).join(" and ");
  const lost = rows.length ? "" : ", which this model does not have";
  return `${old}${replacements.length ? ", replaced by" : "; what is meant may be"} ${shown}${lost}.`;
}

/** What a screen reader says after a selection. @param {Model} model @param {Selection | null} selection */
export function selectionAnnouncement(model, selection) {
  if (!selection) return "Nothing selected.";
  const { row, by, found, unexpected, missing, belowCount } = selection;
  const below = `${displayName(model, row)}: ${pluralize(found.length, "node")} below it ${originName(by)}`;
  if (belowCount === null) return `${below}.`;
  const other = by === "geometry" ? "graph" : "geometry";
  const apart = `${count(unexpected.length)} of them not ${originName(other)}; ${count(missing.length)} only ${originName(other)}`;
  return `${below}, ${apart}.`;
}

/** What a screen reader says after a comparison. @param {Model} model @param {Explanation | null} explanation */
export function comparisonAnnouncement(model, explanation) {
  if (!explanation) return "Comparison closed.";
  const verdict = `${verdictSentence(model, explanation).slice(0, -1)} ${originName(explanation.by)}.`;
  return explanation.graph === null ? verdict : `${verdict} ${agreementSentence(model, explanation)}`;
}
