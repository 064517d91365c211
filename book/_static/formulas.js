/* Formulas, on the pages that have any: MathJax reads the TeX, and the browser draws the MathML.
   That is half of MathJax's weight, needs no fonts, and is what a screen reader reads best. */

(() => {
  "use strict";

  const here = new URL("mathjax", document.currentScript.src).href;

  function draw() {
    for (const element of document.querySelectorAll(".math")) {
      const written = element.textContent.trim().match(/^\\([([])([^]*)\\[)\]]$/);
      if (!written) continue;
      const display = written[1] === "[";
      element.innerHTML = MathJax.tex2mml(written[2], { display });
    }
  }

  window.MathJax = {
    loader: { load: ["input/tex"], paths: { mathjax: here } },
    startup: {
      typeset: false,
      ready() {
        MathJax.startup.defaultReady();
        MathJax.startup.promise = MathJax.startup.promise.then(draw);
      },
    },
  };
  const script = document.createElement("script");
  script.src = `${here}/startup.js`;
  document.head.append(script);
})();
