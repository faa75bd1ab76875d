// Finding nodes by name or label as a person types: the text itself, what begins with it, words that do, any place;
// and where that finds nothing, all the words in any order.
//
// All names and labels are lines of one text, those of the nodes with most below them first. Searching one text is much
// faster than many, and whatever is found first is the best of its kind, so a search can end as soon as it has enough.

import { orderOf } from "./sorting.js";

/** @typedef {{names: string[], labels: string[] | null}} Named */

const NEWLINE = 10;
// A text such as ".n." is in every name of a WordNet; so many finds take a few milliseconds.
const PATIENCE = 20_000;

export class Search {
  /** @param {Named} model @param {Float64Array} weight how much lies below each row */
  constructor({ names, labels }, weight) {
    // Of two with as much below them the shorter name comes first: a length is far less than a node.
    this.order = orderOf(weight.map((heavy, row) => names[row].length - 1e4 * heavy));
    this.linesPerRow = labels ? 2 : 1;
    /** @type {string[]} */
    const lines = [];
    for (const row of this.order) {
      lines.push(names[row]);
      if (labels) lines.push(labels[row]);
    }
    this.text = `\n${plain(lines.join("\n"))}\n`;
    this.starts = lineStarts(this.text);
  }

  /** The best finds, best first. @param {string} query @param {number} [limit] @returns {number[]} */
  find(query, limit = 50) {
    const wanted = plain(query).trim();
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
   * Add the rows with a line that begins like this.
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
   * Add the rows where a word begins with the text, and then those that hold it anywhere.
   * @param {string} needle
   * @param {Set<number>} found
   * @param {number} limit
   */
  #collectWithin(needle, found, limit) {
    /** @type {number[]} */
    const anywhere = [];
    let line = 0;
    let patience = PATIENCE;
    for (let at = this.text.indexOf(needle); at >= 0 && patience-- > 0; at = this.text.indexOf(needle, at + 1)) {
      const isWord = !isLetter(this.text.charCodeAt(at - 1));
      if (!isWord && anywhere.length >= limit) continue;
      line = lineAt(this.starts, line, at);
      if (!isWord) anywhere.push(this.#row(line));
      else if (found.add(this.#row(line)).size >= limit) return;
    }
    for (const row of anywhere) found.add(row);
  }

  /**
   * Add the rows that hold all words in any order: first those where every word of the text begins one of theirs.
   * @param {string[]} words
   * @param {Set<number>} found
   * @param {number} limit
   */
  #collectWords(words, found, limit) {
    if (words.length < 2) return;
    // The longest is the rarest, more often than not.
    const [rare, ...others] = [...new Set(words)].sort((one, other) => other.length - one.length);
    /** @type {number[]} */
    const anywhere = [];
    let line = 0;
    let patience = PATIENCE;
    for (let at = this.text.indexOf(rare); at >= 0 && patience-- > 0; at = this.text.indexOf(rare, at)) {
      line = lineAt(this.starts, line, at);
      const place = Math.floor(line / this.linesPerRow);
      const end = this.starts[(place + 1) * this.linesPerRow] ?? this.text.length;
      const text = this.text.slice(this.starts[place * this.linesPerRow] - 1, end);
      at = end;
      if (!others.every((word) => text.includes(word))) continue;
      if (!words.every((word) => beginsAWord(text, word))) anywhere.push(this.order[place]);
      else if (found.add(this.order[place]).size >= limit) return;
    }
    for (const row of anywhere.slice(0, limit)) found.add(row);
  }

  /** @param {number} line */
  #row(line) {
    return this.order[Math.floor(line / this.linesPerRow)];
  }
}

/** Lower case, and spaces for the underscores of names such as hot_dog. @param {string} text */
function plain(text) {
  return text.toLowerCase().replaceAll("_", " ");
}

/** @param {string} text with something before its first word @param {string} word */
function beginsAWord(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isLetter(text.charCodeAt(at - 1))) return true;
  return false;
}

/** @param {number} code */
function isLetter(code) {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 192;
}

/** Where each line begins. @param {string} text */
function lineStarts(text) {
  const starts = [];
  for (let at = 0; at < text.length - 1; at++) if (text.charCodeAt(at) === NEWLINE) starts.push(at + 1);
  return Int32Array.from(starts);
}

/**
 * The line of a place at or behind a line: in growing steps, then by halves.
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
