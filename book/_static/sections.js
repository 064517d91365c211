/* In the menu of the progress, how much of each section is done: exercises, goals, recall questions.
   In the contents of the page, which section is read. */

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

  /** Mark the section that is read. The theme marks the last heading that it saw near the top of the
      window, and so another section after a jump into the middle of one. */
  function followReader(links) {
    const nav = links[0].closest(".bd-sidebar-secondary");
    const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    const placeOf = (section) => section.getBoundingClientRect().top / innerHeight;
    function current() {
      const asked = sections.findIndex((section) => `#${section.id}` === decodeURIComponent(location.hash));
      const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
      // At its end a page scrolls no further, to what was asked for.
      if (isEnd && asked >= 0 && placeOf(sections[asked]) > 0) return links[asked];
      return links[sections.findLastIndex((section) => placeOf(section) < 0.3)];
    }
    function update() {
      const here = current();
      for (const link of nav.querySelectorAll(".nav-link")) {
        if (link.classList.contains("active") !== (link === here)) link.classList.toggle("active");
        if (link === here) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
    let waits = 0;
    addEventListener("scroll", () => (waits ||= requestAnimationFrame(() => ((waits = 0), update()))), { passive: true });
    addEventListener("hashchange", update);
    new MutationObserver(update).observe(nav, { subtree: true, attributeFilter: ["class"] });
    update();
  }

  function find() {
    const menu = document.getElementById("progress-menu");
    const rows = [];
    const links = [...document.querySelectorAll(".bd-sidebar-secondary .toc-h2 > a[href^='#']")];
    if (links.length) followReader(links);
    for (const link of links) {
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
