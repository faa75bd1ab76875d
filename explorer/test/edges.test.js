import assert from "node:assert/strict";
import { test } from "node:test";

import { distanceLeftOf, halfTurn } from "../src/disk/shapes.js";
import { Camera } from "../src/disk/camera.js";
import { PALETTES } from "../src/disk/palette.js";
import { DotStyles } from "../src/disk/dots.js";
import { Edges } from "../src/disk/edges.js";
import { nodesInDrawOrder } from "../src/disk/scene.js";
import { drawGeodesic, drawLine } from "../src/disk/shapes.js";
import { Projection } from "../src/disk/camera.js";
import { blankBuffer, pixelOf, pointScene, randomNumbers, stateWith, treeScene } from "./engine.js";

const DISK = { originX: 200, originY: 150, radius: 140 };
const WHITE = 0xffffff;

/** A geodesic drawn in white on black, as light by place. @param {number[]} ends */
function drawn([px, py, qx, qy], width = 400, height = 300) {
  const buffer = blankBuffer(width, height);
  drawGeodesic(buffer, DISK, px, py, qx, qy, WHITE, 256);
  return buffer;
}

/** Every pixel that holds light, in units of the disk. @param {import("../src/disk/pixels.js").PixelBuffer} buffer */
function lit(buffer) {
  return Array.from(buffer.pixels.keys(), (at) => {
    const [x, y] = [at % buffer.width, Math.floor(at / buffer.width)];
    const [light] = pixelOf(buffer, x, y);
    return { light, x: (x + 0.5 - DISK.originX) / DISK.radius, y: (DISK.originY - y - 0.5) / DISK.radius };
  }).filter(({ light }) => light > 0);
}

/** @param {import("../src/disk/scene.js").Scene} scene @param {Partial<import("../src/disk/renderer.js").State>} [changes] */
function prepared(scene, changes) {
  const nodes = nodesInDrawOrder(scene);
  const [places, dots, edges, camera] = [new Projection(nodes), new DotStyles(nodes), new Edges(nodes), new Camera()];
  camera.resize(800, 600);
  places.update(camera, 1);
  dots.update(stateWith(changes), PALETTES.dark);
  return { nodes, places, dots, edges, camera };
}

test("a geodesic is drawn where it runs, from its one end to the other", () => {
  const random = randomNumbers(3);
  let bent = 0;
  for (let round = 0; round < 60; round++) {
    const ends = Array.from({ length: 4 }, () => 1.35 * (random() - 0.5));
    const away = distanceLeftOf(ends[0], ends[1], ends[2], ends[3]);
    const light = lit(drawn(ends));
    const middle = light.reduce((sum, { light, x, y }) => sum + light * away(x, y), 0);
    const total = light.reduce((sum, { light }) => sum + light, 0);
    assert.ok(Math.abs(middle / total) * DISK.radius < 0.2, "as much on the left as on the right");
    assert.ok(light.every(({ x, y }) => Math.abs(away(x, y)) * DISK.radius < 1.5), "no pixel beside it");
    const [sx, sy] = [ends[2] - ends[0], ends[3] - ends[1]];
    const along = light.map(({ x, y }) => ((x - ends[0]) * sx + (y - ends[1]) * sy) / Math.hypot(sx, sy));
    const pixel = 1.5 / DISK.radius;
    assert.ok(Math.min(...along) > -pixel && Math.max(...along) < Math.hypot(sx, sy) + pixel, "not beyond its ends");
    assert.ok(Math.min(...along) < pixel && Math.max(...along) > Math.hypot(sx, sy) - pixel, "as far as its ends");
    bent += Math.abs(halfTurn(ends[0], ends[1], ends[2], ends[3])) > 0.2 ? 1 : 0;
  }
  assert.ok(bent > 10, `${bent}`);
});

