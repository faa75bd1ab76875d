/** Draws a frame layer by layer: background and rim, cones, edges, dots, rings, labels. */

import { pickNode, Projection } from "./camera.js";
import { DotRaster, DotStyles } from "./dots.js";
import { Edges } from "./edges.js";
import { Labels, LabelWriter } from "./labels.js";
import { branchColor, packColor, PALETTES } from "./palette.js";
import { Background, GLOW_REACH, PixelBuffer } from "./pixels.js";
import { nodesInDrawOrder } from "./scene.js";
import { coneOutline, drawCone, drawRing } from "./shapes.js";

/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {import("./labels.js").Box} Box */

/**
 * What the user has chosen. `inside` contains the marks of the selection (see answers/agreement.js); a change is only seen
 * if it is a new array.
 * @typedef {object} State
 * @property {number} selected
 * @property {number} second
 * @property {number} hovered
 * @property {Uint8Array | null} inside
 * @property {boolean} showCones
 * @property {boolean} showEdges
 * @property {boolean} showLabels
 * @property {"dark" | "light"} theme
 * @property {boolean} [moving] less detail, for speed; if left out, whether the camera has moved since the last frame
 */

const EDGES_AT_REST = 4000;
const EDGES_MOVING = 1000;
const LARGEST_RATIO = 2;
/** Width of the outline of a cone in CSS pixels. */
const OUTLINE = 1.25;

