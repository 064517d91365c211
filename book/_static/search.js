/* The search while one types: functions by all their names, chapters, terms, other pages.
   The index is loaded when a search field is used for the first time. Without a script, and with
   the last row of the list, the field leads to the search in the full text. */

(() => {
  "use strict";

  const { address, make, script } = window.recsysBook;
  const MOST = 5; // of each group
  const SHOWN = [4, 3, 2, 2]; // of each group while one types, so that all of it is seen at once
  // What answers a query much worse than the best of its group does not help who reads the list.
  const WORTH = 0.2;

  /** Return the words of a text, those of a name in camels apart; the two spellings of English are
      one, and so are those of its words that differ in "s" and "z". */
  const wordsOf = (text) =>
    text
      .replace(/(?<=[a-z]{2})(?=[A-Z])/g, " ")
      .toLowerCase()
      .replace(/['’]/g, "")
      .replace(/s/g, "z")
      .replace(/ogue(?![a-z])/g, "og")
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean);
  const joined = (words) => words.join("");

  /** Return the nodes of a text with a mark at each word that begins as one of these does. */
  function markWords(text, words) {
    const typed = words.filter(({ length }) => length > 1 || words.length === 1);
    if (!typed.length) return [text];
    const spelled = typed.map((word) => word.replace(/z/g, "[sz]")).join("|"); // as wordsOf has it
    const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${spelled})`, "giu"));
    return parts.map((part, at) => (at % 2 ? make("mark", {}, part) : part));
  }

  /** Return in words where a heading is, or what the page is that it names. */
  const placeOf = ({ where, group }) => (where ? `Section of ${where}` : group === 1 ? "Part of the course" : "Page");

  /** Return the initials of a name of three words or more: expected calibration error is ECE. */
  function initialsOf(words) {
    const large = words.filter((word) => word !== "of");
    return large.length > 2 ? [large.map(([letter]) => letter).join("")] : [];
  }

  /** Prepare an entry: its words are compared with every query. */
  function prepare(entry, libraries, optional) {
    const title = wordsOf(entry.title);
    const names = (entry.names ?? []).map(wordsOf);
    const known = (entry.libraries ?? []).flatMap((one) => [one, ...(libraries[one] ?? [])]);
    return {
      ...entry,
      // A heading has the page that it is on in place of a sentence.
      isHeading: entry.says === undefined,
      title_words: title,
      title_joined: joined(title),
      all_names: [title.filter((word) => !optional.has(word)), ...names].map(joined),
      introduced: (entry.terms ?? []).map((term) => joined(wordsOf(term))),
      initials: initialsOf(title),
      names: names.map((words) => new Set(words)),
      library_words: new Set(known.flatMap((name) => [joined(wordsOf(name)), ...wordsOf(name)])),
      text_words: wordsOf(`${entry.says ?? ""} ${entry.where}`),
      rare_words: new Set(wordsOf(entry.rare ?? "")),
    };
  }

  /** Give an entry the initials of its title, unless they are what a function is called: MAE is not the
      median absolute error. */
  function nameByInitials(entries) {
    const functions = entries.filter(({ group }) => group === 0);
    const names = new Set(functions.flatMap(({ title_joined, all_names }) => [title_joined, ...all_names]));
    for (const one of entries) one.all_names.push(...one.initials.filter((name) => !names.has(name)));
    return entries;
  }

  /** Return how well the best of a number of names has a word: it is worth less among others. */
  const inNames = (names, has) =>
    Math.max(0, ...names.filter((name) => [...name].some(has)).map((name) => 1 / name.size));

  const NOTHING = { points: 0, isWhole: false, isOwn: false };
  const whole = (points, isOwn) => ({ points, isWhole: true, isOwn });
  const part = (points, isOwn) => ({ points, isWhole: false, isOwn });

  /** Return how well an entry answers one word, whether with a whole word, and whether with one of
      its own, not of what it says. */
  function scoreWord(entry, word, within) {
    if (entry.title_words.includes(word)) return whole(40, true);
    const named = inNames(entry.names, (one) => one === word);
    if (named) return whole(30 * named, true);
    if (entry.title_words.some((one) => one.startsWith(word))) return part(24, true);
    const begun = word.length > 1 ? inNames(entry.names, (one) => one.startsWith(word)) : 0;
    if (begun) return part(16 * begun, true);
    if (entry.library_words.has(word)) return whole(10, false);
    if (entry.text_words.includes(word)) return whole(8, false);
    if (word.length > 2 && entry.text_words.some((one) => one.startsWith(word))) return part(5, false);
    if (word.length > 2 && [...entry.rare_words].some((one) => one.startsWith(word))) return part(4, false);
    // A part of a word is a find only where nothing has the word: "hit" is not in "ipshitrate".
    if (!within || word.length < 3) return NOTHING;
    if ([entry.title_joined, ...entry.all_names].some((name) => name.includes(word))) return part(3, true);
    return word.endsWith("k") ? scoreWord(entry, word.slice(0, -1), false) : NOTHING; // as in "mapk"
  }

  /** Return how well an entry answers a query, how much of what is needed it has, whether it is what
      the query names, and whether each word that is needed is whole. */
  function score(entry, words, within, { libraries, optional }) {
    const isOptional = (word) => optional.has(word) || libraries.has(word) || /^\d+$/.test(word);
    const needed = words.filter((word) => !isOptional(word));
    const asked = needed.length ? needed : words;
    const each = words.map((word) => ({ word, ...scoreWord(entry, word, within) }));
    const found = each.filter(({ word, points }) => points && asked.includes(word));
    let points = 0;
    for (const one of each) {
      points += asked.includes(one.word) || libraries.has(one.word) ? one.points : one.points / 10;
    }
    const queries = [joined(asked), joined(words), joined(words.filter((word) => !/^\d+$/.test(word)))];
    const isOne = (names) => names.some((name) => queries.includes(name));
    // A page introduces more than one term, so that the section on one of them comes before it.
    const bonus = isOne([entry.title_joined]) ? 100 : isOne(entry.all_names) ? 70 : isOne(entry.introduced) ? 20 : 0;
    const isExact = bonus > 0;
    points += bonus;
    // What is on a page with this title is found with the page.
    if (entry.isHeading && !isExact && !found.some(({ isOwn }) => isOwn)) return { entry, has: 0, points: 0 };
    const has = isExact ? 1 : found.length / asked.length;
    // A section comes before those below it and before its page, and a short name before a long one.
    const place = entry.title_words.length / 4 + 0.75 * (entry.level ?? 2);
    return { entry, has, isExact, isWhole: found.every(({ isWhole }) => isWhole), points: has && points - place };
  }

  /** Return the best of a group's entries: those with all words, or else with most of them. Where one
      is what the query names, a word that only begins so is another one: "mape" for "map". */
  function best(found) {
    const most = Math.max(0, ...found.map(({ has }) => has));
    const most_words = found.filter(({ has }) => has >= most - 0.01);
    const isNamed = most_words.some(({ isExact }) => isExact);
    const fitting = most_words.filter(({ isExact, isWhole }) => !isNamed || isExact || isWhole);
    const top = Math.max(...fitting.map(({ points }) => points));
    const worth = fitting.filter(({ points }) => points > 0 && points >= top * WORTH);
    worth.sort((one, other) => other.points - one.points);
    return { most, entries: worth.map(({ entry }) => entry).slice(0, MOST) };
  }

  /** Return the entries that answer a query, by group, the best first. */
  function search(index, query) {
    const words = wordsOf(query);
    if (!words.length) return [];
    const found = index.groups.map((name, group) => {
      const entries = index.entries.filter((entry) => entry.group === group);
      const scored = (within) => best(entries.map((entry) => score(entry, words, within, index)));
      const strict = scored(false);
      return { name, ...(strict.most > 0.99 ? strict : scored(true)) };
    });
    const all = found.filter(({ most }) => most > 0.99);
    // A group in which a word is missing is shown where it has most of them, after those that have all.
    const some = found.filter(({ most }) => most >= (all.length ? 0.6 : 0.01) && most <= 0.99);
    return [...all, ...some].map(({ name, entries }) => ({ name, entries }));
  }

  let loading = null;

  /** Return the index, which is loaded once. */
  function load() {
    loading ??= script("search_index").then(({ groups, libraries, optional: words, entries }) => {
      const optional = new Set(words.flatMap(wordsOf));
      return {
        groups,
        optional,
        libraries: new Set(Object.entries(libraries).flat(2).map((name) => joined(wordsOf(name)))),
        entries: nameByInitials(entries.map((entry) => prepare(entry, libraries, optional))),
      };
    });
    loading.catch(() => (loading = null));
    return loading;
  }

  /** Say in the field of the search's window which keys it knows; a finger closes it with a button. */
  function addKeys(form, dialog) {
    const keys = [["↑ ↓", "move"], ["Enter", "open"], ["Esc", "close"]];
    const told = keys.flatMap(([key, what]) => [make("kbd", {}, key), `${what}\u2003`]);
    form.querySelector(".search-button__kbd-shortcut").replaceChildren(...told);
    const close = make("button", { type: "button", class: "search-close", "aria-label": "Close" }, "×");
    close.addEventListener("click", () => dialog.close());
    form.append(close);
  }

  let made = 0;

  /** Have a search field show what it finds below itself. */
  function wake(form) {
    const input = form.querySelector("input[type=search]");
    const isPage = Boolean(document.getElementById("search-results")) && !form.closest("dialog");
    const id = `search-found-${(made += 1)}`;
    const list = make("div", { id, class: "search-found", role: "listbox", "aria-label": "Pages found", hidden: true });
    const status = make("p", { class: "search-count", role: "status" });
    list.classList.toggle("search-on-page", isPage);
    form.after(status, list);
    const dialog = form.closest("dialog");
    if (dialog) addKeys(form, dialog);
    for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-controls", id], ["aria-autocomplete", "list"]])
      input.setAttribute(name, value);
    let active = -1;
    const options = () => [...list.querySelectorAll("[role=option]")];

    function mark(place) {
      const all = options();
      active = all.length ? (place + all.length) % all.length : -1;
      all.forEach((one, at) => one.setAttribute("aria-selected", String(at === active)));
      if (active < 0) return input.removeAttribute("aria-activedescendant");
      input.setAttribute("aria-activedescendant", all[active].id);
      all[active].scrollIntoView({ block: "nearest" });
    }

    function option(url, ...children) {
      const number = options().length + list.querySelectorAll("a").length;
      return make("a", { role: "option", id: `${id}-${number}`, href: url, tabindex: "-1", "aria-selected": "false" }, ...children);
    }

    function draw(groups, query) {
      const words = wordsOf(query);
      list.replaceChildren();
      for (const { name, entries } of groups) {
        const heading = make("p", { class: "search-group", id: `${id}-${name.replace(/ /g, "-")}` }, name);
        const group = make("div", { role: "group", "aria-labelledby": heading.id }, heading);
        list.append(group);
        const shown = isPage ? entries : entries.slice(0, SHOWN[entries[0].group]);
        for (const entry of shown) {
          const kind = entry.group === 0 ? "code" : "span";
          const named = make(kind, { class: "search-title" }, ...markWords(entry.title, words));
          const told = make("span", { class: "search-says" }, ...markWords(entry.says ?? placeOf(entry), words));
          // A function's module is beside its name, since what it answers is below.
          const module = entry.isHeading ? [] : [" ", make("span", { class: "search-where" }, entry.where)];
          group.append(option(address(`../${entry.url}`), named, ...module, told));
        }
      }
      const all = new URL(form.action);
      all.searchParams.set("q", query);
      if (!isPage) list.append(option(all.href, `Search the full text for “${query}”`));
      list.hidden = !query.trim();
      input.setAttribute("aria-expanded", String(!list.hidden));
      const count = list.querySelectorAll(".search-title").length;
      status.textContent = query.trim() ? `${count} ${count === 1 ? "page" : "pages"} found` : "";
      // On the page of the search, Enter searches the full text.
      if (!isPage && !list.hidden) return mark(0);
      active = -1;
      input.removeAttribute("aria-activedescendant");
    }

    let asked = 0;
    async function update() {
      const query = input.value;
      const mine = (asked += 1);
      try {
        const index = await load();
        if (mine === asked) draw(search(index, query), query);
      } catch (problem) {
        status.textContent = `${problem.message}; press Enter to search the full text.`;
      }
    }

    input.addEventListener("focus", () => load().catch(() => {}), { once: true });
    input.addEventListener("input", update);
    input.addEventListener("keydown", (event) => {
      if (list.hidden || event.isComposing) return;
      if (event.key === "ArrowDown") mark(active + 1);
      else if (event.key === "ArrowUp") mark(active < 0 ? -1 : active - 1);
      else if (event.key === "Enter" && active >= 0) options()[active].click();
      else return;
      event.preventDefault();
    });
    // The window of the search is closed by the page that comes.
    list.addEventListener("click", ({ target }) => {
      const chosen = target.closest("a");
      if (chosen?.querySelector(".search-title") && !isPage) remember(chosen, input.value.trim(), options());
      dialog?.close();
    });
    const given = isPage && new URLSearchParams(location.search).get("q");
    if (given) {
      input.value = given;
      update();
    }
  }

  const JUMP = "recsys-workbook.search";

  /** Remember for the next page what was looked for, and what else was found. */
  function remember(chosen, query, all) {
    const others = all
      .filter((one) => one !== chosen && one.querySelector(".search-title"))
      .slice(0, 3)
      .map((one) => [one.querySelector(".search-title").textContent, one.href]);
    const found = { to: chosen.href.split("#")[0], query, all: all.at(-1).href, others };
    try {
      sessionStorage.setItem(JUMP, JSON.stringify(found));
    } catch {} // a browser may keep nothing, and the page comes all the same
  }

  /** Say on a page that a search led to what was looked for and what else was found. */
  function showJump() {
    let found = null;
    try {
      found = JSON.parse(sessionStorage.getItem(JUMP));
      sessionStorage.removeItem(JUMP);
    } catch {}
    if (!found || found.to !== location.href.split("#")[0]) return;
    const close = make("button", { type: "button", "aria-label": "Close" }, "×");
    const link = ([title, href]) => make("li", {}, make("a", { href }, title));
    const bar = make(
      "aside",
      { class: "search-jump", "aria-label": "Your search" },
      make("p", {}, "You searched for ", make("strong", {}, found.query)),
      make("ul", {}, ...found.others.map(link), link(["All results", found.all])),
      close,
    );
    close.addEventListener("click", () => bar.remove());
    // Where it is over the text, it goes once a reader moves on.
    const isOver = () => getComputedStyle(bar).flexDirection === "row";
    for (const move of ["wheel", "touchmove"])
      addEventListener(move, () => isOver() && bar.remove(), { passive: true });
    document.body.append(bar);
  }

  /** Keep the marks of what was searched for out of formulas, where they break the layout. */
  function spareFormulas() {
    const { searchParams } = new URL(location.href);
    if (!localStorage.getItem("sphinx_highlight_terms") && !searchParams.has("highlight")) return;
    for (const part of document.querySelectorAll("math *")) part.classList.add("nohighlight");
  }

  /** Have what the full text says come from a page's article, and not from the bars around it. */
  function readArticles() {
    if (typeof Search === "undefined") return;
    const { htmlToText } = Search;
    Search.htmlToText = (page, anchor) => {
      const article = new DOMParser().parseFromString(page, "text/html").querySelector("article.bd-article");
      if (!article) return htmlToText(page, anchor);
      for (const one of article.querySelectorAll("annotation, template, .page-facts")) one.remove();
      return htmlToText(`<main role="main">${article.innerHTML}</main>`, anchor).replace(/\s+/g, " ");
    };
  }

  window.recsysBook.search = (query) => load().then((index) => search(index, query));
  spareFormulas();
  readArticles();
  showJump();
  document.querySelectorAll("form.bd-search").forEach(wake);
})();
