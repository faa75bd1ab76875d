// The container that Python packs a model into: base64 of gzip of a length, a JSON header and aligned arrays.

/**
 * @typedef {{dtype: "float64" | "int32" | "utf8", shape: number[], offset: number}} ArrayPlace
 * @typedef {{
 *   format: number, title: string, method: string, dim: number, nodes: number, threshold: number,
 *   settings: {K: number, alpha: number}, kind: string,
 *   view: {kind: "own" | "construction" | "projection", caption: string, K: number | null, center?: [number, number]},
 *   hasEdges: boolean, arrays: Record<string, ArrayPlace>,
 * }} Header
 * @typedef {{header: Header, floats: (name: string) => Float64Array, integers: (name: string) => Int32Array,
 *   lines: (name: string) => string[] | null}} Container
 */

/** What goes wrong in words for the person in front of the page. */
export class PageError extends Error {}

/** The bytes a text in base64 stands for. @param {string} text */
export function bytesOf(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {Promise<ArrayBuffer>} */
async function decompress(bytes) {
  if (typeof DecompressionStream === "undefined") {
    throw new PageError(
      "This browser cannot unpack the model: it has no DecompressionStream; Firefox 113, Chrome 80, Safari 16.4 have one.",
    );
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/**
 * The container in a text.
 * @param {string} text @returns {Promise<Container>}
 */
export async function unpack(text) {
  if (!text.trim()) throw new PageError("This page holds no model yet; hypercone explore MODEL writes one that does.");
  let buffer;
  try {
    buffer = await decompress(bytesOf(text));
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw new PageError("The model in this page is damaged; write the page again with hypercone explore.");
  }
  return readContainer(buffer);
}

/** The container in its unpacked bytes. @param {ArrayBuffer} buffer @returns {Container} */
export function readContainer(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const start = 4 + size;
  /** @type {Header} */
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  if (header.format !== 1) {
    throw new PageError(`The model in this page has format ${header.format}; this page reads format 1.`);
  }
  /** @param {string} name */
  const place = (name) => header.arrays[name] ?? { dtype: "int32", shape: [0], offset: 0 };
  /** @param {string} name */
  const count = (name) => place(name).shape.reduce((product, side) => product * side, 1);
  return {
    header,
    floats: (name) => new Float64Array(buffer, start + place(name).offset, count(name)),
    integers: (name) => new Int32Array(buffer, start + place(name).offset, count(name)),
    lines: (name) => {
      if (!(name in header.arrays)) return null;
      return new TextDecoder("utf-8", { ignoreBOM: true })
        .decode(new Uint8Array(buffer, start + place(name).offset, count(name)))
        .split("\n");
    },
  };
}
