/* Explorables in the book: a still picture with numbers becomes one that moves.
   Every number and every picture was written ahead by Python; this only picks them.
   The reader of the tables is the counterpart of recsys_metrics/workbook/explorables/frames.py. */

(() => {
  "use strict";

  const { load, whenNear, make, progress } = window.recsysBook;
  const SPEAK_AFTER = 700; // ms; a screen reader is told where a move ended, not each step of it
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

  /** Return what is shown of a state: the numbers as text with their place, picture, words. */
  function read(table, state) {
    const sizes = table.controls.map((control) => control.texts.length);
    return {
      numbers: table.numbers.map((column) => column.shown[pick(column, state, sizes)]),
      goals: (table.goals ?? []).map((goal) => goal.shown[pick(goal, state, sizes)]),
      svg: drawing(table.picture, pick(table.picture, state, sizes)),
      alt: table.alt.shown[pick(table.alt, state, sizes)],
    };
  }

  // The address

  /** Return a state as the end of an address: what differs from the start. */
  function written(id, table, state) {
    const moved = table.controls
      .map((control, i) => [control, state[i]])
      .filter(([control, at]) => at !== control.start)
      .map(([control, at]) => `${encodeURIComponent(control.name)}=${control.keys[at]}`);
    return `#${id}?${moved.join("&")}`;
  }

  function isAddressed(id) {
    return location.hash.startsWith(`#${id}?`);
  }

  /** Return the state that the address asks for; what it does not name is as at the start. */
  function fromAddress(id, table) {
    const asked = new URLSearchParams(location.hash.slice(id.length + 2).replaceAll("+", "%2B"));
    return table.controls.map((control) => {
      const at = control.keys.indexOf(asked.get(control.name));
      return at < 0 ? control.start : at;
    });
  }

  // The form

  let made = 0;

  function box(control, name) {
    if (control.kind === "slider") {
      const last = control.texts.length - 1;
      return make("input", { type: "range", id: name, min: 0, max: last, step: 1 });
    }
    const options = control.texts.map((text, at) => make("option", { value: at }, text));
    return make("select", { id: name }, ...options);
  }

  function wake(section, id, table) {
    const starts = table.controls.map((control) => control.start);
    const picture = make("div", { class: "explorable-picture" });
    const readout = make("div", { class: "explorable-readout" });
    readout.innerHTML = table.readout;
    const rows = [...readout.querySelectorAll("tbody tr")].map((row) => ({
      text: row.querySelector("td"),
      bar: row.querySelectorAll("rect")[1] ?? null,
      svg: row.querySelector("svg"),
      line: null,
    }));
    const status = make("p", { class: "explorable-status", role: "status" });
    const goals = make("ul", { class: "explorable-goals", "aria-label": "To find" });
    const isFound = (i) => progress.isDone(`${id}#${i + 1}`);
    const showGoals = () => goals.replaceChildren(...table.goals.map(goalLine));
    const goalLine = ({ text, found }, i) =>
      isFound(i) ? make("li", {}, make("strong", {}, "✓ Found."), ` ${text} ${found}`) : make("li", {}, text);
    showGoals();
    progress.watch(showGoals);
    const fields = table.controls.map((control) => {
      const name = `explorable-${++made}`;
      const input = box(control, name);
      const value = make("span", { class: "explorable-value" });
      const words = make("span", { id: `${name}-label` }, control.label);
      const label = make("label", { for: name }, words);
      if (control.kind === "slider") {
        input.setAttribute("aria-labelledby", `${name}-label`);
        label.append(": ", value);
      }
      return { input, value, element: make("div", { class: "explorable-control" }, label, input) };
    });
    const reset = make("button", { type: "button" }, "Reset");
    const link = make("a", {}, "Link to this state");
    const form = make(
      "div",
      { class: "explorable-controls", role: "group", "aria-label": "Controls" },
      ...fields.map((field) => field.element),
      make("div", { class: "explorable-ends" }, reset, link),
    );

    let state = isAddressed(id) ? fromAddress(id, table) : starts;
    let shown = null;
    let spoken = null; // the numbers that a screen reader was told last, while it waits for more
    const news = []; // goals found since then
    let speaking = 0;
    let writing = 0;

    function setBar(row, column, place) {
      if (!row.svg || column.zero === null) return;
      if (!row.bar) {
        row.bar = row.svg.querySelector("rect").cloneNode();
        row.bar.removeAttribute("stroke");
        row.bar.removeAttribute("opacity");
        row.bar.setAttribute("fill", "#0072B2");
        row.svg.append(row.bar);
      }
      row.bar.setAttribute("x", place === null ? 0 : Math.min(place, column.zero));
      row.bar.setAttribute("width", place === null ? 0 : Math.abs(place - column.zero));
    }

    function setLine(row, place) {
      row.line?.remove();
      row.line = null;
      if (!row.svg || place === null) return;
      row.line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      const look = { x1: place, x2: place, y1: 0, y2: 12, stroke: "currentColor" };
      for (const [name, value] of Object.entries(look)) row.line.setAttribute(name, value);
      row.line.setAttribute("stroke-width", 2);
      row.svg.append(row.line);
    }

    function show() {
      const now = read(table, state);
      picture.innerHTML = now.svg;
      const svg = picture.firstElementChild;
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", now.alt);
      svg.style.cssText = "max-width:100%;height:auto";
      // What stands below must not move under the reader's hand.
      const tall = Math.ceil(svg.getBoundingClientRect().height);
      if (tall > (parseFloat(picture.style.minHeight) || 0)) picture.style.minHeight = `${tall}px`;
      table.numbers.forEach((column, i) => {
        const [text, place] = now.numbers[i];
        const before = shown ? shown.numbers[i] : now.numbers[i];
        rows[i].text.textContent = text;
        setBar(rows[i], column, place);
        setLine(rows[i], before[0] === text ? null : before[1]);
      });
      table.controls.forEach((control, i) => {
        fields[i].input.value = state[i];
        fields[i].value.textContent = control.texts[state[i]];
        if (control.kind === "slider") {
          fields[i].input.setAttribute("aria-valuetext", control.texts[state[i]]);
        }
      });
      link.href = written(id, table, state);
      shown = now;
    }

    function move(to, { told = true } = {}) {
      if (to.every((at, i) => at === state[i])) return;
      spoken ??= shown.numbers;
      state = to;
      show();
      const reached = table.goals.filter((_, i) => shown.goals[i] && !isFound(i));
      for (const goal of reached) {
        progress.noteGoal(id, table.goals.indexOf(goal) + 1);
        news.push(`Found: ${goal.text}`);
      }
      if (!told) return;
      clearTimeout(speaking);
      speaking = setTimeout(() => {
        const changed = table.numbers
          .map((column, i) => [column.label, shown.numbers[i][0], spoken[i][0]])
          .filter(([, now, then]) => now !== then)
          .map(([label, now]) => `${label} ${now}`);
        spoken = null;
        const numbers = changed.length ? `${changed.join(", ")}.` : "No number has changed.";
        status.textContent = [numbers, ...news.splice(0)].join(" ");
      }, SPEAK_AFTER);
      clearTimeout(writing);
      writing = setTimeout(() => history.replaceState(null, "", link.href), WRITE_AFTER);
    }

    fields.forEach((field, i) => {
      field.input.addEventListener("input", () => {
        move(state.map((at, j) => (i === j ? Number(field.input.value) : at)));
      });
    });
    reset.addEventListener("click", () => move(starts));
    addEventListener("hashchange", () => {
      if (isAddressed(id)) move(fromAddress(id, table), { told: false });
    });
    addEventListener("resize", () => {
      picture.style.minHeight = "";
    });

    const question = make("p", { class: "explorable-question" }, table.question);
    const body = make("div", { class: "explorable-body" }, picture, readout);
    section.replaceChildren(question, body, form, ...(table.goals.length ? [goals] : []), status);
    section.classList.add("explorable");
    section.dataset.alive = "";
    show();
    if (isAddressed(id)) section.scrollIntoView({ block: "start" });
  }

  function find() {
    const all = [...document.querySelectorAll("[data-explorable][data-goals]")];
    const idsOf = ({ dataset: { explorable, goals } }) =>
      Array.from({ length: Number(goals) }, (_, i) => `${explorable}#${i + 1}`);
    for (const section of all) section.dataset.counted = idsOf(section).join(" ");
    progress.show("goals", all.flatMap(idsOf));
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
  window.recsysBook.wakeWithin = wakeWithin;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
