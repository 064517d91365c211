/* What a reader has done in the book: kept in the browser, shown on the page, saved to a file. */

(() => {
  "use strict";

  const { make } = window.recsysBook;

  const KEPT = "recsys-metrics.progress";
  const DRAFTS = `${KEPT}.drafts`;
  // The moment when all was forgotten, so that another tab does not bring back what it remembers.
  const RESET = `${KEPT}.reset`;
  const VERSION = 2;
  const OUTCOMES = ["PASS", "PART", "WRONG", "ERROR", "NOT ATTEMPTED"];
  const KINDS = ["check", "hint", "solution", "goal", "guess"];
  const ID = /^[a-z][\w-]*(\.[\w-]+){1,2}$/i;
  // More than a learner does in years, and less than a browser keeps for a site.
  const MOST = { events: 20000, words: 20000, parts: 200, bytes: 4e6, tries: 1e6 };

  const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isWords = (value) => typeof value === "string" && value.length <= MOST.words;
  const isList = (value) => Array.isArray(value) && value.length <= MOST.parts && value.every(isWords);
  const isTableOfWords = (value) => isTable(value) && isList(Object.values(value));
  const isCount = (value) => Number.isInteger(value) && value >= 0 && value <= MOST.tries;
  const SHAPES = { words: isWords, list: isList, table: isTableOfWords };

  /** Whether this is an event as the book or a notebook writes it: a file may hold anything. */
  function isEvent(raw) {
    if (!isTable(raw)) return false;
    const { id, when, exercise, what = "check", outcome, tries = 1, number = 0, answer } = raw;
    return (
      isWords(id) &&
      isWords(when) &&
      /[+-]\d\d:\d\d$|Z$/.test(when) &&
      !Number.isNaN(Date.parse(when)) &&
      isWords(exercise) &&
      exercise.length <= 120 &&
      ID.test(exercise) &&
      KINDS.includes(what) &&
      (what === "check" ? OUTCOMES.includes(outcome) : true) &&
      isCount(tries) &&
      isCount(number) &&
      (answer === undefined || Object.values(SHAPES).some((fits) => fits(answer)))
    );
  }

  /** Return this moment, as the learner's clock has it and with its distance from UTC. */
  function moment() {
    const now = new Date();
    const ahead = -now.getTimezoneOffset();
    const [hours, minutes] = [Math.abs(ahead) / 60, Math.abs(ahead) % 60].map((part) =>
      String(Math.floor(part)).padStart(2, "0"),
    );
    const local = new Date(now.getTime() + ahead * 60000).toISOString().slice(0, -1);
    return `${local}${ahead < 0 ? "-" : "+"}${hours}:${minutes}`;
  }

  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /** Return the last states of version 1 as events, with the ids that Python gives them. */
  const ofVersion1 = (exercises) =>
    Object.entries(exercises).map(([exercise, raw]) => {
      if (!isTable(raw)) return raw;
      const { outcome, tries = 1, answer } = raw;
      const known = typeof outcome === "string" ? outcome.replace("_", " ") : outcome;
      const id = `1/${exercise}//${tries}`;
      return { id, when: moment(), exercise, outcome: known, tries, answer };
    });

  /** Return the events of a text and how many more it has that cannot be read. */
  function readText(text) {
    const file = JSON.parse(text);
    const isOld = isTable(file) && file.version === 1 && isTable(file.exercises);
    if (!isOld && !(isTable(file) && file.version === VERSION && Array.isArray(file.history))) {
      throw new Error("it was not saved by this book or a notebook of it");
    }
    const told = isOld ? ofVersion1(file.exercises) : file.history;
    const { reset = null } = file;
    const latest = Date.now() + 24 * 3600 * 1000;
    const events = told
      .filter(isEvent)
      .slice(0, MOST.events)
      // A clock that was ahead must not settle for ever what is known.
      .map((event) => (Date.parse(event.when) > latest ? { ...event, when: moment() } : event));
    return { events, reset, unread: told.length - events.length };
  }

  const counted = (number, one, more) => `${number} ${number === 1 ? one : more}`;

  const watchers = [];
  const inOrder = (events) =>
    events
      .map((event) => [Date.parse(event.when), event])
      .sort(([one, a], [other, b]) => one - other || (a.id < b.id ? -1 : 1))
      .map(([, event]) => event);

  const progress = (() => {
    const history = new Map();
    let exercises = new Map();
    let problem = "";
    // What this browser kept when it was last read or written here.
    let [kept, reset] = [null, null];
    load();
    window.addEventListener("storage", ({ key }) => {
      if (key !== null && key !== KEPT && key !== RESET) return;
      const known = load();
      // Two tabs may write at the same moment; then the one that sees less writes again.
      if (known < history.size) changed();
      else watchers.forEach((watch) => watch());
    });

    /** Whether an event was noted after all was forgotten, as far as the clock can say. */
    function isSince(moment) {
      const isKnown = moment !== null;
      return ({ when }) => isKnown && Date.parse(when) > Number(moment) && Date.parse(when) <= Date.now();
    }

    /** Take over what this browser keeps, also from other tabs, and return how many events it has. */
    function load() {
      let [text, marked] = [null, null];
      try {
        [text, marked] = [localStorage.getItem(KEPT), localStorage.getItem(RESET)];
      } catch {
        // A browser may forbid it; progress then lasts as long as the page.
      }
      // All was forgotten elsewhere, by a button or with the browser's own data.
      if (marked !== reset || (text === null && kept !== null)) {
        const left = [...history.values()].filter(isSince(marked));
        [kept, reset] = [null, marked];
        history.clear();
        add(left);
      }
      if (text === kept || text === null) return text === null ? 0 : history.size;
      kept = text;
      try {
        const { events, reset: seen, unread } = readText(text);
        // Tabs learn of each other after a moment: this one had not heard that all was forgotten.
        const isStale = reset !== null && seen !== reset;
        add(isStale ? events.filter(isSince(reset)) : events);
        if (isStale) return -1;
        if (!unread) return events.length;
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
      return history.size;
    }

    /** Add events that are not there yet, return how many, and work out where each exercise is. */
    function add(events) {
      const before = history.size;
      for (const event of events) if (!history.has(event.id)) history.set(event.id, event);
      exercises = new Map();
      const checks = [...history.values()].filter(({ what = "check" }) => what === "check");
      // A variant is another question than the one on the page.
      for (const event of inOrder(checks.filter(({ seed }) => seed === undefined))) {
        const { exercise: id, outcome, tries = 1, answer } = event;
        const old = exercises.get(id);
        // What was right once stays done; a recall question may be forgotten again.
        const done = old?.outcome === "PASS" && !id.startsWith("recall.");
        exercises.set(id, {
          outcome: done ? "PASS" : outcome,
          tries: (old?.tries ?? 0) + tries,
          answer,
        });
      }
      for (const { exercise, what, number } of history.values()) {
        if (what === "goal") exercises.set(`${exercise}#${number}`, { outcome: "PASS", tries: 1 });
      }
      const guesses = [...history.values()].filter(({ what }) => what === "guess");
      for (const { exercise, answer } of inOrder(guesses)) {
        const key = `${exercise}#guess`;
        if (!exercises.has(key)) exercises.set(key, { outcome: "PASS", tries: 1, answer });
      }
      return history.size - before;
    }

    function drafts() {
      try {
        const kept = JSON.parse(localStorage.getItem(DRAFTS) ?? "{}");
        const sound = ([, draft]) => isTable(draft) && isWords(draft.code) && isWords(draft.trial);
        return isTable(kept) ? Object.fromEntries(Object.entries(kept).filter(sound)) : {};
      } catch {
        return {};
      }
    }

    // Half a character is in no file.
    const whole = (_, value) => (typeof value === "string" ? (value.toWellFormed?.() ?? value) : value);
    const asText = (more = "") => {
      const lines = inOrder([...history.values()]).map((event) => JSON.stringify(event, whole));
      return `{"version": ${VERSION}, ${more}"history": [\n${lines.join(",\n")}\n]}\n`;
    };

    /** Add an event to what this and every other tab knows, and keep it. */
    function keep(event) {
      load();
      add([event]);
      changed();
    }

    function changed() {
      try {
        kept = asText(reset === null ? "" : `"reset": ${JSON.stringify(reset)}, `);
        localStorage.setItem(KEPT, kept);
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
      /** Note a check; `more` has the seed of a variant, and how long it took. */
      note(exercise, outcome, answer, more = {}) {
        const known = outcome.replace("_", " ");
        keep({ id: newId(), when: moment(), exercise, outcome: known, answer, ...more });
      },
      /** Note that a hint or the solution was opened; hints count from 1. */
      noteHelp(exercise, what, number, about) {
        keep({ id: newId(), when: moment(), exercise, what, number, ...about });
      },
      /** Note that a goal of an explorable was found; goals count from 1. */
      noteGoal(explorable, number) {
        if (this.isDone(`${explorable}#${number}`)) return;
        keep({ id: newId(), when: moment(), exercise: explorable, what: "goal", number });
      },
      /** Note what was guessed before an explorable was moved. */
      noteGuess(explorable, answer) {
        keep({ id: newId(), when: moment(), exercise: explorable, what: "guess", answer });
      },
      /** Return the first guess that was made, or nothing. */
      guessOf: (explorable) => exercises.get(`${explorable}#guess`)?.answer ?? "",
      /** What was written and not checked yet. */
      draftOf: (id) => drafts()[id],
      draftsOf: (beginning) => Object.keys(drafts()).filter((id) => id.startsWith(beginning)),
      keepDraft(id, draft) {
        const all = drafts();
        if (draft === undefined) delete all[id];
        else all[id] = draft;
        try {
          localStorage.setItem(DRAFTS, JSON.stringify(all));
        } catch {
          // It lasts as long as the page.
        }
      },
      asFile: () => asText(),
      events: () => inOrder([...history.values()]),
      /** Add what another file knows, and say what of it was new. */
      take(text) {
        const { events, unread } = readText(text);
        load();
        const taken = add(events);
        const known = events.length - taken;
        changed();
        return [
          `${counted(taken, "entry", "entries")} taken.`,
          known ? `${known} left out: known here already.` : "",
          unread ? `${unread} left out: not written by this book or a notebook of it.` : "",
          problem,
        ]
          .filter(Boolean)
          .join(" ");
      },
      /** Forget all that this browser keeps. */
      reset() {
        localStorage.setItem(RESET, `${Date.now()}`);
        for (const key of [KEPT, `${KEPT}.damaged`, DRAFTS]) localStorage.removeItem(key);
      },
      watch: (call) => watchers.push(call),
      show,
    };
  })();

  // What this page holds, by kind, and how each kind is counted.
  const held = {};
  const SAID = {
    exercises: ({ done, all }) => `${done} of ${all} exercises on this page done`,
    goals: ({ done, all }) => `${done} of ${counted(all, "goal", "goals")} found`,
    guesses: ({ done, all }) => `${done} of ${counted(all, "guess", "guesses")} made`,
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
    // The front page begins with its guess.
    if (first) (document.querySelector("[data-home]") ?? title).after(progressLine());
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
