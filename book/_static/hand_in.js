/* Hand in: the cards of an assignment, which a student's notebook names, and a file of the answers.
   The file is read by `recsys-workbook course collect`. It has what was typed and picked and no
   outcome, for every answer is checked anew; notebooks write the same (progress/hand_in.py). */

(() => {
  "use strict";

  const { make, progress, review } = window.recsysBook;
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

  /** Return an answer without the fields that were left empty, or nothing. */
  function written(answer) {
    if (typeof answer === "string") return answer.trim() ? answer : undefined;
    if (Array.isArray(answer)) return answer.length ? answer : undefined;
    const fields = Object.entries(answer ?? {}).filter(([, text]) => text.trim());
    return fields.length ? Object.fromEntries(fields) : undefined;
  }

  /** Return the last answer to an exercise in one of its variants, with the help that was opened, and
      whether a later one is too long to be saved. */
  function answerTo(exercise, variant) {
    const found = { exercise, variant, when: "", hints: 0, solution: false };
    let isTooLong = false;
    for (const { exercise: id, seed = null, what = "check", number = 0, ...event } of progress.events()) {
      if (id !== exercise || seed !== variant) continue;
      const answer = what === "check" ? written(event.answer) : undefined;
      if (answer !== undefined) Object.assign(found, { answer, when: event.when });
      if (what === "check" && (answer !== undefined || event.unsaved)) isTooLong = Boolean(event.unsaved);
      if (what === "hint") found.hints = Math.max(found.hints, number);
      if (what === "solution") found.solution = true;
    }
    // A function or a text as it stands in its card, checked or not.
    const { code, text } = progress.draftOf(variant === null ? exercise : `${exercise} ${variant}`) ?? {};
    const draft = written(code ?? (text === undefined ? undefined : { text }));
    if (draft !== undefined) isTooLong = !progress.canSave(draft);
    if (draft !== undefined && !isTooLong && draft !== found.answer) {
      Object.assign(found, { answer: draft, when: new Date().toISOString() });
    }
    return { found: found.answer === undefined ? undefined : found, isTooLong };
  }

  const asFile = ({ assignment, student, tag, page }) => {
    const answers = Object.entries(page).map(([id, seed]) => answerTo(id, seed).found);
    const about = { format: "recsys-workbook hand-in", version: 1, assignment, student, tag };
    return { ...about, saved: new Date().toISOString(), answers: answers.filter(Boolean) };
  };

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
    const said = make("p", { role: "status" });
    const cards = make("div");
    const save = make("button", { type: "submit" }, "Save my answers");
    const close = make("button", { type: "button" }, "Close the assignment");
    const buttons = make("div", { class: "exercise-buttons" }, save, close);
    const bar = make("form", { class: "own-form", hidden: true }, buttons);
    let assigned;

    /** Say how many questions have an answer. */
    function count(before = "") {
      if (!assigned) return;
      const { answers } = asFile(assigned);
      const all = Object.keys(assigned.page).length;
      const answered = `${before}${answers.length} of ${counted(all, "question")} of ${assigned.assignment} answered.`;
      said.textContent = [answered, ...tooLong()].join(" ");
    }

    /** Return a sentence on each answer that is not in the file because it is too long. */
    function tooLong() {
      const left = Object.entries(assigned.page).filter(([id, seed]) => answerTo(id, seed).isTooLong);
      return left.map(([id]) => {
        const title = cards.querySelector(`[data-exercise="${id}"]`)?.dataset.title ?? id;
        return (
          `The last answer to ${title} is longer than ${progress.longest} characters and is not in ` +
          "the file; an earlier answer is, if there was one. Shorten it, check it and save again."
        );
      });
    }

    async function open(found) {
      assigned = found;
      keep(found);
      cards.replaceChildren();
      bar.hidden = false;
      count(`For ${found.student}: `);
      for (const [id, seed] of Object.entries(found.page)) {
        const given = answerTo(id, seed).found?.answer;
        try {
          const card = await review(id, seed ?? undefined, undefined, { given });
          if (assigned !== found) return; // another one was opened meanwhile
          cards.append(card);
        } catch (problem) {
          cards.append(make("p", {}, `The card of ${id} does not load: ${problem.message}.`));
        }
      }
    }

    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      try {
        if (chosen.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / 1e6} MB`);
        await open(readNotebook(await chosen.text()));
      } catch (problem) {
        said.textContent = `${chosen.name} was not opened: ${problem.message}.`;
      }
      file.value = "";
    });
    bar.addEventListener("submit", (event) => {
      event.preventDefault();
      const content = asFile(assigned);
      if (!content.answers.length) {
        said.textContent = ["Nothing is saved: check an answer first.", ...tooLong()].join(" ");
        return;
      }
      const name = `${assigned.assignment}.hand-in.json`;
      download(name, `${JSON.stringify(content, null, 1)}\n`);
      count(`Saved ${name}, the file to hand in. `);
    });
    close.addEventListener("click", () => {
      assigned = undefined;
      keep(undefined);
      cards.replaceChildren();
      bar.hidden = true;
      said.textContent = "Closed. Your answers stay in this browser.";
    });
    progress.watch(() => count());
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
