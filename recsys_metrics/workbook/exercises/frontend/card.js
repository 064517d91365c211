/* The card of an exercise: its question, fields, feedback and help. The same module draws it in a
   notebook, where a kernel checks, and in a page of the book, where tables and Python in the page do.

   createCard(spec, host) returns the card's element.

   spec   what the card shows: title, effort, picture, question, kind, fields, hints (how many),
          points, code, earlier (the answer that was saved), attempted; html where it is text
   host   check(answers)    the result, or a promise of it
          hint(number)      html of a hint, or a promise of it
          solution()        html of the worked solution, or a promise of it
          variant()         shows the card with other numbers; without it there are none
          original()        shows the card with the first numbers again, in a variant
          form(spec)        a form for a kind that this module does not know
          enter(answers)    takes what the form has, at each change
          bind(form)        takes the form itself, to read it or to write another answer into it
          after             what comes after the last card: { title, href }
          watch(call)       calls back when another place has saved an answer
          isDone()          whether it was ever right

   A form has element, read() or check(), and what it may: below, buttons, items, show(result),
   reveal(expected), matches(given, result), write(earlier), settle(isSettled) once its answer is
   right. It fires "input" whenever its answer changes, but not when it reveals the right one.

   A result has an outcome, parts by name (outcome, pitfall, lines, expected, of an order the place
   of its first wrong line), lines for all of them, noted where nothing was judged, and saving: html
   of what was not saved, or not in the usual place. */

import { createMenu } from "../../common/frontend/menu.js";

const OUTCOMES = {
  PASS: ["✓", "Correct"],
  WRONG: ["✗", "Not yet"],
  NOT_ATTEMPTED: ["", "Not attempted"],
  ERROR: ["!", "Error"],
};
const SHORT = 12;
const MISSES = 2; // after as many the answer is offered
// Characters: about three lines of a page, and a rest that takes no more room than its button.
const QUIET = 240;
const REST = 60;
const FIRST = {
  numbers: "Type an answer first.",
  pick: "Choose an answer first.",
  order: "Put at least one line in order first.",
  text: "Write an answer first.",
};

/** Return an id of the document's own: in a notebook each card has an instance of this module. */
function nextId() {
  globalThis.exerciseIds = (globalThis.exerciseIds ?? 0) + 1;
  return `exercise-${globalThis.exerciseIds}`;
}

/** Make an element: attributes as they are written, children as elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Give each line of code within an element its indent, from which it goes on where it is broken. */
function indentCode(element) {
  for (const code of element.querySelectorAll("pre")) {
    const within = code.querySelector(":scope > code") ?? code;
    if (within.childElementCount) continue; // lines that have marks of their own
    const lines = within.textContent.match(/.*\n|.+$/g) ?? [];
    const indented = lines.map((line) => {
      const indent = line.search(/[^ ]/);
      return make("span", { class: "code-line", ...(indent && { style: `--indent: ${indent}` }) }, line);
    });
    within.replaceChildren(...indented);
  }
}

function fill(element, html) {
  element.innerHTML = html;
  indentCode(element);
  return element;
}

// Forms: each reads what was answered, and marks in its fields what became of it. What it says
// stands `below` the buttons, which stay where they were pressed --------------------------------

