// The size of the canvas: it lies under the whole page, but the disk keeps to what the panel leaves free.
import { byId } from "./dom.js";

const NARROW = "(max-width: 760px) and (min-height: 501px)";
const LOW = "(max-height: 500px)";
// What lies over the disk; no name is written under it.
const OVER = ["title", "facts", "query", "caption", "tools", "panel"];

/** @param {import("./app.js").App} app @param {HTMLCanvasElement} canvas */
export function trackSize(app, canvas) {
  const [stage, panel, handle, top, foot] = ["stage", "panel", "handle", "top", "foot"].map((id) => byId(id));
  const [narrow, low] = [matchMedia(NARROW), matchMedia(LOW)];
  const measure = () => {
    // On a small window the disk lies between what stands above and below it, and beside the panel unless it is narrow.
    const isSmall = narrow.matches || low.matches;
    stage.style.top = isSmall ? `${top.getBoundingClientRect().bottom}px` : "";
    stage.style.bottom = isSmall ? `${window.innerHeight - foot.getBoundingClientRect().top}px` : "";
    const { width, height, right } = stage.getBoundingClientRect();
    const covered = narrow.matches ? 0 : Math.max(0, right - panel.getBoundingClientRect().left);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    app.renderer.labels.reserved = OVER.map((id) => placeOn(stage, byId(id)));
    app.resize(width, height, Math.min(covered, width / 2));
  };
  handle.addEventListener("click", () => {
    const isOpen = !panel.classList.toggle("folded");
    handle.setAttribute("aria-expanded", String(isOpen));
    measure();
  });
  const observer = new ResizeObserver(measure);
  for (const element of [document.documentElement, top, foot]) observer.observe(element);
  measure();
}

/** Where an element lies on the stage. @param {HTMLElement} stage @param {HTMLElement} element */
function placeOn(stage, element) {
  const [under, over] = [stage.getBoundingClientRect(), element.getBoundingClientRect()];
  return { x: over.x - under.x, y: over.y - under.y, width: over.width, height: over.height };
}
