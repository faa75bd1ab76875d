// What tests, and the curious at the console, drive the page by: window.hypercone.

/** @typedef {import("./app.js").App} App */

/** @param {Promise<App>} starting */
export function exposeConsole(starting) {
  /** @type {Record<string, unknown>} */
  const api = {};
  api.ready = starting.then((app) => {
    Object.assign(api, verbs(app));
    return true;
  });
  Object.assign(window, { hypercone: api });
}

/** @param {App} app */
function verbs(app) {
  return {
    model: app.model,
    camera: app.camera,
    renderer: app.renderer,
    state: app.state,
    select: (/** @type {number} */ row) => app.select(row),
    second: (/** @type {number} */ row) => app.second(row),
    goTo: (/** @type {number} */ row) => app.goTo(row),
    search: (/** @type {string} */ text) => app.search.find(text),
    highlighted: () => app.selection?.inside ?? [],
    explanation: () => app.explanation,
    frameTimes: () => [...app.frames.between],
    drawTimes: () => [...app.frames.spent],
  };
}
