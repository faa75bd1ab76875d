// When to draw: only while something moves or has changed. A page at rest asks for no frames at all.

const KEPT = 240;

export class FrameLoop {
  /** @param {(now: number) => boolean} draw draws, and says whether it has to go on */
  constructor(draw) {
    this.draw = draw;
    this.isWaiting = false;
    this.last = NaN;
    /** @type {number[]} Milliseconds between frames that followed each other. */
    this.between = [];
    /** @type {number[]} Milliseconds spent drawing. */
    this.spent = [];
  }

  /** Draw in the next frame, however often this is said before it. */
  request() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame((now) => this.#frame(now));
  }

  /** @param {number} now */
  #frame(now) {
    this.isWaiting = false;
    const begin = performance.now();
    const goesOn = this.draw(now);
    keep(this.spent, performance.now() - begin);
    // A pause between two frames is rest, not slowness.
    if (now - this.last < 250) keep(this.between, now - this.last);
    this.last = now;
    if (goesOn) this.request();
  }
}

/** @param {number[]} values @param {number} value */
function keep(values, value) {
  values.push(value);
  if (values.length > KEPT) values.shift();
}
