/* An explorable: a question, a picture whose parts are moved, numbers, and what is to be found.
   The same module draws it in a notebook, where a kernel answers, and in a page of the book, where
   every state was written ahead. It computes no number: `model` hands over what is shown.

   model.get("facts")    what never changes: question, controls, numbers, goals, guess, readout
   model.get("state")    the place of each control's value; a move sets a new list
   model.get("shown")    of a state: numbers as text with their share of a bar, picture, words, goals
   model.get("found")    the places of goals that were found
   model.get("guessed")  the guess that was made, or "" */

import { createMenu } from "../../common/frontend/menu.js";

const SPEAK_AFTER = 700; // ms; a screen reader is told where a move ended, not each step of it
const WIDE = 2.6; // times as wide as high
const REACH = 22; // px around the middle of a part: what a finger needs to hit it
const SVG = "http://www.w3.org/2000/svg";

/** Return an id of the document's own: in a notebook each figure has an instance of this module. */
function nextId() {
  globalThis.explorableIds = (globalThis.explorableIds ?? 0) + 1;
  return `explorable-${globalThis.explorableIds}`;
}

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

const isDragged = (part) => "x" in part.dataset || "y" in part.dataset;

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
  const name = nextId();
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

/** Return a number as the picture has it: its name, its value, and a bar that grows. */
function meter({ label, zero }) {
  const text = make("b");
  const change = make("span", { class: "explorable-change" });
  const bar = make("i");
  const was = make("i", { class: "explorable-was" });
  const element = make(
    "div",
    { class: "explorable-meter" },
    make("span", {}, label),
    make("span", {}, change, text),
    ...(zero === null ? [] : [make("span", { class: "explorable-bar" }, bar, was)]),
  );
  const percent = (place) => `${100 * place}%`;

  /** Show a value, and where it was and which way it went if it has changed. */
  function show([words, place], [old, there]) {
    const by = amount(words) - amount(old);
    text.textContent = words;
    change.textContent = by > 0 ? "▲" : by < 0 ? "▼" : "";
    if (zero === null) return;
    bar.style.left = percent(place === null ? zero : Math.min(place, zero));
    bar.style.width = percent(place === null ? 0 : Math.abs(place - zero));
    was.hidden = old === words || there === null;
    was.style.left = percent(there ?? 0);
  }

  return { element, show };
}

function readout(facts) {
  const table = make("div", { class: "explorable-readout" });
  table.innerHTML = facts.readout;
  const texts = [...table.querySelectorAll("tbody tr")].map((row) => {
    const [, cell, bar] = row.children;
    bar.remove();
    cell.replaceChildren(make("span"));
    return cell.firstChild;
  });
  const meters = facts.numbers.map((number) => (number.drawn ? null : meter(number)));
  // Rows of about one length, of at most four.
  const count = meters.filter(Boolean).length;
  const columns = Math.ceil(count / Math.ceil(count / 4)) || 1;
  const element = make(
    "div",
    { class: "explorable-meters", "aria-hidden": "true", style: `--columns: ${columns}` },
    ...meters.filter(Boolean).map((one) => one.element),
    ...(meters.some(Boolean) ? [make("span", { class: "explorable-key" }, "▲ ▼ last move")] : []),
  );

  function show(numbers, before) {
    numbers.forEach((now, i) => {
      texts[i].textContent = now[0];
      meters[i]?.show(now, before?.[i] ?? now);
    });
  }

  return { element, table, show };
}

// The guess

function guessing(guess, about, onGuess) {
  const buttons = guess.options.map((option) => own(make("button", { type: "button" }, option)));
  const asks = make("span", {}, guess.text.replace(/ …$/, "\u00a0…"));
  const ways = make("span", { class: "explorable-ways" }, ...buttons);
  const told = make("span", { class: "explorable-told" });
  // What is told stays true of one move, and the picture may show another state by then.
  const when = make("span", { class: "explorable-when" });
  const said = make("span", { class: "explorable-said" }, when, " ", told);
  let made = "";
  const element = make(
    "div",
    { class: "explorable-guess", role: "group", "aria-label": "Guess first" },
    asks,
    " ",
    ways,
    said,
  );
  buttons.forEach((button, i) => button.addEventListener("click", () => onGuess(guess.options[i])));

  /** Ask, and say what came of it once the state that the guess is about was seen. */
  function show(guessed, seen) {
    made = guessed;
    // What is below must not move up under the reader's hand.
    if (seen && !asks.hidden) element.style.minHeight = `${element.offsetHeight}px`;
    asks.hidden = seen;
    ways.hidden = seen;
    said.hidden = !seen;
    told.textContent = seen ? guess.told[guessed] : "";
  }

  /** Say where it is told, and tell it only there: its numbers are not those of another state. */
  function place(isThere) {
    if (!isThere && !said.hidden && !told.hidden) element.style.minHeight = `${element.getBoundingClientRect().height}px`;
    said.classList.toggle("is-past", !isThere);
    told.hidden = !isThere;
    const reminder = guess.options.includes(made) ? `Your guess was about ${about}.` : "";
    when.textContent = isThere ? `At ${about}:` : reminder;
  }

  return { element, show, place };
}

