import assert from "node:assert/strict";
import { test } from "node:test";

import { packColor, PALETTES } from "../src/disk/palette.js";
import { pointScene, rendererOf, stateWith, treeScene } from "./drawing.js";

/** @param {import("../src/disk/scene.js").Scene} scene */
function shown(scene, width = 800, height = 600, ratio = 1) {
  return rendererOf(scene, width, height, ratio);
}

/** How often a canvas method was called. @param {[string, ...any[]][]} calls @param {string} name */
function count(calls, name) {
  return calls.filter(([called]) => called === name).length;
}

test("every isolated node is picked where the camera shows it", () => {
  const scene = treeScene(4, 3);
  for (const ratio of [1, 2]) {
    const { renderer, camera } = shown(scene, 800, 600, ratio);
    camera.drag(400, 300, 450, 260);
    renderer.draw(camera, stateWith());
    for (let row = 0; row < scene.count; row++) {
      const { x, y } = camera.toScreen(scene.x[row], scene.y[row]);
      assert.equal(renderer.pick(x, y), row);
    }
  }
});

test("picking reaches ten pixels and prefers the more general of two", () => {
  const scene = pointScene([[0, 0], [0.02, 0]], { weight: Float64Array.of(500, 0) });
  const { renderer, camera } = shown(scene);
  renderer.draw(camera, stateWith());
  assert.equal(renderer.pick(400 - 9, 300), 0);
  assert.equal(renderer.pick(400 - 30, 300), -1);
  const between = (400 + camera.toScreen(0.02, 0).x) / 2;
  assert.equal(renderer.pick(between, 300), 0);
});

test("nothing is picked before the first frame", () => {
  const { renderer } = shown(treeScene(3, 2));
  assert.equal(renderer.pick(400, 300), -1);
  assert.deepEqual(renderer.labelBoxes(), []);
});

test("the canvas has the pixels of the screen, up to two per CSS pixel", () => {
  const { renderer, canvas } = shown(treeScene(3, 2), 800, 600, 2);
  assert.deepEqual([canvas.width, canvas.height], [1600, 1200]);
  renderer.resize(301.5, 200, 3);
  assert.deepEqual([canvas.width, canvas.height], [603, 400]);
  renderer.resize(0, 0, NaN);
  assert.deepEqual([canvas.width, canvas.height], [1, 1]);
});

test("any size, zoom and state is drawn without an error", () => {
  const scene = treeScene(5, 4);
  const inside = Uint8Array.from({ length: scene.count }, (_, row) => row % 4);
  for (const [width, height] of [[1, 1], [2, 900], [900, 2], [640, 480]]) {
    const { renderer, camera } = shown(scene, width, height, 1.25);
    for (const zoom of [0.6, 1, 20, 500]) {
      camera.restore({ cx: 0.7, cy: 0.1, turn: 2, zoom, panx: zoom, pany: 0 });
      renderer.draw(camera, stateWith({ selected: 3, second: 40, hovered: 7, inside, theme: "light" }));
      renderer.draw(camera, stateWith({ showCones: false, showEdges: false, showLabels: false }));
    }
  }
});

test("an empty scene and a single node are drawn", () => {
  for (const scene of [pointScene([]), pointScene([[0, 0]])]) {
    const { renderer, camera } = shown(scene);
    renderer.draw(camera, stateWith());
    assert.equal(renderer.pick(400, 300), scene.count - 1);
  }
});

test("cones of the selected nodes are drawn, if cones are shown and the view has any", () => {
  const scene = treeScene(4, 3);
  /** How many pixels cones change. */
  const veiled = (/** @type {Partial<import("../src/disk/scene.js").Scene>} */ more, /** @type {object} */ changes) => {
    const { renderer, camera } = shown({ ...scene, ...more });
    const plain = { showEdges: false, showLabels: false, ...changes };
    renderer.draw(camera, stateWith({ ...plain, showCones: false }));
    const before = renderer.buffer.pixels.slice();
    renderer.draw(camera, stateWith(plain));
    return renderer.buffer.pixels.reduce((count, pixel, at) => count + (pixel === before[at] ? 0 : 1), 0);
  };
  const one = veiled({}, { selected: 2 });
  assert.equal(veiled({}, {}), 0);
  assert.ok(one > 2000 && veiled({}, { selected: 2, second: 4 }) > one + 2000);
  assert.equal(veiled({}, { selected: 2, showCones: false }), 0);
  assert.equal(veiled({ K: null }, { selected: 2 }), 0);
  assert.equal(veiled({}, { selected: 1e6 }), 0);
});

