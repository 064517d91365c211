/* Recall questions: answered from memory, compared, and marked by the reader, who alone can tell.
   Without this script they stay what they are in the text, questions that open to an answer. */

(() => {
  "use strict";

  const { make, digest, progress } = window.recsysBook;

  // What counts as known, and what is asked again.
  const MARKS = [
    ["PASS", "✓", "I knew it"],
    ["PART", "◐", "I knew a part"],
    ["WRONG", "○", "I did not know it"],
  ];

  /** Return a name that changes with the words: a question that reads otherwise is another one. */
  const nameOf = (page, asked) => `recall.${page}.${digest(asked)}`;

  function wake(question, id) {
    const summary = question.querySelector("summary");
    const area = make("textarea", { id: `${id}-text`, rows: 3 });
    area.value = progress.answerOf(id, "words") ?? "";
    const answer = make("div", { class: "recall-answer", hidden: true, tabindex: "-1" });
    answer.append(...[...question.childNodes].filter((node) => node !== summary));
    const compare = make("button", { type: "button" }, "Compare");
    const sign = make("span", { class: "recall-mark" });
    const buttons = MARKS.map(([outcome, symbol, label]) => {
      const button = make("button", { type: "button" }, `${symbol} ${label}`);
      button.addEventListener("click", () => progress.note(id, outcome, area.value));
      return [outcome, button];
    });

    compare.addEventListener("click", () => {
      answer.hidden = false;
      compare.hidden = true;
      answer.focus();
    });
    question.addEventListener("toggle", () => {
      if (question.open) return;
      // The next time it is asked, not read.
      answer.hidden = true;
      compare.hidden = false;
    });

    function showMark() {
      const mine = progress.of(id)?.outcome;
      const [, symbol, label] = MARKS.find(([outcome]) => outcome === mine) ?? ["", "", ""];
      sign.textContent = symbol && ` ${symbol} ${label}`;
      for (const [outcome, button] of buttons) button.setAttribute("aria-pressed", outcome === mine);
    }

    answer.append(
      make("p", { class: "exercise-head" }, "How was it?"),
      make(
        "div",
        { class: "recall-marks", role: "group", "aria-label": "How was it?" },
        ...buttons.map(([, button]) => button),
      ),
    );
    summary.append(sign);
    const label = make("label", { for: area.id }, "Your answer, from memory");
    question.append(make("div", { class: "exercise-field" }, label, area), compare, answer);
    question.classList.add("recall");
    question.dataset.counted = id;
    progress.watch(showMark);
    showMark();
  }

  function find() {
    const page = location.pathname.split("/").pop().replace(/\.html$/, "");
    const questions = [...document.querySelectorAll("section#recall > details")];
    const ids = questions.map((one) => nameOf(page, one.querySelector("summary").textContent.trim()));
    questions.forEach((question, number) => wake(question, ids[number]));
    progress.show("recall", ids);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", find);
  else find();
})();
