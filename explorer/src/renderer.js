/**
 * The picture, layer over layer: ground and rim, edges, cones, dots, rings, names.
 *
 * Dots are rasterised by hand on a canvas of their own, which is then laid over the rest.
 */

import { PALETTES, branchColour, packed } from "./colours.js";
import { coneOutline, drawCone } from "./cone.js";
import { Dots } from "./dots.js";
import { Edges } from "./edges.js";
import { drawGround } from "./ground.js";
import { Labels } from "./labels.js";
import { orderedNodes } from "./order.js";
import { pickNode } from "./pick.js";
import { Projection } from "./projection.js";
import { Raster } from "./raster.js";

/** @typedef {import("./camera.js").Camera} Camera */
/** @typedef {import("./colours.js").Palette} Palette */
/** @typedef {import("./arcs.js").Circle} Circle */
/** @typedef {import("./labels.js").Box} Box */

/**
 * What is drawn. `weight` is the number of nodes below in the graph. `threshold` widens the cones by an angle; give it
 * only if the view is the model's own. K is null where the view has no cones.
 * @typedef {object} Scene
 * @property {number} count
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Int32Array} depth
 * @property {Int32Array} branch
 * @property {Float64Array} weight
 * @property {Int32Array} edges parent, child, parent, child …
 * @property {number | null} K
 * @property {number} [threshold]
 * @property {(row: number) => string} label
 */

/**
 * What the user has chosen. `inside` is 0 outside the cone, 1 inside as the graph says, 2 inside against the graph,
 * 3 below in the graph but outside; give a new array, not the old one changed.
 * @typedef {object} State
 * @property {number} selected
 * @property {number} second
 * @property {number} hovered
 * @property {Uint8Array | null} inside
 * @property {boolean} showCones
 * @property {boolean} showEdges
 * @property {boolean} showLabels
 * @property {"dark" | "light"} theme
 * @property {boolean} [moving] fewer edges, for speed; by whether the camera moved since the last frame if left out
 */

const EDGES_AT_REST = 4000;
const EDGES_MOVING = 1500;
const LARGEST_RATIO = 2;

export class Renderer {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Scene} scene
   */
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.context = context2d(canvas);
    this._dotCanvas = canvas.ownerDocument.createElement("canvas");
    this._dotContext = context2d(this._dotCanvas, true);
    this.nodes = orderedNodes(scene);
    this.places = new Projection(this.nodes);
    this.dots = new Dots(this.nodes);
    this.edges = new Edges(this.nodes);
    this.labels = new Labels(this.nodes);
    this.raster = new Raster(1);
    this.pixelRatio = 1;
    this.width = 1;
    this.height = 1;
    this._version = -1;
    this._image = this._newImage();
  }

  /**
   * @param {number} width
   * @param {number} height in CSS pixels
   * @param {number} [devicePixelRatio] more than 2 is drawn as 2: the eye gains nothing, and a frame would cost more
   */
  resize(width, height, devicePixelRatio = 1) {
    const ratio = Math.min(LARGEST_RATIO, Math.max(0.5, devicePixelRatio || 1));
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    if (ratio !== this.raster.pixelRatio) this.raster = new Raster(ratio);
    this.pixelRatio = ratio;
    for (const canvas of [this.canvas, this._dotCanvas]) {
      canvas.width = Math.max(1, Math.round(this.width * ratio));
      canvas.height = Math.max(1, Math.round(this.height * ratio));
    }
    this._image = this._newImage();
  }

  /**
   * Draws a frame. While the camera moves there are fewer edges.
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
    const disk = { x: camera.originX, y: camera.originY, radius: camera.radius };
    this.context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
    drawGround(this.context, this.width, this.height, disk, palette);
    if (state.showEdges) this._drawEdges(disk, palette, moving ? EDGES_MOVING : EDGES_AT_REST);
    if (state.showCones) this._drawCones(camera, disk, palette, state);
    this._drawDots(palette);
    this._drawRings(palette, state);
    this._drawLabels(palette, state);
    return moving && state.showEdges;
  }

  /**
   * The node drawn at a pixel or within 10 pixels of it, rather a general one; -1 if there is none.
   * @param {number} px
   * @param {number} py in CSS pixels
   */
  pick(px, py) {
    const rank = pickNode(this.places, this.raster.radii, px * this.pixelRatio, py * this.pixelRatio);
    return rank < 0 ? -1 : this.nodes.rowOf[rank];
  }

  /**
   * The boxes of the names drawn last, in CSS pixels.
   * @returns {(Box & {row: number, text: string})[]}
   */
  labelBoxes() {
    const { rowOf } = this.nodes;
    return this.labels.shown.map(({ rank, text, x, y, width, height }) => {
      return { row: rowOf[rank], text, x, y, width, height };
    });
  }

  _newImage() {
    const { width, height } = this._dotCanvas;
    const image = this._dotContext.createImageData(width, height);
    this.raster.attach(new Int32Array(image.data.buffer), width, height);
    return image;
  }

  /**
   * @param {Circle} disk
   * @param {Palette} palette
   * @param {number} limit
   */
  _drawEdges(disk, palette, limit) {
    this.edges.choose(this.places, this.dots, this.canvas.width, this.canvas.height, limit);
    this.edges.draw(this.context, this.places, this.dots, disk, palette);
  }

  /**
   * @param {Camera} camera
   * @param {Circle} disk
   * @param {Palette} palette
   * @param {State} state
   */
  _drawCones(camera, disk, palette, state) {
    const { K, x, y, branch, threshold, count } = this.scene;
    if (K === null) return;
    for (const row of [state.selected, state.second]) {
      if (!(row >= 0 && row < count)) continue;
      const outline = coneOutline(x[row], y[row], K, camera.isometry, threshold);
      const colour = row === state.selected ? branchColour(palette, branch[row]) : palette.second;
      drawCone(this.context, disk, outline, colour, 0.14);
    }
  }

  /** @param {Palette} palette */
  _drawDots(palette) {
    const { raster } = this;
    raster.draw(this.places, this.dots, packed(palette.disk));
    const { left, top, right, bottom } = raster.changed;
    if (right <= left || bottom <= top) return;
    this._dotContext.putImageData(this._image, 0, 0, left, top, right - left, bottom - top);
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    const part = /** @type {const} */ ([left, top, right - left, bottom - top]);
    this.context.drawImage(this._dotCanvas, ...part, ...part);
    this.context.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, 0, 0);
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
    const { context, places, width, height } = this;
    const rows = [...new Set([selected, second, hovered])].filter((row) => row >= 0 && row < this.scene.count);
    const first = rows.map((row) => this.nodes.rankOf[row]);
    const room = { context, places, radii: this.raster.radii, status: this.dots.status, width, height };
    this.labels.choose(room, first, showLabels);
    this.labels.draw(context, palette);
  }

  /**
   * @param {number} row
   * @param {string} colour
   * @param {number} width
   */
  _ring(row, colour, width) {
    if (!(row >= 0 && row < this.scene.count)) return;
    const { context, places, pixelRatio } = this;
    const rank = this.nodes.rankOf[row];
    context.beginPath();
    const radius = Math.max(2, this.raster.radii[rank] / pixelRatio) + 3;
    context.arc(places.x[rank] / pixelRatio, places.y[rank] / pixelRatio, radius, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {boolean} [writtenByHand]
 * @returns {CanvasRenderingContext2D}
 */
function context2d(canvas, writtenByHand = false) {
  const context = canvas.getContext("2d", { alpha: writtenByHand, willReadFrequently: writtenByHand });
  if (!context) throw new Error("this browser gives no 2-D canvas");
  return context;
}
