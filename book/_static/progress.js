/* What a reader has done in the book: kept in the browser, shown on the page, saved to a file. */

(() => {
  "use strict";

  const { make } = window.recsysBook;

  const KEPT = "recsys-metrics.progress";
  const DRAFTS = `${KEPT}.drafts`;
  // The moment when all was forgotten, so that another tab does not bring back what it remembers.
  const RESET = `${KEPT}.reset`;
  // What is noted beside progress that this page may not write over; the next page that may takes it.
  const WAITING = `${KEPT}.waiting`;
  const VERSION = 2;
  const OUTCOMES = ["PASS", "PART", "WRONG", "ERROR", "NOT ATTEMPTED"];
  const KINDS = ["check", "hint", "solution", "goal", "guess"];
  const ID = /^[a-z][\w-]*(\.[\w-]+){1,2}$/i;
  // A file that this book saves may be as large as what a browser keeps for a site, which is 5
  // million characters.
  const MOST = { words: 20000, parts: 200, bytes: 2e7, tries: 1e6, seconds: 1e9, depth: 100, clock: 1e15 };
  const TOO_LONG =
    "Your answer was not saved, only its outcome: an answer may have " +
    `${MOST.words.toLocaleString("en")} characters at most. Shorten it and check it again.`;
  // The notebooks take the same: the table tests/workbook/moments.json is run in both.
  const MOMENT =
    /^([1-8]\d{3})-(\d\d)-(\d\d)T([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,9})?)?([+-]([01]\d|2[0-3]):[0-5]\d|Z)$/;

  // What is written of a moment that has not come yet: no file can have a symbol.
  const WRITTEN = Symbol("written");

  const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isWords = (value) => typeof value === "string" && value.length <= MOST.words;
  const isList = (value) => Array.isArray(value) && value.length <= MOST.parts && value.every(isWords);
  const isTableOfWords = (value) => isTable(value) && isList(Object.values(value));
  const isCount = (value) => Number.isInteger(value) && value >= 0 && value <= MOST.tries;
  const SHAPES = { words: isWords, list: isList, table: isTableOfWords };
  const isAnswer = (value) => Object.values(SHAPES).some((fits) => fits(value));

  /** Whether this is a moment of a day that exists: Date.parse takes 30 February for 2 March. */
  function isMoment(value) {
    const found = isWords(value) && MOMENT.exec(value);
    if (!found || Number.isNaN(Date.parse(value))) return false;
    const [year, month, day] = found.slice(1, 4).map(Number);
    return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  }

  /** Whether this is an event as the book or a notebook writes it: a file may hold anything. */
  function isEvent(raw) {
    if (!isTable(raw)) return false;
    const { id, when, exercise, what = "check", outcome, tries = 1, number = 0, answer } = raw;
    const { seed = null, content = "", mistake = null, seconds = null, passes = 1 } = raw;
    const { clock = 0, unsaved = false } = raw;
    return (
      isWords(id) &&
      isMoment(when) &&
      isWords(exercise) &&
      exercise.length <= 120 &&
      ID.test(exercise) &&
      KINDS.includes(what) &&
      (what === "check" ? OUTCOMES.includes(outcome) : true) &&
      isCount(tries) &&
      isCount(number) &&
      isCount(passes) &&
      isWords(content) &&
      [seed, mistake].every((word) => word === null || isWords(word)) &&
      (seconds === null || (Number.isFinite(seconds) && seconds >= 0 && seconds <= MOST.seconds)) &&
      Number.isInteger(clock) &&
      clock >= 0 &&
      clock <= MOST.clock &&
      typeof unsaved === "boolean" &&
      (answer === undefined || isAnswer(answer))
    );
  }

  // A clock may show any year; what is noted is a moment that every reader takes.
  const [FIRST, LAST] = [Date.UTC(1001, 0, 1), Date.UTC(8999, 11, 30)];

  /** Return a moment, as the learner's clock has it and with its distance from UTC. */
  function moment(at = Date.now()) {
    const now = new Date(Math.min(Math.max(at, FIRST), LAST));
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

  /** Return how many keys stand in a text of JSON, each as often as it is written. */
  function countKeys(text) {
    const colon = /\s*:/y;
    let [keys, at] = [0, text.indexOf('"')];
    while (at >= 0) {
      let end = at;
      let escapes;
      do {
        end = text.indexOf('"', end + 1);
        for (escapes = 0; text[end - 1 - escapes] === "\\"; ) escapes++;
      } while (escapes % 2);
      colon.lastIndex = end + 1;
      if (colon.test(text)) keys++;
      at = text.indexOf('"', end + 1);
    }
    return keys;
  }

  /** Return what a text of JSON holds, unless JSON.parse would drop a part of it (of a key that is
      repeated it takes the last value) or it is nested so deeply that it could not be written. */
  function parse(text) {
    const value = JSON.parse(text);
    let [keys, level] = [0, [value]];
    for (let depth = 0; level.length; depth++) {
      const inner = level.filter((one) => typeof one === "object" && one !== null);
      if (inner.length && depth === MOST.depth) throw new Error("it is nested too deeply to be read");
      for (const one of inner) if (!Array.isArray(one)) keys += Object.keys(one).length;
      level = inner.flatMap((one) => Object.values(one));
    }
    if (keys !== countKeys(text)) throw new Error("a key is repeated in it, so a part would be lost");
    return value;
  }

  /** Return the events of a text and how many more it has that cannot be read. */
  function readText(text) {
    const file = parse(text);
    if (isTable(file) && Number.isInteger(file.version) && file.version > VERSION) {
      throw Object.assign(new Error("it was saved by a newer version of this book"), { isNewer: true });
    }
    const isOld = isTable(file) && file.version === 1 && isTable(file.exercises);
    if (!isOld && !(isTable(file) && file.version === VERSION && Array.isArray(file.history))) {
      throw new Error("it was not saved by this book or a notebook of it");
    }
    const told = isOld ? ofVersion1(file.exercises) : file.history;
    const { reset = null } = file;
    const sound = told.filter(isEvent);
    // Of two events of one id the first is meant, as a notebook has it.
    const known = new Map([...sound].reverse().map((event) => [event.id, event]));
    const kept = sound.filter((event) => known.get(event.id) === event);
    return { events: inOrder(placed(kept)), reset, unread: told.length - sound.length };
  }

  /** Return events as a file has them, with moments that have come, as a notebook reads them.

      A clock that was ahead must not settle for ever what is known: such an event was before what
      was noted next. What is written stays, for it may be the clock of today that is wrong. */
  function placed(events) {
    let latest = Date.now() - 10000;
    const tomorrow = Date.now() + 24 * 3600 * 1000;
    const backwards = [...events].reverse().map((event) => {
      const at = Date.parse(event.when);
      latest = at > tomorrow ? latest - 1 : at;
      return at > tomorrow ? { ...event, when: moment(latest), [WRITTEN]: event.when } : event;
    });
    return backwards.reverse();
  }

  const counted = (number, one, more) => `${number} ${number === 1 ? one : more}`;

  const watchers = [];
  const draftWatchers = [];
  /** The hybrid logical clock of an event, or its moment where no program wrote a clock. */
  const clockOf = ({ clock, when }) => clock || Date.parse(when);
  // The rule of `Event.position` in Python: tests/workbook/order_of_events.json is run in both.
  const inOrder = (events) =>
    events
      .map((event) => [clockOf(event), event])
      .sort(([one, a], [other, b]) => one - other || (a.id < b.id ? -1 : 1))
      .map(([, event]) => event);

  const progress = (() => {
    const history = new Map();
    let exercises = new Map();
    let problem = "";
    // What this browser kept when it was last read or written here.
    let [kept, waited, reset] = [null, null, null];
    // Why that is not written over, if it is not: a newer book's, which the page of this one, from
    // the browser's cache, leaves as it is; or damaged, without the space to put it aside.
    let hindrance = "";
    let blocked; // why it could not be read, if it could not
    load();
    window.addEventListener("storage", ({ key }) => {
      if (key === DRAFTS) draftWatchers.forEach((watch) => watch());
      if (key !== null && ![KEPT, RESET, WAITING].includes(key)) return;
      const known = load();
      // Two tabs may write at the same moment; then the one that sees less writes again.
      if (known < history.size) changed();
      else watchers.forEach((watch) => watch());
    });

    // A page that comes back as it was left has missed what other pages did.
    window.addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      load();
      [...draftWatchers, ...watchers].forEach((watch) => watch());
    });

    /** The clock of the last event that is known, or of when all was forgotten. */
    const latest = () =>
      [...history.values()].reduce((most, event) => Math.max(most, clockOf(event)), Number(reset));

    /** Whether an event was noted after all was forgotten. */
    function isSince(moment) {
      return (event) => moment !== null && clockOf(event) > Number(moment);
    }

    /** Take over what this browser keeps, also from other tabs, and return how many events it has. */
    function load() {
      let text, waiting, marked;
      try {
        [text, waiting, marked] = [KEPT, WAITING, RESET].map((key) => localStorage.getItem(key));
        blocked = undefined;
      } catch (error) {
        // What cannot be read is not forgotten; if the browser forbids it, progress lasts as long
        // as the page.
        blocked = error;
        return history.size;
      }
      // What is no moment was written by something else, and forgets nothing.
      if (!/^\d{1,15}$/.test(marked ?? "")) marked = null;
      // All was forgotten elsewhere, by a button or with the browser's own data.
      if (marked !== reset || (text === null && kept !== null)) {
        const left = [...history.values()].filter(isSince(marked));
        [kept, waited, reset] = [null, null, marked];
        history.clear();
        add(left);
      }
      takeWaiting(waiting);
      if (text === null) hindrance = "";
      if (text === kept || text === null) return text === null ? 0 : history.size;
      kept = text;
      hindrance = "";
      try {
        const { events, reset: seen, unread } = readText(text);
        // Tabs learn of each other after a moment: this one had not heard that all was forgotten.
        const isStale = reset !== null && seen !== reset;
        add(isStale ? events.filter(isSince(reset)) : events);
        if (isStale) return -1;
        if (!unread) return waiting === null ? events.length : -1;
        const lost = counted(unread, "entry", "entries");
        problem = `${lost} of the progress kept in this browser cannot be read; the rest is here.`;
      } catch (error) {
        if (error.isNewer) {
          hindrance =
            "The progress kept in this browser was written by a newer version of this book, so " +
            "this page does not change it. Reload the page.";
          return history.size;
        }
        problem = "The progress kept in this browser is damaged and cannot be read.";
      }
      problem += " Reset progress to begin anew, or load a file that you saved.";
      // The next answer is written over it.
      if (!putAside(KEPT, text)) {
        hindrance =
          "The progress kept in this browser is damaged, and there is no space to put it aside, so " +
          "this page does not change it.";
      }
      return history.size;
    }

    /** Add what waits beside progress that could not be written over. */
    function takeWaiting(text) {
      if (text === waited) return;
      waited = text;
      if (text === null) return;
      try {
        const { events, reset: seen } = readText(text);
        add(reset !== null && seen !== reset ? events.filter(isSince(reset)) : events);
      } catch {
        putAside(WAITING, text);
      }
    }

    /** Keep what cannot be read beside what is written in its place; return whether it was possible. */
    function putAside(key, text) {
      try {
        // What was put aside before stays.
        const aside = localStorage.getItem(`${key}.damaged`) ?? "";
        if (!aside.includes(text)) {
          localStorage.setItem(`${key}.damaged`, aside ? `${aside}\n${text}` : text);
        }
        return true;
      } catch {
        return false;
      }
    }

    /** Add events that are not there yet, return how many, and work out where each exercise is. */
    function add(events) {
      const before = history.size;
      for (const event of events) if (!history.has(event.id)) history.set(event.id, event);
      exercises = new Map();
      const checks = [...history.values()].filter(({ what = "check" }) => what === "check");
      // A variant is another question than the one on the page.
      for (const event of inOrder(checks.filter(({ seed = null }) => seed === null))) {
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

    // What was written and could not be kept.
    const unkept = new Map();

    /** Return the drafts that this browser keeps; what cannot be read of them is put aside. */
    function readDrafts() {
      const text = localStorage.getItem(DRAFTS);
      if (text === null) return {};
      let drafts;
      try {
        drafts = Object.entries(parse(text));
        if (text.trimStart()[0] !== "{") drafts = undefined;
      } catch {
        drafts = undefined;
      }
      const isText = (value) => typeof value === "string";
      const isSound = ([, draft]) => isTable(draft) && Object.values(draft).every(isText);
      const sound = Object.fromEntries((drafts ?? []).filter(isSound));
      if (drafts?.every(isSound)) return sound;
      if (!putAside(DRAFTS, text)) throw new Error("there is no space to put a damaged draft aside");
      localStorage.setItem(DRAFTS, JSON.stringify(sound));
      problem =
        "What you had written and not checked is damaged in this browser. It is kept as it was in " +
        `the browser's storage, as ${DRAFTS}.damaged; what can be read of it is here.`;
      watchers.forEach((watch) => watch());
      return sound;
    }

    function drafts() {
      let stored = {};
      try {
        stored = readDrafts();
      } catch {
        // Writing says so.
      }
      return { ...stored, ...Object.fromEntries(unkept) };
    }

    // Half a character is in no file.
    const whole = (_, value) => (typeof value === "string" ? (value.toWellFormed?.() ?? value) : value);
    const asText = (more = "") => {
      const lines = inOrder([...history.values()]).map((event) =>
        JSON.stringify({ ...event, when: event[WRITTEN] ?? event.when }, whole),
      );
      return `{"version": ${VERSION}, ${more}"history": [\n${lines.join(",\n")}\n]}\n`;
    };

    /** Add an event to what this and every other tab knows, and keep it; return what was not saved
        of it, or not in the usual place, in words. */
    function keep(event) {
      load();
      const clock = Math.min(Math.max(Date.now(), latest() + 1, 1), MOST.clock);
      // A longer answer than any file may have would be damage when it is read again.
      const isTooLong = event.answer !== undefined && !isAnswer(event.answer);
      add([{ ...event, clock, ...(isTooLong ? { answer: undefined, unsaved: true } : {}) }]);
      return [isTooLong ? TOO_LONG : "", changed() ? "" : problem].filter(Boolean).join(" ");
    }

    /** Keep all that is known, tell who watches, and return whether it is in its usual place. */
    function changed() {
      const isKept = store();
      watchers.forEach((watch) => watch());
      return isKept;
    }

    function store() {
      const text = asText(reset === null ? "" : `"reset": ${JSON.stringify(reset)}, `);
      try {
        // What could not be read must not be written over.
        if (blocked) throw blocked;
        if (hindrance) {
          localStorage.setItem(WAITING, text);
          waited = text;
          problem = `${hindrance} What you do here is saved beside it.`;
          return false;
        }
        localStorage.setItem(KEPT, text);
        kept = text;
        localStorage.removeItem(WAITING);
        waited = null;
        problem = "";
        return true;
      } catch (error) {
        problem =
          `${hindrance ? `${hindrance} ` : ""}This browser does not keep your progress ` +
          `(${error.name}); it lasts as long as this page. Save it to a file.`;
        return false;
      }
    }

    return {
      of: (id) => exercises.get(id),
      /** Return the answer that was noted, of a variant where there is a seed, if it has the shape of a
          form: words, list or table. */
      answerOf(id, shape, seed) {
        const ofVariant = () =>
          this.events().findLast((event) => {
            const { exercise, what = "check", answer } = event;
            return exercise === id && event.seed === seed && what === "check" && answer !== undefined;
          });
        const { answer } = (seed === undefined ? exercises.get(id) : ofVariant()) ?? {};
        if (!SHAPES[shape](answer)) return undefined;
        return shape === "list" ? [...new Set(answer)] : answer;
      },
      isDone: (id) => exercises.get(id)?.outcome === "PASS",
      problem: () => problem,
      /** Note a check; `more` has the seed of a variant, and how long it took. Return what was not
          saved of it, or not in the usual place, in words. */
      note(exercise, outcome, answer, more = {}) {
        const known = outcome.replace("_", " ");
        return keep({ id: newId(), when: moment(), exercise, outcome: known, answer, ...more });
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
        try {
          const all = readDrafts();
          Object.assign(all, Object.fromEntries(unkept));
          if (draft === undefined && !(id in all)) return;
          if (draft === undefined) delete all[id];
          else all[id] = draft;
          localStorage.setItem(DRAFTS, JSON.stringify(all));
          unkept.clear();
        } catch (error) {
          if (draft === undefined) unkept.delete(id);
          else unkept.set(id, draft);
          problem = `This browser does not keep what you write (${error.name}): check it, or copy it.`;
          watchers.forEach((watch) => watch());
        }
      },
      /** Show the draft that another tab has written where an element is not in use, so that neither
          tab writes over the other. */
      followDraft(id, element, show) {
        let known = JSON.stringify(drafts()[id]);
        draftWatchers.push(() => {
          const draft = drafts()[id];
          const isInUse = document.hasFocus() && element.contains(document.activeElement);
          if (JSON.stringify(draft) === known || isInUse || !element.isConnected) return;
          known = JSON.stringify(draft);
          show(draft);
        });
      },
      /** Whether an answer can be saved, which one that is too long cannot. */
      canSave: (answer) => isAnswer(answer),
      longest: MOST.words.toLocaleString("en"),
      asFile: () => asText(),
      events: () => inOrder([...history.values()]),
      /** Add what another file knows, and say what of it was new. */
      take(text) {
        const { events: told, unread } = readText(text);
        // A clock beyond the last moment becomes that moment: what is noted next comes after it.
        const events = told.map((event) => (event.clock > LAST ? { ...event, clock: LAST } : event));
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
        localStorage.setItem(RESET, `${Math.min(Math.max(Date.now(), latest()), MOST.clock - 1)}`);
        for (const key of [KEPT, WAITING, DRAFTS]) {
          localStorage.removeItem(key);
          localStorage.removeItem(`${key}.damaged`);
        }
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

  /** Count these in the bar at the top, and what they are in its menu. */
  function show(kind, ids) {
    if (![...ids].length) return;
    held[kind] = [...ids];
    update();
  }

  // The page has the bar already; one that counts nothing has none.
  const line = document.querySelector(".progress-line");
  const of = (selector) => line?.querySelector(selector);
  const [toggle, menu, words] = [of("button"), of("[popover]"), of(".progress-words")];
  const [spoken, said, file] = [of("[role=status]"), of("[role=alert]"), of("[type=file]")];
  const [amount, bar] = [of(".progress-count"), of("progress")];

  function update() {
    if (!line) return;
    const counts = Object.keys(SAID)
      .filter((kind) => held[kind])
      .map((kind) => [kind, count(held[kind])]);
    words.textContent = counts.map(([kind, found]) => SAID[kind](found)).join(" · ");
    // It is in a menu that may be closed, and heard all the same.
    spoken.textContent = words.textContent;
    if (amount && held.exercises) {
      const { done, all } = count(held.exercises);
      [bar.max, bar.value] = [all, done];
      amount.textContent = `${done}/${all}`;
    }
    if (progress.problem()) tell(progress.problem());
  }

  /** Say something of the saved progress, in the menu. */
  function tell(sentence) {
    if (said.textContent === sentence) return;
    said.textContent = sentence;
    if (sentence) menu.showPopover();
  }

  function save() {
    const blob = new Blob([progress.asFile()], { type: "application/json" });
    const link = make("a", { download: "recsys-workbook-progress.json" });
    link.href = URL.createObjectURL(blob);
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** Return the text of a file as a notebook reads it: an editor may have saved it in UTF-16. */
  function decode(bytes) {
    const [one, other] = new Uint8Array(bytes);
    const marked = one === 0xff && other === 0xfe ? "utf-16le" : one === 0xfe && other === 0xff ? "utf-16be" : "";
    return new TextDecoder(marked || "utf-8", { fatal: true }).decode(bytes);
  }

  async function take() {
    const [chosen] = file.files;
    if (!chosen) return;
    tell("");
    try {
      if (chosen.size > MOST.bytes) {
        const sizes = [chosen.size, MOST.bytes].map((bytes) => Math.ceil(bytes / 1e6));
        throw new Error(`it has ${sizes[0]} MB, and a file of this book has ${sizes[1]} MB at most`);
      }
      tell(progress.take(decode(await chosen.arrayBuffer())));
    } catch (error) {
      tell(`That file cannot be read: ${error.message}. Nothing of it was taken.`);
    }
    file.value = "";
  }

  function reset() {
    const asked =
      "Forget all answers that this browser keeps, on every page of this book? " +
      "Save progress first if you may want them again.";
    if (!confirm(asked)) return;
    try {
      progress.reset();
      location.reload();
    } catch (error) {
      tell(`This browser does not let the book forget: ${error.message}.`);
    }
  }

  function wake() {
    const actions = { save, load: () => file.click(), reset };
    for (const button of menu.querySelectorAll("[data-do]")) {
      button.addEventListener("click", actions[button.dataset.do]);
    }
    file.addEventListener("change", take);
    menu.addEventListener("beforetoggle", () => {
      const { left, bottom } = toggle.getBoundingClientRect();
      menu.style.inset = `${bottom}px auto auto ${left}px`;
    });
    progress.watch(update);
    update();
  }

  if (line) wake();
  window.recsysBook.progress = progress;
})();
