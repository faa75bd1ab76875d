// Numbers and small matters of English, as the package itself writes them.

/** A number with four digits that count. @param {number} value */
export function number(value) {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : String(value);
  const short = Number(value.toPrecision(4));
  const size = Math.abs(short);
  return size < 1e-4 || size >= 1e7 ? short.toExponential().replace("e-", "e−").replace(/^-/, "−") : minus(short);
}

/** @param {number} value */
function minus(value) {
  return value.toLocaleString("en", { maximumFractionDigits: 8 }).replace("-", "−");
}

const WHOLE = new Intl.NumberFormat("en");

/** @param {number} value */
export function count(value) {
  return WHOLE.format(value);
}

/** @param {number} value @param {string} thing */
export function pluralize(value, thing) {
  return `${count(value)} ${thing}${value === 1 ? "" : "s"}`;
}

/** An angle in degrees. @param {number} radians */
export function degrees(radians) {
  const value = (radians * 180) / Math.PI;
  if (value !== 0 && Math.abs(value) < 0.005) return `${number(value)}°`;
  return `${value.toFixed(2).replace("-", "−")}°`;
}

/** An angle in radians and degrees. @param {number} radians */
export function inBothUnits(radians) {
  return `${number(radians)} rad (${degrees(radians)})`;
}

/** The name with a or an, by its first letter. @param {string} name */
export function withArticle(name) {
  return `${"aeio".includes(name.slice(0, 1).toLowerCase()) && name ? "an" : "a"} ${name}`;
}

/** The name of a method as one says it. @param {string} method */
export function methodName(method) {
  /** @type {Record<string, string>} */
  const names = {
    "hyperbolic-cones": "hyperbolic cones",
    "euclidean-cones": "Euclidean cones",
    order: "order embedding",
    poincare: "Poincaré embedding",
    euclidean: "Euclidean embedding",
  };
  return names[method] ?? method;
}

/** What a node holds its descendants in, by the method. @param {string} method */
export function region(method) {
  if (method.endsWith("cones")) return "cone";
  return method === "order" ? "region" : "reach";
}
