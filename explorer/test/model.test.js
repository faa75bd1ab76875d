import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { makeGraph, neighbors, pathToRoot, reachable, rootsOf, shortestPath, weights } from "../src/model/graph.js";
import { displayName, fullName, makeModel, PageError, readContainer, unpack } from "../src/model/model.js";

const NAMES = ["root", "</script>", "\u{1f980} crab"];
const LABELS = ["", "A label", "\u{1f980} crab"];

/** @param {object} [changes] @returns {Uint8Array<ArrayBuffer>} */
function packed(changes = {}) {
  const parts = {
    points: ["float64", [3, 2], Buffer.from(Float64Array.of(0.1, 0, 0.5, 0, 0, 0.5).buffer)],
    view: ["float64", [3, 2], Buffer.from(Float64Array.of(0.1, 0, 0.5, 0, 0, 0.5).buffer)],
    edges: ["int32", [2, 2], Buffer.from(Int32Array.of(0, 1, 0, 2).buffer)],
    depth: ["int32", [3], Buffer.from(Int32Array.of(0, 1, 1).buffer)],
    branch: ["int32", [3], Buffer.from(Int32Array.of(-1, 0, 1).buffer)],
    names: ["utf8", null, Buffer.from(NAMES.join("\n"))],
    labels: ["utf8", null, Buffer.from(LABELS.join("\n"))],
  };
  /** @type {Record<string, object>} */
  const arrays = {};
  const blocks = [];
  let offset = 0;
  for (const [name, [dtype, shape, bytes]] of Object.entries(parts)) {
    const block = /** @type {Buffer} */ (bytes);
    arrays[name] = { dtype, shape: shape ?? [block.length], offset };
    blocks.push(block, Buffer.alloc(-block.length & 7));
    offset += block.length + (-block.length & 7);
  }
  const header = {
    format: 1,
    title: "t",
    method: "hyperbolic-cones",
    dim: 2,
    nodes: 3,
    threshold: 0,
    settings: { K: 0.1, alpha: 0 },
    kind: "learned",
    view: { kind: "own", caption: "", K: 0.1 },
    hasEdges: true,
    arrays,
    ...changes,
  };
  let text = JSON.stringify(header);
  text = text.padEnd(text.length + (-(4 + Buffer.byteLength(text)) & 7));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return new Uint8Array(Buffer.concat([length, Buffer.from(text), ...blocks]));
}

/** @param {Uint8Array} bytes */
function inBase64(bytes) {
  return gzipSync(bytes).toString("base64");
}

test("a packed model is unpacked unchanged", async () => {
  const model = makeModel(await unpack(`\n${inBase64(packed())}\n`));
  assert.deepEqual(model.names, NAMES);
  assert.deepEqual([...model.points], [0.1, 0, 0.5, 0, 0, 0.5]);
  assert.deepEqual([...model.edges], [0, 1, 0, 2]);
  assert.deepEqual([model.count, model.dim, model.method, [...model.branch]], [3, 2, "hyperbolic-cones", [-1, 0, 1]]);
});

test("a node is displayed by its label, or by its name if it has none", () => {
  const model = makeModel(readContainer(packed().buffer));
  assert.deepEqual(
    [0, 1, 2].map((row) => displayName(model, row)),
    ["root", "A label", "\u{1f980} crab"],
  );
  assert.deepEqual(
    [0, 1, 2].map((row) => fullName(model, row)),
    ["root", "</script> (A label)", "\u{1f980} crab"],
  );
});

test("without edges there is no graph", () => {
  assert.equal(makeModel(readContainer(packed({ hasEdges: false }).buffer)).graph, null);
});

test("a model without edges answers by geometry, and one with edges by the graph unless it says otherwise", () => {
  const by = (/** @type {object} */ changes) => makeModel(readContainer(packed(changes).buffer)).answersBy;
  assert.deepEqual([by({}), by({ answersBy: "geometry" }), by({ hasEdges: false, answersBy: "graph" })], ["graph", "geometry", "geometry"]);
});

test("a missing model, a damaged model and another format are each reported in one sentence", async () => {
  await assert.rejects(unpack("  "), (error) => error instanceof PageError && /no model yet/.test(error.message));
  await assert.rejects(unpack("not base64 ?"), (error) => error instanceof PageError && /damaged/.test(error.message));
  await assert.rejects(
    unpack(inBase64(packed()).slice(0, 60)),
    (error) => error instanceof PageError && /damaged/.test(error.message),
  );
  await assert.rejects(
    unpack(inBase64(packed({ format: 2 }))),
    (error) => error instanceof PageError && /format 2/.test(error.message),
  );
  assert.throws(() => makeModel(readContainer(packed({ nodes: 4 }).buffer)), PageError);
});

test("a browser without DecompressionStream gets a message that names newer browsers", async () => {
  const stream = globalThis.DecompressionStream;
  Reflect.deleteProperty(globalThis, "DecompressionStream");
  try {
    await assert.rejects(unpack(inBase64(packed())), /no DecompressionStream/);
  } finally {
    globalThis.DecompressionStream = stream;
  }
});

// 0 → 1 → 3 → 4, 0 → 2 → 3, 0 → 4, and 5 alone.
const graph = makeGraph(6, Int32Array.of(2, 3, 0, 2, 0, 1, 1, 3, 3, 4, 0, 4));

test("neighbors are sorted for any order of the edges", () => {
  assert.deepEqual([...neighbors(graph.children, 0)], [1, 2, 4]);
  assert.deepEqual([...neighbors(graph.parents, 3)], [1, 2]);
  assert.deepEqual([...neighbors(graph.parents, 5)], []);
});

test("reachable rows are all below a row, without the row itself", () => {
  assert.deepEqual([...reachable(graph.children, 1)], [0, 0, 0, 1, 1, 0]);
  assert.deepEqual([...reachable(graph.parents, 4)], [1, 1, 1, 1, 0, 0]);
});

test("a shortest path has the fewest edges, and is only the row itself if there is none", () => {
  assert.deepEqual(shortestPath(graph, 4, 0), [4, 0]);
  assert.deepEqual(shortestPath(graph, 4, 1), [4, 3, 1]);
  assert.deepEqual(shortestPath(graph, 4, 5), [4]);
  assert.deepEqual(pathToRoot(graph, 3), [3, 1, 0]);
  assert.deepEqual(pathToRoot(graph, 5), [5]);
});

test("roots are the rows without parents", () => {
  assert.deepEqual(rootsOf(graph), [0, 5]);
});

test("a node with two parents counts half for each, and fully for the root", () => {
  assert.deepEqual([...weights(graph)], [4, 0.75, 0.75, 0.5, 0, 0]);
});

test("walks end on a cycle", () => {
  const ring = makeGraph(3, Int32Array.of(0, 1, 1, 2, 2, 0));
  assert.deepEqual([...reachable(ring.children, 0)], [0, 1, 1]);
  assert.deepEqual(pathToRoot(ring, 0), [0]);
  assert.equal(weights(ring).length, 3);
});

test("a graph may have no edges", () => {
  const empty = makeGraph(2, new Int32Array(0));
  assert.deepEqual(rootsOf(empty), [0, 1]);
  assert.deepEqual([...weights(empty)], [0, 0]);
});
