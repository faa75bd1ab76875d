import assert from "node:assert/strict";
import { test } from "node:test";
import { makeEnergy } from "../src/answers/energy.js";
import { ANSWERS, modelOf, nameOf } from "./fixtures.js";

for (const answers of ANSWERS) {
  test(`the energies of ${nameOf(answers)} are those of Python`, () => {
    const energy = makeEnergy(modelOf(answers));
    answers.signed.forEach((expected, i) => {
      const found = energy.signed(Math.floor(i / answers.count), i % answers.count);
      // Every pair is within what the formula itself says its last digits can be off by.
      assert.ok(Math.abs(found - expected) <= energy.doubt(), `pair ${i}: ${found} is not ${expected}`);
      assert.ok(energy.doubt() <= 1e-14 * Math.max(1, Math.abs(expected)), `pair ${i}: the doubt is ${energy.doubt()}`);
    });
  });
}

test("a point lies in its own cone and in that of another node at its place", () => {
  const energy = makeEnergy(modelOf({ points: [-0.3, -0.4, -0.3, -0.4, 0.3, 0.4] }));
  assert.equal(energy.signed(0, 0), -energy.aperture(0));
  assert.equal(energy.signed(0, 1), -energy.aperture(0));
  assert.ok(energy.signed(0, 2) > 0);
});

test("only methods with cones have an aperture", () => {
  const points = [0.3, 0.4, 0.6, 0.8];
  for (const method of ["hyperbolic-cones", "euclidean-cones", "order", "poincare", "euclidean"]) {
    const energy = makeEnergy(modelOf({ method, points }));
    assert.equal(energy.hasCones, method.endsWith("cones"));
    assert.equal(Number.isFinite(energy.aperture(0)), energy.hasCones);
  }
});

test("a method that does not exist is refused", () => {
  assert.throws(() => makeEnergy(modelOf({ method: "spheres", points: [0, 0] })), /no method spheres/);
});
