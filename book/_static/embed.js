/* A figure on a page of its own: its colours, and the code that shows it in another page. */

(() => {
  "use strict";

  const { make } = window.recsysBook;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => {
    document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  };
  dark.addEventListener("change", paint);
  paint();

  const section = document.querySelector("[data-explorable]");
  const button = make("button", { type: "button" }, "Copy the embed code");
  const said = make("span", { role: "status" });
  button.addEventListener("click", async () => {
    const title = section.getAttribute("aria-label").replaceAll('"', "&quot;");
    const code =
      `<iframe src="${location.href.split("#")[0]}" title="${title}" ` +
      'width="100%" height="640" style="border:0" loading="lazy" allow="clipboard-write"></iframe>';
    try {
      await navigator.clipboard.writeText(code);
      said.textContent = "Copied.";
    } catch {
      // A frame may have no right to the clipboard: the code can be taken by hand.
      said.replaceChildren(make("code", {}, code));
    }
  });
  const foot = document.querySelector(".embed-foot");
  foot.append(button, said);
  // The book shows the figure as it is here.
  const link = foot.querySelector("a");
  const page = link.href;
  link.addEventListener("click", () => {
    link.href = page + (location.hash || `#${section.dataset.explorable}?`);
  });
})();
