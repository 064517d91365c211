/* The front page: a guess, where one stands, what is due today, and what comes next.
   The rules are those of recsys_metrics/workbook/progress and of its overview, so that the page and
   the lab say the same of one history; tests hold both to the same histories. */

(() => {
  "use strict";

  const { make, progress, review, script } = window.recsysBook;
  const DAY = 86400000;
  const AGAIN = 1;
  const [HARD, GOOD, EASY] = [2, 3, 4];
  const SHOWN = 5;

  // Memory, as FSRS-6 has it: whole days, no steps of minutes, no chance ----------------------

  function memory({ parameters: w, retention, longest }) {
    const decay = -w[20];
    const factor = 0.9 ** (1 / decay) - 1;
    const between = (low, x, high) => Math.min(Math.max(x, low), high);
    const firstDifficulty = (grade) => w[4] - Math.exp(w[5] * (grade - 1)) + 1;
    const interval = (stability) =>
      between(1, Math.round((stability / factor) * (retention ** (1 / decay) - 1)), longest);

    function stabilityAfter({ stability: s, difficulty: d }, days, grade) {
      const held = (1 + (factor * days) / s) ** decay;
      if (grade === AGAIN) {
        const long = w[11] * d ** -w[12] * ((s + 1) ** w[13] - 1) * Math.exp((1 - held) * w[14]);
        return Math.min(long, s / Math.exp(w[17] * w[18]));
      }
      const hard = grade === HARD ? w[15] : 1;
      const easy = grade === EASY ? w[16] : 1;
      const gain = Math.exp(w[8]) * (11 - d) * s ** -w[9] * (Math.exp((1 - held) * w[10]) - 1);
      return s * (1 + gain * hard * easy);
    }

    /** Return a card after a review; days is how long the last one is ago. */
    function review(card, days, grade) {
      if (!card) {
        const stability = Math.max(w[grade - 1], 0.001);
        return { stability, difficulty: between(1, firstDifficulty(grade), 10), interval: interval(stability) };
      }
      const stability = Math.max(stabilityAfter(card, days, grade), 0.001);
      const moved = card.difficulty - (w[6] * (grade - 3) * (10 - card.difficulty)) / 9;
      const difficulty = between(1, w[7] * firstDifficulty(EASY) + (1 - w[7]) * moved, 10);
      return { stability, difficulty, interval: interval(stability) };
    }
    return review;
  }

  // Reviews, from the history ------------------------------------------------------------------

  const kind = ({ what = "check" }) => what;
  const keyOf = ({ exercise, seed }) => (seed === undefined ? exercise : `${exercise} ${seed}`);
  const dayOf = ({ when }) => when.slice(0, 10);
  const number = (day) => Date.parse(`${day}T12:00:00Z`) / DAY;

  /** Return the events of each exercise or question, by day. */
  function daysOf(events) {
    const days = new Map();
    for (const event of events) {
      const byDay = days.get(event.exercise) ?? new Map();
      days.set(event.exercise, byDay.set(dayOf(event), [...(byDay.get(dayOf(event)) ?? []), event]));
    }
    return days;
  }

  function gradeOf(events, quick) {
    const checks = events.filter((event) => kind(event) === "check");
    if (!checks.length) return null;
    let helped = false;
    let wrong = false;
    for (const event of events.filter((one) => keyOf(one) === keyOf(checks[0]))) {
      if (kind(event) === "solution") return AGAIN;
      helped ||= kind(event) === "hint";
      if (kind(event) !== "check") continue;
      if (event.outcome === "PASS") {
        if (helped || wrong || (event.tries ?? 1) > 1) return HARD;
        const isQuick = typeof event.seconds === "number" && event.seconds <= quick;
        return isQuick ? EASY : GOOD;
      }
      wrong = true;
    }
    return AGAIN;
  }

  /** Return up to how many seconds an answer is quick: the fastest quarter, as Python cuts it. */
  function quickOf(events, { enough, slowestQuick }) {
    const taken = events
      .filter(({ seconds, outcome }) => typeof seconds === "number" && outcome === "PASS")
      .map(({ seconds }) => seconds)
      .sort((one, other) => one - other);
    if (taken.length < enough) return -1;
    const at = (taken.length + 1) / 4;
    const low = Math.min(Math.max(Math.floor(at), 1), taken.length - 1);
    const quarter = taken[low - 1] + (taken[low] - taken[low - 1]) * (at - low);
    return Math.min(quarter, slowestQuick);
  }

  /** Return the variant to ask next: the first that was not tried yet, or the one tried longest ago. */
  function freshSeed(exercise, events, { seeds }) {
    const tried = new Set(); // in the order of their last try
    for (const event of events) {
      if (event.exercise !== exercise || !seeds.includes(event.seed)) continue;
      tried.delete(event.seed);
      tried.add(event.seed);
    }
    return seeds.find((seed) => !tried.has(seed)) ?? [...tried][0];
  }

  /** Return for each exercise that was ever passed the day of its last review and when it is due. */
  function reviews(events, table) {
    const review = memory(table.fsrs);
    const quick = quickOf(events, table);
    const asked = new Set(exercisesOf(table).filter((one) => one.reviewed).map((one) => one.id));
    const days = daysOf(events.filter(({ exercise }) => asked.has(exercise)));
    const found = {};
    for (const [exercise, byDay] of days) {
      let card = null;
      let last = null;
      for (const day of [...byDay.keys()].sort()) {
        const here = byDay.get(day);
        const grade = gradeOf(here, quick);
        const isPassed = here.some((one) => kind(one) === "check" && one.outcome === "PASS");
        if (grade === null || (!card && !isPassed)) continue;
        card = review(card, last === null ? 0 : number(day) - number(last), grade);
        last = day;
      }
      if (!card) continue;
      const due = number(last) + Math.max(card.interval, 1);
      found[exercise] = { last, due, seed: freshSeed(exercise, events, table) };
    }
    return found;
  }

  /** Return for each recall question that was ever marked its last review and when it is due. */
  function recallReviews(events, table) {
    const review = memory(table.fsrs);
    const asked = new Set(table.parts.flatMap((part) => part.recall));
    const days = daysOf(events.filter(({ exercise, outcome }) => asked.has(exercise) && outcome));
    const found = {};
    for (const [question, byDay] of days) {
      let card = null;
      let last = null;
      for (const day of [...byDay.keys()].sort()) {
        const [first, ...more] = byDay.get(day);
        const until = Date.parse(first.when) + table.corrected;
        const marked = more.filter(({ when }) => Date.parse(when) <= until).pop() ?? first;
        const grade = { PASS: GOOD, PART: HARD }[marked.outcome] ?? AGAIN;
        card = review(card, last === null ? 0 : number(day) - number(last), grade);
        last = day;
      }
      found[question] = { last, due: number(last) + Math.max(card.interval, 1) };
    }
    return found;
  }

  /** Return of each part with recall questions that are due how many. */
  function dueRecall(events, table, today) {
    const planned = recallReviews(events, table);
    const isDue = (id) => planned[id] && planned[id].due <= number(today);
    return table.parts
      .map((part) => ({ part, count: part.recall.filter(isDue).length }))
      .filter(({ count }) => count);
  }

  // Where one stands ---------------------------------------------------------------------------

  const exercisesOf = (table) =>
    table.parts.flatMap((part) => part.exercises.map((one) => ({ ...one, part })));

  /** Return where each exercise stands: whether it was passed, and as what it is asked today. */
  function known(events) {
    const found = new Map();
    for (const event of events) {
      if (kind(event) !== "check" || event.seed !== undefined) continue;
      const old = found.get(event.exercise);
      const same = !(old?.content && event.content) || old.content === event.content;
      found.set(event.exercise, {
        content: event.content || old?.content || "",
        passed: event.outcome === "PASS" || Boolean(same && old?.passed),
      });
    }
    return found;
  }

  /** Return what is due today, what is not right yet, and what comes next in reading order. */
  function standing(events, table, today) {
    const entries = known(events);
    const every = exercisesOf(table);
    const isSame = (one) => ["", one.content].includes(entries.get(one.id)?.content ?? "");
    const passed = (one) => Boolean(entries.get(one.id)?.passed) && isSame(one);
    const planned = reviews(events, table);
    const due = every
      .filter((one) => planned[one.id] && planned[one.id].due <= number(today) && passed(one))
      .map((one) => ({ ...one, seed: planned[one.id].seed }))
      .sort((a, b) => planned[a.id].due - planned[b.id].due || (a.id < b.id ? -1 : 1));
    const wrong = every.filter((one) => entries.has(one.id) && !entries.get(one.id).passed);
    const place = (id) => every.findIndex((one) => one.id === id);
    const tried = events.map(({ exercise }) => place(exercise)).filter((at) => at >= 0);
    const at = tried.length ? tried[tried.length - 1] + 1 : 0;
    const next = [...every.slice(at), ...every.slice(0, at)].find((one) => !entries.has(one.id));
    return { due, wrong, next, passed };
  }

  // The page -----------------------------------------------------------------------------------

  const link = (one) => make("a", { href: `${one.part.page}#${one.id}` }, one.title);
  const counted = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const joined = (nodes) => nodes.flatMap((node, i) => (i ? ["; ", node] : [node]));

  function today() {
    const now = new Date();
    const pad = (n) => String(n).padStart(2, "0");
    return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  }

  // The cards of a review, which stay while the words around them change.
  const words = make("div");
  const cards = make("section", { class: "review", "aria-label": "Review" });
  const more = make("div");

  /** Return a button that shows the cards of what is due, or nothing where all of them are there. */
  function startReview(due) {
    const shown = new Set([...cards.children].map((card) => card.dataset.exercise));
    const next = due.filter((one) => !shown.has(one.id)).slice(0, SHOWN);
    if (!next.length) return [];
    const label = `Review ${next.length === 1 ? "it" : "them"} here, with other numbers than last time`;
    const button = make("button", { type: "button", class: "review-start" }, label);
    const status = make("span", { role: "status" });
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const made = await Promise.all(next.map((one) => review(one.id, one.seed)));
        // A button that was made meanwhile may have brought some of them.
        const there = new Set([...cards.children].map((card) => card.dataset.exercise));
        const fresh = made.filter((card) => !there.has(card.dataset.exercise));
        cards.append(...fresh);
        button.hidden = true;
        const first = fresh[0] ?? cards.firstElementChild;
        first.tabIndex = -1;
        first.focus();
      } catch (problem) {
        button.disabled = false;
        status.textContent = ` The cards do not load: ${problem.message}. Press again to try again.`;
      }
    });
    return [make("p", {}, button, status)];
  }

  function show(place, table) {
    const events = progress.events();
    const { due, wrong, next, passed } = standing(events, table, today());
    for (const subject of document.querySelectorAll(".parts > ul > li")) {
      const pages = [...subject.querySelectorAll("a")].map((one) => one.getAttribute("href"));
      const here = table.parts.filter(({ page }) => pages.includes(page)).flatMap((part) => part.exercises);
      const done = here.filter(passed).length;
      subject.querySelector(".part-done")?.remove();
      if (!done) continue;
      const bar = make("progress", { value: done, max: here.length, "aria-hidden": "true" });
      subject.append(make("p", { class: "part-done" }, `${done} of ${counted(here.length, "exercise")} done`, bar));
    }
    const asked = new Set(table.parts.flatMap(({ exercises, recall }) => [...exercises.map(({ id }) => id), ...recall]));
    if (!events.some(({ exercise }) => asked.has(exercise))) {
      delete document.documentElement.dataset.returning;
      return;
    }
    const recall = dueRecall(events, table, today());
    const lines = [];
    if (due.length) {
      const first = due.slice(0, SHOWN);
      const takes = first.reduce((sum, one) => sum + one.minutes, 0);
      const which = due.length > SHOWN ? `, the ${SHOWN} longest due here` : "";
      lines.push(
        make("p", {}, make("strong", {}, `Today: ${due.length} due`), `${which}, about ${counted(takes, "minute")}: `, ...joined(first.map(link)), "."),
        ...(cards.firstChild ? [] : startReview(due)),
      );
    } else if (!recall.length) lines.push(make("p", {}, make("strong", {}, "Today: "), "nothing is due."));
    if (recall.length) {
      const all = recall.reduce((sum, { count }) => sum + count, 0);
      const takes = counted(all * table.recallMinutes, "minute");
      const links = recall.map(({ part, count }) =>
        make("span", {}, make("a", { href: `${part.page}#recall` }, part.title), ` (${count})`),
      );
      const head = make("strong", {}, `From memory: ${counted(all, "question")} due`);
      lines.push(make("p", {}, head, `, about ${takes}: `, ...joined(links), "."));
    }
    if (wrong.length) {
      const more = wrong.length > SHOWN ? ` and ${wrong.length - SHOWN} more` : "";
      lines.push(make("p", {}, make("strong", {}, "Not right yet: "), ...joined(wrong.slice(0, SHOWN).map(link)), `${more}.`));
    }
    if (next) {
      const target = { class: "front-go", href: `${next.part.page}#${next.id}` };
      lines.push(make("p", {}, make("a", target, `Continue: ${next.part.title}`), ` ${next.title}`));
    }
    words.replaceChildren(make("h2", {}, "Where you are"), ...lines);
    more.replaceChildren(...(cards.firstChild ? startReview(due) : []));
    if (words.isConnected) return; // what is put in anew loses the focus
    place.replaceChildren(words, cards, more);
    // The question and the way to begin are for those who are here for the first time.
    document.documentElement.dataset.returning = "";
    place.hidden = false;
  }

  function wakeGuess(section) {
    const buttons = section.querySelector(".guess-buttons");
    const more = section.querySelector("details");
    const said = section.querySelector(".guess-said");
    buttons.addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-guess]");
      if (!chosen) return;
      for (const one of buttons.children) one.setAttribute("aria-pressed", String(one === chosen));
      said.textContent = `Your answer: ${chosen.textContent.toLowerCase()}.`;
      more.open = true;
      more.scrollIntoView({ block: "nearest" });
    });
  }

  function find() {
    document.querySelectorAll(".guess").forEach(wakeGuess);
    const place = document.querySelector("[data-home]");
    if (!place) return;
    script("front")
      .then((table) => {
        show(place, table);
        progress.watch(() => show(place, table));
      })
      .catch((problem) => {
        delete document.documentElement.dataset.returning;
        console.warn(`${problem.message}; where you are is not shown`);
      });
  }

  window.recsysBook.standing = standing;
  window.recsysBook.reviews = reviews;
  window.recsysBook.recallReviews = recallReviews;
  window.recsysBook.dueRecall = dueRecall;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
