/** Lines, geodesics, cones and rings: their geometry, and how they are drawn into the pixels of a frame. */

import { borderGap } from "./isometry.js";
import { tint } from "./pixels.js";

/** @typedef {import("./pixels.js").PixelBuffer} PixelBuffer */
/** @typedef {import("./pixels.js").Disk} Disk */
/** @typedef {import("./isometry.js").Isometry} Isometry */
/** @typedef {import("./isometry.js").Point} Point */
/** @typedef {{apex: Point, right: Point, left: Point}} ConeOutline in the disk as it is shown */

/** How far a chain of lines may be from its arc, in device pixels. */
const ARC_ERROR = 0.15;
/** What the rounded slope of a line may add up to, in pixels. */
const SLOPE_ERROR = 0.1;
const ONE = 65536;
/** Opacities of a cone and of its outline. */
const CONE_FILL = 0.14;
const CONE_OUTLINE = 0.7;

/**
 * Geodesics are circles that meet the rim at right angles, or straight lines through the center. This is half the angle
 * by which the geodesic from p to q turns left, in (−π/2, π/2). Either end may lie on the rim.
 * @param {number} px
 * @param {number} py
 * @param {number} qx
 * @param {number} qy
 */
export function halfTurn(px, py, qx, qy) {
  // The geodesic leaves p in the direction (1 − |p|²)·step − |step|²·p; half its turn lies between that and its chord.
  const sx = qx - px;
  const sy = qy - py;
  return Math.atan2(sx * py - sy * px, 1 - px * px - py * py - px * sx - py * sy);
}

/**
 * The signed distance of points from the whole geodesic through p and q, positive to the left of the direction p to q.
 * @param {number} px
 * @param {number} py
 * @param {number} qx
 * @param {number} qy
 * @returns {(x: number, y: number) => number} the Euclidean distance
 */
export function distanceLeftOf(px, py, qx, qy) {
  // The circle a(|z|² + 1) = 2n·z with center n/a, which is a line if a = 0; nothing is divided by a.
  const p = (1 + px * px + py * py) / 2;
  const q = (1 + qx * qx + qy * qy) / 2;
  const a = px * qy - py * qx;
  const nx = p * qy - q * py;
  const ny = q * px - p * qx;
  const radius = Math.sqrt(Math.max(0, nx * nx + ny * ny - a * a));
  return (x, y) => {
    const cx = a * x - nx;
    const cy = a * y - ny;
    return (a * (x * x + y * y + 1) - 2 * (nx * x + ny * y)) / (Math.sqrt(cx * cx + cy * cy) + radius);
  };
}

/**
 * Draws the geodesic from p to q as a chain of antialiased lines, one pixel wide.
 * @param {PixelBuffer} buffer
 * @param {Disk} disk
 * @param {number} px
 * @param {number} py
 * @param {number} qx
 * @param {number} qy in units of the disk, y up
 * @param {number} color
 * @param {number} alpha 0 to 256
 */
export function drawGeodesic(buffer, disk, px, py, qx, qy, color, alpha) {
  const { originX, originY, radius } = disk;
  let x = originX + radius * px;
  let y = originY - radius * py;
  const endX = originX + radius * qx;
  const endY = originY - radius * qy;
  const half = halfTurn(px, py, qx, qy);
  const chord = Math.hypot(endX - x, endY - y);
  // Split into n equal pieces, an arc that turns by 2·half is chord·|half|/(4n²) away from each, approximately.
  const pieces = Math.ceil(Math.sqrt((chord * Math.abs(half)) / (4 * ARC_ERROR)));
  if (pieces > 1) {
    // Each piece is the last one rotated by 2·half/n; the first is rotated by half − half/n from the chord.
    const turn = (-2 * half) / pieces;
    const length = Math.sin(half / pieces) / Math.sin(half);
    const cos = Math.cos(turn);
    const sin = Math.sin(turn);
    const tiltCos = length * Math.cos(half - half / pieces);
    const tiltSin = length * Math.sin(half - half / pieces);
    let stepX = (endX - x) * tiltCos - (endY - y) * tiltSin;
    let stepY = (endX - x) * tiltSin + (endY - y) * tiltCos;
    for (let k = 1; k < pieces; k++) {
      drawLine(buffer, x, y, x + stepX, y + stepY, color, alpha);
      x += stepX;
      y += stepY;
      const turned = stepX * cos - stepY * sin;
      stepY = stepX * sin + stepY * cos;
      stepX = turned;
    }
  }
  drawLine(buffer, x, y, endX, endY, color, alpha);
}

/**
 * Draws a line in device pixels. Two consecutive lines share no pixels.
 * @param {PixelBuffer} buffer
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {number} color
 * @param {number} alpha 0 to 256
 */
