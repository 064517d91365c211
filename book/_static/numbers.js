/* Your own numbers: files that the reader picks or drops, evaluated by the page's Python. */

(() => {
  "use strict";

  const { make, python, progressLine, Unavailable } = window.recsysBook;
  const LIMIT = 300;
  const NEEDED = ["recommended", "relevant"];

  function wake(form) {
    const shown = document.querySelector(".own-shown");
    const stop = form.querySelector("[data-do=stop]");
    const line = progressLine();
    const held = new Map(); // what was dropped, or comes from the sample
    let busy = false;
    form.append(line.element);
    form.hidden = false;

    function hold(role, file) {
      held.set(role, file);
      form.elements[role].value = "";
      say(role, file.name);
    }

    const say = (role, name) =>
      (form.querySelector(`[data-held=${role}]`).textContent = name ? `Taken: ${name}` : "");

    async function fileOf(role) {
      const [picked] = form.elements[role].files;
      return picked ? { name: picked.name, text: await picked.text() } : held.get(role);
    }

    for (const [role, field] of [...NEEDED, "compared"].map((name) => [name, form.elements[name]])) {
      field.addEventListener("change", () => {
        held.delete(role);
        say(role, "");
      });
      const box = field.parentElement;
      box.addEventListener("dragover", (event) => event.preventDefault());
      box.addEventListener("drop", async (event) => {
        event.preventDefault();
        const [file] = event.dataTransfer.files;
        if (file) hold(role, { name: file.name, text: await file.text() });
      });
    }

    function tell(...nodes) {
      shown.replaceChildren(...nodes);
      shown.focus({ preventScroll: true });
      shown.scrollIntoView({ block: "nearest" });
    }

    async function evaluate() {
      const files = {};
      for (const role of [...NEEDED, "compared"]) {
        const file = await fileOf(role);
        if (file) files[role] = file;
        else if (NEEDED.includes(role)) {
          form.elements[role].focus();
          return tell(make("p", {}, `Name a file first: ${form.elements[role].labels[0].textContent}.`));
        }
      }
      const { measures, threshold, catalog } = form.elements;
      const { reply, stopped } = await python.ask(
        {
          what: "numbers",
          files: JSON.stringify(files),
          measures: measures.value,
          threshold: threshold.value,
          catalog: catalog.value,
          needs: ["scipy", "numbers"],
          limit: LIMIT,
        },
        line.show,
      );
      if (!reply) return tell(make("p", {}, stopped ? "Stopped." : `It did not finish within ${LIMIT} s.`));
      const box = make("div", { class: reply.problem ? "own-problem" : "own-report" });
      box.innerHTML = reply.lines.join("");
      const nodes = [box];
      if (reply.card) {
        const url = URL.createObjectURL(new Blob([reply.card], { type: "application/json" }));
        nodes.push(make("p", {}, make("a", { href: url, download: "report.json" }, "Keep the report (JSON)")));
      }
      tell(...nodes);
    }

    async function press(call) {
      if (busy) return;
      busy = true;
      stop.hidden = false;
      try {
        await call();
      } catch (problem) {
        tell(make("p", {}, problem instanceof Unavailable ? `${problem.head}. ${problem.message}` : problem.message));
      } finally {
        busy = false;
        stop.hidden = true;
        line.say("");
      }
    }

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      press(evaluate);
    });
    stop.addEventListener("click", () => python.stop(line.show));
    form.querySelector("[data-do=sample]").addEventListener("click", () => {
      const sample = JSON.parse(atob(document.getElementById("own-sample").dataset.files));
      for (const [role, file] of Object.entries(sample)) hold(role, file);
      press(evaluate);
    });
  }

  function find() {
    document.querySelectorAll("form.own-form").forEach(wake);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
