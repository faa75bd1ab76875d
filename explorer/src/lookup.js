// Which nodes a text means that names one: its name, its label, or either without regard to case.

/** @typedef {{names: string[], labels: string[] | null}} Named */

/**
 * The rows that are called so; a name says it best, and what fits letter for letter is better than what nearly fits.
 * @param {Named} model @param {string} text @returns {number[]}
 */
export function rowsCalled({ names, labels }, text) {
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
