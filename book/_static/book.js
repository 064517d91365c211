/* What the book's scripts share: data that loads when it is needed, making elements, and paper.
   The data are scripts of their own, because a page that was opened from a folder may load
   scripts and nothing else. */

window.recsysBook = (() => {
  "use strict";

  const here = new URL(".", document.currentScript.src);
  const loading = new Map(); // from the file's name to what awaits it
  const arrived = new Map();

  /** Load `_static/<name>.js` once and return what it hands over. */
  function script(name) {
    if (!loading.has(name)) {
      const arriving = new Promise((resolve, reject) => {
        const element = document.createElement("script");
        element.src = address(`${name}.js`);
        element.onload = () =>
          arrived.has(name) ? resolve(arrived.get(name)) : reject(new Error(`${name} is empty`));
        element.onerror = () => reject(new Error(`${name} does not load`));
        document.head.append(element);
      });
      // What did not load may load when it is asked for again.
      arriving.catch(() => loading.delete(name));
      loading.set(name, arriving);
    }
    return loading.get(name);
  }

  const load = (kind, id) => script(`${kind}/${id}`);
  const address = (name) => new URL(name, here).href;

  /** Call once when an element comes near the window. */
  function whenNear(element, call) {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
          observer.disconnect();
          call();
        }
      },
      { rootMargin: "800px" },
    );
    observer.observe(element);
  }

  /** Make an element: attributes as they are written, children as elements or text. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  /** Return a short name of a text, FNV-1a, which changes with the words. */
  function digest(text) {
    let hash = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
    return hash.toString(16);
  }

  // What is wider than its place is scrolled with the keys, too; the theme does so for tables and code.
  function reachFormulas() {
    for (const formula of document.querySelectorAll(".bd-article div.math")) {
      if (formula.scrollWidth > formula.clientWidth + 1) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  }
  addEventListener("load", reachFormulas);
  addEventListener("resize", reachFormulas);

  // On a wide screen the contents of the book stand beside the text, or do not, on all pages: as the
  // reader left them. The theme would show them anew on each page; on a narrow one it opens them.
  const WIDE = matchMedia("(min-width: 992px)");
  const toggle = document.querySelector(".primary-toggle");

  function sayContents() {
    if (WIDE.matches) toggle?.setAttribute("aria-expanded", document.documentElement.dataset.contents === "shown");
    else toggle?.removeAttribute("aria-expanded");
  }

  function toggleContents(event) {
    if (!WIDE.matches || !event.target.closest(".primary-toggle")) return;
    event.preventDefault();
    event.stopPropagation();
    const { dataset } = document.documentElement;
    dataset.contents = dataset.contents === "shown" ? "hidden" : "shown";
    sayContents();
    try {
      localStorage.setItem("recsys-metrics.contents", dataset.contents);
    } catch {
      // It holds for this page.
    }
  }
  document.addEventListener("click", toggleContents, { capture: true });
  WIDE.addEventListener("change", sayContents);
  sayContents();

  // Paper is white: what was chosen for the screen comes back when it is printed.
  const root = document.documentElement;
  addEventListener("beforeprint", () => {
    root.dataset.themeOnScreen ??= root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = root.dataset.themeOnScreen;
    delete root.dataset.themeOnScreen;
  });

  const fronts = new Map(); // the modules that notebooks have, too

  return {
    fronts,
    front: (name, module) => fronts.set(name, module),
    address,
    script,
    load,
    whenNear,
    make,
    digest,
    opened: (name, value) => arrived.set(name, value),
    drawn: (id, table) => arrived.set(`explorables/${id}`, table),
    asked: (id, table) => arrived.set(`exercises/${id}`, table),
  };
})();
