"""End again, in a restored database, what ended after its backup was made."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from studyservice import gone
from studyservice.changes.calls import acting, command
from studyservice.management.operators import JsonCommand


class Command(JsonCommand):
    """`redo-gone FILE...`: a step of every restore; safe to repeat."""

    help = (
        "Erase, revoke, disconnect and block again what the files (gone.jsonl of backups and of DATA_DIR) name and a "
        "restored backup brought back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="gone.jsonl; that of DATA_DIR is added")
        parser.add_argument("--dry-run", action="store_true", help="only list what would end")

    @acting(command("redo-gone"))
    def handle(self, *args: object, **options: Any) -> None:
        """Read every file before anything ends. Lines that cannot be read are reported and do not stop the others."""
        lines, unreadable = _read([gone.path(), *options["files"]], optional=gone.path())
        dry_run = options["dry_run"]
        if not dry_run:
            gone.append(lines - _read([gone.path()], optional=gone.path())[0])
        ended: Counter[str] = Counter()
        for line in gone.latest(lines):
            ending = gone.ENDINGS[line.what]
            found = ending.find(line.id, line.at)
            if found is None:
                continue
            if not dry_run:
                ending.end(found)
            ended[line.what] += 1
            if not options["json"]:
                self.stdout.write(f"{line.what} {line.id}")
        told = ", ".join(f"{number} {what}" for what, number in sorted(ended.items())) or "nothing"
        self.answer(
            options,
            {"ended": ended, "unreadable": [asdict(one) for one in unreadable]},
            text=f"{'Would end' if dry_run else 'Ended'} again: {told}.\n{_covered(lines)}",
        )
        if unreadable:
            places = [f"{one.file}, line {one.line}: {one.message}" for one in unreadable]
            raise CommandError("\n".join([*places, f"Lines that could not be read: {len(unreadable)}."]))


def _covered(lines: set[gone.Line]) -> str:
    """Return the sentence that tells an operator how much is missing: what ended after the newest line."""
    if not lines:
        return "The files have no lines: whatever ended since the backup was made is back."
    newest = max(line.at for line in lines).astimezone(UTC)
    return f"The files cover what ended until {newest:%-d %B %Y %H:%M} UTC."


def _read(files: Iterable[Path], optional: Path) -> tuple[set[gone.Line], list[gone.Unreadable]]:
    """Return the lines of all files, and those that cannot be read. Only the file `optional` may be missing."""
    lines: set[gone.Line] = set()
    unreadable: list[gone.Unreadable] = []
    for file in {file.resolve(): file for file in files if file != optional or file.exists()}.values():
        try:
            for one in gone.read(file):
                lines.add(one) if isinstance(one, gone.Line) else unreadable.append(one)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}. Nothing was ended.") from None
    return lines, unreadable
