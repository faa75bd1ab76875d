/**
 * The camera: which part of the hyperbolic plane is shown, where the disk lies on the screen, and where every node does.
 *
 * An isometry maps the view points to the disk as it is shown; zoom and pan place that disk on the canvas. Pan is stored
 * in units of the radius of the unzoomed disk, so that a restored view fits another window. The y axis points up in the
 * disk and down on the screen.
 */

import { distanceFromCenter, Isometry, SMALLEST_GAP } from "./isometry.js";

/** @typedef {import("./isometry.js").Point} Point */
/** @typedef {import("./scene.js").Nodes} Nodes */
/** @typedef {{cx: number, cy: number, turn: number, zoom: number, panx: number, pany: number}} Snapshot */

/**
 * @typedef {{from: Isometry, x: number, y: number, ux: number, uy: number, distance: number, panx: number,
 *   pany: number, start: number, duration: number}} Flight
 */

const SMALLEST_ZOOM = 0.6;
const LARGEST_ZOOM = 500;
/** The disk's radius as a fraction of half the shorter side; the rest is for its glow and the labels at the rim. */
const FILL = 0.94;
/** How near to a dot a click must be, in CSS pixels, and the share of its radius by which a dot counts as nearer. */
const PICK_REACH = 10;
const PICK_BONUS = 1.2;
/** Nodes within this many pixels of the rim do not count as visible. */
const RIM_WIDTH = 4;

export class Camera {
  constructor() {
    this.isometry = new Isometry();
    this.width = 1;
    this.height = 1;
    this.zoom = 1;
    this.panx = 0;
    this.pany = 0;
    /** Grows with every change, so that the renderer can see whether the camera has moved. */
    this.version = 0;
    /** @type {Flight | null} */
    this.flight = null;
  }

  /** The radius of the unzoomed disk in pixels. */
  get baseRadius() {
    return Math.max(0.5, (FILL * Math.min(this.width, this.height)) / 2);
  }

  /** The radius of the disk in pixels. */
  get radius() {
    return this.baseRadius * this.zoom;
  }

  /** The disk's center on the screen, in pixels. */
  get originX() {
    return this.width / 2 + this.panx * this.baseRadius;
  }

  get originY() {
    return this.height / 2 + this.pany * this.baseRadius;
  }

