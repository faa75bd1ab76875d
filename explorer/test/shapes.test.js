import assert from "node:assert/strict";
import { test } from "node:test";

import { borderGap, Isometry } from "../src/disk/isometry.js";
import { coneDistance, coneOutline, distanceLeftOf, drawCone, drawGeodesic, drawLine, halfAperture, halfTurn, idealEnd } from "../src/disk/shapes.js";
import { blankBuffer, K, pixelOf, randomNumbers } from "./drawing.js";

const random = randomNumbers(5);
const CONE_DISK = { originX: 150, originY: 140, radius: 130 };
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

test("the half aperture is π/2 at the inner radius and small at the border", () => {
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

test("under an isometry the sides end at the images of these ends", () => {
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

test("the drawn region contains exactly the points of the cone", () => {
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

test("a cone is drawn as a tinted region with an outline, and nothing else", () => {
  for (let round = 0; round < 12; round++) {
    const apex = at(0.11 + 0.6 * random(), 6.3 * random());
    const outline = coneOutline(apex.x, apex.y, K, randomView(), round % 3 === 0 ? 1.6 : 0);
    const distance = coneDistance(outline);
    const buffer = blankBuffer(300, 280);
    drawCone(buffer, CONE_DISK, outline, 0xffffff, HOW);
    for (let y = 0; y < 280; y++) {
      for (let x = 0; x < 300; x++) {
        const away = 130 * distance((x + 0.5 - CONE_DISK.originX) / 130, (CONE_DISK.originY - y - 0.5) / 130);
        const [light] = pixelOf(buffer, x, y);
        if (away > 1.5) assert.equal(light, 0, `${x} ${y}`);
        else if (away < -1.5) assert.ok(Math.abs(light - 0.14 * 255) <= 2, `${x} ${y}: ${light}`);
        else if (Math.abs(away) < 0.2) assert.ok(light > 150, `${x} ${y}: ${light}`);
      }
    }
  }
});

test("the fast fill of a cone on the plain disk gives the same pixels", () => {
  const outline = coneOutline(0.15, 0.1, K, new Isometry());
  const [slow, quick] = [null, 0x271811].map((below) => {
    const buffer = blankBuffer(300, 280);
    buffer.pixels.fill(0x271811 | (255 << 24));
    drawCone(buffer, CONE_DISK, outline, 0x52a9fe, { ...HOW, below });
    return buffer.pixels;
  });
  assert.deepEqual(quick, slow);
  assert.ok(new Set(quick).size > 10);
});

const DISK = { originX: 200, originY: 150, radius: 140 };
const WHITE = 0xffffff;

/** A geodesic drawn in white on black. @param {number[]} ends */
function drawn([px, py, qx, qy], width = 400, height = 300) {
  const buffer = blankBuffer(width, height);
  drawGeodesic(buffer, DISK, px, py, qx, qy, WHITE, 256);
  return buffer;
}

/** Every pixel that is not black, in units of the disk. @param {import("../src/disk/pixels.js").PixelBuffer} buffer */
function lit(buffer) {
  return Array.from(buffer.pixels.keys(), (at) => {
    const [x, y] = [at % buffer.width, Math.floor(at / buffer.width)];
    const [light] = pixelOf(buffer, x, y);
    return { light, x: (x + 0.5 - DISK.originX) / DISK.radius, y: (DISK.originY - y - 0.5) / DISK.radius };
  }).filter(({ light }) => light > 0);
}

test("a geodesic is drawn along its arc from end to end", () => {
  const random = randomNumbers(3);
  let bent = 0;
  for (let round = 0; round < 60; round++) {
    const ends = Array.from({ length: 4 }, () => 1.35 * (random() - 0.5));
    const away = distanceLeftOf(ends[0], ends[1], ends[2], ends[3]);
    const light = lit(drawn(ends));
    const middle = light.reduce((sum, { light, x, y }) => sum + light * away(x, y), 0);
    const total = light.reduce((sum, { light }) => sum + light, 0);
    assert.ok(Math.abs(middle / total) * DISK.radius < 0.2, "as much on the left as on the right");
    assert.ok(light.every(({ x, y }) => Math.abs(away(x, y)) * DISK.radius < 1.5), "no pixel off the arc");
    const [sx, sy] = [ends[2] - ends[0], ends[3] - ends[1]];
    const along = light.map(({ x, y }) => ((x - ends[0]) * sx + (y - ends[1]) * sy) / Math.hypot(sx, sy));
    const pixel = 1.5 / DISK.radius;
    assert.ok(Math.min(...along) > -pixel && Math.max(...along) < Math.hypot(sx, sy) + pixel, "not beyond its ends");
    assert.ok(Math.min(...along) < pixel && Math.max(...along) > Math.hypot(sx, sy) - pixel, "as far as its ends");
    bent += Math.abs(halfTurn(ends[0], ends[1], ends[2], ends[3])) > 0.2 ? 1 : 0;
  }
  assert.ok(bent > 10, `${bent}`);
});

test("a geodesic is evenly bright along its length", () => {
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
    // Where an arc is steeper than a diagonal a column contains √2 or more.
    assert.ok(Math.min(...sums) >= 240 && sums.filter((sum) => sum > 400).length < 0.5 * sums.length, `${sums}`);
  }
});

test("a geodesic through the center is a straight line", () => {
  assert.equal(halfTurn(-0.5, 0, 0.7, 0), 0);
  const rows = new Set(lit(drawn([-0.5, 0, 0.7, 0])).map(({ y }) => y));
  assert.ok(rows.size <= 2);
  assert.ok(Math.abs(distanceLeftOf(-0.5, 0, 0.7, 0)(0.3, 0.2) - 0.2) < 1e-12);
});

test("a geodesic may end on the rim, which it meets at right angles", () => {
  const away = distanceLeftOf(1, 0, 0, 1);
  for (const angle of [0.1, 0.7, 1.4]) {
    const [x, y] = [1 - Math.sin(angle), 1 - Math.cos(angle)];
    assert.ok(Math.abs(away(x, y)) < 1e-12, "on the circle around (1, 1)");
  }
  assert.ok(away(0, 0) > 0 && away(0.9, 0.9) < 0);
});

test("a line is clipped to the window", () => {
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
