// Runs pytest in Pyodide, under Node: `node wasm.mjs RUNTIME PROJECT ARGUMENTS…`; see wasm.py.
import { pathToFileURL } from "node:url";

const [runtime, project, ...given] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${runtime}/pyodide.mjs`));
const pyodide = await loadPyodide({
  indexURL: `${runtime}/`,
  stdout: (line) => console.log(line),
  stderr: (line) => console.error(line),
});
await pyodide.loadPackage(["numpy", "scipy"], { messageCallback: () => {} });
for (const [place, folder] of [["/project", project], ["/pure", `${runtime}/pure`]]) {
  pyodide.FS.mkdirTree(place);
  pyodide.mountNodeFS(place, folder);
}
pyodide.globals.set("given", pyodide.toPy(given));
process.exitCode = await pyodide.runPythonAsync(`
import os
import sys

os.chdir("/project")
sys.path[:0] = ["/project", "/pure"]
sys.dont_write_bytecode = True

import hypothesis
import numpy as np
import pytest

assert np.intp(0).itemsize == 4, "this is not a machine of 32 bits"
hypothesis.settings.register_profile(
    "wasm",
    database=None,
    deadline=None,
    max_examples=5,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("wasm")
int(pytest.main(list(given)))
`);
