// The pointer on the disk: drag, wheel, pinch, click, double click, hover.

/**
 * @typedef {import("./app.js").App} App
 * @typedef {{x: number, y: number}} Spot in CSS pixels of the canvas
 */

// A hand trembles by a few pixels while it clicks.
const STILL = 4;
// The canvas pixel that one notch of a wheel in lines or pages stands for.
const LINE = 33;

export class PointerInput {
  /** @param {App} app @param {HTMLCanvasElement} canvas */
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    /** @type {Map<number, Spot>} The fingers, or the mouse while its button is down. */
    this.down = new Map();
    this.traveled = 0;
    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#lift(event));
    canvas.addEventListener("pointercancel", (event) => this.#lift(event));
    canvas.addEventListener("pointerleave", () => this.#leave());
    canvas.addEventListener("dblclick", (event) => this.#center(event));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** @param {MouseEvent} event @returns {Spot} */
  #spot(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    if (!this.down.size) this.traveled = 0;
    this.down.set(event.pointerId, this.#spot(event));
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const to = this.#spot(event);
    const from = this.down.get(event.pointerId);
    if (!from) return this.app.hover(this.app.renderer.pick(to.x, to.y));
    this.traveled += Math.hypot(to.x - from.x, to.y - from.y);
    // Until it is a drag the first spot stays, so that the point under the finger does not slip away from it.
    if (this.traveled <= STILL && this.down.size === 1) return;
    if (this.down.size === 2) this.#pinch(event.pointerId, from, to);
    else if (this.down.size === 1) this.app.camera.drag(from.x, from.y, to.x, to.y);
    this.down.set(event.pointerId, to);
    this.#hold(true);
  }

  /** Two fingers zoom about their middle and carry it along. @param {number} id @param {Spot} from @param {Spot} to */
  #pinch(id, from, to) {
    const other = [...this.down].find(([known]) => known !== id)?.[1];
    if (!other) return;
    const before = Math.hypot(from.x - other.x, from.y - other.y);
    const after = Math.hypot(to.x - other.x, to.y - other.y);
    const [fromX, fromY] = [(from.x + other.x) / 2, (from.y + other.y) / 2];
    const [toX, toY] = [(to.x + other.x) / 2, (to.y + other.y) / 2];
    this.app.camera.drag(fromX, fromY, toX, toY);
    if (before > 0 && after > 0) this.app.camera.zoomAt(toX, toY, after / before);
  }

  /** @param {PointerEvent} event */
  #lift(event) {
    if (!this.down.delete(event.pointerId)) return;
    if (this.down.size) return;
    this.#hold(false);
    if (event.type === "pointerup" && this.traveled <= STILL) this.#click(event);
  }

  #leave() {
    if (!this.down.size) this.app.hover(-1);
  }

  /** @param {PointerEvent} event */
  #click(event) {
    const { x, y } = this.#spot(event);
    const row = this.app.renderer.pick(x, y);
    if (row < 0) return;
    if (event.shiftKey) this.app.second(row);
    else this.app.select(row);
  }

  /** @param {MouseEvent} event */
  #center(event) {
    const { x, y } = this.#spot(event);
    const { app } = this;
    const row = app.renderer.pick(x, y);
    if (row >= 0) return app.fly(row);
    const spot = app.camera.toDisk(x, y);
    if (Math.hypot(spot.x, spot.y) >= 0.999) return;
    const point = app.camera.isometry.preimage(spot.x, spot.y);
    app.flyToPoint(point.x, point.y);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { x, y } = this.#spot(event);
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    // A pinch on a touchpad arrives as a wheel with Ctrl, in much smaller steps.
    const speed = event.ctrlKey ? 0.01 : 0.0015;
    this.app.zoom(x, y, Math.exp(-speed * Math.max(-400, Math.min(400, pixels))));
  }

  /** @param {boolean} isHeld */
  #hold(isHeld) {
    this.canvas.classList.toggle("dragging", isHeld);
    this.app.frames.request();
  }
}
