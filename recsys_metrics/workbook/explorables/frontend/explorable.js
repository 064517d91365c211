/* An explorable: a question, a picture whose parts are moved, numbers, and what is to be found.
   The same module draws it in a notebook, where a kernel answers, and in a page of the book, where
   every state was written ahead. It computes no number: `model` hands over what is shown.

   model.get("facts")    what never changes: question, controls, numbers, goals, guess, readout
   model.get("state")    the place of each control's value; a move sets a new list
   model.get("shown")    of a state: numbers as text with their place, picture, words, goals
   model.get("found")    the places of goals that were found
   model.get("guessed")  the guess that was made, or "" */

const SPEAK_AFTER = 700; // ms; a screen reader is told where a move ended, not each step of it
const FLAT = 0.6; // height to width of a picture that leaves space for the numbers below it
const SVG = "http://www.w3.org/2000/svg";

let made = 0;

/** Make an element: attributes as they are written, children as elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Have a notebook leave the keys to what has the focus. */
function own(element) {
  element.setAttribute("data-lm-suppress-shortcuts", "true");
  return element;
}

// The picture

function parsed(markup) {
  const holder = document.createElement("div");
  holder.innerHTML = markup;
  return holder.firstElementChild;
}

/** Whether two drawings differ in the places and sizes of their marks alone. */
function alike(one, other) {
  return (
    one.nodeName === other.nodeName &&
    one.childNodes.length === other.childNodes.length &&
    [...one.childNodes].every((child, i) => alike(child, other.childNodes[i]))
  );
}

/** Make one node like another of its kind, and keep it: its focus, and its way to the new place. */
function become(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of [...fresh.attributes]) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  old.childNodes.forEach((child, i) => become(child, fresh.childNodes[i]));
}

/** Return the place of the stop that is nearest to a point of the screen. */
function nearest(handle, event) {
  const along = handle.dataset.x ? "x" : "y";
  const stops = handle.dataset[along].split(" ").map(Number);
  const toSheet = handle.parentNode.getScreenCTM().inverse();
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(toSheet)[along];
  const distances = stops.map((stop) => Math.abs(stop - at));
  return distances.indexOf(Math.min(...distances));
}

// The controls

function field(control) {
  const name = `explorable-${++made}`;
  const isSlider = control.kind === "slider";
  const input = own(
    isSlider
      ? make("input", { type: "range", id: name, min: 0, max: control.texts.length - 1, step: 1 })
      : make("select", { id: name }, ...control.texts.map((text, at) => make("option", { value: at }, text))),
  );
  const value = make("span", { class: "explorable-value" });
  const label = make("label", { for: name }, make("span", { id: `${name}-label` }, control.label));
  if (isSlider) {
    input.setAttribute("aria-labelledby", `${name}-label`);
    label.append(": ", value);
  }
  const element = make("div", { class: "explorable-control", "data-control": control.name }, label, input);
  const show = (at) => {
    input.value = at;
    value.textContent = control.texts[at];
    if (isSlider) input.setAttribute("aria-valuetext", control.texts[at]);
  };
  return { input, element, show };
}

// The numbers

const amount = (text) => Number.parseFloat(text.replace("−", "-").replaceAll(",", ""));

function readout(facts) {
  const element = make("div", { class: "explorable-readout" });
  element.innerHTML = facts.readout;
  const rows = [...element.querySelectorAll("tbody tr")].map((row) => {
    const cell = row.querySelector("td");
    const text = make("span");
    const change = make("span", { class: "explorable-change", "aria-hidden": "true" });
    cell.replaceChildren(text, change);
    const svg = row.querySelector("svg");
    return { text, change, svg, bar: svg?.querySelectorAll("rect")[1] ?? null, line: null };
  });

  function setBar(row, zero, place) {
    if (!row.svg || zero === null) return;
    if (!row.bar) {
      row.bar = row.svg.querySelector("rect").cloneNode();
      row.bar.removeAttribute("stroke");
      row.bar.removeAttribute("opacity");
      row.bar.setAttribute("fill", "#0072B2");
      row.svg.append(row.bar);
    }
    row.bar.setAttribute("x", place === null ? 0 : Math.min(place, zero));
    row.bar.setAttribute("width", place === null ? 0 : Math.abs(place - zero));
  }

  function setLine(row, place) {
    row.line?.remove();
    row.line = null;
    if (!row.svg || place === null) return;
    row.line = document.createElementNS(SVG, "line");
    const look = { x1: place, x2: place, y1: 0, y2: 12, stroke: "currentColor", "stroke-width": 2 };
    for (const [name, value] of Object.entries(look)) row.line.setAttribute(name, value);
    row.svg.append(row.line);
  }

  /** Show numbers, and of each that changed where it was and which way it went. */
  function show(numbers, before) {
    facts.numbers.forEach(({ zero }, i) => {
      const [text, place] = numbers[i];
      const [old, there] = before?.[i] ?? numbers[i];
      const by = amount(text) - amount(old);
      rows[i].text.textContent = text;
      rows[i].change.textContent = by > 0 ? "▲" : by < 0 ? "▼" : "";
      setBar(rows[i], zero, place);
      setLine(rows[i], old === text ? null : there);
    });
  }

  return { element, show };
}

