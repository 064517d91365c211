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

  function compare(one, other) {
    return one[0] - other[0] || one[1] - other[1];
  }

  /** Return the suspects of the best rank. */
  function best(ranked) {
    const lead = ranked.map(({ rank }) => rank).sort(compare)[0];
    return ranked.filter(({ rank }) => compare(rank, lead) === 0).map(({ suspect }) => suspect);
  }

  /** Keep what knows most of those that explain the same. */
  function lowestTier(suspects) {
    const lowest = Math.min(...suspects.map(({ tier }) => tier));
    const found = suspects.filter(({ tier }) => tier === lowest);
    return lowest === 0 || found.length <= AT_MOST ? found : [];
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
    return Object.fromEntries(names.map((name) => [name, lowestTier(best(ranked[name]))]));
  }

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
          name in values && isArithmeticMistake(readings[name], values[name], table.right[name]),
      ),
    );
    const isEverywhere = (id) => fit.every((found) => found.some((one) => one.id === id));
    const best = fit.map((found) => found.filter(({ id }) => isEverywhere(id)));
    return Object.fromEntries(
      left.map((name, place) => [name, best[place].length > AT_MOST ? [] : best[place]]),
    );
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
    const isLeft = (name) =>
      !found[name].length &&
      !carried.includes(name) &&
      !nearMiss(readings[name], table.right[name]);
    const rough = fromKnown(open.filter(isLeft), declared, given, resemblesRoughly);
    for (const [name, causes] of Object.entries(rough)) {
      // The value of another answer is better known than a mistake with as many digits.
      const isOther = ([other, value]) => other !== name && agrees(readings[name], value);
      if (causes.length <= AT_MOST && !Object.entries(table.right).some(isOther)) found[name] = causes;
    }
    Object.assign(found, fromArithmetic(readings, open.filter(isLeft), table));
    return found;
  }

  /** Whether an answer has too few digits to be sure of a declared mistake. */
  const isDoubtful = ({ tier, values }, name, reading) =>
    tier === 0 && !resembles(reading, values[name]);

  Object.assign(window.recsysBook, { diagnose, isDoubtful });
})();
