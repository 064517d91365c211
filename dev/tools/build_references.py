"""Write chapters/references.md from chapters/references.bib.

python dev/tools/build_references.py           write the page
python dev/tools/build_references.py --check   only say whether it is in step
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from urllib.parse import quote

CHAPTERS = Path(__file__).resolve().parents[2] / "chapters"
BIB, PAGE = CHAPTERS / "references.bib", CHAPTERS / "references.md"

SUBJECTS = {
    "overviews": "Overviews and toolkits",
    "rating": "Rating",
    "ranking": "Ranking",
    "beyond accuracy": "Beyond accuracy",
    "protocol": "Protocol",
    "calibration": "Calibration",
    "bias": "Bias and fairness",
}
COVERS = (
    *(f"000.17.{number}" for number in range(1, 10)),
    *("000.8-11.1", "001.novelty.3", "001.serendipity.4", "001.arp-gini.1"),
)
OPENING = f"""\
# References

<!-- covers: {" ".join(COVERS)} -->

The works behind the workbook, by subject, each with what it is here for.
Among them are all that the five source documents cite, also those that a document names in its text and leaves out of its list.
The same works stand in [references.bib](references.bib), for your own papers.
"""  # noqa: E501 - a sentence of the page is a line of it


def read(path: Path) -> list[dict[str, str]]:
    """Return the entries of a BibTeX file: one field a line, in braces."""
    entries = []
    for kind, key, body in re.findall(
        r"^@(\w+)\{(\w+),\n(.*?)^\}", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    ):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.MULTILINE))
        entries.append({"kind": kind, "key": key, **fields})
    return entries


def names(field: str) -> str:
    """Return authors as they are said: family names, three at most."""
    people = [person.split(",")[0].strip() for person in field.split(" and ")]
    if len(people) > 4:
        return f"{people[0]} and others"
    return " and ".join(filter(None, [", ".join(people[:-1]), people[-1]]))


def line(entry: dict[str, str]) -> str:
    """Return one entry as a line of the page."""
    who = names(entry.get("author") or entry["editor"])
    if "editor" in entry:
        who += " (editors)"
    where = entry.get("journal") or entry.get("booktitle") or entry["publisher"]
    number = f"({entry['number']})" if "number" in entry else ""
    where += f" {entry['volume']}{number}" if "volume" in entry else ""
    where += f", {entry['pages']}" if "pages" in entry else ""
    # Old identifiers hold brackets, which would end a link.
    doi = quote(entry.get("doi", ""), safe="/:;.-_")
    address = f"https://doi.org/{doi}" if doi else entry.get("url")
    title = f"[*{entry['title']}*]({address})" if address else f"*{entry['title']}*"
    text = f"- {who} ({entry['year']}), {title}, {where}. For: {entry['annote']}."
    return text.replace("--", "–")


def page() -> str:
    """Return the page."""
    entries = read(BIB)
    parts = [OPENING]
    for subject, heading in SUBJECTS.items():
        lines = [line(entry) for entry in entries if entry["keywords"] == subject]
        parts.append(f"## {heading}\n\n" + "\n".join(sorted(lines, key=str.lower)) + "\n")
    return "\n".join(parts)


def main() -> int:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    if parser.parse_args().check:
        if PAGE.read_text(encoding="utf-8") == page():
            return 0
        print(
            f"{PAGE.name} is out of step with {BIB.name}; run python dev/tools/build_references.py"
        )
        return 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
