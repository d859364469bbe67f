"""The list of guides, in reading order."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from studyservice.environment import BASE_DIR, CHECKOUT

CARRIED = "studyservice/guides/files"
"""The directory of the guides' Markdown in an installed package, one file for each slug (`studyservice/wheel.py`)."""

ROOT = "/docs"
"""The address of the API reference. The guides are below it."""

EXAMPLE_ORIGIN = "https://study.example.org"
"""The placeholder for this service's origin in the guides for members and apps."""


@dataclass(frozen=True)
class Guide:
    """A guide.

    Attributes:
        slug: for its address, `/docs/SLUG`.
        source: the file, from the root of the repository.
        about: its contents in one line.
    """

    slug: str
    source: str
    about: str

    @property
    def file(self) -> Path:
        """The Markdown, in the checkout or in the installed package."""
        return BASE_DIR / (self.source if CHECKOUT else f"{CARRIED}/{self.slug}.md")

    @cached_property
    def title(self) -> str:
        """The heading in its first line."""
        with self.file.open(encoding="utf-8") as file:
            return file.readline().removeprefix("# ").strip()


@dataclass(frozen=True)
class Section:
    """Guides about one subject.

    Attributes:
        index_slug: the slug of the index that lists them.
    """

    title: str
    guides: tuple[Guide, ...]
    index_slug: str = ""

    @property
    def own_origin(self) -> bool:
        """Whether this service's own origin takes the place of the example's: its readers call this service."""
        return not self.index_slug


@dataclass(frozen=True)
class Index:
    """A page that lists the guides for one kind of reader, at `/docs/guides` or `/docs/guides/SLUG`."""

    slug: str
    title: str
    about: str

    @property
    def sections(self) -> list[Section]:
        """Its guides, by subject."""
        return [section for section in SECTIONS if section.index_slug == self.slug]


INDEXES = (
    Index("", "Guides", "For members and for those who write scripts and apps."),
    Index("operators", "Guides for operators", "Running the service: installing, scaling, securing."),
    Index("internals", "How it is built", "For developers of the service."),
)

CHANGELOG = Guide("changelog", "CHANGELOG.md", "What changed.")
"""It has its own page."""


def _guide(slug: str, about: str) -> Guide:
    return Guide(slug, f"docs/{slug}.md", about)


SECTIONS = (
    Section(
        "Begin",
        (
            _guide("quickstart", "From a key to a script that polls and retries, in curl, Python and TypeScript."),
            _guide("recipes", "Six scripts to copy: changes, scores, backup, the week, words, a watcher."),
            _guide("clients", "Python and TypeScript packages: five lines from a key to the agenda."),
            _guide("assistants", "How to connect Claude, ChatGPT and other assistants over MCP."),
            _guide("members", "Sign in, manage the account, and bring in your data."),
        ),
    ),
    Section(
        "Study data",
        (
            _guide("planning", "Courses, due dates, study steps, and the agenda."),
            _guide("syllabi", "How a syllabus is read, and how its proposal is shown."),
            _guide("syllabus-model", "What is sent, what comes back, and how to run one."),
            _guide("calendar", "Due dates in your calendar app, and calendar files in your courses."),
            _guide("grades", "Weighted categories, scores, the current grade, and the score you still need."),
            _guide("practice", "Flashcards, due times, streaks and weak topics, and how each is counted."),
            _guide("readiness", "How much of a deck you will recall on the day of an exam."),
            _guide("exam-plan", "What to study each day before an exam."),
            _guide("changes", "A log of every change, and how to undo one within 30 days."),
            _guide("archive", "Export everything into one file, and import it again."),
        ),
    ),
    Section(
        "Scripts and apps",
        (
            _guide("errors", "Every error and limit, retries and polling."),
            _guide("oauth", "Registration, consent and tokens, for apps that other members connect."),
        ),
    ),
    Section(
        "Running the service",
        (
            _guide("install-package", "PostgreSQL, systemd, nginx or Caddy: from an empty machine to a first member."),
            _guide("install-checkout", "SQLite behind Caddy, for one class: from an empty machine to a first member."),
            _guide("install-compose", "All in containers: from an empty machine to a first member."),
            _guide("students", "From a file to the first sign-in, with the rates and e-mails it takes."),
            _guide("bad-days", "Restore, a leaked key, a lost second factor, a full disk, a failed upgrade."),
            _guide("operating", "The reference: settings, commands, logs, metrics, backups."),
            _guide("identity-provider", "Sign-in with a college's accounts, and memberships by a claim."),
            _guide("scaling", "The capacity of one instance, and how to run more."),
            _guide("security", "Threats, defenses and remaining risks."),
        ),
        index_slug="operators",
    ),
    Section(
        "How it is built",
        (
            _guide("architecture", "The path of a request, and how an operation is added."),
            _guide("design", "Tokens, components and the order of attention of the pages."),
            _guide("syllabi-measured", "How often a proposal is right."),
            _guide("toolkit", "How the authorization server uses its libraries."),
            Guide("contributing", "CONTRIBUTING.md", "Setting up, tests, what reviewers ask for."),
            _guide("conformance", "The test for each statement of the specification."),
            Guide("measurements", "tools/bench/RESULTS.md", "The results of the benchmark."),
            Guide("profile", "tools/bench/PROFILE.md", "The time spent in a call, and the gain of each step."),
            Guide("cold-data", "tools/bench/COLD.md", "Latency of calls whose data is on the disk and not in memory."),
            Guide(
                "drills", "tools/bench/DRILLS.md", "Outcomes when components are killed, filled or skewed under load."
            ),
        ),
        index_slug="internals",
    ),
)

GUIDES = tuple(guide for section in SECTIONS for guide in section.guides)

ADDRESSES = {guide.source: f"{ROOT}/{guide.slug}" for guide in GUIDES} | {
    CHANGELOG.source: "/changelog",
    "docs/openapi.json": "/openapi.json",
}
"""The served address of each file of the repository."""

NAMED = ADDRESSES | {
    page: page
    for page in (
        ROOT,
        f"{ROOT}/guides",
        f"{ROOT}/guides/operators",
        f"{ROOT}/guides/internals",
        "/account",
        "/activity",
        "/admin",
        "/changelog",
        "/changelog.atom",
        "/courses",
        "/courses/new",
        "/decks",
        "/decks/import",
        "/keys",
        "/openapi.json",
        "/sign-in",
        "/study",
    )
}
"""Files and pages that guides name in code, which becomes a link."""
