/* Walks: a picture stays while the words of its steps pass by, and goes to the state of each.
   Without this script the same states stand one below the other, each followed by its words.
   A walk is a row of steps (`Explorable.at` in Python) of one explorable; the explorable itself,
   which the reader moves, comes after the last. */

(() => {
  "use strict";

  const { load, whenNear, make } = window.recsysBook;
  // A step is read once its top is above this part of the window: lower where the picture is on top.
  const readAt = () => innerHeight * (innerWidth < 1200 ? 0.72 : 0.55);

  /** Return what stands between two elements that have one parent. */
  function between(first, last) {
    const found = [];
    for (let one = first.nextElementSibling; one && one !== last; one = one.nextElementSibling) {
      found.push(one);
    }
    return found;
  }

  /** Return rows of steps: neighbours of one explorable that stand in one section. */
  function walks() {
    const rows = [];
    for (const step of document.querySelectorAll("[data-step]")) {
      const cell = step.closest(".cell") ?? step;
      const last = rows.at(-1)?.at(-1);
      const goesOn = last?.step.dataset.step === step.dataset.step && last.cell.parentElement === cell.parentElement;
      if (!goesOn) rows.push([]);
      rows.at(-1).push({ step, cell });
    }
    return rows.filter((row) => row.length > 1);
  }

  function ending(row) {
    const { cell, step } = row.at(-1);
    const id = step.dataset.step;
    let after = cell.nextElementSibling;
    while (after && !after.matches("section") && !after.querySelector(`[data-explorable="${id}"]`)) {
      after = after.nextElementSibling;
    }
    return after;
  }

  /** Take the place of a row of steps at once, so that what is below moves once. */
  function build(row, id, table) {
    const words = row.map(({ cell }, i) => between(cell, row[i + 1]?.cell ?? ending(row)));
    const steps = row.map(({ step, cell }, i) => {
      // What the picture says is for those who do not see it go from state to state.
      const said = step.querySelector("[role=img]")?.getAttribute("aria-label") ?? "";
      const element = make("div", { class: "walk-step" }, make("p", { class: "walk-said" }, said), ...words[i]);
      return { element, cell, state: step.dataset.state.split(" ").map(Number) };
    });
    const stage = make("div", { class: "walk-stage", "aria-hidden": "true" });
    const list = make("div", { class: "walk-steps" }, ...steps.map(({ element }) => element));
    const walk = make("div", { class: "walk", "data-walk": id }, stage, list);
    row[0].cell.before(walk);
    for (const { cell } of row) cell.remove();

    const model = window.recsysBook.modelOf(id, table, steps[0].state, { quiet: true });
    window.recsysBook.fronts.get("explorable").render({ model, el: stage });
    for (const one of stage.querySelectorAll("[tabindex], button, input, select")) one.tabIndex = -1;
    let current = steps[0];
    const follow = () => {
      const line = readAt();
      const read = steps.filter(({ element }) => element.getBoundingClientRect().top < line).at(-1) ?? steps[0];
      if (read === current) return;
      current = read;
      for (const { element } of steps) element.classList.toggle("walk-now", element === read.element);
      model.set("state", read.state);
      model.save_changes();
    };
    steps[0].element.classList.add("walk-now");
    addEventListener("scroll", () => requestAnimationFrame(follow), { passive: true });
    // The contents of the page give way to a picture that is wider than the text.
    new IntersectionObserver(([entry]) => {
      document.body.classList.toggle("is-walking", entry.isIntersecting);
    }).observe(walk);
    walk.dataset.alive = "";
    follow();
  }

  function find() {
    for (const row of walks()) {
      const id = row[0].step.dataset.step;
      whenNear(row[0].cell, () => load("explorables", id).then((table) => build(row, id, table)));
    }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
