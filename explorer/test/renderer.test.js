import assert from "node:assert/strict";
import { test } from "node:test";

import { Camera } from "../src/camera.js";
import { Renderer } from "../src/renderer.js";
import { paperCanvas, pointScene, stateWith, treeScene } from "./engine.js";

/** @param {import("../src/renderer.js").Scene} scene */
function shown(scene, width = 800, height = 600, ratio = 1) {
  const { canvas, calls } = paperCanvas();
  const [renderer, camera] = [new Renderer(canvas, scene), new Camera()];
  renderer.resize(width, height, ratio);
  camera.resize(width, height);
  return { renderer, camera, calls, canvas };
}

/** How often a canvas method was called. @param {[string, ...any[]][]} calls @param {string} name */
function count(calls, name) {
  return calls.filter(([called]) => called === name).length;
}

test("every node that stands alone is picked where the camera shows it", () => {
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

test("before anything is drawn nothing is picked", () => {
  const { renderer } = shown(treeScene(3, 2));
  assert.equal(renderer.pick(400, 300), -1);
  assert.deepEqual(renderer.labelBoxes(), []);
});

test("the canvas has as many pixels as the screen, up to two a CSS pixel", () => {
  const { renderer, canvas } = shown(treeScene(3, 2), 800, 600, 2);
  assert.deepEqual([canvas.width, canvas.height], [1600, 1200]);
  renderer.resize(301.5, 200, 3);
  assert.deepEqual([canvas.width, canvas.height], [603, 400]);
  renderer.resize(0, 0, NaN);
  assert.deepEqual([canvas.width, canvas.height], [1, 1]);
});

test("any size, zoom and state is drawn without a complaint", () => {
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

test("an empty scene and a single node are scenes", () => {
  for (const scene of [pointScene([]), pointScene([[0, 0]])]) {
    const { renderer, camera } = shown(scene);
    renderer.draw(camera, stateWith());
    assert.equal(renderer.pick(400, 300), scene.count - 1);
  }
});

test("a cone is drawn for the chosen nodes, if cones are shown and the view has any", () => {
  const scene = treeScene(4, 3);
  const fills = (/** @type {Partial<import("../src/renderer.js").Scene>} */ more, /** @type {object} */ changes) => {
    const { renderer, camera, calls } = shown({ ...scene, ...more });
    renderer.draw(camera, stateWith(changes));
    return count(calls, "closePath");
  };
  assert.equal(fills({}, {}), 0);
  assert.equal(fills({}, { selected: 2 }), 1);
  assert.equal(fills({}, { selected: 2, second: 5 }), 2);
  assert.equal(fills({}, { selected: 2, showCones: false }), 0);
  assert.equal(fills({ K: null }, { selected: 2 }), 0);
  assert.equal(fills({}, { selected: 1e6 }), 0);
});

test("while the camera moves there are fewer edges, and the frame says that more could be shown", () => {
  const { renderer, camera, calls } = shown(treeScene(7, 4), 1600, 1600);
  assert.equal(renderer.draw(camera, stateWith()), false);
  const atRest = count(calls, "moveTo");
  camera.drag(800, 800, 801, 800);
  calls.length = 0;
  assert.equal(renderer.draw(camera, stateWith()), true);
  const moving = count(calls, "moveTo");
  calls.length = 0;
  assert.equal(renderer.draw(camera, stateWith()), false);
  assert.ok(moving < 0.6 * atRest && count(calls, "moveTo") > 0.9 * atRest, `${moving} of ${atRest}`);
  calls.length = 0;
  renderer.draw(camera, stateWith({ moving: true }));
  assert.equal(count(calls, "moveTo"), moving);
});

test("a choice changes the dots at once, and so does taking it back", () => {
  const scene = treeScene(4, 3);
  const { renderer, camera } = shown(scene);
  renderer.draw(camera, stateWith());
  const plain = renderer.raster.pixels.slice();
  renderer.draw(camera, stateWith({ selected: 1, inside: new Uint8Array(scene.count) }));
  assert.notDeepEqual(renderer.raster.pixels, plain);
  renderer.draw(camera, stateWith({ theme: "light" }));
  assert.notDeepEqual(renderer.raster.pixels, plain);
  renderer.draw(camera, stateWith());
  assert.deepEqual(renderer.raster.pixels, plain);
});
