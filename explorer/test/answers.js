// The answers that tools/explorer_fixtures.py took from Python.
import { readFileSync } from "node:fs";
import { Lineage } from "../src/answers/lineage.js";
import { Relations } from "../src/answers/relations.js";
import { makeGraph } from "../src/model/graph.js";

/**
 * @typedef {{
 *   child: number, parent: number, isA: boolean, energy: number, margin: number, angle: number | null,
 *   aperture: number | null, graph: string | null, agrees: boolean | null, chain: number[], path: number[],
 *   lost: number[], stray: number | null,
 * }} Explained
 * @typedef {{
 *   method: string, dim: number, count: number, threshold: number, settings: {K: number, alpha: number},
 *   points: number[], edges: number[], signed: number[], descendants: number[][], ancestors: number[][],
 *   parents: number[][], children: number[][], nearest: [number, number][][], explained: Explained[],
 * }} Answers
 */

/** @type {Answers[]} */
const all = JSON.parse(readFileSync(new URL("./fixtures/answers.json", import.meta.url), "utf8"));

/** The model in the name of a test. @param {Answers} answers */
export function nameOf(answers) {
  return `${answers.method} in ${answers.dim}-D`;
}

/**
 * A model of the page from given points and edges.
 * @param {Partial<Answers>} parts
 * @returns {import("../src/model/model.js").Model}
 */
export function modelOf({
  method = "hyperbolic-cones",
  dim = 2,
  points = [],
  edges,
  threshold = 0,
  settings = { K: 0.1, alpha: 0 },
}) {
  const count = points.length / dim;
  const graph = edges ? makeGraph(count, Int32Array.from(edges)) : null;
  return {
    title: "test",
    kind: "given",
    method,
    dim,
    count,
    threshold,
    settings,
    points: Float64Array.from(points),
    view: { kind: "own", caption: "", K: 0.1 },
    viewPoints: Float64Array.from(points),
    depth: new Int32Array(count),
    branch: new Int32Array(count),
    graph,
    direct: graph,
    edges: Int32Array.from(edges ?? []),
    names: Array.from({ length: count }, (_, row) => `node ${row}`),
    labels: null,
    answersBy: edges ? "graph" : "geometry",
    byPoint: new Int32Array(0),
    glossary: { definitions: null, synonyms: null, otherIds: null, obsolete: new Map(), prefixes: {} },
  };
}

/**
 * Geometry and the graph of a model, and the one of them that is asked.
 * @param {import("../src/model/model.js").Model} model
 * @param {import("../src/model/model.js").By} by
 * @returns {import("../src/answers/agreement.js").Sources}
 */
export function sourcesOf(model, by) {
  const relations = new Relations(model);
  const lineage = model.direct && new Lineage(model.direct, model.depth, relations, model.byPoint);
  return { relations, lineage, answers: by === "graph" && lineage ? lineage : relations };
}

export const ANSWERS = all;
