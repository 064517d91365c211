/* The cells of a chapter, run and changed in the page. Nothing is loaded before the first press.
   A cell runs after all cells above it, each once and again when it or one before it has changed,
   so that what stands below a cell is what the page, read from its top, leads to. */

(() => {
  "use strict";

  const { script, make, digest, progress, python, codeField, progressLine, Unavailable } = window.recsysBook;

  const icon = (path) => `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${path}"/></svg>`;
  const ICONS = { Run: icon("M4 2.5v11l9-5.5z"), Edit: icon("M2.5 13.5l.8-3.3 7.4-7.4 2.5 2.5-7.4 7.4z") };
  // Seconds that a cell may take: Python is slower in a page, and some train a model.
  const LIMIT = 300;
  let made = 0;

  /** Return a name that changes with the words: what was written for another text is not for this
      one. The second cell of the same words has another. */
  const nameOf = (page, source, copy) => `cell.${page}.${digest(source)}${copy ? `-${copy}` : ""}`;

  /** One cell: what it is, what it has become, and what of it has run. */
  class Cell {
    constructor(id, { source, digest: shows, said }, input) {
      Object.assign(this, { id, source, shows, said, input, text: source, ran: undefined });
    }

    isCurrent() {
      return this.ran !== undefined && this.ran.ends === python.ends() && this.ran.text === this.text;
    }
  }

  function wake(page, inputs) {
    let cells; // all of the page's, those without an input too
    let busy = false;
    const needs = new Set();
    const rows = inputs.map((input, number) => row(input, number));
    // That cells run is said once on a page, by the sign of the first one that is not folded.
    inputs.find((input) => !input.closest("details"))?.closest("div.cell").classList.add("is-first-cell");

    async function open() {
      if (cells) return;
      const table = await script(`cells/${page}`);
      if (cells) return; // two have waited for the table
      if (table.filter(({ shown }) => shown).length !== inputs.length) {
        throw new Error("The page and its cells are of two editions; load it again");
      }
      const copies = new Map();
      let at = 0;
      cells = table.map((one) => {
        const copy = copies.get(one.source) ?? 0;
        copies.set(one.source, copy + 1);
        return new Cell(nameOf(page, one.source, copy), one, one.shown ? rows[at++] : undefined);
      });
      for (const cell of cells) if (cell.input) cell.input.cell = cell;
    }

    /** Run a cell, after those above it that have to. */
    async function run(target) {
      if (busy) return;
      busy = true;
      const { line, stop } = target;
      target.note("");
      stop.hidden = false;
      try {
        line.say("Looking for the cells …");
        await open();
        await runTo(target.cell, target);
      } catch (problem) {
        const head = problem instanceof Unavailable ? `${problem.head}. ` : "";
        target.note(`${head}${problem.message}`);
      } finally {
        busy = false;
        stop.hidden = true;
        line.say("");
      }
    }

    async function runTo(cell, target) {
      const last = cells.indexOf(cell);
      let at = cells.findIndex((one) => !one.isCurrent());
      if (at < 0 || at > last) at = last;
      // What stands below was made with what stood here.
      for (const below of cells.slice(last + 1)) below.ran = undefined;
      for (; at <= last; at++) {
        const one = cells[at];
        const name = one.input ? `cell ${one.input.number}` : "a cell that is not shown";
        const of = at < last ? ` ${name}, on the way to this one` : "";
        const show = (told) => target.line.show(told.doing === "Running" ? { ...told, doing: `Running${of}` } : told);
        target.show = show;
        const { text } = one;
        const { reply, stopped } = await python.ask(
          { what: "cell", source: text, name, fresh: at === 0, needs: [...needs], limit: LIMIT },
          show,
        );
        if (!reply) {
          target.note(stopped ? "Stopped." : `It did not finish within ${LIMIT} s. Does a loop never end?`);
          return;
        }
        if (reply.missing && (await isKnown(reply.missing)) && !needs.has(reply.missing)) {
          // What was half done is not done twice: all begins anew, with it.
          needs.add(reply.missing);
          for (const any of cells) any.ran = undefined;
          at = -1;
          continue;
        }
        one.ran = { ends: python.ends(), text };
        if (one.text !== text) {
          target.note(`The code of ${name} was changed while it ran. Run this cell again.`);
          return;
        }
        one.input?.place(reply);
        if (reply.raised) {
          one.ran = undefined;
          if (one !== cell) {
            const where = name[0].toUpperCase() + name.slice(1);
            target.note(`${where} above has raised an error, and what stands below it was not run.`);
            one.input?.element.scrollIntoView({ block: "center" });
          }
          return;
        }
      }
    }

    const isKnown = async (name) => name in (await script("python/manifest")).more;

    /** What belongs to a cell's code: buttons in its corner, what is said below it, and its outputs. */
    function row(input, number) {
      const box = input.closest("div.cell");
      const printed = [...box.children].filter((one) => one.classList.contains("cell_output"));
      const code = [...input.children];
      const says = make("span", { class: "cell-note", role: "status" });
      const line = progressLine();
      const button = (name, press, hidden = false) => {
        const it = make("button", { type: "button", "aria-label": `${name} cell ${number + 1}`, hidden });
        it.innerHTML = `${ICONS[name] ?? ""}<span>${name}</span>`;
        it.addEventListener("click", press);
        return it;
      };
      let field;
      let ours; // outputs in the place of the printed ones
      const hint = `cell-hint-${++made}`;
      const self = {
        element: box,
        number: number + 1,
        line,
        note: (words) => (says.textContent = words),
        place(reply) {
          const same = reply.digest === self.cell.shows && !reply.raised;
          ours?.remove();
          ours = undefined;
          for (const one of printed) one.hidden = !same;
          if (!same && reply.outputs.length) {
            ours = make("div", { class: "cell_output docutils container" });
            ours.innerHTML = reply.outputs.join("");
            box.append(ours);
            window.recsysBook.wakeWithin(ours);
          }
          const isAsPrinted = self.cell.text === self.cell.source;
          if (reply.raised) self.note("✗ It raised an error.");
          else if (same && printed.length) self.note("✓ It gives what is printed.");
          else if (!same && isAsPrinted && reply.said === self.cell.said) {
            self.note("✓ It draws what is printed, with another version of Matplotlib.");
          } else if (!same && isAsPrinted) self.note("≠ It gives something else than what was printed.");
          else self.note("✓ It ran.");
        },
      };
      const stop = button("Stop", () => python.stop(self.show), true);
      const press = () => run(self);
      const start = button("Run", press);
      const edit = button("Edit", async () => {
        await change();
        field?.element.querySelector("textarea")?.focus();
      });
      const reset = button("Reset", () => back(), true);
      const tools = make("div", { class: "cell-tools" }, start, edit);
      Object.assign(self, { stop, restore: change });

      /** Put an editor in the place of the code, with what was written in it the last time. */
      async function change() {
        try {
          await open();
        } catch (problem) {
          return self.note(problem.message);
        }
        if (field?.element.isConnected) return; // another press has put it there
        const { id } = self.cell;
        self.cell.text = progress.draftOf(id)?.code ?? self.cell.source;
        field = codeField({
          label: `Code of cell ${number + 1}`,
          text: self.cell.text,
          describedBy: hint,
          numbers: false,
          press,
          changed(now) {
            self.cell.text = now;
            progress.keepDraft(id, now === self.cell.source ? undefined : { code: now, trial: "" });
          },
        });
        field.element.classList.add("cell-field");
        const own = field;
        progress.followDraft(id, own.element, (other) => {
          const now = other?.code ?? self.cell.source;
          if (now !== own.text()) own.set(now);
        });
        for (const one of code) one.hidden = true;
        input.append(field.element, note);
        // What is written is run by a button that one sees.
        tools.hidden = true;
        bar.prepend(start);
        reset.hidden = false;
      }

      function back() {
        progress.keepDraft(self.cell.id, undefined);
        self.cell.text = self.cell.source;
        field.element.remove();
        note.remove();
        ours?.remove();
        ours = undefined;
        for (const one of [...code, ...printed]) one.hidden = false;
        tools.hidden = false;
        tools.prepend(start);
        reset.hidden = true;
        self.note("As it was printed.");
        edit.focus();
      }

      const note = make(
        "p",
        { id: hint, class: "code-note" },
        "Ctrl+Enter runs. Once you type, Tab indents; Escape and then Tab leaves.",
      );
      const bar = make("div", { class: "cell-bar" }, reset, stop, line.element, says);
      input.prepend(tools);
      input.after(bar);
      // Where there is no pointer to hover with, a touch shows the rest of its buttons.
      input.addEventListener("click", () => {
        for (const other of rows) other.element.classList.toggle("is-touched", other === self);
      });
      return self;
    }

    // What a reader has changed is there the next time.
    const changed = new Set(progress.draftsOf(`cell.${page}.`));
    if (changed.size) {
      open()
        .then(() => {
          for (const { cell, restore } of rows) if (changed.has(cell.id)) restore();
        })
        .catch(() => {});
    }
  }

  function find() {
    const page = document.querySelector("template[data-cells]")?.dataset.cells;
    const inputs = [...document.querySelectorAll("div.cell div.cell_input")];
    if (page && inputs.length) wake(page, inputs);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
