/* Exercise cards in the book: answered in the page, with the feedback that Python gives.
   All sentences and values come from book/cards.py; what is picked is looked up whole, a number
   is read and compared by the rules of recsys_metrics/workbook/exercises/answers.py. A function is
   checked by Python itself, see code.js. */

(() => {
  "use strict";

  const { load, script, whenNear, make, progress, functionForm } = window.recsysBook;

  const { Unreadable, PLACES, isMissing, read, agrees, agreesRoughly, resembles, isCoarse, nearMiss } =
    window.recsysBook.reading;
  const { diagnose, isDoubtful } = window.recsysBook;

  // The feedback on numbers, as numbers.py gives it ---------------------------------------------

  /** Return what the other answers lead to, by the tree that Python wrote. */
  function evaluate(tree, own) {
    if (typeof tree === "number") return tree;
    if (!Array.isArray(tree)) return tree.name in own ? own[tree.name] : NaN;
    const [one, other] = tree.slice(1).map((part) => evaluate(part, own));
    switch (tree[0]) {
      case "+":
        return one + other;
      case "-":
        return one - other;
      case "*":
        return one * other;
      case "/":
        return one / other;
      case "**":
        return one ** other;
      default:
        return Math.abs(one);
    }
  }

  function isCarried(name, readings, table) {
    if (!(name in table.follows)) return false;
    const own = {};
    for (const [other, reading] of Object.entries(readings)) {
      if (other !== name) own[other] = reading.value;
    }
    const value = evaluate(table.follows[name], own);
    return Number.isFinite(value) && resembles(readings[name], value);
  }

  const labelled = (label, html) => `<p><strong>${label}:</strong> ${html}</p>`;
  const plain = (html) => `<p>${html}</p>`;

  function causesAsLines(causes, table, doubtful) {
    if (causes.length === 1 && !doubtful) {
      const label = causes[0].observation ? "Notice" : "Likely cause";
      return [labelled(label, causes[0].cause), labelled("Try", causes[0].hint)];
    }
    return [
      plain(doubtful ? table.says.roundedLike : table.says.several),
      ...causes.map(({ name, cause, hint }) => labelled(`If ${name}`, `${cause} ${hint}`)),
    ];
  }

  /** Return the feedback on each answer by name; `tries` counts the wrong ones. */
  function checkNumbers(table, given, tries) {
    const readings = {};
    const unreadable = {};
    for (const { name, label } of table.fields) {
      if (isMissing(given[name] ?? "")) continue;
      try {
        readings[name] = read(given[name], `${name} ${label}`, table.words);
      } catch (problem) {
        if (!(problem instanceof Unreadable)) throw problem;
        unreadable[name] = table.says.unreadable[problem.message];
      }
    }
    const carried = Object.keys(readings).filter((name) => isCarried(name, readings, table));
    const causes = diagnose(readings, table, carried);
    const told = new Set();
    const parts = {};
    for (const { name } of table.fields) {
      if (name in unreadable) {
        const [outcome, says] = unreadable[name];
        if (outcome === "WRONG") tries[name] = (tries[name] ?? 0) + 1;
        parts[name] = { outcome, lines: [plain(says)] };
      } else if (!(name in readings)) {
        parts[name] = { outcome: "NOT_ATTEMPTED", lines: [] };
      } else if (!(name in causes)) {
        const exact = agrees(readings[name], table.right[name]);
        parts[name] = { outcome: "PASS", lines: exact ? [] : [plain(table.says.rounded)] };
      } else {
        tries[name] = (tries[name] ?? 0) + 1;
        const found = causes[name];
        const key = found.map((one) => [...table.known, ...table.arithmetic].indexOf(one)).join(" ");
        const doubtful = found.some((one) => isDoubtful(one, name, readings[name]));
        let lines;
        if (found.length && told.has(key)) lines = [plain(table.says.same)];
        else if (found.length) {
          lines = causesAsLines(found, table, doubtful);
          if (isCoarse(readings[name], table.right[name])) lines.push(plain(table.says.orCoarse));
        } else if (carried.includes(name)) lines = [plain(table.says.carried)];
        else {
          const near = nearMiss(readings[name], table.right[name]);
          const { places } = readings[name];
          const clueless = places > 0 && places < PLACES ? "noneShort" : "none";
          lines = [plain(near ? table.says.near[near] : table.says[clueless])];
        }
        told.add(key);
        if (tries[name] > 1) lines.push(labelled("Expected", `<code>${table.shown[name]}</code>`));
        const named = found.filter(({ observation }) => !observation && !doubtful);
        const pitfall = [...new Set(named.map(({ name: of }) => of))].join(" or ");
        parts[name] = { outcome: "WRONG", pitfall, lines };
      }
    }
    return parts;
  }

  function overall(outcomes) {
    const order = ["ERROR", "WRONG", "NOT_ATTEMPTED", "PASS"];
    return order.find((outcome) => outcomes.includes(outcome)) ?? "NOT_ATTEMPTED";
  }

  // Feedback that is looked up ----------------------------------------------------------------

  function said(table, feedback, tries) {
    const [outcome, head, lines] = feedback;
    const told = lines.map((line) => table.lines[line]);
    if (outcome === "WRONG" && tries > 1) told.push(table.expected);
    return { outcome, head, lines: told };
  }

  function findFeedback(table, key, tries) {
    if (key in table.feedback) return said(table, table.feedback[key], tries);
    // An order is judged where it leaves the right one.
    const begun = key.split(" ");
    for (let length = 1; length <= begun.length; length++) {
      const feedback = table.soFar.feedback[begun.slice(0, length).join(" ")];
      if (feedback) return said(table.soFar, feedback, tries);
    }
    return said(table.soFar, table.soFar.feedback[`${key} `], tries);
  }

  // The card -----------------------------------------------------------------------------------

  let made = 0;

  function feedbackBox(table, { outcome, head, pitfall, lines }) {
    const [symbol, label] = table.outcomes[outcome];
    const box = make("div", { class: `feedback feedback-${outcome.toLowerCase()}` });
    const over = head ?? `${symbol} ${label}${pitfall ? `: <em>${pitfall}</em>` : ""}`;
    box.innerHTML = `<p><strong>${over}</strong></p>${lines.join("")}`;
    return box;
  }

  /** Fields for numbers, and the feedback under each. */
  function numbersForm(table, kept) {
    const tries = {};
    const rows = table.fields.map((field) => {
      const name = `exercise-${++made}`;
      const input = make("input", {
        id: name,
        type: "text",
        inputmode: "decimal",
        autocomplete: "off",
        spellcheck: "false",
        "aria-describedby": `${name}-feedback`,
      });
      input.value = kept?.[field.name] ?? "";
      const feedback = make("div", { id: `${name}-feedback` });
      const label = make("label", { for: name }, field.label);
      const row = make("div", { class: "exercise-field" }, label, input, feedback);
      return { field, input, feedback, row };
    });
    return {
      element: make("div", {}, ...rows.map(({ row }) => row)),
      check() {
        const given = Object.fromEntries(rows.map(({ field, input }) => [field.name, input.value]));
        const parts = checkNumbers(table, given, tries);
        const outcome = overall(Object.values(parts).map((part) => part.outcome));
        const nothing = rows.every(({ field }) => parts[field.name].outcome === "NOT_ATTEMPTED");
        for (const { field, input, feedback } of rows) {
          const part = parts[field.name];
          feedback.replaceChildren(...(nothing ? [] : [feedbackBox(table, part)]));
          input.setAttribute("aria-invalid", ["WRONG", "ERROR"].includes(part.outcome));
        }
        const lines = outcome === "PASS" && table.insight ? [plain(table.insight)] : [];
        const one = rows.length === 1 && !nothing && !lines.length;
        const spoken = rows
          .map(({ field }) => {
            const { outcome: of, pitfall } = parts[field.name];
            return `${field.label}: ${table.outcomes[of][1]}${pitfall ? `, ${pitfall}` : ""}.`;
          })
          .join(" ");
        return { outcome, lines, answer: given, spoken, attempted: !nothing, silent: one };
      },
    };
  }

  /** Buttons for one option, or boxes for many. */
  function pickGroup(field, kept) {
    const name = `exercise-${++made}`;
    const type = field.kind === "many" ? "checkbox" : "radio";
    const group = make("fieldset", {}, make("legend", {}, field.label));
    for (const [key, text] of field.options) {
      const input = make("input", { type, name, value: key });
      input.checked = (kept ?? []).includes(key);
      const words = make("span");
      words.innerHTML = text;
      group.append(make("label", { class: "exercise-option" }, input, words));
    }
    const picked = () => [...group.querySelectorAll("input:checked")].map((input) => input.value);
    return { group, picked };
  }

  function pickForm(table, kept) {
    let tries = 0;
    const { group, picked } = pickGroup(table.fields[0], kept);
    return {
      element: group,
      check() {
        const answer = picked();
        if (!answer.length) return { outcome: "NOT_ATTEMPTED", lines: [], attempted: false };
        const feedback = findFeedback(table, answer.join(" "), tries + 1);
        if (feedback.outcome === "WRONG") tries++;
        return { ...feedback, answer, attempted: true };
      },
    };
  }

  /** Lines to take one after another; what was taken can be moved and put back. */
  function orderForm(table, kept) {
    let tries = 0;
    const status = make("p", { class: "exercise-status", role: "status" });
    const left = make("ul", { class: "exercise-lines", "aria-label": "Lines to choose from" });
    const taken = make("ol", { class: "exercise-lines", "aria-label": "Your order" });
    const words = new Map();
    const text = (html) => {
      const element = make(table.code ? "code" : "span");
      element.innerHTML = html;
      return element;
    };

    const letters = () => [...taken.children].map((item) => item.dataset.letter);

    function say(letter) {
      const at = letters().indexOf(letter);
      status.textContent = at < 0 ? `${letter} put back.` : `${letter} is line ${at + 1} now.`;
    }

    function take(letter) {
      const item = left.querySelector(`[data-letter="${letter}"]`);
      const next = item.nextElementSibling ?? item.previousElementSibling;
      item.remove();
      const button = (label, sign, call) => {
        const pressed = make("button", { type: "button", "aria-label": `${label} ${letter}` }, sign);
        pressed.addEventListener("click", () => call(pressed));
        return pressed;
      };
      const moved = make(
        "li",
        { "data-letter": letter },
        make("code", {}, make("b", {}, letter), " "),
        text(words.get(letter)),
        make(
          "span",
          { class: "exercise-moves" },
          button("Move up", "↑", (pressed) => {
            moved.previousElementSibling?.before(moved);
            pressed.focus();
            say(letter);
          }),
          button("Move down", "↓", (pressed) => {
            moved.nextElementSibling?.after(moved);
            pressed.focus();
            say(letter);
          }),
          button("Put back", "×", () => {
            moved.remove();
            offer(letter);
            left.querySelector(`[data-letter="${letter}"] button`).focus();
            say(letter);
          }),
        ),
      );
      taken.append(moved);
      return next;
    }

    function offer(letter) {
      const button = make("button", { type: "button" }, make("code", {}, make("b", {}, letter), " "));
      button.append(text(words.get(letter)));
      const item = make("li", { "data-letter": letter }, button);
      button.addEventListener("click", () => {
        const next = take(letter);
        (next?.querySelector("button") ?? taken.lastElementChild.querySelector("button")).focus();
        say(letter);
      });
      // The letters stand in their order, so that a line that is put back is found again.
      const after = [...left.children].find((other) => other.dataset.letter > letter);
      if (after) after.before(item);
      else left.append(item);
    }

    for (const [letter, html] of table.rows) {
      words.set(letter, html);
      offer(letter);
    }
    for (const letter of kept ?? []) if (words.has(letter)) take(letter);

    const head = (label) => make("p", { class: "exercise-head" }, label);
    return {
      element: make(
        "div",
        {},
        head(`Press the lines in order.${table.spare ? " Not all are needed." : ""}`),
        left,
        head("Your order"),
        taken,
        status,
      ),
      check() {
        const answer = letters();
        if (!answer.length) return { outcome: "NOT_ATTEMPTED", lines: [], attempted: false };
        const feedback = findFeedback(table, answer.join(" "), tries + 1);
        if (feedback.outcome === "WRONG") tries++;
        return { ...feedback, answer, attempted: true };
      },
    };
  }

  /** A text that the learner marks, and then compares with a good one. */
  function textForm(table, kept) {
    const name = `exercise-${++made}`;
    const area = make("textarea", { id: name, rows: 4 });
    area.value = kept?.text ?? "";
    const model = make("div", { class: "exercise-model", hidden: true });
    model.innerHTML = `<p><strong>A good answer:</strong></p>${table.model}`;
    const { group, picked } = pickGroup(table.fields[1], []);
    group.hidden = true;
    const element = make(
      "div",
      {},
      make("div", { class: "exercise-field" }, make("label", { for: name }, table.fields[0].label), area),
      group,
      model,
    );
    return {
      element,
      verb: "Check",
      check() {
        if (isMissing(area.value)) return { outcome: "NOT_ATTEMPTED", lines: [], attempted: false };
        const answer = { text: area.value };
        // As in open_answer.py: no criterion could be true of a word or two.
        if (area.value.trim().split(/\s+/).length < 3 && area.value.trim().length < 12) {
          return { outcome: "NOT_ATTEMPTED", head: "•", lines: [plain(table.short)], attempted: false };
        }
        if (group.hidden) {
          group.hidden = false;
          const lines = [plain("Mark what holds for your text; a good answer follows.")];
          const head = "• Noted";
          return { outcome: "NOT_ATTEMPTED", head, lines, answer, attempted: true, verb: "Mark it" };
        }
        model.hidden = false;
        return { ...findFeedback(table, picked().join(" "), 1), answer, attempted: true };
      },
    };
  }

  // What each form notes as the answer: nothing else is given back to it.
  const SHAPES = { numbers: "table", pick: "list", order: "list", text: "table", function: "words" };
  const FORMS = {
    numbers: numbersForm,
    pick: pickForm,
    order: orderForm,
    text: textForm,
    function: functionForm,
  };

  /** Make a card answer; of a variant, which has a seed, nothing that was answered comes back. */
  function wake(card, id, table, seed) {
    const shownAt = performance.now();
    let isRight = false;
    const about = seed === undefined ? {} : { seed };
    const key = seed === undefined ? id : `${id} ${seed}`;
    const head = card.firstElementChild;
    const picture = card.querySelector(":scope > svg");
    const call = [...card.querySelectorAll(":scope > pre")].at(-1);
    const hints = [...card.querySelectorAll(":scope > details")];
    const kept = seed === undefined ? progress.of(id) : undefined;
    const answered = kept && progress.answerOf(id, SHAPES[table.kind]);
    const form = FORMS[table.kind](table, answered, key);
    const question = make("div", { class: "exercise-question" });
    question.innerHTML = table.question;
    const check = make("button", { type: "submit" }, form.verb ?? (table.guess ? "Note my guess" : "Check"));
    const feedback = make("div", { class: "exercise-feedback", role: "status" });
    const solution = make("details", { hidden: true }, make("summary", {}, "Worked solution"));
    solution.insertAdjacentHTML("beforeend", table.solution);
    const elsewhere = table.kind === "function" ? "Answer in a notebook instead" : "Answer in code instead";
    const inCode = make("details", {}, make("summary", {}, elsewhere), call);
    const done = make("span", { class: "exercise-done" });
    head.querySelector("small")?.append(" ", done);
    const all = make(
      "form",
      { novalidate: true },
      form.element,
      make("div", { class: "exercise-buttons" }, check, ...(form.buttons ?? [])),
      feedback,
    );

    function showDone() {
      const what = table.guess ? "Noted" : "Done";
      const isDone = seed === undefined ? progress.isDone(id) : isRight;
      done.textContent = isDone ? `· ✓ ${what}` : "";
    }

    function show(result) {
      if (!result) return;
      feedback.replaceChildren();
      if (!result.silent) feedback.append(feedbackBox(table, result));
      if (result.spoken) feedback.append(make("p", { class: "exercise-status" }, result.spoken));
      if (result.verb) check.textContent = result.verb;
      if (!result.attempted) return;
      // A text's solution has the model answer, which opens with its marks.
      if (!result.verb) solution.hidden = table.points === 0;
      isRight ||= result.outcome === "PASS";
      const seconds = Math.round((performance.now() - shownAt) / 100) / 10;
      progress.note(id, result.outcome, result.answer, { ...about, seconds });
    }

    all.addEventListener("submit", (event) => {
      event.preventDefault();
      const result = form.check();
      // Code takes its time; all else is said at once.
      if (result instanceof Promise) {
        feedback.replaceChildren();
        result.then(show);
      } else show(result);
    });
    // Help counts when memory is judged; guesses have none to give.
    const help = [...hints.map((one, at) => [one, "hint", at + 1]), [solution, "solution", 0]];
    for (const [one, what, number] of table.points ? help : []) {
      const opened = () => {
        if (!one.open) return;
        one.removeEventListener("toggle", opened);
        progress.noteHelp(id, what, number, about);
      };
      one.addEventListener("toggle", opened);
    }
    progress.watch(showDone);
    showDone();
    if (kept && table.points) solution.hidden = false;
    card.replaceChildren(head, ...(picture ? [picture] : []), question, all, ...hints, solution, inCode);
    card.classList.add("exercise");
    card.dataset.alive = "";
    hideCheckCell(card, id);
  }

  /** Return the card of a variant, awake. */
  async function review(id, seed) {
    const table = decode(await script(`reviews/${id}.${seed}`));
    const place = make("div");
    place.innerHTML = table.card;
    const card = place.firstElementChild;
    card.dataset.exercise = id;
    wake(card, id, table, seed);
    return card;
  }

  /** In a notebook the next cell holds the answer; here the card does. */
  function hideCheckCell(card, id) {
    const next = card.closest(".cell")?.nextElementSibling;
    const code = next?.querySelector(".cell_input pre")?.textContent.trim() ?? "";
    const isCheck = code.includes(`ex.${id.split(".")[1]}.check(`) && code.includes("...");
    if (next?.matches(".cell") && isCheck) next.hidden = true;
  }

  /** Say what this reader guessed, where the saved notebook says that nothing was noted. */
  function lookBack(note) {
    const id = note.dataset.lookBack;
    const words = note.querySelectorAll("p")[1];
    let shown = "";

    async function update() {
      const guess = progress.answerOf(id, "list")?.[0];
      if (!guess || guess === shown) return;
      shown = guess;
      const table = decode(await load("exercises", id));
      const option = table.fields[0].options.find(([key]) => key === guess);
      if (option) words.innerHTML = `You guessed: ${option[1]}`;
    }

    progress.watch(update);
    update();
  }

  function decode(coded) {
    const bytes = Uint8Array.from(atob(coded), (sign) => sign.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  }

  function find() {
    const cards = [...document.querySelectorAll("[data-exercise]")];
    for (const card of cards) {
      const id = card.dataset.exercise;
      card.dataset.counted = id;
      whenNear(card, () =>
        load("exercises", id)
          .then((coded) => wake(card, id, decode(coded)))
          .catch((problem) => console.warn(`${problem.message}; the card stays as it is`)),
      );
    }
    progress.show("exercises", new Set(cards.map((card) => card.dataset.exercise)));
    for (const note of document.querySelectorAll("[data-look-back]")) lookBack(note);
  }

  window.recsysBook.checkNumbers = checkNumbers;
  window.recsysBook.findFeedback = findFeedback;
  window.recsysBook.decode = decode;
  window.recsysBook.review = review;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
