import assert from "node:assert/strict";
import { test } from "node:test";

import { orderOf } from "../src/answers/relations.js";
import { findObsolete, otherSpellings, rowsNamed } from "../src/answers/lookup.js";
import { Search } from "../src/answers/search.js";
import { modelOf } from "./answers.js";

/** @param {string[]} names @param {string[] | null} [labels] @param {number[]} [weight] */
function searchOf(names, labels = null, weight = names.map(() => 0)) {
  const model = { ...modelOf({ points: names.flatMap(() => [0, 0]) }), names, labels };
  return new Search(model, Float64Array.from(weight));
}

test("exact matches come first, then names that begin with the text, then words that do, then the rest", () => {
  const names = ["adogma", "hot dog", "dogma", "dog", "cat"];
  assert.deepEqual(searchOf(names).find("dog"), [3, 2, 1, 0]);
});

test("equal matches are sorted by weight, then by length, then by row", () => {
  assert.deepEqual(
    searchOf(["dog b", "dog a", "dog", "dog ccc", "dog c"], null, [0, 5, 0, 0, 0]).find("dog "),
    [2, 1, 0, 4, 3],
  );
});

test("a label finds its node, and a node found twice is listed once", () => {
  const search = searchOf(["HP:1", "HP:2"], ["Abnormal heart", ""]);
  assert.deepEqual(search.find("heart"), [0]);
  assert.deepEqual(search.find("hp:2"), [1]);
  assert.deepEqual(searchOf(["heart"], ["Heart"]).find("heart"), [0]);
});

test("case and underscores do not matter", () => {
  assert.deepEqual(searchOf(["Hot_Dog.n.01"]).find("hot dog"), [0]);
  assert.deepEqual(searchOf(["Straße", "ÉCLAIR"]).find("éclair"), [1]);
});

test("names with any characters find only themselves", () => {
  const names = ["<b>&amp;", "a.*+?^$(){}|[]\\b", "\u{1f980} crab", "\u202Eright to left", "tab\there"];
  const search = searchOf(names);
  names.forEach((name, row) => assert.deepEqual(search.find(name), [row]));
  assert.deepEqual(search.find(".*"), [1]);
});

test("an empty text finds nothing, and a letter that gets longer in lower case shifts no row", () => {
  assert.deepEqual(searchOf(["a"]).find("  "), []);
  assert.deepEqual(searchOf(["a"]).find("a\nb"), []);
  assert.deepEqual(searchOf(["\u0130\u0130\u0130", "b", "c"]).find("c"), [2]);
});

test("the best matches up to the limit are found", () => {
  const names = Array.from({ length: 500 }, (_, row) => `node ${row}`);
  assert.deepEqual(
    searchOf(
      names,
      null,
      names.map((_, row) => row),
    ).find("node", 3),
    [499, 498, 497],
  );
});

test("a text without a match is found by its words in any order, beginnings of words first", () => {
  const labels = ["Abnormal heart valve morphology", "Heartless bivalve", "Heart", "Valve"];
  const search = searchOf(["HP:1", "HP:2", "HP:3", "valve"], labels, [0, 9, 9, 9]);
  assert.deepEqual(search.find("valve heart"), [0, 1]);
  assert.deepEqual(search.find("heart valve  ABNORMAL"), [0]);
  assert.deepEqual(search.find("valve heart", 1), [0]);
  assert.deepEqual(search.find("morphology HP:1"), [0]);
  assert.deepEqual(search.find("heart kidney"), []);
  assert.deepEqual(search.find("heart valve"), [0]);
});

test("words of different nodes are never combined", () => {
  assert.deepEqual(searchOf(["red dog", "blue cat"]).find("cat red"), []);
  assert.deepEqual(searchOf(["a", "b"], ["red dog", "blue cat"]).find("cat red"), []);
});

