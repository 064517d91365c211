/* In the menu of the progress, how much of each section is done: exercises, goals, recall questions. */

(() => {
  "use strict";

  const { make, progress } = window.recsysBook;

  function row(link, ids) {
    const sign = make("span", { class: "section-done", role: "img" });
    const update = () => {
      const done = ids.filter(progress.isDone).length;
      sign.textContent = done === ids.length ? "✓" : `${done}/${ids.length}`;
      sign.setAttribute("aria-label", `${done} of ${ids.length} done`);
    };
    progress.watch(update);
    update();
    const there = make("a", { href: link.getAttribute("href") }, link.textContent.trim(), " ", sign);
    there.addEventListener("click", () => document.getElementById("progress-menu").hidePopover());
    return make("li", {}, there);
  }

  function find() {
    const menu = document.getElementById("progress-menu");
    const rows = [];
    for (const link of document.querySelectorAll(".bd-sidebar-secondary .toc-h2 > a[href^='#']")) {
      const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      const counted = [...(section?.querySelectorAll("[data-counted]") ?? [])];
      // An explorable without goals counts nothing.
      const ids = counted.flatMap((one) => one.dataset.counted.split(" ")).filter(Boolean);
      if (ids.length) rows.push(row(link, ids));
    }
    if (menu && rows.length) menu.append(make("ul", { class: "progress-sections" }, ...rows));
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