export function drawLine({ pixels, width, height }, x1, y1, x2, y2, color, alpha) {
  if (Math.abs(x2 - x1) >= Math.abs(y2 - y1)) {
    if (x1 <= x2) drawAlong(pixels, 1, width, width, height, x1, y1, x2, y2, color, alpha);
    else drawAlong(pixels, 1, width, width, height, x2, y2, x1, y1, color, alpha);
  } else if (y1 <= y2) drawAlong(pixels, width, 1, height, width, y1, x1, y2, x2, color, alpha);
  else drawAlong(pixels, width, 1, height, width, y2, x2, y1, x1, color, alpha);
}

/**
 * Draws a line along u, the axis in which it is longer: at every step its color is shared by two pixels across.
 * @param {Int32Array} pixels
 * @param {number} strideU
 * @param {number} strideV
 * @param {number} sizeU
 * @param {number} sizeV
 * @param {number} u1
 * @param {number} v1
 * @param {number} u2 u1 or more
 * @param {number} v2
 * @param {number} color
 * @param {number} alpha
 */
function drawAlong(pixels, strideU, strideV, sizeU, sizeV, u1, v1, u2, v2, color, alpha) {
  if ((v1 < 0 && v2 < 0) || (v1 > sizeV && v2 > sizeV)) return;
  const slope = u2 > u1 ? (v2 - v1) / (u2 - u1) : 0;
  let from = Math.max(0, Math.ceil(u1 - 0.5));
  let to = Math.min(sizeU, Math.ceil(u2 - 0.5));
  // Clip to where the line is between the centers of the first and the last row of pixels.
  const start = v1 - 0.5 + (0.5 - u1) * slope;
  const first = SLOPE_ERROR - start;
  const last = sizeV - 1 - SLOPE_ERROR - start;
  if (slope !== 0) {
    from = Math.max(from, Math.ceil((slope > 0 ? first : last) / slope));
    to = Math.min(to, Math.floor((slope > 0 ? last : first) / slope) + 1);
  } else if (first > 0 || last < 0) return;
  // Fixed-point integers with 16 fractional bits from here on.
  const step = (slope * ONE) | 0;
  let v = ((start + from * slope) * ONE) | 0;
  let line = (from * strideU) | 0;
  for (let left = (to - from) | 0; left > 0; left--) {
    const second = (((v >> 8) & 255) * alpha) >> 8;
    const at = line + Math.imul(v >> 16, strideV);
    tint(pixels, at, color, alpha - second);
    tint(pixels, at + strideV, color, second);
    line += strideU;
    v += step;
  }
}

/**
 * The half aperture ψ = arcsin(K(1−|x|²)/|x|) of the cone at x; π/2 at or below the inner radius.
 * @param {number} x
 * @param {number} y
 * @param {number} K
 */
export function halfAperture(x, y, K) {
  const reach = K * borderGap(x, y);
  return Math.asin(reach / Math.max(Math.hypot(x, y), reach));
}

/**
 * The outline of a cone as it is shown: two geodesic sides from the apex, and the rim between their ends.
 *
 * Seen from the apex the sides are rays at the angle ψ to the spoke, so their ends on the rim are e^{±iψ}·x/|x| there,
 * and one isometry maps them to the screen. In the coordinates of the original disk the two ends of a deep cone could
 * not be distinguished.
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
 * The signed distance of a disk point from the outline, negative inside; a lower bound of the true distance. The cone is
 * the intersection of what is left of its right side and right of its left side, or the union if it is wider than a half
 * plane.
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
 * Draws the region and its outline. Most of a large cone covers only the plain disk; if its color is given, everything
 * further than `glow` from the outline is filled with one precomputed color.
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
  const inside = Math.round(256 * CONE_FILL);
  const mixed = Int32Array.of(below ?? 0);
  tint(mixed, 0, color, inside);
  for (let y = top; y < bottom; y++) {
    const up = (originY - y - 0.5) / radius;
    const line = y * buffer.width;
    for (let x = left; x < right; ) {
      const away = radius * distance((x + 0.5 - originX) / radius, up);
      // The outline is at least this far away, so all pixels up to there have the same color.
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
  const fill = CONE_FILL * Math.min(1, Math.max(0, 0.5 - away));
  if (fill > 0) tint(pixels, at, color, Math.round(256 * fill));
  const line = CONE_OUTLINE * Math.min(1, width, Math.max(0, width / 2 + 0.5 - Math.abs(away)));
  if (line > 0) tint(pixels, at, color, Math.round(256 * line));
}

/**
 * Draws a ring around a node.
 * @param {PixelBuffer} buffer
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {number} width all in device pixels
 * @param {number} color
 */
export function drawRing({ pixels, width: across, height: down }, x, y, radius, width, color) {
  const reach = radius + width / 2 + 1;
  for (let py = Math.max(0, Math.floor(y - reach)); py < Math.min(down, y + reach); py++) {
    for (let px = Math.max(0, Math.floor(x - reach)); px < Math.min(across, x + reach); px++) {
      const away = Math.abs(Math.hypot(px + 0.5 - x, py + 0.5 - y) - radius);
      const covered = Math.min(1, Math.max(0, width / 2 + 0.5 - away));
      if (covered > 0) tint(pixels, py * across + px, color, Math.round(256 * covered));
    }
  }
}
