"""What `make release-check` finds before a version is published."""

from __future__ import annotations

import re
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOLD_IN = (
    "recsys_metrics/__init__.py",
    "CITATION.cff",
    "CHANGELOG.md",
    "pyproject.toml",
)
SOURCE = "https://example.org/us/workbook"
LICENCES = ("LICENSE-movielens.txt", "LICENSE-open-bandit.txt")
OTHERS = (
    *(
        "README.md",
        "dev/release.md",
        ".github/CODEOWNERS",
        *(f"recsys_workbook_content/{name}" for name in ("pyproject.toml", *LICENCES)),
        "recsys_metrics/_core/package_names.py",
    ),
    *(f".github/workflows/{name}.yml" for name in ("release", "rehearsal")),
)


@pytest.fixture
def release(monkeypatch):
    """The tool."""
    monkeypatch.syspath_prepend(str(ROOT / "dev" / "tools"))
    import release

    return release


@pytest.fixture
def project(tmp_path, release):
    """The files that tell a version, ready to be published as 2.3.4."""
    ours = release.version(ROOT)
    for name in (*TOLD_IN, *OTHERS):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    for name in TOLD_IN:
        replace(tmp_path / name, ours, "2.3.4")
    citation = tmp_path / "CITATION.cff"
    text = citation.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("date-released")]
    lines += [f"repository-code: {SOURCE}", "date-released: 2031-02-03\n"]
    citation.write_text("\n".join(lines), encoding="utf-8")
    names = tmp_path / "recsys_metrics" / "_core" / "package_names.py"
    text = re.sub('^ADDRESS = ".*"', f'ADDRESS = "{SOURCE}"', names.read_text("utf-8"), flags=re.M)
    names.write_text(text, encoding="utf-8")
    changes = tmp_path / "CHANGELOG.md"
    first = re.search(r"^## .+$", changes.read_text(encoding="utf-8"), flags=re.MULTILINE)
    replace(changes, first[0], "## 2.3.4, 2031-02-03")
    owners = "* @somebody  # for all\n\n/tools/ @us/builders me@here.example\n"
    (tmp_path / ".github" / "CODEOWNERS").write_text(owners, encoding="utf-8")
    return tmp_path


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_all_files_state_the_same_version(release):
    assert list(release.disagreements(ROOT)) == []


