/**
 * What part of the hyperbolic plane is looked at, and where its disk lies on the screen.
 *
 * An isometry brings the view points into the disk as it is shown; zoom and pan place that disk on the canvas. Pan is
 * kept in units of the unzoomed disk's radius, so that a restored view fits another window. The y axis points up in the
 * disk and down on the screen.
 */

import { Isometry, SMALLEST_GAP, distanceFromCenter } from "./isometry.js";

/** @typedef {import("./isometry.js").Point} Point */
/** @typedef {{cx: number, cy: number, turn: number, zoom: number, panx: number, pany: number}} Snapshot */
/**
 * @typedef {{from: Isometry, x: number, y: number, ux: number, uy: number, distance: number, panx: number,
 *   pany: number, start: number, duration: number}} Flight
 */

const SMALLEST_ZOOM = 0.6;
const LARGEST_ZOOM = 500;
/** The disk's radius as a part of half the shorter side: the rest is for its glow and the labels at the rim. */
const FILL = 0.94;

export class Camera {
  constructor() {
    this.isometry = new Isometry();
    this.width = 1;
    this.height = 1;
    this.zoom = 1;
    this.panx = 0;
    this.pany = 0;
    /** Counts the changes, so that a renderer can see whether anything moved. */
    this.version = 0;
    /** @type {Flight | null} */
    this.flight = null;
  }

  /** The radius in pixels that the disk has without zoom. */
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
   * The point of the disk as it is shown under a pixel; outside the rim its norm is 1 or more.
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
   * The hyperbolic translation that takes the disk point under one pixel to under another.
   *
   * Outside the rim the cursor holds on to the nearest point just inside it; led around outside, it turns the disk.
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
      this.isometry.carry(within(from, limit), within(to, limit));
    }
    this.version++;
  }

  /**
   * Zooms by a factor; what is under the pixel stays there as far as the disk stays in sight.
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
   * Begins a flight along the geodesic that ends with a view point in the middle of the screen.
   * @param {number} x
   * @param {number} y
   * @param {number} now in milliseconds, of the clock that `step` is given
   * @param {number} [duration] in milliseconds; by the distance if left out, at once if 0
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
   * Moves on to this moment of a flight; whether it goes on after that.
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
    // Far away the last step is made of few digits; the target itself is known.
    this.isometry.setCenter(flight.x, flight.y);
    this.flight = null;
    return false;
  }

  /** @returns {Snapshot} */
  snapshot() {
    const { cx, cy, tx, ty } = this.isometry;
    return { cx, cy, turn: Math.atan2(ty, tx), zoom: this.zoom, panx: this.panx, pany: this.pany };
  }

  /** @param {Snapshot} snapshot whatever is not a number in it is as at the start */
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
   * The zoomed disk always covers the place of the unzoomed one, so zooming out ends with the disk in the middle.
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
function within(point, limit) {
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
