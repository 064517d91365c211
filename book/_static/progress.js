/* What a reader has done in the book: kept in the browser, shown on the page, saved to a file. */

(() => {
  "use strict";

  const { make } = window.recsysBook;

  const KEPT = "recsys-metrics.progress";
  const OUTCOMES = ["PASS", "PART", "WRONG", "ERROR", "NOT_ATTEMPTED", "NOT ATTEMPTED"];
  const ID = /^[a-z][\w-]*(\.[\w-]+){1,2}$/i;
  // More than the whole book can ask for, and less than a browser keeps for a site.
  const MOST = { entries: 5000, words: 20000, parts: 200, bytes: 4e6, tries: 1e6 };

  const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isWords = (value) => typeof value === "string" && value.length <= MOST.words;
  const isList = (value) => Array.isArray(value) && value.length <= MOST.parts && value.every(isWords);
  const isTableOfWords = (value) => isTable(value) && isList(Object.values(value));
  const SHAPES = { words: isWords, list: isList, table: isTableOfWords };

  /** Return an entry as this book writes it, or null: a file may hold anything. */
  function readEntry(id, raw) {
    if (id.length > 120 || !ID.test(id) || !isTable(raw) || !OUTCOMES.includes(raw.outcome)) return null;
    const { outcome, tries = 0, answer } = raw;
    if (!Number.isInteger(tries) || tries < 0 || tries > MOST.tries) return null;
    if (answer === undefined) return { outcome, tries };
    return Object.values(SHAPES).some((fits) => fits(answer)) ? { outcome, tries, answer } : null;
  }

  /** Return the entries of a text and how many more it has that cannot be read. */
  function readText(text) {
    const file = JSON.parse(text);
    if (!isTable(file) || file.version !== 1 || !isTable(file.exercises)) {
      throw new Error("it was not saved by this book");
    }
    const entries = new Map();
    let unread = 0;
    for (const [id, raw] of Object.entries(file.exercises)) {
      const entry = entries.size < MOST.entries ? readEntry(id, raw) : null;
      if (entry) entries.set(id, entry);
      else unread++;
    }
    return { entries, unread };
  }

  const counted = (number, one, more) => `${number} ${number === 1 ? one : more}`;

  const watchers = [];
  const progress = (() => {
    let exercises = new Map();
    let problem = "";
    load();

    function load() {
      let text = null;
      try {
        text = localStorage.getItem(KEPT);
      } catch {
        // A browser may forbid it; progress then lasts as long as the page.
      }
      if (text === null) return;
      let unread = 0;
      try {
        ({ entries: exercises, unread } = readText(text));
        if (!unread) return;
        const lost = counted(unread, "entry", "entries");
        problem = `${lost} of the progress kept in this browser cannot be read; the rest is here.`;
      } catch {
        problem = "The progress kept in this browser is damaged and cannot be read.";
      }
      problem += " Reset progress to begin anew, or load a file that you saved.";
      try {
        // The next answer is written over it.
        localStorage.setItem(`${KEPT}.damaged`, text);
      } catch {
        // There is no space for both.
      }
    }

    const asText = (indent) =>
      JSON.stringify({ version: 1, exercises: Object.fromEntries(exercises) }, null, indent);

    function changed() {
      try {
        localStorage.setItem(KEPT, asText());
        problem = "";
      } catch (error) {
        problem =
          `This browser does not keep your progress (${error.name}); it lasts as long as this page. ` +
          "Save it to a file.";
      }
      watchers.forEach((watch) => watch());
    }

    return {
      of: (id) => exercises.get(id),
      /** Return the answer that was noted if it has the shape of a form: words, list or table. */
      answerOf(id, shape) {
        const answer = exercises.get(id)?.answer;
        if (!SHAPES[shape](answer)) return undefined;
        return shape === "list" ? [...new Set(answer)] : answer;
      },
      isDone: (id) => exercises.get(id)?.outcome === "PASS",
      problem: () => problem,
      note(id, outcome, answer) {
        // What was right once stays done, whatever is tried later.
        progress.mark(id, progress.isDone(id) ? "PASS" : outcome, answer);
      },
      asFile: () => `${asText(1)}\n`,
      /** Add what another file knows, and say what of it was taken. */
      take(text) {
        const { entries, unread } = readText(text);
        let taken = 0;
        for (const [id, theirs] of entries) {
          if (progress.isDone(id)) continue;
          exercises.set(id, theirs);
          taken++;
        }
        const kept = entries.size - taken;
        changed();
        return [
          `${counted(taken, "entry", "entries")} taken.`,
          kept ? `${kept} left out: done here already.` : "",
          unread ? `${unread} left out: not written by this book.` : "",
          problem,
        ]
          .filter(Boolean)
          .join(" ");
      },
      /** Replace what was noted: for what may be forgotten again. */
      mark(id, outcome, answer) {
        exercises.set(id, { outcome, tries: (exercises.get(id)?.tries ?? 0) + 1, answer });
        changed();
      },
      /** Forget all that this browser keeps. */
      reset() {
        for (const key of [KEPT, `${KEPT}.damaged`]) localStorage.removeItem(key);
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
    const said = make("span", { class: "progress-problem", role: "alert" });
    const save = make("button", { type: "button" }, "Save progress");
    const file = make("input", { type: "file", accept: ".json,application/json", hidden: true });
    const open = make("button", { type: "button" }, "Load progress");
    const reset = make("button", { type: "button" }, "Reset progress");
    save.addEventListener("click", () => {
      const blob = new Blob([progress.asFile()], { type: "application/json" });
      const link = make("a", { download: "recsys-workbook-progress.json" });
      link.href = URL.createObjectURL(blob);
      link.click();
      URL.revokeObjectURL(link.href);
    });
    open.addEventListener("click", () => file.click());
    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      said.textContent = "";
      try {
        if (chosen.size > MOST.bytes) {
          const sizes = [chosen.size, MOST.bytes].map((bytes) => Math.ceil(bytes / 1e6));
          throw new Error(`it has ${sizes[0]} MB, and a file of this book has ${sizes[1]} MB at most`);
        }
        said.textContent = progress.take(await chosen.text());
      } catch (error) {
        said.textContent = `That file cannot be read: ${error.message}. Nothing of it was taken.`;
      }
      file.value = "";
    });
    reset.addEventListener("click", () => {
      const asked =
        "Forget all answers that this browser keeps, on every page of this book? " +
        "Save progress first if you may want them again.";
      if (!confirm(asked)) return;
      try {
        progress.reset();
        location.reload();
      } catch (error) {
        said.textContent = `This browser does not let the book forget: ${error.message}.`;
      }
    });
    const update = () => {
      const counts = Object.keys(SAID)
        .filter((kind) => held[kind])
        .map((kind) => [kind, count(held[kind])]);
      words.textContent = counts.map(([kind, found]) => SAID[kind](found)).join(" · ");
      bar.max = counts.reduce((sum, [, found]) => sum + found.all, 0);
      bar.value = counts.reduce((sum, [, found]) => sum + found.done, 0);
      if (progress.problem()) said.textContent = progress.problem();
    };
    progress.watch(update);
    update();
    return make("div", { class: "progress-line" }, words, bar, save, open, file, reset, said);
  }

  window.recsysBook.progress = progress;
})();