def test_a_ready_project_has_no_problems(release, project):
    assert list(release.disagreements(project, "v2.3.4")) == []
    assert list(release.wrong_address(project)) == []
    assert list(release.wrong_workflows(project)) == []
    assert list(release.wrong_terms(project)) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("recsys_metrics/__init__.py", "2.3.4", "2.3.5", "CITATION.cff: version 2.3.4"),
        ("CITATION.cff", "version: 2.3.4", "version: 2.3", "the package's is 2.3.4"),
        ("CITATION.cff", "date-released: 2031-02-03", "", "no date-released"),
        ("CHANGELOG.md", "## 2.3.4, ", "## 2.3.3, ", "not that of 2.3.4"),
        ("CHANGELOG.md", "2031-02-03", "soon", "'soon' is neither a date"),
        ("CHANGELOG.md", "2031-02-03", "unreleased", "tell no date for 2.3.4"),
        ("README.md", "# ", "# recsys_workbook-0.0.9-py3", "README.md names a wheel of 0.0.9"),
        (".github/CODEOWNERS", "@somebody ", "", "nobody is asked about a change of *"),
        ("pyproject.toml", "content==2.3.4", "content>=2", "asks for recsys-workbook-content>=2,"),
        ("pyproject.toml", "workbook[frames]", "workbook[frames]==2.3", "write recsys-workbook"),
    ],
)
def test_differing_versions_are_reported(release, project, file, old, new, fault):
    replace(project / file, old, new)
    if new == "unreleased":
        replace(project / "CITATION.cff", "date-released: 2031-02-03\n", "")
    assert any(fault in one for one in release.disagreements(project, "v2.3.4"))


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("recsys_metrics/_core/package_names.py", SOURCE, "", "ADDRESS is empty"),
        ("recsys_metrics/_core/package_names.py", SOURCE, f"{SOURCE}/", "without a slash or .git"),
        (
            "recsys_metrics/_core/package_names.py",
            "https://ex",
            "http://ex",
            "starts with https://",
        ),
        ("CITATION.cff", SOURCE, f"{SOURCE}s", f"repository-code is {SOURCE}s, and the project's"),
    ],
)
def test_missing_or_differing_addresses_are_reported(release, project, file, old, new, fault):
    replace(project / file, old, new)
    assert fault in "\n".join(release.wrong_address(project))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("name: {}-content", "name: {}", "two jobs publish from the environment '{}'"),
        ("needs: publish-content", "needs: build", "before recsys-workbook-content"),
        ("needs: publish-content", "needs: [build]", "before recsys-workbook-content"),
        (
            "          name: dist-recsys-workbook\n          path: dist/\n",
            "          path: dist/\n",
            "publish publishes recsys-workbook and recsys-workbook-content",
        ),
        (
            "          name: dist-recsys-workbook-content\n          path: dist/\n",
            "          name: dist\n          path: dist/\n",
            "publish-content publishes no project",
        ),
        ("    environment:\n      name: {}\n", "    strategy:\n      name: {}\n", "no environment"),
        ("    permissions:\n      id-token: write\n    env", "    env", "permission id-token"),
        ("path: dist/recsys_workbook-*", "path: dist/recsys_workbook*", "refuses those of another"),
        ("path: dist/recsys_workbook_content-*", "path: dist/content-*", "not the files of"),
        (
            "      id-token: write\n    env",
            "      id-token: write\n    continue-on-error: true\n    env",
            "goes on after an error",
        ),
        (
            "          path: dist/\n      - uses: pypa/gh-action-pypi-publish",
            "          path: dist/\n      - continue-on-error: true\n        uses: "
            "pypa/gh-action-pypi-publish",
            "goes on after an error",
        ),
    ],
)
@pytest.mark.parametrize(("workflow", "name"), [("release", "pypi"), ("rehearsal", "testpypi")])
def test_workflows_that_cannot_publish_are_reported(
    release, project, workflow, name, old, new, fault
):
    replace(project / f".github/workflows/{workflow}.yml", old.format(name), new.format(name))
    told = list(release.wrong_workflows(project))
    assert any(fault.format(name) in one for one in told), told
    assert all(f"{workflow}.yml" in one for one in told)


@pytest.mark.parametrize(
    ("workflow", "old", "new", "fault"),
    [
        ("rehearsal", "repository-url: https://test.pypi.org/legacy/", "verbose: true",
         "uploads to PyPI, not to https://test"),
        ("release", "path: dist/\n      - uses: pypa/gh-action-pypi-publish@",
         "path: dist/\n      - with:\n          repository-url: https://test.pypi.org/legacy/\n"
         "        uses: pypa/gh-action-pypi-publish@", "uploads to https://test"),
        ("release", "pypi-publish@", "pypi-publish@0", "publish with 2 versions"),
    ],
)  # fmt: skip
def test_differences_between_rehearsal_and_release_are_reported(
    release, project, workflow, old, new, fault
):
    replace(project / f".github/workflows/{workflow}.yml", old, new)
    assert any(fault in one for one in release.wrong_workflows(project))


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("pyproject.toml", 'requires-python = ">=3.', 'requires-python = ">=2.', "neither works"),
        ("recsys_workbook_content/pyproject.toml", " AND LicenseRef-MovieLens", "",
         "does not name LicenseRef-MovieLens, whose text is LICENSE-movielens.txt"),
    ],
)  # fmt: skip
def test_differing_licence_terms_are_reported(release, project, file, old, new, fault):
    replace(project / file, old, new)
    assert any(fault in one for one in release.wrong_terms(project))


def test_unknown_licence_texts_are_reported(release, project):
    (project / "recsys_workbook_content" / "LICENSE-new.txt").write_text("Terms")
    assert any(
        "a licence, whose text is LICENSE-new.txt" in one for one in release.wrong_terms(project)
    )


def test_missing_package_files_are_reported(release, tmp_path):
    names = ["recsys_metrics/__init__.py"]
    with zipfile.ZipFile(tmp_path / "a-1-py3-none-any.whl", "w") as wheel:
        for name in names:
            wheel.writestr(name, "")
    (fault,) = release.missing_files(tmp_path / "a-1-py3-none-any.whl")
    assert re.search(r"lacks \d+ files of the package, recsys_metrics/_core", fault)


