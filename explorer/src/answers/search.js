// Finds nodes by name or label. Matches of the whole name come first, then names that begin with the text, then words
// that do, then any other match; if there is none, names that contain all its words in any order.
//
// All names and labels are lines of one string, those of the nodes with the most descendants first. Searching one string
// is much faster than many, and the first matches are the best of their kind, so a search can stop as soon as it has
// enough.

import { orderOf } from "./relations.js";

/** @typedef {{names: string[], labels: string[] | null}} Named */

const NEWLINE = 10;
// A text such as ".n." is in every name of WordNet; this many matches take a few milliseconds.
const MOST_MATCHES = 20_000;

export class Search {
  /** @param {Named} model @param {Float64Array} weight the number of nodes below each row */
  constructor({ names, labels }, weight) {
    // Among equal weights the shorter name comes first: a length is far below 1e4.
    this.order = orderOf(weight.map((below, row) => names[row].length - 1e4 * below));
    this.linesPerRow = labels ? 2 : 1;
    /** @type {string[]} */
    const lines = [];
    for (const row of this.order) {
      lines.push(names[row]);
      if (labels) lines.push(labels[row]);
    }
    this.text = `\n${normalize(lines.join("\n"))}\n`;
    this.starts = lineStarts(this.text);
  }

  /** The best matches, best first. @param {string} query @param {number} [limit] @returns {number[]} */
  find(query, limit = 50) {
    const wanted = normalize(query).trim();
    if (!wanted || wanted.includes("\n")) return [];
    /** @type {Set<number>} */
    const found = new Set();
    this.#collect(`\n${wanted}\n`, found, limit);
    this.#collect(`\n${wanted}`, found, limit);
    if (found.size < limit) this.#collectWithin(wanted, found, limit);
    if (!found.size) this.#collectWords(wanted.split(/\s+/u), found, limit);
    return [...found].slice(0, limit);
  }

  /**
   * Adds the rows with a line that begins with the text.
   * @param {string} needle
   * @param {Set<number>} found
   * @param {number} limit
   */
  #collect(needle, found, limit) {
    let line = 0;
    for (let at = this.text.indexOf(needle); at >= 0 && found.size < limit; at = this.text.indexOf(needle, at + 1)) {
      line = lineAt(this.starts, line, at + 1);
      found.add(this.#row(line));
    }
  }

  /**
   * Adds the rows in which a word begins with the text, and then those that contain it anywhere.
   * @param {string} needle
   * @param {Set<number>} found
   * @param {number} limit
   */
  #collectWithin(needle, found, limit) {
    /** @type {number[]} */
    const anywhere = [];
    let line = 0;
    let left = MOST_MATCHES;
    for (let at = this.text.indexOf(needle); at >= 0 && left-- > 0; at = this.text.indexOf(needle, at + 1)) {
      const isWord = !isLetter(this.text.charCodeAt(at - 1));
      if (!isWord && anywhere.length >= limit) continue;
      line = lineAt(this.starts, line, at);
      if (!isWord) anywhere.push(this.#row(line));
      else if (found.add(this.#row(line)).size >= limit) return;
    }
    for (const row of anywhere) found.add(row);
  }

  /**
   * Adds the rows that contain all words in any order, those in which each is the beginning of a word first.
   * @param {string[]} words
   * @param {Set<number>} found
   * @param {number} limit
   */
  #collectWords(words, found, limit) {
    if (words.length < 2) return;
    // The longest word is usually the rarest.
    const [rare, ...others] = [...new Set(words)].sort((one, other) => other.length - one.length);
    /** @type {number[]} */
    const anywhere = [];
    let line = 0;
    let left = MOST_MATCHES;
    for (let at = this.text.indexOf(rare); at >= 0 && left-- > 0; at = this.text.indexOf(rare, at)) {
      line = lineAt(this.starts, line, at);
      const place = Math.floor(line / this.linesPerRow);
      const end = this.starts[(place + 1) * this.linesPerRow] ?? this.text.length;
      const text = this.text.slice(this.starts[place * this.linesPerRow] - 1, end);
      at = end;
      if (!others.every((word) => text.includes(word))) continue;
      if (!words.every((word) => beginsWord(text, word))) anywhere.push(this.order[place]);
      else if (found.add(this.order[place]).size >= limit) return;
    }
    for (const row of anywhere.slice(0, limit)) found.add(row);
  }

  /** @param {number} line */
  #row(line) {
    return this.order[Math.floor(line / this.linesPerRow)];
  }
}

/** Lower case, with spaces for the underscores of names such as hot_dog. @param {string} text */
function normalize(text) {
  return text.toLowerCase().replaceAll("_", " ");
}

/** @param {string} text with a character before its first word @param {string} word */
function beginsWord(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isLetter(text.charCodeAt(at - 1))) return true;
  return false;
}

/** @param {number} code */
function isLetter(code) {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 192;
}

/** The offset of each line. @param {string} text */
function lineStarts(text) {
  const starts = [];
  for (let at = 0; at < text.length - 1; at++) if (text.charCodeAt(at) === NEWLINE) starts.push(at + 1);
  return Int32Array.from(starts);
}

/**
 * The line that contains an offset, searched from a line on: by doubling steps, then by bisection.
 * @param {Int32Array} starts
 * @param {number} line
 * @param {number} place
 */
function lineAt(starts, line, place) {
  let step = 1;
  while (line + step < starts.length && starts[line + step] <= place) step *= 2;
  let low = line + (step >> 1);
  let high = Math.min(line + step, starts.length);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= place) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The rows with exactly this name; if there is none, those with this label, and else with either regardless of case.
 * @param {Named} model @param {string} text @returns {number[]}
 */
export function rowsNamed({ names, labels }, text) {
  const row = names.indexOf(text);
  if (row >= 0) return [row];
  if (!text) return [];
  const exact = rowsWhere(names.length, (other) => labels?.[other] === text);
  if (exact.length) return exact;
  const wanted = text.toLowerCase();
  return rowsWhere(
    names.length,
    (other) => names[other].toLowerCase() === wanted || labels?.[other]?.toLowerCase() === wanted,
  );
}

/** @param {number} count @param {(row: number) => boolean} fits */
function rowsWhere(count, fits) {
  const rows = [];
  for (let row = 0; row < count; row++) if (fits(row)) rows.push(row);
  return rows;
}
