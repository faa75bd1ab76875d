import assert from "node:assert/strict";
import { test } from "node:test";

import { Camera, Projection } from "../src/disk/camera.js";
import { DotStyles } from "../src/disk/dots.js";
import { Edges } from "../src/disk/edges.js";
import { PALETTES } from "../src/disk/palette.js";
import { nodesInDrawOrder } from "../src/disk/scene.js";
import { blankBuffer, pixelOf, pointScene, stateWith, treeScene } from "./drawing.js";

/** @param {import("../src/disk/scene.js").Scene} scene @param {Partial<import("../src/disk/renderer.js").State>} [changes] */
function prepared(scene, changes) {
  const nodes = nodesInDrawOrder(scene);
  const [places, dots, edges, camera] = [new Projection(nodes), new DotStyles(nodes), new Edges(nodes), new Camera()];
  camera.resize(800, 600);
  places.update(camera, 1);
  dots.update(stateWith(changes), PALETTES.dark);
  return { nodes, places, dots, edges, camera };
}

test("no more edges than the limit are drawn, those nearest to the center first", () => {
  const { nodes, places, dots, edges } = prepared(treeScene(5, 5));
  edges.choose(places, dots, 800, 600, 10000);
  const all = edges.chosenCount;
  edges.choose(places, dots, 800, 600, 200);
  assert.ok(all > 600 && edges.chosenCount > 20 && edges.chosenCount <= 200);
  const depths = Array.from(edges.chosen.subarray(0, edges.chosenCount), (e) => nodes.depth[nodes.edges[2 * e + 1]]);
  assert.equal(depths.filter((depth) => depth === 1).length, 5);
  assert.equal(depths.filter((depth) => depth === 2).length, 25);
});

test("an edge that is shorter than two pixels or outside the window is not drawn", () => {
  const edges = Int32Array.of(0, 1, 2, 3);
  const near = prepared(pointScene([[0.1, 0], [0.1, 0.003], [0.5, 0], [0.5, 0.4]], { edges }));
  near.edges.choose(near.places, near.dots, 800, 600, 100);
  assert.equal(near.edges.chosenCount, 1);
  near.camera.zoomAt(0, 0, 30);
  near.places.update(near.camera, 1);
  near.edges.choose(near.places, near.dots, 800, 600, 100);
  assert.equal(near.edges.chosenCount, 0);
});

test("an edge has the color of its branch, dimmed outside the selected cone", () => {
  const points = /** @type {[number, number][]} */ ([[0, 0], [0.8, 0]]);
  const scene = pointScene(points, { edges: Int32Array.of(0, 1), branch: Int32Array.of(1, 1) });
  const light = [null, Uint8Array.of(1, 1), Uint8Array.of(0, 0)].map((inside) => {
    const { places, dots, edges } = prepared(scene, { inside, selected: inside ? 0 : -1 });
    const buffer = blankBuffer(800, 600);
    edges.choose(places, dots, 800, 600, 10);
    edges.draw(buffer, places, dots, PALETTES.dark);
    const [above, below] = [pixelOf(buffer, 500, 299), pixelOf(buffer, 500, 300)];
    return above.map((value, k) => value + below[k]);
  });
  const [plain, inside, outside] = light;
  assert.ok(plain[0] > plain[1] && plain[1] > plain[2] && plain[0] > 50, `orange: ${plain}`);
  assert.ok(inside[0] > 1.15 * plain[0] && outside[0] < 0.4 * plain[0] && outside[0] > 5, `${light}`);
});

test("at two device pixels per CSS pixel an edge is twice as long", () => {
  const scene = pointScene([[0, 0], [0.8, 0.1]], { edges: Int32Array.of(0, 1) });
  const lengths = [1, 2].map((ratio) => {
    const { places, dots, edges, camera } = prepared(scene);
    places.update(camera, ratio);
    const buffer = blankBuffer(800 * ratio, 600 * ratio);
    edges.choose(places, dots, 800 * ratio, 600 * ratio, 10);
    edges.draw(buffer, places, dots, PALETTES.dark);
    return new Set(Array.from(buffer.pixels.keys()).filter((at) => buffer.pixels[at]).map((at) => at % buffer.width)).size;
  });
  assert.ok(Math.abs(lengths[1] - 2 * lengths[0]) <= 3 && lengths[0] > 200, `${lengths}`);
});

test("edges inside the selected cone come before those outside", () => {
  const scene = treeScene(5, 4);
  const inside = Uint8Array.from(scene.branch, (branch) => (branch === 2 ? 1 : 0));
  const { nodes, places, dots, edges } = prepared(scene, { inside, selected: 3 });
  edges.choose(places, dots, 800, 600, 120);
  const chosen = Array.from(edges.chosen.subarray(0, edges.chosenCount));
  const lit = chosen.filter((e) => nodes.branch[nodes.edges[2 * e + 1]] === 2);
  assert.ok(lit.length > chosen.length / 4, `${lit.length} of ${chosen.length}`);
});
