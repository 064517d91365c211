"""Errors in plain words: those that beginners make, and nothing where there is no word."""

from __future__ import annotations

import json

import pytest

from recsys_metrics.workbook.browser import code_check
from recsys_metrics.workbook.exercises import ranking as ex
from recsys_metrics.workbook.exercises.error_messages import explain_error
from tests.exercises.test_cards import fresh

MADE = {
    "recommended = 1\nrecommend": "Nothing is called `recommend` here. Is `recommended` meant?",
    "total = B": 'A text is in quotes: `"B"`.',
    "def f(x):\n    n = n + x\nf(1)": "This function sets `n` somewhere",
    "import panads": "The package `panads` is not installed here",
    "from math import lg2": "`math` has no `lg2`",
    "[1].appendd(2)": "A list has no `.appendd`. Is `.append` meant?",
    "[2, 1].sort().index(1)": "`.sort()`, `.append()` and `.update()`",
    "[1, 2][2]": "Places are counted from 0, so that the last of five is 4.",
    "{'A': 1}['B']": "There is no entry 'B'. `.get('B', 0)` gives 0",
    "3 / len([])": "Something is divided by 0.",
    "def f(): return f()\nf()": "calls itself and never ends",
    "for x in [2, 1].sort(): pass": "Something is `None`",
    "2 (3 + 4)": "A whole number is called like a function.",
    "len(5)": "Only a collection has a length",
    "for x in 5: pass": "A whole number has no entries",
    "1 + 'a'": "`+` cannot be used between a whole number and a text. `float(…)` makes",
    "[1, 2] / 2": "`/` cannot be used between a list and a whole number. A sum over a list",
    "'a' < 1": "`<` cannot be used between a text and a whole number.",
    "'a' + 1": "`+` puts two texts or two lists together",
    "{[1]}": "cannot be an entry of a set, nor a key",
    "range(2.5)": "A whole number is required. `//` divides into one",
    "[1][0.0]": "A whole number is required.",
    "def f(a, b): pass\nf(1)": "The call leaves out something",
    "def f(a): pass\nf(1, 2)": "The call hands over more",
    "import numpy as np\nif np.array([1, 2]): pass": "Take `.any()` or `.all()`",
    "a, b = [1]": "There are more values than names",
    "float('two')": "This text is no number.",
    "max([])": "The largest or smallest of no values",
    "import numpy as np\nnp.ones(2) + np.ones(3)": "These two are not equally long",
    "import math\nmath.log(0)": "is a rank counted from 0?",
    "if True\n    pass": "A colon is missing",
    "print((1)": "The bracket `(` is opened and never closed.",
    "x = 1)": "The bracket `)` closes nothing",
    "x = 'a": "A quote is opened and never closed.",
    "def f():\nreturn 1": "indented further than its beginning",
    "if True:\n    x = 1\n   y = 2": "begin at the same place",
    "if x = 1: pass": "two of them, `==`, compare",
    "return 1": "`return` is outside of any function",
}


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("source", "words"), MADE.items(), ids=range(len(MADE)))
def test_common_errors_of_beginners_are_explained(source, words):
    with pytest.raises(Exception) as raised:  # noqa: PT011, the kinds are what is tested
        exec(compile(source, "a cell", "exec"), {})
    assert words in explain_error(raised.value)


class Silent(ValueError):
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize("error", [ValueError("of my own"), OSError("x"), TypeError(), Silent()])
def test_other_errors_have_no_explanation(error):
    assert explain_error(error) == ""


def test_function_checks_show_the_explanation():
    def precision(recommended, relevant, k):
        hits = 0
        for rank in range(k):
            hits += recommended[rank + 1] in relevant
        return hits / k

    said = repr(fresh(ex.write_precision).check(precision))
    assert "Raised: IndexError: list index out of range, in line" in said
    assert "In words: There is no such place. Places are counted from 0" in said


def test_cases_run_in_the_page_show_the_explanation():
    said = json.loads(code_check.run_case("def f(x):\n    return 1 / x", "f(0)"))
    assert any("Something is divided by 0." in str(value) for value in said.values())


def test_notebook_cells_show_the_explanation_below_the_traceback(capsys):
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from recsys_metrics.workbook.lab import error_extension

    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    error_extension.load_ipython_extension(shell)
    assert type(shell.run_cell("[1, 2][5]").error_in_exec) is IndexError
    said = capsys.readouterr().out
    assert said.index("IndexError") < said.index("In words: There is no such place.")
    assert isinstance(shell.run_cell("print((1)").error_before_exec, SyntaxError)
    assert "In words: Something is opened and never closed: a bracket" in capsys.readouterr().out
    shell.run_cell("raise OSError('a disk')")
    said = capsys.readouterr().out
    assert "a disk" in said
    assert "In words" not in said
    # Somebody's own handler stays.
    shell.set_custom_exc((OSError,), lambda *a, **b: None)
    error_extension.load_ipython_extension(shell)
    assert shell.custom_exceptions == (OSError,)
    error_extension.unload_ipython_extension(shell)
    assert shell.custom_exceptions == ()
