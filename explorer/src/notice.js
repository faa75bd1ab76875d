// A sentence over the disk that is in nobody's way and goes with the next selection.
import { byId } from "./dom.js";

/** @param {string} words none with an empty text */
export function notice(words) {
  const element = byId("notice");
  element.hidden = !words;
  element.classList.toggle("transient", words !== "");
  element.textContent = words;
}
