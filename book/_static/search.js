/* The search while one types: functions by all their names, chapters, terms, other pages.
   The index is loaded when a search field is used for the first time. Without a script, and with
   the last row of the list, the field leads to the search in the full text. */

(() => {
  "use strict";

  const { address, make, script } = window.recsysBook;
  const SHOWN = 5; // of each group
  // Words of a question, and parts of the names that libraries give their functions: they count
  // where they are found and need not be.
  const OPTIONAL = new Set(
    ("a an and are at by calculate compute computed do does evaluate evaluation find for formula from " +
      "function how i implement implementation in is it k library me mean metric metrics my of on or " +
      "python retrieval recommender recommenders score the to topk use what which with").split(" "),
  );

  const wordsOf = (text) => text.toLowerCase().replace(/['’]/g, "").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const joined = (words) => words.join("");

  /** Prepare an entry: its words are compared with every query. */
  function prepare(entry, libraries) {
    const names = (entry.names ?? []).map(wordsOf);
    const known = (entry.libraries ?? []).flatMap((title) => [title, ...(libraries[title] ?? [])]);
    return {
      ...entry,
      title_words: wordsOf(entry.title),
      all_names: [wordsOf(entry.title), ...names].map(joined),
      name_words: new Set(names.flat()),
      library_words: new Set(known.flatMap((name) => [joined(wordsOf(name)), ...wordsOf(name)])),
      text_words: wordsOf(`${entry.says ?? ""} ${entry.where}`),
    };
  }

  /** Return how well an entry answers one word; 0 if it does not. */
  function scoreWord(entry, word) {
    if (entry.title_words.includes(word)) return 40;
    if (entry.name_words.has(word)) return 30;
    if (entry.title_words.some((one) => one.startsWith(word))) return 24;
    if (word.length > 1 && [...entry.name_words].some((one) => one.startsWith(word))) return 16;
    if (entry.library_words.has(word)) return 10;
    if (word.length > 2 && entry.all_names.some((name) => name.includes(word))) return 9;
    if (entry.text_words.includes(word)) return 8;
    if (word.length > 2 && entry.text_words.some((one) => one.startsWith(word))) return 5;
    return 0;
  }

  /** Return how well an entry answers a query, which may leave a word unanswered; 0 if it does not. */
  function score(entry, words, every, libraries) {
    const isOptional = (word) => OPTIONAL.has(word) || libraries.has(word) || /^\d+$/.test(word);
    const needed = words.filter((word) => !isOptional(word));
    const asked = needed.length ? needed : words;
    let sum = 0;
    for (const word of words) {
      const points = scoreWord(entry, word);
      const isNeeded = asked.includes(word);
      if (!points && isNeeded && every) return 0;
      sum += isNeeded || libraries.has(word) ? points : points / 10;
    }
    const whole = [joined(asked), joined(words), joined(words.filter((word) => !/^\d+$/.test(word)))];
    const place = entry.all_names.findIndex((name) => whole.includes(name));
    if (place === 0) sum += 100;
    else if (place > 0) sum += 70;
    return sum && sum - entry.title_words.length / 4;
  }

  /** Return the entries that answer a query, by group, the best first. */
  function search(index, query) {
    const words = wordsOf(query);
    if (!words.length) return [];
    for (const every of [true, false]) {
      const found = index.entries
        .map((entry) => ({ entry, points: score(entry, words, every, index.libraries) }))
        .filter(({ points }) => points > 0)
        .sort((one, other) => other.points - one.points);
      if (found.length) {
        return index.groups
          .map((name, group) => ({
            name,
            entries: found.map(({ entry }) => entry).filter((entry) => entry.group === group).slice(0, SHOWN),
          }))
          .filter(({ entries }) => entries.length);
      }
    }
    return [];
  }

  let loading = null;

  /** Return the index, which is loaded once. */
  function load() {
    loading ??= script("search_index").then(({ groups, libraries, entries }) => ({
      groups,
      libraries: new Set(Object.entries(libraries).flat(2).map((name) => joined(wordsOf(name)))),
      entries: entries.map((entry) => prepare(entry, libraries)),
    }));
    loading.catch(() => (loading = null));
    return loading;
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
      list.replaceChildren();
      for (const { name, entries } of groups) {
        const heading = make("p", { class: "search-group", id: `${id}-${name.replace(/ /g, "-")}` }, name);
        const group = make("div", { role: "group", "aria-labelledby": heading.id }, heading);
        list.append(group);
        for (const { title, says, where, url, group: kind } of entries) {
          const shown = make(kind === 0 ? "code" : "span", { class: "search-title" }, title);
          const told = says ? [make("span", { class: "search-says" }, says)] : [];
          const place = make("span", { class: "search-where" }, where);
          group.append(option(address(`../${url}`), shown, " ", place, ...told));
        }
      }
      const all = new URL(form.action);
      all.searchParams.set("q", query);
      if (!isPage) list.append(option(all.href, `Search the full text for “${query}”`));
      list.hidden = !query.trim();
      input.setAttribute("aria-expanded", String(!list.hidden));
      const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
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
      form.closest("dialog")?.close();
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