def test_wrong_requirements_and_missing_links_are_reported(release):
    about = page("text", SOURCE).replace(
        "Version: 1\n", "Version: 1\nRequires-Dist: recsys-workbook-content==1; extra == 'a'\n"
    )
    assert list(release.wrong_requirements(about, "a", "1")) == []
    assert len(list(release.wrong_requirements(about, "a", "1.dev2"))) == 1
    assert list(release.wrong_links(about, "a", SOURCE)) == []
    assert len(list(release.wrong_links(about, "a", f"{SOURCE}s"))) == 1


def test_a_rehearsal_has_its_own_version(release, tmp_path):
    release.renumber(ROOT, tmp_path / "copy", "9.9.dev3")
    assert release.version(tmp_path / "copy") == "9.9.dev3"
    assert "content==9.9.dev3" in (tmp_path / "copy" / "pyproject.toml").read_text("utf-8")
    assert list(release.other_versions(tmp_path / "copy", "9.9.dev3")) == []
    assert release.version(ROOT) != "9.9.dev3"


def test_a_tag_of_another_version_is_reported(release, project):
    (fault,) = release.disagreements(project, "v2.3")
    assert fault == "the tag is v2.3, and the version 2.3.4"


def page(text: str, *addresses: str) -> str:
    """Return the metadata of a package with a text as its page."""
    lines = [f"Project-URL: Source, {address}" for address in addresses]
    return "\n".join(["Metadata-Version: 2.4", "Name: a", "Version: 1", *lines, "", text])


@pytest.mark.parametrize("addresses", [(), ("https://example.org/p",)])
def test_the_package_page_has_no_dead_links(release, addresses):
    """The README as it goes into the metadata, drawn by what the index draws it with."""
    pytest.importorskip("readme_renderer", reason="readme-renderer is not installed")
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    from metadata_hook import standalone

    text = standalone((ROOT / "README.md").read_text(encoding="utf-8"), *addresses or (None,))
    assert list(release.dead_links(page(text, *addresses), ROOT)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[guide](chapters/guide.md)", "chapters/guide.md leads nowhere"),
        ("![picture](book/workbook.png)", "book/workbook.png leads nowhere"),
        ("# One\n\n[down](#two)", "no heading has the anchor"),
        ("[guide](https://example.org/p/blob/HEAD/no.md)", "no.md is not in the project"),
        ("[guide](http://example.org)", "http://example.org leads nowhere"),
    ],
)
def test_dead_links_are_reported(release, text, fault):
    pytest.importorskip("readme_renderer", reason="readme-renderer is not installed")
    (told,) = release.dead_links(page(text, "https://example.org/p"), ROOT)
    assert fault in told


def test_valid_links_are_accepted(release):
    pytest.importorskip("readme_renderer", reason="readme-renderer is not installed")
    text = (
        "# One two\n\n[up](#one-two) [file](https://example.org/p/blob/HEAD/README.md#x) "
        "[away](https://pypi.org)"
    )
    assert list(release.dead_links(page(text, "https://example.org/p"), ROOT)) == []


def test_invalid_metadata_are_reported(release):
    assert list(release.wrong_metadata(page("text"))) == []
    wrong = page("text").replace("Version: 1\n", "Version: one\n")
    assert any("version" in one for one in release.wrong_metadata(wrong))


@pytest.mark.parametrize(
    "name",
    ["recsys_metrics/data/films.npz.xz", "a-1/chapters/01.md", "a-1.dist-info/LICENSE-movielens"],
)
def test_library_files_under_other_licences_are_reported(release, tmp_path, name):
    file = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("recsys_metrics/data/metrics.csv", "")
        wheel.writestr("a-1/tests/chapters/test_links.py", "")
        wheel.writestr(name, "")
    (fault,) = release.other_terms(file)
    assert name in fault


def test_packages_that_do_not_work_alone_are_reported(release, monkeypatch, tmp_path):
    monkeypatch.setattr(release.environments, "create", lambda home: sys.executable)
    monkeypatch.setattr(release.environments, "install", lambda *_: None)
    monkeypatch.setattr(release.environments, "program", lambda *_: sys.executable)
    faults = list(release.use(release.ALONE, "1.0", tmp_path / "a.whl"))
    # The Python of this run is no environment of the file's own, and no command of it.
    assert any("its command tells" in fault for fault in faults)
    assert any("what is imported is" in fault for fault in faults)
