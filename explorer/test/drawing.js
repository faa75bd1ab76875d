/** What the tests of the drawing code share: scenes, a state, a buffer, and a canvas that records its calls. */

import { Camera } from "../src/disk/camera.js";
import { PixelBuffer } from "../src/disk/pixels.js";
import { Renderer } from "../src/disk/renderer.js";

/** @typedef {import("../src/disk/scene.js").Scene} Scene */
/** @typedef {import("../src/disk/renderer.js").State} State */

export const K = 0.1;

/**
 * Numbers from 0 to 1 that look random and are the same in every run.
 * @param {number} seed
 */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A tree whose nodes divide the rim below their parents; every level is one step nearer to it.
 * @param {number} fan children of a node
 * @param {number} levels
 * @returns {Scene}
 */
export function treeScene(fan, levels) {
  /** @type {{angle: number, width: number, depth: number, branch: number, parent: number}[]} */
  const nodes = [{ angle: 0, width: 2 * Math.PI, depth: 0, branch: -1, parent: -1 }];
  for (let at = 0; at < nodes.length; at++) {
    const { angle, width, depth, branch } = nodes[at];
    for (let child = 0; depth < levels && child < fan; child++) {
      const part = width / fan;
      const from = angle - width / 2 + (child + 0.5) * part;
      nodes.push({ angle: from, width: part, depth: depth + 1, branch: depth === 0 ? child % 12 : branch, parent: at });
    }
  }
  const weight = new Float64Array(nodes.length);
  for (let at = nodes.length - 1; at > 0; at--) weight[nodes[at].parent] += 1 + weight[at];
  const radius = nodes.map(({ depth }) => 1 - 0.88 * 0.6 ** depth);
  return {
    count: nodes.length,
    x: Float64Array.from(nodes, ({ angle }, row) => radius[row] * Math.cos(angle)),
    y: Float64Array.from(nodes, ({ angle }, row) => radius[row] * Math.sin(angle)),
    depth: Int32Array.from(nodes, ({ depth }) => depth),
    branch: Int32Array.from(nodes, ({ branch }) => branch),
    weight,
    edges: Int32Array.from(nodes.slice(1).flatMap(({ parent }, k) => [parent, k + 1])),
    K,
    label: (row) => `node ${row}`,
  };
}

/**
 * A scene of points without edges.
 * @param {[number, number][]} points
 * @param {Partial<Scene>} [more]
 * @returns {Scene}
 */
export function pointScene(points, more = {}) {
  return {
    count: points.length,
    x: Float64Array.from(points, ([x]) => x),
    y: Float64Array.from(points, ([, y]) => y),
    depth: new Int32Array(points.length),
    branch: new Int32Array(points.length),
    weight: new Float64Array(points.length),
    edges: new Int32Array(0),
    K,
    label: (row) => `point ${row}`,
    ...more,
  };
}

/**
 * @param {Partial<State>} [changes]
 * @returns {State}
 */
export function stateWith(changes = {}) {
  return {
    selected: -1,
    second: -1,
    hovered: -1,
    inside: null,
    showCones: true,
    showEdges: true,
    showLabels: true,
    theme: "dark",
    ...changes,
  };
}

/**
 * A canvas that draws nothing, but records the calls made on it; its text has 6 pixels per letter.
 * @returns {{canvas: HTMLCanvasElement, calls: [string, ...any[]][]}}
 */
function recordingCanvas() {
  /** @type {[string, ...any[]][]} */
  const calls = [];
  /** @param {string} name */
  const record =
    (name) =>
    (/** @type {any[]} */ ...values) =>
      void calls.push([name, ...values]);
  const make = () => {
    const context = new Proxy(
      {
        measureText: (/** @type {string} */ text) => (calls.push(["measureText", text]), { width: 6 * text.length }),
        createImageData: (/** @type {number} */ width, /** @type {number} */ height) => ({
          width,
          height,
          data: new Uint8ClampedArray(4 * width * height),
        }),
        // Whatever was drawn, the pixels are a transparent gray.
        getImageData: (/** @type {number[]} */ ...[, , width, height]) => ({
          data: new Uint8ClampedArray(4 * width * height).fill(128),
        }),
        get canvas() {
          return canvas;
        },
      },
      {
        get: (own, name) => Reflect.get(own, name) ?? record(String(name)),
        set: () => true,
      },
    );
    /** @type {any} */
    const canvas = { width: 300, height: 150, ownerDocument: { createElement: make }, getContext: () => context };
    return canvas;
  };
  return { canvas: /** @type {HTMLCanvasElement} */ (/** @type {unknown} */ (make())), calls };
}

/**
 * A buffer of black pixels, all of which may be drawn on.
 * @param {number} width
 * @param {number} height
 */
export function blankBuffer(width, height) {
  const buffer = new PixelBuffer();
  buffer.attach(new Int32Array(width * height), width, height);
  buffer.begin({ left: 0, top: 0, right: width, bottom: height });
  return buffer;
}

/**
 * Red, green and blue of a pixel.
 * @param {PixelBuffer} buffer
 * @param {number} x
 * @param {number} y
 */
export function pixelOf({ pixels, width }, x, y) {
  const value = pixels[Math.floor(y) * width + Math.floor(x)];
  return [value & 255, (value >> 8) & 255, (value >> 16) & 255];
}

/**
 * A renderer and a camera of the same size.
 * @param {Scene} scene
 * @param {number} width
 * @param {number} height
 * @param {number} [ratio]
 */
export function rendererOf(scene, width, height, ratio = 1) {
  const { canvas, calls } = recordingCanvas();
  const [renderer, camera] = [new Renderer(canvas, scene), new Camera()];
  renderer.resize(width, height, ratio);
  camera.resize(width, height);
  return { renderer, camera, calls, canvas };
}
