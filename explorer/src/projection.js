/**
 * Where every node is on the screen: the one pass over all points that each frame begins with.
 *
 * The arrays are made once and filled anew, because a frame must not leave garbage behind.
 */

/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {import("./order.js").Nodes} Nodes */

export class Projection {
  /** @param {Nodes} nodes */
  constructor(nodes) {
    this.nodes = nodes;
    this.count = nodes.count;
    /** Screen positions in device pixels. */
    this.x = new Float32Array(this.count);
    this.y = new Float32Array(this.count);
    /** 1 − |w|² in the disk as it is shown: 1 in the middle, 0 at the rim. Half of it is the scale of lengths. */
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
    // Isometry.image, written out: a call a point would cost more than its arithmetic.
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
