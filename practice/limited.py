"""The practice visible to a credential limited to courses: that of their current decks.

Attempts of deleted decks are left out. The streak and the number of new cards of a day are the member's. So a day keeps
both, and its other numbers come from the decks.
"""

from django.db import connections

from practice.models import Attempt, PracticeSum

_DECKS = "vocab_deck"
"""The table of an app above this one."""

_SUMMED = ("attempts", "correct", "foretold_attempts", "foretold", "foretold_correct")


def attempts_in_courses(by_course: bool, grades: bool, vendor: str) -> str | None:  # `MemberData.view`
    """The attempts in decks of the courses."""
    if not by_course:
        return None
    columns = _columns(Attempt, {"course_id": "d.course_id"})
    return f"SELECT {columns} FROM practice_attempt t {_of_decks(vendor)}"  # noqa: S608 # nosec


def sums_in_courses(by_course: bool, grades: bool, vendor: str) -> str | None:  # `MemberData.view`
    """The sums of topics that are decks of the courses, and each day with their total."""
    if not by_course:
        return None
    of_topics = _columns(PracticeSum, {"course_id": "d.course_id"})
    summed = ", ".join(f"SUM(u.{name}) AS {name}" for name in _SUMMED)
    types = {field.column: field.db_type(connections["default"]) for field in PracticeSum._meta.concrete_fields}
    of_day = {name: f"CAST(COALESCE(o.{name}, 0) AS {types[name]})" for name in _SUMMED}
    return (
        f"SELECT {of_topics} FROM practice_practicesum t {_of_decks(vendor)} AND t.kind <> 'day' "  # noqa: S608 # nosec
        f"UNION ALL SELECT {_columns(PracticeSum, of_day)} FROM practice_practicesum t LEFT JOIN "
        f"(SELECT u.starts_on, {summed} FROM practice_practicesum u {_of_decks(vendor, 'u')} AND u.kind = 'topic_day' "
        "GROUP BY u.starts_on) o ON o.starts_on = t.starts_on "
        "WHERE t.member_id = {member} AND t.kind = 'day'"
    )


def _of_decks(vendor: str, alias: str = "t") -> str:
    compared = "IN" if vendor == "sqlite" else "="
    of_course = f"d.id = {alias}.deck_id AND d.member_id = {{member}} AND d.course_id {compared} {{courses}}"
    return f"JOIN {_DECKS} d ON {of_course} WHERE {alias}.member_id = {{member}}"


def _columns(model: type[Attempt] | type[PracticeSum], instead: dict[str, str]) -> str:
    names = [field.column for field in model._meta.concrete_fields]
    return ", ".join(f"{instead[name]} AS {name}" if name in instead else f"t.{name}" for name in names)
