// The small card beside the pointer: name, label, depth, aperture.
import { byId, make } from "./dom.js";
import { displayName } from "./model.js";
import { count, degrees } from "./words.js";

const APART = 14;

/** @param {import("./app.js").App} app @param {HTMLCanvasElement} canvas */
export function showTips(app, canvas) {
  const tip = byId("tip");
  let shown = -1;
  /** @type {{x: number, y: number} | null} Where on the canvas a pointer hovers. */
  let pointer = null;
  const place = () => {
    const row = pointer ? app.state.hovered : -1;
    tip.hidden = row < 0;
    canvas.classList.toggle("hovering", row >= 0);
    if (row < 0 || !pointer) return;
    if (row !== shown) tip.replaceChildren(...lines(app, row));
    shown = row;
    const { x, y } = pointer;
    const left = x + APART + tip.offsetWidth > app.camera.width ? x - APART - tip.offsetWidth : x + APART;
    const top = y + APART + tip.offsetHeight > app.camera.height ? y - APART - tip.offsetHeight : y + APART;
    tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
  };
  const leave = () => {
    pointer = null;
    place();
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    pointer = event.buttons ? null : { x: event.clientX - box.left, y: event.clientY - box.top };
    place();
  });
  canvas.addEventListener("pointerdown", leave);
  canvas.addEventListener("pointerleave", leave);
  // Who goes on by keyboard does not mean what comes to lie under a mouse at rest.
  document.addEventListener("keydown", leave);
  app.listeners.push((change) => {
    if (change === "moving") tip.hidden = true;
    if (change !== "moved" || !pointer) return;
    app.hover(app.renderer.pick(pointer.x, pointer.y));
    place();
  });
}

/** @param {import("./app.js").App} app @param {number} row */
function lines({ model, relations }, row) {
  const facts = [];
  const title = displayName(model, row);
  if (title !== model.names[row]) facts.push(model.names[row]);
  if (model.graph) facts.push(`depth ${count(model.depth[row])}`);
  if (relations.energy.hasCones) facts.push(`half aperture ${degrees(relations.energy.aperture(row))}`);
  return [make("strong", {}, title), make("span", {}, facts.join(" · "))];
}
