/* Hand in: the cards of an assignment, which a student's notebook names, and a file of the answers.
   The file is read by `recsys-workbook course collect`. It has what was typed and picked and no
   outcome, for every answer is checked anew; notebooks write the same (progress/hand_in.py). */

(() => {
  "use strict";

  const { make, progress, review, describeEntry } = window.recsysBook;
  const { selectAnswer, explain } = window.recsysBook.handedAnswers;
  const KEPT = "recsys-metrics.assignment";
  const MOST_BYTES = 2e7;
  const NAME = /^[a-z0-9][\w.@-]{0,63}$/i;
  const EXERCISE = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/;

  const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isName = (value) => typeof value === "string" && NAME.test(value);
  const isSeed = (value) => value === null || (typeof value === "string" && /^\d{1,3}$/.test(value));

  /** Return what a notebook says of the assignment that it was released for. */
  function readNotebook(text) {
    let about;
    try {
      about = JSON.parse(text).metadata.recsys_metrics;
    } catch {
      about = undefined;
    }
    if (!isTable(about) || ![about.assignment, about.student, about.tag].every(isName)) {
      throw new Error("it is no notebook that a course released. Open the one that you got");
    }
    const { assignment, student, tag, page } = about;
    if (page === undefined) {
      throw new Error(`${assignment} is answered in the notebook itself. Hand in the notebook`);
    }
    const isSound = isTable(page) && Object.entries(page).every(([id, seed]) => EXERCISE.test(id) && isSeed(seed));
    if (!isSound) throw new Error("what it asks for is damaged. Get the notebook again");
    return { assignment, student, tag, page };
  }

  function recall() {
    try {
      const kept = localStorage.getItem(KEPT);
      return kept === null ? undefined : readNotebook(`{"metadata": {"recsys_metrics": ${kept}}}`);
    } catch {
      return undefined; // a browser may keep nothing, or something else
    }
  }

  function keep(assigned) {
    try {
      if (assigned) localStorage.setItem(KEPT, JSON.stringify(assigned));
      else localStorage.removeItem(KEPT);
    } catch {
      // Then it lasts as long as the page.
    }
  }

  /** Return the checks of an exercise in one of its variants, and the help that was opened. */
  function historyOf(events, exercise, variant) {
    const found = { checks: [], hints: 0, solution: false };
    for (const event of events) {
      const { exercise: id, seed = null, what = "check", number = 0 } = event;
      if (id !== exercise || seed !== variant) continue;
      if (what === "check") found.checks.push(event);
      if (what === "hint") found.hints = Math.max(found.hints, number);
      if (what === "solution") found.solution = true;
    }
    return found;
  }

  /** Return what is handed in of each question, by what stands in its card; one that did not load
      has only what was checked. */
  function selectAnswers({ page }, cardOf) {
    const events = progress.events();
    return Object.entries(page).map(([exercise, variant]) => {
      const { checks, ...help } = historyOf(events, exercise, variant);
      const card = cardOf.get(exercise);
      const { table, entered, isOther } = card ? describeEntry(card) : {};
      const title = card?.dataset.title ?? exercise;
      return { exercise, variant, title, ...help, isOther, ...selectAnswer(table, checks, entered) };
    });
  }

  const fileOf = ({ assignment, student, tag }, answers, saved) => {
    const about = { format: "recsys-workbook hand-in", version: 1, assignment, student, tag };
    const handed = answers.filter((one) => one.handed);
    return {
      ...about,
      saved,
      answers: handed.map(({ exercise, variant, hints, solution, handed: { answer, when } }) => {
        return { exercise, variant, when: when || saved, hints, solution, answer };
      }),
    };
  };

  /** Return a sentence on each answer that is not in the file as it looks in its card. */
  function explainAll(answers, cardOf) {
    const titles = (some) => some.map(({ title }) => title).join(", ");
    const unchecked = answers.filter(({ handed }) => handed && !handed.when);
    const missing = answers.filter(({ last }) => !last);
    return [
      ...answers.map((one) => explain(one.title, one)),
      ...answers.map(({ title, isOther, handed }) =>
        isOther && handed ? `The card of ${title} shows another answer than the one that you entered, which is handed in.` : "",
      ),
      ...answers.map(({ exercise, title }) =>
        cardOf.has(exercise) ? "" : `The card of ${title} did not load: only what was checked in it is handed in.`,
      ),
      unchecked.length ? `Handed in without a check: ${titles(unchecked)}.` : "",
      missing.length ? `Not answered: ${titles(missing)}.` : "",
    ].filter(Boolean);
  }

  function download(name, text) {
    const link = make("a", { download: name });
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const counted = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;

  function wake(place) {
    const file = make("input", { type: "file", accept: ".ipynb,application/json,.json" });
    const choose = make("label", { class: "own-choose" }, "Open your notebook", file);
    const said = make("div", { role: "status" });
    const cards = make("div");
    const save = make("button", { type: "submit" }, "Save my answers");
    const close = make("button", { type: "button" }, "Close the assignment");
    const buttons = make("div", { class: "exercise-buttons" }, save, close);
    const bar = make("form", { class: "own-form", hidden: true }, buttons);
    let assigned;
    let cardOf = new Map();
    let saved; // the answers of the last file, and what was said of it
    let latest; // the notebook that was chosen last, which may still be read

    function say(sentence, more = []) {
      const [line, ...rest] = [...said.querySelectorAll("p, li")].map(({ textContent }) => textContent);
      if (line === sentence && JSON.stringify(rest) === JSON.stringify(more)) return;
      const list = more.length ? [make("ul", {}, ...more.map((one) => make("li", {}, one)))] : [];
      said.replaceChildren(make("p", {}, sentence), ...list);
    }

    function describeCount(answers) {
      const done = answers.filter(({ handed }) => handed && !handed.fault);
      return `${done.length} of ${counted(answers.length, "question")} of ${assigned.assignment} answered.`;
    }

    const listHanded = (answers) => JSON.stringify(answers.map(({ handed }) => handed?.answer ?? null));

    /** Say how many questions have an answer, and of a file if it has other answers than the cards. */
    function count(before = "") {
      if (!assigned || save.disabled) return;
      const answers = selectAnswers(assigned, cardOf);
      if (saved?.answers === listHanded(answers)) {
        say(saved.sentence, saved.more);
        return;
      }
      const after = saved ? " The file that you saved has other answers: save it again." : "";
      say(`${before}${describeCount(answers)}${after}`);
    }

    async function open(found) {
      assigned = found;
      cardOf = new Map();
      saved = undefined;
      keep(found);
      cards.replaceChildren();
      bar.hidden = false;
      // What stands in a card is known once it is there.
      save.disabled = true;
      say(`The questions of ${found.assignment} are opened …`);
      for (const [id, seed] of Object.entries(found.page)) {
        let card;
        try {
          card = await review(id, seed ?? undefined, undefined, { isAssigned: true });
        } catch (problem) {
          card = make("p", {}, `The card of ${id} does not load: ${problem.message}.`);
        }
        if (assigned !== found) return; // another one was opened meanwhile
        if (card.dataset.exercise) cardOf.set(id, card);
        cards.append(card);
      }
      save.disabled = false;
      count(`For ${found.student}: `);
    }

    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      latest = chosen;
      file.value = ""; // so that a file that was changed can be chosen again
      try {
        if (chosen.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / 1e6} MB`);
        const text = await chosen.text();
        if (latest === chosen) await open(readNotebook(text));
      } catch (problem) {
        if (latest === chosen) say(`${chosen.name} was not opened: ${problem.message}.`);
      }
    });
    bar.addEventListener("submit", (event) => {
      event.preventDefault();
      const answers = selectAnswers(assigned, cardOf);
      const content = fileOf(assigned, answers, new Date().toISOString());
      const more = explainAll(answers, cardOf);
      if (!content.answers.length) {
        say("Nothing is saved: answer a question first.", more);
        return;
      }
      const name = `${assigned.assignment}.hand-in.json`;
      download(name, `${JSON.stringify(content, null, 1)}\n`);
      const sentence = `Saved ${name}, the file to hand in. ${describeCount(answers)}`;
      saved = { answers: listHanded(answers), sentence, more };
      say(sentence, more);
    });
    close.addEventListener("click", () => {
      assigned = latest = undefined;
      keep(undefined);
      cards.replaceChildren();
      bar.hidden = true;
      say("Closed. Your answers stay in this browser.");
    });
    progress.watch(() => count());
    cards.addEventListener("input", () => count());
    place.replaceChildren(choose, cards, bar, said);
    const known = recall();
    if (known) open(known);
  }

  function find() {
    const place = document.querySelector("[data-hand-in]");
    if (place) wake(place);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