  /**
   * @param {number} width
   * @param {number} height in CSS pixels
   */
  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.version++;
  }

  /**
   * The point of the disk as it is shown at a pixel; outside the rim its norm is 1 or more.
   * @param {number} px
   * @param {number} py
   * @returns {Point}
   */
  toDisk(px, py) {
    return { x: (px - this.originX) / this.radius, y: (this.originY - py) / this.radius };
  }

  /**
   * The pixel where a view point is shown.
   * @param {number} x
   * @param {number} y
   * @returns {Point}
   */
  toScreen(x, y) {
    const image = this.isometry.image(x, y);
    return { x: this.originX + this.radius * image.x, y: this.originY - this.radius * image.y };
  }

  /**
   * Moves the disk point under one pixel to another pixel by a hyperbolic translation.
   *
   * A cursor outside the rim drags the nearest point just inside it; a drag that stays outside rotates the disk.
   * @param {number} fromPx
   * @param {number} fromPy
   * @param {number} toPx
   * @param {number} toPy
   */
  drag(fromPx, fromPy, toPx, toPy) {
    this.flight = null;
    const from = this.toDisk(fromPx, fromPy);
    const to = this.toDisk(toPx, toPy);
    const limit = Math.max(0.5, 1 - 2 / this.radius);
    if (Math.hypot(from.x, from.y) >= limit && Math.hypot(to.x, to.y) >= limit) {
      this.isometry.rotate(Math.atan2(from.x * to.y - from.y * to.x, from.x * to.x + from.y * to.y));
    } else {
      this.isometry.carry(clampNorm(from, limit), clampNorm(to, limit));
    }
    this.version++;
  }

  /**
   * Zooms by a factor about a pixel, as far as the disk stays in view.
   * @param {number} px
   * @param {number} py
   * @param {number} factor
   */
  zoomAt(px, py, factor) {
    this.flight = null;
    const held = this.toDisk(px, py);
    this.zoom = clamp(this.zoom * (factor > 0 ? factor : 1), SMALLEST_ZOOM, LARGEST_ZOOM);
    const base = this.baseRadius;
    this._setPan((px - this.width / 2) / base - held.x * this.zoom, (py - this.height / 2) / base + held.y * this.zoom);
    this.version++;
  }

  /**
   * Starts a flight along the geodesic to a view point, which ends with that point in the center.
   * @param {number} x
   * @param {number} y
   * @param {number} now in milliseconds, by the same clock as in `step`
   * @param {number} [duration] in milliseconds; depends on the distance if left out
   */
  flyTo(x, y, now, duration) {
    const from = new Isometry().copy(this.isometry);
    const image = from.image(x, y);
    const norm = Math.hypot(image.x, image.y);
    const distance = distanceFromCenter(norm, Math.max(image.gap, SMALLEST_GAP));
    const [ux, uy] = norm > 0 ? [image.x / norm, image.y / norm] : [1, 0];
    const { panx, pany } = this;
    const time = Math.max(0, duration ?? Math.min(1400, 320 + 110 * (distance + Math.hypot(panx, pany))));
    this.flight = { from, x, y, ux, uy, distance, panx, pany, start: now, duration: time };
    if (time === 0) this.step(now);
  }

  /**
   * Moves the flight to a moment in time; returns whether it continues after that.
   * @param {number} now in milliseconds
   * @returns {boolean}
   */
  step(now) {
    const flight = this.flight;
    if (!flight) return false;
    const passed = flight.duration > 0 ? clamp((now - flight.start) / flight.duration, 0, 1) : 1;
    const part = passed * passed * passed * (passed * (6 * passed - 15) + 10);
    const reach = Math.tanh((part * flight.distance) / 2);
    this.isometry.copy(flight.from).bringToCenter(reach * flight.ux, reach * flight.uy);
    this._setPan((1 - part) * flight.panx, (1 - part) * flight.pany);
    this.version++;
    if (passed < 1) return true;
    // After a long flight the last step has lost digits, but the target is known exactly.
    this.isometry.setCenter(flight.x, flight.y);
    this.flight = null;
    return false;
  }

  /** @returns {Snapshot} */
  snapshot() {
    const { cx, cy, tx, ty } = this.isometry;
    return { cx, cy, turn: Math.atan2(ty, tx), zoom: this.zoom, panx: this.panx, pany: this.pany };
  }

  /** @param {Snapshot} snapshot values that are not numbers are replaced by the defaults */
  restore(snapshot) {
    const { cx, cy, turn, zoom, panx, pany } = snapshot;
    this.flight = null;
    this.isometry.setCenter(finite(cx, 0), finite(cy, 0));
    this.isometry.setTurn(Math.cos(finite(turn, 0)), Math.sin(finite(turn, 0)));
    this.zoom = clamp(finite(zoom, 1), SMALLEST_ZOOM, LARGEST_ZOOM);
    this._setPan(finite(panx, 0), finite(pany, 0));
    this.version++;
  }

  /**
   * Limits the pan so that the zoomed disk covers the unzoomed one; zooming out therefore ends with it in the center.
   * @param {number} x
   * @param {number} y
   */
  _setPan(x, y) {
    const length = Math.hypot(x, y);
    const part = Math.min(1, Math.max(0, this.zoom - 1) / (length || 1));
    this.panx = x * part;
    this.pany = y * part;
  }
}

/**
 * @param {Point} point
 * @param {number} limit the largest norm
 * @returns {Point}
 */
