"""Modules of the browser become one text each: with their parts, and as scripts."""

from __future__ import annotations

import pytest

from recsys_metrics.workbook.common.frontend import as_script, read_module, read_style
from recsys_metrics.workbook.exercises import frontend as card
from recsys_metrics.workbook.explorables import frontend as figure

MODULES = {"card": card.CARD, "figure": figure.EXPLORABLE}


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_a_module_holds_the_menu_that_it_imports(module):
    text = read_module(module)
    assert "import {" in module.read_text("utf-8")
    assert "import {" not in text
    assert text.count("function createMenu(") == 1
    assert text.count("export ") == 1


@pytest.mark.parametrize("style", [card.STYLE, figure.STYLE], ids=MODULES)
def test_a_style_holds_that_of_the_menu(style):
    text = read_style(style)
    assert "@import" not in text
    assert text.index(".card-menu {") < text.index("--line: ")


def test_names_of_a_part_stay_in_it(tmp_path):
    (tmp_path / "part.js").write_text("const make = 1;\nexport function take() {}\n", "utf-8")
    module = tmp_path / "whole.js"
    module.write_text('import { take } from "./part.js";\nconst make = take;\nexport default {};\n')
    assert read_module(module) == (
        "const { take } = (() => {\nconst make = 1;\nfunction take() {}\nreturn { take };\n})();\n"
        "const make = take;\nexport default {};\n"
    )


def test_a_script_hands_over_the_one_thing_that_its_module_exports(tmp_path):
    module = tmp_path / "whole.js"
    module.write_text("const a = 1;\nexport default { a };\n", "utf-8")
    assert as_script(module) == (
        "(() => {\nconst a = 1;\nrecsysBook.front('whole', { a });\n})();\n"
    )
    module.write_text("export default 1;\nexport default 2;\n", "utf-8")
    with pytest.raises(ValueError, match=r"whole\.js must end with its one 'export default'"):
        as_script(module)