/** Return in words what differs from the start in the state that a guess is about. */
const askedState = ({ controls, guess }) =>
  controls
    .map(({ label, texts, start }, i) => (guess.state[i] === start ? "" : `${label} = ${texts[guess.state[i]]}`))
    .filter(Boolean)
    .join(", ");

// The goals

/** Return what is to be found: how much it is, and on request or after a find the goals, each of which
    gives way to what it shows once it is found. */
function finding(goals) {
  const items = goals.map(({ text, found }) => {
    const told = make("span", { class: "explorable-shows" }, make("strong", {}, "Found."), ` ${found}`);
    return make("li", {}, make("span", { class: "explorable-asks" }, text), told);
  });
  const id = nextId();
  const list = make("ul", { class: "explorable-goals", "aria-label": "To find", id }, ...items);
  const unfold = own(make("button", { type: "button", class: "explorable-count", "aria-controls": id }));

  function show(found, fresh) {
    unfold.textContent = found.length ? `${found.length} of ${goals.length} found` : `${goals.length} to find`;
    items.forEach((item, i) => {
      item.classList.toggle("is-found", found.includes(i));
      item.classList.toggle("is-new", fresh.includes(i));
    });
  }

  /** Show the goals, or their number alone. */
  function open(isOpen) {
    unfold.setAttribute("aria-expanded", isOpen);
    list.hidden = !isOpen;
  }

  open(false);
  return { list, unfold, show, open };
}

// All of it

