/* What a reader has done in the book: kept in the browser, shown on the page, saved to a file. */

(() => {
  "use strict";

  const { make } = window.recsysBook;

  const KEPT = "recsys-metrics.progress";

  const watchers = [];
  const progress = (() => {
    let exercises = {};
    try {
      const kept = JSON.parse(localStorage.getItem(KEPT));
      if (kept?.version === 1) exercises = kept.exercises;
    } catch {
      // What is no JSON, or may not be read, is as good as nothing.
    }

    function changed() {
      try {
        localStorage.setItem(KEPT, JSON.stringify({ version: 1, exercises }));
      } catch {
        // A browser may forbid it; progress then lasts as long as the page.
      }
      watchers.forEach((watch) => watch());
    }

    return {
      of: (id) => exercises[id],
      isDone: (id) => exercises[id]?.outcome === "PASS",
      note(id, outcome, answer) {
        // What was right once stays done, whatever is tried later.
        progress.mark(id, progress.isDone(id) ? "PASS" : outcome, answer);
      },
      asFile: () => `${JSON.stringify({ version: 1, exercises }, null, 1)}\n`,
      take(text) {
        const file = JSON.parse(text);
        if (file?.version !== 1 || typeof file.exercises !== "object") {
          throw new Error("it was not saved by this book");
        }
        for (const [id, theirs] of Object.entries(file.exercises)) {
          if (exercises[id]?.outcome !== "PASS") exercises[id] = theirs;
        }
        changed();
      },
      /** Replace what was noted: for what may be forgotten again. */
      mark(id, outcome, answer) {
        exercises[id] = { outcome, tries: (exercises[id]?.tries ?? 0) + 1, answer };
        changed();
      },
      watch: (call) => watchers.push(call),
      show,
    };
  })();

  // What this page holds, by kind, and how each kind is counted.
  const held = {};
  const SAID = {
    exercises: ({ done, all }) => `${done} of ${all} exercises on this page done`,
    recall: ({ done, all, tried }) => {
      const again = tried - done;
      const due = again ? `, ${again} to look at again` : "";
      return `${done} of ${all} recall questions known${due}`;
    },
  };

  function count(ids) {
    return {
      all: ids.length,
      done: ids.filter(progress.isDone).length,
      tried: ids.filter((id) => progress.of(id)).length,
    };
  }

  /** Count these in the line below the title, which is made when there is something to count. */
  function show(kind, ids) {
    const title = document.querySelector(".bd-article h1");
    if (![...ids].length || !title) return;
    const first = !Object.keys(held).length;
    held[kind] = [...ids];
    if (first) title.after(progressLine());
    else watchers.forEach((watch) => watch());
  }

  function progressLine() {
    const words = make("span", { role: "status" });
    const bar = make("progress", { "aria-label": "Done on this page" });
    const problem = make("span", { class: "progress-problem", role: "alert" });
    const save = make("button", { type: "button" }, "Save progress");
    const file = make("input", { type: "file", accept: ".json,application/json", hidden: true });
    const open = make("button", { type: "button" }, "Load progress");
    save.addEventListener("click", () => {
      const blob = new Blob([progress.asFile()], { type: "application/json" });
      const link = make("a", { download: "recsys-metrics-progress.json" });
      link.href = URL.createObjectURL(blob);
      link.click();
      URL.revokeObjectURL(link.href);
    });
    open.addEventListener("click", () => file.click());
    file.addEventListener("change", async () => {
      problem.textContent = "";
      try {
        progress.take(await file.files[0].text());
      } catch (error) {
        problem.textContent = `That file cannot be read: ${error.message}.`;
      }
      file.value = "";
    });
    const update = () => {
      const counts = Object.keys(SAID)
        .filter((kind) => held[kind])
        .map((kind) => [kind, count(held[kind])]);
      words.textContent = counts.map(([kind, found]) => SAID[kind](found)).join(" · ");
      bar.max = counts.reduce((sum, [, found]) => sum + found.all, 0);
      bar.value = counts.reduce((sum, [, found]) => sum + found.done, 0);
    };
    progress.watch(update);
    update();
    return make("div", { class: "progress-line" }, words, bar, save, open, file, problem);
  }

  window.recsysBook.progress = progress;
})();
