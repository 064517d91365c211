/* What JupyterLab lacks for a workbook: the contents in reading order in a side bar, a note above a
   notebook that says how its cards come alive, and no mark of a change on a notebook that was only
   opened. The server copies this file beside `contents.json` and adds both to its extensions.

   It is a federated extension as JupyterLab loads them, in the form that a bundler would give it. */

(() => {
  "use strict";

  const NAME = "recsys-workbook";
  const CONTENTS = new URL("contents.json", document.currentScript.src);
  const ICON =
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" ' +
    'fill="#616161" d="M12 6C10 4.5 7 4 3 4v14c4 0 7 .5 9 2 2-1.5 5-2 9-2V4c-4 0-7 .5-9 2zm7 ' +
    "10.1c-2.7.1-5 .6-7 1.6V8c1.800-1.200 4-1.800 7-1.900z\"/></svg>";
  const STYLE = `
    .recsys-contents { overflow: auto; padding: 8px 12px; background: var(--jp-layout-color1); color: var(--jp-ui-font-color1); }
    .recsys-contents ol { list-style: none; margin: 0; padding: 0; }
    .recsys-contents h2 { margin: 14px 0 4px; font-size: var(--jp-ui-font-size1); font-weight: 600; }
    .recsys-contents a { display: block; border-radius: 3px; padding: 4px 8px; color: inherit; font-size: var(--jp-ui-font-size1); line-height: 1.35; text-decoration: none; }
    .recsys-contents a:is(:hover, :focus-visible) { background: var(--jp-layout-color2); }
    .recsys-contents a[aria-current] { background: var(--jp-brand-color3); font-weight: 600; }
    .recsys-contents .recsys-below a { padding-left: 22px; }
    .recsys-note { display: flex; gap: 16px; align-items: center; min-height: 44px; overflow: hidden; border-bottom: 1px solid var(--jp-border-color1); white-space: nowrap; background: var(--jp-layout-color2); padding: 0 14px; color: var(--jp-ui-font-color1); font-size: var(--jp-ui-font-size1); }
    .recsys-note button { border: 0; border-radius: 3px; background: var(--jp-brand-color1); padding: 6px 14px; color: var(--jp-ui-inverse-font-color1); font: inherit; font-weight: 600; cursor: pointer; }
    .recsys-note button:focus-visible { outline: 2px solid var(--jp-ui-font-color1); outline-offset: 2px; }`;

  let scope; // of the modules that JupyterLab shares

  async function shared(name) {
    const [{ get }] = Object.values(scope[name]);
    return (await get())();
  }

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  /** Return the side bar: pages under headings, in the order in which they are read. */
  function contentsList(groups, open) {
    const node = make("nav", { class: "recsys-contents", "aria-label": "Contents of the workbook" });
    for (const { title, pages } of groups) {
      const list = make("ol", {});
      for (const page of pages) {
        const link = make("a", { href: "#", "data-path": page.path }, page.title);
        link.addEventListener("click", (event) => {
          event.preventDefault();
          open(page.path);
        });
        list.append(make("li", page.below ? { class: "recsys-below" } : {}, link));
      }
      if (title) node.append(make("h2", {}, title));
      node.append(list);
    }
    return node;
  }

  function markCurrent(node, path) {
    for (const link of node.querySelectorAll("a")) {
      if (link.dataset.path === path) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  /** Leave a notebook unmarked when all that changed is what JupyterLab writes of its kernel. */
  function keepUnmarked(model) {
    model.metadataChanged.connect((_, { key, oldValue, newValue }) => {
      const ofKernel = key === "language_info" || (key === "kernelspec" && oldValue?.name === newValue?.name);
      if (ofKernel && !model.dirty) queueMicrotask(() => (model.dirty = false));
    });
  }

  // Whose cells have run, by the kernel: its widgets come back when the page is loaded again.
  const ran = {
    key: (context) => `${NAME}:${context.session?.kernel?.id}`,
    has: (context) => sessionStorage.getItem(ran.key(context)) !== null,
    add: (context) => sessionStorage.setItem(ran.key(context), ""),
  };

  /** Show how the cards of a page come alive, until one of its cells has run. */
  async function offerToRun(panel, pages, { Widget }, { NotebookActions }) {
    const { content, context, sessionContext } = panel;
    await Promise.all([context.ready, sessionContext.ready]);
    if (!(await pages).has(context.path)) return;
    const cells = [...content.model.cells].filter(({ type }) => type === "code");
    // Nothing is said of cells that somebody else wrote: they are to be read before they run.
    if (panel.isDisposed || !cells.length || !cells.every(({ trusted }) => trusted)) return;
    if (ran.has(sessionContext)) return;
    const button = make("button", { type: "button" }, "Run all cells");
    const words = make("span", {}, "Exercises and interactive figures work once the cells have run.");
    const note = new Widget({ node: make("div", { class: "recsys-note" }, button, words) });
    const done = (_, { notebook }) => {
      if (notebook !== content) return;
      NotebookActions.executionScheduled.disconnect(done);
      ran.add(sessionContext);
      note.dispose();
    };
    NotebookActions.executionScheduled.connect(done);
    panel.disposed.connect(() => NotebookActions.executionScheduled.disconnect(done));
    // Unlike the menu's command this leaves the reader where the reader is.
    button.addEventListener("click", () =>
      NotebookActions.runCells(content, content.widgets, sessionContext),
    );
    panel.contentHeader.insertWidget(0, note);
  }

  async function create() {
    const [{ INotebookTracker, ...notebooks }, { ILabShell, ILayoutRestorer }, { LabIcon }, lumino] = await Promise.all(
      ["@jupyterlab/notebook", "@jupyterlab/application", "@jupyterlab/ui-components", "@lumino/widgets"].map(
        shared,
      ),
    );
    return {
      id: `${NAME}:plugin`,
      autoStart: true,
      requires: [INotebookTracker],
      // Notebook 7 has neither, and no place for the contents.
      optional: [ILabShell, ILayoutRestorer],
      async activate(app, tracker, shell, restorer) {
        document.head.append(make("style", {}, STYLE));
        const read = fetch(CONTENTS).then((response) => response.json());
        const pages = read.then((groups) => new Set(groups.flatMap((one) => one.pages.map(({ path }) => path))));
        tracker.widgetAdded.connect((_, panel) => {
          keepUnmarked(panel.context.model);
          offerToRun(panel, pages, lumino, notebooks);
        });
        if (!shell) return;
        const groups = await read;
        const node = contentsList(groups, (path) => app.commands.execute("docmanager:open", { path }));
        const contents = new lumino.Widget({ node });
        contents.id = `${NAME}-contents`;
        contents.title.caption = "Contents of the workbook";
        contents.title.icon = new LabIcon({ name: `${NAME}:contents`, svgstr: ICON });
        shell.add(contents, "left", { rank: 1 });
        restorer?.add(contents, contents.id);
        const mark = () => markCurrent(node, shell.currentWidget?.context?.path);
        shell.currentChanged.connect(mark);
        // What the reader closed or chose the last time stays so; at first the list of files comes
        // up by itself, and this takes its place.
        shell.restored.then(({ fresh }) => {
          if (fresh) setTimeout(() => shell.activateById(contents.id));
          mark();
        });
      },
    };
  }

  (globalThis._JUPYTERLAB ??= {})[NAME] = {
    init: (given) => void (scope = given),
    get: async () => {
      const plugin = await create();
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