/** Fields for numbers, beside each other where there is room. */
function numbersForm(spec) {
  const rows = spec.fields.map((field) => {
    const id = nextId();
    const input = make("input", {
      id,
      type: "text",
      inputmode: "text", // the digits alone of some phones have no sign and no stroke of a fraction
      autocapitalize: "off",
      enterkeyhint: "done",
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": `${id}-feedback`,
    });
    input.value = spec.earlier?.[field.name] ?? "";
    const mark = make("span", { class: "exercise-mark", "aria-hidden": "true" });
    const row = make("div", { class: "exercise-field" }, make("label", { for: id }, field.label), input, mark);
    // What is typed anew was not checked yet.
    input.addEventListener("input", () => {
      delete row.dataset.outcome;
      input.removeAttribute("aria-invalid");
      mark.textContent = "";
    });
    return { field, input, mark, row, feedback: make("div", { id: `${id}-feedback` }) };
  });
  // Short names leave room for three fields beside each other on a phone.
  const isShort = spec.fields.every(({ label }) => label.length <= SHORT);
  const layout = `exercise-fields${isShort ? " exercise-narrow" : ""}`;
  return {
    element: make("div", { class: layout }, ...rows.map(({ row }) => row)),
    below: make("div", { class: "exercise-feedback", role: "status" }, ...rows.map(({ feedback }) => feedback)),
    read: () => Object.fromEntries(rows.map(({ field, input }) => [field.name, input.value])),
    write(earlier) {
      for (const { field, input } of rows) {
        input.value = earlier?.[field.name] ?? "";
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
    },
    show(result, { offersAnswer }) {
      const partOf = ({ field }) => ({ outcome: "NOT_ATTEMPTED", lines: [], ...result.parts?.[field.name] });
      for (const row of rows) {
        const { outcome } = partOf(row);
        row.input.setAttribute("aria-invalid", ["WRONG", "ERROR"].includes(outcome));
        row.row.dataset.outcome = outcome.toLowerCase();
        row.mark.textContent = OUTCOMES[outcome][0];
        row.feedback.replaceChildren();
      }
      const given = rows.filter((row) => partOf(row).outcome !== "NOT_ATTEMPTED");
      // What has one cause, or is told the same, is said once; of what is right the card says so.
      const told = new Map();
      for (const row of given) {
        const part = partOf(row);
        if (part.outcome === "PASS" && !part.lines.length) continue;
        const cause = part.pitfall || [part.outcome, ...part.lines].join(" ");
        const same = told.get(cause);
        if (same) same.push(row);
        else told.set(cause, [row]);
      }
      const expected = given.filter((row) => partOf(row).expected?.length);
      const reveal = (button) =>
        button.replaceWith(
          ...expected.flatMap((row) => [
            rows.length > 1 ? ` ${row.field.label}: ` : "",
            make("code", {}, ...partOf(row).expected),
          ]),
        );
      let box;
      for (const [first, ...more] of told.values()) {
        const together = [first, ...more];
        const about = rows.length > 1 ? together.map(({ field }) => field.label).join(", ") : "";
        box = feedbackBox(partOf(first), { about });
        first.feedback.append(box);
        for (const row of more) row.input.setAttribute("aria-describedby", first.feedback.id);
      }
      // One button shows all answers, under the last of the boxes.
      if (expected.length && offersAnswer) box.append(revealButton(reveal));
      const left = rows.filter((row) => !given.includes(row)).map(({ field }) => field.label);
      if (given.length && left.length) {
        rows.at(-1).feedback.append(make("p", { class: "exercise-quiet" }, `Still empty: ${left.join(", ")}.`));
      }
      return { handled: result.outcome !== "PASS" && given.length > 0 };
    },
  };
}

/** Buttons for one option, or boxes for many. */
function pickGroup(field, earlier) {
  const name = nextId();
  const type = field.kind === "many" ? "checkbox" : "radio";
  const group = make("fieldset", {}, make("legend", {}, field.label));
  const labels = new Map();
  for (const [key, html] of field.options) {
    const input = make("input", { type, name, value: key });
    input.checked = (earlier ?? []).includes(key);
    const label = make("label", { class: "exercise-option" }, input, fill(make("span"), html));
    labels.set(key, label);
    group.append(label);
  }
  const picked = () => [...group.querySelectorAll("input:checked")].map((input) => input.value);
  return { group, picked, labels };
}

function pickForm(spec) {
  const [field] = spec.fields;
  const { group, picked, labels } = pickGroup(field, spec.earlier);
  /** Mark what was picked. Of many that are wrong together, none is said to be. */
  const mark = (outcome) => {
    const key = field.kind === "many" ? null : picked()[0];
    for (const [other, label] of labels) {
      label.classList.toggle("exercise-wrong", outcome === "WRONG" && other === key);
      label.classList.toggle("exercise-right", outcome === "PASS" && picked().includes(other));
    }
  };
  // What is picked anew was not checked yet.
  const unmark = () => {
    for (const label of labels.values()) label.classList.remove("exercise-right", "exercise-wrong");
  };
  group.addEventListener("change", unmark);
  return {
    element: group,
    read: () => ({ [field.name]: field.kind === "many" ? picked() : (picked()[0] ?? null) }),
    write(keys = []) {
      for (const input of group.querySelectorAll("input")) input.checked = keys.includes(input.value);
      unmark();
      group.dispatchEvent(new Event("input", { bubbles: true }));
    },
    reveal(keys) {
      for (const [key, label] of labels) label.classList.toggle("exercise-right", keys.includes(key));
    },
    show(result) {
      // A guess is saved, and neither right nor wrong yet.
      if (spec.points) mark(result.outcome);
    },
  };
}

/** One list of lines: those that were taken are at its top, numbered, and can be moved and put back. */
function orderForm(spec) {
  const [field] = spec.fields;
  const status = make("p", { class: "exercise-status", role: "status" });
  const left = make("ul", { class: "exercise-lines", "aria-label": "Lines to choose from" });
  const spare = make("details", { class: "exercise-spare", open: true }, make("summary", {}, "Lines that are not needed"), left);
  const taken = make("ol", { class: "exercise-lines", "aria-label": "Your order" });
  const words = new Map();
  /** A line's words; the blanks that code begins with are an indent, which takes less room. */
  const text = (html) => {
    if (!field.isCode) return fill(make("span", { class: "exercise-words" }), html);
    const line = html.trimStart();
    const steps = (html.length - line.length) / 4;
    return fill(make("code", { class: "exercise-words", ...(steps && { style: `--steps: ${steps}` }) }), line.replace(/[([,]/g, "$&<wbr>"));
  };
  const row = (letter) => [make("code", {}, make("b", {}, letter)), text(words.get(letter))];
  const letters = () => [...taken.children].map((item) => item.dataset.letter);

  function say(letter) {
    const at = letters().indexOf(letter);
    status.textContent = at < 0 ? `${letter} was put back.` : `${letter} is now line ${at + 1}.`;
    taken.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Mark the first wrong line, and all of an order that is right, until something is moved. Until
      then the next line is asked for only if one is missing. */
  function mark(result) {
    const [{ outcome, wrongLine, expected = [] } = {}] = Object.values(result?.parts ?? {});
    const isFull = outcome === "WRONG" && taken.childElementCount >= expected.length;
    taken.toggleAttribute("data-full", isFull);
    [...taken.children].forEach((item, at) => {
      if (outcome === "PASS") item.dataset.outcome = "pass";
      else if (outcome === "WRONG" && at === wrongLine) item.dataset.outcome = "wrong";
      else delete item.dataset.outcome;
    });
  }

  /** Move a line up or down by one, and leave the focus where it was. */
  function step(item, by) {
    mark();
    const focused = item.contains(document.activeElement) && document.activeElement;
    if (by < 0) item.previousElementSibling?.before(item);
    else item.nextElementSibling?.after(item);
    if (focused) focused.focus();
    say(item.dataset.letter);
  }

  function take(letter) {
    const item = left.querySelector(`[data-letter="${letter}"]`);
    const next = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    const button = (label, sign, call) => {
      const pressed = make("button", { type: "button", "aria-label": `${label} ${letter}`, title: label }, sign);
      pressed.addEventListener("click", call);
      return pressed;
    };
    mark();
    const moved = make("li", { "data-letter": letter });
    const putBack = () => {
      mark();
      moved.remove();
      offer(letter);
      say(letter);
    };
    // Where there is little room, the buttons that move a line are there once it is touched.
    moved.addEventListener("click", ({ target }) => {
      if (target.closest("button, .exercise-grip, [data-settled]")) return;
      for (const item of taken.children) item.classList.toggle("is-open", item === moved && !moved.matches(".is-open"));
    });
    moved.append(
      make("span", { class: "exercise-grip", title: "Drag to move" }),
      ...row(letter),
      make(
        "span",
        { class: "exercise-moves" },
        button("Move up", "↑", () => step(moved, -1)),
        button("Move down", "↓", () => step(moved, 1)),
        button("Put back", "×", () => {
          putBack();
          left.querySelector(`[data-letter="${letter}"] button`).focus();
        }),
      ),
    );
    taken.append(moved);
    return next;
  }

  function offer(letter) {
    const button = make("button", { type: "button" }, ...row(letter));
    const item = make("li", { "data-letter": letter }, button);
    button.addEventListener("click", () => {
      const next = take(letter);
      (next?.querySelector("button") ?? taken.lastElementChild.querySelector("button")).focus({ preventScroll: true });
      say(letter);
    });
    // The letters are in their order, so that a line that is put back is found again.
    const after = [...left.children].find((other) => other.dataset.letter > letter);
    if (after) after.before(item);
    else left.append(item);
  }

  // A line is dragged by its number with a finger, which scrolls elsewhere, and anywhere with a mouse.
  let held = null;
  taken.addEventListener("pointerdown", (event) => {
    const item = event.target.closest("li");
    const grip = event.pointerType === "mouse" ? item : event.target.closest(".exercise-grip");
    if (!item || !grip || event.button || event.target.closest("button, [data-settled]")) return;
    event.preventDefault();
    mark();
    held = item;
    held.classList.add("is-held");
    taken.setPointerCapture(event.pointerId);
  });
  taken.addEventListener("pointermove", ({ clientY }) => {
    if (!held) return;
    const others = [...taken.children].filter((one) => one !== held);
    const below = others.find((one) => {
      const { top, height } = one.getBoundingClientRect();
      return clientY < top + height / 2;
    });
    if ((below ?? null) === held.nextElementSibling) return;
    if (below) below.before(held);
    else taken.append(held);
  });
  const letGo = () => {
    if (!held) return;
    held.classList.remove("is-held");
    say(held.dataset.letter);
    held = null;
  };
  for (const end of ["pointerup", "pointercancel"]) taken.addEventListener(end, letGo);
  taken.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const item = by && event.target.closest("li");
    if (!item) return;
    event.preventDefault();
    step(item, by);
  });

  for (const [letter, html] of field.options) {
    words.set(letter, html);
    offer(letter);
  }
  /** Put lines in this order, in place of those that were taken. */
  function place(order) {
    for (const letter of letters()) {
      taken.querySelector(`[data-letter="${letter}"]`).remove();
      offer(letter);
    }
    for (const letter of order) if (words.has(letter)) take(letter);
  }
  place(spec.earlier ?? []);

  return {
    element: make(
      "div",
      {},
      make(
        "p",
        { class: "exercise-head" },
        `Choose the lines in order. ${field.note} `,
        make("span", { class: "exercise-touch" }, "Tap a line to move it, or drag it by its number."),
      ),
      taken,
      spare,
      status,
    ),
    read: () => ({ [field.name]: letters().join(" ") }),
    write(order = []) {
      place(order);
      taken.dispatchEvent(new Event("input", { bubbles: true }));
    },
    reveal: place,
    show: mark,
    settle(isSettled) {
      if (!isSettled) mark();
      taken.setAttribute("aria-label", isSettled ? "Your order, which is right" : "Your order");
      spare.open = !isSettled;
      spare.hidden = isSettled && !left.childElementCount;
      for (const button of left.querySelectorAll("button")) button.disabled = isSettled;
    },
  };
}

/** A text, and what a good one says, which the learner ticks once the text is written. */
function textForm(spec) {
  const [text, marks] = spec.fields;
  const id = nextId();
  const area = make("textarea", { id, rows: 4 });
  area.value = spec.earlier?.[text.name] ?? "";
  const { group } = pickGroup(marks, []);
  group.hidden = true;
  const ticks = () => [...group.querySelectorAll("input")].map(({ checked }) => checked);
  return {
    element: make(
      "div",
      {},
      make("div", { class: "exercise-field" }, make("label", { for: id }, text.label), area),
      group,
    ),
    read: () => ({
      [text.name]: area.value,
      ...(group.hidden ? {} : { [marks.name]: ticks() }),
    }),
    write(earlier) {
      area.value = earlier?.[text.name] ?? "";
      area.dispatchEvent(new Event("input", { bubbles: true }));
    },
    // What is ticked after a text was saved belongs to what is said of it.
    matches: (given, { noted }) =>
      given[text.name] === area.value &&
      (noted || JSON.stringify(given[marks.name] ?? []) === JSON.stringify(group.hidden ? [] : ticks())),
    show(result) {
      if (!result.noted) return {};
      group.hidden = false;
      result.lines = ["<p>Tick the statements that hold for your text. A good answer follows.</p>"];
      return { verb: "Compare with a good answer" };
    },
  };
}

// What one goes on with and does not begin anew.
const KEPT = new Set(["text", "function", "order"]);
const FORMS = { numbers: numbersForm, pick: pickForm, order: orderForm, text: textForm };

/** Whether nothing was filled in: no text, nothing picked, nothing ticked. */
function isBlank(answer) {
  if (answer === null || typeof answer === "boolean") return !answer;
  return typeof answer === "string" ? !answer.trim() : Object.values(answer).every(isBlank);
}

// Feedback --------------------------------------------------------------------------------------

function feedbackBox({ outcome, pitfall, lines, noted }, { about = "", reveal } = {}) {
  const [symbol, label] = OUTCOMES[outcome];
  const box = make("div", { class: `feedback feedback-${noted ? "noted" : outcome.toLowerCase()}` });
  // What cannot be read needs its sentence only.
  const isQuiet = outcome === "NOT_ATTEMPTED" && !noted;
  const name = pitfall ? `: <em>${pitfall}</em>` : "";
  const sign = symbol && `<span class="exercise-sign">${symbol}</span> `;
  const said = noted ? `<span class="exercise-sign">•</span> ${noted}` : `${sign}${label}${name}`;
  const head = make("p", { class: "feedback-head" }, fill(make("strong"), isQuiet ? "" : said));
  if (about && !isQuiet) head.prepend(`${about}: `);
  if (!isQuiet) box.append(head);
  box.insertAdjacentHTML("beforeend", lines.join(""));
  indentCode(box);
  // What is right has one sentence to be read; what else there is to say follows.
  if (outcome === "PASS") for (const line of [...box.children].slice(2)) line.classList.add("line-quiet");
  fold(box);
  if (reveal && outcome === "WRONG") box.append(revealButton(reveal));
  return box;
}

/** Put the quiet lines at the end of a box that are more than a few behind a button. */
function fold(box) {
  const lines = [...box.children];
  const quiet = lines.slice(lines.findLastIndex((line) => !line.classList.contains("line-quiet")) + 1);
  const lengths = quiet.map((line) => line.textContent.length);
  const total = (count) => lengths.slice(0, count).reduce((sum, length) => sum + length, 0);
  const shown = lengths.findLastIndex((_, at) => at === 0 || total(at + 1) <= QUIET) + 1;
  if (total(quiet.length) - total(shown) <= REST) return;
  box.append(make("details", { class: "feedback-more" }, make("summary", {}, "More"), ...quiet.slice(shown)));
}

function revealButton(reveal) {
  const button = make("button", { type: "button", class: "exercise-reveal" }, "Show the answer");
  button.addEventListener("click", () => reveal(button));
  return button;
}

// The card --------------------------------------------------------------------------------------

const pace = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

/** Scroll no further than it takes to see a box, or the beginning of one that is long. */
function keepInView(box) {
  const { top, height } = box.getBoundingClientRect();
  const isLong = height > innerHeight * 0.6;
  if (isLong && top > 0 && top < innerHeight * 0.5) return;
  box.scrollIntoView({ block: isLong ? "start" : "nearest", behavior: pace() });
}

/** Return the card that comes after this one, with its title. */
function following(card) {
  const all = [...document.querySelectorAll("[data-exercise]")].filter((one) => one.checkVisibility?.() ?? true);
  const at = all.indexOf(card);
  const next = at < 0 ? undefined : all[at + 1];
  const title = next?.dataset.title ?? next?.querySelector("strong")?.textContent.split(" · ").at(-1);
  return title && { next, title };
}

/** Return what a reader comes to below a card, in its page or in the next cell of a notebook. */
function below(card) {
  for (let one = card; one; one = one.parentElement) {
    for (let next = one.nextElementSibling; next; next = next.nextElementSibling) {
      if (next.offsetHeight) return next;
    }
  }
  return undefined;
}

function goTo(element) {
  element.scrollIntoView({ block: "start", behavior: pace() });
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/** Return the element of a card. */
function createCard(spec, host) {
  const card = make("section", { class: "exercise", "aria-label": spec.title, "data-title": spec.title });
  const done = make("span", { class: "exercise-done" });
  const head = make(
    "p",
    { class: "exercise-title" },
    make("strong", {}, `${spec.label} · ${spec.title}`),
    make("small", {}, spec.effort, " ", done),
  );
  const form = FORMS[spec.kind]?.(spec) ?? host.form?.(spec);
  const feedback = make("div", { class: "exercise-feedback", role: "status" });
  const help = make("div", { class: "exercise-help", role: "status" });
  const earlier = make(
    "p",
    { class: "exercise-earlier" },
    "This feedback is on an earlier version of your answer.",
  );
  let judged = null; // the answer and the result that are shown
  const isGuess = !spec.points;
  let isRight = false;
  let misses = 0;

  // Help ------------------------------------------------------------------------------------
  let hints = 0;
  const hint = make("button", { type: "button" });
  const count = () => {
    hint.textContent = `Hint (${spec.hints - hints} left)`;
    hint.disabled = hints >= spec.hints;
  };
  const shown = new Map();
  /** Show html once in the area for help, and show it again where it was closed. */
  async function open(key, html) {
    if (!shown.has(key)) {
      const box = make("div", { class: "exercise-note" });
      shown.set(key, box);
      help.append(box);
      try {
        fill(box, await html());
      } catch (problem) {
        shown.delete(key);
        box.replaceChildren(make("p", {}, `${problem.message} Press again to try again.`));
        return;
      }
    } else if (key === "solution" || key === "code") {
      shown.get(key).hidden = !shown.get(key).hidden;
    }
    keepInView(shown.get(key));
  }
  hint.addEventListener("click", () => {
    hints += 1;
    count();
    const number = hints;
    open(`hint ${number}`, () => host.hint(number));
  });

  const item = (label, call) => {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", call);
    return button;
  };
  const solution = item("Worked solution", () => open("solution", host.solution));
  const lock = (isLocked) => {
    solution.disabled = isLocked;
    solution.textContent = isLocked ? "Worked solution (after a first try)" : "Worked solution";
  };
  lock(!spec.attempted);
  const other = async (call, button) => {
    button.disabled = true;
    try {
      await call();
    } catch (problem) {
      open("problem", () => `<p>${problem.message}</p>`);
    } finally {
      button.disabled = false;
    }
  };
  const variant = item("Other numbers", () => other(host.variant, variant));
  const original = item("The first numbers", () => other(host.original, original));
  const menu = createMenu("More for this exercise", [
    ...(spec.points ? [solution] : []),
    ...(host.variant ? [variant] : []),
    ...(host.original ? [original] : []),
    ...(form?.items ?? []),
    item("Answer in code", () => open("code", () => spec.code)),
  ]);

  // Checking ----------------------------------------------------------------------------------
  const check = make("button", { type: "submit", class: "exercise-check" }, isGuess ? "Save my guess" : "Check");
  const again = make("button", { type: "button", class: "exercise-again", hidden: true }, isGuess ? "Change my guess" : "Answer again");
  const next = make("span", { class: "exercise-after" });
  const buttons = make(
    "div",
    { class: "exercise-buttons" },
    next,
    ...(form ? [check] : []),
    again,
    ...(form?.buttons ?? []),
    ...(spec.hints && !isGuess ? [hint] : []),
    menu,
  );
  const place = make("div"); // of the buttons while there is something to check
  place.append(buttons);
  const all = make(
    "form",
    { novalidate: true },
    ...(form ? [form.element] : []),
    place,
    earlier,
    ...(form?.below ? [form.below] : []),
    feedback,
    help,
  );

  /** Show a right answer as one that is done: what comes next is below what is said of it, and there
      is nothing to check until it is changed. */
  function settle(isSettled) {
    if (isSettled === card.hasAttribute("data-settled")) return;
    const { activeElement } = document;
    const isHere = buttons.contains(activeElement);
    card.toggleAttribute("data-settled", isSettled);
    check.hidden = hint.hidden = isSettled;
    again.hidden = !isSettled;
    next.replaceChildren(...(isSettled ? nextStep() : []));
    if (isSettled) feedback.after(buttons);
    else place.append(buttons);
    form.settle?.(isSettled);
    // A button that moves, or goes, loses the focus.
    if (isHere && activeElement.checkVisibility?.()) activeElement.focus({ preventScroll: true });
    else if (isHere && isSettled) focusFeedback();
  }

  /** Show the button to check as the next step once there is something to check. */
  function showReady() {
    const answer = form.read();
    card.toggleAttribute("data-blank", isBlank(answer) || answer === spec.stub);
  }

  function focusFeedback() {
    const box = all.querySelector(".feedback");
    box.tabIndex = -1;
    box.focus({ preventScroll: true });
  }

  again.addEventListener("click", () => {
    judged = null;
    settle(false);
    for (const box of all.querySelectorAll(".exercise-feedback .feedback")) box.remove();
    delete card.dataset.outcome;
    // A guess is changed where it stands.
    if (!KEPT.has(spec.kind) && !isGuess) form.write();
    form.element.querySelector("input, textarea, button, [contenteditable=true]")?.focus();
  });

  function showDone() {
    const isDone = host.isDone ? host.isDone() : isRight;
    done.textContent = isDone ? (isGuess ? "· Saved" : "· ✓ Done") : "";
  }

  function show(result) {
    if (!result) return;
    isRight ||= result.outcome === "PASS";
    if (result.outcome === "WRONG") misses += 1;
    const { handled = false, verb } = form.show?.(result, { offersAnswer: misses >= MISSES }) ?? {};
    // What helped to find an answer is in the way once it is right.
    for (const [key, box] of shown) if (key.startsWith("hint")) box.hidden = result.outcome === "PASS";
    if (verb) check.textContent = verb;
    feedback.replaceChildren();
    const parts = Object.values(result.parts ?? {});
    const isEmpty = !result.noted && result.outcome === "NOT_ATTEMPTED";
    const saysNothing = !result.lines.length && !parts.some(({ lines }) => lines.length);
    if (isEmpty && saysNothing && FIRST[spec.kind]) {
      feedback.append(make("p", { class: "exercise-quiet" }, FIRST[spec.kind]));
    } else if (!handled) feedback.append(summaryBox(result, parts));
    if (result.saving) feedback.append(fill(make("p", { class: "exercise-saving" }), result.saving));
    card.dataset.outcome = result.noted ? "noted" : result.outcome.toLowerCase();
    if (!isEmpty && !result.noted) lock(false);
    showDone();
  }

  /** Say of feedback that the answer was changed since; what asked for an answer goes. */
  function compare() {
    if (!judged) return;
    const { given, result } = judged;
    const isSame = form.matches?.(given, result) ?? JSON.stringify(form.read()) === JSON.stringify(given);
    settle(isSame && result.outcome === "PASS");
    const isAnswered = result.outcome !== "NOT_ATTEMPTED" || (result.noted && spec.kind === "text");
    earlier.hidden = isSame || !isAnswered;
    if (!isSame && !isAnswered) {
      judged = null;
      feedback.replaceChildren();
    }
  }

  function summaryBox(result, parts) {
    const lines = [...parts.flatMap((part) => (spec.kind === "numbers" ? [] : part.lines)), ...result.lines];
    const pitfall = parts.map((part) => part.pitfall).find(Boolean);
    const expected = parts.map((part) => part.expected).find((one) => one?.length);
    const reveal =
      expected &&
      misses >= MISSES &&
      ((button) => {
        if (form.reveal) form.reveal(expected);
        button.replaceWith(...(form.reveal ? [] : [make("code", {}, ...expected)]));
      });
    return feedbackBox({ ...result, pitfall, lines }, { reveal });
  }

  /** Return what comes after an answer: what shows whether a guess was right follows in the text. */
  function nextStep() {
    if (isGuess) {
      const readOn = make("button", { type: "button", class: "exercise-next" }, "Read on");
      readOn.addEventListener("click", () => goTo(below(card)));
      return below(card) ? [readOn] : [];
    }
    const found = following(card);
    const { title, href } = found ?? host.after ?? {};
    if (!title) return [];
    const short = found ? "Next exercise" : "Next page";
    const name = { class: "exercise-next", "aria-label": `${short}: ${title}` };
    const step = found ? make("button", { type: "button", ...name }, short) : make("a", { href, ...name }, short);
    if (found) step.addEventListener("click", () => goTo(found.next));
    return [step, make("span", { class: "exercise-next-title", "aria-hidden": "true" }, title)];
  }

  // A notebook keeps Enter from submitting a form.
  all.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !event.target.matches("input[type=text]")) return;
    event.preventDefault();
    all.requestSubmit();
  });
  all.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form) return;
    const given = form.read();
    const tell = (result) => {
      if (result) judged = { given, result };
      showInView(result);
    };
    judged = null;
    settle(false);
    earlier.hidden = true;
    const result = form.check ? form.check() : host.check(given);
    // Code and kernels take their time; all else is said at once.
    if (result instanceof Promise) {
      feedback.replaceChildren();
      check.disabled = true;
      result
        .then(tell)
        .catch((problem) => feedback.replaceChildren(make("p", { class: "exercise-quiet" }, problem.message)))
        .finally(() => (check.disabled = false));
    } else tell(result);
  });

  /** Show a result, and keep its beginning in view where what was said before was longer. */
  function showInView(result) {
    show(result);
    compare();
    const box = all.querySelector(".feedback");
    // The keys of a phone hide what is said.
    if (matchMedia("(pointer: coarse)").matches && all.contains(document.activeElement)) {
      if (check.hidden) focusFeedback();
      else check.focus({ preventScroll: true });
    }
    if (box) keepInView(box);
  }

  count();
  host.watch?.(showDone);
  showDone();
  const question = fill(make("div", { class: "exercise-question" }), spec.question);
  const picture = spec.picture ? [...fill(make("div"), spec.picture).childNodes] : [];
  const note = form || !spec.instruction ? [] : [make("p", { class: "exercise-quiet" }, spec.instruction)];
  card.append(head, ...picture, question, ...note, all);
  earlier.hidden = true;
  all.addEventListener("input", () => {
    compare();
    showReady();
    host.enter?.(form.read());
  });
  if (form) {
    host.bind?.(form);
    showReady();
  }
  if (spec.result) {
    judged = { given: form.read(), result: spec.result };
    show(spec.result);
    queueMicrotask(compare); // once the card is in its page, where the next one is found
  }
  return card;
}

