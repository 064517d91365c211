"""What a chapter concludes from real data stands printed beside it, with a verdict.

A chapter prints each comparison with `workbook.compare_values`: difference, interval, and
"clear" or "not clear". Here every sentence about real data that says which way something goes is
looked up in `claims.txt`, which ties it to the comparisons it rests on:

    02_ranking | EASE is above item kNN, by little. | EASE > item kNN (ndcg@10)
    02_ranking | Whether item kNN is above popularity … | item kNN ? popularity (ndcg@10)
    02_ranking | Random puts them in the middle … | no means: half of the ranks, by definition

`A > B` fails unless an executed output of the chapter compares the two, and says that A is
clearly the larger; `A ? B` fails if the verdict is clear; `A = B within 0.01`, for "costs
nothing" or "no difference", fails unless the whole interval lies so near to 0. Claims are joined
by a semicolon. Anything else after the second bar is the reason why the sentence is no claim
about two means of a sample. Besides `compared`, the tables of `Report.compare` and of
`Report.by` with two groups are read.

What this cannot see. A sentence is found by its words (`DIRECTION`): one that takes a side in
words that are not in the list passes unread, as do pitfalls and what stands under a heading
without a cell that reads real data. That a sentence is tied to the right comparison, or
rightly called no claim, is a reader's judgement, made once a sentence and made again when its
words change. Causes ("because popular films are easy to hit") are not judged, nor whether a
setting was tuned on the test, whether the unit is the right one, whether a propensity can be a
count, what the floor and the ceiling of a number are, or what a chapter says in its summary, in
exercises and in solutions. A verdict reads one interval; it does not know how many others were
looked at. Lists that are cut inside a tie are found by running the chapter: `tests/notebooks.py`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest

from recsys_metrics.protocol.significance import Interval
from recsys_metrics.workbook.common.disclosure import ARROW
from recsys_metrics.workbook.experiments.comparison_table import ValueComparison

HERE = Path(__file__).resolve().parent
CHAPTERS = sorted((HERE.parents[1] / "chapters").glob("[0-9]*.ipynb"))

# Words that say which of two is more, or that one makes a difference, or that it makes none.
DIRECTION = re.compile(
    r"""\b(
        ahead | behind | above | below | past\ (?=item|popularity|EASE|random|today)
      | better | best | worse | worst | higher | highest | lower | lowest | larger | largest
      | smaller | smallest | harder | easier | closer | closest | further | fewer | longer
      | shorter | stronger | weaker | more | most | less(?!,?\ than\ the\ start) | least
      | beats? | beaten | wins? | won | winner | leads? | leaders? | outperforms?
      | gains? | gained | profits? | loses? | lost | loss | rises? | rose | grows? | grew
      | falls? | fell | drops? | improves? | improved | helps? | hurts? | costs?
      | exceeds? | turn(?:s|ed)\ round | changes? | changed | flips? | equal
      | bring(?:s)?\ .*\ down | no\ difference | no\ change | for\ free | neither | nothing
      | apart | comes?\ last | is\ real | clear | clearly | cannot\ be\ told | varied | novel
      | too\ (?:much|little|low|high|hopeful|bold) | not\ one
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)

# Who brings data that people left behind.
LOADERS = re.compile(r"^(load_|movielens_|fetch_)")


# What a chapter says ------------------------------------------------------------------------------


def uses(source: str, real: set[str]) -> bool:
    """Say whether a cell reads real data, and note which names hold some from here on."""
    found = False
    for statement in ast.parse(strip_magics(source)).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        nodes = list(ast.walk(statement))
        # What loops and functions call their own is nothing from outside.
        own = {name for node in nodes for name in _own(node)}
        names = [node for node in nodes if isinstance(node, ast.Name)]
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)} - own
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)} - own
        if isinstance(statement, ast.AugAssign):
            read |= bound
        if isinstance(statement, ast.FunctionDef):
            bound = {statement.name}
        if any(LOADERS.match(name) or name in real for name in read):
            found = True
            real |= bound
        else:
            real -= bound
    return found


