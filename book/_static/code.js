/* Functions written in the page: an editor in the card, and Python to run and check what is in it.
   Nothing of Python is loaded before the first Run or Check (where the browser has kept it, it
   starts at the first letter), and nothing of the editor before the first touch of the field, which
   until then is a plain one. */

(() => {
  "use strict";

  const { script, address, make, progress } = window.recsysBook;

  // Seconds that a step of a check may take unless it is said, that may pass without a byte while
  // Python loads, and without a sign that it has heard.
  const LIMIT = 10;
  const PATIENCE = 60;
  const DEAF = 5;
  const KEPT = "recsys-book-python";
  const STOPPED = "Stopped";
  const ENDED = "Your code has ended Python";

  /** Why Python cannot run in this page, or nothing. */
  function hindrance() {
    if (location.protocol === "file:") {
      return "A browser runs no Python in a page that was opened from a folder: open the book from a web address.";
    }
    return typeof WebAssembly === "object" && typeof Worker === "function"
      ? ""
      : "This browser runs no Python: it has no WebAssembly, or no workers.";
  }

  /** What kept Python from saying anything, and how that is headed. */
  class Unavailable extends Error {
    constructor(says, head = "Python does not run here") {
      super(says);
      this.head = head;
    }
  }

  /** The addresses of the files that this page shows or runs. The timeline also lists what other
      scripts asked for (a checker of accessibility resolves an import against the page) and what the
      site does not have: asking for those again would be an error. */
  function loadedFiles() {
    const byScript = ["fetch", "xmlhttprequest"];
    return performance
      .getEntriesByType("resource")
      .filter(({ initiatorType, responseStatus }) => !byScript.includes(initiatorType) && !(responseStatus >= 400))
      .map(({ name }) => name);
  }

  /** Keep this page for when there is no network, with all that its cards may need. */
  async function keepPage() {
    const kept = await caches.open("recsys-book-pages");
    const kinds = { exercise: "exercises", explorable: "explorables", cells: "cells" };
    const tables = Object.entries(kinds).flatMap(([kind, folder]) =>
      [...document.querySelectorAll(`[data-${kind}]`)].map((one) => `${folder}/${one.dataset[kind]}.js`),
    );
    const urls = new Set([
      location.href.split("#")[0],
      ...loadedFiles().filter((url) => url.startsWith(`${location.origin}/`) && !/\/python\/library-/.test(url)),
      ...["editor.js", "python.js", "python/manifest.js", ...tables].map(address),
    ]);
    await Promise.all([...urls].map((url) => kept.add(url).catch(() => {})));
    await navigator.serviceWorker.register(address("../sw.js"));
  }

  // One worker for the page -----------------------------------------------------------------------

  const python = (() => {
    let worker;
    let starting; // settles when it is ready, or cannot be
    let job; // what runs, and how it is told
    let watch; // the timer of the page, which a worker cannot hold up
    let told = { loaded: 0, total: 0, doing: "" };
    let queue = Promise.resolve();
    let warmed = false;
    let ends = 0; // how often it has ended, and with it all that cells had defined

    function end() {
      ends += 1;
      clearTimeout(watch);
      worker?.terminate();
      worker = starting = undefined;
      told = { loaded: 0, total: 0, doing: "" };
    }

    function wait(seconds, call) {
      clearTimeout(watch);
      watch = setTimeout(call, seconds * 1000);
    }

    function start() {
      starting ??= new Promise((resolve, reject) => {
        const why = hindrance();
        if (why) throw new Unavailable(why);
        const fail = (says) => {
          end();
          reject(new Unavailable(says));
        };
        const slow = () => fail(`Nothing has come for ${PATIENCE} s.`);
        wait(PATIENCE, slow);
        script("python/manifest").then(
          (manifest) => {
            worker = new Worker(address("python.js"));
            worker.onerror = (event) => fail(event.message || "The script for Python does not load.");
            worker.onmessage = ({ data }) => {
              if (data.what === "progress") {
                wait(PATIENCE, slow);
                told = { ...told, ...data };
                job?.progress(told);
              } else if (data.what === "ready") {
                clearTimeout(watch);
                told = { ...told, doing: "Running" };
                resolve();
                // A browser may forbid it, in a private window say: then the network is needed.
                keepPage().catch(() => {});
              } else if (data.what === "failed") fail(`${data.says}.`);
            };
            const here = address("python/");
            const placed = (files) => files.map((file) => ({ ...file, url: new URL(file.url, here).href }));
            const more = Object.fromEntries(
              Object.entries(manifest.more).map(([name, files]) => [name, placed(files)]),
            );
            const files = placed(manifest.files);
            worker.postMessage({ what: "start", manifest: { ...manifest, files, more }, kept: KEPT });
          },
          (problem) => fail(`${problem.message}.`),
        );
      });
      starting.catch(() => (starting = undefined));
      return starting;
    }

    /** Run one thing, with its limits, and return what it says and whether it was stopped; nothing
        if Python was not there to hear of it. */
    async function run(message, progress) {
      const limit = message.limit ?? LIMIT;
      let stopped = false;
      let cut;
      job = {
        progress,
        stop() {
          stopped = true;
          end();
          cut();
        },
      };
      progress(told);
      try {
        await Promise.race([
          start(),
          new Promise((_, reject) => (cut = () => reject(new Unavailable("", STOPPED)))),
        ]);
        progress(told);
        return await new Promise((resolve, reject) => {
          let pending;
          const over = () => {
            end();
            resolve({ reply: pending, stopped });
            // The next press need not wait for all of it.
            start().catch(() => {});
          };
          cut = over;
          // One that was closed from inside hears nothing any more.
          wait(DEAF, () => {
            end();
            resolve(undefined);
          });
          worker.onmessage = ({ data }) => {
            if (data.what === "begun") {
              told = { ...told, doing: "Running" };
              progress(told);
              wait(limit, over);
            } else if (data.what === "progress") {
              // More is brought for what is to run.
              told = { ...told, ...data };
              progress(told);
              wait(PATIENCE, () => {
                end();
                reject(new Unavailable(`Nothing has come for ${PATIENCE} s.`));
              });
            } else if (data.what === "step") {
              pending = JSON.parse(data.reply);
              wait(limit, over);
            } else if (data.what === "done") {
              clearTimeout(watch);
              resolve({ reply: JSON.parse(data.reply) });
            } else if (data.what === "failed") {
              end();
              reject(new Unavailable(`${data.says}.`, ENDED));
            }
          };
          worker.onerror = (event) => {
            end();
            reject(new Unavailable(event.message, ENDED));
          };
          worker.postMessage({ ...message, seconds: limit });
        });
      } finally {
        job = undefined;
      }
    }

    return {
      /** Run after what was asked before. */
      ask(message, progress) {
        const mine = queue.then(async () => {
          const told = (await run(message, progress)) ?? (await run(message, progress));
          if (!told) throw new Unavailable("It does not answer.");
          return told;
        });
        queue = mine.catch(() => {});
        return mine;
      },
      /** Start ahead where the browser has kept all of Python, so that nothing is loaded for it. */
      async warm() {
        if (warmed || starting || hindrance() || !self.caches) return;
        warmed = true;
        const { files } = await script("python/manifest");
        const kept = await caches.open(KEPT);
        const known = files.map(({ url }) => kept.match(new URL(url, address("python/")).href));
        if ((await Promise.all(known)).every(Boolean)) start().catch(() => {});
      },
      /** How often it has ended: what cells had defined before is gone. */
      ends: () => ends,
      /** End what runs for the one that is told of it so. */
      stop(progress) {
        if (job?.progress === progress) job.stop();
      },
    };
  })();

  // The field ------------------------------------------------------------------------------------

  let made = 0;

  /** A plain field that becomes an editor at the first touch; without the editor it stays plain. */
  function codeField({ label, text, describedBy, numbers, press, changed }) {
    const name = `code-${++made}`;
    const area = make("textarea", {
      id: name,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      "aria-describedby": describedBy,
    });
    const host = make("div", { class: "code-field" }, area);
    const fit = () => (area.rows = area.value.split("\n").length + (numbers ? 1 : 0));
    area.value = text;
    fit();
    area.addEventListener("input", () => {
      fit();
      changed(area.value);
    });
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      press();
    });
    let isComposing = false; // letters of an input method
    area.addEventListener("compositionstart", () => (isComposing = true));
    area.addEventListener("compositionend", () => (isComposing = false));
    // What is selected is about to be replaced, and the editor would not know of it.
    const isBusy = () =>
      document.activeElement === area && (isComposing || area.selectionStart !== area.selectionEnd);
    let field = { text: () => area.value, set: (to) => ((area.value = to), fit(), changed(to)) };
    area.addEventListener(
      "focus",
      async () => {
        let open;
        try {
          open = await script("editor");
        } catch {
          return; // the plain field does
        }
        while (isBusy()) await new Promise((done) => setTimeout(done, 50));
        const inside = document.activeElement === area;
        const at = area.selectionStart;
        area.remove();
        title.removeAttribute("for");
        field = open(host, { label, text: area.value, describedBy, numbers, press, changed });
        if (inside) field.focus(at);
      },
      { once: true },
    );
    const title = make("label", { class: "exercise-head", for: name }, label);
    return {
      element: make("div", {}, title, host),
      text: () => field.text(),
      set: (to) => field.set(to),
    };
  }

  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

  /** A line that says what Python does, with a bar while it loads. */
  function progressLine() {
    const bar = make("progress", { "aria-label": "Python loading", hidden: true });
    const status = make("span", { role: "status" });
    // A screen reader has the bar; each new number said aloud would drown all else.
    const amount = make("span", { "aria-hidden": "true" });

    function say(words, numbers = "", isLoading = false) {
      bar.hidden = !isLoading;
      if (status.textContent !== words) status.textContent = words;
      amount.textContent = numbers;
    }

    return {
      element: make("p", { class: "code-progress" }, bar, status, amount),
      say,
      show({ loaded, total, doing }) {
        if (total) [bar.max, bar.value] = [total, loaded];
        else bar.removeAttribute("value");
        const numbers = total && !doing ? ` ${megabytes(loaded)} of ${megabytes(total)} MB` : "";
        say(`${doing || "Loading Python"} …`, numbers, !doing);
      },
    };
  }

  /** Whether a function is as it was given, or a line of it still consists of `...` where a value
      belongs; Python finds the gaps that this does not. */
  function isUnwritten(source, stub) {
    const words = source
      .replace(/"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#.*/g, "")
      .trim();
    // In an index and in a tuple it is a value like others.
    return source.trim() === stub.trim() || (stub.includes("...") && /(?:return|=)\s*\.\.\.(?![\d,])/.test(words));
  }

  /** The form of an exercise that asks for a function. */
  function functionForm(table, kept, id) {
    let busy = false;
    let ran; // the code and the case of which the last run shows what came back
    const earlier = make("p", { class: "exercise-earlier" }, "This is what an earlier version of your code gave.");
    const note = `code-note-${++made}`;
    const draft = progress.draftOf(id);
    const submit = () => element.closest("form").requestSubmit();
    const code = codeField({
      label: "Your function",
      text: draft?.code ?? kept ?? table.stub,
      describedBy: note,
      numbers: true,
      press: submit,
      changed: () => keep(),
    });
    const trial = codeField({
      label: "A case to run it on",
      text: draft?.trial ?? table.trial,
      describedBy: note,
      numbers: false,
      press: () => tryIt(),
      changed: () => keep(),
    });
    const run = make("button", { type: "button", "aria-label": "Run the case" }, "Run");
    const stop = make("button", { type: "button", hidden: true }, "Stop");
    const reset = make("button", { type: "button" }, "Reset the code");
    const line = progressLine();
    const { say, show } = line;
    const shown = make("div", { class: "code-shown", role: "status" });
    const says = make(
      "p",
      { id: note, class: "code-note" },
      "Ctrl+Enter checks or runs. Once you type, Tab indents; Escape and then Tab leaves.",
    );
    const element = make(
      "div",
      { class: "exercise-code" },
      code.element,
      trial.element,
      says,
    );
    const below = make("div", {}, line.element, shown);

    const written = () => JSON.stringify([code.text(), trial.text()]);

    function keep() {
      compare();
      const now = { code: code.text(), trial: trial.text() };
      element.dispatchEvent(new Event("input", { bubbles: true }));
      const fresh = now.code === table.stub && now.trial === table.trial;
      if (!fresh) python.warm().catch(() => {});
      progress.keepDraft(id, fresh ? undefined : now);
    }

    /** Show one of two buttons that have one place, and leave the focus there. */
    function swap(from, to) {
      const isFocused = document.activeElement === from;
      to.hidden = false;
      from.hidden = true;
      if (isFocused) to.focus();
    }

    /** Ask Python, with what there is to see meanwhile; what went wrong is said in its place. */
    async function ask(message) {
      busy = true;
      swap(run, stop);
      try {
        return await python.ask(message, show);
      } catch (problem) {
        if (!(problem instanceof Unavailable)) throw problem;
        return { problem };
      } finally {
        busy = false;
        swap(stop, run);
        say("");
      }
    }

    /** Return why nothing was checked, as a reply that is not noted. */
    function unavailable({ head, message }) {
      const words = make("p", {}, message);
      if (head !== ENDED) words.append(" Press again to try again, or use the page's notebook.");
      const lines = head === STOPPED ? [] : [words.outerHTML];
      return { outcome: "NOT_ATTEMPTED", noted: head, lines };
    }

    async function tryIt() {
      if (busy) return;
      shown.replaceChildren();
      ran = written();
      const { reply, stopped, problem } = await ask({ what: "run", source: code.text(), trial: trial.text() });
      const box = make("div", { class: "feedback" });
      if (reply) box.innerHTML = reply.lines.join("");
      else if (stopped) box.append(make("p", {}, `${STOPPED}.`));
      else if (problem) box.append(make("p", {}, `${problem.head}. ${problem.message}`));
      else box.append(make("p", {}, `It did not finish within ${LIMIT} s. Does a loop never end?`));
      shown.append(box);
      compare();
    }

    /** Say of what a run gave if it is of earlier code. */
    function compare() {
      const isEarlier = ran && shown.childElementCount > 0 && ran !== written();
      if (isEarlier && !earlier.isConnected) shown.prepend(earlier);
      else if (!isEarlier) earlier.remove();
    }

    run.addEventListener("click", tryIt);
    stop.addEventListener("click", () => python.stop(show));
    reset.addEventListener("click", () => {
      code.set(table.stub);
      trial.set(table.trial);
      shown.replaceChildren();
      say("As it was at the start.");
    });

    progress.followDraft(id, element, (other) => {
      const now = { code: table.stub, trial: table.trial, ...other };
      if (now.code !== code.text()) code.set(now.code);
      if (now.trial !== trial.text()) trial.set(now.trial);
    });

    return {
      element,
      read: () => code.text(),
      below,
      buttons: [run, stop],
      items: [reset],
      async check() {
        if (busy) return undefined;
        const source = code.text();
        shown.replaceChildren();
        if (isUnwritten(source, table.stub)) return { outcome: "NOT_ATTEMPTED", lines: [table.unwritten] };
        const { reply, stopped, problem } = await ask({ what: "check", id, source });
        if (problem) return unavailable(problem);
        if (stopped) return unavailable(new Unavailable("", STOPPED));
        const result = reply ?? {
          outcome: "ERROR",
          lines: [`<p>It did not finish within ${LIMIT} s. Does a loop never end?</p>`],
        };
        return { ...result, answer: source };
      },
    };
  }

  window.recsysBook.functionForm = functionForm;
  window.recsysBook.isUnwritten = isUnwritten;
  window.recsysBook.python = python;
  window.recsysBook.codeField = codeField;
  window.recsysBook.Unavailable = Unavailable;
  window.recsysBook.progressLine = progressLine;
  window.recsysBook.keepPage = keepPage;
})();
