"""Files of answers that are damaged, of wrong types or too large, and odd kinds of files."""

from __future__ import annotations

import copy
import gzip
import io
import json
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

from tests.course.altered_files import (
    CHOICE,
    FILE,
    NUMBERS,
    ORDER,
    TEXT,
    TOUCHED,
    Known,
    answer_to,
    date_all,
    edited,
    encode,
    forgery,
    give,
    in_each,
    placed,
    set_fields,
)

# What is written into pages and tables.

_MARKUP = (
    "<script>document.title='forged'</script><img src=x onerror=alert(1)> =HYPERLINK(\"http://x\")"
)
edited(
    "markup",
    "markup and a formula of a spreadsheet in words",
    give(TEXT, {"text": f"=1+1 {_MARKUP} as a missed item is in neither sum"}),
)
edited(
    "markup_in_names",
    "markup in the names of the assignment and the student",
    set_fields(student=_MARKUP, assignment=_MARKUP),
)
edited(
    "control_characters",
    "control characters and a lone surrogate in words",
    give(TEXT, {"text": "\x1b]0;forged\x07 \x00 \ud800 \u202e words that go on and on \r\n"}),
)
edited(
    "control_in_names",
    "control characters in the student's id",
    set_fields(student="ann\x1b[2J\nbob graded 9 of 9"),
)

# Types.

edited(
    "answers_object",
    "an object for the list of answers",
    lambda saved: saved.update(answers={e["exercise"]: e for e in saved["answers"]}),
)
edited("student_list", "a list for the student", set_fields(student=["ann", "bob"]))
edited("version", "a version that does not exist", set_fields(version=10**30))
edited("version_true", "true for the version", set_fields(version=True))
edited(
    "answer_numbers",
    "numbers for the texts of an answer",
    give(NUMBERS, {"precision": 0.5, "recall": True, "f1": None}),
)
edited(
    "picks_all",
    "every option of a choice",
    give(CHOICE, ["pq", "pr", "qp", "qr", "rp", "rq"]),
)
edited("picks_nested", "lists in the list of a choice", give(CHOICE, [["pq"], [["pr"]]]))
edited("order_long", "an order of 100,000 lines", give(ORDER, ["def"] * 10**5))
edited(
    "help_negative",
    "help that was opened taken back",
    in_each(hints=-5, solution="no"),
    right=True,
)
edited(
    "fields_missing",
    "entries without their fields",
    lambda saved: saved.update(answers=[{"exercise": NUMBERS}]),
)


@forgery("NaN, Infinity and numbers beyond floating point for plain fields")
def not_numbers(known: Known) -> bytes:
    text = encode(known.right).decode().replace('"version": 1', '"version": NaN')
    return text.replace('"hints": 0', '"hints": -Infinity').encode()


@forgery("a whole number of 5,000 digits")
def huge_number(known: Known) -> bytes:
    return encode(known.right).replace(b'"version": 1', b'"version": ' + b"1" * 5000)


# Times.

edited(
    "future",
    "answers given in the year 2999",
    date_all("2999-01-01T00:00:00.000Z"),
    right=True,
)
edited(
    "before_release",
    "answers given before the assignment was released",
    date_all("1999-01-01T00:00:00.000Z"),
    right=True,
)
edited("no_time", "a time that is none", in_each(when="yesterday <b>"), right=True)

# Damage.


@forgery("an empty file")
def empty(known: Known) -> bytes:
    return b""


