import assert from "node:assert/strict";
import { test } from "node:test";
import { Camera } from "../src/disk/camera.js";
import { seesAnyNode } from "../src/disk/camera.js";

const scene = { count: 2, x: [0, 0.1], y: [0, 0.2] };

function cameraAt(/** @type {Partial<import("../src/disk/camera.js").Snapshot>} */ place) {
  const camera = new Camera();
  camera.resize(600, 400);
  camera.restore({ cx: 0, cy: 0, turn: 0, zoom: 1, panx: 0, pany: 0, ...place });
  return camera;
}

test("nodes in the middle are seen, and nodes that lie in the crowd at the rim are not", () => {
  assert.equal(seesAnyNode(scene, cameraAt({})), true);
  assert.equal(seesAnyNode(scene, cameraAt({ cx: -0.9 })), true);
  assert.equal(seesAnyNode(scene, cameraAt({ cx: -0.999999 })), false);
});

test("nodes beyond the edge of the window are not seen", () => {
  assert.equal(seesAnyNode(scene, cameraAt({ zoom: 40, panx: 30 })), false);
});
