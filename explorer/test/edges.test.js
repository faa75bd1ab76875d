import assert from "node:assert/strict";
import { test } from "node:test";

import { geodesicTo, halfTurn } from "../src/arcs.js";
import { Camera } from "../src/camera.js";
import { PALETTES } from "../src/colours.js";
import { Dots } from "../src/dots.js";
import { Edges } from "../src/edges.js";
import { orderedNodes } from "../src/order.js";
import { Projection } from "../src/projection.js";
import { paperCanvas, pointScene, randomNumbers, stateWith, treeScene } from "./engine.js";

const DISK = { x: 400, y: 300, radius: 250 };

/** What a path is told to draw a geodesic. @param {number[]} ends */
function drawn([px, py, qx, qy]) {
  const { canvas, calls } = paperCanvas();
  geodesicTo(/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), DISK, px, py, qx, qy);
  return calls[0];
}

/** @param {number} x @param {number} y */
function onScreen(x, y) {
  return [DISK.x + DISK.radius * x, DISK.y - DISK.radius * y];
}

/** @param {import("../src/renderer.js").Scene} scene @param {Partial<import("../src/renderer.js").State>} [changes] */
function prepared(scene, changes) {
  const nodes = orderedNodes(scene);
  const [places, dots, edges, camera] = [new Projection(nodes), new Dots(nodes), new Edges(nodes), new Camera()];
  camera.resize(800, 600);
  places.update(camera, 1);
  dots.update(stateWith(changes), PALETTES.dark);
  return { nodes, places, dots, edges, camera };
}

test("a geodesic is an arc that meets the rim at right angles and ends where it should", () => {
  const random = randomNumbers(3);
  let arcs = 0;
  for (let round = 0; round < 300; round++) {
    const ends = Array.from({ length: 4 }, () => 1.3 * (random() - 0.5));
    const [name, x, y, radius, from, to, isLeft] = drawn(ends);
    if (name !== "arc") continue;
    arcs++;
    const away = Math.hypot(x - DISK.x, y - DISK.y);
    assert.ok(Math.abs(away ** 2 - radius ** 2 - DISK.radius ** 2) < 1e-6 * away ** 2, "orthogonal circles");
    const [start, end] = [onScreen(ends[0], ends[1]), onScreen(ends[2], ends[3])];
    assert.ok(Math.hypot(x + radius * Math.cos(from) - start[0], y + radius * Math.sin(from) - start[1]) < 1e-6);
    assert.ok(Math.hypot(x + radius * Math.cos(to) - end[0], y + radius * Math.sin(to) - end[1]) < 1e-6);
    const turn = isLeft ? from - to : to - from;
    assert.ok((turn + 4 * Math.PI) % (2 * Math.PI) < Math.PI, "the short way round");
  }
  assert.ok(arcs > 200);
});

test("through the centre, or nearly so, it is a straight line", () => {
  assert.equal(halfTurn(-0.5, 0, 0.7, 0), 0);
  assert.deepEqual(drawn([-0.5, 0, 0.7, 0]), ["lineTo", ...onScreen(0.7, 0)]);
  assert.equal(drawn([-0.5, 1e-4, 0.7, 0])[0], "lineTo");
});

test("ends on the rim are ends too", () => {
  const [, x, y, radius] = drawn([1, 0, 0, 1]);
  assert.ok(Math.hypot(x - onScreen(1, 1)[0], y - onScreen(1, 1)[1]) < 1e-9 && Math.abs(radius - DISK.radius) < 1e-9);
});

test("no more edges than the limit, and those nearest to the middle first", () => {
  const { nodes, places, dots, edges } = prepared(treeScene(5, 5));
  edges.choose(places, dots, 800, 600, 10000);
  const all = edges.chosenCount;
  edges.choose(places, dots, 800, 600, 200);
  assert.ok(all > 600 && edges.chosenCount > 20 && edges.chosenCount <= 200);
  const depths = Array.from(edges.chosen.subarray(0, edges.chosenCount), (e) => nodes.depth[nodes.edges[2 * e + 1]]);
  assert.equal(depths.filter((depth) => depth === 1).length, 5);
  assert.equal(depths.filter((depth) => depth === 2).length, 25);
});

test("an edge shorter than two pixels or out of sight is not drawn", () => {
  const edges = Int32Array.of(0, 1, 2, 3);
  const near = prepared(pointScene([[0.1, 0], [0.1, 0.003], [0.5, 0], [0.5, 0.4]], { edges }));
  near.edges.choose(near.places, near.dots, 800, 600, 100);
  assert.equal(near.edges.chosenCount, 1);
  near.camera.zoomAt(0, 0, 30);
  near.places.update(near.camera, 1);
  near.edges.choose(near.places, near.dots, 800, 600, 100);
  assert.equal(near.edges.chosenCount, 0);
});

test("the edges are drawn in few paths, one move for every edge", () => {
  const { places, dots, edges } = prepared(treeScene(6, 4));
  const { canvas, calls } = paperCanvas();
  edges.choose(places, dots, 800, 600, 4000);
  edges.draw(/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), places, dots, DISK, PALETTES.dark);
  const count = (/** @type {string} */ name) => calls.filter(([called]) => called === name).length;
  assert.equal(count("moveTo"), edges.chosenCount);
  assert.ok(count("stroke") <= 7 * 4);
});

test("edges inside the chosen cone come before those outside", () => {
  const scene = treeScene(5, 4);
  const inside = Uint8Array.from(scene.branch, (branch) => (branch === 2 ? 1 : 0));
  const { nodes, places, dots, edges } = prepared(scene, { inside, selected: 3 });
  edges.choose(places, dots, 800, 600, 120);
  const chosen = Array.from(edges.chosen.subarray(0, edges.chosenCount));
  const lit = chosen.filter((e) => nodes.branch[nodes.edges[2 * e + 1]] === 2);
  assert.ok(lit.length > chosen.length / 4, `${lit.length} of ${chosen.length}`);
});
