import assert from "node:assert/strict";
import { test } from "node:test";

import { coneDistance, coneOutline, drawCone, halfAperture, idealEnd } from "../src/disk/shapes.js";
import { Isometry, borderGap } from "../src/disk/isometry.js";
import { K, blankBuffer, pixelOf, randomNumbers } from "./engine.js";

const random = randomNumbers(5);
const DISK = { originX: 150, originY: 140, radius: 130 };
const HOW = { width: 1.25, glow: 12, below: /** @type {number | null} */ (null) };

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
  const center = at(0.95 * random(), 6.3 * random());
  isometry.setCenter(center.x, center.y);
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
    const threshold = [0, 0.2, 1.5][round % 3];
    const distance = coneDistance(coneOutline(apex.x, apex.y, K, isometry, threshold));
    for (let k = 0; k < 20; k++) {
      const child = at(0.999 * Math.sqrt(random()), Math.atan2(apex.y, apex.x) + (random() - 0.5) * (k % 2 ? 6 : 1));
      const over = coneAngle(apex, child) - halfAperture(apex.x, apex.y, K) - threshold;
      if (Math.abs(over) < 0.02) continue;
      const image = isometry.image(child.x, child.y);
      assert.equal(distance(image.x, image.y) < 0, over < 0, `${round} ${k} ${over}`);
      over < 0 ? inside++ : outside++;
    }
  }
  assert.ok(inside > 300 && outside > 300);
});

test("the cone of the deepest node, seen from it, is a wedge of its aperture", () => {
  const apex = at(1 - 1e-12, 2);
  const isometry = new Isometry();
  isometry.setCenter(apex.x, apex.y);
  const outline = coneOutline(apex.x, apex.y, 1e10, isometry);
  const opening = Math.acos(outline.left.x * outline.right.x + outline.left.y * outline.right.y);
  assert.ok(Math.abs(opening - 2 * halfAperture(apex.x, apex.y, 1e10)) < 1e-9 && opening > 0.01);
});

test("a geodesic from the center ends straight ahead, from elsewhere on the rim", () => {
  const ahead = idealEnd({ x: 0, y: 0 }, 1);
  assert.ok(Math.hypot(ahead.x - Math.cos(1), ahead.y - Math.sin(1)) < 1e-15);
  for (let round = 0; round < 50; round++) {
    const end = idealEnd(at(random(), 6 * random()), 6 * random());
    assert.ok(Math.abs(Math.hypot(end.x, end.y) - 1) < 1e-12);
  }
});

test("what is drawn of a cone is its region in a veil, its outline in a line, and nothing else", () => {
  for (let round = 0; round < 12; round++) {
    const apex = at(0.11 + 0.6 * random(), 6.3 * random());
    const outline = coneOutline(apex.x, apex.y, K, randomView(), round % 3 === 0 ? 1.6 : 0);
    const distance = coneDistance(outline);
    const buffer = blankBuffer(300, 280);
    drawCone(buffer, DISK, outline, 0xffffff, HOW);
    for (let y = 0; y < 280; y++) {
      for (let x = 0; x < 300; x++) {
        const away = 130 * distance((x + 0.5 - DISK.originX) / 130, (DISK.originY - y - 0.5) / 130);
        const [light] = pixelOf(buffer, x, y);
        if (away > 1.5) assert.equal(light, 0, `${x} ${y}`);
        else if (away < -1.5) assert.ok(Math.abs(light - 0.14 * 255) <= 2, `${x} ${y}: ${light}`);
        else if (Math.abs(away) < 0.2) assert.ok(light > 150, `${x} ${y}: ${light}`);
      }
    }
  }
});

test("on the bare disk a cone is filled at once, and looks the same", () => {
  const outline = coneOutline(0.15, 0.1, K, new Isometry());
  const [slow, quick] = [null, 0x271811].map((below) => {
    const buffer = blankBuffer(300, 280);
    buffer.pixels.fill(0x271811 | (255 << 24));
    drawCone(buffer, DISK, outline, 0x52a9fe, { ...HOW, below });
    return buffer.pixels;
  });
  assert.deepEqual(quick, slow);
  assert.ok(new Set(quick).size > 10);
});
