import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { PageError, readContainer, unpack } from "../src/model/model.js";
import { displayName, makeModel, fullName } from "../src/model/model.js";

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

test("a packed model comes out as it went in", async () => {
  const model = makeModel(await unpack(`\n${inBase64(packed())}\n`));
  assert.deepEqual(model.names, NAMES);
  assert.deepEqual([...model.points], [0.1, 0, 0.5, 0, 0, 0.5]);
  assert.deepEqual([...model.edges], [0, 1, 0, 2]);
  assert.deepEqual([model.count, model.dim, model.method, [...model.branch]], [3, 2, "hyperbolic-cones", [-1, 0, 1]]);
});

test("a node is called by its label, or by its name where it has none", () => {
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

test("a page without a model, a damaged one and one of another format say so in one sentence", async () => {
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

test("a browser that cannot unpack is told which can", async () => {
  const stream = globalThis.DecompressionStream;
  Reflect.deleteProperty(globalThis, "DecompressionStream");
  try {
    await assert.rejects(unpack(inBase64(packed())), /no DecompressionStream/);
  } finally {
    globalThis.DecompressionStream = stream;
  }
});
