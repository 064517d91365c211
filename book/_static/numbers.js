/* Evaluate my own lists: files that the reader picks, drops or pastes, evaluated by the page's
   Python. The report on the sample is in the page; Python loads when something else is asked for. */

(() => {
  "use strict";

  const { make, python, progressLine, script, Unavailable } = window.recsysBook;
  const LIMIT = 300;
  const NEEDED = ["recommended", "relevant"];
  const WAIT = 400; // ms in which more is typed

  /** Return a file as Python gets it: its name and its text, of Parquet the columns as JSON. */
  async function taken(file) {
    if (!/\.(parquet|pq)$/i.test(file.name)) return { name: file.name, text: await file.text() };
    const read = await script("parquet");
    try {
      return { name: file.name, text: await read(await file.arrayBuffer()) };
    } catch (problem) {
      throw new Error(
        `${file.name} cannot be read as Parquet: ${problem.message}. If this is about its compression, ` +
          "save it with Snappy, Zstandard, gzip or LZ4, or as CSV.",
      );
    }
  }

  function isJson(text) {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }

  /** Return pasted text as a file, whose name says what the first line looks like. */
  function pasted(role, text) {
    const [line] = text.trim().split("\n");
    const words = line.split(/\s+/).length;
    let ending = line.includes("\t") ? "tsv" : "csv";
    if (/^[[{]/.test(line)) ending = !isJson(text) && isJson(line) ? "jsonl" : "json";
    else if (!/[,\t]/.test(line) && words === 6) ending = "run";
    else if (!/[,\t]/.test(line) && words === 4) ending = "qrels";
    return { name: `pasted-${role}.${ending}`, text };
  }

  function wake(form) {
    const shown = document.querySelector(".own-shown");
    const stop = form.querySelector("[data-do=stop]");
    const sample = JSON.parse(atob(document.getElementById("own-sample").dataset.files));
    const boxes = new Map([...form.querySelectorAll("[data-role]")].map((box) => [box.dataset.role, box]));
    const line = progressLine();
    let held = new Map(); // by role, what Python gets
    let isSample = false;
    let isThere = false; // Python, which has evaluated something here
    let busy = false;
    let again = false; // what was asked for meanwhile
    let typing;
    form.append(line.element);
    form.hidden = false;

    function hold(role, file) {
      if (file) held.set(role, file);
      else held.delete(role);
      for (const [one, box] of boxes) box.querySelector("[data-held]").textContent = held.get(one)?.name ?? "";
    }

    function holdSample() {
      isSample = true;
      for (const [role, file] of Object.entries(sample)) hold(role, file);
      for (const box of boxes.values()) box.querySelector("textarea").value = "";
    }

    /** Take what the reader gives; nobody mixes lists of their own with those of the sample. */
    async function give(role, file) {
      if (isSample) held = new Map();
      isSample = false;
      try {
        hold(role, file && (await file));
      } catch (problem) {
        hold(role);
        return tell(make("p", { class: "own-problem" }, problem.message));
      }
      return changed();
    }

    for (const [role, box] of boxes) {
      const field = box.querySelector("input");
      field.addEventListener("change", () => {
        const [file] = field.files;
        if (file) give(role, taken(file));
        field.value = ""; // so that a file that was changed can be chosen again
      });
      const area = box.querySelector("textarea");
      area.addEventListener("input", () => {
        clearTimeout(typing);
        typing = setTimeout(() => give(role, area.value.trim() && pasted(role, area.value)), WAIT);
      });
      const mark = (is) => box.classList.toggle("own-over", is);
      box.addEventListener("dragover", (event) => {
        event.preventDefault();
        mark(true);
      });
      box.addEventListener("dragleave", () => mark(false));
      box.addEventListener("drop", (event) => {
        event.preventDefault();
        mark(false);
        const [file] = event.dataTransfer.files;
        const text = event.dataTransfer.getData("text");
        if (file) give(role, taken(file));
        else if (text) give(role, pasted(role, text));
      });
    }

    const tell = (...nodes) => shown.replaceChildren(...nodes);
    const missing = () => NEEDED.find((role) => !held.has(role));

    /** What was changed is evaluated at once where Python is there, else after a press. */
    function changed() {
      const role = missing();
      const name = role && boxes.get(role).querySelector("strong").textContent;
      if (role) line.say(`Still needed: ${name}.`);
      else if (isThere) press();
      else line.say("Press Evaluate for the report.");
    }

    function metrics() {
      const { k, others } = form.elements;
      const chosen = [...form.querySelectorAll("[name=metric]:checked")];
      return [...chosen.map(({ value }) => `${value}@${k.value.trim()}`), others.value].join(", ");
    }

    async function evaluate() {
      const role = missing();
      if (role) {
        const box = boxes.get(role);
        box.querySelector("input").focus();
        const name = box.querySelector("strong").textContent;
        return tell(make("p", {}, `Choose, drop or paste a file first: ${name}.`));
      }
      const { threshold, catalog } = form.elements;
      const { reply, stopped } = await python.ask(
        {
          what: "numbers",
          files: JSON.stringify(Object.fromEntries(held)),
          measures: metrics(),
          threshold: threshold.value,
          catalog: catalog.value,
          needs: ["scipy", "numbers"],
          limit: LIMIT,
        },
        line.show,
      );
      if (!reply) return tell(make("p", {}, stopped ? "Stopped." : `It did not finish within ${LIMIT} s.`));
      isThere = true;
      const box = make("div", { class: reply.problem ? "own-problem" : "own-report" });
      box.innerHTML = reply.lines.join("");
      const nodes = [box];
      if (reply.card) {
        const url = URL.createObjectURL(new Blob([reply.card], { type: "application/json" }));
        nodes.push(make("p", {}, make("a", { href: url, download: "report.json" }, "Download the report (JSON)")));
      }
      return tell(...nodes);
    }

    async function press() {
      again = busy;
      if (busy) return;
      busy = true;
      stop.hidden = false;
      try {
        do {
          again = false;
          await evaluate();
        } while (again);
        line.say("The report below is up to date.");
        shown.firstElementChild.firstElementChild?.scrollIntoView({ block: "nearest" });
      } catch (problem) {
        line.say("");
        tell(make("p", {}, problem instanceof Unavailable ? `${problem.head}. ${problem.message}` : problem.message));
      } finally {
        busy = false;
        stop.hidden = true;
      }
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      press();
    });
    // A field of text is changed once it is left or Enter is pressed, a chip with each press.
    form.addEventListener("change", ({ target }) => target.name && target.type !== "file" && changed());
    for (const sign of ["focusin", "dragenter"]) form.addEventListener(sign, () => python.warm().catch(() => {}));
    stop.addEventListener("click", () => python.stop(line.show));
    form.querySelector("[data-do=sample]").addEventListener("click", () => {
      holdSample();
      press();
    });
    holdSample();
  }

  function find() {
    document.querySelectorAll("form.own-form").forEach(wake);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
