"""The text of files: types by content, text of each type, and hostile files (capabilities 1, Files)."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from courses.syllabi.reading import media_types
from courses.syllabi.reading.files import FileText, TextStatus, UnknownTypeError, clean_filename, read_file
from tests.support import hostile_files as hostile
from tests.support.cases import each
from tests.support.syllabus_files import docx, docx_of, odt, odt_of, open_document, pdf, word

pytestmark = pytest.mark.database("sqlite", "reads files")

SCHEDULE = ["Schedule", [["Week", "Date", "Due"], ["1", "Sep 14", "Essay & outline"], ["2", "Sep 21", ""]], "End"]
AS_LINES = "Schedule\nWeek | Date | Due\n1 | Sep 14 | Essay & outline\n2 | Sep 21 |\nEnd"


def read(content: bytes, filename: str = "file") -> FileText:
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        return read_file(file, filename)


@pytest.mark.usefixtures("started_readings")
def test_the_lines_of_a_pdf_are_read() -> None:
    found = read(pdf([["Cell Biology", "Midterm: October 12 (20%)"], ["Final exam: December 9"]]))
    assert found == FileText(
        media_type=media_types.PDF,
        text_status=TextStatus.READ,
        text="Cell Biology\nMidterm: October 12 (20%)\n\nFinal exam: December 9",
        pages=2,
    )


def test_a_pdf_without_text_is_reported() -> None:
    found = read(pdf([[]]))
    assert (found.text_status, found.text, found.pages) == (TextStatus.NO_TEXT, None, 1)


@each(("make", "media_type"), [(docx, media_types.DOCX), (odt, media_types.ODT)])
def test_paragraphs_and_tables_are_lines(make: Callable[[Any], bytes], media_type: str) -> None:
    found = read(make(SCHEDULE))
    assert (found.media_type, found.text_status, found.text) == (media_type, TextStatus.READ, AS_LINES)


def test_a_table_in_a_cell_stays_in_its_row() -> None:
    inner = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    cells = f"<w:tc>{inner}<w:p/></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc>"
    assert read(docx_of(word(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"))).text == "a | b"


def test_deleted_text_of_a_docx_is_left_out() -> None:
    body = (
        "<w:p><w:r><w:t>Due </w:t></w:r><w:del><w:r><w:delText>May 1</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>May 2</w:t></w:r></w:ins><w:r><w:tab/><w:t>noon</w:t><w:br/><w:t>Hall 3</w:t></w:r></w:p>"
    )
    assert read(docx_of(word(body))).text == "Due May 2\tnoon\nHall 3"


def test_odt_elements_for_spaces_and_breaks_become_text() -> None:
    body = '<text:p>Due<text:s text:c="3"/>May 2<text:tab/>noon<text:line-break/>Hall <text:span>3</text:span></text:p>'
    assert read(odt_of(open_document(body))).text == "Due   May 2\tnoon\nHall 3"


def test_blocks_and_tables_of_html_are_lines() -> None:
    page = (
        "<!DOCTYPE html><html><head><title>Biology</title><style>p { color: red }</style></head><body>"
        "<h1>Sched&uuml;le</h1><table><tr><th>Week<th>Due"
        "<tr><td>1</td><td>Essay &amp;\n <b>outline</b></td></tr></table>"
        "<script>alert('no')</script><p>End<br>of it</p><pre>a  b\nc</pre></body></html>"
    )
    found = read(page.encode())
    assert found.media_type == media_types.HTML
    assert found.text is not None
    assert [line for line in found.text.split("\n") if line] == [
        "Biology",
        "Schedüle",
        "Week | Due",
        "1 | Essay & outline",
        "End",
        "of it",
        "a  b",
        "c",
    ]


@each("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_is_decoded_by_its_encoding(encoding: str) -> None:
    found = read("Größe – 12 €\r\nEnde\r".encode(encoding))
    assert (found.media_type, found.text) == (media_types.PLAIN, "Größe – 12 €\nEnde")


@each("name", ["plan.md", "PLAN.Markdown"])
def test_markdown_is_recognized_by_its_name(name: str) -> None:
    assert read(b"# Plan\n", name).media_type == media_types.MARKDOWN


@each(
    "content",
    [
        hostile.image_named_docx(),
        hostile.package_of_something(),
        b"{\\rtf1 hello}",
        b"%!PS-Adobe-3.0\n",
        b"text with a \x00 in it",
        b"text with an escape \x1b[0m",
        b"\x81\x8d neither UTF-8 nor Windows-1252",
        b"\xff\xfeo",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    ],
)
def test_another_type_is_rejected(content: bytes) -> None:
    with pytest.raises(UnknownTypeError):
        read(content, "syllabus.docx")


def test_a_text_over_the_limit_is_dropped_completely() -> None:
    found = read(b"word " * 100_001)
    assert (found.text_status, found.text) == (TextStatus.TOO_LARGE, None)
    assert read(b"a" * 500_000).text_status == TextStatus.READ


def test_a_pdf_over_the_page_limit_is_too_large() -> None:
    assert read(pdf([["page"]] * 100)).text_status == TextStatus.READ
    found = read(pdf([["page"]] * 101))
    assert (found.text_status, found.pages) == (TextStatus.TOO_LARGE, None)


@each(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\Plan.pdf", "Plan.pdf"),
        ("plan\x00\r\n\u202epdf.exe", "planpdf.exe"),
        ("  plan.pdf ", "plan.pdf"),
        ("", "file"),
        ("..", "file"),
        ("a" * 300 + ".pdf", "a" * 251 + ".pdf"),
    ],
)
def test_names_lose_paths_and_invisible_characters(given: str, kept: str) -> None:
    assert clean_filename(given) == kept


UNREADABLE, TOO_LARGE, NO_TEXT, READ = TextStatus.UNREADABLE, TextStatus.TOO_LARGE, TextStatus.NO_TEXT, TextStatus.READ


thorough = pytest.mark.thorough("takes seconds in the reader; other tests reach the same limit")


@pytest.mark.usefixtures("started_readings")
@pytest.mark.parametrize(
    ("make", "filename", "statuses"),
    [
        (hostile.flate_bomb, "a.pdf", {UNREADABLE, TOO_LARGE}),
        pytest.param(hostile.flate_bomb_in_two_layers, "a.pdf", {UNREADABLE, NO_TEXT}, marks=thorough),
        (hostile.nested_page_tree, "a.pdf", {UNREADABLE, NO_TEXT}),
        (hostile.cyclic_page_tree, "a.pdf", {UNREADABLE, NO_TEXT}),
        pytest.param(hostile.form_recursion, "a.pdf", {UNREADABLE, NO_TEXT}, marks=thorough),
        pytest.param(hostile.form_fan, "a.pdf", {UNREADABLE, TOO_LARGE, READ, NO_TEXT}, marks=thorough),
        (hostile.many_pages, "a.pdf", {TOO_LARGE}),
        (hostile.two_gigabyte_claim, "a.pdf", {UNREADABLE, NO_TEXT}),
        (hostile.huge_numbers, "a.pdf", {UNREADABLE, TOO_LARGE, NO_TEXT}),
        (hostile.encrypted_pdf, "a.pdf", {UNREADABLE}),
        (hostile.truncated_pdf, "a.pdf", {UNREADABLE}),
        pytest.param(hostile.docx_bomb, "a.docx", {TOO_LARGE, UNREADABLE}, marks=thorough),
        pytest.param(hostile.docx_of_text, "a.docx", {TOO_LARGE}, marks=thorough),
        (hostile.entities, "a.docx", {UNREADABLE}),
        (hostile.external_entity, "a.docx", {UNREADABLE}),
        (hostile.deep_docx, "a.docx", {UNREADABLE}),
        (hostile.truncated_docx, "a.docx", {UNREADABLE}),
        (hostile.encrypted_docx, "a.docx", {UNREADABLE}),
        (hostile.encrypted_parts, "a.docx", {UNREADABLE}),
        (hostile.claimed_length, "a.docx", {UNREADABLE, READ}),
        (hostile.deep_odt, "a.odt", {UNREADABLE}),
        (hostile.odt_bomb, "a.odt", {TOO_LARGE, UNREADABLE}),
        (hostile.zip_slip, "a.docx", {READ}),
        pytest.param(hostile.open_tags, "a.html", {NO_TEXT, TOO_LARGE, UNREADABLE}, marks=thorough),
        pytest.param(hostile.open_declarations, "a.html", {NO_TEXT, TOO_LARGE, UNREADABLE}, marks=thorough),
        pytest.param(hostile.long_row, "a.html", {TOO_LARGE, UNREADABLE}, marks=thorough),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_hostile_file_ends_within_the_limits(
    make: Callable[[], bytes], filename: str, statuses: set[TextStatus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clear status, no partial text, and nothing left on disk."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = read(make(), filename)
    assert found.text_status in statuses
    assert (found.text is not None) == (found.text_status == READ)
    assert list(tmp_path.iterdir()) == []
    assert not Path("/tmp/slipped").exists()  # noqa: S108


@thorough
def test_a_package_of_many_parts_that_is_not_a_document_is_rejected() -> None:
    with pytest.raises(UnknownTypeError):
        read(hostile.many_parts(), "a.docx")
