/**
 * The region of an entailment cone as it is shown: two geodesic sides from the apex, and the rim between their ends.
 *
 * Seen from the apex, the sides are straight rays at the half aperture ψ on both sides of the spoke. So their ends on
 * the rim are known in the closed form e^{±iψ}·x/|x| there, and one isometry takes them to the screen. In the angles of
 * the original disk the two ends of a deep cone could not be told apart.
 */

import { distanceLeftOf } from "./arcs.js";
import { borderGap } from "./isometry.js";
import { tint } from "./pixels.js";

/** @typedef {import("./isometry.js").Isometry} Isometry */
/** @typedef {import("./isometry.js").Point} Point */
/** @typedef {import("./buffer.js").PixelBuffer} PixelBuffer */
/** @typedef {import("./ground.js").Disk} Disk */
/** @typedef {{apex: Point, right: Point, left: Point}} ConeOutline in the disk as it is shown */

/** Opacities of the region and of its outline. */
const FILL = 0.14;
const OUTLINE = 0.7;

/**
 * ψ = arcsin(K(1−|x|²)/|x|), half the opening of the cone at x; π/2 at or below the inner radius.
 * @param {number} x
 * @param {number} y
 * @param {number} K
 */
export function halfAperture(x, y, K) {
  const reach = K * borderGap(x, y);
  return Math.asin(reach / Math.max(Math.hypot(x, y), reach));
}

/**
 * @param {number} x
 * @param {number} y the apex as a view point
 * @param {number} K
 * @param {Isometry} isometry
 * @param {number} [threshold] the angle by which the cone is widened
 * @returns {ConeOutline}
 */
export function coneOutline(x, y, K, isometry, threshold = 0) {
  const apex = isometry.image(x, y);
  const heading = isometry.heading(x, y);
  const spoke = Math.atan2(y, x) + Math.atan2(heading.y, heading.x);
  const half = Math.min(Math.PI, halfAperture(x, y, K) + Math.max(0, threshold));
  return { apex, right: idealEnd(apex, spoke - half), left: idealEnd(apex, spoke + half) };
}

/**
 * Where the geodesic that leaves a point in a direction meets the rim: (w + v)/(1 + w̄v).
 * @param {Point} from
 * @param {number} direction
 * @returns {Point}
 */
export function idealEnd(from, direction) {
  const vx = Math.cos(direction);
  const vy = Math.sin(direction);
  const re = 1 + from.x * vx + from.y * vy;
  const im = from.x * vy - from.y * vx;
  const nx = from.x + vx;
  const ny = from.y + vy;
  const ex = nx * re + ny * im;
  const ey = ny * re - nx * im;
  const length = Math.hypot(ex, ey);
  return length > 0 ? { x: ex / length, y: ey / length } : { x: vx, y: vy };
}

/**
 * The signed distance from the outline, negative within, as a function of a place in the disk; no longer than the true
 * one. The cone is what lies left of its right side and right of its left side, or one of the two if it is wider than a
 * half plane.
 * @param {ConeOutline} outline
 * @returns {(x: number, y: number) => number}
 */
export function coneDistance({ apex, right, left }) {
  const fromRight = distanceLeftOf(apex.x, apex.y, right.x, right.y);
  const fromLeft = distanceLeftOf(apex.x, apex.y, left.x, left.y);
  const isWide = fromRight(left.x, left.y) < -1e-9;
  return (x, y) => {
    const one = -fromRight(x, y);
    const other = fromLeft(x, y);
    return Math.max(isWide ? Math.min(one, other) : Math.max(one, other), Math.sqrt(x * x + y * y) - 1);
  };
}

/**
 * Draws the region and its outline. Most of a large cone lies on nothing but the disk; given the color of that, what
 * is further than `glow` from the outline is filled at once, over whatever else was there.
 * @param {PixelBuffer} buffer
 * @param {Disk} disk
 * @param {ConeOutline} outline
 * @param {number} color
 * @param {{width: number, glow: number, below: number | null}} how widths of the outline and of the rim's glow in
 *   device pixels, and the packed color of the bare disk, if it is bare
 */
export function drawCone(buffer, { originX, originY, radius }, outline, color, { width, glow, below }) {
  const distance = coneDistance(outline);
  const { left, top, right, bottom } = buffer.used;
  const { pixels } = buffer;
  const inside = Math.round(256 * FILL);
  const mixed = Int32Array.of(below ?? 0);
  tint(mixed, 0, color, inside);
  for (let y = top; y < bottom; y++) {
    const up = (originY - y - 0.5) / radius;
    const line = y * buffer.width;
    for (let x = left; x < right; ) {
      const away = radius * distance((x + 0.5 - originX) / radius, up);
      // No outline is nearer than that, so the pixels until there are all alike.
      const bare = below === null ? 0 : Math.floor(-away - glow);
      const alike = Math.floor(Math.abs(away) - width);
      const end = Math.min(right, x + Math.max(1, bare > 1 ? bare : alike));
      if (bare > 1) pixels.fill(mixed[0], line + x, line + end);
      else if (alike > 1) for (; away < 0 && x < end; x++) tint(pixels, line + x, color, inside);
      else edgePixel(pixels, line + x, color, away, width);
      x = end;
    }
  }
}

/**
 * @param {Int32Array} pixels
 * @param {number} at
 * @param {number} color
 * @param {number} away
 * @param {number} width
 */
function edgePixel(pixels, at, color, away, width) {
  const fill = FILL * Math.min(1, Math.max(0, 0.5 - away));
  if (fill > 0) tint(pixels, at, color, Math.round(256 * fill));
  const line = OUTLINE * Math.min(1, width, Math.max(0, width / 2 + 0.5 - Math.abs(away)));
  if (line > 0) tint(pixels, at, color, Math.round(256 * line));
}
