import assert from "node:assert/strict";
import { test } from "node:test";

import { coneOutline, halfAperture, idealEnd, traceCone } from "../src/cone.js";
import { Isometry, borderGap } from "../src/isometry.js";
import { K, paperCanvas, randomNumbers } from "./engine.js";

const random = randomNumbers(5);
/** So large that no arc is flat enough to be drawn as a line. */
const LARGE = { x: 0, y: 0, radius: 1e5 };

/** The angular radius of the cap of a cone on the rim, arcsin(κ/ρ) − arcsin κ. @param {number} norm */
function capRadius(norm) {
  const kappa = (2 * K) / Math.hypot(1, 2 * K);
  return Math.asin((kappa * (1 + norm * norm)) / (2 * norm)) - Math.asin(kappa);
}

/** @param {number} norm @param {number} angle */
function at(norm, angle) {
  return { x: norm * Math.cos(angle), y: norm * Math.sin(angle) };
}

function randomView() {
  const isometry = new Isometry();
  const centre = at(0.95 * random(), 6.3 * random());
  isometry.setCentre(centre.x, centre.y);
  isometry.rotate(6.3 * random());
  return isometry;
}

/** The angle at the apex between its spoke and a point, as the package computes it. */
function coneAngle(/** @type {{x: number, y: number}} */ parent, /** @type {{x: number, y: number}} */ child) {
  const [dx, dy, norm] = [child.x - parent.x, child.y - parent.y, Math.hypot(parent.x, parent.y)];
  const along = (dx * parent.x + dy * parent.y) / norm;
  const across = Math.abs(dx * parent.y - dy * parent.x) / norm;
  const gap = borderGap(parent.x, parent.y);
  return Math.atan2(gap * across, gap * along - (dx * dx + dy * dy) * norm);
}

/** The outline as a polygon, from the calls on a path. @param {import("../src/cone.js").ConeOutline} outline */
function polygon(outline) {
  /** @type {{x: number, y: number}[]} */
  const points = [];
  const { canvas, calls } = paperCanvas();
  traceCone(/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), LARGE, outline);
  /** @param {number} x @param {number} y */
  const add = (x, y) => points.push({ x: x / LARGE.radius, y: -y / LARGE.radius });
  for (const [name, x, y, radius, from, to, isLeft] of calls) {
    if (name === "moveTo" || name === "lineTo") add(x, y);
    if (name !== "arc") continue;
    const full = (to - from) % (2 * Math.PI);
    const turn = isLeft && full > 0 ? full - 2 * Math.PI : !isLeft && full < 0 ? full + 2 * Math.PI : full;
    for (let k = 0; k <= 400; k++) {
      const angle = from + (turn * k) / 400;
      add(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
  }
  return points;
}

/** @param {{x: number, y: number}[]} corners @param {{x: number, y: number}} point */
function isWithin(corners, point) {
  let inside = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [a, b] = [corners[i], corners[j]];
    const crosses = a.y > point.y !== b.y > point.y;
    if (crosses && point.x < ((b.x - a.x) * (point.y - a.y)) / (b.y - a.y) + a.x) inside = !inside;
  }
  return inside;
}

test("the half aperture is π/2 at the inner radius and narrow at the border", () => {
  assert.ok(Math.abs(halfAperture(0.5, 0, K) - 0.150568) < 1e-6);
  assert.equal(halfAperture(0.01, 0, K), Math.PI / 2);
  assert.ok(halfAperture(1 - 1e-12, 0, K) > 1.9e-13);
});

test("without an isometry the sides end on the rim at the cap radius of the apex", () => {
  for (const norm of [0.12, 0.5, 0.9, 0.99]) {
    const apex = at(norm, 0.8);
    const { left, right } = coneOutline(apex.x, apex.y, K, new Isometry());
    assert.ok(Math.abs(Math.atan2(left.y, left.x) - (0.8 + capRadius(norm))) < 1e-9, `${norm}`);
    assert.ok(Math.abs(Math.atan2(right.y, right.x) - (0.8 - capRadius(norm))) < 1e-9, `${norm}`);
  }
});

test("under any isometry they are the images of those ends", () => {
  for (let round = 0; round < 200; round++) {
    const isometry = randomView();
    const [norm, angle] = [0.1 + 0.85 * random(), 6.28 * random() - 3.14];
    const apex = at(norm, angle);
    const outline = coneOutline(apex.x, apex.y, K, isometry);
    const ends = [outline.right, outline.left];
    [-1, 1].forEach((side, k) => {
      const end = at(1, angle + side * capRadius(Math.max(norm, 0.0990195)));
      const image = isometry.image(end.x, end.y);
      assert.ok(Math.hypot(image.x - ends[k].x, image.y - ends[k].y) < 1e-6, `${norm}`);
    });
  }
});

test("the drawn region holds exactly what the cone holds", () => {
  let [inside, outside] = [0, 0];
  for (let round = 0; round < 150; round++) {
    const isometry = randomView();
    const apex = at(0.11 + 0.8 * random(), 6.3 * random());
    const threshold = round % 3 === 0 ? 0.2 : 0;
    const corners = polygon(coneOutline(apex.x, apex.y, K, isometry, threshold));
    for (let k = 0; k < 20; k++) {
      const child = at(0.999 * Math.sqrt(random()), Math.atan2(apex.y, apex.x) + (random() - 0.5) * (k % 2 ? 6 : 1));
      const over = coneAngle(apex, child) - halfAperture(apex.x, apex.y, K) - threshold;
      if (Math.abs(over) < 0.02) continue;
      assert.equal(isWithin(corners, isometry.image(child.x, child.y)), over < 0, `${round} ${k} ${over}`);
      over < 0 ? inside++ : outside++;
    }
  }
  assert.ok(inside > 300 && outside > 300);
});

test("the cone of the deepest node, seen from it, is a wedge of its aperture", () => {
  const apex = at(1 - 1e-12, 2);
  const isometry = new Isometry();
  isometry.setCentre(apex.x, apex.y);
  const outline = coneOutline(apex.x, apex.y, 1e10, isometry);
  const opening = Math.acos(outline.left.x * outline.right.x + outline.left.y * outline.right.y);
  assert.ok(Math.abs(opening - 2 * halfAperture(apex.x, apex.y, 1e10)) < 1e-9 && opening > 0.01);
});

test("a geodesic from the centre ends straight ahead, from elsewhere on the rim", () => {
  const ahead = idealEnd({ x: 0, y: 0 }, 1);
  assert.ok(Math.hypot(ahead.x - Math.cos(1), ahead.y - Math.sin(1)) < 1e-15);
  for (let round = 0; round < 50; round++) {
    const end = idealEnd(at(random(), 6 * random()), 6 * random());
    assert.ok(Math.abs(Math.hypot(end.x, end.y) - 1) < 1e-12);
  }
});
