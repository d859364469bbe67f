"""Calendar files like those that learning platforms and calendar apps write, with invented texts."""

from collections.abc import Iterable

CRLF = "\r\n"

CANVAS = "icalendar-ruby"
MOODLE = "-//Moodle Pty Ltd//NONSGML Moodle Version 2025041400//EN"
BLACKBOARD = "Blackboard Learn Calendar"
GOOGLE = "-//Google Inc//Google Calendar 70.9054//EN"

NEW_YORK = """BEGIN:VTIMEZONE
TZID:America/New_York
X-LIC-LOCATION:America/New_York
BEGIN:DAYLIGHT
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
TZNAME:EDT
DTSTART:19700308T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
TZNAME:EST
DTSTART:19701101T020000
RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
END:STANDARD
END:VTIMEZONE"""


def folded(line: str) -> str:
    """Fold a line to at most 75 octets without splitting a character (RFC 5545, section 3.1)."""
    found, octets = "", 0
    for character in line:
        size = len(character.encode())
        if octets + size > 75:
            found, octets = f"{found}{CRLF} ", 1
        found, octets = found + character, octets + size
    return found


def calendar(prodid: str, *parts: str, head: Iterable[str] = ()) -> bytes:
    """A file of these components, each with any line endings."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{prodid}", *head]
    for part in parts:
        lines += part.strip().splitlines()
    return (CRLF.join(map(folded, [*lines, "END:VCALENDAR"])) + CRLF).encode()


def event(uid: str, *lines: str, summary: str = "", name: str = "VEVENT") -> str:
    """An event or a task."""
    told = [f"SUMMARY:{summary}"] if summary else []
    return "\n".join([f"BEGIN:{name}", f"UID:{uid}", "DTSTAMP:20261101T080000Z", *lines, *told, f"END:{name}"])


def deadline(uid: str, day: str, summary: str, *more: str) -> str:
    """An all-day event on `day`, written `20261203`."""
    return event(uid, f"DTSTART;VALUE=DATE:{day}", *more, summary=summary)


def one_deadline() -> bytes:
    """The smallest importable calendar."""
    return calendar(CANVAS, deadline("event-assignment-1", "20261203", "Essay 1"))
