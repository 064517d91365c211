"""What new authors get wrong in exercises of their own, and what is said of each.

An entry has the kind of template it begins with, the changes to it, and words of the message. A
change is made in the file in YAML or in the one in Python, wherever its old text is; a text in the
place of changes is the whole file. `{words}` at the beginning of a message stands for the file and
the line that begins with these words.
"""

from __future__ import annotations

from pathlib import Path

from recsys_metrics.workbook.grading import custom_exercises

TEMPLATES = Path(custom_exercises.__file__).with_name("templates")


def read_template(kind):
    """Return the text and the Python that a command writes."""
    if kind == "gap":
        return GAP, read_template("function")[1]
    texts = ((TEMPLATES / f"{kind}{end}") for end in (".yaml", ".py.txt"))
    return tuple(one.read_text("utf-8") if one.exists() else "" for one in texts)


EXAMPLE, PYTHON = read_template("numbers")
LINES = len(EXAMPLE.splitlines())


def share_words(words):
    """Return a mistake that has its words from the shared file."""
    swap = "swap: {clicked / seen: 100 * clicked / seen}"
    return f"    in-percent:\n      shared: {words}\n      {swap}\n"


GAP = (
    (TEMPLATES / "function.yaml")
    .read_text("utf-8")
    .replace(
        "  function: my_rate\n",
        "  function: my_rate\n  template: return ...\n"
        "  template_answer: sum(clicks) / sum(shown)\n",
    )
    .replace("      code: sum([90, 60]), sum([1000, 250])\n", "")
    .replace(
        "swap: {sum(clicks) / sum(shown): sum(shown) / sum(clicks)}",
        "fill: sum(shown) / sum(clicks)",
    )
)
FILL = "fill: sum(shown) / sum(clicks)"
UPSIDE_DOWN = "swap: {clicked / seen: seen / clicked}"
ORDER = """steps:
  kind: order
  title: Steps of a test
  minutes: 2
  prompt: Put the steps in order.
  code: false
  lines: {split: Split the log., train: Train the model., test: Test the model., report: Report.}
  answer: [split, train, test, report]
  hints: [What comes first?, What needs the split?, Train before you test.]
  solution:
    - text: Split, train, test.
  insight: What is tested is not trained on.
  mistakes:
    train-first:
      order: [train, split, test, report]
      cause: The model was trained on all of the log.
      hint: What is left to test on?
    test-first:
      order: [split, test, train, report]
      cause: The model was tested before it was trained.
      hint: What can be tested before it is trained?
    split-last:
      order: [train, test, split, report]
      cause: The log was split last.
      hint: What is the split for?
"""
BY_FUNCTION = "function: wrong"
LOOP_FREE = "code: |\n        rate = clicked / seen\n        "
LOOP = "code: |\n        while seen: pass\n        rate = clicked / seen"
SAME = "swap: {clicked / seen: sum(clicks) / seen}"
MEAN = 'swap: {clicked / seen: "sum(c / n for c, n in zip(clicks, shown)) / len(clicks)"}'
GONE = "swap: {clicked / seen: nothing}"

DRAWN = "def draw(rng):\n    return {{'shown': {}, 'clicks': {}}}\n"