@forgery("a file that was cut off")
def cut_off(known: Known) -> bytes:
    whole = encode(known.right)
    return whole[: len(whole) // 2]


@forgery("comments and a comma too many")
def comments(known: Known) -> bytes:
    return b"// my answers\n" + encode(known.right)[:-1].rstrip() + b", /* end */ }"


@forgery("bytes that are no UTF-8")
def not_utf8(known: Known) -> bytes:
    return encode(known.right).replace(b"words", b"w\xff\xferds") + b"\xc3\x28"


@forgery("a mark of byte order, as editors write it")
def byte_order_mark(known: Known) -> bytes:
    return b"\xef\xbb\xbf" + encode(known.right)


@forgery("UTF-16, as an editor saves it")
def utf16(known: Known) -> bytes:
    return encode(known.right).decode().encode("utf-16")


@forgery("100,000 lists in each other")
def deep(known: Known) -> bytes:
    return b'{"format": "recsys-workbook hand-in", "answers": ' + b"[" * 10**5 + b"]" * 10**5 + b"}"


@forgery("100,000 objects in each other in an answer")
def deep_answer(known: Known) -> bytes:
    deep_value = '{"a":' * 10**5 + "1" + "}" * 10**5
    text = encode(known.right).decode()
    return text.replace('"answer": {', f'"answer": {{"z": {deep_value}, ', 1).encode()


@forgery("words of 100 MB")
def huge_text(known: Known) -> bytes:
    saved = copy.deepcopy(known.right)
    answer_to(saved, TEXT)["answer"]["text"] = "a word " * (10**8 // 7)
    return encode(saved)


@forgery("words of 3 MB")
def long_text(known: Known) -> bytes:
    saved = copy.deepcopy(known.ann)
    answer_to(saved, TEXT)["answer"]["text"] = "a word " * (3 * 10**6 // 7)
    return encode(saved)


@forgery("a million answers")
def many_answers(known: Known) -> bytes:
    one = json.dumps(answer_to(known.right, ORDER)).encode()
    head = encode({**known.right, "answers": []}).rstrip(b"}\n ")
    return head.removesuffix(b"[]") + b"[" + b",".join([one] * 20_000) + b"]}"


@forgery("a list for the whole file")
def a_list(known: Known) -> bytes:
    return encode([known.right])


@forgery("null for the whole file")
def null(known: Known) -> bytes:
    return b"null"


@forgery("compressed, with the same name")
def compressed(known: Known) -> bytes:
    return gzip.compress(encode(known.right))


# Names and kinds of files.


@forgery("the notebook under the name of a file of answers")
def notebook_as_answers(known: Known) -> bytes:
    return known.notebook


@forgery("the file of answers under the name of a notebook", file="ps1.ipynb")
def answers_as_notebook(known: Known) -> bytes:
    return encode(known.right)


@forgery(
    "a name with markup, a line break and control characters",
    file="ps1 \x1b[2J\n<b>bob 9 of 9.hand-in.json",
)
def odd_name(known: Known) -> bytes:
    return encode(known.right)


@placed("a link to a file of the course")
def link_to_key(known: Known, folder: Path) -> None:
    (folder / FILE).symlink_to(known.course / "course.toml")


@placed("a link to Bob's file")
def link_to_bob(known: Known, folder: Path) -> None:
    (folder / FILE).symlink_to(folder.parent / "bob" / FILE)


@placed("a link to a device that never ends")
def link_to_device(known: Known, folder: Path) -> None:
    (folder / FILE).symlink_to("/dev/zero")


@placed("a pipe that nobody writes to")
def pipe(known: Known, folder: Path) -> None:
    os.mkfifo(folder / FILE)


@placed("a folder with the name of the file")
def a_folder(known: Known, folder: Path) -> None:
    (folder / FILE).mkdir()


def _zipped(members: Iterable[tuple[str, bytes]]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members:
            opened.writestr(name, content)
    return archive.getvalue()


@forgery("an archive with names that leave the folder", file="ps1.zip")
def odd_archive(known: Known) -> bytes:
    own = encode(known.right)
    return _zipped([("../../bob/ps1.hand-in.json", own), (TOUCHED, own), ("a\n\x1b[2J", own)])


@forgery("an archive that unpacks to 1 GB, named like a file of answers")
def archive_as_answers(known: Known) -> bytes:
    return _zipped([(FILE, b"0" * 10**8)])


@placed("two files: right answers are the older ones")
def two_files(known: Known, folder: Path) -> None:
    for name, saved, moment in (
        ("ps1.hand-in.json", known.right, 1e9),
        ("ps1 (1).hand-in.json", known.ann, 1.1e9),
    ):
        (folder / name).write_bytes(encode(saved))
        os.utime(folder / name, (moment, moment))


@placed("a damaged file that is newer than a sound one")
def newer_damaged(known: Known, folder: Path) -> None:
    whole = encode(known.right)
    for name, content, moment in (
        ("ps1.hand-in.json", whole, 1e9),
        ("ps1 (1).hand-in.json", whole[:300], 1.1e9),
    ):
        (folder / name).write_bytes(content)
        os.utime(folder / name, (moment, moment))
