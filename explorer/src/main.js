// The entry point: unpacks the model in the page, connects the parts, and offers window.hypercone.

import { rowsNamed } from "./answers/lookup.js";
import { makeModel, PageError, unpack } from "./model/model.js";
import { Address } from "./page/address.js";
import { App } from "./page/app.js";
import { byId } from "./page/elements.js";
import { listenToKeys, PointerInput, showTips } from "./page/input.js";
import {
  announce,
  applyTheme,
  preferredTheme,
  showModel,
  showNotice,
  trackSize,
  whenPreferenceChanges,
} from "./page/layout.js";
import { showPanel } from "./page/panel.js";
import { SearchBox } from "./page/search-box.js";
import { makeHelp, makeTools } from "./page/toolbar.js";

async function start() {
  const data = document.getElementById("hypercone-data");
  const text = data?.textContent ?? "";
  // Megabytes of text that are not needed again.
  data?.remove();
  const model = makeModel(await unpack(text));
  const canvas = /** @type {HTMLCanvasElement} */ (byId("disk"));
  const app = new App(model, canvas);
  showNotice("");
  showModel(model);
  connect(app, canvas);
  return app;
}

/** @param {App} app @param {HTMLCanvasElement} canvas */
function connect(app, canvas) {
  const box = new SearchBox(app);
  const help = makeHelp();
  const address = new Address(app, chooseTheme);
  const compare = () => box.compare();
  /** @param {"dark" | "light"} theme */
  function chooseTheme(theme) {
    address.theme = theme;
    app.setTheme(theme);
  }
  app.listeners.push((change) => {
    if (change === "theme") applyTheme(app.state.theme);
    if (change === "selected" || change === "second" || change === "by" || change === "theme") showPanel(app, compare);
    if (change === "selected") showNotice("");
    announce(app, change);
  });
  new PointerInput(app, canvas);
  showTips(app, canvas);
  listenToKeys(app, { help, find: () => box.open(), compare });
  makeTools(app, { help, theme: chooseTheme });
  app.setTheme(preferredTheme());
  whenPreferenceChanges((theme) => address.theme === undefined && app.setTheme(theme));
  trackSize(app, canvas);
  address.start();
  // Builds the search index after the first frame but before the first key.
  setTimeout(() => app.search, 500);
}

/** @param {unknown} error */
function showFailure(error) {
  showNotice(error instanceof PageError ? error.message : `The page could not be drawn: ${error}`);
  byId("notice").classList.replace("transient", "failed");
}

/** Offers the page to tests, benchmarks and the console as window.hypercone. @param {Promise<App>} starting */
function exposeConsole(starting) {
  /** @type {Record<string, unknown>} */
  const api = {};
  api.ready = starting.then((app) => {
    Object.assign(api, consoleApi(app));
    return true;
  });
  Object.assign(window, { hypercone: api });
}

/** @param {App} app */
function consoleApi(app) {
  return {
    model: app.model,
    camera: app.camera,
    renderer: app.renderer,
    state: app.state,
    select: (/** @type {number} */ row) => app.select(row),
    second: (/** @type {number} */ row) => app.second(row),
    goTo: (/** @type {number} */ row) => app.goTo(row),
    search: (/** @type {string} */ text) => app.search.find(text),
    rowsNamed: (/** @type {string} */ text) => rowsNamed(app.model, text),
    highlighted: () => app.selection?.found ?? [],
    ask: (/** @type {"graph" | "geometry"} */ by) => app.ask(by),
    parents: (/** @type {number} */ row) => app.answers.parents(row),
    children: (/** @type {number} */ row) => app.answers.children(row).rows,
    siblings: (/** @type {number} */ row) => app.answers.siblings(row).rows,
    ancestors: (/** @type {number} */ row) => app.answers.above(row),
    descendants: (/** @type {number} */ row) => app.answers.listOf(row, app.answers.below(row)),
    explanation: () => app.explanation,
    frameTimes: () => [...app.frames.intervals],
    drawTimes: () => [...app.frames.drawTimes],
  };
}

applyTheme(preferredTheme());
const starting = start();
starting.catch(showFailure);
exposeConsole(starting);