test("its light is as much as it is long, without gaps or knots", () => {
  for (const ends of [[-0.8, 0.1, 0.7, 0.2], [0.1, -0.9, 0.3, 0.9], [0.9, 0.1, 0.1, 0.9]]) {
    const buffer = drawn(ends);
    const isWide = Math.abs(ends[2] - ends[0]) > Math.abs(ends[3] - ends[1]);
    /** @type {Map<number, number>} */
    const across = new Map();
    for (const { light, x, y } of lit(buffer)) {
      const key = Math.round((isWide ? x : y) * DISK.radius * 2);
      across.set(key, (across.get(key) ?? 0) + light);
    }
    const sums = [...across.values()];
    // Where an arc is steeper than a diagonal it holds up to √2 or more in a column.
    assert.ok(Math.min(...sums) >= 240 && sums.filter((sum) => sum > 400).length < 0.5 * sums.length, `${sums}`);
  }
});

test("through the center it is a straight line", () => {
  assert.equal(halfTurn(-0.5, 0, 0.7, 0), 0);
  const rows = new Set(lit(drawn([-0.5, 0, 0.7, 0])).map(({ y }) => y));
  assert.ok(rows.size <= 2);
  assert.ok(Math.abs(distanceLeftOf(-0.5, 0, 0.7, 0)(0.3, 0.2) - 0.2) < 1e-12);
});

test("ends on the rim are ends too, and the circle meets the rim at right angles", () => {
  const away = distanceLeftOf(1, 0, 0, 1);
  for (const angle of [0.1, 0.7, 1.4]) {
    const [x, y] = [1 - Math.sin(angle), 1 - Math.cos(angle)];
    assert.ok(Math.abs(away(x, y)) < 1e-12, "on the circle around (1, 1)");
  }
  assert.ok(away(0, 0) > 0 && away(0.9, 0.9) < 0);
});

test("of a line that leaves the window the part within is drawn, and nothing else", () => {
  const random = randomNumbers(12);
  const [large, small] = [blankBuffer(300, 260), blankBuffer(100, 80)];
  for (let round = 0; round < 300; round++) {
    const [x1, y1, x2, y2] = Array.from({ length: 4 }, () => 300 * (random() - 0.3));
    for (const buffer of [large, small]) buffer.pixels.fill(0);
    drawLine(large, x1 + 100, y1 + 90, x2 + 100, y2 + 90, WHITE, 256);
    drawLine(small, x1, y1, x2, y2, WHITE, 256);
    for (let y = 2; y < 78; y++) {
      for (let x = 2; x < 98; x++) {
        const [here, there] = [pixelOf(small, x, y)[0], pixelOf(large, x + 100, y + 90)[0]];
        assert.ok(Math.abs(here - there) <= 4, `${[x1, y1, x2, y2]} at ${x} ${y}: ${here} ${there}`);
      }
    }
  }
});

test("a line blends its color with what is below it", () => {
  const buffer = blankBuffer(20, 20);
  buffer.pixels.fill(100 | (200 << 8) | (50 << 16));
  drawLine(buffer, 0, 10.5, 20, 10.5, 200 | (100 << 8) | (250 << 16), 64);
  assert.deepEqual(pixelOf(buffer, 9, 10), [125, 175, 100]);
  assert.deepEqual(pixelOf(buffer, 9, 12), [100, 200, 50]);
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

test("an edge has the color of its branch, dimmed outside a chosen cone", () => {
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

test("at two pixels a CSS pixel the same edge is drawn twice as long", () => {
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

test("edges inside the chosen cone come before those outside", () => {
  const scene = treeScene(5, 4);
  const inside = Uint8Array.from(scene.branch, (branch) => (branch === 2 ? 1 : 0));
  const { nodes, places, dots, edges } = prepared(scene, { inside, selected: 3 });
  edges.choose(places, dots, 800, 600, 120);
  const chosen = Array.from(edges.chosen.subarray(0, edges.chosenCount));
  const lit = chosen.filter((e) => nodes.branch[nodes.edges[2 * e + 1]] === 2);
  assert.ok(lit.length > chosen.length / 4, `${lit.length} of ${chosen.length}`);
});
