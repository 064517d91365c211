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
    const held = new Map(); // by role, what Python gets
    const reading = new Map(); // by role, what was chosen last and is not read yet
    const problems = new Map(); // by role, why what was chosen last cannot be read
    const typing = new Map(); // by role, the timer of what is being typed
    let isSample = false;
    let isThere = false; // Python, which has evaluated something here
    let isWanted = false; // a report, once everything is read
    let busy = false;
    let isStopped = false;
    let edition = 0; // of the files and the settings: a reply to an earlier one is not shown
    let report = [...shown.childNodes];
    form.append(line.element);
    form.hidden = false;

    function hold(role, file) {
      if (file) held.set(role, file);
      else held.delete(role);
    }

    function nameFiles() {
      for (const [role, box] of boxes) {
        const { name: unread } = reading.get(role) ?? {};
        const name = unread ? `Reading ${unread} …` : (held.get(role)?.name ?? "");
        box.querySelector("[data-held]").textContent = name;
      }
    }

    /** Forget what was chosen for a role before, and what still comes of it. */
    function forget(role) {
      clearTimeout(typing.get(role));
      for (const one of [held, reading, problems]) one.delete(role);
    }

    function holdSample() {
      isSample = true;
      for (const [role, box] of boxes) {
        forget(role);
        hold(role, sample[role]);
        box.querySelector("textarea").value = "";
      }
      nameFiles();
    }

    /** Take what the reader gives, unless something else is given for this role before it is read;
        nobody mixes lists of their own with those of the sample. */
    async function give(role, file, name) {
      if (isSample) held.clear();
      isSample = false;
      forget(role);
      const choice = { name };
      reading.set(role, choice);
      nameFiles();
      changed(false);
      let read;
      let problem;
      try {
        read = await file;
      } catch (raised) {
        problem = raised.message;
      }
      if (reading.get(role) !== choice) return;
      reading.delete(role);
      hold(role, read);
      nameFiles();
      if (problem) {
        problems.set(role, problem);
        report = [];
      }
      changed(!problem);
    }

    for (const [role, box] of boxes) {
      const field = box.querySelector("input");
      field.addEventListener("change", () => {
        const [file] = field.files;
        if (file) give(role, taken(file), file.name);
        field.value = ""; // so that a file that was changed can be chosen again
      });
      const area = box.querySelector("textarea");
      area.addEventListener("input", () => {
        clearTimeout(typing.get(role));
        const read = () => give(role, area.value.trim() && pasted(role, area.value));
        typing.set(role, setTimeout(read, WAIT));
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
        if (file) give(role, taken(file), file.name);
        else if (text) give(role, pasted(role, text));
      });
    }

    /** Show a report or a message, below what is wrong with the files. */
    function tell(...nodes) {
      const wrong = [...problems.values()].map((words) => make("p", { class: "own-problem" }, words));
      shown.replaceChildren(...wrong, ...nodes);
    }

    const missing = () => NEEDED.find((role) => !held.has(role));
    const isReady = () => !missing() && !reading.size;
    const nameOf = (role) => boxes.get(role).querySelector("strong").textContent;

    function sayNext() {
      const role = missing();
      if (reading.size) line.say("A file is being read.");
      else if (role) line.say(`Still needed: ${nameOf(role)}.`);
      else if (!busy) line.say(problems.size ? "" : "Press Evaluate for the report.");
    }

    /** What was changed is evaluated at once where Python is there, else after a press. What was said
        of the files and settings before does not stay. */
    function changed(isSound = true) {
      edition += 1;
      tell(...report);
      if (isSound && isReady() && (isThere || isWanted)) press();
      else sayNext();
    }

    function metrics() {
      const { k, others } = form.elements;
      const chosen = [...form.querySelectorAll("[name=metric]:checked")];
      return [...chosen.map(({ value }) => `${value}@${k.value.trim()}`), others.value].join(", ");
    }

    function ask() {
      const { threshold, catalog } = form.elements;
      const message = {
        what: "numbers",
        files: JSON.stringify(Object.fromEntries(held)),
        measures: metrics(),
        threshold: threshold.value,
        catalog: catalog.value,
        needs: ["scipy", "numbers"],
        limit: LIMIT,
      };
      return python.ask(message, line.show).catch((problem) => ({ problem }));
    }

    function explain({ stopped, problem }) {
      if (problem) return problem instanceof Unavailable ? `${problem.head}. ${problem.message}` : problem.message;
      return stopped ? "Stopped." : `It did not finish within ${LIMIT} s.`;
    }

    function show({ reply, ...told }) {
      report = [];
      if (!reply) return tell(make("p", {}, explain(told)));
      const box = make("div", { class: reply.problem ? "own-problem" : "own-report" });
      box.innerHTML = reply.lines.join("");
      if (reply.problem) return tell(box);
      report.push(box);
      if (reply.card) {
        const url = URL.createObjectURL(new Blob([reply.card], { type: "application/json" }));
        report.push(make("p", {}, make("a", { href: url, download: "report.json" }, "Download the report (JSON)")));
      }
      return tell(...report);
    }

    function requestFile(role) {
      boxes.get(role).querySelector("input").focus();
      report = [];
      tell(make("p", {}, `Choose, drop or paste a file first: ${nameOf(role)}.`));
    }

    async function press() {
      isWanted = reading.size > 0;
      if (isWanted) return sayNext();
      const role = missing();
      if (role) return requestFile(role);
      if (busy) return;
      busy = true;
      isStopped = false;
      stop.hidden = false;
      let asked;
      let told;
      do {
        asked = edition;
        told = await ask();
        isThere ||= Boolean(told.reply);
      } while (asked !== edition && isReady() && !isStopped);
      busy = false;
      stop.hidden = true;
      if (asked !== edition && (told.reply || !isStopped)) return sayNext();
      show(told);
      line.say(report.length && !problems.size ? "The report below is up to date." : "");
      shown.firstElementChild.firstElementChild?.scrollIntoView({ block: "nearest" });
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      press();
    });
    // A field of text is changed once it is left or Enter is pressed, a chip with each press.
    form.addEventListener("change", ({ target }) => target.name && target.type !== "file" && changed());
    for (const sign of ["focusin", "dragenter"]) form.addEventListener(sign, () => python.warm().catch(() => {}));
    stop.addEventListener("click", () => {
      isStopped = true;
      python.stop(line.show);
    });
    form.querySelector("[data-do=sample]").addEventListener("click", () => {
      holdSample();
      isWanted = true;
      changed();
    });
    holdSample();
  }

  function find() {
    document.querySelectorAll("form.own-form").forEach(wake);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
