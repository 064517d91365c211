/* The editor of the book's pages, from CodeMirror: `make editor` bundles it into _static/editor.js,
   which is a plain script, since a page that was opened from a folder may load no module. */

import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// Colours are the book's own, so that light and dark follow the page.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)" },
  { tag: [tags.definition(tags.variableName), tags.definition(tags.function(tags.variableName))], color: "var(--code-name)" },
]);

/** Put an editor into an element. `press` runs on Ctrl+Enter, `changed` on every change. */
function open(parent, { text, label, describedBy, numbers = true, press, changed }) {
  // Who passes by with the Tab key is not held; it indents once one works here.
  let worksHere = false;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...(numbers ? [lineNumbers()] : []),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        indentUnit.of("    "),
        python(),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          worksHere ||= update.view.hasFocus;
          changed(update.state.doc.toString());
        }),
        EditorView.domEventHandlers({
          mousedown: () => void (worksHere = true),
          blur: () => void (worksHere = false),
        }),
        // Escape and then Tab leaves: CodeMirror sees to that where Tab indents.
        keymap.of([
          { key: "Mod-Enter", run: () => (press(), true) },
          {
            key: "Tab",
            run: (editor) => worksHere && indentMore(editor),
            shift: (editor) => worksHere && indentLess(editor),
          },
          ...defaultKeymap,
          ...historyKeymap,
        ]),
      ],
    }),
  });
  // The book's search opens on "/", which is a division here.
  parent.addEventListener("keydown", (event) => {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.stopPropagation();
    }
  });
  return {
    text: () => view.state.doc.toString(),
    set(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    focus(at) {
      view.dispatch({ selection: { anchor: at } });
      view.focus();
    },
  };
}

window.recsysBook.opened("editor", open);
