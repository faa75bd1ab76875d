// A model in the shape the renderer draws.
import { weights } from "./graph.js";
import { displayName } from "./model.js";

/** @param {import("./model.js").Model} model @param {import("./relations.js").Relations} relations */
export function makeScene(model, relations) {
  const { count, viewPoints } = model;
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    x[row] = viewPoints[2 * row];
    y[row] = viewPoints[2 * row + 1];
  }
  return {
    count,
    x,
    y,
    depth: model.depth,
    branch: model.branch,
    weight: model.graph ? weights(model.graph) : weightByRank(relations),
    edges: model.edges,
    children: model.graph?.children ?? { offsets: new Int32Array(count + 1), rows: new Int32Array(0) },
    K: model.view.K,
    // A stand-in for the model has cones of its own, which the model's threshold does not widen.
    threshold: model.view.kind === "own" && relations.energy.hasCones ? model.threshold : undefined,
    label: (/** @type {number} */ row) => displayName(model, row),
  };
}

/** Without edges the more general node is the more important. @param {import("./relations.js").Relations} relations */
function weightByRank({ rank }) {
  return Float64Array.from(rank, (place) => rank.length - 1 - place);
}
