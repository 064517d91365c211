"""`recsys-workbook gate`: exit codes, formats, files and saved reports, and errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import recsys_metrics as rm
from recsys_metrics.cli import main
from recsys_metrics.evaluation import GateRule

pl = pytest.importorskip("polars", reason="the extra `frames` is not installed")

USERS = 60
RULES = '[[check]]\nmetric = "mrr@2"\nmargin = {}\n'


def write_lists(path, ranks):
    """Write two items for each user, with the relevant item "A" at a rank."""
    rows = [
        (user, item, place)
        for user, rank in enumerate(ranks)
        for place, item in enumerate(("A", "B") if rank == 1 else ("B", "A"), start=1)
    ]
    pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row").write_csv(path)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The old lists have every relevant item at rank 1; the others lose 0.25, or 0.0125."""
    write_lists(tmp_path / "old.csv", [1] * USERS)
    write_lists(tmp_path / "bad.csv", [1, 2] * (USERS // 2))
    write_lists(tmp_path / "new.csv", [1] * (USERS - 1) + [2])
    users = list(range(USERS))
    pl.DataFrame({"user": users, "item": "A"}).write_csv(tmp_path / "truth.csv")
    group = ["even", "odd"] * (USERS // 2)
    pl.DataFrame({"user": users, "group": group}).write_csv(tmp_path / "groups.csv")
    (tmp_path / "gate.toml").write_text('truth = "truth.csv"\n\n' + RULES.format(0.1))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def run(capsys, *arguments):
    """Return the exit code, what was printed, and what was printed to standard error."""
    code = 0
    try:
        main(["gate", *map(str, arguments)])
    except SystemExit as end:
        code = end.code
    assert isinstance(code, int)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def saved(name, path):
    """Save the report of a file of lists, as Python makes it."""
    table, truth = pl.read_csv(name), pl.read_csv("truth.csv")
    rm.evaluate(table, truth, ["mrr@2"], name=str(name)).save(path)


# Exit codes


@pytest.mark.parametrize(
    ("candidate", "margin", "code", "outcome"),
    [
        ("new.csv", 0.1, 0, "pass"),
        ("bad.csv", 0.1, 1, "fail"),
        ("new.csv", 0.01, 2, "undecided"),
        ("bad.csv", 0.25, 2, "undecided"),
    ],
)
def test_the_exit_code_is_that_of_the_outcome(folder, capsys, candidate, margin, code, outcome):
    (folder / "gate.toml").write_text(RULES.format(margin))
    found, out, err = run(capsys, candidate, "old.csv", "-c", "gate.toml", "-t", "truth.csv")
    assert (found, err) == (code, "")
    assert f"Outcome: {outcome}." in out
    assert f"Gate: {candidate} against old.csv" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nonsense"], "No such option: --nonsense"),
        (["a", "b", "c"], "unexpected extra argument"),
        (["new.csv", "old.csv", "--catalog", "0"], "greater than or equal to 1"),
        (["new.csv", "old.csv", "--threshold", "high"], "as a number"),
        (["new.csv", "old.csv"], "name the file of rules: --config gate.toml"),
        (["-c", "gate.toml"], "name the candidate: CANDIDATE, or candidate in gate.toml"),
        (["new.csv", "-c", "gate.toml"], "name the baseline"),
        (["new.csv", "old.csv", "-c", "none.toml"], "none.toml: No such file"),
        (["none.csv", "old.csv", "-c", "gate.toml"], "none.csv: there is no such file"),
        (["new.csv", "old.csv", "-c", "gate.toml", "-t", "none.csv"], "none.csv: there is no"),
        (["new.csv", "old.csv", "-c", "gate.toml", "--format", "pdf"], "--format is text, markd"),
        (["new.csv", "old.csv", "-c", "gate.toml", "--engine", "dask"], "--engine is polars"),
        (["new.csv", "old.csv", "-c", "gate.toml", "--column", "who"], "is not ROLE=NAME"),
        (["new.csv", "old.csv", "-c", "gate.toml", "--column", "user=who"], "no file has such"),
        (["new.csv", "old.csv", "-c", "gate.toml", "--summary"], "GITHUB_STEP_SUMMARY is not set"),
        (["new.csv", "old.csv", "-c", "gate.toml", "--junit", "no/a.xml"], "no is no folder"),
        (
            ["new.csv", "old.csv", "-c", "gate.toml", "--junit", "old.csv"],
            "was not written by a gate",
        ),
    ],
)
def test_every_error_has_the_exit_code_3(folder, capsys, arguments, words):
    before = (folder / "old.csv").read_bytes()
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (3, "")
    assert words in " ".join(err.replace("│", "").split())
    assert (folder / "old.csv").read_bytes() == before


def test_help_is_no_error(folder, capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "The exit code is 0 if all checks pass" in " ".join(out.split())


def test_faults_of_the_library_are_no_outcome(folder, capsys, monkeypatch):
    from recsys_metrics import frames

    def broken(*tables, **options):
        raise TypeError("a fault in the library")

    monkeypatch.setattr(frames, "evaluate", broken)
    code, _, err = run(capsys, "new.csv", "old.csv", "-c", "gate.toml")
    assert code == 3
    assert "Traceback" in err
    assert "TypeError: a fault in the library" in err


def test_an_interrupted_run_is_no_outcome(folder, capsys, monkeypatch):
    from recsys_metrics import frames

    def interrupted(*tables, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(frames, "evaluate", interrupted)
    assert run(capsys, "new.csv", "old.csv", "-c", "gate.toml")[0] == 130


def test_a_missing_package_is_no_outcome(folder):
    code = (
        "import sys; sys.modules['polars'] = None\n"
        "from recsys_metrics.cli import main\n"
        "main(['gate', 'new.csv', 'old.csv', '-c', 'gate.toml'])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 3
    assert 'pip install "recsys-workbook[frames]"' in done.stderr


# The file of rules


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'trouth = "x"\n[[check]]\nmetric = "mrr@2"\nmargin = 1',
            "gate.toml, line 1: there is no key 'trouth' at the top level; did you mean 'truth'? "
            "There are candidate, baseline, truth, groups, history, features, catalog, threshold, "
            "repeats, sampled, column, engine, memory, level, power, correction, users, check",
        ),
        (
            '[[check]]\nmetric = "mrr@2"\nmargin = 1\n\n[[check]]\nmetric = "mrr@1"\nmargn = 1',
            "gate.toml, line 7: there is no key 'margn' in [[check]]; did you mean 'margin'? There "
            "are metric, margin, direction, groups",
        ),
        (
            'check = [{metric = "mrr@2", marg = 1}]',
            "gate.toml, line 1: there is no key 'marg' in [[check]]",
        ),
        (
            RULES.format(0.1) + '[[check]]\nmetric = "mrr@2"\nmargin = "0.2"',
            "gate.toml, line 6: margin is '0.2', where a number is needed",
        ),
        ('[[checks]]\nmetric = "mrr@2"', "gate.toml, line 1: there is no key 'checks'"),
        ("level = 0.9", "gate.toml: there is no rule; write at least one table [[check]]"),
        ("check = 3", "gate.toml, line 1: there is no rule"),
        ("check = [3]", "gate.toml, line 1: check is 3; write tables [[check]]"),
        ("level = '0.9'\n" + RULES.format(0.1), "line 1: level is '0.9', where a number is needed"),
        ("[[check]]\nmargin = 0.1", "gate.toml, line 1: [[check]] has no metric"),
        ('[[check]]\nmetric = "mrr@2"', "gate.toml, line 1: [[check]] has no margin"),
        (RULES.format('"0.1"'), "gate.toml, line 3: margin is '0.1', where a number is needed"),
        (RULES.format("true"), "gate.toml, line 3: margin is True, where a number is needed"),
        (RULES.format(-1), "gate.toml, line 1: the margin of mrr@2 is a finite number above 0"),
        (RULES.format(2), "the margin of mrr@2 is 2, and its values lie between 0 and 1"),
        (
            RULES.format(0.1) + 'direction = "up"',
            "gate.toml, line 1: the direction of mrr@2 must be one of 'higher', 'lower'",
        ),
        (RULES.format(0.1) + 'groups = "odd"', "line 1: the groups of mrr@2 are a list"),
        (RULES.format(0.1) + 'groups = ["odd"]', "names groups; give them: --groups FILE"),
        (RULES.format(0.1) * 2, "there are two rules for mrr@2 of all users; keep one"),
        ('correction = "holm"\n' + RULES.format(0.1), "correction must be one of 'bonferroni'"),
        ("level = 95\n" + RULES.format(0.1), "level is a confidence between 0 and 1"),
        ("margin = ", "gate.toml: not TOML: "),
        (
            RULES.format(0.1) + "margin = 0.2",
            "gate.toml: not TOML: Cannot overwrite a value",
        ),
        ('[[check]]\nmetric = "mmr@2"\nmargin = 0.1', "unknown metric 'mmr'"),
        ('catalog = 5\n[[check]]\nmetric = "coverage@2"\nmargin = 0.1', "no per-user values"),
        ('[[check]]\nmetric = "long_tail_share@2"\nmargin = 0.1', "needs --history FILE"),
        ('[[check]]\nmetric = "intra_list_diversity@2"\nmargin = 0.1', "needs --features FILE"),
        (
            'history = "truth.csv"\n[[check]]\nmetric = "long_tail_share@2"\nmargin = 0.1',
            'give the direction that you want: direction = "higher" or "lower"',
        ),
    ],
)
def test_errors_in_the_rules_are_reported(folder, capsys, text, words):
    (folder / "gate.toml").write_text(text)
    code, _, err = run(capsys, "new.csv", "old.csv", "-c", "gate.toml", "-t", "truth.csv")
    assert code == 3
    assert words in err
    assert err.startswith("recsys-workbook gate: ")


def test_all_options_can_be_in_the_file(folder, capsys):
    (folder / "sub").mkdir()
    (folder / "sub" / "gate.toml").write_text(
        'candidate = "../bad.csv"\nbaseline = "../old.csv"\ntruth = "../truth.csv"\n'
        'groups = "../groups.csv"\nlevel = 0.9\npower = 0.95\ncorrection = "sidak"\n'
        + RULES.format(0.3)
        + RULES.format(0.3)
        + 'groups = "each"\n'
    )
    code, out, _ = run(capsys, "-c", "sub/gate.toml", "--format", "json")
    data = json.loads(out)
    assert code == 1
    assert (data["level"], data["power"], data["correction"]) == (0.9, 0.95, "sidak")
    assert [check["name"] for check in data["checks"]] == ["mrr@2", "mrr@2, even", "mrr@2, odd"]
    assert {check["level"] for check in data["checks"]} == {0.9 ** (1 / 3)}
    assert [check["outcome"] for check in data["checks"]] == ["undecided", "pass", "fail"]
    # The command line goes before the file.
    code, out, _ = run(capsys, "old.csv", "-c", "sub/gate.toml", "--format", "json")
    assert [check["estimate"] for check in json.loads(out)["checks"]] == [0, 0, 0]


def test_a_direction_turns_a_metric(folder, capsys):
    text = (
        'history = "history.csv"\n[[check]]\nmetric = "long_tail_share@1"\nmargin = 0.1\n'
        "direction = {!r}\n"
    )
    counts = {"user": [*range(10), 0], "item": ["A"] * 10 + ["B"]}
    pl.DataFrame(counts).write_csv(folder / "history.csv")
    outcomes = {}
    for direction in ("higher", "lower"):
        (folder / "gate.toml").write_text(text.format(direction))
        code, out, _ = run(
            capsys, "bad.csv", "old.csv", "-c", "gate.toml", "-t", "truth.csv", "--format", "json"
        )
        outcomes[direction] = (code, json.loads(out)["checks"][0]["estimate"])
    # The other lists show the item of the long tail to every second user.
    assert outcomes == {"higher": (0, 0.5), "lower": (1, -0.5)}


# Files and saved reports


def test_files_and_saved_reports_give_the_same_result(folder, capsys):
    saved("bad.csv", "bad.json")
    saved("old.csv", "old.report")
    (folder / "rules.toml").write_text(RULES.format(0.1))
    results = []
    for candidate in ("bad.csv", "bad.json"):
        for baseline in ("old.csv", "old.report"):
            lists = candidate.endswith("csv") or baseline.endswith("csv")
            truth = ["-t", "truth.csv"] if lists else []
            code, out, err = run(
                capsys, candidate, baseline, "-c", "rules.toml", "--format", "json", *truth
            )
            assert (code, err) == (1, "")
            data = json.loads(out)
            assert (data["candidate"], data["baseline"]) == (candidate, baseline)
            results.append(data["checks"])
    assert all(checks == results[0] for checks in results)
    table, truth = (pl.read_csv(name) for name in ("bad.csv", "truth.csv"))
    new = rm.evaluate(table, truth, ["mrr@2"])
    old = rm.evaluate(pl.read_csv("old.csv"), truth, ["mrr@2"])
    (check,) = rm.gate(new, old, rules=[GateRule("mrr@2", 0.1)]).checks
    assert results[0][0]["interval"] == pytest.approx([*check.interval])


def test_an_engine_gives_the_same_result(folder, capsys):
    pytest.importorskip("duckdb", reason="the extra `duckdb` is not installed")
    saved("bad.csv", "bad.json")
    (folder / "rules.toml").write_text(RULES.format(0.3) + 'groups = "each"\n')
    asked = ("old.csv", "-c", "rules.toml", "-t", "truth.csv", "--groups", "groups.csv")
    found = {
        (candidate, engine): run(capsys, candidate, *asked, "--engine", engine, "--format", "json")
        for candidate in ("bad.csv", "bad.json")
        for engine in ("polars", "duckdb")
    }
    checks = [json.loads(out)["checks"] for _, out, _ in found.values()]
    assert {code for code, _, _ in found.values()} == {1}
    for each in checks:
        assert [check["group"] for check in each] == ["even", "odd"]
        assert [check["estimate"] for check in each] == pytest.approx([0, -0.5])


def test_a_report_that_evaluate_saved_is_a_baseline(folder, capsys):
    asked = ["evaluate", "old.csv", "-t", "truth.csv", "-m", "mrr@2"]
    with pytest.raises(SystemExit) as end:
        main([*asked, "--save-report", "main.json"])
    assert not end.value.code
    assert run(capsys, "bad.csv", "main.json", "-c", "gate.toml")[0] == 1
    assert run(capsys, "new.csv", "main.json", "-c", "gate.toml")[0] == 0


def test_a_saved_report_that_another_program_sorted_is_recognised(folder, capsys):
    saved("bad.csv", "bad.json")
    data = json.loads((folder / "bad.json").read_text())
    (folder / "bad.json").write_text(json.dumps(data, sort_keys=True), encoding="utf-8-sig")
    assert run(capsys, "bad.json", "old.csv", "-c", "gate.toml")[0] == 1


def test_groups_that_look_alike_are_an_error(folder, capsys):
    for name in ("even ", "Even", "ev\u200ben"):
        group = ["even", name] * (USERS // 2)
        pl.DataFrame({"user": range(USERS), "group": group}).write_csv("groups.csv")
        (folder / "rules.toml").write_text(RULES.format(0.3) + 'groups = ["even"]\n')
        asked = ("-c", "rules.toml", "--groups", "groups.csv", "--truth", "truth.csv")
        code, out, err = run(capsys, "bad.csv", "old.csv", *asked)
        assert (code, out) == (3, "")
        pair = " and ".join(map(ascii, sorted(("even", name))))
        assert f"groups.csv has the groups {pair}, which differ only in blanks" in err
    saved("bad.csv", "bad.json")
    saved("old.csv", "old.json")
    assert run(capsys, "bad.json", "old.json", *asked[:4]) == (3, "", err)


def test_groups_of_saved_reports_come_from_a_file(folder, capsys):
    saved("bad.csv", "bad.json")
    saved("old.csv", "old.json")
    (folder / "rules.toml").write_text(RULES.format(0.3) + 'groups = ["odd"]\n')
    asked = ("bad.json", "old.json", "-c", "rules.toml", "--groups", "groups.csv")
    code, out, _ = run(capsys, *asked, "--format", "json")
    (check,) = json.loads(out)["checks"]
    assert (code, check["users"], check["group"]) == (1, 30, "odd")
    renamed = pl.read_csv("groups.csv").rename({"user": "who"})
    renamed.write_csv("groups.csv")
    assert run(capsys, *asked)[0] == 3
    assert run(capsys, *asked, "--column", "user=who")[0] == 1
    (folder / "rules.toml").write_text(RULES.format(0.3) + 'groups = ["young"]\n')
    code, _, err = run(capsys, *asked, "--column", "user=who")
    assert code == 3
    assert "mrr@2: there is no group 'young'; there are even, odd" in err


def test_users_of_a_saved_report_may_be_text(folder, capsys):
    users = [str(user) for user in range(USERS)]
    truth = {user: {"A"} for user in users}
    for name, other in (("new", {"1": ["B", "A"]}), ("old", {})):
        lists = {user: ["A", "B"] for user in users} | other
        rm.evaluate(lists, truth, ["mrr@2"], name=name).save(f"{name}.json")
    (folder / "rules.toml").write_text(RULES.format(0.5) + 'groups = ["odd"]\n')
    asked = ("new.json", "old.json", "-c", "rules.toml", "--groups", "groups.csv")
    code, out, _ = run(capsys, *asked, "--format", "json")
    assert (code, json.loads(out)["checks"][0]["users"]) == (0, 30)
    rm.evaluate([["A"]] * USERS, [{"A"}] * USERS, ["mrr@2"]).save("no_users.json")
    code, _, err = run(capsys, "no_users.json", "no_users.json", *asked[2:])
    assert code == 3
    assert "the saved report no_users.json has no user ids" in err


def test_options_that_no_file_needs_are_reported(folder, capsys):
    saved("bad.csv", "bad.json")
    saved("old.csv", "old.json")
    code, _, err = run(capsys, "bad.json", "old.json", "-c", "gate.toml")
    assert code == 3
    assert "--truth is for lists, and both bad.json and old.json are saved reports" in err
    (folder / "gate.toml").write_text(RULES.format(0.1))
    code, _, err = run(capsys, "bad.csv", "old.json", "-c", "gate.toml")
    assert code == 3
    assert "the candidate, bad.csv, is no saved report; name --truth to evaluate it" in err


def test_different_protocols_are_errors(folder, capsys):
    truth = pl.read_csv("truth.csv").with_columns(grade=pl.lit(3))
    truth.write_csv("graded.csv")
    table = pl.read_csv("old.csv")
    rm.evaluate(table, truth, ["mrr@2"], threshold=2, name="old").save("old.json")
    asked = ("new.csv", "old.json", "-c", "gate.toml", "-t", "graded.csv")
    code, _, err = run(capsys, *asked)
    assert code == 3
    assert "evaluate both with the same threshold=" in err
    assert run(capsys, *asked, "--threshold", "2")[0] == 0
    code, _, err = run(capsys, *asked, "--threshold", "2", "-t", "fewer.csv")
    truth.head(50).write_csv("fewer.csv")
    code, _, err = run(capsys, *asked[:4], "-t", "fewer.csv", "--threshold", "2")
    assert code == 3
    assert "do not agree on what is relevant" in err
    pl.read_csv("new.csv").filter(pl.col("user") < 40).write_csv("short.csv")
    truth.head(40).write_csv("fewer.csv")
    code, _, err = run(capsys, "short.csv", *asked[1:4], "-t", "fewer.csv", "--threshold", "2")
    assert code == 3
    assert "the reports are of 40 and 60 users" in err
    (folder / "gate.toml").write_text('users = "shared"\n' + RULES.format(0.1))
    shared = run(capsys, "short.csv", *asked[1:4], "-t", "fewer.csv", "--threshold", "2")
    assert shared[0] == 0
    assert "Compared on the 40 users that all reports have" in " ".join(shared[1].split())


def test_a_damaged_report_is_an_error(folder, capsys):
    saved("old.csv", "old.json")
    text = (folder / "old.json").read_text()
    (folder / "old.json").write_text(text[: len(text) // 2])
    code, _, err = run(capsys, "new.csv", "old.json", "-c", "gate.toml")
    assert code == 3
    assert "old.json is no JSON, so it is no saved report" in err


# Formats


SCHEMA = {
    # Element: attributes that it must have, those that it may have, and its children in order.
    "testsuites": (set(), {"name", "time", "tests", "failures", "disabled", "errors"}, "testsuite"),
    "testsuite": (
        {"name", "tests"},
        {"failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id"},
        "properties testcase system-out system-err",
    ),
    "properties": (set(), set(), "property"),
    "property": ({"name", "value"}, set(), ""),
    "testcase": (
        {"name"},
        {"assertions", "time", "classname", "status"},
        "skipped error failure system-out system-err",
    ),
    "skipped": (set(), set(), ""),
    "error": (set(), {"type", "message"}, ""),
    "failure": (set(), {"type", "message"}, ""),
    "system-out": (set(), set(), ""),
}
"""Jenkins' schema of JUnit XML (junit-4.xsd), which is the narrowest of those in use."""


def check_junit(text):
    """Return the suite of a JUnit file, if it is one by the schema and its counts are right."""
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, allowed, children = SCHEMA[element.tag]
        assert needed <= set(element.attrib) <= needed | allowed, element.tag
        order = [children.split().index(child.tag) for child in element]
        assert order == sorted(order), element.tag
    (suite,) = root
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases)
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(name)) == len(suite.findall(f"testcase/{tag}"))
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases)
    return suite


def three_outcomes(folder):
    (folder / "gate.toml").write_text(
        'truth = "truth.csv"\ngroups = "groups.csv"\n'
        + RULES.format(0.25)
        + RULES.format(0.3)
        + 'groups = "each"\n'
    )
    return ("bad.csv", "old.csv", "-c", "gate.toml")


def test_the_schema_check_finds_faults():
    for text in (
        "<testsuites><testsuite name='a' tests='2'><testcase name='b'/></testsuite></testsuites>",
        "<testsuites><testsuite tests='0' failures='0' errors='0' skipped='0'/></testsuites>",
        "<testsuites><testsuite name='a' tests='1' failures='0' errors='0' skipped='1'>"
        "<testcase name='b'><skipped message='c'/></testcase></testsuite></testsuites>",
    ):
        with pytest.raises((AssertionError, TypeError)):
            check_junit(text)


def test_junit_has_a_test_for_each_check(folder, capsys):
    code, out, _ = run(capsys, *three_outcomes(folder), "--format", "junit")
    suite = check_junit(out)
    assert code == 1
    tags = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert tags == {
        "mrr@2": ["skipped"],
        "mrr@2, even": ["system-out"],
        "mrr@2, odd": ["failure"],
    }
    failure = suite.find("testcase/failure")
    assert failure.get("message") == "mrr@2, odd: -0.5, below the margin of -0.3"
    assert "(n = 30 users)" in failure.text
    assert "users would decide it with a probability of 80%" in suite.find("testcase/skipped").text


def test_markdown_and_json_have_the_same_numbers(folder, capsys):
    asked = three_outcomes(folder)
    _, out, _ = run(capsys, *asked, "--format", "json")
    data = json.loads(out)
    assert data["outcome"] == "fail"
    assert [check["outcome"] for check in data["checks"]] == ["undecided", "pass", "fail"]
    _, out, _ = run(capsys, *asked, "--format", "markdown")
    rows = [line.split(" | ") for line in out.splitlines() if line.startswith("| mrr@2")]
    assert [row[7] for row in rows] == ["undecided", "pass", "fail"]
    for row, check in zip(rows, data["checks"], strict=True):
        assert float(row[3].replace("+", "")) == pytest.approx(check["estimate"], abs=1e-3)
        assert int(row[6]) == check["users"]
    assert "Outcome: fail. The candidate lost more than the margin in 1 of 3 checks" in out


def test_json_has_no_nan(folder, capsys):
    pl.DataFrame({"user": [0, 1], "group": ["few", "more"]}).write_csv("groups.csv")
    (folder / "gate.toml").write_text(
        'truth = "truth.csv"\ngroups = "groups.csv"\n' + RULES.format(0.3) + 'groups = ["few"]\n'
    )
    code, out, _ = run(capsys, "bad.csv", "old.csv", "-c", "gate.toml", "--format", "json")

    def refuse(constant):
        raise AssertionError(constant)

    (check,) = json.loads(out, parse_constant=refuse)["checks"]
    assert code == 2
    assert (check["interval"], check["standard_deviation"], check["users"]) == (None, None, 1)
    check_junit(run(capsys, "bad.csv", "old.csv", "-c", "gate.toml", "--format", "junit")[1])


def test_names_cannot_break_the_output(folder, capsys):
    hostile = 'g\x1b[31m<b>&"|`'
    pl.DataFrame({"user": range(USERS), "group": hostile}).write_csv("groups.csv")
    (folder / "gate.toml").write_text(
        'truth = "truth.csv"\ngroups = "groups.csv"\n' + RULES.format(0.4) + 'groups = "each"\n'
    )
    asked = ("bad.csv", "old.csv", "-c", "gate.toml")
    for form in ("text", "markdown", "json", "junit"):
        code, out, _ = run(capsys, *asked, "--format", form)
        assert code == 0
        assert "\x1b" not in out
    (case,) = check_junit(out).iter("testcase")
    assert case.get("name") == 'mrr@2, g\\x1b[31m<b>&"|`'


# Output besides standard output


def test_the_summary_and_junit_are_written_besides(folder, capsys, monkeypatch):
    summary = folder / "summary.md"
    summary.write_text("Earlier.\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    asked = (*three_outcomes(folder), "--summary", "--junit", "gate.xml")
    code, out, _ = run(capsys, *asked)
    assert code == 1
    assert out.startswith("Gate: bad.csv against old.csv")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("Earlier.\n**Gate: bad.csv against old.csv**\n")
    assert "| mrr@2, odd | 0.500 | 1.000 | -0.500 |" in text
    assert check_junit((folder / "gate.xml").read_text(encoding="utf-8")).get("failures") == "1"
    # A second run appends to the summary, and replaces the JUnit file.
    assert run(capsys, "old.csv", *asked[1:])[0] == 0
    assert summary.read_text(encoding="utf-8").count("**Gate: ") == 2
    assert check_junit((folder / "gate.xml").read_text(encoding="utf-8")).get("failures") == "0"


@pytest.mark.parametrize(
    "content",
    [
        '<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="9"/></testsuites>',
        'My notes: a gate writes <testsuite name="recsys-workbook gate">.',
    ],
)
@pytest.mark.parametrize("candidate", ["bad.csv", "none.csv"])
def test_no_other_file_is_replaced_by_junit(folder, capsys, content, candidate):
    (folder / "other.xml").write_text(content)
    arguments = (candidate, *three_outcomes(folder)[1:], "--junit", "other.xml")
    code, _, err = run(capsys, *arguments)
    assert code == 3
    assert "other.xml is there already and was not written by a gate" in err
    assert (folder / "other.xml").read_text() == content


@pytest.mark.parametrize("candidate", ["bad.csv", "none.csv"])
def test_junit_is_not_written_through_a_link_that_leads_nowhere(folder, capsys, candidate):
    (folder / "link.xml").symlink_to(folder / "elsewhere.xml")
    arguments = (candidate, *three_outcomes(folder)[1:], "--junit", "link.xml")
    code, _, err = run(capsys, *arguments)
    assert code == 3
    assert "link.xml is there already and was not written by a gate" in err
    assert not (folder / "elsewhere.xml").exists()


def test_an_error_replaces_an_earlier_result(folder, capsys, monkeypatch):
    summary = folder / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    asked = (*three_outcomes(folder), "--summary", "--junit", "gate.xml")
    assert run(capsys, *asked)[0] == 1
    code, _, err = run(capsys, "none.csv", *asked[1:])
    assert code == 3
    suite = check_junit((folder / "gate.xml").read_text(encoding="utf-8"))
    assert (suite.get("tests"), suite.get("errors")) == ("1", "1")
    assert "none.csv: there is no such file" in suite.find("testcase/error").get("message")
    assert "**Gate: error.**" in summary.read_text(encoding="utf-8")
    assert "none.csv: there is no such file" in summary.read_text(encoding="utf-8")
    assert "none.csv: there is no such file" in err


def test_the_column_of_the_groups_may_have_another_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    users = [f"u{n}" for n in range(60)]
    for name in ("new.csv", "old.csv"):
        pl.DataFrame({"user": users, "item": ["a"] * 60, "rank": [1] * 60}).write_csv(name)
    pl.DataFrame({"user": users, "item": ["a"] * 60}).write_csv("truth.csv")
    pl.DataFrame({"user": users, "plan": ["free", "paid"] * 30}).write_csv("plans.csv")
    rule = "[[check]]\nmetric = 'hit_rate@1'\nmargin = 0.3\ngroups = 'each'\n"
    (tmp_path / "gate.toml").write_text(rule)
    options = ["-c", "gate.toml", "-t", "truth.csv", "--groups", "plans.csv"]
    code, out, err = run(capsys, "new.csv", "old.csv", *options, "--column", "group=plan")
    assert (code, err) == (0, "")
    assert "free" in out
    assert "paid" in out


def test_a_file_of_results_that_cannot_be_written_is_named(folder, capsys, monkeypatch):
    files = ("new.csv", "old.csv", "-t", "truth.csv", "-c", "gate.toml")
    code, _, err = run(capsys, *files, "--junit", f"{'n' * 300}.xml")
    assert (code, "Traceback" in err, "name too long: 'nnn" in err) == (3, False, True)
    if os.name == "posix":
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/dev/full")
        code, _, err = run(capsys, *files, "--summary")
        assert (code, "gate: /dev/full: No space left on device" in err) == (3, True)
