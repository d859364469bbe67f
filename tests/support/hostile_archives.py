"""Invalid archives, and archives that attack their reader. Each function returns the bytes of one."""

import io
import json
import stat
import zipfile
from collections.abc import Callable

import pytest

from studyservice.archive import unpacking
from tests.support.archives import a_course, one_course, parts, zipped


def with_parts(**members: bytes) -> bytes:
    """The archive with one course, plus these parts."""
    return zipped(parts(courses=[a_course()]) | members)


def without(name: str) -> bytes:
    found = parts(courses=[a_course()])
    del found[name]
    return zipped(found)


def entry(change: Callable[[zipfile.ZipInfo], None], name: str = "README.txt") -> bytes:
    """The archive with one more entry, modified."""
    target = io.BytesIO(one_course())
    with zipfile.ZipFile(target, "a") as archive:
        info = zipfile.ZipInfo(name)
        change(info)
        archive.writestr(info, b"data/courses.jsonl")
    return target.getvalue()


def a_link(info: zipfile.ZipInfo) -> None:
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


def packed_with_bzip2(info: zipfile.ZipInfo) -> None:
    info.compress_type = zipfile.ZIP_BZIP2


def twice() -> bytes:
    target = io.BytesIO(one_course())
    with zipfile.ZipFile(target, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("data/courses.jsonl", json.dumps(a_course(name="Other")))
    return target.getvalue()


def encrypted() -> bytes:
    """Set the flag of the first entry in its local header and in the directory."""
    content = bytearray(one_course())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def with_broken_bytes() -> bytes:
    """Break bytes inside the compressed line of a course."""
    content = bytearray(one_course())
    place = content.index(b"data/courses.jsonl") + 30
    content[place] ^= 0xFF
    return bytes(content)


def a_bomb() -> bytes:
    """An archive that unpacks to 501 MiB of zeros, with correct sizes."""
    target = io.BytesIO(one_course())
    with (
        zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("files/big", "w") as big,
    ):
        for _ in range(501):
            big.write(bytes(1024 * 1024))
    return target.getvalue()


def many_entries() -> bytes:
    return zipped(parts() | {f"files/{number}": b"" for number in range(unpacking.MAX_ENTRIES)})


def with_comments(number: int) -> bytes:
    """An archive with this many empty files, each with a directory comment of 64 KiB."""
    target = io.BytesIO(one_course())
    with zipfile.ZipFile(target, "a") as archive:
        for place in range(number):
            info = zipfile.ZipInfo(f"files/{place}")
            info.comment = bytes(65_535)
            archive.writestr(info, b"")
    return target.getvalue()