test("a moving frame has fewer edges, and reports that more could be shown", () => {
  const { renderer, camera } = shown(treeScene(7, 4), 1600, 1600);
  assert.equal(renderer.draw(camera, stateWith()), false);
  const atRest = renderer.edges.chosenCount;
  camera.drag(800, 800, 801, 800);
  assert.equal(renderer.draw(camera, stateWith()), true);
  const moving = renderer.edges.chosenCount;
  assert.equal(renderer.draw(camera, stateWith()), false);
  assert.ok(moving < 0.6 * atRest && renderer.edges.chosenCount > 0.9 * atRest, `${moving} of ${atRest}`);
  renderer.draw(camera, stateWith({ moving: true }));
  assert.equal(renderer.edges.chosenCount, moving);
});

test("a frame is one image copied to the canvas, and nothing else is drawn there", () => {
  const { renderer, camera, calls } = shown(treeScene(5, 3));
  renderer.draw(camera, stateWith({ selected: 2 }));
  assert.deepEqual(calls.find(([name]) => name === "putImageData")?.slice(2), [0, 0, 0, 0, 800, 600]);
  calls.length = 0;
  camera.drag(400, 300, 400.2, 300);
  renderer.draw(camera, stateWith({ selected: 2 }));
  assert.equal(count(calls, "putImageData"), 1);
  assert.equal(count(calls, "stroke") + count(calls, "fill") + count(calls, "drawImage"), 0);
  const [, , , , left, , width] = calls.find(([name]) => name === "putImageData") ?? [];
  assert.ok(left > 50 && width < 700, "only where something has changed");
});

test("every pixel is opaque, and the disk, its rim and the background have their colors", () => {
  const { renderer, camera } = shown(pointScene([]), 400, 300);
  for (const theme of /** @type {const} */ (["dark", "light", "dark"])) {
    renderer.draw(camera, stateWith({ theme }));
    const { disk, background } = PALETTES[theme];
    const opaque = 255 << 24;
    assert.ok(renderer.buffer.pixels.every((pixel) => pixel >>> 24 === 255));
    const at = (/** @type {number} */ x) => renderer.buffer.pixels[150 * 400 + x];
    assert.deepEqual([at(200), at(5), at(395)], [packColor(disk), packColor(background), packColor(background)].map((c) => c | opaque));
    const rim = Math.floor(200 - camera.radius);
    assert.ok(new Set([at(rim), at(rim - 6), at(rim + 6), at(200), at(5)]).size === 5, "a rim and its glow");
  }
});

test("a new frame leaves nothing of the last one", () => {
  const state = stateWith({ selected: 5, second: 9, hovered: 30 });
  const { renderer, camera } = shown(treeScene(4, 4));
  renderer.draw(camera, state);
  camera.drag(200, 200, 260, 150);
  camera.zoomAt(100, 100, 1.7);
  renderer.draw(camera, state);
  camera.restore({ cx: 0, cy: 0, turn: 0, zoom: 0.7, panx: 0, pany: 0 });
  const last = stateWith({ showLabels: false, moving: false });
  renderer.draw(camera, last);
  const once = shown(treeScene(4, 4));
  once.camera.restore(camera.snapshot());
  once.renderer.draw(once.camera, last);
  assert.deepEqual(renderer.buffer.pixels, once.renderer.buffer.pixels);
});

test("a selection and its removal change the dots at once", () => {
  const scene = treeScene(4, 3);
  const { renderer, camera } = shown(scene);
  renderer.draw(camera, stateWith());
  const plain = renderer.buffer.pixels.slice();
  renderer.draw(camera, stateWith({ selected: 1, inside: new Uint8Array(scene.count) }));
  assert.notDeepEqual(renderer.buffer.pixels, plain);
  renderer.draw(camera, stateWith({ theme: "light" }));
  assert.notDeepEqual(renderer.buffer.pixels, plain);
  renderer.draw(camera, stateWith());
  assert.deepEqual(renderer.buffer.pixels, plain);
});
