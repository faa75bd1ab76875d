import assert from "node:assert/strict";
import { test } from "node:test";

import { borderGap, distanceFromCenter, Isometry } from "../src/disk/isometry.js";
import { randomNumbers } from "./drawing.js";

const random = randomNumbers(7);

/** A point of the disk whose 1 − |z| is spread over all magnitudes down to 1e-12. */
function randomPoint(deepest = 12) {
  const norm = 1 - 10 ** (-deepest * random());
  const angle = 2 * Math.PI * random();
  return { x: norm * Math.cos(angle), y: norm * Math.sin(angle) };
}

/** @param {{x: number, y: number}} a @param {{x: number, y: number}} b */
function distance(a, b) {
  return 2 * Math.asinh(Math.hypot(a.x - b.x, a.y - b.y) / Math.sqrt(borderGap(a.x, a.y) * borderGap(b.x, b.y)));
}

function randomIsometry(deepest = 12) {
  const isometry = new Isometry();
  const center = randomPoint(deepest);
  isometry.setCenter(center.x, center.y);
  isometry.rotate(2 * Math.PI * random());
  return isometry;
}

/** 1 − x² − y² in integers, so exactly. @param {number} x @param {number} y */
function exactGap(x, y) {
  const [a, b] = [BigInt(x * 2 ** 120), BigInt(y * 2 ** 120)];
  return Number((1n << 240n) - a * a - b * b) / 2 ** 240;
}

test("the gap to the border has full precision", () => {
  for (let round = 0; round < 500; round++) {
    const { x, y } = randomPoint(15);
    const exact = exactGap(x, y);
    assert.ok(Math.abs(borderGap(x, y) - exact) <= 1e-12 * Math.abs(exact) + 1e-31, `${x} ${y}`);
  }
});

test("an isometry preserves the distance of any two points, at any distance from the border", () => {
  for (let round = 0; round < 500; round++) {
    const isometry = randomIsometry(10);
    const [a, b] = [randomPoint(10), randomPoint(10)];
    const [wa, wb] = [isometry.image(a.x, a.y), isometry.image(b.x, b.y)];
    const apart = Math.hypot(wa.x - wb.x, wa.y - wb.y) / Math.sqrt(wa.gap * wb.gap);
    // Two images at the same side of the rim differ only as far as doubles do.
    const lost = 4e-16 / Math.sqrt(wa.gap * wb.gap);
    assert.ok(Math.abs(2 * Math.asinh(apart) - distance(a, b)) < 1e-9 + 20 * lost, `${round}`);
  }
});

test("the gap of an image is that of the point it gives", () => {
  for (let round = 0; round < 300; round++) {
    const { x, y, gap } = randomIsometry(3).image(...asPair(randomPoint(3)));
    assert.ok(Math.abs(gap - borderGap(x, y)) < 1e-12);
  }
});

test("the image of a preimage is the point itself", () => {
  for (let round = 0; round < 300; round++) {
    const isometry = randomIsometry();
    const inside = randomPoint(2);
    const there = isometry.preimage(inside.x, inside.y);
    const back = isometry.image(there.x, there.y);
    // Near the border the hyperbolic distance of two doubles grows as the gap shrinks.
    const grain = 1e-15 / borderGap(there.x, there.y);
    assert.ok(Math.hypot(back.x - inside.x, back.y - inside.y) < 1e-9 + 4 * grain);
  }
});

test("a recentered deep node is at the center, and its neighbors are at their distances", () => {
  const isometry = new Isometry();
  const z = { x: 0.6 * (1 - 1e-12), y: 0.8 * (1 - 1e-12) };
  const w = isometry.image(z.x, z.y);
  isometry.bringToCenter(w.x, w.y);
  const middle = isometry.image(z.x, z.y);
  assert.ok(Math.hypot(middle.x, middle.y) < 1e-3, "as near as the intermediate doubles allow");
  isometry.setCenter(z.x, z.y);
  const there = isometry.image(z.x, z.y);
  assert.equal(Math.hypot(there.x, there.y), 0);
  const next = isometry.image(z.x, z.y - 1e-12);
  const away = distanceFromCenter(Math.hypot(next.x, next.y), next.gap);
  assert.ok(Math.abs(away - distance(z, { x: z.x, y: z.y - 1e-12 })) < 1e-9);
});

test("the heading of a point is the direction of the image of a small step to the right", () => {
  for (let round = 0; round < 100; round++) {
    const isometry = randomIsometry(2);
    const { x, y } = randomPoint(2);
    const [from, to] = [isometry.image(x, y), isometry.image(x + 1e-6 * borderGap(x, y), y)];
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const heading = isometry.heading(x, y);
    assert.ok(Math.abs((to.x - from.x) / length - heading.x) < 1e-4);
    assert.ok(Math.abs((to.y - from.y) / length - heading.y) < 1e-4);
  }
});

test("carrying moves one point to another, and a closed loop adds no rotation", () => {
  const isometry = randomIsometry(2);
  const before = new Isometry().copy(isometry);
  const way = Array.from({ length: 50 }, () => randomPoint(1));
  way.forEach((p, step) => {
    const q = way[(step + 1) % way.length];
    const held = isometry.preimage(p.x, p.y);
    isometry.carry(p, q);
    const now = isometry.image(held.x, held.y);
    assert.ok(Math.hypot(now.x - q.x, now.y - q.y) < 1e-9);
  });
  assert.ok(Math.hypot(isometry.cx - before.cx, isometry.cy - before.cy) < 1e-9);
  assert.ok(Math.hypot(isometry.tx - before.tx, isometry.ty - before.ty) < 1e-9);
});

test("thousands of drags and their reverse lead back to the start", () => {
  const isometry = new Isometry();
  const way = Array.from({ length: 10001 }, () => randomPoint(0.5));
  const pairs = way.slice(1).map((q, k) => [way[k], q]);
  for (const [p, q] of pairs) isometry.carry(p, q);
  assert.ok(Math.abs(Math.hypot(isometry.tx, isometry.ty) - 1) < 1e-15);
  for (const [p, q] of pairs.reverse()) isometry.carry(q, p);
  assert.ok(Math.hypot(isometry.cx, isometry.cy) < 1e-9);
  assert.ok(Math.hypot(isometry.tx - 1, isometry.ty) < 1e-9);
});

test("endless dragging outwards stays inside the disk", () => {
  const isometry = new Isometry();
  for (let round = 0; round < 5000; round++) isometry.carry({ x: 0.9, y: 0.1 }, { x: -0.9, y: 0.05 });
  assert.ok(isometry.gap >= 1e-14 && Math.hypot(isometry.cx, isometry.cy) < 1);
  const image = isometry.image(0.2, 0.3);
  assert.ok(Number.isFinite(image.x) && Math.hypot(image.x, image.y) <= 1 + 1e-12);
  for (let round = 0; round < 40; round++) {
    const origin = isometry.image(0, 0);
    isometry.bringToCenter(0.9 * origin.x, 0.9 * origin.y);
  }
  assert.ok(isometry.gap > 0.9, "and the way back is possible");
});

/** @param {{x: number, y: number}} point @returns {[number, number]} */
function asPair({ x, y }) {
  return [x, y];
}
