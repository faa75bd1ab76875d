/**
 * The isometries of the Poincaré disk that preserve orientation, M(z) = t·(z − c)/(1 − c̄z) with |c| < 1 and |t| = 1.
 *
 * They are stored as the point c that is moved to the center and the turn t. In this form they cannot drift out of the
 * group SU(1,1), and near the border no digits are lost: with d = z − c (exact for neighbors) the denominator is
 * (1 − |c|²) − c̄d, where nothing cancels.
 */

/** @typedef {{x: number, y: number}} Point */

/** The smallest 1 − |c|²: nearer to the border doubles are too far apart to move smoothly. */
export const SMALLEST_GAP = 1e-13;

const SPLITTER = 2 ** 27 + 1;

/**
 * The rounding error of a square, x² − fl(x²), by Dekker's product.
 * @param {number} x
 */
function squareError(x) {
  const spread = x * SPLITTER;
  const high = spread - (spread - x);
  const low = x - high;
  return high * high - x * x + 2 * high * low + low * low;
}

/**
 * 1 − |z|² of the given doubles, to full precision at any distance from the border.
 * @param {number} x
 * @param {number} y
 */
export function borderGap(x, y) {
  const [large, small] = Math.abs(x) > Math.abs(y) ? [x, y] : [y, x];
  // Both differences are exact near the border, where large² is at least 1/2.
  return 1 - large * large - small * small - squareError(large) - squareError(small);
}

/**
 * The hyperbolic distance of a point from the center, by its norm and its 1 − |z|².
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
   * Sets the point that is moved to the center; the turn stays. A point outside the disk is moved inside.
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
   * @param {number} y a vector in the direction of the turn, of any length except 0
   */
  setTurn(x, y) {
    const length = Math.hypot(x, y);
    this.tx = length > 0 ? x / length : 1;
    this.ty = length > 0 ? y / length : 0;
  }

  /**
   * The image of a point, and its 1 − |w|².
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
   * The point whose image is w.
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
   * The direction, as a unit vector, of the image of a small step to the right.
   * @param {number} x
   * @param {number} y
   * @returns {Point}
   */
  heading(x, y) {
    const dx = x - this.cx;
    const dy = y - this.cy;
    const re = this.gap - (this.cx * dx + this.cy * dy);
    const im = this.cy * dx - this.cx * dy;
    // M'(z) = t·(1 − |c|²)/(1 − c̄z)², of which only the direction is needed.
    const scale = 1 / (re * re + im * im);
    const ex = (re * re - im * im) * scale;
    const ey = -2 * re * im * scale;
    return { x: this.tx * ex - this.ty * ey, y: this.tx * ey + this.ty * ex };
  }

  /**
   * Appends the translation along a geodesic that moves the disk point w to the center.
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
   * Appends a translation of the disk point p to q through the center, so that a closed loop adds no rotation.
   * @param {Point} p
   * @param {Point} q
   */
  carry(p, q) {
    this.bringToCenter(p.x, p.y);
    this.bringToCenter(-q.x, -q.y);
  }

  /**
   * Appends a rotation about the center.
   * @param {number} angle
   */
  rotate(angle) {
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    this.setTurn(this.tx * cos - this.ty * sin, this.tx * sin + this.ty * cos);
  }
}
