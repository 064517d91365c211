/* The menu of a card, of an exercise or of an interactive figure: a quiet button with dots, and what
   the card offers less often. An item is a button or a link; what is on or off is a
   `menuitemcheckbox`. */

const STEP = { ArrowDown: 1, ArrowUp: -1 };

/** Return a menu with a name; its items keep their own listeners. */
export function createMenu(name, items) {
  const menu = document.createElement("div");
  menu.className = "card-menu";
  const button = document.createElement("button");
  const list = document.createElement("div");
  for (const [key, value] of Object.entries({ "type": "button", "aria-label": name, "title": "More", "aria-haspopup": "menu", "aria-expanded": "false" })) {
    button.setAttribute(key, value);
  }
  button.className = "card-more";
  button.textContent = "⋯";
  list.className = "card-items";
  list.setAttribute("role", "menu");
  list.setAttribute("aria-label", name);
  list.hidden = true;
  for (const item of items) {
    if (!item.hasAttribute("role")) item.setAttribute("role", "menuitem");
    item.tabIndex = -1;
  }
  list.append(...items);
  menu.append(button, list);

  const usable = () => items.filter((item) => !item.disabled);
  const outside = ({ target }) => {
    if (!menu.isConnected || !menu.contains(target)) close();
  };

  function open(at) {
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    addEventListener("pointerdown", outside);
    fit();
    usable().at(at)?.focus({ preventScroll: true });
  }

  /** Close it; what had the focus within it gives it back to the button. */
  function close() {
    if (list.hidden) return;
    removeEventListener("pointerdown", outside);
    if (list.contains(document.activeElement)) button.focus({ preventScroll: true });
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  }

  /** Keep the list within the window, wherever its button stands in its row. */
  function fit() {
    list.style.translate = "";
    const { left, right } = list.getBoundingClientRect();
    const over = Math.max(0, right + 8 - document.documentElement.clientWidth);
    const by = left - over < 8 ? 8 - left : -over;
    if (by) list.style.translate = `${by}px`;
    list.scrollIntoView({ block: "nearest" });
  }

  button.addEventListener("click", () => (list.hidden ? open(0) : close()));
  list.addEventListener("click", ({ target }) => {
    if (target.closest("[role^=menuitem]")) close();
  });
  menu.addEventListener("keydown", (event) => {
    const { key, target } = event;
    // A link of its own is followed by Enter alone.
    if (key === " " && target.matches("a")) {
      event.preventDefault();
      target.click();
    }
    if (list.hidden ? !(key in STEP) : key !== "Escape" && !(key in STEP) && key !== "Home" && key !== "End") return;
    event.preventDefault();
    event.stopPropagation();
    const all = usable();
    const last = all.length - 1;
    const at = all.indexOf(document.activeElement);
    if (list.hidden) open(key === "ArrowUp" ? -1 : 0);
    else if (key === "Escape") close();
    else if (key === "Home" || key === "End") all.at(key === "Home" ? 0 : -1).focus();
    else all[at < 0 && key === "ArrowUp" ? last : (at + STEP[key] + all.length) % all.length].focus();
  });
  // The list goes where the keyboard leaves it.
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) close();
  });
  return menu;
}
