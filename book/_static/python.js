/* Python for the book's pages, in a worker: `code.js` starts it and ends it.

   in   {what: "start", manifest, kept}             out  {what: "progress", loaded, total, doing}
        {what: "check", id, source, seconds}             {what: "ready"}
        {what: "run", source, trial, seconds}            {what: "failed", says}
        {what: "cell", source, name, fresh, needs}       {what: "begun"}, {what: "step", reply},
        {what: "numbers", files, measures, …}            {what: "done", reply}

   A step says the reply if it never ends; only who started the worker can end it. A cell runs
   with what the cells before it have defined, unless all begins anew (`fresh`), and gets what it
   needs of the manifest's `more` first. */

"use strict";

const files = new Map(); // from the name to the bytes, all of them checked
const there = new Set(); // what of `more` was brought
let pyodide;
let place; // where Python finds its packages
let manifest;
let store; // what a browser keeps for the next visit
let page; // recsys_metrics.workbook.browser.code_check
let session; // of the page's cells

const TYPES = { wasm: "application/wasm", js: "text/javascript", json: "application/json" };
const typeOf = (name) => TYPES[name.split(".").at(-1)] ?? "application/octet-stream";

async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...hash));
}

/** Return the bytes of a file that a browser keeps from an earlier visit, or nothing. */
async function recall(file) {
  try {
    const kept = await store?.match(file.url);
    const bytes = kept && new Uint8Array(await kept.arrayBuffer());
    if (bytes && (await digest(bytes)) === file.sha256) return bytes;
  } catch {
    // What cannot be read is loaded.
  }
  return undefined;
}

/** Return the bytes of a file from where it is; `came` is told how many more there are. */
async function load(file, came) {
  // Where there is no subtle cryptography (http and not this machine) the browser checks by itself.
  const subtle = self.crypto?.subtle;
  const options = subtle ? {} : { integrity: `sha256-${file.sha256}` };
  let response;
  try {
    response = await fetchFromSite(file.url, options);
  } catch {
    throw new Error(`${new URL(file.url).host} cannot be reached`);
  }
  if (!response.ok) throw new Error(`${file.url} answers ${response.status}`);
  const bytes = new Uint8Array(file.bytes);
  let at = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > bytes.length) throw new Error(`${file.name} is not the file that is meant`);
    bytes.set(value, at);
    at += value.length;
    came(value.length);
  }
  if (at < bytes.length || (subtle && (await digest(bytes)) !== file.sha256)) {
    throw new Error(`${file.name} is not the file that is meant`);
  }
  return bytes;
}

async function loadAll(wanted) {
  const total = wanted.reduce((sum, file) => sum + file.bytes, 0);
  let loaded = 0;
  const came = (bytes) => {
    loaded += bytes;
    postMessage({ what: "progress", loaded, total, doing: "" });
  };
  await Promise.all(
    wanted.map(async (file) => {
      let bytes = await recall(file);
      if (bytes) came(bytes.length);
      else {
        bytes = await load(file, came);
        const headers = { "Content-Type": typeOf(file.name) };
        store?.put(file.url, new Response(bytes, { headers })).catch(() => {});
      }
      files.set(file.name, bytes);
    }),
  );
}

async function openStore(kept) {
  try {
    store = await self.caches?.open(kept);
    const named = [...manifest.files, ...Object.values(manifest.more).flat()];
    const names = new Set(named.map(({ url }) => url));
    // What an earlier edition of the book had.
    for (const { url } of (await store?.keys()) ?? []) if (!names.has(url)) store.delete(url);
  } catch {
    // A browser may keep nothing.
  }
}

const fetchFromSite = self.fetch.bind(self);

