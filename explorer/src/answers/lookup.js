// Finds the node that a whole text names, by the rules of Python: name, label, then synonyms, other ids and other forms of
// an address; first exactly, then in Unicode normal form, then regardless of case. The first step that finds one decides.

/**
 * @typedef {import("../model/model.js").Glossary} Glossary
 * @typedef {import("../model/model.js").Obsolete} Obsolete
 * @typedef {{names: string[], labels: string[] | null, glossary?: Glossary}} Named
 * @typedef {{rows: number[], obsolete: string | null}} Looked obsolete: the obsolete id that the text is
 * @typedef {(text: string) => string} Form
 */

/** @type {Form[]} */
const FORMS = [(text) => text, (text) => text.normalize("NFC"), (text) => text.normalize("NFC").toLowerCase()];
const ADDRESS = /^https?:\/\/purl\.obolibrary\.org\/obo\/([A-Za-z]\w*)_([A-Za-z0-9]+)$/;
const WITH_LINE = /^(?:obo:)?([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z][A-Za-z0-9]*)*)_([A-Za-z0-9]+)$/;
const WITH_COLON = /^([A-Za-z]\w*):([A-Za-z0-9]+)$/;

/** The synonyms and other ids of a row. @param {Glossary} glossary @param {number} row */
export function aliasesOf({ synonyms, otherIds }, row) {
  return [...(synonyms?.[row] ?? []), ...(otherIds?.[row] ?? [])];
}

/** All rows that a text may mean. @param {Named} model @param {string} text @returns {number[]} */
export function rowsNamed(model, text) {
  const row = model.names.indexOf(text);
  return row >= 0 ? [row] : lookUp(model, text).rows;
}

/** @param {Named} model @param {string} text @returns {Looked} */
function lookUp({ names, labels, glossary }, text) {
  const texts = [text, ...otherSpellings(text, glossary?.prefixes ?? {})];
  for (const form of text ? FORMS : []) {
    /** @param {string} wanted @param {(row: number) => string[]} textsOf */
    const find = (wanted, textsOf) => {
      const formed = form(wanted);
      /** @type {number[]} */
      const rows = [];
      for (let row = 0; row < names.length; row++) if (textsOf(row).some((one) => form(one) === formed)) rows.push(row);
      return rows;
    };
    const steps = [
      () => find(text, (row) => [names[row]]),
      () => (labels ? find(text, (row) => [labels[row]]) : []),
      ...texts.flatMap((spelling) => [
        () => (spelling === text ? [] : find(spelling, (row) => [names[row]])),
        () => (glossary ? find(spelling, (row) => aliasesOf(glossary, row)) : []),
      ]),
    ];
    for (const step of steps) {
      const rows = step();
      if (rows.length) return { rows, obsolete: null };
    }
    const formed = texts.map(form);
    const obsolete = [...(glossary?.obsolete.keys() ?? [])].find((name) => formed.includes(form(name)));
    if (obsolete !== undefined) return { rows: [], obsolete };
  }
  return { rows: [], obsolete: null };
}

/**
 * What became of an id that is no longer used, and the rows that replace it or may be meant; null if it is none.
 * @param {Named} model @param {string} text @returns {Obsolete & {name: string, rows: number[]} | null}
 */
export function findObsolete(model, text) {
  const { glossary } = model;
  // Most texts are no obsolete ids in any form, which is known at once; a whole search would take long at every key.
  const [caseless, trimmed] = [FORMS[2], text.trim()];
  const wanted = [trimmed, ...otherSpellings(trimmed, glossary?.prefixes ?? {})].map(caseless);
  if (!glossary || ![...glossary.obsolete.keys()].some((other) => wanted.includes(caseless(other)))) return null;
  const name = lookUp(model, trimmed).obsolete;
  const about = name === null ? undefined : glossary.obsolete.get(name);
  if (name === null || !about) return null;
  const others = about.replacements.length ? about.replacements : about.consider;
  return { name, ...about, rows: [...new Set(others.flatMap((other) => rowsNamed(model, other).slice(0, 1)))] };
}

/**
 * The long and short forms of an address, by the rules of OBO and by the prefixes of the names.
 * @param {string} text @param {Record<string, string>} prefixes @returns {string[]}
 */
export function otherSpellings(text, prefixes) {
  const found = [];
  if (text.startsWith("<") && text.endsWith(">")) found.push((text = text.slice(1, -1)));
  const short = ADDRESS.exec(text) ?? WITH_LINE.exec(text);
  if (short) found.push(`${short[1]}:${short[2]}`);
  const curie = WITH_COLON.exec(text);
  if (curie) {
    const local = `${curie[1]}_${curie[2]}`;
    found.push(local, `http://purl.obolibrary.org/obo/${local}`);
    for (const prefix of Object.keys(prefixes)) if (prefix) found.push(`${prefix}:${local}`);
  }
  for (const [prefix, namespace] of Object.entries(prefixes)) {
    if (text.includes("://") && text.startsWith(namespace)) {
      found.push(`${prefix ? `${prefix}:` : ""}${text.slice(namespace.length)}`);
    } else if (prefix && text.startsWith(`${prefix}:`)) found.push(namespace + text.slice(prefix.length + 1));
  }
  return found;
}
