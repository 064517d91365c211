/* Explorables in the book: a still picture with numbers becomes one that moves.
   Every number and every picture was written ahead by Python; this only picks them, and hands them
   to the module that draws explorables in notebooks, too (recsys_metrics/workbook/explorables/frontend).
   The reader of the tables is the counterpart of recsys_metrics/workbook/explorables/precomputed.py. */

(() => {
  "use strict";

  const { address, load, whenNear, make, progress } = window.recsysBook;
  const WRITE_AFTER = 250; // ms; browsers refuse to change the address more often

  // Reading a table

  /** Return the number at a place of a packed text. */
  function unpack(text, at, wide) {
    let number = 0;
    for (let i = at * wide; i < (at + 1) * wide; i++) {
      const sign = text.charCodeAt(i) - 35; // from "#", without the backslash
      number = number * 91 + (sign > 57 ? sign - 1 : sign);
    }
    return number;
  }

  function unpackAll(text, wide) {
    return Array.from({ length: text.length / wide }, (_, at) => unpack(text, at, wide));
  }

  /** Return which of its things a column has for a state. */
  function pick(column, state, sizes) {
    const at = column.on.reduce((sum, axis) => sum * sizes[axis] + state[axis], 0);
    return unpack(column.at, at, column.wide);
  }

  function drawing(picture, number) {
    picture.rows ??= picture.frames.split(" ");
    picture.parts ??= picture.blocks
      .split(" ")
      .map((block) => unpackAll(block, picture.blockWide).map((n) => picture.marks[n]).join(""));
    return unpackAll(picture.rows[number], picture.frameWide)
      .map((n) => picture.parts[n])
      .join("");
  }

  const sizesOf = (table) => table.facts.controls.map((control) => control.texts.length);

  /** Return what is shown of a state, as Python would hand it over. */
  function read(table, state) {
    const sizes = sizesOf(table);
    return {
      state,
      numbers: table.numbers.map((column) => column.shown[pick(column, state, sizes)]),
      goals: table.goals.map((goal) => goal.shown[pick(goal, state, sizes)]),
      svg: drawing(table.picture, pick(table.picture, state, sizes)),
      alt: table.alt.shown[pick(table.alt, state, sizes)],
    };
  }

  // The model

  /** Return what stands in the place of a kernel: it answers a state from the table. A quiet one
      asks nothing of the reader, and notes nothing. */
  function modelOf(id, table, start, { quiet = false } = {}) {
    const listeners = new Map(); // from the event to those who wait for it
    const of = (event) => listeners.get(event) ?? listeners.set(event, new Set()).get(event);
    const facts = quiet ? { ...table.facts, goals: [], guess: null } : table.facts;
    const goals = facts.goals.map((_, at) => at);
    const found = () => goals.filter((at) => progress.isDone(`${id}#${at + 1}`));
    const values = {
      facts,
      state: start,
      shown: read(table, start),
      found: found(),
      guessed: progress.guessOf(id),
    };
    let changed = [];

    function put(name, value) {
      values[name] = value;
      for (const call of of(`change:${name}`)) call();
    }

    function answer() {
      const shown = read(table, values.state);
      const before = new Set(found());
      for (const at of goals) if (shown.goals[at] && !before.has(at)) progress.noteGoal(id, at + 1);
      put("shown", shown);
    }

    if (!quiet) progress.watch(() => {
      if (found().length !== values.found.length) put("found", found());
    });
    return {
      get: (name) => values[name],
      set(name, value) {
        values[name] = value;
        changed.push(name);
      },
      save_changes() {
        const names = changed;
        changed = [];
        for (const name of names) put(name, values[name]);
        if (names.includes("state")) answer();
        if (names.includes("guessed")) progress.noteGuess(id, values.guessed);
      },
      on: (event, call) => of(event).add(call),
      off: (event, call) => of(event).delete(call),
    };
  }

  // The address

  /** Return a state as the end of an address: what differs from the start. */
  function written(id, { controls }, state) {
    const moved = controls
      .map((control, i) => [control, state[i]])
      .filter(([control, at]) => at !== control.start)
      .map(([control, at]) => `${encodeURIComponent(control.name)}=${control.keys[at]}`);
    return `#${id}?${moved.join("&")}`;
  }

  function isAddressed(id) {
    return location.hash.startsWith(`#${id}?`);
  }

  /** Return the state that the address asks for; what it does not name is as at the start. */
  function fromAddress(id, { controls }) {
    const asked = new URLSearchParams(location.hash.slice(id.length + 2).replaceAll("+", "%2B"));
    return controls.map((control) => {
      const at = control.keys.indexOf(asked.get(control.name));
      return at < 0 ? control.start : at;
    });
  }

  // The page

  function wake(section, id, table) {
    const { facts } = table;
    const starts = facts.controls.map((control) => control.start);
    const model = modelOf(id, table, isAddressed(id) ? fromAddress(id, facts) : starts);
    const link = make("a", {}, "Link to this state");
    const links = [link];
    // On its own page a figure needs no link to it.
    if (!document.querySelector(".embed-foot")) {
      links.push(make("a", { href: address(`../explorables/${id}.html`) }, "Embed this figure"));
    }
    window.recsysBook.fronts.get("explorable").render({ model, el: section, links });
    let writing = 0;
    let told = true; // a state that came from the address, or from a walk, is not written there
    const show = () => {
      link.href = written(id, facts, model.get("state"));
    };
    model.on("change:state", () => {
      show();
      clearTimeout(writing);
      if (told) writing = setTimeout(() => history.replaceState(null, "", link.href), WRITE_AFTER);
    });
    const go = (state) => {
      told = false;
      model.set("state", state);
      model.save_changes();
      told = true;
    };
    addEventListener("hashchange", () => {
      if (isAddressed(id)) go(fromAddress(id, facts));
    });
    section.dataset.alive = "";
    show();
    if (isAddressed(id)) section.scrollIntoView({ block: "start" });
    section.dispatchEvent(new CustomEvent("alive", { detail: { go } }));
  }

  function find() {
    const all = [...document.querySelectorAll("[data-explorable][data-goals]")];
    const goalsOf = ({ dataset: { explorable, goals } }) =>
      Array.from({ length: Number(goals) }, (_, i) => `${explorable}#${i + 1}`);
    const guessOf = ({ dataset: { explorable, guess } }) =>
      guess === undefined ? [] : [`${explorable}#guess`];
    for (const section of all) {
      section.dataset.counted = [...goalsOf(section), ...guessOf(section)].join(" ");
    }
    progress.show("goals", all.flatMap(goalsOf));
    progress.show("guesses", all.flatMap(guessOf));
    wakeWithin(document);
  }

  /** Have each explorable in a part of the page move, once it comes near. */
  function wakeWithin(part) {
    for (const section of part.querySelectorAll("[data-explorable]")) {
      const id = section.dataset.explorable;
      const start = () =>
        load("explorables", id)
          .then((table) => wake(section, id, table))
          .catch((problem) => console.warn(`${problem.message}; the picture stays as it is`));
      if (isAddressed(id)) start();
      else whenNear(section, start);
    }
  }

  window.recsysBook.read = read;
  window.recsysBook.modelOf = modelOf;
  window.recsysBook.wakeWithin = wakeWithin;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
