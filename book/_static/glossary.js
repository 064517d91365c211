/* A term's first sentence beside a link to the glossary, for pointer and keyboard. */

(() => {
  "use strict";

  const { make } = window.recsysBook;
  const LEAVE = 200; // ms in which the pointer can go from the link to its note

  let shown = null; // the link whose note is to be seen
  let leaving = 0;
  const note = make("div", { id: "term-note", role: "tooltip", hidden: true });

  function place(link) {
    const line = link.getClientRects()[0];
    const rightmost = document.documentElement.clientWidth - note.offsetWidth - 8;
    note.style.left = `${Math.max(8, Math.min(line.left, rightmost)) + scrollX}px`;
    const below = line.bottom + 4;
    const above = line.top - note.offsetHeight - 4;
    const fits = below + note.offsetHeight < innerHeight || above < 0;
    note.style.top = `${(fits ? below : above) + scrollY}px`;
  }

  function show(link) {
    clearTimeout(leaving);
    if (shown === link) return;
    hide();
    shown = link;
    note.replaceChildren(make("b", {}, link.dataset.term), ` ${link.dataset.says}`);
    note.hidden = false;
    link.setAttribute("aria-describedby", note.id);
    place(link);
  }

  function hide() {
    clearTimeout(leaving);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    note.hidden = true;
  }

  function leave() {
    clearTimeout(leaving);
    leaving = setTimeout(hide, LEAVE);
  }

  function find() {
    const links = document.querySelectorAll("a[data-term]");
    if (!links.length) return;
    document.body.append(note);
    for (const link of links) {
      link.addEventListener("mouseenter", () => show(link));
      link.addEventListener("mouseleave", leave);
      link.addEventListener("focus", () => show(link));
      link.addEventListener("blur", hide);
    }
    note.addEventListener("mouseenter", () => clearTimeout(leaving));
    note.addEventListener("mouseleave", leave);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
