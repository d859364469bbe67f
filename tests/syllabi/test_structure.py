"""Structure of real syllabi: cells with lines, merged cells, struck text, broken rows and markup of sources."""

import tempfile

import pytest

from courses.syllabi.reading.files import read_file
from courses.syllabi.reading.tidy import tidied
from tests.support.cases import each
from tests.support.syllabus_files import docx_of, odt_of, open_document, word
from tests.syllabi.reading import proposed

pytestmark = pytest.mark.database("sqlite", "reads files")

FALL = "BIO 210, Fall 2026"


def text_of(content: str | bytes, filename: str = "page.html") -> str:
    with tempfile.TemporaryFile() as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        return read_file(file, filename).text or ""


def page(*rows: str) -> str:
    return f"<!doctype html><html><body><table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table></body></html>"


def found(*lines: str) -> list[tuple[str, str]]:
    """Title and date of each proposed item."""
    return [(item.title, str(item.due_on)) for item in proposed(FALL, "", *lines).items]


def undoubted(*lines: str) -> list[tuple[str, str]]:
    return [(one.title, str(one.due_on)) for one in proposed(FALL, "", *lines).items if one.doubt is None]


@each(
    "cell",
    [
        "<ul><li>Essay 1</li><li>Lab report 1</li></ul>",
        "<p>Essay 1</p><p>Lab report 1</p>",
        "Essay 1<br>Lab report 1",
        "<div>Essay 1</div>Lab report 1",
        "<ol><li><p>Essay 1<li>Lab report 1</ol>",
    ],
)
def test_each_line_of_a_cell_is_an_item(cell):
    head = "<th>Date</th><th>Topic</th><th>Due</th>"
    lines = text_of(page(head, f"<td>Sep 22</td><td>Cells</td><td>{cell}</td>")).split("\n")
    assert found(*lines) == [("Essay 1", "2026-09-22"), ("Lab report 1", "2026-09-22")]


@each("cell", ["Essay 1 on<br>the motets", "Essay 1:<br>Motets"])
def test_a_title_that_only_wraps_in_its_cell_is_one_item(cell):
    lines = text_of(page("<th>Date</th><th>Due</th>", f"<td>Sep 22</td><td>{cell}</td>")).split("\n")
    assert len(found(*lines)) == 1


