// The small card beside the pointer: name, label, depth, aperture.
import { byId, make } from "./dom.js";
import { called } from "./model.js";
import { count, degrees } from "./words.js";

const APART = 14;

/** @param {import("./app.js").App} app @param {HTMLCanvasElement} canvas */
export function showTips(app, canvas) {
  const tip = byId("tip");
  let shown = -1;
  const place = (/** @type {PointerEvent} */ event) => {
    const row = event.buttons ? -1 : app.state.hovered;
    tip.hidden = row < 0;
    canvas.classList.toggle("over", row >= 0);
    if (row < 0) return;
    if (row !== shown) tip.replaceChildren(...lines(app, row));
    shown = row;
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const left = x + APART + tip.offsetWidth > app.camera.width ? x - APART - tip.offsetWidth : x + APART;
    const top = y + APART + tip.offsetHeight > box.height ? y - APART - tip.offsetHeight : y + APART;
    tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
  };
  canvas.addEventListener("pointermove", place);
  canvas.addEventListener("pointerdown", () => (tip.hidden = true));
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
}

/** @param {import("./app.js").App} app @param {number} row */
function lines({ model, relations }, row) {
  const facts = [];
  const title = called(model, row);
  if (title !== model.names[row]) facts.push(model.names[row]);
  if (model.graph) facts.push(`depth ${count(model.depth[row])}`);
  if (relations.energy.hasCones) facts.push(`half aperture ${degrees(relations.energy.aperture(row))}`);
  return [make("strong", {}, title), make("span", {}, facts.join(" · "))];
}
