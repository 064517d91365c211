/* The likely cause of each number that is wrong, by the rules of
   recsys_metrics/workbook/exercises/diagnosis.py: known mistakes first, which give values for all
   answers together, be it to as many decimals as were given, then the mistakes of arithmetic that
   are made with any number. */

(() => {
  "use strict";

  const { PLACES, agrees, agreesRoughly, resembles, isClose, isCoarse, nearMiss } = window.recsysBook.reading;
  const resemblesRoughly = (reading, value) => resembles(reading, value) || isCoarse(reading, value);

  const NEAR = 0.02;
  const AT_MOST = 2;
  const EXACT = 12;
  const SURE = 3;
  const ARITHMETIC = 2;
  const SMALL_DENOMINATOR = 10;
  const LARGEST_FRACTION = 10;

  function compare(one, other) {
    return one[0] - other[0] || one[1] - other[1];
  }

  /** Return the suspects of the best rank. */
  function best(ranked) {
    const lead = ranked.map(({ rank }) => rank).sort(compare)[0];
    return ranked.filter(({ rank }) => compare(rank, lead) === 0).map(({ suspect }) => suspect);
  }

  /** Leave out answers in each other's place where the exercise says how they got there. */
  function mostParticular(suspects) {
    const isExplained = suspects.some(({ tier }) => tier === 0);
    return suspects.filter(({ both }) => !(isExplained && both.length));
  }

  /** Return each mistake once: several ways to make it can lead to one value. */
  function once(suspects) {
    const isSame = (one, other) => one.id === other.id && one.cause === other.cause;
    return suspects.filter(
      (one, place) => suspects.findIndex((other) => isSame(one, other)) === place,
    );
  }

  /** Whether an answer that is right, or wrong in another way, speaks against a mistake. */
  function contradicts(suspect, { readings, table, wrong, firm }, fits) {
    return Object.keys(readings).some((name) => {
      const value = suspect.values[name];
      const changed = !agrees({ value, places: EXACT }, table.right[name]);
      const counts = !wrong.includes(name) || (firm.includes(name) && changed);
      return counts && !fits(readings[name], value);
    });
  }

  /** Return the known mistakes that explain each of some answers best. */
  function fromKnown(names, known, given, fits) {
    const { readings } = given;
    const all = Object.keys(readings);
    const ranked = Object.fromEntries(names.map((name) => [name, []]));
    for (const suspect of known) {
      if (contradicts(suspect, given, fits)) continue;
      const fitting = all.filter((name) => fits(readings[name], suspect.values[name]));
      const explained = names.filter((name) => fitting.includes(name));
      if (!suspect.both.every((name) => explained.includes(name))) continue;
      const rank = [all.length - fitting.length, -explained.length];
      for (const name of explained) ranked[name].push({ rank, suspect });
    }
    return Object.fromEntries(names.map((name) => [name, once(mostParticular(best(ranked[name])))]));
  }

  /** Return the digits of numerator and denominator, 23 for 0.667; nothing for other numbers. */
  function fractionOfSmallNumbers({ value, places }) {
    const size = Math.abs(value);
    if (size >= LARGEST_FRACTION) return "";
    const near = 0.51 * 10 ** -Math.min(Math.max(places, PLACES), EXACT);
    for (let n = 2; n <= SMALL_DENOMINATOR; n += 1) {
      if (Math.abs(size * n - Math.round(size * n)) <= near * n) return `${Math.round(size * n)}${n}`;
    }
    return "";
  }

  /** Return the significant digits of a number, or of the fraction that it is. */
  function digitsOf(reading) {
    const [mantissa] = Math.abs(reading.value).toExponential(5).split("e");
    const digits = mantissa.replace(".", "").replace(/0+$/, "");
    const fraction = fractionOfSmallNumbers(reading);
    return fraction && fraction.length < digits.length ? fraction : digits;
  }

  /** Whether many ways lead to a number: it is short, or a fraction of small numbers. */
  const isSimple = (reading) =>
    digitsOf(reading).length < SURE || Boolean(fractionOfSmallNumbers(reading));

  function isArithmeticMistake(reading, value, right) {
    const gap = Math.abs(reading.value - value);
    const typed = reading.places + reading.zeros;
    const threeDigits = typed < PLACES && Math.abs(reading.value) >= 10 ** (2 - typed);
    return (
      (resembles(reading, value) || (threeDigits && gap <= 0.5 * 10 ** -typed)) &&
      gap <= NEAR * Math.abs(value) &&
      !isClose(reading, right)
    );
  }

  /** Return the mistakes of arithmetic that were made on all answers that are left. */
  function fromArithmetic(readings, left, table) {
    const fit = left.map((name) =>
      table.arithmetic.filter(
        ({ values }) =>
          name in values &&
          isArithmeticMistake(readings[name], values[name], table.right[name]),
      ),
    );
    const isEverywhere = (id) => fit.every((found) => found.some((one) => one.id === id));
    const best = fit.map((found) => found.filter(({ id }) => isEverywhere(id)));
    const few = best.map((found) => (found.length > AT_MOST ? [] : found));
    const isWithheld = ({ needsDigits }, name) => needsDigits && isSimple(readings[name]);
    return Object.fromEntries(
      left.map((name, place) => [name, few[place].filter((one) => !isWithheld(one, name))]),
    );
  }

  /** Whether an answer has no cause, and neither follows from others nor is nearly right. */
  function isUnexplained(name, found, readings, table, carried) {
    const isNear = nearMiss(readings[name], table.right[name]);
    return !found[name].length && !carried.includes(name) && !isNear;
  }

  /** Return the likely causes of each answer that is wrong; more than one if in doubt. */
  function diagnose(readings, table, carried) {
    const isOff = (name) => !agreesRoughly(readings[name], table.right[name]);
    const wrong = Object.keys(readings).filter(isOff);
    const open = wrong.filter((name) => !isCoarse(readings[name], table.right[name]));
    // What a mistake would have changed speaks against it if it is changed in another way.
    const firm = open.filter((name) => !carried.includes(name));
    const given = { readings, table, wrong, firm };
    const found = fromKnown(open, table.known, given, resembles);
    // With too few decimals only a declared mistake is suspected that has no more of them.
    const declared = table.known.filter(({ tier }) => tier === 0);
    const ofFew = fromKnown(wrong, declared, given, resembles);
    for (const name of wrong) if (!open.includes(name)) found[name] = ofFew[name];
    for (const name of carried) {
      // What follows from a wrong answer is no mistake of its own.
      const explainsMore = (one) =>
        open.some((other) => other !== name && resembles(readings[other], one.values[other]));
      if (!(found[name] ?? []).every(explainsMore)) found[name] = [];
    }
    const isLeft = (name) => isUnexplained(name, found, readings, table, carried);
    const rough = fromKnown(open.filter(isLeft), declared, given, resemblesRoughly);
    for (const [name, causes] of Object.entries(rough)) {
      // The value of another answer is better known than a mistake with as many digits.
      const isOther = ([other, value]) => other !== name && agrees(readings[name], value);
      if (causes.length <= AT_MOST && !Object.entries(table.right).some(isOther)) found[name] = causes;
    }
    Object.assign(found, fromArithmetic(readings, open.filter(isLeft), table));
    return found;
  }

  /** Return the answers whose cause is asked about, as it may be a coincidence: it leaves a wrong
      answer unexplained, or what it explains has fewer than three digits. */
  function findUnsure(readings, table, found, carried) {
    const someOpen = Object.keys(found).some((name) => isUnexplained(name, found, readings, table, carried));
    const digitsOfAll = (causes) => {
      const ids = causes.map(({ id }) => id);
      const digits = Object.entries(found)
        .filter(([name, others]) => !carried.includes(name) && others.some(({ id }) => ids.includes(id)))
        .map(([name]) => digitsOf(readings[name]));
      return [...new Set(digits)].join("").length;
    };
    return Object.entries(found)
      .filter(([, causes]) => causes.some(({ tier }) => tier < ARITHMETIC))
      .filter(([, causes]) => someOpen || digitsOfAll(causes) < SURE)
      .map(([name]) => name);
  }

  /** Whether an answer has too few digits to be sure of a declared mistake. */
  const isDoubtful = ({ tier, values }, name, reading) =>
    tier === 0 && !resembles(reading, values[name]);

  Object.assign(window.recsysBook, { diagnose, findUnsure, isDoubtful });
})();
