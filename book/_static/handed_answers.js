/* Which answer to an exercise is handed in: the one in its card, or one that was checked before. The
   rule and the sentences are those of recsys_metrics/workbook/progress/handed_answers.py; the table
   tests/workbook/handed_answers.json is run in both. */

(() => {
  "use strict";

  const { progress, isUnwritten } = window.recsysBook;
  const { isMissing, read, Unreadable } = window.recsysBook.reading;

  const EMPTY = "is empty";
  const TOO_LONG = `is longer than ${progress.longest} characters`;
  const isTable = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isTooLong = (text) => !progress.canSave(text);

  const readWords = (text, answer) => {
    if (!text.trim()) return { parts: 0, fault: EMPTY };
    return isTooLong(text) ? { parts: 0, fault: TOO_LONG } : { answer, parts: 1, fault: "" };
  };

  function readText(table, given) {
    const text = (isTable(given) && given.text) || "";
    const found = readWords(text, { text });
    return found.parts && window.recsysBook.isTooShort(text, table.fewest)
      ? { ...found, parts: 0, fault: "is too short for a sentence" }
      : found;
  }

  /** Python finds gaps that are not seen here, when the function is checked. */
  function readFunction(table, given) {
    const code = typeof given === "string" ? given : "";
    const found = readWords(code, code);
    return found.parts && isUnwritten(code, table.stub)
      ? { parts: 0, fault: "is not complete (a part is not written yet)" }
      : found;
  }

  function readPicked(table, given) {
    const [field] = table.fields;
    const known = field.options.map(([key]) => key);
    const answer = [...new Set(Array.isArray(given) ? given : [])];
    if (!answer.length) return { parts: 0, fault: EMPTY };
    // An exercise may have had other options when they were picked.
    const isStrange = answer.some((key) => !known.includes(key)) || (field.kind === "one" && answer.length > 1);
    if (isStrange) return { parts: 0, fault: "cannot be read (unknown options)" };
    // How many lines an order needs would be part of the answer.
    return { answer, parts: 1, fault: "" };
  }

  function isNumber(field, text, words) {
    try {
      read(text, `${field.name} ${field.label}`, words);
      return true;
    } catch (problem) {
      if (problem instanceof Unreadable) return false;
      throw problem;
    }
  }

  function readNumbers({ fields, words }, given) {
    const typed = isTable(given) ? given : {};
    const textOf = ({ name }) => (typed[name] ?? "").trim();
    const written = fields.filter((field) => !isMissing(textOf(field)));
    if (!written.length) return { parts: 0, fault: EMPTY };
    if (written.some((field) => isTooLong(textOf(field)))) return { parts: 0, fault: TOO_LONG };
    const unread = written.filter((field) => !isNumber(field, textOf(field), words));
    const labels = (some) => some.map(({ label }) => label).join(", ");
    const empty = fields.filter((field) => !written.includes(field));
    const faults = [
      ...(empty.length ? [`empty: ${labels(empty)}`] : []),
      ...(unread.length ? [`no number: ${labels(unread)}`] : []),
    ];
    const says = empty.length ? "is not complete" : "cannot be read";
    return {
      answer: Object.fromEntries(written.map((field) => [field.name, textOf(field)])),
      parts: written.length - unread.length,
      fault: faults.length ? `${says} (${faults.join("; ")})` : "",
    };
  }

  const KINDS = { numbers: readNumbers, pick: readPicked, order: readPicked, text: readText, function: readFunction };

  /** Return an answer as far as it can be handed in, how many of its parts can be read, and what
      keeps it from being complete; of a card that did not load what was checked is taken as it is. */
  function readAnswer(table, given) {
    if (table) return KINDS[table.kind](table, given);
    return { answer: given, parts: 1, fault: "" };
  }

  const preferLater = (earlier, later) => {
    if (later.answer === undefined) return earlier;
    return !earlier || later.parts >= earlier.parts ? later : earlier;
  };

  const isFilled = (answer) => Object.keys(answer ?? {}).length > 0;

  /** Return which answer is `handed` in, and which was entered or checked `last`.

      @param checks   events with an answer, or one that was too long to be saved
      @param entered  what stands in the card and was not checked, if it was changed
      @returns  with the number of lines of a checked order, if the one that is handed in has fewer */
  function selectAnswer(table, checks, entered) {
    let handed, last;
    let linesBefore = 0;
    for (const { answer, unsaved = false, when } of checks) {
      if (!isFilled(answer) && !unsaved) continue;
      const found = isFilled(answer) ? readAnswer(table, answer) : { parts: 0, fault: TOO_LONG };
      last = { ...found, when };
      handed = preferLater(handed, last);
    }
    if (entered !== undefined) {
      const found = readAnswer(table, entered);
      const isChecked = found.answer !== undefined && JSON.stringify(found.answer) === JSON.stringify(last?.answer);
      const isUntouched = !last && found.fault === EMPTY;
      if (!isChecked && !isUntouched) {
        const checked = handed;
        last = { ...found, when: "" };
        handed = preferLater(checked, last);
        const isShorter = handed === last && table?.kind === "order" && last.answer.length < checked?.answer.length;
        if (isShorter) linesBefore = checked.answer.length;
      }
    }
    return { handed, last, linesBefore };
  }

  /** Return what is not handed in as it looks in the card, in a sentence; nothing if all is. */
  function explain(title, { handed, last, linesBefore }) {
    if (!last) return "";
    const { fault } = last;
    if (!handed) return `The answer to ${title} ${fault} and is not in the file.`;
    if (handed === last && linesBefore) {
      return (
        `The answer to ${title} was changed after its last check and has fewer lines ` +
        `(${handed.answer.length} instead of ${linesBefore}): it is handed in as it is.`
      );
    }
    if (handed === last) return fault ? `The answer to ${title} ${fault} and is handed in as it is.` : "";
    const lacks = handed.fault ? `, which ${handed.fault},` : "";
    if (last.when) {
      return (
        `The last answer to ${title} that was checked ${fault}: the one that was checked ` +
        `before${lacks} is handed in.`
      );
    }
    return (
      `The answer to ${title} was changed after its last check and ${fault}: the checked ` +
      `one${lacks} is handed in.`
    );
  }

  window.recsysBook.handedAnswers = { selectAnswer, explain };
})();
