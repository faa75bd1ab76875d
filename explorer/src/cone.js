/**
 * The region of an entailment cone as it is shown: two geodesic sides from the apex, and the rim between their ends.
 *
 * Seen from the apex, the sides are straight rays at the half aperture ψ on both sides of the spoke. So their ends on
 * the rim are known in the closed form e^{±iψ}·x/|x| there, and one isometry takes them to the screen. In the angles of
 * the original disk the two ends of a deep cone could not be told apart.
 */

import { geodesicTo } from "./arcs.js";
import { borderGap } from "./isometry.js";

/** @typedef {import("./isometry.js").Isometry} Isometry */
/** @typedef {import("./isometry.js").Point} Point */
/** @typedef {import("./arcs.js").Circle} Circle */
/** @typedef {{apex: Point, right: Point, left: Point}} ConeOutline in the disk as it is shown */

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
 * The outline as a closed path, counter-clockwise in the disk.
 * @param {CanvasPath} path
 * @param {Circle} disk
 * @param {ConeOutline} outline
 */
export function traceCone(path, disk, { apex, right, left }) {
  path.moveTo(disk.x + disk.radius * apex.x, disk.y - disk.radius * apex.y);
  geodesicTo(path, disk, apex.x, apex.y, right.x, right.y);
  path.arc(disk.x, disk.y, disk.radius, -Math.atan2(right.y, right.x), -Math.atan2(left.y, left.x), true);
  geodesicTo(path, disk, left.x, left.y, apex.x, apex.y);
  path.closePath();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Circle} disk
 * @param {ConeOutline} outline
 * @param {string} colour
 * @param {number} fill the opacity of the region
 */
export function drawCone(context, disk, outline, colour, fill) {
  context.beginPath();
  traceCone(context, disk, outline);
  context.fillStyle = context.strokeStyle = colour;
  context.globalAlpha = fill;
  context.fill();
  context.globalAlpha = Math.min(1, fill * 5);
  context.lineWidth = 1.25;
  context.stroke();
  context.globalAlpha = 1;
}
