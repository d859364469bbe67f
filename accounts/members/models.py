"""The member model."""

import uuid
import zoneinfo
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Self

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import DEFAULT_DB_ALIAS, models, transaction
from django.db.models import Q, QuerySet
from django.db.models.base import ModelBase, ModelState
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.members.addresses import MemberAddress, MemberManager
from studyservice.database.constraints import between, characters
from studyservice.hooks import Hook

DEFAULT_RETENTION = 0.9
LEAST_RETENTION = 0.7
MOST_RETENTION = 0.99

NEW_CARDS_A_DAY = 20
"""Default number of new flashcards a day."""

MOST_NEW_CARDS = 500

MOST_SECONDS = 120
"""The longest time that a review adds to `seconds`."""

EraseMember = Callable[[uuid.UUID], bool]

ERASE_MEMBER = Hook[EraseMember]("ERASE_MEMBER")


def validate_time_zone(name: str) -> None:
    """Refuse a name that is not in the IANA time zone database."""
    if name not in time_zones():
        raise ValidationError("%(name)s is not an IANA time zone, such as Europe/Paris.", params={"name": name})


@cache
def time_zones() -> frozenset[str]:
    """The names of the IANA time zone database."""
    return frozenset(zoneinfo.available_timezones()) - {"localtime", "Factory"}


