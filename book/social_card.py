"""Draw ``_static/social-card.png``: python book/social_card.py (needs Chromium and playwright).

The picture is kept with the sources, because a build needs no browser.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from recsys_metrics.workbook.explorables import metric_values

OUT = Path(__file__).resolve().parent / "_static" / "social-card.png"

PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; width: 1200px; height: 630px; background: #fff; color: #1f2530;
  font-family: system-ui, "DejaVu Sans", sans-serif; box-sizing: border-box; padding: 56px 72px;
  border-bottom: 18px solid #0072b2 }}
h1 {{ margin: 0; font-size: 60px; white-space: nowrap; letter-spacing: -1px }}
p {{ margin: 14px 0 34px; font-size: 24px; white-space: nowrap; color: #4b5565 }}
.row {{ display: flex; gap: 48px; align-items: flex-start }}
.row > svg {{ width: 560px !important; height: auto !important }}
table {{ zoom: 1.4 }} th {{ white-space: nowrap }}
</style><h1>Evaluate recommender systems</h1>
<p>Learn which metric answers your question, and whether a difference could be chance</p>
<div class="row">{picture}{readout}</div>"""


def main() -> None:
    """Draw it."""
    from playwright.sync_api import sync_playwright

    numbers = metric_values.compute(metric_values.start)
    page = PAGE.format(
        picture=metric_values.draw(metric_values.start, numbers).inline(),
        readout=metric_values.readout(numbers),
    )
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1200, "height": 630})
        tab.set_content(page)
        tab.screenshot(path=OUT)
        browser.close()


if __name__ == "__main__":
    main()
