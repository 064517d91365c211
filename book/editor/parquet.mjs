/* A reader of Parquet for the page on which one evaluates lists of one's own: `make editor` bundles
   it into _static/parquet.js, which the page loads when it gets such a file. */

import { parquetMetadataAsync, parquetRead, parquetSchema } from "hyparquet";
import { gunzip } from "hyparquet-compressors/src/gzip.js";
import { decompressLz4, decompressLz4Raw } from "hyparquet-compressors/src/lz4.js";
import { decompress as decompressZstd } from "fzstd";

// Snappy is read by hyparquet itself. The dictionary of Brotli would double the size of this file.
const compressors = {
  GZIP: (input, length) => gunzip(input, new Uint8Array(length)),
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
  ZSTD: (input) => decompressZstd(input),
};

/** Return a value as text; nothing for one that is missing. */
function written(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  return typeof value === "boolean" ? String(Number(value)) : String(value);
}

/** Return the columns of a file as JSON: of each its values as text. Nested columns are left out. */
async function read(file) {
  const metadata = await parquetMetadataAsync(file);
  const names = parquetSchema(metadata)
    .children.filter(({ children }) => !children.length)
    .map(({ element }) => element.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two columns are named "${twice}", so rename one`);
  const columns = Object.fromEntries(names.map((name) => [name, []]));
  const rows = Number(metadata.num_rows);
  await parquetRead({
    file,
    metadata,
    columns: names,
    compressors,
    rowFormat: "array",
    rowEnd: rows,
    onComplete(found) {
      for (const row of found) names.forEach((name, at) => columns[name].push(written(row[at])));
    },
  });
  return JSON.stringify(columns);
}

window.recsysBook.opened("parquet", read);