/** Pyodide asks for its files by address and gets those that were checked, and nothing else. */
self.fetch = async (asked) => {
  const name = String(asked.url ?? asked).split(/[?#]/)[0].split("/").at(-1);
  if (!files.has(name)) throw new TypeError(`${name} is no file of this book`);
  return new Response(files.get(name), { headers: { "Content-Type": typeOf(name) } });
};

function runScript(name) {
  const address = URL.createObjectURL(new Blob([files.get(name)], { type: "text/javascript" }));
  importScripts(address);
  URL.revokeObjectURL(address);
}

async function start(told) {
  manifest = told.manifest;
  await openStore(told.kept);
  await loadAll(manifest.files);
  files.set("pyodide-lock.json", new TextEncoder().encode(JSON.stringify(manifest.lock)));
  postMessage({ what: "progress", doing: "Starting Python" });
  runScript("pyodide.js");
  runScript("pyodide.asm.js");
  pyodide = await loadPyodide({
    indexURL: new URL("python/", self.location.href).href,
    env: { HOME: "/home/pyodide", RECSYS_METRICS_PROGRESS: "off", RECSYS_METRICS_CACHE: "off" },
    stdout: () => {},
    stderr: () => {},
  });
  await pyodide.loadPackage("numpy", { messageCallback: () => {} });
  postMessage({ what: "progress", doing: "Loading the exercises" });
  place = pyodide.runPython("import site; site.getsitepackages()[0]");
  unpack("library.packed");
  page = pyodide.pyimport("recsys_metrics.workbook.browser.code_check");
  files.clear();
  postMessage({ what: "ready" });
}

/** Unpack a part of the library. */
function unpack(file) {
  pyodide.unpackArchive(files.get(file), "gztar", { extractDir: place });
}

/** Bring what is not there yet: a package of Pyodide, a part of the library, or data. */
async function bring(names) {
  const wanted = names.filter((name) => !there.has(name));
  if (!wanted.length) return;
  await loadAll(wanted.flatMap((name) => manifest.more[name]));
  postMessage({ what: "progress", doing: "Preparing" });
  for (const name of wanted) {
    const [{ name: file }] = manifest.more[name];
    if (name in manifest.lock.packages) await pyodide.loadPackage(name, { messageCallback: () => {} });
    else if (file.endsWith(".packed")) unpack(file);
    else pyodide.FS.writeFile(`${place}/recsys_workbook_content/${file}`, files.get(file));
    there.add(name);
  }
  files.clear();
  // That it looks through the fonts is no part of a cell's outputs.
  pyodide.runPython(
    "import importlib, logging; importlib.invalidate_caches(); " +
      "logging.getLogger('matplotlib').setLevel(logging.ERROR)",
  );
}

async function runCell({ source, name, fresh, needs }) {
  await bring(["rest", ...needs]);
  if (fresh || !session) {
    session?.destroy();
    session = pyodide.pyimport("recsys_metrics.workbook.browser.cells").Session();
  }
  postMessage({ what: "begun" });
  return session.run(source, name);
}

async function evaluate({ files: given, measures, threshold, catalog, needs }) {
  await bring(["rest", ...needs]);
  const own = pyodide.pyimport("recsys_metrics.workbook.browser.upload_evaluation");
  postMessage({ what: "begun" });
  return own.evaluate_files(given, measures, threshold, catalog);
}

self.onmessage = async ({ data }) => {
  try {
    if (data.what === "start") await start(data);
    else if (data.what === "numbers") postMessage({ what: "done", reply: await evaluate(data) });
    else if (data.what === "cell") postMessage({ what: "done", reply: await runCell(data) });
    else if (data.what === "check") {
      postMessage({ what: "begun" });
      const step = (reply) => postMessage({ what: "step", reply });
      const reply = page.check.callKwargs(data.id, data.source, step, { seconds: data.seconds });
      postMessage({ what: "done", reply });
    } else {
      postMessage({ what: "begun" });
      const reply = page.run_case.callKwargs(data.source, data.trial, { seconds: data.seconds });
      postMessage({ what: "done", reply });
    }
  } catch (problem) {
    postMessage({ what: "failed", says: problem.message?.trim().split("\n").at(-1) ?? String(problem) });
  }
};
