/* Exercise cards in the book: answered in the page, with the feedback that Python gives.
   All sentences and values come from book/cards.py; what is picked is looked up whole, a number
   is read and compared by the rules of recsys_metrics/workbook/exercises/answers.py. A function is
   checked by Python itself, see code.js. */

(() => {
  "use strict";

  const { load, script, whenNear, make, progress, functionForm } = window.recsysBook;

  const { Unreadable, PLACES, isMissing, read, agrees, agreesRoughly, resembles, isCoarse, nearMiss } =
    window.recsysBook.reading;
  const { diagnose, findUnsure, isDoubtful } = window.recsysBook;

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

  function causesAsLines(causes, table, doubtful, isUnsure) {
    const [{ observation, cause: only, hint: ask }] = causes;
    if (causes.length === 1 && observation) {
      const [before, after] = table.says.compared;
      return [plain(`${before} ${only} ${after} ${ask}`)];
    }
    if (causes.length === 1 && !doubtful && !isUnsure) {
      return [labelled("Likely cause", only), labelled("Try", ask)];
    }
    const asked = causes.length > 1 ? table.says.several : table.says.unsure;
    return [
      plain(doubtful ? table.says.roundedLike : asked),
      ...causes.map(({ name, cause, hint }) => labelled(`If ${name}`, `${cause} ${hint}`)),
    ];
  }

  /** Return the feedback on each answer by name. */
  function checkNumbers(table, given) {
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
    const unsure = findUnsure(readings, table, causes, carried);
    const told = new Set();
    const parts = {};
    for (const { name } of table.fields) {
      if (name in unreadable) {
        const [outcome, says] = unreadable[name];
        const expected = outcome === "WRONG" ? table.shown[name] : [];
        parts[name] = { outcome, lines: [plain(says)], expected };
      } else if (!(name in readings)) {
        parts[name] = { outcome: "NOT_ATTEMPTED", lines: [] };
      } else if (!(name in causes)) {
        const exact = agrees(readings[name], table.right[name]);
        parts[name] = { outcome: "PASS", lines: exact ? [] : [plain(table.says.rounded)] };
      } else {
        const found = causes[name];
        const key = found.map((one) => [...table.known, ...table.arithmetic].indexOf(one)).join(" ");
        const doubtful = found.some((one) => isDoubtful(one, name, readings[name]));
        let lines;
        if (found.length && told.has(key)) lines = [plain(table.says.same)];
        else if (found.length) {
          lines = causesAsLines(found, table, doubtful, unsure.includes(name));
          if (isCoarse(readings[name], table.right[name])) lines.push(plain(table.says.orCoarse));
        } else if (carried.includes(name)) lines = [plain(table.says.carried)];
        else {
          const near = nearMiss(readings[name], table.right[name]);
          const { places } = readings[name];
          const clueless = places > 0 && places < PLACES ? "noneShort" : "none";
          lines = [plain(near ? table.says.near[near] : table.says[clueless])];
        }
        told.add(key);
        const isNamed = found.length === 1 && !found[0].observation && !doubtful && !unsure.includes(name);
        const pitfall = isNamed ? found[0].name : "";
        parts[name] = { outcome: "WRONG", pitfall, lines, expected: table.shown[name] };
      }
    }
    return parts;
  }

  function overall(outcomes) {
    const order = ["ERROR", "WRONG", "NOT_ATTEMPTED", "PASS"];
    return order.find((outcome) => outcomes.includes(outcome)) ?? "NOT_ATTEMPTED";
  }

  // Feedback that is looked up ----------------------------------------------------------------

  function said(table, [outcome, pitfall, lines, noted, wrongLine]) {
    const expected = outcome === "WRONG" ? table.expected : [];
    const told = lines.map((line) => table.lines[line]);
    const answer = { outcome, pitfall, lines: told, expected, wrongLine };
    return { outcome, noted, lines: [], parts: { answer } };
  }

  function findFeedback(table, key) {
    if (key in table.feedback) return said(table, table.feedback[key]);
    // An order is judged where it leaves the right one.
    const { soFar } = table;
    const begun = key.split(" ");
    const beginnings = begun.map((_, at) => begun.slice(0, at + 1).join(" "));
    const left = beginnings.find((beginning) => beginning in soFar.feedback);
    return said(soFar, soFar.feedback[left ?? `${key} `]);
  }

  // Answers, as `check` takes them in Python ---------------------------------------------------

  const NOTHING = { outcome: "NOT_ATTEMPTED", lines: [], parts: {} };

  function checkNumberForm(table, given) {
    const parts = checkNumbers(table, given);
    const outcome = overall(Object.values(parts).map((part) => part.outcome));
    return { outcome, parts, lines: outcome === "PASS" && table.insight ? [plain(table.insight)] : [] };
  }

  const picked = (given) => (given === null ? [] : [given].flat());

  function checkPick(table, given) {
    const keys = picked(given[table.fields[0].name]);
    return keys.length ? findFeedback(table, keys.join(" ")) : NOTHING;
  }

  const checkOrder = (table, { order }) => (order ? findFeedback(table, order) : NOTHING);

  /** A text is noted, and the learner's marks of it are looked up. */
  function checkText(table, { text, marks }) {
    if (isMissing(text)) return NOTHING;
    // No criterion could be true of a word or two.
    const { words, letters } = table.fewest;
    if (text.trim().split(/\s+/).length < words && text.trim().length < letters) {
      return { ...NOTHING, lines: [plain(table.short)] };
    }
    if (!marks) return { ...NOTHING, noted: "Saved" };
    return findFeedback(table, marks.flatMap((mark, at) => (mark ? [at] : [])).join(" "));
  }

  // As in recsys_metrics/workbook/exercises/result.py.
  const NOT_AS_USUAL = "Not saved as usual";

  // What each kind saves of an answer: nothing else is given back to it.
  const KINDS = {
    numbers: { check: checkNumberForm, shape: "table", saved: (given) => given },
    pick: { check: checkPick, shape: "list", saved: (given) => picked(Object.values(given)[0]) },
    order: { check: checkOrder, shape: "list", saved: ({ order }) => order.split(" ") },
    text: { check: checkText, shape: "table", saved: ({ text }) => ({ text }) },
    function: { shape: "words" },
  };

  // The card -----------------------------------------------------------------------------------

  const keyOf = (id, seed) => (seed === undefined ? id : `${id} ${seed}`);

  /** Return the page after this one, as the theme links it. */
  function nextPage() {
    const link = document.querySelector(".prev-next-area a.right-next");
    const title = link?.querySelector(".prev-next-title")?.textContent.trim();
    return title ? { title, href: link.href } : undefined;
  }

  /** Put a card that answers in the place of a printed one, and return it; of a variant, which has a
      seed, nothing that was answered comes back but what is given. */
  function wake(printed, id, table, { seed, original, given } = {}) {
    const shownAt = performance.now();
    const about = seed === undefined ? {} : { seed };
    const kind = KINDS[table.kind];
    const known = seed === undefined ? progress.of(id) : undefined;
    // A text that was written and not checked; a function keeps its own.
    const draft = table.kind === "text" ? progress.draftOf(keyOf(id, seed))?.text : undefined;
    const saved = given ?? (known && progress.answerOf(id, kind.shape));
    const earlier = draft === undefined ? saved : { text: draft };
    const hints = [...printed.querySelectorAll(":scope > details")];
    const picture = printed.querySelector(":scope > svg");
    let opened = false;

    /** Note what was answered, and return what is said of it. */
    function note(result, answer) {
      // Python that does not run says so in the place of a result.
      if (result.outcome === "NOT_ATTEMPTED" && !(result.noted && answer)) return result;
      const seconds = Math.round((performance.now() - shownAt) / 100) / 10;
      const saving = progress.note(id, result.outcome, answer, { ...about, seconds });
      if (saving) return { ...result, saving, noted: result.noted && NOT_AS_USUAL };
      if (table.kind === "text") progress.keepDraft(keyOf(id, seed), undefined);
      return result;
    }

    const spec = {
      ...table,
      picture: picture?.outerHTML ?? "",
      earlier: earlier || undefined,
      attempted: Boolean(known),
    };
    const card = window.recsysBook.fronts.get("card").createCard(spec, {
      check: (given) => note(kind.check(table, given), kind.saved(given)),
      form: (of) => {
        const form = functionForm(of, earlier, keyOf(id, seed));
        const check = async () => {
          const result = await form.check();
          return result && note(result, result.answer);
        };
        return { ...form, check };
      },
      hint(number) {
        progress.noteHelp(id, "hint", number, about);
        const hint = hints[number - 1].cloneNode(true);
        const label = hint.querySelector("summary").textContent;
        hint.querySelector("summary").remove();
        return `<p><strong>${label}</strong></p>${hint.innerHTML}`;
      },
      solution() {
        if (!opened) progress.noteHelp(id, "solution", 0, about);
        opened = true;
        return table.solution;
      },
      ...(table.variants.length ? { variant: () => replaceByVariant() } : {}),
      ...(original ? { original: () => replace(original()) } : {}),
      after: nextPage(),
      // Of a variant the card itself knows whether it was ever right.
      ...(seed === undefined ? { isDone: () => progress.isDone(id), watch: progress.watch } : {}),
    });

    async function replaceByVariant() {
      const next = freshSeed(table.variants, seed);
      replace(await review(id, next, original ?? (() => card)));
    }

    function replace(by) {
      card.replaceWith(by);
      by.tabIndex = -1;
      by.focus({ preventScroll: true });
      // Its numbers are at its top, and were asked for at its end.
      if (by.getBoundingClientRect().top < 64) by.scrollIntoView({ block: "start", behavior: "smooth" });
    }

    if (table.kind === "text") {
      const area = card.querySelector("textarea");
      area.addEventListener("input", () => {
        progress.keepDraft(keyOf(id, seed), area.value.trim() ? { text: area.value } : undefined);
      });
      progress.followDraft(keyOf(id, seed), card, (other) => {
        if (other === undefined || other.text === area.value) return;
        area.value = other.text;
        area.dispatchEvent(new Event("input", { bubbles: true }));
      });
    }
    card.dataset.exercise = id;
    card.dataset.counted = id;
    card.dataset.alive = "";
    if (printed.id) card.id = printed.id;
    printed.replaceWith(card);
    return card;
  }

  /** Return the seed after this one, the first after the last. */
  const freshSeed = (seeds, seed) => seeds[(seeds.indexOf(seed) + 1) % seeds.length];

  /** Return a card that the page does not show, awake: of a variant, or the first one without a seed.
      `original` returns the card that it takes the place of. One of an assignment is not replaced
      by another, and shows what was `given` before. */
  async function review(id, seed, original, assigned) {
    const table = decode(await script(seed === undefined ? `alone/${id}` : `reviews/${id}.${seed}`));
    const place = make("div");
    place.innerHTML = table.card;
    const variants = assigned ? [] : table.variants;
    return wake(place.firstElementChild, id, { ...table, variants }, { seed, original, ...assigned });
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
