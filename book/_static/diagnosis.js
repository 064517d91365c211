/* The likely cause of each number that is wrong, by the rules of
   recsys_metrics/workbook/exercises/diagnosis.py: known mistakes first, which give values for all
   answers together, then the mistakes of arithmetic that are made with any number. */

(() => {
  "use strict";

  const { PLACES, agrees, agreesRoughly, resembles, isClose, isCoarse, nearMiss } = window.recsysBook.reading;

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
  function contradicts(suspect, readings, table, wrong, firm) {
    return Object.keys(readings).some((name) => {
      const value = suspect.values[name];
      const changed = !agrees({ value, places: EXACT }, table.right[name]);
      const counts = !wrong.includes(name) || (firm.includes(name) && changed);
      return counts && !resembles(readings[name], value);
    });
  }

  function fromKnown(readings, wrong, open, known) {
    const names = Object.keys(readings);
    const ranked = Object.fromEntries(wrong.map((name) => [name, []]));
    for (const suspect of known) {
      const fits = names.filter((name) => resembles(readings[name], suspect.values[name]));
      const explained = open.filter((name) => fits.includes(name));
      if (!suspect.both.every((name) => explained.includes(name))) continue;
      const rank = [names.length - fits.length, -explained.length];
      for (const name of explained) ranked[name].push({ rank, suspect });
    }
    return Object.fromEntries(wrong.map((name) => [name, lowestTier(best(ranked[name]))]));
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
    const possible = table.known.filter(
      (suspect) => !contradicts(suspect, readings, table, wrong, firm),
    );
    const found = fromKnown(readings, wrong, open, possible);
    // With too few decimals only a declared mistake is suspected that has no more of them.
    const declared = possible.filter(({ tier }) => tier === 0);
    const ofFew = fromKnown(readings, wrong, wrong, declared);
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
    const left = open.filter(isLeft);
    return { ...found, ...fromArithmetic(readings, left, table) };
  }

  window.recsysBook.diagnose = diagnose;
})();