// In a notebook ----------------------------------------------------------------------------------

/** Draw the card of a widget: every question to the kernel has a number, and its answer the same. */
function render({ model, el }) {
  const waiting = new Map();
  let asked = 0;

  function onAnswer({ turn, ...answer }) {
    const settle = waiting.get(turn);
    waiting.delete(turn);
    settle?.(answer);
  }

  function ask(what, more = {}) {
    return new Promise((resolve) => {
      const turn = ++asked;
      waiting.set(turn, resolve);
      model.send({ turn, what, ...more });
    });
  }

  let form; // of the card that is drawn
  let isTouched = false;

  function draw(spec) {
    const card = createCard(spec, {
      // A message of its own: what a widget synchronises may come after the next press of a button.
      enter: (answers) => {
        isTouched = true;
        ask("enter", { answers });
      },
      bind: (drawn) => (form = drawn),
      check: async (answers) => (await ask("check", { answers })).result,
      hint: async (number) => (await ask("hint", { number })).html,
      solution: async () => (await ask("solution")).html,
      ...(spec.hasVariants ? { variant: async () => draw((await ask("variant")).spec) } : {}),
      ...(spec.isVariant ? { original: async () => draw((await ask("original")).spec) } : {}),
    });
    card.dataset.exercise = spec.id;
    // The notebook leaves the keys, and the focus, to what has it.
    card.setAttribute("data-lm-suppress-shortcuts", "true");
    card.addEventListener("keydown", (event) => event.stopPropagation());
    el.replaceChildren(card);
  }

  model.on("msg:custom", onAnswer);
  draw(model.get("spec"));
  // What was entered before the page was loaded anew.
  ask("entered").then(({ answers }) => {
    if (answers && form && !isTouched) form.write(answers);
  });
  return () => model.off("msg:custom", onAnswer);
}

export default { render, createCard };