function clampNorm(point, limit) {
  const part = Math.min(1, limit / (Math.hypot(point.x, point.y) || 1));
  return { x: point.x * part, y: point.y * part };
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

/**
 * @param {number} value
 * @param {number} otherwise
 */
function finite(value, otherwise) {
  return Number.isFinite(value) ? value : otherwise;
}

/** The screen positions of all nodes. The arrays are reused, so that a frame leaves nothing to collect. */
export class Projection {
  /** @param {Nodes} nodes */
  constructor(nodes) {
    this.nodes = nodes;
    this.count = nodes.count;
    /** Screen positions in device pixels. */
    this.x = new Float32Array(this.count);
    this.y = new Float32Array(this.count);
    /** 1 − |w|² in the disk as it is shown: 1 in the center, 0 at the rim. Half of it is the scale of lengths. */
    this.gap = new Float32Array(this.count);
    /** The disk on the screen, in device pixels. */
    this.radius = 1;
    this.originX = 0;
    this.originY = 0;
    this.pixelRatio = 1;
  }

  /**
   * @param {Camera} camera
   * @param {number} pixelRatio
   */
  update(camera, pixelRatio) {
    this.radius = camera.radius * pixelRatio;
    this.originX = camera.originX * pixelRatio;
    this.originY = camera.originY * pixelRatio;
    this.pixelRatio = pixelRatio;
    this._project(camera.isometry);
  }

  /** @param {import("./isometry.js").Isometry} isometry */
  _project(isometry) {
    const { x: viewX, y: viewY, gap: viewGap } = this.nodes;
    const { x, y, gap, originX, originY, count } = this;
    const { cx, cy, gap: centerGap } = isometry;
    const tx = isometry.tx * this.radius;
    const ty = isometry.ty * this.radius;
    // Isometry.image inlined: one call per point would cost more than its arithmetic.
    for (let i = 0; i < count; i++) {
      const dx = viewX[i] - cx;
      const dy = viewY[i] - cy;
      const re = centerGap - (cx * dx + cy * dy);
      const im = cy * dx - cx * dy;
      const scale = 1 / (re * re + im * im);
      const qx = (dx * re + dy * im) * scale;
      const qy = (dy * re - dx * im) * scale;
      x[i] = originX + tx * qx - ty * qy;
      y[i] = originY - tx * qy - ty * qx;
      gap[i] = viewGap[i] * centerGap * scale;
    }
  }
}

/**
 * The nearest node to a pixel, where larger dots count as nearer; −1 if none is within reach.
 * @param {Projection} places
 * @param {Float32Array} radii in device pixels
 * @param {number} px
 * @param {number} py in device pixels
 * @returns {number}
 */
export function pickNode({ x, y, count, pixelRatio }, radii, px, py) {
  const reach = PICK_REACH * pixelRatio;
  let best = -1;
  let cost = Infinity;
  for (let row = 0; row < radii.length && row < count; row++) {
    const dx = x[row] - px;
    const dy = y[row] - py;
    if (!(Math.abs(dx) <= reach && Math.abs(dy) <= reach)) continue;
    const distance = Math.hypot(dx, dy);
    const price = distance - PICK_BONUS * radii[row];
    if (distance <= reach && price < cost) {
      cost = price;
      best = row;
    }
  }
  return best;
}

/**
 * Whether any node is visible: on the screen, and not at the rim, where everything far away is.
 * @param {{count: number, x: ArrayLike<number>, y: ArrayLike<number>}} scene
 * @param {Camera} camera
 */
export function seesAnyNode({ count, x, y }, camera) {
  const { width, height, originX, originY, radius } = camera;
  for (let row = 0; row < count; row++) {
    const spot = camera.toScreen(x[row], y[row]);
    if (spot.x < 0 || spot.y < 0 || spot.x > width || spot.y > height) continue;
    if (radius - Math.hypot(spot.x - originX, spot.y - originY) > RIM_WIDTH) return true;
  }
  return false;
}