export class Renderer {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Scene} scene
   */
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this._context = context2d(canvas, false);
    /** To measure and draw the texts of labels; never shown. */
    this.context = context2d(canvas.ownerDocument.createElement("canvas"), true);
    this.buffer = new PixelBuffer();
    this.background = new Background();
    this.labelWriter = new LabelWriter(this.context);
    this.nodes = nodesInDrawOrder(scene);
    this.places = new Projection(this.nodes);
    this.dots = new DotStyles(this.nodes);
    this.edges = new Edges(this.nodes);
    this.labels = new Labels(this.nodes);
    this.raster = new DotRaster(1);
    this.pixelRatio = 1;
    this.width = 1;
    this.height = 1;
    this._version = -1;
    this._image = this._newImage();
  }

  /**
   * @param {number} width
   * @param {number} height in CSS pixels
   * @param {number} [devicePixelRatio] at most 2 is used: more cannot be seen and would cost time
   */
  resize(width, height, devicePixelRatio = 1) {
    const ratio = Math.min(LARGEST_RATIO, Math.max(0.5, devicePixelRatio || 1));
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    if (ratio !== this.raster.pixelRatio) this.raster = new DotRaster(ratio);
    this.pixelRatio = ratio;
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.max(1, Math.round(this.height * ratio));
    this._image = this._newImage();
  }

  /**
   * Draws a frame, with fewer edges and less dust while the camera moves.
   * @param {Camera} camera
   * @param {State} state
   * @returns {boolean} whether the same frame drawn again at rest would show more
   */
  draw(camera, state) {
    const palette = PALETTES[state.theme];
    const moving = state.moving ?? (camera.version !== this._version && this._version >= 0);
    this._version = camera.version;
    this.places.update(camera, this.pixelRatio);
    this.dots.update(state, palette);
    this._drawBackground(palette);
    if (state.showCones) this._drawCones(camera, palette, state);
    if (state.showEdges) this._drawEdges(palette, moving ? EDGES_MOVING : EDGES_AT_REST);
    this.raster.draw(this.buffer, this.places, this.dots, packColor(palette.disk), moving);
    this._drawRings(palette, state);
    this._drawLabels(palette, state);
    this._show();
    return moving;
  }

  /**
   * The row drawn at a pixel or within 10 pixels of it, preferably a general one; −1 if there is none.
   * @param {number} px
   * @param {number} py in CSS pixels
   */
  pick(px, py) {
    const rank = pickNode(this.places, this.raster.radii, px * this.pixelRatio, py * this.pixelRatio);
    return rank < 0 ? -1 : this.nodes.rowOf[rank];
  }

  /**
   * The boxes of the labels in the last frame, in CSS pixels.
   * @returns {(Box & {row: number, text: string})[]}
   */
  labelBoxes() {
    const { rowOf } = this.nodes;
    return this.labels.shown.map(({ rank, text, x, y, width, height }) => {
      return { row: rowOf[rank], text, x, y, width, height };
    });
  }

  _newImage() {
    const { width, height } = this.canvas;
    const image = this._context.createImageData(width, height);
    this.buffer.attach(new Int32Array(image.data.buffer), width, height);
    return image;
  }

  /** @param {Palette} palette */
  _drawBackground(palette) {
    const { originX, originY, radius } = this.places;
    const reach = radius + GLOW_REACH * this.pixelRatio;
    if (this.background.update(palette, this.pixelRatio)) this.buffer.invalidate();
    this.buffer.begin({ left: originX - reach, top: originY - reach, right: originX + reach, bottom: originY + reach });
    this.background.draw(this.buffer, this.places);
  }

  /**
   * @param {Palette} palette
   * @param {number} limit
   */
  _drawEdges(palette, limit) {
    this.edges.choose(this.places, this.dots, this.canvas.width, this.canvas.height, limit);
    this.edges.draw(this.buffer, this.places, this.dots, palette);
  }

  /**
   * @param {Camera} camera
   * @param {Palette} palette
   * @param {State} state
   */
  _drawCones(camera, palette, state) {
    const { K, x, y, branch, threshold, count } = this.scene;
    if (K === null) return;
    const how = { width: OUTLINE * this.pixelRatio, glow: GLOW_REACH * this.pixelRatio };
    /** @type {number | null} */
    let below = packColor(palette.disk);
    for (const row of [state.selected, state.second]) {
      if (!(row >= 0 && row < count)) continue;
      const outline = coneOutline(x[row], y[row], K, camera.isometry, threshold);
      const color = row === state.selected ? branchColor(palette, branch[row]) : palette.second;
      drawCone(this.buffer, this.places, outline, packColor(color), { ...how, below });
      below = null;
    }
  }

  /** Copies what has changed to the screen. */
  _show() {
    const { left, top, right, bottom } = this.buffer.changed;
    if (right > left && bottom > top) {
      this._context.putImageData(this._image, 0, 0, left, top, right - left, bottom - top);
    }
  }

  /**
   * @param {Palette} palette
   * @param {State} state
   */
  _drawRings(palette, { selected, second, hovered }) {
    this._ring(hovered, palette.text, 1.2);
    this._ring(second, palette.second, 2);
    this._ring(selected, palette.chosen, 2);
  }

  /**
   * @param {Palette} palette
   * @param {State} state
   */
  _drawLabels(palette, { selected, second, hovered, showLabels }) {
    const { context, places, width, height, buffer } = this;
    const rows = [...new Set([selected, second, hovered])].filter((row) => row >= 0 && row < this.scene.count);
    const first = rows.map((row) => this.nodes.rankOf[row]);
    const area = { context, places, radii: this.raster.radii, status: this.dots.status, width, height };
    this.labels.choose(area, first, showLabels);
    this.labelWriter.draw(buffer, this.labels.shown, palette, this.pixelRatio);
  }

  /**
   * @param {number} row
   * @param {string} color
   * @param {number} width
   */
  _ring(row, color, width) {
    if (!(row >= 0 && row < this.scene.count)) return;
    const { places, pixelRatio } = this;
    const rank = this.nodes.rankOf[row];
    const radius = Math.max(2 * pixelRatio, this.raster.radii[rank]) + 3 * pixelRatio;
    drawRing(this.buffer, places.x[rank], places.y[rank], radius, width * pixelRatio, packColor(color));
  }
}

/**
 * The context of a canvas in main memory, because its pixels are written or read in every frame.
 * @param {HTMLCanvasElement} canvas
 * @param {boolean} alpha
 * @returns {CanvasRenderingContext2D}
 */
function context2d(canvas, alpha) {
  const context = canvas.getContext("2d", { alpha, willReadFrequently: true });
  if (!context) throw new Error("this browser gives no 2-D canvas");
  return context;
}