def test_paragraphs_of_docx_and_odt_cells_are_lines_of_it():
    cells = "<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc>"
    assert text_of(docx_of(word(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>")), "a.docx") == "a \u2022 B |"
    row = "<table:table-cell><text:p>a</text:p><text:p>B</text:p></table:table-cell>" * 2
    table = f"<table:table><table:table-row>{row}</table:table-row></table:table>"
    assert text_of(odt_of(open_document(table)), "a.odt") == "a \u2022 B | a \u2022 B"


def test_a_merged_cell_of_html_is_in_every_place_that_it_covers():
    rows = (
        '<td rowspan="2">Sep 14</td><td>A</td><td>B</td>',
        '<td colspan="2">C</td>',
        "<td>1</td><td>2</td><td>3</td>",
    )
    assert text_of(page(*rows)).strip().split("\n") == ["Sep 14 | A | B", "Sep 14 | C | C", "1 | 2 | 3"]


def test_merged_cells_of_docx_are_in_every_place_that_they_cover():
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"

    first = cell("Sep 14", '<w:vMerge w:val="restart"/>') + cell("A", '<w:gridSpan w:val="2"/>')
    second = cell("", "<w:vMerge/>") + cell("B") + cell("C")
    body = f"<w:tbl><w:tr>{first}</w:tr><w:tr>{second}</w:tr></w:tbl>"
    assert text_of(docx_of(word(body)), "a.docx") == "Sep 14 | A | A\nSep 14 | B | C"


def test_merged_cells_of_odt_are_in_every_place_that_they_cover():
    spanned = '<table:table-cell table:number-rows-spanned="2"><text:p>Sep 14</text:p></table:table-cell>'
    cells = "<table:table-cell><text:p>A</text:p></table:table-cell>"
    rows = f"<table:table-row>{spanned}{cells}</table:table-row>"
    rows += f"<table:table-row><table:covered-table-cell/>{cells}</table:table-row>"
    table = f"<table:table>{rows}</table:table>"
    assert text_of(odt_of(open_document(table)), "a.odt") == "Sep 14 | A\nSep 14 | A"


def test_an_empty_cell_of_dates_goes_on():
    table = ("| Date | Topic | Due |", "|---|---|---|", "| Sep 14 | A | Essay 1 |", "| | B | Quiz 1 |")
    assert found(*table) == [("Essay 1", "2026-09-14"), ("Quiz 1", "2026-09-14")]


def test_an_empty_due_date_does_not_go_on():
    table = ("Assignment | Due date", "Essay 1 | Sep 14", "Portfolio |")
    assert ("Portfolio", "2026-09-14") not in found(*table)


@each("old", ["~~October 5~~", "<s>October 5</s>", "<del>October 5</del>", "<strike>October 5</strike>"])
def test_struck_dates_of_sources_are_not_read(old):
    proposal = proposed(FALL, "", f"- Essay 1: due {old} October 12")
    assert [(item.title, str(item.due_on)) for item in proposal.items] == [("Essay 1", "2026-10-12")]
    assert proposal.warnings == []


@each(
    "old",
    [
        "<s>Oct 5</s>",
        "<del>Oct 5</del>",
        '<span style="text-decoration: line-through">Oct 5</span>',
        '<span style="display:none">Oct 5</span>',
        "<b hidden>Oct 5</b>",
    ],
)
def test_struck_and_hidden_text_of_html_is_left_out(old):
    assert text_of(f"<!doctype html><html><body><p>due{old}<ins>Oct 12</ins></p></body></html>") == "due Oct 12"


@each("mark", ["<w:strike/>", "<w:dstrike/>", '<w:strike w:val="1"/>', "<w:vanish/>"])
def test_struck_text_of_docx_is_left_out(mark):
    body = f"<w:p><w:r><w:rPr>{mark}</w:rPr><w:t>Oct 5</w:t></w:r><w:r><w:t>Oct 12</w:t></w:r></w:p>"
    assert text_of(docx_of(word(body)), "a.docx") == "Oct 12"


def test_text_that_is_not_struck_stays():
    body = '<w:p><w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t>Oct 5</w:t></w:r></w:p>'
    assert text_of(docx_of(word(body)), "a.docx") == "Oct 5"
    assert found("Quiz 1 ~ 5 songs: Oct 5", "Quiz 2 ~ 5 songs: Oct 12")[0][1] == "2026-10-05"


@each(
    "lines",
    [
        ("<!-- Essay 1 due October 5", "-->", "Quiz 1 due October 7"),
        ("Quiz 1 _due_ October 7",),
        ("## Quiz 1: October 7 {.unlisted .unnumbered}",),
        ("`Quiz 1 <../quiz.html>`_ due October 7",),
        ("Quiz 1 & October 7 \\\\",),
        ("<table><tr>", "<td>Quiz 1</td>", "<td>October 7</td>", "</tr></table>"),
    ],
)
def test_markup_of_a_source_is_not_its_text(lines):
    assert found(*lines) == [("Quiz 1", "2026-10-07")]


def test_a_row_broken_over_lines_is_one_row():
    lines = ("**Date** |", "", "Topic |", "", "Due", "---|---|---", "Mon., Oct. 5 |", "", "Motets |", "", "Essay 1", "")
    assert found(*lines) == [("Essay 1", "2026-10-05")]


def test_the_last_cell_of_a_row_goes_on_below_it():
    rows = [f"Oct {day} | Motets and the masses of Ockeghem and Josquin | Problem\nset {day}" for day in (5, 12, 19)]
    lines = "\n".join(["Date | Topic | Due", "---|---|---", *rows]).split("\n")
    assert found(*lines) == [(f"Problem set {day}", f"2026-10-{day:02}") for day in (5, 12, 19)]


def test_cells_that_a_browser_copied_with_blank_lines_are_rows():
    rows = [
        "Date\n\n\t\n\nTopic\n\n\t\n\nDue",
        "Oct 5\n\n\t\n\nMotets\n\nMasses\n\n\t\n\nEssay 1",
        "Oct 12\n\n\t\n\nSongs\n\n\t\n",
    ]
    assert tidied("\n\n\n\n".join(rows)).split("\n\n") == [
        "Date\tTopic\tDue",
        "Oct 5\tMotets \u2022 Masses\tEssay 1",
        "Oct 12\tSongs",
    ]


def test_titles_and_dates_of_a_learning_platform_are_no_broken_rows():
    lines = [line for n in range(1, 5) for line in (f"Song essay {n}", f"Posted Oct {n} | Due Oct {n + 7} | 20 pts")]
    assert [title for title, _ in found(*lines)] == [f"Song essay {n}" for n in range(1, 5)]


@each("written", ["5-Oct-26", "Mon 5-Oct-26", "Oct-05-26", "5/Oct/2026", "5 Oct 26", "5.Oct.26", "5. Okt. 26"])
def test_dates_of_spreadsheets_are_read(written):
    assert found(f"Essay 1: due {written}") == [("Essay 1", "2026-10-05")]


def test_a_number_that_begins_a_row_before_a_date_is_that_of_the_row():
    assert found("5 Oct 26 Essay 1 due", "6 Nov 2 Essay 2 due")[0] == ("Essay 1", "2026-10-26")


@each("cell", ["Sep 22 and 24", "9/22, 9/24", "T 9/22; R 9/24", "9/22 (Tue) \u2022 9/24 (Thurs)"])
def test_work_in_a_row_of_two_days_is_not_ticked(cell):
    assert undoubted("Week | Date | Topic | Due", f"3 | {cell} | Cells | Essay 1") == []


def test_work_beside_the_line_of_its_own_day_is_due_on_it():
    table = ("Date | Topic | Due", "9/22 (Tue) \u2022 9/24 (Thurs) | Cells | Essay 1 \u2022 Quiz 1")
    assert found(*table) == [("Essay 1", "2026-09-22"), ("Quiz 1", "2026-09-24")]


def test_a_day_named_in_the_row_of_a_week_is_that_day_of_it():
    rows = (
        "Week\tDates\tTopic\tDue",
        "15\tDec 7 - Dec 11\tReview\tHW 10 (Fri); Quiz 6 Wed; Project report due Thu Dec 10",
    )
    assert found(*rows) == [("HW 10", "2026-12-11"), ("Quiz 6", "2026-12-09"), ("Project report", "2026-12-10")]


@each("said", ["section A due October 5, section B due October 7", "due October 5 or October 7"])
def test_the_date_of_another_section_is_a_doubt(said):
    assert [item.doubt for item in proposed(FALL, "", f"Essay 1: {said}").items] == ["two dates"]


def test_a_report_due_beside_any_column_has_the_title_of_its_row():
    assert found("Experiment | Report due", "Melting points | 9/15", "TLC | 10/13") == [
        ("Report: Melting points", "2026-09-15"),
        ("Report: TLC", "2026-10-13"),
    ]


def test_a_break_in_brackets_drops_no_row():
    table = ("Week of | Experiment | Report due", "10/13 | Distillation | 10/27 (fall break 10/17-10/20)")
    proposal = proposed(FALL, "", *table)
    assert [(item.title, str(item.due_on)) for item in proposal.items] == [("Report: Distillation", "2026-10-27")]
    assert proposal.warnings == []


def test_the_head_of_a_list_of_due_dates_is_no_item():
    assert [title for title, _ in found("Problem set due dates: PS1 Sept. 14, PS2 Sept. 28")] == ["PS1", "PS2"]


@each("line", ["Hand it in by October 5", "Turn it in by October 5"])
def test_handing_in_below_a_title_is_its_deadline(line):
    assert found("Essay 1", line) == [("Essay 1", "2026-10-05")]


def test_handing_in_and_a_time_are_no_part_of_a_title():
    assert found("Lab notebook: hand it in by October 5") == [("Lab notebook", "2026-10-05")]
    assert found("11:59 pm Essay 1 due October 5") == [("Essay 1", "2026-10-05")]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Fri Dec 18 - FINAL EXAM, 9:00-11:00, Room 204 (150 points)", "FINAL EXAM, Room 204"),
        ("Fri Dec 18 - Final exam; 150 points; Room 204", "Final exam; Room 204"),
        ("Fri Dec 18 - Final exam - 2:00 pm - Room 204", "Final exam - Room 204"),
        ("Fri Dec 18 - Final exam (9:00-11:00, 150 points), Room 204", "Final exam, Room 204"),
        ("Fri Dec 18 - Final exam (150 points, Room 204)", "Final exam (Room 204)"),
        ("Fri Dec 18 - Final exam (chapters 1-5, 9:00-11:00)", "Final exam (chapters 1-5)"),
        ("Fri Dec 4 - Source analysis 2 due, 5 pm on the portal (50 pts)", "Source analysis 2"),
        ("Fri Dec 4 - Source analysis 2, due on the portal", "Source analysis 2"),
        ("Fri Dec 4 - Source analysis 2 via the course site, due 5 pm", "Source analysis 2"),
        (
            "Fri Dec 4 - Source analysis 2: the Congress of Vienna, due by 5 pm",
            "Source analysis 2: the Congress of Vienna",
        ),
    ],
)
def test_what_is_cut_out_of_a_title_leaves_one_separator(line, title):
    assert [item.title for item in proposed(FALL, "", line).items] == [title]


@pytest.mark.parametrize(
    "meets",
    [
        *("Tu/Th 10:30–11:45, Room 204", "Tu, Th 10:30 to 11:45", "TuTh 10:30-11:45", "MTuWTh 9:00-9:50 am"),
        *("M/Tu/W 2-3:15 pm", "Tu & Th 10:30-11:45 am", "M/We 2-3:15 pm"),
    ],
)
def test_all_days_of_a_class_are_kept(meets):
    assert proposed("HIST 214 Modern History", f"Fall 2026, {meets}").course.meets == meets


def test_office_hours_are_not_when_the_class_meets():
    lines = ("Office hours: Tuesdays 2:00-3:30 pm", "Lectures: Mon/Wed/Fri 10:10-11:00 am, Science Hall 104")
    assert proposed(FALL, *lines).course.meets == "Mon/Wed/Fri 10:10-11:00 am, Science Hall 104"


def test_a_weekday_said_elsewhere_chooses_the_day_of_a_week_but_ticks_nothing():
    lines = (
        "Labs are due on Wednesday.",
        "",
        "Week | Activity | Due",
        "10/5 | Titration | Lab 1",
        "10/12 | Masses | Lab 2",
    )
    proposal = proposed(FALL, "", *lines)
    assert [(item.title, str(item.due_on), item.doubt) for item in proposal.items] == [
        ("Lab 1", "2026-10-07", "a weekday said elsewhere"),
        ("Lab 2", "2026-10-14", "a weekday said elsewhere"),
    ]


def test_a_full_date_that_is_far_away_does_not_set_the_year():
    assert (
        found("Last changed 5/3/1997", "", "Essay 1 due Monday, October 5", "Quiz 1 on Monday, October 12")[0][1]
        == "2026-10-05"
    )


def test_a_part_of_the_grade_without_a_date_is_proposed_without_one():
    assert ("Final exam", "None") in found("Grading", "Homework 60%", "Final exam 40%")


@each(
    "lines",
    [("Due: Implement the parser, Oct 5",), ("Mon, Oct 5", "Due: Implement the parser as described (pp. 10-12)")],
)
def test_work_behind_a_label_is_named_by_it(lines):
    assert found(*lines) == [("Implement the parser", "2026-10-05")]


def test_two_parts_of_equal_weight_that_differ_by_a_number_are_one():
    lines = ("15% | Test 1", "15% | Test 2", "30% | Final exam", "40% | Labs")
    assert [(one.name, one.weight) for one in proposed(FALL, "Grading", *lines).grade_categories] == [
        ("Tests", 30),
        ("Final exam", 30),
        ("Labs", 40),
    ]
