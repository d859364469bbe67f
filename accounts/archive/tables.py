"""The format of an archive: a file of lines for each model with `MemberData.archived`, and what versions changed.

The profile is a file with one line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, cast

import orjson
from django.db.models import FileField, Model, QuerySet

from accounts.archive.lines import ExactField, Line
from accounts.changes.contents import Json, dumps
from accounts.members.archived import MAX_POSITION, Archived
from accounts.members.data import MemberData, columns_of, data_of, member_data
from accounts.members.models import MOST_NEW_CARDS, MOST_SECONDS, Member
from accounts.members.profile import MemberChanges, MemberFields, update_me
from studyservice.operations.fields import IntegerField, StringField

FORMAT = "study-data-archive"
"""The name of the format in the manifest."""

MANIFEST = "manifest.json"
README = "README.txt"
FILES = "files/"
"""The directory of stored files."""

PROFILE = "data/profile.jsonl"
"""The member's profile, in one line."""

CHANGES = "data/changes.jsonl"
"""The log of changes, exported for reading. It belongs to one account, so imports skip it."""

EVENTS = "data/account_events.jsonl"
"""The log of account events, likewise. Archives that apps export do not contain it."""

WHOLE_FILE = "*"
"""In `ADDED`, stands for all columns of a new file."""

ADDED: dict[int, dict[str, tuple[str, ...]]] = {
    1: {},
    2: {
        "items": ("done", "done_at", "category_id", "note", "missable_from"),
        "grade_categories": ("drop_lowest",),
        "grade_scores": ("item_id",),
        "cards": ("suspended",),
        "attempts": ("is_first", "foretold"),
    },
    3: {"imported_events": ("calendar_id",)},
}
"""By version, the columns that it added, by file. Lines of older archives get the default of the column."""

OPTIONAL = {"courses": ("hue",)}
"""Columns that were added without a new version. A line without one gets its default."""

_BESIDES_TEXTS = 16 * 1024
_ENCODED = 12
"""The bytes that JSON needs at most for a character: two escaped surrogates."""


@dataclass(frozen=True, eq=False)
class ArchiveTable:
    """A table of the archive.

    Attributes:
        how: its declaration.
        references: columns with an id, and the earlier table that contains the id.
        loose: columns with an id that may not exist, and the table that contains it otherwise.
    """

    data: MemberData
    how: Archived
    references: Mapping[str, str]
    loose: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.how.name

    @property
    def model(self) -> type[Model]:
        return self.data.model

    @property
    def path(self) -> str:
        """The name of the file in the archive."""
        return f"data/{self.name}.jsonl"

    @cached_property
    def columns(self) -> list[str]:
        """The columns of a line, in order."""
        return [name for name in columns_of(self.model) if name != "member_id" and name not in self.how.left_out]

    @cached_property
    def line(self) -> type[Line]:
        """Validates a line."""
        return type("_Line", (Line, self.how.rules), {"model": self.model, "columns": self.columns})

    @cached_property
    def long_line(self) -> int:
        """The most bytes of a line."""
        fields = self.line.shared(partial=False).fields.values()
        return _BESIDES_TEXTS + _ENCODED * sum(
            field.max_length or 0 for field in fields if isinstance(field, StringField)
        )

    @cached_property
    def stored_file(self) -> str | None:
        """The column that names a stored file, which is included in the archive; None if there is none."""
        return next((name for name, one in columns_of(self.model).items() if isinstance(one, FileField)), None)

    def exists_in(self, version: int) -> bool:
        """Return whether archives of a version have the file."""
        return all(WHOLE_FILE not in files.get(self.name, ()) for newer, files in ADDED.items() if newer > version)

    def defaults(self, version: int, member: Member) -> dict[str, Json]:
        """Return the values of columns that lines of `version` lack or may lack, as a line would have them."""
        newer = [*OPTIONAL.get(self.name, ())]
        for added_in, files in ADDED.items():
            newer += files.get(self.name, ()) if added_in > version else ()
        own = self.data.log.defaults(member) if self.data.log.defaults is not None else {}
        fields = columns_of(self.model)
        found: dict[str, Json] = orjson.loads(
            dumps({name: own[name] if name in own else fields[name].get_default() for name in newer})
        )
        return found

    def rows(self, member: Member) -> QuerySet[Model]:
        """Return the member's rows, in the order of the lines."""
        return QuerySet(self.model).filter(member_id=member.id, **self.how.only).order_by(*self.how.order)


@cache
def archive_tables() -> tuple[ArchiveTable, ...]:
    """Return every table, sorted so that references point to earlier tables."""
    names = {data.label: data.archive.name for data in member_data() if data.archive is not None}
    return tuple(_table(data, data.archive, names) for data in member_data() if data.archive is not None)


def archive_version() -> int:
    """Return the version of new archives."""
    return max(ADDED)


def _table(data: MemberData, how: Archived, names: Mapping[str, str]) -> ArchiveTable:
    references = {
        name: names[column.related_model._meta.label]
        for name, column in columns_of(data.model).items()
        if column.related_model is not None and data_of(column.related_model) and name not in how.left_out
    }
    references |= {column: names[label] for column, label in data.log.plain_references.items()}
    return ArchiveTable(data, how, references, {column: names[label] for column, label in how.loose.items()})


LEFT_OUT = {
    "password": "a credential",
    "last_login": "about signing in",
    "session_epoch": "about signing in",
    "is_active": "the operators'",
    "is_staff": "the operators'",
    "is_superuser": "the operators'",
    "assistant_dismissed": "about a hint on pages",
    "reminded_until": "about an e-mail that was sent",
    "write_clock": "moves with every write",
    "erasure_began_at": "there is none of who has an archive",
}
"""Columns of the member that are not in the archive, with the reason."""

_CHOSEN = ("name", "time_zone")
"""Fields that an import sets only where the account has the default."""


class ProfileLine(MemberChanges):
    """The fields that an import sets. An older archive lacks some, and the account keeps its own."""

    name = StringField(max_length=150, allow_blank=True)
    new_cards_a_day = IntegerField(min_value=0, max_value=MOST_NEW_CARDS, allow_null=True, required=False)
    seconds = ExactField(min_value=0, max_value=MOST_SECONDS, required=False)
    seconds_reviews = IntegerField(min_value=0, max_value=MAX_POSITION, required=False)


def profile_line(member: Member) -> dict[str, Any]:
    """Return the profile's only line."""
    names = [one.attname for one in Member._meta.concrete_fields if one.attname not in LEFT_OUT]
    row = Member.objects.filter(id=member.id).values_list(*names).get()
    return dict(zip(names, row, strict=True))


def take_profile(member: Member, fields: Mapping[str, Any]) -> None:
    """Copy the archive's profile, except for a name and a time zone that the member chose. Needs the member's lock."""
    stored = profile_line(member)
    defaults = {one.attname: one.get_default() for one in Member._meta.concrete_fields if one.attname in _CHOSEN}
    kept = {name for name, default in defaults.items() if stored[name] != default}
    update_me(member, **cast("MemberFields", {name: value for name, value in fields.items() if name not in kept}))
