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
    if (causes.length === 1 && !doubtful && !isUnsure && !observation) {
      return [labelled("Likely cause", only), table.says.ask.join(ask)];
    }
    const [first, more] = table.says.perhaps;
    return causes.map(({ name, observation: isFact, cause, hint }, at) => {
      const text = `${cause} ${hint}`;
      return isFact ? plain(text) : labelled(`${at ? more : first} ${name}`, text);
    });
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
          else if (doubtful) lines.push(plain(table.says.roundedLike));
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

  const isTooShort = (text, { words, letters }) =>
    text.trim().split(/\s+/).length < words && text.trim().length < letters;

  /** A text is noted, and the learner's marks of it are looked up. */
  function checkText(table, { text, marks }) {
    if (isMissing(text)) return NOTHING;
    // No criterion could be true of a word or two.
    if (isTooShort(text, table.fewest)) return { ...NOTHING, lines: [plain(table.short)] };
    if (!marks) return { ...NOTHING, noted: "Saved" };
    return findFeedback(table, marks.flatMap((mark, at) => (mark ? [at] : [])).join(" "));
  }

  // As in recsys_metrics/workbook/exercises/result.py.
  const NOT_AS_USUAL = "Not saved as usual";

  // What each kind saves of an answer: nothing else is given back to it.
  const KINDS = {
    numbers: { check: checkNumberForm, shape: "table", saved: (given) => given },
    pick: { check: checkPick, shape: "list", saved: (given) => picked(Object.values(given)[0]) },
    order: { check: checkOrder, shape: "list", saved: ({ order }) => order.split(" ").filter(Boolean) },
    text: { check: checkText, shape: "table", saved: ({ text }) => ({ text }) },
    function: { shape: "words" },
  };

  // The card -----------------------------------------------------------------------------------

  const keyOf = (id, seed) => (seed === undefined ? id : `${id} ${seed}`);

  // A draft is a table of texts, whatever the kind.
  const asDraft = (saved) => (Array.isArray(saved) ? { picked: saved.join(" ") } : saved);
  function readDraft(kind, draft) {
    if (draft === undefined || kind.shape !== "list") return draft;
    return (draft.picked ?? "").split(" ").filter(Boolean);
  }

  const NOTHING_ENTERED = "[]";
  /** Return an answer in a form in which two that are the same are equal. */
  function condense(saved) {
    if (Array.isArray(saved)) return JSON.stringify(saved);
    return JSON.stringify(Object.entries(saved ?? {}).filter(([, text]) => text.trim()).sort());
  }

  // What each card has that was not checked.
  const entries = new WeakMap();

  /** Return the page after this one, as the theme links it. */
  function nextPage() {
    const link = document.querySelector(".prev-next-area a.right-next");
    const title = link?.querySelector(".prev-next-title")?.textContent.trim();
    return title ? { title, href: link.href } : undefined;
  }

  /** Put a card that answers in the place of a printed one, and return it; of a variant, which has a
      seed, nothing that was checked comes back unless it is assigned. */
  function wake(printed, id, table, { seed, original, isAssigned = false } = {}) {
    const shownAt = performance.now();
    const about = seed === undefined ? {} : { seed };
    const kind = KINDS[table.kind];
    const key = keyOf(id, seed);
    const known = seed === undefined ? progress.of(id) : undefined;
    const isForm = table.kind !== "function"; // which keeps its draft itself
    const checked = () => progress.answerOf(id, kind.shape, seed);
    // What was changed since the last check.
    let entered = isForm ? readDraft(kind, progress.draftOf(key)) : undefined;
    const earlier = entered ?? (known || isAssigned ? checked() : undefined);
    let form;
    let isFollowing = false;
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
      if (isForm) {
        entered = undefined;
        progress.keepDraft(key, undefined);
      }
      return result;
    }

    function enter(given) {
      if (!isForm || isFollowing) return;
      const now = kind.saved(given);
      const isEmpty = condense(now) === NOTHING_ENTERED;
      entered = condense(now) === condense(checked()) ? undefined : now;
      // A card that was emptied has what was checked again when the page is opened anew.
      progress.keepDraft(key, entered === undefined || isEmpty ? undefined : asDraft(now));
    }

    /** Show what another tab has entered or checked. */
    function follow(draft) {
      entered = readDraft(kind, draft);
      isFollowing = true;
      form.write(entered ?? checked());
      isFollowing = false;
    }

    /** Return what stands in the card and was not checked, and whether it shows something else than
        that and than what was checked last. */
    function describeEntry() {
      if (!isForm) return { table, entered: form.read() === table.stub ? "" : form.read(), isOther: false };
      const isOther = condense(kind.saved(form.read())) !== condense(entered ?? checked());
      return { table, entered, isOther };
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
        const ofFunction = functionForm(of, earlier, key);
        const check = async () => {
          const result = await ofFunction.check();
          return result && note(result, result.answer);
        };
        return { ...ofFunction, check };
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
      enter,
      bind: (drawn) => (form = drawn),
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

    if (isForm) progress.followDraft(key, card, follow);
    entries.set(card, describeEntry);
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
      `original` returns the card that it takes the place of. One that is assigned is not replaced by
      another, and shows what was checked before. */
  async function review(id, seed, original, { isAssigned = false } = {}) {
    const table = decode(await script(seed === undefined ? `alone/${id}` : `reviews/${id}.${seed}`));
    const place = make("div");
    place.innerHTML = table.card;
    const variants = isAssigned ? [] : table.variants;
    return wake(place.firstElementChild, id, { ...table, variants }, { seed, original, isAssigned });
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
  window.recsysBook.isTooShort = isTooShort;
  /** What stands in a card that is awake, with its table. */
  window.recsysBook.describeEntry = (card) => entries.get(card)();
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
