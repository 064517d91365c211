/* Reading a number as it was typed, and comparing it with the value asked for, by the rules of
   recsys_metrics/workbook/exercises/answers.py and expression.py. A table of vectors holds the
   two equal. */

(() => {
  "use strict";

  const PLACES = 3;
  const RELATIVE = 1e-6;
  const FUZZ = 1e-12;
  const NO_END = 99;
  const FAR = 1e100;
  const LONGEST = 120;

  const BARE = String.raw`(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3}(?![0-9.]))?`;
  const DECIMAL = `[+-]?${BARE}`;
  const ALONE = new RegExp(String.raw`^(?:(${DECIMAL})|\( ?(${DECIMAL}) ?\))$`);
  const PERCENT = /^(.*\S)\s*(?:%|per ?cent|pct)$/i;
  const MINUS = /[\u2010\u2011\u2012\u2013\u2014\u2212\uFE63\uFF0D]/g;
  const UNSEEN = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
  const WIDE = /[\uff01-\uff5e]/g;
  const narrow = (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0);
  const SIGNS = { "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/", "[": "(", "]": ")" };
  const NAMED = /^(?:\p{L}[^=:≈]{0,40})?[=:≈~]\s*(.+)$/u;
  const WORD_BEFORE = /^(\p{L}+)\s+(.+)$/u;
  const WORD_AFTER = /^(.*[0-9.)])\s*(\p{L}+)\.?$/u;
  const COMMA = /(?<![0-9.])([0-9]*),(?=[0-9])/g;
  const HEAD = "[+-]?[1-9][0-9]{0,2}";
  const DECIMAL_OR_THOUSANDS = new RegExp(`^${HEAD},[0-9]{3}$`);
  const THOUSANDS = new RegExp(
    `^${HEAD}(?:(?:,[0-9]{3}){2,}|(?:,[0-9]{3})+(?=\\.)|(?:[ _'’][0-9]{3})+)(?:\\.[0-9]+)?$`,
  );
  const THOUSANDS_BY_DOTS = new RegExp(`^${HEAD}(?:\\.[0-9]{3})+(?:\\.[0-9]{3}|,[0-9]+)$`);
  const TOKEN = new RegExp(String.raw`\s*(${BARE}|\*\*|[a-z]+[0-9]*|[-+*/^()√])`, "y");
  const NUMBER = new RegExp(`^${BARE}$`);

  const FUNCTIONS = {
    sqrt: Math.sqrt,
    log: Math.log,
    ln: Math.log,
    log2: Math.log2,
    log10: Math.log10,
    exp: Math.exp,
    abs: Math.abs,
  };

  /** What was typed is no number; the message is the key of what to say. */
  class Unreadable extends Error {}

  const unit = (places) => Number(`1e-${places}`);

  // An expression -------------------------------------------------------------------------------

  class NotAnExpression extends Error {}

  function split(text) {
    const tokens = [];
    TOKEN.lastIndex = 0;
    while (text.slice(TOKEN.lastIndex).trim()) {
      const found = TOKEN.exec(text);
      if (!found) throw new NotAnExpression();
      tokens.push(found[1]);
    }
    return tokens;
  }

  function defined(value) {
    if (Number.isNaN(value)) throw new Unreadable("undefined");
    return value;
  }

  /** Return the value of an expression; the grammar stands in expression.py. */
  function evaluate(text) {
    const tokens = split(text);
    let place = 0;
    const take = (...wanted) => (wanted.includes(tokens[place]) ? tokens[place++] : "");

    function sum() {
      let value = product();
      for (let sign; (sign = take("+", "-")); ) {
        const other = product();
        value = sign === "+" ? value + other : value - other;
      }
      return value;
    }

    function product() {
      let value = signed();
      for (let sign; (sign = take("*", "/")); ) {
        const other = signed();
        if (sign === "/" && other === 0) throw new Unreadable("zero");
        value = sign === "*" ? value * other : value / other;
      }
      return value;
    }

    function signed() {
      const sign = take("+", "-");
      if (!sign) return power();
      const value = signed();
      return sign === "-" ? -value : value;
    }

    function power() {
      const base = atom();
      if (!take("**", "^")) return base;
      const exponent = signed();
      if (base < 0 && !Number.isInteger(exponent)) throw new Unreadable("undefined");
      if (base === 0 && exponent < 0) throw new Unreadable("zero");
      return base ** exponent;
    }

    function atom() {
      if (take("(")) return bracketed();
      if (take("√")) return defined(Math.sqrt(atom()));
      const token = tokens[place++] ?? "";
      if (Object.hasOwn(FUNCTIONS, token) && take("(")) return apply(token, bracketed());
      if (!NUMBER.test(token)) throw new NotAnExpression();
      return Number(token);
    }

    function apply(name, value) {
      if (name.startsWith("l") && value === 0) throw new Unreadable("undefined");
      return defined(FUNCTIONS[name](value));
    }

    function bracketed() {
      const value = sum();
      if (!take(")")) throw new NotAnExpression();
      return value;
    }

    const value = sum();
    if (place < tokens.length) throw new NotAnExpression();
    if (!(Math.abs(value) <= FAR)) throw new Unreadable("far");
    return value;
  }

  // A number as it was typed --------------------------------------------------------------------

  function isMissing(text) {
    return ["", "...", "…", "?"].includes(text.replace(UNSEEN, "").trim());
  }

  /** Return a decimal: its value, the decimals that count, and the zeros it ends in. */
  function readDecimal(text, shift = 0) {
    const [, sign, whole, part = "", power = "0"] = text.match(
      /^([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?$/,
    );
    const exponent = Number(power) - part.length + shift;
    const digits = (whole + part).replace(/^0+/, "");
    if ((digits.length || 1) - 1 + exponent > 100) throw new Unreadable("far");
    const ending = digits ? digits.match(/0*$/)[0].length : -exponent;
    const places = Math.max(0, digits ? -(exponent + ending) : 0);
    const written = Math.max(0, -exponent);
    const value = Number(`${sign}${digits || "0"}e${exponent}`);
    return { value, places, zeros: Math.max(0, written - places) };
  }

  /** Return a number without what separates its thousands; ask where that is not certain. */
  function withoutThousands(text) {
    if (DECIMAL_OR_THOUSANDS.test(text)) throw new Unreadable("thousands");
    if (THOUSANDS.test(text)) return text.replace(/[ _'’,]/g, "");
    if (THOUSANDS_BY_DOTS.test(text)) return text.replaceAll(".", "").replace(",", ".");
    return text;
  }

  function readBare(typed) {
    const text = withoutThousands(typed);
    const given = text.includes(".") ? text : text.replace(COMMA, "$1.");
    const alone = given.match(ALONE);
    if (alone) return readDecimal(alone[1] ?? alone[2]);
    const percent = given.match(PERCENT);
    if (percent && new RegExp(`^${DECIMAL}$`).test(percent[1])) return readDecimal(percent[1], -2);
    const word = given.toLowerCase().replace(/^[+-]+/, "");
    if (word === "nan") throw new Unreadable("nan");
    if (word === "inf" || word === "infinity") throw new Unreadable("infinite");
    try {
      return { value: evaluate(given.toLowerCase()), places: NO_END, zeros: 0 };
    } catch (problem) {
      if (problem instanceof NotAnExpression) return null;
      throw problem;
    }
  }

  /** Return the number that was typed; `rules` holds the words that may stand beside it. */
  function read(typed, label, rules) {
    const text = typed.replace(UNSEEN, "");
    if (text.trim().length > LONGEST) throw new Unreadable("text");
    let given = text.replace(MINUS, "-").replace(WIDE, narrow);
    given = given.replace(/[×·⋅∗÷⁄∕[\]]/g, (sign) => SIGNS[sign]);
    given = given.trim().replace(/\s+/g, " ").replace(/^([-+]) (?=[0-9.,])/, "$1");
    let reading = readBare(given);
    const named = reading ? null : given.match(NAMED);
    if (named) {
      given = named[1];
      reading = readBare(given);
    }
    const labelled = (label.match(/\p{L}+/gu) ?? []).map((word) => word.toLowerCase());
    const fits = (word) =>
      [...rules.units, ...labelled].includes(word.toLowerCase()) &&
      !rules.turns.includes(word.toLowerCase());
    const before = reading ? null : given.match(WORD_BEFORE);
    if (before && fits(before[1])) reading = readBare(before[2]);
    const after = reading ? null : given.match(WORD_AFTER);
    if (after && fits(after[2])) reading = readBare(after[1]);
    if (!reading) throw new Unreadable("text");
    return reading;
  }

  // Comparing -----------------------------------------------------------------------------------

  function agrees(reading, value) {
    const half = unit(Math.max(PLACES, reading.places)) / 2;
    const gap = Math.abs(reading.value - value);
    return gap <= Math.max(half + FUZZ, RELATIVE * Math.abs(value));
  }

  function isCutOff(reading, value) {
    const gap = Math.abs(reading.value - value);
    return Math.abs(reading.value) < Math.abs(value) && gap < unit(reading.places) - FUZZ;
  }

  function roundAlike(one, other, scale) {
    const [first, second] = [one * scale, other * scale];
    const up = (x) => Math.ceil(x - 0.5 - RELATIVE);
    const down = (x) => Math.floor(x + 0.5 + RELATIVE);
    return Math.max(up(first), up(second)) <= Math.min(down(first), down(second));
  }

  /** Whether a reading rounds to what a value rounds to; cut off or not. */
  function resembles(reading, value) {
    if (agrees(reading, value)) return true;
    const digits = PLACES - 1 - Math.floor(Math.log10(Math.abs(value)));
    const places = value ? Math.max(PLACES, digits) : PLACES;
    return (
      reading.places > places &&
      Math.abs(reading.value - value) <= unit(places) / 2 + FUZZ &&
      roundAlike(reading.value, value, 10 ** places)
    );
  }

  function agreesRoughly(reading, value) {
    return (
      resembles(reading, value) && (agrees(reading, value) || !isCutOff(reading, value))
    );
  }

  function isCoarse(reading, value) {
    const typed = reading.places + reading.zeros;
    if (typed >= PLACES || !reading.value) return false;
    const gap = Math.abs(reading.value - value);
    return (
      gap <= unit(PLACES - 1) / 2 + FUZZ ||
      (typed === PLACES - 1 && isCutOff(reading, value)) ||
      (Math.abs(reading.value) >= 10 ** (1 - typed) && gap <= unit(typed) / 2 + FUZZ)
    );
  }

  /** Whether so many digits of a coarse reading are right that it is hardly anything else. */
  function isLikelyRounded(reading, value) {
    const typed = reading.places + reading.zeros;
    const gap = Math.abs(reading.value - value);
    return typed === PLACES - 1 || gap <= 0.01 * Math.abs(value) + FUZZ;
  }

  function isClose(reading, value) {
    const gap = Math.abs(reading.value - value);
    // Of five decimals, the third is none of the last digits.
    const isLast = reading.places <= PLACES + 1 && gap <= 0.05 * Math.abs(value);
    const near = isLast ? 1.5 * unit(PLACES) : 0;
    return reading.places >= PLACES - 1 && gap <= Math.max(near, 0.007 * Math.abs(value)) + FUZZ;
  }

  /** Return the key of what to say about a near miss, or nothing. */
  function nearMiss(reading, value) {
    if (isCoarse(reading, value)) return isLikelyRounded(reading, value) ? "coarse" : "perhaps";
    if (reading.places >= PLACES && isCutOff(reading, value)) return "cutOff";
    return isClose(reading, value) ? "close" : "";
  }

  window.recsysBook.reading = {
    Unreadable,
    PLACES,
    isMissing,
    read,
    evaluate,
    agrees,
    agreesRoughly,
    resembles,
    isCoarse,
    isClose,
    nearMiss,
  };
})();