// The guess

function guessing(guess, { onGuess, onTry }) {
  const buttons = guess.options.map((option) => own(make("button", { type: "button" }, option)));
  const asks = make("span", {}, guess.text);
  const said = make("span", { class: "explorable-told" });
  const element = make(
    "div",
    { class: "explorable-guess", role: "group", "aria-label": "Guess first" },
    asks,
    make("span", { class: "explorable-ways" }, ...buttons),
    said,
  );
  buttons.forEach((button, i) => button.addEventListener("click", () => onGuess(guess.options[i])));
  const tryIt = own(make("button", { type: "button", class: "explorable-try" }, "Show it"));
  tryIt.addEventListener("click", onTry);

  /** Show a guess that was made, and the answer once the state it asks about was seen. */
  function show(guessed, seen) {
    element.hidden = !guessed && seen;
    buttons.forEach((button, i) => {
      button.hidden = seen || (guessed !== "" && guess.options[i] !== guessed);
      button.disabled = guessed !== "";
      button.setAttribute("aria-pressed", guess.options[i] === guessed);
    });
    if (seen) said.replaceChildren(guess.told[guessed] ?? "");
    else if (guessed) said.replaceChildren(`Noted. Now ${guess.move}: `, tryIt);
    asks.hidden = seen;
  }

  return { element, show };
}

// All of it