def _own(node: ast.AST) -> set[str]:
    if isinstance(node, ast.arguments):
        return {each.arg for each in (*node.posonlyargs, *node.args, *node.kwonlyargs)}
    if isinstance(node, ast.FunctionDef):
        inner = [part for each in node.body for part in ast.walk(each)]
    elif isinstance(node, ast.comprehension | ast.For):
        inner = list(ast.walk(node.target))
    else:
        return set()
    return {
        each.id for each in inner if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def strip_magics(source: str) -> str:
    """Return a cell without what only IPython understands."""
    return "\n".join(line for line in source.splitlines() if not line.startswith("%"))


@dataclass
class Section:
    """What stands between two headings."""

    heading: str
    level: int
    sentences: list[str]
    has_code: bool = False
    is_real: bool = False


def of_prose(source: str) -> Iterator[str]:
    """Yield the sentences of a text; pitfalls, which are about all data, are left out."""
    source = re.sub(r"<!--.*?-->", "", source, flags=re.DOTALL)
    for line in source.splitlines():
        line = re.sub(r"</?(details|summary)>", "", line.replace(ARROW, "")).strip()
        if line and not line.startswith(">"):
            yield from split(line)


def of_pictures(source: str) -> Iterator[str]:
    """Yield what figures say in words: their titles and their alternative texts."""
    for node in ast.walk(ast.parse(strip_magics(source))):
        if isinstance(node, ast.keyword) and node.arg in {"title", "alt"}:
            text = getattr(node.value, "value", None)
            yield from split(text) if isinstance(text, str) else ()


def split(line: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+(?=[\"(*A-Z])", line)


def sections(cells: list[Any]) -> list[Section]:
    """Return the sections of a notebook, in order, each with what it says."""
    found, real = [Section("", 0, [])], set[str]()
    for cell in cells:
        if cell.cell_type == "code":
            found[-1].has_code = True
            found[-1].is_real |= uses(cell.source, real)
            found[-1].sentences += of_pictures(cell.source)
            continue
        for part in re.split(r"^(?=#{1,6} )", cell.source, flags=re.MULTILINE):
            if heading := re.match(r"(#{1,6}) (.*)", part):
                found.append(Section(heading[2], len(heading[1]), []))
                part = part[heading.end() :]
            found[-1].sentences += of_prose(part)
    for before, section in pairwise(found):
        # Words alone go on about the data of the section before them.
        section.is_real |= not section.has_code and section.level > 2 and before.is_real
    return found


def find_directed_sentences(cells: list[Any]) -> list[str]:
    """Return the sentences about real data that say which way something goes."""
    said = [
        sentence
        for section in sections(cells)
        if section.is_real
        for sentence in [section.heading, *section.sentences]
    ]
    # A question claims nothing.
    return [s for s in dict.fromkeys(said) if DIRECTION.search(s) and not s.endswith("?")]


# What it prints -----------------------------------------------------------------------------------

LINE = re.compile(
    r"(?P<a>\S.*?) - (?P<b>\S.*?)(?: \((?P<measure>\S+|[^()]*)\))?: "
    r"(?P<value>-?\d+\.\d+) \[(?P<low>-?\d+\.\d+), (?P<high>-?\d+\.\d+)\]"
    r"(?: \((?P<level>[\d.]+) %\))?(?:, p [=<] [\d.]+)?: (?P<verdict>not clear|clear)"
)


INTERVAL = r"\[(-?[\d.]+), (-?[\d.]+)\]"
AGAINST = re.compile(rf"(\S+) .* ([+-][\d.]+) +{INTERVAL}")
BY_GROUP = re.compile(rf"(\S+) +(-?[\d.]+) \[.*?\] +(-?[\d.]+) \[.*?\] +([\d.]+) +{INTERVAL}")


def read(line: str) -> Iterator[ValueComparison]:
    """Yield the comparisons that a line of output holds, as `compared` shows itself."""
    # In a table other columns stand before it, in a list other entries.
    for part in re.split(r"\s{2,}|^\[|(?<=clear), ", line.strip()):
        if match := LINE.match(part):
            ends = float(match["low"]), float(match["high"])
            interval = Interval(float(match["value"]), *ends, float(match["level"] or 95) / 100, 0)
            found = ValueComparison(
                (match["a"], match["b"]), interval, measure=match["measure"] or ""
            )
            assert found.verdict == match["verdict"], f"the ends of {line!r} say {found.verdict}"
            yield found


def of_reports(text: str) -> Iterator[ValueComparison]:
    """Yield what a table of `Report.compare` holds, or of `Report.by` with two groups."""
    first, _, rest = text.partition("\n")
    if names := re.fullmatch(r"(.+) against (.+)", first):
        for row in rest.splitlines():
            if match := AGAINST.match(row):
                value, low, high = map(float, match.groups()[1:])
                interval = Interval(value, low, high, 0.95, 0)
                yield ValueComparison((names[1], names[2]), interval, measure=match[1])
    if first.startswith("By ") and (
        groups := re.search(r"^Measure +(\S.*?) \([\d,]+\) +(\S.*?) \([\d,]+\) +Gap", rest, re.M)
    ):
        for row in rest.splitlines():
            if match := BY_GROUP.match(row):
                one, other, gap, low, high = map(float, match.groups()[1:])
                names = (groups[1], groups[2]) if one > other else (groups[2], groups[1])
                yield ValueComparison(names, Interval(gap, low, high, 0.95, 0), measure=match[1])


def read_printed(cells: list[Any]) -> list[ValueComparison]:
    """Return the comparisons that the outputs of a notebook hold."""
    found: list[ValueComparison] = []
    for cell in cells:
        for output in cell.get("outputs", []):
            text = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            found += of_reports(text)
            for line in text.splitlines():
                found += read(line)
    return found


# What ties the two together -----------------------------------------------------------------------

CLAIM = re.compile(
    r"(?P<a>\S.*?) (?P<sign>[>?=]) (?P<b>\S.*?)(?: \((?P<measure>.*)\))?"
    r"(?: within (?P<far>[\d.]+))?"
)


def objection(claim: str, found: list[ValueComparison]) -> str | None:
    """Return what the printed comparisons have against a claim, or None."""
    match = CLAIM.fullmatch(claim.strip())
    assert match, f"{claim!r} is none of 'A > B (measure)', 'A ? B', 'A = B within 0.01'"
    a, b, sign, far = match["a"], match["b"], match["sign"], float(match["far"] or 0)
    there = [one for one in found if one.measure == (match["measure"] or "")]
    there = [one for one in there if one.names in {(a, b), (b, a)}]
    if not there:
        return f"no output compares {a} and {b}, measure {match['measure']}"
    for one in there:
        lead = one.difference if one.names == (a, b) else -one.difference
        if sign == "?" and one.clear:
            return f"{a} and {b} are clearly different"
        if sign == ">" and not one.clear:
            return f"whether {a} is above {b} is not clear"
        if sign == ">" and lead < 0:
            return f"{b} is above {a}"
        if sign == "=" and max(map(abs, one.interval)) > far:
            return f"{a} and {b} may be further apart than {far}"
    return None


def claims() -> dict[str, dict[str, str]]:
    """Return, by chapter, what each sentence rests on."""
    read: dict[str, dict[str, str]] = {}
    for number, line in enumerate((HERE / "claims.txt").read_text("utf-8").splitlines(), 1):
        if line.strip():
            parts = line.split(" | ")
            assert len(parts) == 3, f"line {number} of claims.txt is not 'chapter | sentence | why'"
            chapter, sentence, why = parts
            assert sentence not in read.setdefault(chapter, {}), f"line {number} stands twice"
            read[chapter][sentence] = why
    return read


CLAIMS = claims()


def is_claim(why: str) -> bool:
    return bool(re.search(r"\S [>?=] \S", why))


def faults(cells: list[Any], rests_on: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return what is wrong with a chapter's claims, and the sentences nobody has read."""
    wrong, said, found = [], find_directed_sentences(cells), read_printed(cells)
    for sentence, why in rests_on.items():
        if is_claim(why):
            objections = [objection(one, found) for one in why.split(";")]
            wrong += [f"{sentence!r}: {each}" for each in objections if each]
    return wrong, [sentence for sentence in said if sentence not in rests_on]


def cells_of(path: Path) -> list[Any]:
    cells = nbformat.read(path, as_version=4).cells
    # What no page shows, the form of the recall questions, is no result.
    return [cell for cell in cells if "remove-cell" not in cell.metadata.get("tags", ())]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_claims_are_supported_by_printed_comparisons(path):
    wrong, unread = faults(cells_of(path), CLAIMS.get(path.stem, {}))
    assert wrong == []
    assert unread == [], (
        "these sentences say which way something goes; print what they rest on with "
        "workbook.compare_values, and add a line to tests/chapters/claims.txt:\n"
        + "\n".join(f"{path.stem} | {sentence} | " for sentence in unread)
    )


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_reversed_or_inconclusive_results_contradict_the_claims(path):
    found = read_printed(cells_of(path))
    turned = [replace(one, names=one.names[::-1]) for one in found]
    vague = [replace(one, interval=replace(one.interval, low=-9.0, high=9.0)) for one in found]
    claimed = [
        claim.strip()
        for why in CLAIMS.get(path.stem, {}).values()
        if is_claim(why)
        for claim in why.split(";")
        if " > " in claim
    ]
    for claim in claimed:
        assert objection(claim, found) is None
        assert objection(claim, turned) is not None
        assert objection(claim, vague) is not None


def test_the_claims_file_has_no_outdated_sentence():
    there = {path.stem: find_directed_sentences(cells_of(path)) for path in CHAPTERS}
    gone = [
        f"{chapter} | {sentence}"
        for chapter, sentences in CLAIMS.items()
        for sentence in sentences
        if sentence not in there.get(chapter, [])
    ]
    assert gone == [], "strike them from tests/chapters/claims.txt, or say what they are now"


# What chapters once concluded, and their numbers --------------------------------------------------


def chapter_of(sentence: str, output: str) -> list[Any]:
    """Return a chapter that says something of real data under a heading, and prints something."""
    shown = nbformat.v4.new_output("stream", name="stdout", text=output)
    return [
        nbformat.v4.new_markdown_cell("## On MovieLens"),
        nbformat.v4.new_code_cell("data = movielens_experiment()\nshow(data)", outputs=[shown]),
        nbformat.v4.new_markdown_cell(sentence),
    ]


@pytest.mark.parametrize(
    ("sentence", "claim", "output", "said"),
    [
        (
            "Popularity is ahead of item kNN by recall; a few users decide it.",
            "popularity > item kNN (recall@10)",
            "item kNN - popularity (recall@10): -0.002 [-0.020, 0.016], p = 0.820: not clear",
            "whether popularity is above item kNN is not clear",
        ),
        (
            "For all the others item kNN is better, as expected.",
            "item kNN > popularity (AP@10, others)",
            "item kNN - popularity (AP@10, others): 0.004 [-0.005, 0.013], p = 0.410: not clear",
            "not clear",
        ),
        (
            "One line of care takes the simplest model past item kNN, and close to EASE.",
            "five years > item kNN (NDCG@10)",
            "five years - item kNN (NDCG@10): 0.007 [-0.020, 0.034], p = 0.600: not clear",
            "not clear",
        ),
        (
            "Ten people hold three tenths of the ratings, and they are harder to predict.",
            "ten busiest > all others (RMSE)",
            "ten busiest - all others (RMSE): 0.124 [-0.076, 0.324], p = 0.190: not clear",
            "not clear",
        ),
        (
            "Three columns, three leaders.",
            "film and habit > one number (RMSE)",
            "0.933",
            "no output compares film and habit and one number",
        ),
        (
            "The first steps towards variety cost nothing.",
            "0.4 = 0 (NDCG@10) within 0.005",
            "0.4 - 0 (NDCG@10): -0.006 [-0.015, 0.003]: not clear",
            "0.4 and 0 may be further apart than 0.005",
        ),
        (
            "Each step of knowledge helps, but neighbours overlap.",
            "item kNN > popularity (NDCG@10); EASE > item kNN (NDCG@10)",
            "item kNN - popularity (NDCG@10): 0.017 [-0.012, 0.047], p = 0.240: not clear\n"
            "EASE - item kNN (NDCG@10): 0.019 [0.001, 0.036], p = 0.036: clear",
            "whether item kNN is above popularity is not clear",
        ),
        (
            "The ECE is smaller than what is left, so some of it is real: nothing of it is chance.",
            "left after Platt > chance (ECE)",
            "ECE 0.021, by chance among events 0.011",
            "no output compares left after Platt and chance",
        ),
        (
            "The three calibrated ones cannot be told apart from the model as it is.",
            "Platt ? as it is (ECE)",
            "Platt - as it is (ECE): -0.031 [-0.041, -0.015]: clear",
            "Platt and as it is are clearly different",
        ),
        (
            "Films of the tail are found by neither.",
            "today = EASE (tail recall) within 0.001",
            "today - EASE (tail recall): 0.005 [0.001, 0.009], p = 0.019: clear",
            "may be further apart than 0.001",
        ),
        (
            "Among a hundred the winner changes.",
            "item kNN > EASE (hit rate among 100)",
            "EASE - item kNN (hit rate among 100): -0.006 [-0.017, 0.004]: not clear",
            "whether item kNN is above EASE is not clear",
        ),
        (
            "By the measure named beforehand, EASE is better at every cut.",
            "EASE > item kNN (0.6); EASE > item kNN (0.7); EASE > item kNN (0.8)",
            "EASE - item kNN (0.6): 0.007 [-0.009, 0.023]: not clear\n"
            "EASE - item kNN (0.7): 0.016 [-0.001, 0.033]: not clear\n"
            "EASE - item kNN (0.8): 0.019 [0.001, 0.036], p = 0.036: clear",
            "not clear",
        ),
        (
            "The gain is smaller than what such a test finds four times in five: luck was in it.",
            "EASE > luck (NDCG@10)",
            "0.025 0.019",
            "no output compares EASE and luck",
        ),
        (
            "A little too little for newcomers, and a little too much for the others.",
            "liked > said (newcomers); said > liked (others)",
            "said - liked (newcomers): -0.017 [-0.039, 0.006]: not clear\n"
            "said - liked (others): 0.022 [-0.005, 0.046]: not clear",
            "whether liked is above said is not clear",
        ),
        (
            "Unweighed EASE leads, and with the strongest weight popularity.",
            "EASE > popularity (power 0); popularity > EASE (power 1.5)",
            "EASE - popularity (power 0): 0.536 [-1.235, 2.306]: not clear\n"
            "EASE - popularity (power 1.5): -0.330 [-1.560, 0.900]: not clear",
            "not clear",
        ),
        (
            "No gain, so there is no difference between EASE and today's list.",
            "EASE = today (ndcg@10) within 0.01",
            "EASE against today\n\n"
            "Measure  EASE   today  Gain    95 % interval    p (Holm)  Users up / down / equal\n"
            "ndcg@10  0.151  0.140  +0.012  [-0.015, 0.038]  1.000     61 / 42 / 42",
            "EASE and today may be further apart than 0.01",
        ),
        (
            "The active get slightly better lists.",
            "many > few (ndcg@10)",
            "By films known\n\n"
            "Measure  few (73)              many (72)             Gap\n"
            "ndcg@10  0.144 [0.103, 0.194]  0.159 [0.118, 0.208]  0.015 [-0.050, 0.079]",
            "whether many is above few is not clear",
        ),
    ],
)
def test_formerly_wrong_claims_are_rejected(sentence, claim, output, said):
    cells = chapter_of(sentence, output)
    # As nobody has tied it to anything yet, and tied to what it would have to rest on.
    assert faults(cells, {}) == ([], split(sentence))
    wrong, unread = faults(cells, dict.fromkeys(split(sentence), claim))
    assert unread == []
    assert len(wrong) >= 1
    assert said in wrong[0]


CLEAR = "EASE - item kNN (ndcg@10): 0.019 [0.001, 0.036], p = 0.036: clear"


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("EASE > item kNN (ndcg@10)", None),
        ("item kNN > EASE (ndcg@10)", "EASE is above item kNN"),
        ("item kNN ? EASE (ndcg@10)", "item kNN and EASE are clearly different"),
        ("EASE > item kNN (recall@10)", "no output compares EASE and item kNN, measure recall@10"),
        ("EASE = item kNN (ndcg@10) within 0.04", None),
        ("EASE = item kNN (ndcg@10) within 0.03", "may be further apart than 0.03"),
    ],
)
@pytest.mark.parametrize(
    "output",
    [CLEAR, f"At 10  EASE and item kNN\nndcg   {CLEAR}", f"[{CLEAR}]", f"[{CLEAR}, {CLEAR}]"],
    ids=["line", "table", "list of one", "list of two"],
)
def test_comparisons_are_parsed_from_all_kinds_of_outputs(output, claim, said):
    found = read_printed(chapter_of("", output))
    assert len(found) == output.count(CLEAR)
    objected = objection(claim, found)
    assert (objected is None) is (said is None)
    assert said is None or said in objected


def test_two_comparisons_of_one_name_must_agree():
    vague = CLEAR.replace("0.001", "-0.001").replace(": clear", ": not clear")
    found = read_printed(chapter_of("", f"{CLEAR}\n{vague}"))
    assert "not clear" in objection("EASE > item kNN (ndcg@10)", found)
    assert "clearly different" in objection("EASE ? item kNN (ndcg@10)", found)


def test_printed_comparisons_can_be_parsed_back():
    for names, measure in [(("EASE", "film and habit, by lot"), "NDCG@10"), (("0.4", "0"), "")]:
        for low, high in [(0.001, 0.036), (-0.2, 0.1), (1e-6, 1.0), (-3.0, -2.0)]:
            shown = ValueComparison(
                names, Interval((low + high) / 2, low, high, 0.95, 9), 0.2, "", measure
            )
            (found,) = read(repr(shown))
            assert (found.names, found.measure) == (names, measure)
            assert found.clear is shown.clear
    with pytest.raises(AssertionError, match="say not clear"):
        list(read("A - B: 0.100 [-0.100, 0.300]: clear"))


def test_claims_about_simulated_data_are_ignored():
    cells = [
        nbformat.v4.new_markdown_cell("# A chapter\n## By hand\nA is better than B."),
        nbformat.v4.new_code_cell("rows = [1]\n[data for data in rows]"),
        nbformat.v4.new_markdown_cell("## On MovieLens\nIs A better than B?\nNow for more."),
        nbformat.v4.new_code_cell("data = load_movielens()\nrows = [len(data)]"),
        nbformat.v4.new_markdown_cell("> **Pitfall.** A is better than B.\n\n### Of it"),
        nbformat.v4.new_code_cell("plot(rows, title='A wins', alt='A is ahead. B is not.')"),
        nbformat.v4.new_markdown_cell("### More words\nB is worse. B is B.\n## By hand\nB wins."),
        nbformat.v4.new_code_cell("rows = [2]\nrows"),
    ]
    expected = ["Now for more.", "A wins", "A is ahead.", "More words", "B is worse."]
    assert find_directed_sentences(cells) == expected