class Member(AbstractBaseUser, PermissionsMixin):
    """A student; also the user of the browser pages and the admin."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=150, blank=True)
    time_zone = models.CharField(
        max_length=64,
        default="UTC",
        validators=[validate_time_zone],
        help_text="IANA name; decides what “today” is.",
    )
    desired_retention = models.FloatField(
        default=DEFAULT_RETENTION,
        db_default=DEFAULT_RETENTION,
        validators=[MinValueValidator(LEAST_RETENTION), MaxValueValidator(MOST_RETENTION)],
        help_text="How likely the member wants to know a card when it comes up, 0.7 to 0.99; the higher, the sooner "
        "cards come back. Counts from each card's next review on.",
    )
    # Members created before this column have no limit; the database has no default.
    new_cards_a_day = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        default=NEW_CARDS_A_DAY,
        validators=[MinValueValidator(0), MaxValueValidator(MOST_NEW_CARDS)],
        help_text="How many new flashcards the member starts a day, over all decks; null means no limit.",
    )
    seconds = models.FloatField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Seconds that a review of a card takes: a mean in which the last 50 reviews weigh most.",
    )
    seconds_reviews = models.PositiveIntegerField(
        default=0, db_default=0, editable=False, help_text="From how many reviews with a duration that mean was made."
    )
    morning_email = models.BooleanField(
        default=False, db_default=False, help_text="Whether the member gets an e-mail each morning with what is due."
    )
    morning_sent_on = models.DateField(
        null=True, editable=False, help_text="The member's date of the last morning e-mail; only ever grows."
    )
    morning_put_off = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Whether the mail server put that one off. It may be tried again until noon.",
    )
    membership_active = models.BooleanField(
        default=True, help_text="Turned off, the membership has lapsed, whatever its last day."
    )
    membership_until = models.DateField(
        null=True,
        blank=True,
        help_text="Last day included, in the member's time zone; empty means open-ended.",
    )
    reminded_until = models.DateField(
        null=True, editable=False, help_text="The end of the membership that the member was reminded of by e-mail."
    )
    is_active = models.BooleanField(
        "may sign in", default=True, help_text="Turned off, no sign-in and no credential works."
    )
    is_staff = models.BooleanField("may use the admin", default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    assistant_dismissed = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Whether the member dismissed the step of connecting an assistant.",
    )
    write_clock = models.DateTimeField(
        default=datetime(1970, 1, 1, tzinfo=UTC),
        editable=False,
        help_text="Time of the member's newest write; only ever grows. See studyservice.changes.writing.",
    )

    session_epoch = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="Counted up to end every session of the member. See accounts.signing_in.sessions.",
    )

    erasure_began_at = models.DateTimeField(
        null=True, editable=False, help_text="Since when the member is being deleted. See accounts.erasure.erasing."
    )

    objects: ClassVar[MemberManager] = MemberManager()

    _stored: Mapping[str, Any] = MappingProxyType({})

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        ordering: ClassVar[list[str]] = ["email"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["erasure_began_at"], name="member_erasing", condition=Q(erasure_began_at__isnull=False)
            ),
            models.Index(fields=["time_zone", "id"], name="member_mornings", condition=Q(morning_email=True)),
            models.Index(fields=["morning_sent_on"], name="member_put_off", condition=Q(morning_put_off=True)),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(erasure_began_at=None) | Q(is_active=False),
                name="member_erasing_inactive",
                violation_error_message="This member is being deleted and cannot be let in again.",
            ),
            characters("email", 1, 254),
            characters("name", 0, 150),
            characters("time_zone", 1, 64),
            between("desired_retention", LEAST_RETENTION, MOST_RETENTION),
            between("new_cards_a_day", 0, MOST_NEW_CARDS),
            between("seconds", 0, MOST_SECONDS),
        ]

    def __str__(self) -> str:
        return self.email

    @classmethod
    def from_db(cls, *args: Any, **options: Any) -> Self:
        """Return a member read from the database. `save` compares with these values."""
        member = super().from_db(*args, **options)
        member.note_stored()
        return member

    @classmethod
    def for_reading(cls, names: Sequence[str], values: Sequence[Any]) -> Self:
        """Return a read-only member with these fields. It tracks no changes.

        Bypasses `__init__`, like Django's unpickling, because it would process every field on every request.
        """
        state = ModelState()
        state.adding = False
        state.db = DEFAULT_DB_ALIAS
        member = cls.__new__(cls)
        member.__dict__.update(zip(names, values, strict=True), _state=state)
        return member

    def refresh_from_db(
        self, using: str | None = None, fields: Iterable[str] | None = None, from_queryset: QuerySet[Self] | None = None
    ) -> None:
        """Reload all or some `fields`. Also loads deferred fields."""
        super().refresh_from_db(using=using, fields=fields, from_queryset=from_queryset)
        self.note_stored(fields)

    def save(
        self,
        *,
        force_insert: bool | tuple[ModelBase, ...] = False,
        force_update: bool = False,
        using: str | None = None,
        update_fields: Iterable[str] | None = None,
    ) -> None:
        """Store the member. Writes only fields changed since they were read, so that concurrent changes stay.

        Never writes `write_clock` or `erasure_began_at`, because an old copy would reset them
        (`studyservice.changes.writing`, `accounts.erasure.erasing`).

        Raises:
            IntegrityError: the address is another member's.
            RuntimeError: the member was read `for_reading`.
        """
        if not self._state.adding and update_fields is None:
            if not self._stored:
                raise RuntimeError("This member was read for reading alone. Get another one to change it.")
            update_fields = [
                name
                for name in _fields()
                if name in self.__dict__ and (name not in self._stored or self._stored[name] != self.__dict__[name])
            ]
        with transaction.atomic(using=using):
            self._claim_address(update_fields)
            super().save(force_insert=force_insert, force_update=force_update, using=using, update_fields=update_fields)
        self.note_stored(update_fields)

    def _claim_address(self, update_fields: Iterable[str] | None) -> None:
        """Reserve the address, in the transaction that stores it. Of two simultaneous claims one fails."""
        if self._state.adding:
            MemberAddress.objects.create(email=self.email, member_id=self.id)
        elif update_fields is None or "email" in update_fields:
            MemberAddress.claim(self.id, self.email)

    def validate_unique(self, exclude: Collection[str] | None = None) -> None:
        """Also check the table of addresses, which may still have the row of a member with a new address.

        Raises:
            ValidationError: a unique value is another member's.
        """
        super().validate_unique(exclude)
        kept = MemberAddress.objects.filter(email=self.email).exclude(member_id=self.id)
        if "email" not in (exclude or ()) and kept.exists():
            raise ValidationError({"email": self.unique_error_message(type(self), ("email",))})

    def note_stored(self, names: Iterable[str] | None = None) -> None:
        """Remember the stored values of these fields, or of all."""
        known = _fields() if names is None else _fields().intersection(names)
        self._stored = {**self._stored, **{name: self.__dict__[name] for name in known if name in self.__dict__}}

    def delete(self, using: str | None = None, keep_parents: bool = False) -> tuple[int, dict[str, int]]:
        """Delete the member with all data (`accounts.erasure.erasing`). Call outside any transaction.

        Raises:
            RuntimeError: a transaction is open.
        """
        ERASE_MEMBER.get()(self.id)
        return 1, {self._meta.label: 1}

    def clean(self) -> None:
        """Convert the address to lower case."""
        self.email = self.email.strip().lower()

    def check_password(self, raw_password: str | None) -> bool:
        """Return whether it is the member's password. Upgrades an outdated hash if it is still stored.

        Django would overwrite a password that was changed meanwhile, and fail if the member is gone.
        """

        def replace(password: str) -> None:
            hashed = make_password(password)
            if Member.objects.filter(id=self.id, password=self.password).update(password=hashed):
                self.password = hashed
                self.note_stored(["password"])

        return check_password(raw_password, self.password, replace)

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Return the value that each session of the member must have. A new password or a new epoch changes it.

        Django computes it with SECRET_KEY, and then with each of SECRET_KEY_FALLBACKS.
        """
        return salted_hmac(
            "accounts.Member.session", f"{self.session_epoch}:{self.password}", secret, algorithm="sha256"
        ).hexdigest()

    def today(self) -> date:
        """Return today's date in the member's time zone (spec, rule 5)."""
        return self.date_at(timezone.now())

    def date_at(self, instant: datetime) -> date:
        """Return the date at that moment in the member's time zone."""
        return instant.astimezone(zoneinfo.ZoneInfo(self.time_zone)).date()

    def membership_is_active(self) -> bool:
        """Return whether the subscription has not lapsed."""
        if not self.membership_active:
            return False
        return self.membership_until is None or self.today() <= self.membership_until


@cache
def _fields() -> frozenset[str]:
    """Return the member's fields that `save` may write; none of them is a foreign key."""
    return frozenset(field.attname for field in Member._meta.concrete_fields) - {
        "id",
        "write_clock",
        "erasure_began_at",
    }
