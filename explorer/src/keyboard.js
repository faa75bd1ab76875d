// Everything by keyboard: walking the hierarchy, moving the view, reaching the search.
import { neighbors } from "./graph.js";

/** @typedef {import("./app.js").App} App */

const STEP = 60;
const ZOOM = 1.25;

/** Where the arrow keys go from a row; −1 where there is nobody. @param {App} app @param {string} key */
export function nodeInDirection(app, key) {
  const row = app.state.selected;
  if (row < 0) return app.roots()[0] ?? -1;
  if (key === "ArrowUp") return app.pathUp(row)[1] ?? -1;
  if (key === "ArrowDown") return heaviest(app, childrenOf(app, row));
  return sibling(app, row, key === "ArrowRight" ? 1 : -1);
}

/** @param {App} app @param {number} row @returns {ArrayLike<number>} */
function childrenOf(app, row) {
  return app.model.graph ? neighbors(app.model.graph.children, row) : app.relations.children(row).rows;
}

/** @param {App} app @param {ArrayLike<number>} rows */
function heaviest({ scene }, rows) {
  let best = -1;
  for (let i = 0; i < rows.length; i++) if (best < 0 || scene.weight[rows[i]] > scene.weight[best]) best = rows[i];
  return best;
}

/**
 * The next child of the same parent, counterclockwise as the view was made, and round again.
 * @param {App} app
 * @param {number} row
 * @param {1 | -1} step
 */
function sibling(app, row, step) {
  const parent = app.pathUp(row)[1];
  const { x, y } = app.scene;
  const family = Array.from(parent === undefined ? app.roots() : childrenOf(app, parent));
  if (!family.includes(row)) family.push(row);
  family.sort((one, other) => Math.atan2(y[one], x[one]) - Math.atan2(y[other], x[other]) || one - other);
  return family[(family.indexOf(row) + step + family.length) % family.length];
}

/** @param {App} app @param {{help: () => void, find: () => void, compare: () => void}} actions */
export function listenToKeys(app, actions) {
  const canvas = app.canvas;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (handleGlobalKey(app, actions, event.key) || (event.target === canvas && handleDiskKey(app, event)))
      event.preventDefault();
  });
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof HTMLInputElement || (target instanceof HTMLElement && !!target.closest("dialog"));
}

/**
 * Keys that mean the same on the whole page.
 * @param {App} app
 * @param {{help: () => void, find: () => void, compare: () => void}} actions
 * @param {string} key
 */
function handleGlobalKey(app, actions, key) {
  const { width, height } = app.camera;
  /** @type {Record<string, () => void>} */
  const keys = {
    "/": actions.find,
    "?": actions.help,
    e: actions.compare,
    Escape: () => app.clear(),
    "+": () => app.zoom(width / 2, height / 2, ZOOM),
    "=": () => app.zoom(width / 2, height / 2, ZOOM),
    "-": () => app.zoom(width / 2, height / 2, 1 / ZOOM),
    0: () => app.goHome(),
    c: () => app.show("showCones"),
    g: () => app.show("showEdges"),
    l: () => app.show("showLabels"),
  };
  if (!Object.hasOwn(keys, key)) return false;
  keys[key]();
  return true;
}

/** @param {App} app @param {KeyboardEvent} event */
function handleDiskKey(app, event) {
  const { key } = event;
  if (key === "Enter" && app.state.selected >= 0) app.fly(app.state.selected);
  else if (key === "Home") app.goHome();
  else if (!key.startsWith("Arrow")) return false;
  else if (event.shiftKey) pan(app, key);
  else walk(app, key);
  return true;
}

/** @param {App} app @param {string} key */
function walk(app, key) {
  const row = nodeInDirection(app, key);
  if (row >= 0) app.goTo(row);
}

/** @param {App} app @param {string} key */
function pan(app, key) {
  const { camera } = app;
  const x = key === "ArrowLeft" ? STEP : key === "ArrowRight" ? -STEP : 0;
  const y = key === "ArrowUp" ? STEP : key === "ArrowDown" ? -STEP : 0;
  camera.drag(camera.originX, camera.originY, camera.originX + x, camera.originY + y);
  app.frames.request();
}
