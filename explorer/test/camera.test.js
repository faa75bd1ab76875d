import assert from "node:assert/strict";
import { test } from "node:test";

import { Camera, seesAnyNode } from "../src/disk/camera.js";
import { borderGap } from "../src/disk/isometry.js";
import { randomNumbers } from "./drawing.js";

const random = randomNumbers(11);

function camera(width = 1280, height = 800) {
  const made = new Camera();
  made.resize(width, height);
  return made;
}

/** @param {{x: number, y: number}} a @param {{x: number, y: number}} b */
function apart(a, b) {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The view point under a pixel. @param {Camera} shown @param {number} px @param {number} py */
function under(shown, px, py) {
  const { x, y } = shown.toDisk(px, py);
  return shown.isometry.preimage(x, y);
}

test("at first the origin is in the center, and y points up", () => {
  const shown = camera();
  assert.deepEqual(shown.toScreen(0, 0), { x: 640, y: 400 });
  assert.ok(shown.toScreen(0, 0.5).y < 400 && shown.toScreen(0.5, 0).x > 640);
  assert.ok(apart(shown.toDisk(640, 400 - shown.radius), { x: 0, y: 1 }) < 1e-12);
});

test("a grabbed point stays under the cursor", () => {
  const shown = camera();
  let at = [640, 400];
  for (let step = 0; step < 2000; step++) {
    const next = [640 + 330 * (random() - 0.5), 400 + 330 * (random() - 0.5)];
    const grabbed = under(shown, at[0], at[1]);
    shown.drag(at[0], at[1], next[0], next[1]);
    // Near the border the distance of two doubles is visible.
    const grain = (1e-15 * shown.radius) / borderGap(grabbed.x, grabbed.y);
    assert.ok(apart(shown.toScreen(grabbed.x, grabbed.y), { x: next[0], y: next[1] }) < 1e-6 + grain);
    at = next;
  }
});

test("a drag and its reverse change nothing", () => {
  const shown = camera();
  shown.restore({ cx: 0.3, cy: -0.6, turn: 1, zoom: 3, panx: 0.4, pany: -0.2 });
  const before = shown.snapshot();
  for (let round = 0; round < 3000; round++) {
    shown.drag(600, 380, 900, 500);
    shown.drag(900, 500, 600, 380);
  }
  const after = shown.snapshot();
  for (const key of /** @type {const} */ (["cx", "cy", "turn", "zoom", "panx", "pany"])) {
    assert.ok(Math.abs(after[key] - before[key]) < 1e-9, key);
  }
});

test("outside the rim a drag holds on to the rim, and a drag around it rotates the disk", () => {
  const shown = camera();
  const grabbed = under(shown, 700, 400);
  shown.drag(700, 400, 5000, 400);
  const held = shown.toScreen(grabbed.x, grabbed.y);
  assert.ok(held.x < 640 + shown.radius && held.x > 640 + shown.radius - 3 && Math.abs(held.y - 400) < 1e-6);
  const { cx, cy, turn } = shown.snapshot();
  shown.drag(5000, 400, 640, -3000);
  const turned = shown.toScreen(grabbed.x, grabbed.y);
  assert.ok(Math.abs(turned.x - 640) < 1e-6 && turned.y < 400 - shown.radius + 3);
  assert.deepEqual([shown.snapshot().cx, shown.snapshot().cy], [cx, cy]);
  assert.ok(Math.abs(shown.snapshot().turn - turn - Math.PI / 2) < 1e-9);
});

test("zooming keeps the point under the cursor, and zooming out centers the disk", () => {
  const shown = camera();
  shown.drag(640, 400, 700, 300);
  const held = under(shown, 800, 350);
  for (let step = 0; step < 10; step++) shown.zoomAt(800, 350, 1.3);
  assert.ok(apart(shown.toScreen(held.x, held.y), { x: 800, y: 350 }) < 1e-6);
  for (let step = 0; step < 40; step++) shown.zoomAt(100, 700, 0.8);
  assert.deepEqual([shown.panx, shown.pany], [0, 0]);
  assert.ok(shown.zoom > 0.5 && shown.zoom < 1);
});

test("zoom is bounded for any factor", () => {
  const shown = camera();
  for (const factor of [1e300, 0, -1, NaN, 1e-300, Infinity, 1]) {
    shown.zoomAt(300, 300, factor);
    assert.ok(shown.zoom >= 0.5 && shown.zoom <= 1000 && Number.isFinite(shown.panx + shown.pany), `${factor}`);
  }
});

test("a flight follows the geodesic, slowly at both ends, and ends in the center", () => {
  const shown = camera();
  shown.restore({ cx: 0.2, cy: 0.1, turn: 0.7, zoom: 2, panx: 0.3, pany: 0.1 });
  const target = { x: -0.7, y: 0.69 };
  const start = shown.isometry.image(target.x, target.y);
  shown.flyTo(target.x, target.y, 1000, 800);
  /** @type {number[]} */
  const ways = [];
  for (let now = 1000; now < 1800; now += 50) {
    assert.equal(shown.step(now), true);
    const image = shown.isometry.image(target.x, target.y);
    assert.ok(Math.abs(image.x * start.y - image.y * start.x) < 1e-9, "the target moves straight to the center");
    ways.push(2 * Math.atanh(Math.min(1 - 1e-15, Math.hypot(image.x, image.y))));
  }
  const steps = ways.slice(1).map((way, k) => ways[k] - way);
  assert.ok(steps.every((step) => step > 0));
  assert.ok(steps[0] < steps[7] / 4 && steps[14] < steps[7] / 4);
  assert.equal(shown.step(1800), false);
  assert.deepEqual(shown.toScreen(target.x, target.y), { x: 640, y: 400 });
  assert.equal(shown.zoom, 2);
  assert.equal(shown.step(1900), false);
});

test("the deepest node is centered to a millionth of a pixel", () => {
  const shown = camera();
  const target = { x: (1 - 1e-12) * Math.cos(2), y: (1 - 1e-12) * Math.sin(2) };
  shown.flyTo(target.x, target.y, 0);
  let now = 0;
  while (shown.step(now)) now += 16;
  assert.ok(apart(shown.toScreen(target.x, target.y), { x: 640, y: 400 }) < 1e-6);
  assert.ok(now < 2000, "and soon enough");
});

test("longer flights take more time, a duration of 0 is immediate, and a drag ends a flight", () => {
  const times = [0.1, 0.9, 0.999].map((x) => {
    const shown = camera();
    shown.flyTo(x, 0, 0);
    return shown.flight?.duration ?? 0;
  });
  assert.ok(times[0] < times[1] && times[1] < times[2]);
  const shown = camera();
  shown.flyTo(0.9, 0, 0, 0);
  assert.deepEqual(shown.toScreen(0.9, 0), { x: 640, y: 400 });
  shown.flyTo(0, 0, 0, 100);
  shown.drag(640, 400, 650, 400);
  assert.equal(shown.step(50), false);
});

test("a flight to the current center, or to an invalid point, is harmless", () => {
  for (const [x, y] of [[0, 0], [1, 0], [3, 4], [NaN, 0]]) {
    const shown = camera();
    shown.flyTo(x, y, 0, 100);
    while (shown.step(200));
    assert.ok(Number.isFinite(shown.toScreen(0.1, 0.2).x), `${x}`);
  }
});

test("a restored snapshot is the same view, also in another window", () => {
  const shown = camera();
  shown.zoomAt(700, 500, 3);
  shown.drag(640, 400, 500, 450);
  const copy = camera(600, 1000);
  copy.restore(JSON.parse(JSON.stringify(shown.snapshot())));
  const places = [shown, copy].map((each) => {
    const { x, y } = each.toScreen(0.3, 0.4);
    return { x: (x - each.width / 2) / each.baseRadius, y: (y - each.height / 2) / each.baseRadius };
  });
  assert.ok(apart(places[0], places[1]) < 1e-9);
});

test("the valid parts of a damaged snapshot are restored", () => {
  const shown = camera();
  shown.restore(JSON.parse('{"cx": 7, "cy": "x", "turn": null, "zoom": -3, "panx": 1e9}'));
  const { cx, cy, zoom, panx } = shown.snapshot();
  assert.ok(Math.hypot(cx, cy) < 1 && zoom > 0 && Math.abs(panx) <= zoom);
});

test("the smallest window shows a disk", () => {
  const shown = camera(1, 1);
  shown.drag(0, 0, 1, 1);
  shown.zoomAt(0, 0, 2);
  assert.ok(Number.isFinite(shown.toScreen(0.5, 0.5).x));
});

const scene = { count: 2, x: [0, 0.1], y: [0, 0.2] };

function cameraAt(/** @type {Partial<import("../src/disk/camera.js").Snapshot>} */ place) {
  const camera = new Camera();
  camera.resize(600, 400);
  camera.restore({ cx: 0, cy: 0, turn: 0, zoom: 1, panx: 0, pany: 0, ...place });
  return camera;
}

test("nodes near the center are visible, and nodes at the rim are not", () => {
  assert.equal(seesAnyNode(scene, cameraAt({})), true);
  assert.equal(seesAnyNode(scene, cameraAt({ cx: -0.9 })), true);
  assert.equal(seesAnyNode(scene, cameraAt({ cx: -0.999999 })), false);
});

test("nodes outside the window are not visible", () => {
  assert.equal(seesAnyNode(scene, cameraAt({ zoom: 40, panx: 30 })), false);
});
