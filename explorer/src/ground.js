/** What everything lies on: the ground, the disk, and its rim with a soft glow. */

/** @typedef {import("./colours.js").Palette} Palette */
/** @typedef {import("./arcs.js").Circle} Circle */

/** Wide faint strokes over one another are a glow, in a fraction of the time of a blur; width and opacity of each. */
const GLOW = [
  [22, 0.03],
  [14, 0.04],
  [8, 0.06],
  [4, 0.1],
];

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} width
 * @param {number} height
 * @param {Circle} disk
 * @param {Palette} palette
 */
export function drawGround(context, width, height, { x, y, radius }, palette) {
  context.globalAlpha = 1;
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, width, height);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = palette.disk;
  context.fill();
  for (const [wide, alpha] of GLOW) strokeRim(context, palette.glow, wide, alpha);
  strokeRim(context, palette.rim, 1.2, 0.9);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @param {number} width
 * @param {number} alpha
 */
function strokeRim(context, colour, width, alpha) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.globalAlpha = alpha;
  context.stroke();
  context.globalAlpha = 1;
}
