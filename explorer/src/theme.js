// Dark or light: as the system prefers, until someone chooses. The page takes its colors from the disk's palette.
import { PALETTES } from "./colors.js";

/** @typedef {"dark" | "light"} Theme */

const darkness = () => matchMedia("(prefers-color-scheme: dark)");

/** @returns {Theme} */
export function preferredTheme() {
  return darkness().matches ? "dark" : "light";
}

/** @param {(theme: Theme) => void} listener */
export function whenPreferenceChanges(listener) {
  darkness().addEventListener("change", () => listener(preferredTheme()));
}

/** @param {Theme} theme */
export function applyTheme(theme) {
  const { dataset, style } = document.documentElement;
  const palette = PALETTES[theme];
  dataset.theme = theme;
  for (const name of /** @type {const} */ (["background", "text", "unexpected", "missing", "chosen", "second"])) {
    style.setProperty(`--${name}`, palette[name]);
  }
}
