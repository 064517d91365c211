/* In a page's contents, how much of each section is done: exercises, goals, recall questions. */

(() => {
  "use strict";

  const { make, progress } = window.recsysBook;

  function mark(link, ids) {
    const sign = make("span", { class: "section-done", role: "img" });
    link.append(sign);
    const update = () => {
      const done = ids.filter(progress.isDone).length;
      sign.textContent = done === ids.length ? "✓" : `${done}/${ids.length}`;
      sign.setAttribute("aria-label", `${done} of ${ids.length} done`);
    };
    progress.watch(update);
    update();
  }

  function find() {
    for (const link of document.querySelectorAll(".bd-sidebar-secondary .toc-h2 > a[href^='#']")) {
      const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      const counted = [...(section?.querySelectorAll("[data-counted]") ?? [])];
      // An explorable without goals counts nothing.
      const ids = counted.flatMap((one) => one.dataset.counted.split(" ")).filter(Boolean);
      if (ids.length) mark(link, ids);
    }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