# By what the author got wrong.
PLANTED = {
    "a field is missing": (
        "numbers",
        {"  title: Two weeks\n": ""},
        "line 4: two_weeks: `title` is missing. What belongs there: what the card is called",
    ),
    "a field of the kind is missing": (
        "function",
        {"  cases: cases\n": ""},
        "line 4: write_rate: `cases` is missing, which an exercise of the kind function needs",
    ),
    "the kind is missing": (
        "numbers",
        {"  kind: numbers\n": ""},
        "line 4: two_weeks: `kind` is missing. What belongs there: one of choice, function, ",
    ),
    "the kind is misspelt": (
        "numbers",
        {"kind: numbers": "kind: number"},
        "line 5: two_weeks, kind: is 'number'; did you mean 'numbers'?",
    ),
    "a required field is misspelt": (
        "numbers",
        {"  prompt:": "  promt:"},
        "line 12: two_weeks: there is no field `promt`; did you mean `prompt`?",
    ),
    "a field is made up": (
        "numbers",
        {"  points: 2": "  points: 2\n  xyz: 1"},
        "line 9: two_weeks: there is no field `xyz`; the fields are answer, asks, ",
    ),
    "a number is quoted": (
        "numbers",
        {"minutes: 3": 'minutes: "3"'},
        "line 7: two_weeks, minutes: should be a whole number, and is the text '3'; leave the quo",
    ),
    "a number is too small": (
        "numbers",
        {"minutes: 3": "minutes: 0"},
        "line 7: two_weeks, minutes: is 0, and should be 1 or more",
    ),
    "a text is a number": (
        "numbers",
        {"title: Two weeks": "title: 2024"},
        "title: should be text, and is the number 2024; put it in quotation marks",
    ),
    "a field is empty": (
        "numbers",
        {"title: Two weeks": "title:"},
        "title: has nothing in it. What belongs there: what the card is called",
    ),
    "a text has a colon": (
        "numbers",
        {"- Add up before": "- Remember: add up before"},
        "hints, entry 1: should be text. The colon after 'Remember' makes a field of it: put",
    ),
    "a list is a text": (
        "text",
        read_template("text")[0].partition("  hints:")[0] + "  hints: Look.\n",
        "say_why, hints: should be a list, with each entry on a line of its own after `- `",
    ),
    "fields are a list": (
        "numbers",
        {"    shown: [1000, 250]\n    clicks:": "    - [1000, 250]\n    -"},
        "two_weeks, inputs: should be fields, each on a line of its own as `name: value`, and is",
    ),
    "an exercise is not indented": (
        "numbers",
        EXAMPLE.replace("\n  ", "\n"),
        "line 4: two_weeks: has nothing in it; write the fields of the exercise below its name",
    ),
    "a name has capitals": (
        "numbers",
        {"two_weeks:": "Two-Weeks:"},
        "line 4: 'Two-Weeks' cannot be a name there; use small letters, digits and underscores, "
        "with a letter first, as in two_weeks",
    ),
    "a mistake's id has capitals": (
        "numbers",
        {"    upside-down:": "    Upside_Down:"},
        "line 50: two_weeks, mistakes: 'Upside_Down' cannot be a name there; use small letters, "
        "digits and hyphens, as in upside-down",
    ),
    "a swap is a text": (
        "numbers",
        {"swap: {clicked / seen: seen / clicked}": "swap: seen / clicked"},
        "swap: should be text of the solution and what replaces it, `{old text: new te",
    ),
    "a mistake has no swap": (
        "numbers",
        {"      swap: {clicked / seen: seen / clicked}\n": ""},
        "line 50: two_weeks, mistakes, upside-down: nothing says how this mistake is made; give i",
    ),
    "an ambiguous mistake is not there": (
        "numbers",
        {"    upside-down:": "    upside-down:\n      ambiguous_with: [sum-of-rate]"},
        "line 51: two_weeks, mistakes, upside-down, ambiguous_with: no mistake of this exercise "
        "has the id 'sum-of-rate'; did you mean 'sum-of-rates'?",
    ),
    "an option is picked that is not there": (
        "choice",
        {"picks: new": "picks: newer"},
        "picks: 'newer' is picked, and there are only new, old, same",
    ),
    "an option is right that is not there": (
        "choice",
        {"  solve: better": "  answer: newer"},
        "more_clicks, answer: 'newer' is right, and there are only new, old, same",
    ),
    "nothing is right": (
        "choice",
        {"  solve: better\n": ""},
        "line 4: more_clicks: `solve` or `answer` is missing, which says what is right",
    ),
    "two things are right": (
        "choice",
        {"  solve: better\n": "  solve: better\n  answer: new\n"},
        "line 4: more_clicks: has both `solve` and `answer`; leave one out",
    ),
    "there is one option": (
        "choice",
        {"    old: The old list.\n    same: Both have the same.\n": ""},
        "more_clicks, options: should have two entries or more, each a short word and its text",
    ),
    "an option is called no": (
        "choice",
        {"    old: The old list.": "    no: The old list."},
        "options: YAML reads the words `no`, `off`, `false` as false, so none of them can be a na",
    ),
    "a gap is filled that is not there": (
        "function",
        {"swap: {sum(clicks) / sum(shown): sum(shown) / sum(clicks)}": "fill: shown"},
        "upside-down, fill: fills a gap, and the exercise has no `template` with a gap",
    ),
    "python is misspelt": (
        "numbers",
        {"insight: A mean of": "insight: {pyton: my_insight}\n  # A mean of"},
        "two_weeks, insight: there is no field `pyton`; did you mean `{python: my_insight}`?",
    ),
    "a step has no text": (
        "numbers",
        {"    - text: Their ratio.\n      code:": "    - code:"},
        "two_weeks, solution, entry 2: `text` is missing. What belongs there: the reasoning",
    ),
    "there is a tab": (
        "numbers",
        {"  minutes: 3": "\tminutes: 3"},
        "line 7: two_weeks: the line is indented with a tab; delete it and type blanks",
    ),
    "an insight has a colon": (
        "numbers",
        {"insight: A mean": "insight: Remember: a mean"},
        "line 37: two_weeks: this is not valid YAML: mapping values are not allowed in this",
    ),
    "a field is indented too little": (
        "numbers",
        {"      cause: The rates of the weeks were av": "     cause: The rates av"},
        "indent the fields of one exercise or mistake alike",
    ),
    "a mistake is ambiguous with itself": (
        "numbers",
        {"    upside-down:": "    upside-down:\n      ambiguous_with: [upside-down]"},
        "line 51: two_weeks, mistakes, upside-down, ambiguous_with: names the mistake itself",
    ),
    "a quotation mark is not closed": (
        "numbers",
        {"title: Two weeks": 'title: "Two weeks'},
        "line 6: two_weeks: this is not valid YAML: did not find expected key; the quotation mark",
    ),
    "a line of the solution is no Python": (
        "numbers",
        {"code: rate = clicked / seen": "code: rate = (clicked / seen"},
        "line 35: mine.two_weeks: the solution is no Python: 'rate = (clicked / seen'",
    ),
    "a swap is written with other blanks": (
        "numbers",
        {"{clicked / seen: seen / clicked}": "{clicked/seen: seen / clicked}"},
        "line 51: mine.two_weeks: the mistake 'upside-down' swaps 'clicked/seen', which is not in "
        "the solution; did you mean 'clicked / seen'?",
    ),
    "a swap makes no Python": (
        "numbers",
        {"{clicked / seen: seen / clicked}": "{clicked / seen: (seen / clicked}"},
        "line 51: mine.two_weeks: the solution with the swap of 'upside-down' is no Python",
    ),
    "a text begins with a backtick": (
        "numbers",
        {"insight: A mean": "insight: `A` mean"},
        "a text cannot begin with this character; put the whole text in quotation marks",
    ),
    "a name in the solution": (
        "numbers",
        {"sum(clicks), sum(shown)": "sum(clicks), sum(shwn)"},
        "line 33: mine.two_weeks breaks: NameError: name 'shwn' is not defined (did you mean "
        "'shown'?), in the solution: clicked, seen",
    ),
    "a name in a swap": (
        "numbers",
        {"{clicked / seen: seen / clicked}": "{clicked / seen: sen / clicked}"},
        "line 51: mine.two_weeks breaks: NameError: name 'sen' is not defined (a solution has the "
        "inputs, and what it defines or imports), in the solution with the swap of "
        "'upside-down': rate = sen / clicked",
    ),
    "inputs of another type": (
        "numbers",
        {"clicks: [90, 60]": "clicks: ninety"},
        "line 33: mine.two_weeks breaks: TypeError",
    ),
    "an answer that is no number": (
        "numbers",
        {"code: rate = clicked / seen": f"{LOOP_FREE}rate = [rate]"},
        "line 31: mine.two_weeks has a worked solution that leaves [0.12] in `rate`, where",
    ),
    "an answer that does not follow": (
        "numbers",
        {"  insight:": "  follows:\n    rate: clicks[0] / shown[0]\n  insight:"},
        "line 38: mine.two_weeks says that `rate` follows from other answers, and of the right "
        "ones it makes 0.09 where 0.12 is right",
    ),
    "an answer that follows from an unknown name": (
        "numbers",
        {"  insight:": "  follows:\n    rate: clicked / 1250\n  insight:"},
        "says that `rate` follows from 'clicked'; write it with the others: shown, clicks",
    ),
    "a hint that gives the answer": (
        "numbers",
        {"Divide all clicks by all times that the list was shown.": "It is 0.12."},
        "line 28: mine.two_weeks shows the right `rate`, 0.12, before it is answered",
    ),
    "a solution without an end": (
        "numbers",
        {"code: rate = clicked / seen": LOOP},
        "line 31: mine.two_weeks did not end within",
    ),
    "the function has another name in the solution": (
        "function",
        {"  function: my_rate": "  function: my_rates"},
        "{function:} mine.write_rate: function: `my_rates`, and the solution defines `my_rate`; "
        "did you mean that?",
    ),
    "the function of a template has another name in the solution": (
        "gap",
        {"  function: my_rate": "  function: myrate"},
        "{function:} mine.write_rate: function: `myrate`, and the solution defines `my_rate`",
    ),
    "the solution calls the function of a template by another name": (
        "gap",
        {
            "  function: my_rate": "  function: myrate",
            "def my_rate(clicks, shown):\n            return": "my_rate([1], [2])\n        f =",
        },
        "function: `myrate`, and the solution calls `my_rate`; did you mean that?",
    ),
    "the missing text is wrong": (
        "gap",
        {"template_answer: sum(clicks)": "template_answer: 2 * sum(clicks)"},
        "{template_answer:} mine.write_rate has a completed template, with `2 * sum(clicks) / "
        "sum(shown)`, that does not pass: on my_rate([90, 60], [1000, 250]) it returns 0.24, and "
        "`solve` returns 0.12",
    ),
    "the right function is wrong": (
        "gap",
        {"def rate(clicks, shown):\n": "def rate(clicks, shown):\n    shown = 2 * shown\n"},
        "{solve:} mine.write_rate has a `solve` that differs from the completed template and the "
        "worked solution: on my_rate([90, 60], [1000, 250]) it returns 0.12, and `solve` returns",
    ),
    "the worked solution is wrong": (
        "function",
        {
            "return sum(clicks) / sum(shown)\n  #": "return 1 + sum(clicks) / sum(shown)\n  #",
        },
        "{solution:} mine.write_rate has a worked solution that does not pass: on my_rate([90, 60],"
        " [1000, 250]) it returns 1.12, and `solve` returns 0.12",
    ),
    "a hint gives the missing text": (
        "gap",
        {"How many clicks were there in all?": "Write sum(clicks) / sum(shown)."},
        "{- Write sum} mine.write_rate gives the missing text, `sum(clicks) / sum(shown)`, in hint",
    ),
    "an argument of a case is missing": (
        "function",
        {'Case({"clicks": clicks, "shown": shown}': 'Case({"clicks": clicks}'},
        "{cases:} mine.write_rate has a case that fails, case 1 of `cases`: its arguments are "
        "{'clicks': ...}, and `solve` is `rate(clicks, shown)`; 'shown' is missing",
    ),
    "an argument of a case is misspelt": (
        "function",
        {'Case({"clicks": clicks, "shown"': 'Case({"clicks": clicks, "views"'},
        "case 1 of `cases`: its arguments are {'clicks': ..., 'views': ...}, and `solve` is "
        "`rate(clicks, shown)`; the function has no parameter 'views'",
    ),
    "the arguments of a case are in another order": (
        "function",
        {
            'Case({"clicks": clicks, "shown": shown}': 'Case({"shown": shown, "clicks": clicks}',
        },
        "its arguments are {'shown': ..., 'clicks': ...}, and `solve` is `rate(clicks, shown)`; "
        "name them in the order of the function",
    ),
    "a case breaks the right function": (
        "function",
        {'case([30], [300], "one week")': 'case([], [], "no week")'},
        "{cases:} mine.write_rate has a case that fails, case 3 of `cases`: `solve` breaks on "
        "my_rate([], []): ZeroDivisionError: division by zero",
    ),
    "one case is drawn": (
        "function",
        {"for n in shown], shown),)": "for n in shown], shown))"},
        "{draw:} mine.write_rate has a `draw` that returns one case; a tuple of cases is needed",
    ),
    "a gap is not there": (
        "gap",
        {"template: return ...": "template: return 1"},
        "{template:} mine.write_rate: template: has no `...`; put it where the student has to",
    ),
    "there are two gaps": (
        "gap",
        {"template: return ...": "template: return ... / ..."},
        "{template:} mine.write_rate: template: has two `...`; leave one",
    ),
    "a gap is a statement": (
        "gap",
        {
            "template: return ...": 'template: "..."',
            "template_answer: sum": "template_answer: return sum",
        },
        "{template_answer:} mine.write_rate: template_answer: the gap has to be an expression, not "
        "a whole statement: write `return ...` in `template`, and `sum(clicks) / sum(shown)` here",
    ),
    "the first step of a template has code": (
        "gap",
        {"- text: All clicks, and all times shown.": "- text: All clicks.\n      code: 1 + 1"},
        "{code: 1 + 1} mine.write_rate has code in its first step, where the completed template",
    ),
    "a fill is a number": (
        "gap",
        {FILL: "fill: 1.0"},
        "{fill:} write_rate, mistakes, upside-down, fill: is the number 1.0; put it in quotation "
        'marks: `fill: "1.0"`',
    ),
    "a fill has typographic quotation marks": (
        "gap",
        {FILL: "fill: “1.0”"},
        "{fill:} mine.write_rate: the mistake 'upside-down' fills the gap with '“1.0”', which is "
        "no Python there; “ and ” are typographic quotation marks: type straight quotation marks",
    ),
    "a fill is no Python": (
        "gap",
        {FILL: "fill: return 1"},
        "{fill:} mine.write_rate: the mistake 'upside-down' fills the gap with 'return 1', which",
    ),
    "a swap has typographic quotation marks": (
        "numbers",
        {UPSIDE_DOWN: "swap: {clicked / seen: “max(clicked, seen)”}"},
        "{swap: {clicked / seen: “} two_weeks, mistakes, upside-down, swap: cannot be read as one "
        "text: “max(clicked, seen)”; “ and ” are typographic",
    ),
    "a swap has a comma": (
        "numbers",
        {UPSIDE_DOWN: "swap: {clicked / seen: max(clicked, seen)}"},
        "swap: the comma in 'max(clicked, seen)' ends the text; put it in quotation marks: "
        '`swap: {clicked / seen: "max(clicked, seen)"}`',
    ),
    "a prompt has braces that are meant": (
        "function",
        {"- The result is one number.": 'Try {"a"}.'},
        '{Try {"a"}} mine.write_rate has a text that cannot be shown, prompt: a text names {"a"}, '
        "which is no input; this exercise has no inputs. Write {{ and }} for braces that are meant",
    ),
    "a prompt returns nothing": (
        "numbers",
        {
            "insight: A mean of rates ignores the": "insight: {python: keep}\n  #",
            "def draw(rng):": "def keep(given):\n    'x'\n\n\ndef draw(rng):",
        },
        "{insight:} mine.two_weeks has a function for insight, keep, that returned None; is "
        "`return` missing?",
    ),
    "a prompt takes the inputs one by one": (
        "numbers",
        {
            "insight: A mean of rates ignores the": "insight: {python: keep}\n  #",
            "def draw(rng):": "def keep(shown, clicks):\n    return 'x'\n\n\ndef draw(rng):",
        },
        "{insight:} mine.two_weeks has a function for insight that cannot be called: keep takes "
        "one argument, a dictionary of the inputs: `def keep(given):`",
    ),
    "a name in asks is misspelt": (
        "numbers",
        {"    rate: click-through rate": "    raet: click-through rate"},
        "{raet:} mine.two_weeks breaks: the worked solution leaves no value in raet; did you mean "
        "'rate', which it leaves?",
    ),
    "a number follows that is not asked for": (
        "numbers",
        {"  insight:": "  follows:\n    rates: 1 + 1\n  insight:"},
        "{rates: 1} two_weeks, follows, rates: `rates` is no name in `asks`; did you mean `rate`?",
    ),
    "a mistake returns nothing": (
        "numbers",
        {
            UPSIDE_DOWN: BY_FUNCTION,
            "def draw(rng):": "def wrong(given):\n    1\n\n\ndef draw(rng):",
        },
        "{function: wrong} mine.two_weeks has the mistake upside-down, whose function wrong "
        "returned None; is `return` missing?",
    ),
    "a mistake returns another name": (
        "numbers",
        {
            UPSIDE_DOWN: BY_FUNCTION,
            "def draw(rng):": "def wrong(given):\n    return {'ratio': 1}\n\n\ndef draw(rng):",
        },
        "whose function wrong returned {'ratio': 1}; 'ratio' is no answer of this exercise; return "
        "{'rate'",
    ),
    "a mistake takes the inputs one by one": (
        "numbers",
        {
            UPSIDE_DOWN: BY_FUNCTION,
            "def draw(rng):": "def wrong(shown, clicks):\n    return 1\n\n\ndef draw(rng):",
        },
        "{function: wrong} mine.two_weeks has the mistake upside-down, whose function fails: wrong "
        "takes one argument, a dictionary of the inputs: `def wrong(given):`",
    ),
    "a mistake breaks": (
        "numbers",
        {
            UPSIDE_DOWN: BY_FUNCTION,
            "def draw(rng):": "def wrong(given):\n    return given['x']\n\n\ndef draw(rng):",
        },
        "{return given} mine.two_weeks breaks: KeyError: 'x', in line",
    ),
    "a list has an entry too many": (
        "numbers",
        {"shown: [1000, 250]": "shown: [1000, 25,0]"},
        "{shown: [} mine.two_weeks has 3 entries in `shown` and 2 in `clicks`, and its draw always",
    ),
    "an option has no mistake": (
        "choice",
        {"    same: Both": "    none: Neither.\n    same: Both"},
        "{none:} mine.more_clicks does not say why the option none is wrong: no mistake leads to it"
        "; add one with `picks: none`",
    ),
    "no option is right": (
        "choice",
        {'        return "same"': '        return "equal"'},
        "{solve:} mine.more_clicks has a `solve`, better, that returned 'equal' on the drawn",
    ),
    "the text of an option is right": (
        "choice",
        {'    return "new" if': '    return "The new list." if'},
        "that returned 'The new list.'; it has to return the short word of an option: new, old",
    ),
    "a field is at the left margin": (
        "numbers",
        {"  kind: numbers": "kind: numbers"},
        "{kind:} two_weeks: `kind` is a field and is at the left margin; indent `kind` below "
        "the exercise's name",
    ),
    "the last field is at the left margin": (
        "numbers",
        {"  mistakes:": "mistakes:"},
        "{mistakes:} `mistakes` is a field and is at the left margin; indent `mistakes` below",
    ),
    "the names are indented": (
        "numbers",
        {"two_weeks:": "exercises:\n two_weeks:"},
        "{exercises:} `exercises:` is no exercise, and the exercises are indented below it; delete "
        "this line and move the names to the left margin",
    ),
    "a colon is missing": (
        "numbers",
        {"title: Two weeks": "title Two weeks"},
        "{title Two} two_weeks: this is not valid YAML: could not find expected ':'; a colon and a "
        "blank are missing after the name of the field: `title: Two weeks`",
    ),
    "a mistake has a dash": (
        "numbers",
        {"    upside-down:": "    - upside-down:"},
        "{- upside-down} two_weeks: fields are expected here, and no list; delete the dash before "
        "`upside-down:`",
    ),
    "a line is indented with no-break blanks": (
        "numbers",
        {"  points: 2": "\u00a0\u00a0points: 2"},
        "{points:} two_weeks: the line is indented with no-break spaces, perhaps copied from a web "
        "page; delete them and type blanks",
    ),
    "a title begins with a hash": (
        "numbers",
        {"title: Two weeks": "title: #1"},
        "{title:} two_weeks, title: is empty, because # begins a comment; put the text in",
    ),
    "a quotation mark in a list is not closed": (
        "numbers",
        {"- Add up before you divide.": '- "Add up before you divide.'},
        '{- "Add up} two_weeks: this is not valid YAML: ',
    ),
    "a name in Python has its words in another order": (
        "numbers",
        {"draw: draw": "draw: weeks_draw", "def draw(rng):": "def draw_weeks(rng):"},
        "'weeks_draw' is not in mine.py; did you mean 'draw_weeks'?",
    ),
    "it takes half an hour": (
        "numbers",
        {"minutes: 3": "minutes: 30"},
        "{minutes: 30} mine.two_weeks takes 30 minutes",
    ),
    "it brings nine points": (
        "numbers",
        {"points: 2": "points: 9"},
        "{points: 9} mine.two_weeks brings 9 points; give 1 to 5",
    ),
    "there are two hints": (
        "numbers",
        {"    - How many clicks were there in all?\n": ""},
        "has 2 hints; give 3",
    ),
    "there is no insight": (
        "numbers",
        {"  insight: A mean of rates ignores the number of impressions behind each.\n": ""},
        "has no insight",
    ),
    "the solution leaves two numbers in one name": (
        "numbers",
        {"code: rate = clicked / seen": "code: rate = seen, clicked / seen"},
        "leaves (1250, 0.12)",
    ),
    "a mistake is right": (
        "numbers",
        {UPSIDE_DOWN: SAME},
        "{upside-down:} mine.two_weeks declares a mistake that is right: upside-down does not "
        "change the answer; change it until it does",
    ),
    "two mistakes are the same": (
        "numbers",
        {UPSIDE_DOWN: MEAN},
        "declares a mistake that cannot be distinguished: mean-of-rates and upside-down lead to "
        "the same answer; change one, or name the other in its `ambiguous_with`",
    ),
    "the first hint gives the answer": (
        "numbers",
        {"Add up before you divide.": "It is 0.12."},
        "shows the right `rate`, 0.12, before it is answered; leave it out",
    ),
    "a swap has an unknown name": (
        "numbers",
        {UPSIDE_DOWN: GONE},
        "breaks: NameError: name 'nothing'",
    ),
    "a prompt names no input": (
        "numbers",
        {"shown {shown} times": "shown {klicks} times"},
        "{A list was} mine.two_weeks has a text that cannot be shown, prompt: a text names "
        "{klicks}, which is no input; the inputs are",
    ),
    "a prompt has a set in braces": (
        "numbers",
        {"shown {shown} times": "shown {1, 2} times"},
        "Write {{ and }} for braces that are meant",
    ),
    "a prompt names a part of an input": (
        "numbers",
        {"shown {shown} times": "shown {shown[0]} times"},
        "names a part of an input, 0; only a wh",
    ),
    "a number asked for is not computed": (
        "numbers",
        {"rate: click-through rate": "rate: rate\n    seen_by: x"},
        "leaves no value in seen_by",
    ),
    "an input is drawn by another name": (
        "numbers",
        {'{"shown": shown, "clicks"': '{"show": shown, "clicks"'},
        "{draw:} mine.two_weeks draws clicks, show; its inputs are clicks, shown; add `show` to "
        "`inputs`, or leave it out of the draw, and draw `shown` too, or leave it out of `inputs`",
    ),
    "more is drawn than declared": (
        "numbers",
        {'return {"shown": shown,': 'return {"more": 1, "shown": shown,'},
        "its inputs are clicks, shown; add `more` to `inputs`, or leave it out of the draw",
    ),
    "a draw has an unknown name": (
        "numbers",
        {'"shown": shown, "clicks"': '"shown": np.ones(2), "clicks"'},
        "{return {} mine.two_weeks breaks: NameError: name 'np' is not",
    ),
    "a file has a bracket in the place of fields": (
        "numbers",
        "a: (",
        "mine.yaml, line 1: a: should be fields, each on a line of its own as `name: value`, and "
        "is the text '('",
    ),
    "a file has an open bracket": (
        "numbers",
        "a: [",
        "mine.yaml, line 2: a: this is not valid YAML",
    ),
    "a file is a list": (
        "numbers",
        "- a: 1",
        "mine.yaml, line 1: this is a list; begin with the name of an exercise",
    ),
    "a file is empty": (
        "numbers",
        "",
        "declares no exercise; `course own exercise` writes one",
    ),
    "a file has a number in the place of fields": (
        "numbers",
        "a: 1",
        "mine.yaml, line 1: a: should be fields, each on a line of its own as `name: value`, and "
        "is the number 1",
    ),
    "a name is given twice": (
        "numbers",
        EXAMPLE + EXAMPLE,
        f"mine.yaml, line {LINES + 4}: two_weeks: 'two_weeks' is given a second time; the first "
        "is in line 4",
    ),
    "a field is misspelt": (
        "numbers",
        {"points: 2": "pints: 2"},
        "mine.yaml, line 8: two_weeks: there is no field `pints`; did you mean `points`?",
    ),
    "a number is a word": (
        "numbers",
        {"minutes: 3": "minutes: soon"},
        "mine.yaml, line 7: two_weeks, minutes: should be a whole number, and is the text 'soon'",
    ),
    "an id is given twice": (
        "numbers",
        EXAMPLE + EXAMPLE.replace("two_weeks:", "other:\n  id: two_weeks", 1),
        f"mine.yaml, line {LINES + 5}: mine.two_weeks is another exercise of this file; give one "
        "of them another name",
    ),
    "a field belongs to the workbook": (
        "numbers",
        {"  kind: numbers": "  kind: numbers\n  part: 02_rankin"},
        "{part:} two_weeks: `part` belongs to exercises of the workbook",
    ),
    "a name in Python is misspelt": (
        "numbers",
        {"draw: draw": "draw: drew"},
        "{draw: drew} mine.two_weeks: 'drew' is not in mine.py; did you mean 'draw'?",
    ),
    "a swap is misspelt": (
        "numbers",
        {UPSIDE_DOWN: "swap: {clickt: seen}"},
        "{swap: {clickt} mine.two_weeks: the mistake 'upside-down' swaps 'clickt'",
    ),
    "a field of a mistake is misspelt": (
        "numbers",
        {"cause: That is how": "couse: That is how"},
        "{couse:} two_weeks, mistakes, upside-down: there is no field `couse`; did you mean "
        "`cause`",
    ),
    "a shared mistake is not there": (
        "numbers",
        EXAMPLE + share_words("percent-of-ratio"),
        f"mine.yaml, line {LINES + 2}: mine.two_weeks: the mistake 'in-percent' shares "
        "'percent-of-ratio', which is not in shared_mistakes.yaml; did you mean "
        "'percent-for-ratio'",
    ),
    "a swap has a name that the solution lacks": (
        "numbers",
        {UPSIDE_DOWN: "swap: {clicked / seem: seen / clicked}"},
        "{swap: {clicked / seem} mine.two_weeks: the mistake 'upside-down' swaps 'clicked / "
        "seem', which is not in the solution; did you mean 'clicked / seen'?",
    ),
    "a swap is unlike the solution": (
        "numbers",
        {UPSIDE_DOWN: "swap: {xyz: 1}"},
        "which is not in the solution; copy text from the `code` of its steps",
    ),
    "a mistake has a swap and a function": (
        "numbers",
        {UPSIDE_DOWN: f"{UPSIDE_DOWN}\n      function: draw"},
        "{function:} two_weeks, mistakes, upside-down, function: has `swap` and `function`, each "
        "of which says how the mistake is made; leave one out",
    ),
    "the function of a mistake is not there": (
        "numbers",
        {UPSIDE_DOWN: "function: weeks"},
        "{function: weeks} mine.two_weeks: 'weeks' is not in mine.py; define 'weeks' there",
    ),
    "a draw takes nothing": (
        "numbers",
        {"def draw(rng):": "def draw():\n    rng = None"},
        "{draw:} mine.two_weeks has a `draw` that cannot be called: draw takes one argument, a "
        "generator of random numbers: `def draw(rng):`",
    ),
    "a draw breaks the solution at times": (
        "numbers",
        {
            "rng.integers(200, 2000, size=2)": "rng.integers(0, 2, size=2)",
            "int(rng.integers(n // 20, n // 3))": "1",
        },
        "{draw:} mine.two_weeks draws {'shown': [0, 0], 'clicks': [1, 1]}, on which the worked "
        "solution breaks (ZeroDivisionError: division by zero); draw only what it can solve",
    ),
    "a number is quoted among the inputs": (
        "numbers",
        {"    shown: [1000, 250]": '    shown: "1250"'},
        "{shown:} mine.two_weeks has the text '1250' in `inputs`, shown; write the number 1250 "
        "without quotation marks",
    ),
    "a number has a decimal comma": (
        "numbers",
        {"    shown: [1000, 250]": "    shown: 9,5"},
        "{shown:} mine.two_weeks has the text '9,5' in `inputs`, shown; write the number 9.5 "
        "without",
    ),
    "two mistakes have one cause": (
        "numbers",
        {
            "The rates of the weeks were added up.": "That is one.",
            "That is how often the list was shown for each click.": "That is one.",
        },
        "mine.yaml, line 52: mine.two_weeks says the "
        "same of two mistakes, sum-of-rates and upside-down; write what was done in each",
    ),
    "a draw is written as a text is": (
        "numbers",
        {"draw: draw": "draw: {python: draw}"},
        "{draw:} two_weeks, draw: should be text, and is a field 'python' with a value of its "
        "own; write the name alone: `draw: draw`",
    ),
    "two documents are in a file": (
        "numbers",
        EXAMPLE + "---\n" + EXAMPLE,
        "this is not valid YAML: but found another document; delete the line `---`",
    ),
    "a number follows from itself": (
        "numbers",
        {"  insight:": "  follows:\n    rate: rate\n  insight:"},
        "{rate: rate} mine.two_weeks says that `rate` follows from 'rate' itself; write it with "
        "the others: shown, clicks",
    ),
    "a label is empty": (
        "numbers",
        {"    rate: click-through rate": '    rate: ""'},
        "{rate:} two_weeks, asks, rate: has no text in it",
    ),
    "a kind is a prediction misspelt": (
        "numbers",
        {"kind: numbers": "kind: predictoin"},
        "two_weeks, kind: is 'predictoin', and should be one of choice, function, numbers, "
        "order, text",
    ),
    "a field belongs to another kind": (
        "choice",
        {"  solve: better": "  asks: {rate: rate}\n  solve: better"},
        "{asks:} mine.more_clicks: `asks` is a field of the kind numbers, and not of choice; "
        "leave it out, or change `kind`",
    ),
    "the text of an option is yes": (
        "choice",
        {"    same: Both have the same.": "    same: yes"},
        "{same:} more_clicks, options, same: YAML reads `yes` as `true`; write `true`, if that is "
        'meant, or put it in quotation marks to keep it as text: "yes"',
    ),
    "a field is indented with a tab": (
        "choice",
        {"  kind: choice": "\tkind: choice"},
        "mine.yaml, line 5: more_clicks: the line is indented with a tab; delete it and type",
    ),
    "a text begins with an ampersand": (
        "choice",
        {"    same: Both have the same.": "    same: & both"},
        "{same:} more_clicks: this is not valid YAML: did not find expected alphabetic or numeric "
        "character; a text that begins with &, * or ! needs quotation marks",
    ),
    "the text of an option is true": (
        "choice",
        {"    same: Both have the same.": "    same: true"},
        "{same:} more_clicks, options, same: should be text, and YAML reads the words `yes`, "
        "`on`, `true` as true; put it in quotation marks",
    ),
    "the cases do not tell two mistakes apart": (
        "function",
        {
            "    case([90, 60], [1000, 250]),\n    case([5, 10, 20], [100, 50, 400]),\n": "",
            '    case([0, 12], [80, 60], "a week without a click"),\n': "",
        },
        "; change it until it does, or add a case on which it matters",
    ),
    "the right function of another function is wrong": (
        "function",
        {"def rate(clicks, shown):\n    return": "def rate(clicks, shown):\n    return 2 *"},
        "{solution:} mine.write_rate has a worked solution that does not pass: on my_rate([90, "
        "60], [1000, 250]) it returns 0.12, and `solve` returns 0.24",
    ),
    "a right function does not end": (
        "function",
        {"def rate(clicks, shown):\n": "def rate(clicks, shown):\n    while shown: pass\n"},
        "{solve:} mine.write_rate did not end within 2 seconds in its `solve`; look for an "
        "endless loop",
    ),
    "a draw always gives the declared inputs": (
        "numbers",
        {"def draw(rng):\n": DRAWN.format([1000, 250], [90, 60])},
        "{draw:} mine.two_weeks has a `draw` that gives no usable inputs in 2000 draws, since it "
        "always gives the inputs that are declared; draw from a wider range",
    ),
    "a draw leaves two mistakes alike": (
        "numbers",
        {"def draw(rng):\n": DRAWN.format([100], "[int(rng.integers(1, 99))]")},
        "{draw:} mine.two_weeks has a `draw` that gives no usable inputs in 2000 draws, since the "
        "mistake sum-of-rates does not change the answer; draw from a wider range",
    ),
}
