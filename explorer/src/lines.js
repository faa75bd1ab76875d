/** Antialiased hairlines, one pixel wide: straight ones, and geodesics as chains of them. */

import { halfTurn } from "./arcs.js";
import { tint } from "./pixels.js";

/** @typedef {import("./buffer.js").PixelBuffer} PixelBuffer */
/** @typedef {import("./ground.js").Disk} Disk */

/** How far a chain may lie beside its arc, in device pixels. */
const BESIDE = 0.15;
const ONE = 65536;
/** What the rounding of a slope may add up to along a line, in pixels. */
const SPARE = 0.1;

/**
 * The geodesic from p to q.
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
  // An arc that turns by 2·half, in n equal pieces, lies beside each by chord·|half|/(4n²), nearly.
  const pieces = Math.ceil(Math.sqrt((chord * Math.abs(half)) / (4 * BESIDE)));
  if (pieces > 1) {
    // Each piece is the last one turned on by 2·half/n, and the first stands at half − half/n from the chord.
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
 * A line in device pixels. Of two that follow one another, each draws its own pixels.
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
 * A line along u, the axis in which it is longer: at every whole u its light is shared between two pixels across.
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
  // Where the line lies between the middles of the first and the last row of pixels.
  const start = v1 - 0.5 + (0.5 - u1) * slope;
  const first = SPARE - start;
  const last = sizeV - 1 - SPARE - start;
  if (slope !== 0) {
    from = Math.max(from, Math.ceil((slope > 0 ? first : last) / slope));
    to = Math.min(to, Math.floor((slope > 0 ? last : first) / slope) + 1);
  } else if (first > 0 || last < 0) return;
  // In 65536ths of a pixel, and whole numbers from here on.
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
