// The model in the page. Python packs it as base64 of gzip of a length, a JSON header and aligned arrays: see
// src/hypercone/explorer.

import { makeGraph, withoutEdges } from "./graph.js";

/**
 * @typedef {"graph" | "geometry"} By what an answer is taken from: the edges, or the points alone
 * @typedef {{dtype: "float64" | "int32" | "utf8", shape: number[], offset: number}} ArrayPlace
 * @typedef {{
 *   format: number, title: string, method: string, dim: number, nodes: number, threshold: number,
 *   settings: {K: number, alpha: number}, kind: string,
 *   view: {kind: "own" | "construction" | "projection", caption: string, K: number | null, center?: [number, number]},
 *   hasEdges: boolean, answersBy?: By, prefixes?: Record<string, string>,
 *   arrays: Record<string, ArrayPlace>,
 * }} Header
 * @typedef {{header: Header, floats: (name: string) => Float64Array, integers: (name: string) => Int32Array,
 *   lines: (name: string) => string[] | null}} Container
 */

/** An error whose message is shown to the user. */
export class PageError extends Error {}

/** Decodes base64. @param {string} text */
export function bytesOf(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {Promise<ArrayBuffer>} */
async function decompress(bytes) {
  if (typeof DecompressionStream === "undefined") {
    throw new PageError(
      "This browser cannot unpack the model: it has no DecompressionStream; Firefox 113, Chrome 80, Safari 16.4 have one.",
    );
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/**
 * Unpacks the container.
 * @param {string} text @returns {Promise<Container>}
 */
export async function unpack(text) {
  if (!text.trim()) throw new PageError("This page holds no model yet; hypercone explore MODEL writes one that does.");
  let buffer;
  try {
    buffer = await decompress(bytesOf(text));
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw new PageError("The model in this page is damaged; write the page again with hypercone explore.");
  }
  return readContainer(buffer);
}

/** Reads the container from its bytes. @param {ArrayBuffer} buffer @returns {Container} */
export function readContainer(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const start = 4 + size;
  /** @type {Header} */
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  if (header.format !== 1) {
    throw new PageError(`The model in this page has format ${header.format}; this page reads format 1.`);
  }
  /** @param {string} name */
  const place = (name) => header.arrays[name] ?? { dtype: "int32", shape: [0], offset: 0 };
  /** @param {string} name */
  const count = (name) => place(name).shape.reduce((product, side) => product * side, 1);
  return {
    header,
    floats: (name) => new Float64Array(buffer, start + place(name).offset, count(name)),
    integers: (name) => new Int32Array(buffer, start + place(name).offset, count(name)),
    lines: (name) => {
      if (!(name in header.arrays)) return null;
      return new TextDecoder("utf-8", { ignoreBOM: true })
        .decode(new Uint8Array(buffer, start + place(name).offset, count(name)))
        .split("\n");
    },
  };
}

/**
 * @typedef {import("./graph.js").Graph} Graph
 * @typedef {{
 *   title: string, method: string, kind: string, dim: number, count: number, threshold: number,
 *   settings: {K: number, alpha: number}, points: Float64Array,
 *   view: Header["view"], viewPoints: Float64Array,
 *   depth: Int32Array, branch: Int32Array, graph: Graph | null, direct: Graph | null, edges: Int32Array,
 *   answersBy: By, byPoint: Int32Array, names: string[], labels: string[] | null, glossary: Glossary,
 * }} Model direct: without the edges that follow from others; byPoint: the rows that are not in the graph
 * @typedef {{label: string, replacements: string[], consider: string[]}} Obsolete
 * @typedef {{
 *   definitions: string[] | null, synonyms: string[][] | null, otherIds: string[][] | null,
 *   obsolete: Map<string, Obsolete>, prefixes: Record<string, string>,
 * }} Glossary by row, and what became of names that are no longer used
 */

/** @param {Container} container @returns {Model} */
export function makeModel({ header, floats, integers, lines }) {
  const count = header.nodes;
  const names = lines("names") ?? [];
  if (names.length !== count) {
    throw new PageError(`The page names ${names.length} nodes, but the model has ${count}; write the page again.`);
  }
  const edges = header.hasEdges ? integers("edges") : new Int32Array(0);
  const redundant = integers("redundant");
  const graph = header.hasEdges ? makeGraph(count, edges) : null;
  return {
    title: header.title,
    method: header.method,
    kind: header.kind,
    dim: header.dim,
    count,
    threshold: header.threshold,
    settings: header.settings,
    points: floats("points"),
    view: header.view,
    viewPoints: floats("view"),
    depth: integers("depth"),
    branch: integers("branch"),
    graph,
    direct: graph && redundant.length ? makeGraph(count, withoutEdges(edges, redundant)) : graph,
    edges,
    answersBy: graph ? (header.answersBy ?? "graph") : "geometry",
    byPoint: graph ? integers("byPoint") : new Int32Array(0),
    names,
    labels: lines("labels"),
    glossary: readGlossary(lines, header.prefixes),
  };
}

/** @param {Container["lines"]} lines @param {Record<string, string>} [prefixes] @returns {Glossary} */
function readGlossary(lines, prefixes = {}) {
  /** @param {string} name */
  const lists = (name) => lines(name)?.map((line) => (line ? line.split("\t") : [])) ?? null;
  return {
    definitions: lines("definitions"),
    synonyms: lists("synonyms"),
    otherIds: lists("otherIds"),
    obsolete: new Map((lines("obsolete") ?? []).map(obsoleteName)),
    prefixes,
  };
}

/** @param {string} line @returns {[string, Obsolete]} */
function obsoleteName(line) {
  const [name, label, replacements, consider] = JSON.parse(line);
  return [name, { label, replacements, consider }];
}

/** The label of a row, or its name if it has no label. @param {Model} model @param {number} row */
export function displayName(model, row) {
  return model.labels?.[row] || model.names[row];
}

/** The name of a row, and its label if that is different. @param {Model} model @param {number} row */
export function fullName(model, row) {
  const label = model.labels?.[row];
  return label && label !== model.names[row] ? `${model.names[row]} (${label})` : model.names[row];
}