function render({ model, el }) {
  const facts = model.get("facts");
  const { controls, goals, guess } = facts;
  const starts = controls.map((control) => control.start);
  const picture = make("div", { class: "explorable-picture" });
  const hint = make("p", { class: "explorable-hint", "aria-hidden": "true" }, facts.hint);
  const numbers = readout(facts);
  const status = make("p", { class: "explorable-status", role: "status" });
  const list = make("ul", { class: "explorable-goals", "aria-label": "To find" });
  const fields = controls.map((control) => (control.kind === "press" ? null : field(control)));
  const reset = own(make("button", { type: "button" }, "Reset"));
  const ends = make("div", { class: "explorable-ends" }, reset);
  const form = make(
    "div",
    { class: "explorable-controls", role: "group", "aria-label": "Controls" },
    ...fields.filter(Boolean).map((one) => one.element),
    ends,
  );
  let shown = null;
  let spoken = null; // the numbers that a screen reader was told last, while it waits for more
  let seen = Boolean(model.get("guessed"));
  let speaking = 0;
  const news = []; // what was found since then

  const isAsked = (state) => Boolean(guess) && state.every((at, i) => at === guess.state[i]);
  const bet =
    guess &&
    guessing(guess, {
      onGuess(option) {
        model.set("guessed", option);
        model.save_changes();
      },
      onTry: () => move(guess.state),
    });

  function move(to) {
    const state = model.get("state");
    if (to.every((at, i) => at === state[i])) return;
    spoken ??= shown?.numbers;
    model.set("state", to);
    model.save_changes();
  }

  /** Set one control to a place, or to the next one beyond the last. */
  function set(name, at) {
    const i = controls.findIndex((control) => control.name === name);
    move(model.get("state").map((old, j) => (i === j ? at : old)));
  }

  function step(name, by, { around = false } = {}) {
    const i = controls.findIndex((control) => control.name === name);
    const last = controls[i].texts.length - 1;
    const to = model.get("state")[i] + by;
    set(name, around ? (to + last + 1) % (last + 1) : Math.max(0, Math.min(last, to)));
  }

  /** Have what is pressed in the picture be a button, and the picture say what it shows. */
  function voice(svg, alt) {
    const presses = [...svg.querySelectorAll("[data-move]:not([data-x]):not([data-y])")];
    svg.setAttribute("role", presses.length ? "group" : "img");
    svg.setAttribute("aria-label", alt);
    for (const part of presses) {
      const i = controls.findIndex((control) => control.name === part.dataset.move);
      const now = controls[i].texts[model.get("shown").state[i]];
      own(part).setAttribute("role", "button");
      part.setAttribute("tabindex", "0");
      part.setAttribute("aria-label", `${controls[i].label}: ${now}. Press to change.`);
    }
  }

  function draw({ svg: markup, alt }) {
    const fresh = parsed(markup);
    fresh.classList.add("explorable-svg");
    fresh.setAttribute("preserveAspectRatio", "xMinYMid");
    voice(fresh, alt);
    const old = picture.firstElementChild;
    const focused = picture.contains(document.activeElement) && document.activeElement.dataset.move;
    if (old && alike(old, fresh)) become(old, fresh);
    else picture.replaceChildren(fresh);
    if (focused) picture.querySelector(`[data-move="${focused}"][role="button"]`)?.focus();
    // What stands below must not move under the reader's hand.
    const tall = Math.ceil(picture.firstElementChild.getBoundingClientRect().height);
    if (tall > (Number.parseFloat(picture.style.minHeight) || 0)) picture.style.minHeight = `${tall}px`;
  }

  function show() {
    const now = model.get("shown");
    draw(now);
    numbers.show(now.numbers, shown?.numbers);
    if (shown && !seen && isAsked(now.state)) {
      seen = true;
      const guessed = model.get("guessed");
      if (guessed) news.push(guess.told[guessed]);
    }
    showGuess();
    if (shown) speak(now.numbers);
    shown = now;
  }

  function speak(now) {
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      const changed = facts.numbers
        .map(({ label }, i) => [label, now[i][0], spoken?.[i][0]])
        .filter(([, text, then]) => then !== undefined && text !== then)
        .map(([label, text]) => `${label} ${text}`);
      spoken = null;
      const words = changed.length ? `${changed.join(", ")}.` : "No number has changed.";
      status.textContent = [words, ...news.splice(0)].join(" ");
    }, SPEAK_AFTER);
  }

  function showState() {
    model.get("state").forEach((at, i) => fields[i]?.show(at));
  }

  let known = null;
  function showFound() {
    const found = model.get("found");
    if (known) {
      for (const i of found.filter((one) => !known.includes(one))) news.push(`Found: ${goals[i].text}`);
    }
    known = found;
    list.replaceChildren(
      ...goals.map(({ text, found: shows }, i) =>
        found.includes(i)
          ? make("li", {}, make("strong", {}, "✓ Found."), ` ${text} ${shows}`)
          : make("li", {}, text),
      ),
    );
  }

  const showGuess = () => bet?.show(model.get("guessed"), seen);

  fields.forEach((one, i) => {
    one?.input.addEventListener("input", () => set(controls[i].name, Number(one.input.value)));
  });
  reset.addEventListener("click", () => move(starts));

  // What is moved in the picture. It is drawn anew at every move, so its holder listens.
  let held = null;
  picture.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("[data-x], [data-y]");
    if (!handle || event.button) return;
    event.preventDefault();
    held = handle.dataset.move;
    picture.setPointerCapture(event.pointerId);
    picture.classList.add("explorable-held");
    hint.remove();
    set(held, nearest(handle, event));
  });
  picture.addEventListener("pointermove", (event) => {
    const handle = held && picture.querySelector(`[data-move="${held}"]`);
    if (handle) set(held, nearest(handle, event));
  });
  const letGo = () => {
    held = null;
    picture.classList.remove("explorable-held");
  };
  picture.addEventListener("pointerup", letGo);
  picture.addEventListener("pointercancel", letGo);
  picture.addEventListener("click", (event) => {
    const part = event.target.closest('[data-move][role="button"]');
    if (!part) return;
    hint.remove();
    step(part.dataset.move, 1, { around: true });
  });
  const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity };
  picture.addEventListener("keydown", (event) => {
    const name = event.target.closest('[data-move][role="button"]')?.dataset.move;
    if (!name) return;
    if (event.key in STEPS) step(name, STEPS[event.key]);
    else if (event.key === "Enter" || event.key === " ") step(name, 1, { around: true });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const onResize = () => {
    picture.style.minHeight = "";
  };
  addEventListener("resize", onResize);

  const stage = make("div", { class: "explorable-stage" }, picture, ...(facts.hint ? [hint] : []));
  // A flat picture takes the whole width, a tall one has the numbers beside it.
  const [, , wide, tall] = (/viewBox="([^"]*)"/.exec(model.get("shown").svg)?.[1] ?? "0 0 1 1").split(" ").map(Number);
  const body = make("div", { class: "explorable-body" }, stage, numbers.element, form);
  if (goals.length) body.append(list);
  body.classList.toggle("explorable-flat", tall < FLAT * wide);
  el.classList.add("explorable");
  el.replaceChildren(
    make("p", { class: "explorable-question" }, facts.question),
    ...(bet ? [bet.element] : []),
    body,
    status,
  );

  const listeners = { "change:shown": show, "change:state": showState, "change:found": showFound, "change:guessed": showGuess };
  for (const [event, call] of Object.entries(listeners)) model.on(event, call);
  showState();
  showFound();
  show();
  return () => {
    for (const [event, call] of Object.entries(listeners)) model.off(event, call);
    removeEventListener("resize", onResize);
    clearTimeout(speaking);
  };
}

export default { render };
