/**
 * The isometries of the Poincaré disk that keep its orientation, M(z) = t·(z − c)/(1 − c̄z) with |c| < 1 and |t| = 1.
 *
 * The same group as SU(1,1), kept as the point c that is carried to the center and the turn t, because this form cannot
 * drift out of the group, and because near the border it keeps its digits: with d = z − c (exact for neighbors) the
 * denominator is (1 − |c|²) − c̄d, where nothing cancels.
 */

/** @typedef {{x: number, y: number}} Point */

/** No center comes nearer to the border: beyond it the doubles lie too far apart to move smoothly. */
export const SMALLEST_GAP = 1e-13;

const SPLITTER = 2 ** 27 + 1;

/**
 * What a rounded square has lost, x² − fl(x²), by Dekker's product.
 * @param {number} x
 */
function squareError(x) {
  const spread = x * SPLITTER;
  const high = spread - (spread - x);
  const low = x - high;
  return high * high - x * x + 2 * high * low + low * low;
}

/**
 * 1 − |z|² of the doubles as they stand, with all its digits however near the border.
 * @param {number} x
 * @param {number} y
 */
export function borderGap(x, y) {
  const [large, small] = Math.abs(x) > Math.abs(y) ? [x, y] : [y, x];
  // Both differences are exact where it matters: by then large² is at least a half.
  return 1 - large * large - small * small - squareError(large) - squareError(small);
}

/**
 * The hyperbolic distance from the center of a point with this norm and 1 − |z|².
 * @param {number} norm
 * @param {number} gap
 */
export function distanceFromCenter(norm, gap) {
  return 2 * Math.asinh(norm / Math.sqrt(gap));
}

export class Isometry {
  constructor() {
    this.cx = 0;
    this.cy = 0;
    this.gap = 1;
    this.tx = 1;
    this.ty = 0;
  }

  /**
   * @param {Isometry} other
   * @returns {this}
   */
  copy(other) {
    this.cx = other.cx;
    this.cy = other.cy;
    this.gap = other.gap;
    this.tx = other.tx;
    this.ty = other.ty;
    return this;
  }

  /**
   * Carries this point to the center from now on; the turn stays. A point beyond the border is pulled back inside.
   * @param {number} x
   * @param {number} y
   */
  setCenter(x, y) {
    let gap = borderGap(x, y);
    if (!(gap >= SMALLEST_GAP)) {
      const pull = (1 - SMALLEST_GAP) / Math.hypot(x, y);
      [x, y] = Number.isFinite(pull) ? [x * pull, y * pull] : [0, 0];
      gap = borderGap(x, y);
    }
    this.cx = x;
    this.cy = y;
    this.gap = gap;
  }

  /**
   * @param {number} x
   * @param {number} y a vector in the direction of the turn, of any length but 0
   */
  setTurn(x, y) {
    const length = Math.hypot(x, y);
    this.tx = length > 0 ? x / length : 1;
    this.ty = length > 0 ? y / length : 0;
  }

  /**
   * Where a point goes, and its 1 − |w|² there.
   * @param {number} x
   * @param {number} y
   * @returns {{x: number, y: number, gap: number}}
   */
  image(x, y) {
    const dx = x - this.cx;
    const dy = y - this.cy;
    const re = this.gap - (this.cx * dx + this.cy * dy);
    const im = this.cy * dx - this.cx * dy;
    const scale = 1 / (re * re + im * im);
    const qx = (dx * re + dy * im) * scale;
    const qy = (dy * re - dx * im) * scale;
    return {
      x: this.tx * qx - this.ty * qy,
      y: this.tx * qy + this.ty * qx,
      gap: borderGap(x, y) * this.gap * scale,
    };
  }

  /**
   * The point that goes to w.
   * @param {number} wx
   * @param {number} wy
   * @returns {Point}
   */
  preimage(wx, wy) {
    const ux = this.tx * wx + this.ty * wy;
    const uy = this.tx * wy - this.ty * wx;
    const re = 1 + this.cx * ux + this.cy * uy;
    const im = this.cx * uy - this.cy * ux;
    const scale = this.gap / (re * re + im * im);
    return { x: this.cx + (ux * re + uy * im) * scale, y: this.cy + (uy * re - ux * im) * scale };
  }

  /**
   * The unit vector into which a step to the right at a point is turned.
   * @param {number} x
   * @param {number} y
   * @returns {Point}
   */
  heading(x, y) {
    const dx = x - this.cx;
    const dy = y - this.cy;
    const re = this.gap - (this.cx * dx + this.cy * dy);
    const im = this.cy * dx - this.cx * dy;
    // M'(z) = t·(1 − |c|²)/(1 − c̄z)²: only its direction is asked.
    const scale = 1 / (re * re + im * im);
    const ex = (re * re - im * im) * scale;
    const ey = -2 * re * im * scale;
    return { x: this.tx * ex - this.ty * ey, y: this.tx * ey + this.ty * ex };
  }

  /**
   * Then carries the disk point w to the center, along the geodesic and without a turn at w.
   * @param {number} wx
   * @param {number} wy
   */
  bringToCenter(wx, wy) {
    const ux = this.tx * wx + this.ty * wy;
    const uy = this.tx * wy - this.ty * wx;
    const re = 1 + this.cx * ux + this.cy * uy;
    const im = this.cx * uy - this.cy * ux;
    const center = this.preimage(wx, wy);
    const ex = re * re - im * im;
    const ey = 2 * re * im;
    this.setTurn(this.tx * ex - this.ty * ey, this.tx * ey + this.ty * ex);
    this.setCenter(center.x, center.y);
  }

  /**
   * Then carries the disk point p to q, by way of the center: going round a loop point by point leaves no twist.
   * @param {Point} p
   * @param {Point} q
   */
  carry(p, q) {
    this.bringToCenter(p.x, p.y);
    this.bringToCenter(-q.x, -q.y);
  }

  /**
   * Then turns the disk about its center.
   * @param {number} angle
   */
  rotate(angle) {
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    this.setTurn(this.tx * cos - this.ty * sin, this.tx * sin + this.ty * cos);
  }
}
