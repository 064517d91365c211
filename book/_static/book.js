/* What the book's scripts share: data that loads when it is needed, making elements, and paper.
   The data are scripts of their own, because a page that was opened from a folder may load
   scripts and nothing else. */

window.recsysBook = (() => {
  "use strict";

  const here = new URL(".", document.currentScript.src);
  const loading = new Map(); // from the file's name to what awaits it
  const arrived = new Map();

  /** Load `_static/<kind>/<id>.js` once and return what it hands over. */
  function load(kind, id) {
    const name = `${kind}/${id}`;
    if (!loading.has(name)) {
      loading.set(
        name,
        new Promise((resolve, reject) => {
          const script = document.createElement("script");
          script.src = new URL(`${name}.js`, here).href;
          script.onload = () =>
            arrived.has(name) ? resolve(arrived.get(name)) : reject(new Error(`${name} is empty`));
          script.onerror = () => reject(new Error(`${name} does not load`));
          document.head.append(script);
        }),
      );
    }
    return loading.get(name);
  }

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

  return {
    load,
    whenNear,
    make,
    drawn: (id, table) => arrived.set(`explorables/${id}`, table),
    asked: (id, table) => arrived.set(`exercises/${id}`, table),
  };
})();