/** Draw a figure and have it move; what else its page offers comes as `links`, into its menu. */
function render({ model, el, links = [] }) {
  const facts = model.get("facts");
  const { controls, goals, guess } = facts;
  const starts = controls.map((control) => control.start);
  const picture = make("div", { class: "explorable-picture" });
  const numbers = readout(facts);
  const status = make("p", { class: "explorable-status", role: "status" });
  const find = finding(goals);
  const fields = controls.map((control) => (control.kind === "press" ? null : field(control)));
  // What is moved in the picture has its field among the exact values.
  const inPicture = new Set(
    [...parsed(model.get("shown").svg).querySelectorAll("[data-move]")].map((part) => part.dataset.move),
  );
  const fieldsOf = (folded) =>
    fields.filter((one, i) => one && inPicture.has(controls[i].name) === folded).map((one) => one.element);
  const form = make("div", { class: "explorable-controls", role: "group", "aria-label": "Controls" }, ...fieldsOf(false));
  const exact = make(
    "div",
    { class: "explorable-exact", role: "group", "aria-label": "Exact values" },
    numbers.table,
    make("div", { class: "explorable-controls" }, ...fieldsOf(true)),
  );
  const unfold = own(
    make("button", { type: "button", role: "menuitemcheckbox", "aria-checked": "false" }, "Exact values"),
  );
  const menu = own(createMenu("More for this figure", [unfold, ...links]));
  const reset = own(make("button", { type: "button", class: "explorable-reset" }, "Reset"));
  const question = make("p", { class: "explorable-question" }, facts.question);
  const caption = facts.hint ? [make("p", { class: "explorable-caption" }, facts.hint)] : [];
  const foot = make("div", { class: "explorable-foot" }, ...(goals.length ? [find.unfold] : []), reset);
  const body = make(
    "div",
    { class: "explorable-body" },
    make("div", { class: "explorable-main" }, picture, ...caption, form),
    make("div", { class: "explorable-side" }, numbers.element, foot),
    find.list,
    exact,
  );
  let shown = null;
  let held = null; // the part that a pointer moves, and the numbers from before it did
  let heldFrom = null;
  let spoken = null; // the numbers that a screen reader was told last, while it waits for more
  let seen = Boolean(model.get("guessed"));
  let speaking = 0;
  const news = []; // what was found since then

  const isAsked = (state) => Boolean(guess) && state.every((at, i) => at === guess.state[i]);
  const bet =
    guess &&
    guessing(guess, askedState(facts), (option) => {
      model.set("guessed", option);
      model.save_changes();
      move(guess.state);
    });

  function move(to) {
    const state = model.get("state");
    if (to.every((at, i) => at === state[i])) return;
    spoken ??= shown?.numbers;
    begin();
    if (held) lead(to);
    model.set("state", to);
    model.save_changes();
  }

  const begin = () => el.classList.add("is-moved");

  /** Have the grip that is held be where it was moved to and say so, before a kernel has answered. */
  function lead(to) {
    const part = picture.querySelector(`[data-move="${held}"]`);
    const i = controls.findIndex((control) => control.name === held);
    const { texts } = controls[i];
    const now = shown.state[i];
    const along = part.dataset.x ? "x" : "y";
    const stops = part.dataset[along].split(" ").map(Number);
    const by = stops[to[i]] - stops[now];
    part.style.transform = along === "x" ? `translateX(${by}px)` : `translateY(${by}px)`;
    for (const text of part.querySelectorAll("text")) {
      const old = (text.dataset.drawn ??= text.textContent);
      if (old.endsWith(texts[now])) text.textContent = old.slice(0, -texts[now].length) + texts[to[i]];
    }
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

  /** Have what is moved in the picture be a button or a slider, and the picture say what it shows. */
  function voice(svg, alt) {
    const parts = [...svg.querySelectorAll("[data-move]")];
    svg.setAttribute("role", parts.length ? "group" : "img");
    svg.setAttribute("aria-label", alt);
    for (const part of parts) {
      const i = controls.findIndex((control) => control.name === part.dataset.move);
      const at = model.get("shown").state[i];
      const { label, texts } = controls[i];
      // The picture of a walk is hidden from assistive programs, so nothing in it may be reached.
      own(part).setAttribute("tabindex", el.closest('[aria-hidden="true"]') ? "-1" : "0");
      const named = isDragged(part)
        ? {
            role: "slider",
            "aria-label": label,
            "aria-valuemin": 0,
            "aria-valuemax": texts.length - 1,
            "aria-valuenow": at,
            "aria-valuetext": texts[at],
            "aria-orientation": part.dataset.x ? "horizontal" : "vertical",
          }
        : { role: "button", "aria-label": `${label}: ${texts[at]}. Press to change.` };
      for (const [name, value] of Object.entries(named)) part.setAttribute(name, value);
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
    if (focused) picture.querySelector(`[data-move="${focused}"]`)?.focus();
    // What stands below must not move under the reader's hand.
    const tall = Math.ceil(picture.firstElementChild.getBoundingClientRect().height);
    if (tall > (Number.parseFloat(picture.style.minHeight) || 0)) picture.style.minHeight = `${tall}px`;
  }

  function show() {
    const now = model.get("shown");
    draw(now);
    // A drag is one move, however many values it passes.
    numbers.show(now.numbers, held ? heldFrom : shown?.numbers);
    if (shown && !seen && isAsked(now.state)) {
      seen = true;
      news.push(guess.told[model.get("guessed")]);
    }
    showGuess();
    showReset(now.state);
    bet?.place(isAsked(now.state));
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
    const fresh = known ? found.filter((one) => !known.includes(one)) : [];
    for (const i of fresh) news.push(`Found: ${goals[i].text} ${goals[i].found}`);
    known = found;
    if (fresh.length) find.open(true);
    find.show(found, fresh);
  }

  /** Offer the way back where there is one. */
  function showReset(state) {
    const isAway = state.some((at, i) => at !== starts[i]) || (seen && !model.get("guessed"));
    const beside = find.unfold.isConnected ? find.unfold : menu.querySelector("button");
    if (!isAway && document.activeElement === reset) beside.focus({ preventScroll: true });
    reset.classList.toggle("is-away", isAway);
  }

  // What is asked takes space above the picture, which stays where it is while it is held.
  const showGuess = () => held || bet?.show(model.get("guessed"), seen);

  fields.forEach((one, i) => {
    one?.input.addEventListener("input", () => set(controls[i].name, Number(one.input.value)));
  });
  reset.addEventListener("click", () => {
    // Who had not guessed before moving may do so now.
    if (!model.get("guessed")) seen = false;
    move(starts);
    showGuess();
    showReset(model.get("shown").state);
  });
  unfold.addEventListener("click", () => {
    unfold.setAttribute("aria-checked", el.classList.toggle("is-exact"));
  });
  find.unfold.addEventListener("click", () => {
    find.open(find.list.hidden);
    find.list.scrollIntoView({ block: "nearest" });
  });

  // What the focus has unfolded stays until a press that takes the focus away is over: the page may
  // move when it folds, and the press would end beside its button.
  el.addEventListener("pointerdown", () => {
    if (!exact.contains(document.activeElement)) return;
    exact.classList.add("is-held");
    const fold = () => setTimeout(() => exact.classList.remove("is-held"));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, fold, { once: true });
  });

  /** Return the part that a pointer or a finger means: what it is on, or what is in its reach. */
  function meant({ target, clientX, clientY }) {
    const on = target.closest("[data-move], button, a, input, select, label");
    if (on) return on.matches("[data-move]") ? on : null;
    let found = null;
    let least = Infinity;
    for (const part of picture.querySelectorAll("[data-move]")) {
      const { x, y, width, height } = part.querySelector(".hit").getBoundingClientRect();
      const across = Math.abs(clientX - x - width / 2);
      const down = Math.abs(clientY - y - height / 2);
      const far = Math.hypot(across, down);
      if (far >= least || across > Math.max(REACH, width / 2) || down > Math.max(REACH, height / 2)) continue;
      found = part;
      least = far;
    }
    return found;
  }

  // What is moved in the picture. It is drawn anew at every move, so what holds it listens; a finger
  // may also hit beside the picture.
  el.addEventListener("pointerdown", (event) => {
    const part = event.button ? null : meant(event);
    if (!part || !isDragged(part)) return;
    event.preventDefault();
    held = part.dataset.move;
    heldFrom = shown?.numbers;
    picture.setPointerCapture(event.pointerId);
    picture.classList.add("explorable-held");
    set(held, nearest(part, event));
  });
  // A browser takes a touch for the start of scrolling, whatever the handle's style says: Chromium
  // heeds `touch-action` on no group of an SVG. A touch elsewhere in the picture scrolls.
  el.addEventListener(
    "touchstart",
    (event) => {
      const { target, clientX, clientY } = event.changedTouches[0];
      const part = held ? null : meant({ target, clientX, clientY });
      if (held || (part && isDragged(part))) event.preventDefault();
    },
    { passive: false },
  );
  picture.addEventListener("pointermove", (event) => {
    const handle = held && picture.querySelector(`[data-move="${held}"]`);
    if (handle) set(held, nearest(handle, event));
  });
  const letGo = () => {
    held = null;
    picture.classList.remove("explorable-held");
    showGuess();
  };
  picture.addEventListener("pointerup", letGo);
  picture.addEventListener("pointercancel", letGo);
  el.addEventListener("click", (event) => {
    const part = meant(event);
    if (part && !isDragged(part)) step(part.dataset.move, 1, { around: true });
  });
  const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity };
  picture.addEventListener("keydown", (event) => {
    const part = event.target.closest("[data-move]");
    if (!part) return;
    const { move: name } = part.dataset;
    if (event.key in STEPS) step(name, STEPS[event.key]);
    else if (!isDragged(part) && (event.key === "Enter" || event.key === " ")) step(name, 1, { around: true });
    else return;
    event.preventDefault();
  });
  // A notebook would move the focus to the cell that it last had.
  el.addEventListener("keydown", (event) => event.stopPropagation());

  const onResize = () => {
    picture.style.minHeight = "";
  };
  addEventListener("resize", onResize);

  // A picture that is wide and low has the numbers below itself, where there is room for them.
  const { width, height } = parsed(model.get("shown").svg).viewBox.baseVal;
  body.classList.toggle("is-wide", width > WIDE * height);

  el.classList.add("explorable");
  if (seen) begin();
  el.replaceChildren(
    make("div", { class: "explorable-header" }, question, menu),
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
