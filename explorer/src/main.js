// The page: unpacks the model in it and puts the parts together.
import { Address } from "./address.js";
import { announce } from "./announce.js";
import { App } from "./app.js";
import { PageError, unpack } from "./container.js";
import { byId } from "./dom.js";
import { exposeConsole } from "./door.js";
import { makeHelp } from "./help.js";
import { PointerInput } from "./input.js";
import { listenToKeys } from "./keyboard.js";
import { showCaption, showFacts } from "./about.js";
import { trackSize } from "./layout.js";
import { makeModel } from "./model.js";
import { notice } from "./notice.js";
import { showPanel } from "./panel.js";
import { SearchBox } from "./searchbox.js";
import { applyTheme, preferredTheme, whenPreferenceChanges } from "./theme.js";
import { showTips } from "./tip.js";
import { makeTools } from "./tools.js";

async function start() {
  const data = document.getElementById("hypercone-data");
  const text = data?.textContent ?? "";
  // Megabytes of text that nobody needs any more.
  data?.remove();
  const model = makeModel(await unpack(text));
  const canvas = /** @type {HTMLCanvasElement} */ (byId("disk"));
  const app = new App(model, canvas);
  notice("");
  showFacts(model);
  showCaption(model);
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
    if (change === "selected" || change === "second" || change === "theme") showPanel(app, compare);
    if (change === "selected") notice("");
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
  // The first key should find it ready.
  setTimeout(() => app.search, 500);
}

/** @param {unknown} error */
function failed(error) {
  notice(error instanceof PageError ? error.message : `The page could not be drawn: ${error}`);
  byId("notice").classList.replace("transient", "failed");
}

applyTheme(preferredTheme());
const starting = start();
starting.catch(failed);
exposeConsole(starting);
