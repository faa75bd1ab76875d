// Finds nodes by name, label, synonym or other id. Matches of the whole name come first, then names that begin with the
// text, then words that do, then any other match; if there is none, names that contain all its words in any order.
//
// All names and labels are lines of one string, those of the nodes with the most descendants first, and after them all
// aliases: synonyms and other ids. Searching one string is much faster than many, and the first matches are the best of
// their kind, so a search can stop as soon as it has enough.

import { aliasesOf } from "./lookup.js";
import { orderOf } from "./relations.js";

/**
 * @typedef {import("./lookup.js").Named} Named
 * @typedef {{row: number, alias: string | null}} Match alias: the synonym or other id that was found, if any
 * @typedef {Map<number, number>} Matches the line that was found, by row
 */

const NEWLINE = 10;
// A text such as ".n." is in every name of WordNet; this many matches take a few milliseconds.
const MOST_MATCHES = 20_000;

export class Search {
  /** @param {Named} model @param {Float64Array} weight the number of nodes below each row */
  constructor({ names, labels, glossary }, weight) {
    // Among equal weights the shorter name comes first: a length is far below 1e4.
    this.order = orderOf(weight.map((below, row) => names[row].length - 1e4 * below));
    this.linesPerRow = labels ? 2 : 1;
    /** @type {string[]} */
    const lines = [];
    for (const row of this.order) {
      lines.push(names[row]);
      if (labels) lines.push(labels[row]);
    }
    /** @type {string[]} */
    this.aliases = [];
    /** @type {number[]} The row of each alias. */
    this.aliasRows = [];
    if (glossary?.synonyms || glossary?.otherIds) {
      for (const row of this.order) {
        for (const alias of aliasesOf(glossary, row)) {
          this.aliases.push(alias);
          this.aliasRows.push(row);
        }
      }
    }
    this.text = `\n${normalize([...lines, ...this.aliases].join("\n"))}\n`;
    this.starts = lineStarts(this.text);
    this.firstAlias = lines.length;
  }

  /** The rows of the best matches, best first. @param {string} query @param {number} [limit] @returns {number[]} */
  find(query, limit = 50) {
    return [...this.#collectAll(query, limit).keys()].slice(0, limit);
  }

  /** The best matches, best first. @param {string} query @param {number} limit @returns {Match[]} */
  matches(query, limit) {
    const found = [...this.#collectAll(query, limit)].slice(0, limit);
    return found.map(([row, line]) => ({ row, alias: this.aliases[line - this.firstAlias] ?? null }));
  }

  /** @param {string} query @param {number} limit */
  #collectAll(query, limit) {
    /** @type {Matches} */
    const found = new Map();
    const wanted = normalize(query).trim();
    if (!wanted || wanted.includes("\n")) return found;
    this.#collect(`\n${wanted}\n`, found, limit);
    this.#collect(`\n${wanted}`, found, limit);
    if (found.size < limit) this.#collectWithin(wanted, found, limit);
    if (!found.size) this.#collectWords(wanted.split(/\s+/u), found, limit);
    return found;
  }

  /**
   * Adds the rows with a line that begins with the text.
   * @param {string} needle
   * @param {Matches} found
   * @param {number} limit
   */
  #collect(needle, found, limit) {
    let line = 0;
    for (let at = this.text.indexOf(needle); at >= 0 && found.size < limit; at = this.text.indexOf(needle, at + 1)) {
      line = lineAt(this.starts, line, at + 1);
      this.#add(found, line);
    }
  }

  /**
   * Adds the rows in which a word begins with the text, and then those that contain it anywhere.
   * @param {string} needle
   * @param {Matches} found
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
      if (!isWord) anywhere.push(line);
      else if (this.#add(found, line).size >= limit) return;
    }
    for (const other of anywhere) this.#add(found, other);
  }

  /**
   * Adds the rows whose name and label, or one alias, contain all words in any order, those in which each is the
   * beginning of a word first.
   * @param {string[]} words
   * @param {Matches} found
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
      const isAlias = line >= this.firstAlias;
      const first = isAlias ? line : line - (line % this.linesPerRow);
      const end = this.starts[first + (isAlias ? 1 : this.linesPerRow)] ?? this.text.length;
      const text = this.text.slice(this.starts[first] - 1, end);
      at = end;
      if (!others.every((word) => text.includes(word))) continue;
      if (!words.every((word) => beginsWord(text, word))) anywhere.push(first);
      else if (this.#add(found, first).size >= limit) return;
    }
    for (const other of anywhere.slice(0, limit)) this.#add(found, other);
  }

  /** Adds the row of a line, unless it was found before. @param {Matches} found @param {number} line */
  #add(found, line) {
    const isAlias = line >= this.firstAlias;
    const row = isAlias ? this.aliasRows[line - this.firstAlias] : this.order[Math.floor(line / this.linesPerRow)];
    return found.has(row) ? found : found.set(row, line);
  }
}

/** Composed and in lower case, with spaces for the underscores of names such as hot_dog. @param {string} text */
function normalize(text) {
  return text.normalize("NFC").toLowerCase().replaceAll("_", " ");
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
