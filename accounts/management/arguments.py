"""Arguments and output shared by the operator commands."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from accounts.members.models import Member
from accounts.members.outbox import Delivery
from studyservice.operations.errors import ApiError, ValidationFailed


def add_key_options(parser: ArgumentParser) -> None:
    """Add `--scopes` and `--expires-days`."""
    parser.add_argument(
        "--scopes", type=may_write, default=True, metavar='"read write"', help="read, or read write (default)"
    )
    parser.add_argument("--expires-days", type=days, default=None, metavar="N|never", help="30 or more; default: never")


def text(argument: str) -> str:
    """Parse text that can be stored, trimmed at both ends."""
    if "\x00" in argument or not _is_unicode(argument):
        raise ArgumentTypeError(f"is not text: {argument!r}")
    return argument.strip()


def _is_unicode(argument: str) -> bool:
    """Return whether every byte of the argument could be decoded."""
    return not any("\ud800" <= character <= "\udfff" for character in argument)


def may_write(text: str) -> bool:
    """Return whether the scopes in `text` include `write`; `read` is always granted."""
    scopes = set(text.split())
    if not scopes or scopes - {"read", "write"}:
        raise ArgumentTypeError(f"scopes are read and write, not {text!r}")
    return "write" in scopes


def days(text: str) -> int | None:
    """Parse a number of days, at least 30 (spec, States: API key), or return None for `never`."""
    if text == "never":
        return None
    if not text.isdecimal() or not 30 <= int(text) <= 36500:
        raise ArgumentTypeError(f"a number of days from 30 to 36500, or never, not {text!r}")
    return int(text)


def course_id(text: str) -> str:
    """Parse the id of a course. Return it in the usual form."""
    try:
        return str(UUID(text))
    except ValueError:
        raise ArgumentTypeError(f"the id of a course is a UUID, not {text!r}") from None


def calendar_date(argument: str) -> date:
    """Parse a date written YYYY-MM-DD. Python reads other ISO 8601 forms too."""
    with suppress(ValueError):
        day = date.fromisoformat(argument)
        if day.isoformat() == argument:
            return day
    raise ArgumentTypeError(f"a date written YYYY-MM-DD, not {argument!r}")


def member_named(email: str) -> Member:
    """Return the member with this address.

    Raises:
        CommandError: there is none.
    """
    try:
        return Member.objects.get_by_natural_key(email)
    except Member.DoesNotExist:
        raise CommandError(f"There is no member {email}.") from None


def members(number: int) -> str:
    """Return a phrase like `3 members`."""
    return f"{number} member{'' if number == 1 else 's'}"


@contextmanager
def told_refusals() -> Iterator[None]:
    """Convert what the service refuses to the command's own error: one line that names the fields, or one for each.

    Raises:
        CommandError: something was refused.
    """
    try:
        yield
    except ValidationError as error:
        if not hasattr(error, "error_dict"):
            raise CommandError(" ".join(error.messages)) from None
        fields = error.message_dict.items()
        raise CommandError(" ".join(f"{name}: {' '.join(said)}" for name, said in fields)) from None
    except ValidationFailed as error:
        raise CommandError("\n".join(detail["message"] for detail in error.details or [])) from None
    except ApiError as error:
        raise CommandError(error.message) from None


def delivered(deliveries: Iterable[Delivery], tell: Callable[[str], object]) -> tuple[int, list[Delivery]]:
    """Return the number of e-mails that were sent, and the failed deliveries. `tell` gets a line about each failure."""
    sent, failed = 0, []
    for delivery in deliveries:
        if delivery.failure is None:
            sent += 1
        else:
            failed.append(delivery)
            tell(f"{delivery.email}: {delivery.failure}")
    return sent, failed