test("every key on 82,000 nodes is answered within 10 ms of work", () => {
  let seed = 1;
  const next = () => (seed = (seed * 48271) % 2147483647);
  const word = () => Array.from({ length: 4 + (next() % 6) }, () => "etaoinshrdlu"[next() % 12]).join("");
  const names = Array.from({ length: 82_000 }, () => `${word()}_${word()}.n.0${next() % 9}`);
  const search = searchOf(
    names,
    null,
    names.map((_, row) => row % 7),
  );
  for (const query of ["e", "et", "eta", "o", "n.0", ".n.", "zq", "a e", "n.01 e", "e t a", "n.0 o", "zq et", "x n.0 e"]) {
    const times = Array.from({ length: 7 }, () => {
      const before = process.cpuUsage();
      search.find(query, 12);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    assert.ok(Math.min(...times) < 10, `${query}: ${Math.min(...times)} ms`);
  }
});

const model = { names: ["HP:1", "HP:2", "HP:3", "Beta"], labels: ["Heart", "heart", "Beta", ""] };

test("a name finds its node before any label does", () => {
  assert.deepEqual(rowsNamed(model, "HP:2"), [1]);
  assert.deepEqual(rowsNamed(model, "Beta"), [3]);
});

test("a label finds its node exactly, or else regardless of case", () => {
  assert.deepEqual(rowsNamed(model, "heart"), [1]);
  assert.deepEqual(rowsNamed(model, "HEART"), [0, 1]);
  assert.deepEqual(rowsNamed(model, "hp:3"), [2]);
});

test("an empty text finds no node, unless it is a name", () => {
  assert.deepEqual(rowsNamed(model, ""), []);
  assert.deepEqual(rowsNamed({ names: ["a", ""], labels: null }, ""), [1]);
  assert.deepEqual(rowsNamed({ names: ["a"], labels: null }, "b"), []);
});

const heart = {
  names: ["HP:1", "HP:2", "HP:3"],
  labels: ["Heart disease", "Myocardial infarction", "Attack"],
  glossary: {
    definitions: null,
    synonyms: [[], ["Heart attack", "MI"], ["Cafe\u0301"]],
    otherIds: [["HP:9"], [], []],
    obsolete: new Map([
      ["HP:7", { label: "", replacements: ["HP:9"], consider: [] }],
      ["HP:8", { label: "", replacements: [], consider: ["HP:2", "HP:404"] }],
    ]),
    prefixes: { zoo: "http://a/#" },
  },
};

test("a synonym or another id finds its node, is named in the match, and comes after names and labels", () => {
  const search = new Search(heart, Float64Array.of(0, 9, 0));
  assert.deepEqual(search.matches("heart", 5), [
    { row: 0, alias: null },
    { row: 1, alias: "Heart attack" },
  ]);
  assert.deepEqual(search.matches("attack", 5), [
    { row: 2, alias: null },
    { row: 1, alias: "Heart attack" },
  ]);
  assert.deepEqual(search.matches("hp:9", 5), [{ row: 0, alias: "HP:9" }]);
  assert.deepEqual(search.matches("attack hea", 5), [{ row: 1, alias: "Heart attack" }]);
  assert.deepEqual(search.matches("infarction heart", 5), [], "words of a label and of a synonym are not combined");
  assert.deepEqual(search.matches("caf\u00e9", 5), [{ row: 2, alias: "Cafe\u0301" }]);
});

test("a text names a node exactly, then composed, then regardless of case", () => {
  assert.deepEqual(rowsNamed(heart, "MI"), [1]);
  assert.deepEqual(rowsNamed(heart, "mi"), [1]);
  assert.deepEqual(rowsNamed(heart, "HP:9"), [0]);
  assert.deepEqual(rowsNamed(heart, "Caf\u00e9"), [2]);
  assert.deepEqual(rowsNamed(heart, "CAF\u00c9"), [2]);
});

test("an obsolete name leads to what replaces it, or else to what to consider", () => {
  assert.deepEqual(findObsolete(heart, "hp:7 ")?.rows, [0]);
  assert.deepEqual(findObsolete(heart, "HP:8")?.rows, [1]);
  assert.equal(findObsolete(heart, "HP:1"), null);
  assert.equal(findObsolete({ names: ["a"], labels: null }, "a"), null);
});

test("long and short forms of an address name the same node", () => {
  for (const text of ["http://purl.obolibrary.org/obo/HP_2", "<https://purl.obolibrary.org/obo/HP_2>", "HP_2", "obo:hp_2"]) {
    assert.deepEqual(rowsNamed(heart, text), [1], text);
  }
  assert.deepEqual(findObsolete(heart, "HP_7")?.name, "HP:7");
  assert.deepEqual(otherSpellings("http://a/#dog", heart.glossary.prefixes), ["zoo:dog"]);
  assert.deepEqual(otherSpellings("zoo:dog", heart.glossary.prefixes).at(-1), "http://a/#dog");
  assert.deepEqual(otherSpellings("a dog", {}), []);
});

test("rows are sorted by value, equal ones by row", () => {
  assert.deepEqual([...orderOf(Float64Array.of(2, 1, 2, -5, 1, 0))], [3, 5, 1, 4, 0, 2]);
  assert.deepEqual([...orderOf(Float64Array.of(0, -0, 0))].sort(), [0, 1, 2], "both zeros are in it");
  assert.deepEqual([...orderOf(new Float64Array(0))], []);
});

test("the order is that of a comparison function", () => {
  const values = Float64Array.from({ length: 5000 }, (_, row) => Math.sin(row * row) + (row % 3));
  const rows = [...values.keys()].sort((one, other) => values[one] - values[other] || one - other);
  assert.deepEqual([...orderOf(values)], rows);
});
