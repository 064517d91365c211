/* The likely cause of each number that is wrong, by the rules of
   recsys_metrics/workbook/exercises/diagnosis.py: known mistakes first, which give values for all
   answers together, then the slips that are made with any number. */

(() => {
  "use strict";

  const { agreesRoughly, isClose, isCoarse } = window.recsysBook.reading;

  const NEAR = 0.02;
  const AT_MOST = 2;

  function compare(one, other) {
    return one[0] - other[0] || one[1] - other[1];
  }

  /** Return the suspects of the best rank. */
  function best(ranked) {
    const lead = ranked.map(({ rank }) => rank).sort(compare)[0];
    return ranked.filter(({ rank }) => compare(rank, lead) === 0).map(({ suspect }) => suspect);
  }

  /** Leave out an exchange where a declared mistake says the same with its reason. */
  function declaredFirst(suspects) {
    const declared = suspects.filter(({ both }) => !both.length);
    return declared.length ? declared : suspects;
  }

  function fromKnown(readings, wrong, open, table) {
    const names = Object.keys(readings);
    const ranked = Object.fromEntries(wrong.map((name) => [name, []]));
    for (const suspect of open.length ? table.known : []) {
      const fits = names.filter((name) => agreesRoughly(readings[name], suspect.values[name]));
      const explained = open.filter((name) => fits.includes(name));
      const contradicts = names.some((name) => !wrong.includes(name) && !fits.includes(name));
      if (contradicts || !suspect.both.every((name) => explained.includes(name))) continue;
      const rank = [names.length - fits.length, -explained.length];
      for (const name of explained) ranked[name].push({ rank, suspect });
    }
    return Object.fromEntries(wrong.map((name) => [name, declaredFirst(best(ranked[name]))]));
  }

  function isSlip(reading, value, right) {
    return (
      agreesRoughly(reading, value) &&
      Math.abs(reading.value - value) <= NEAR * Math.abs(value) &&
      !isClose(reading, right)
    );
  }

  function fromSlips(readings, left, table) {
    const ranked = Object.fromEntries(left.map((name) => [name, []]));
    for (const suspect of table.slips) {
      const explained = left.filter(
        (name) =>
          name in suspect.values && isSlip(readings[name], suspect.values[name], table.right[name]),
      );
      const rank = [0, -explained.length];
      for (const name of explained) ranked[name].push({ rank, suspect });
    }
    const found = Object.entries(ranked).map(([name, pairs]) => [name, best(pairs)]);
    return Object.fromEntries(
      found.map(([name, suspects]) => [name, suspects.length > AT_MOST ? [] : suspects]),
    );
  }

  /** Return the likely causes of each answer that is wrong; more than one if in doubt. */
  function diagnose(readings, table, carried) {
    const isOff = (name) => !agreesRoughly(readings[name], table.right[name]);
    const wrong = Object.keys(readings).filter(isOff);
    const open = wrong.filter((name) => !isCoarse(readings[name], table.right[name]));
    const found = fromKnown(readings, wrong, open, table);
    const left = open.filter((name) => !found[name].length && !carried.includes(name));
    return { ...found, ...fromSlips(readings, left, table) };
  }

  window.recsysBook.diagnose = diagnose;
})();
