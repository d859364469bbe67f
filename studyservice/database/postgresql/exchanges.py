"""Round trips to PostgreSQL: statements are queued, and sent together when a result is needed.

Besides its statements, a round trip costs network latency and, even on loopback, work of the driver and the system.
libpq's pipeline mode (PostgreSQL documentation, 32.5) sends several statements before it reads the first result. The
server executes them in order, each with a new snapshot, and none after one that fails. So a lock that is queued first
is held when the next statement begins to read.

psycopg has such a pipeline too. Measured with the statements of `create_item`, it takes a third more CPU time than
psycopg without one, and this module takes half of that. It uses libpq through `psycopg.pq`, and psycopg itself only for
what costs little: converting values and waiting.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from psycopg.abc import PQGen, Transformer
from psycopg.adapt import PyFormat
from psycopg.adapt import Transformer as MakeTransformer
from psycopg.errors import InterfaceError, error_from_result
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Ready, Wait

from studyservice.database.postgresql.driver import Connection

MAX_PREPARED = 200
"""Maximum number of prepared statements on a connection."""

_MAX_COUNTED = 1000
"""Maximum number of other statements whose executions are counted."""

_BEGIN = b"BEGIN"
_COMMIT = b"COMMIT"
_GOOD = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK, ExecStatus.EMPTY_QUERY)

_Key = tuple[bytes, tuple[int, ...]]


class Result:
    """A queued statement and, after its round trip, its rows in the form of a cursor.

    Attributes:
        result: libpq's; None until then.
    """

    __slots__ = ("_formats", "_params", "_place", "_transformer", "_types", "format", "result", "sql", "then")

    def __init__(
        self,
        transformer: Transformer,
        sql: bytes,
        params: Sequence[Any],
        result_format: Format,
        then: "Callable[[Result], None] | None",
    ) -> None:
        self.sql = sql
        self.format = result_format
        self.then = then
        self.result: PGresult | None = None
        self._transformer = transformer
        self._place = 0
        self._params = transformer.dump_sequence(params, [PyFormat.AUTO] * len(params)) if params else ()
        self._types = (transformer.types or ()) if params else ()
        self._formats = transformer.formats if params else ()

    @property
    def key(self) -> _Key:
        """The key of a prepared statement."""
        return self.sql, self._types

    def send(self, pgconn: PGconn, name: bytes | None) -> None:
        """Send it, as the prepared statement `name` if there is one."""
        if name is None:
            pgconn.send_query_params(self.sql, self._params, self._types, self._formats, self.format)
        else:
            pgconn.send_query_prepared(name, self._params, self._formats, self.format)

    def prepare(self, pgconn: PGconn, name: bytes) -> None:
        """Prepare it as `name`."""
        pgconn.send_prepare(name, self.sql, self._types)

    @property
    def rowcount(self) -> int:
        """The number of rows returned or changed; -1 if not applicable."""
        number = self._received().command_tuples
        return -1 if number is None else number

    @property
    def names(self) -> list[tuple[str, int]]:
        """Return name and type of each column."""
        found = self._received()
        return [((found.fname(place) or b"").decode(), found.ftype(place)) for place in range(found.nfields)]

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row."""
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """Return up to this many of the next rows."""
        found = self._received()
        start, self._place = self._place, min(self._place + size, found.ntuples)
        if start == self._place:
            return []
        self._transformer.set_pgresult(found)
        return self._transformer.load_rows(start, self._place, tuple)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the remaining rows."""
        return self.fetchmany(self._received().ntuples)

    def _received(self) -> PGresult:
        if self.result is None:
            raise InterfaceError("The statement was not executed, as one before it failed")
        return self.result


class Exchanges:
    """The round trips of one connection, which is not in psycopg's pipeline mode.

    A transaction begins with its first statement, in the same round trip.

    Args:
        prepared_after: number of executions before a statement is prepared; None prepares none.
    """

    def __init__(self, connection: Connection, prepared_after: int | None) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._transformer: Transformer = MakeTransformer(connection)
        self._queue: list[Result] = []
        self._prepared = _Prepared(prepared_after)

    def queue(
        self,
        sql: bytes,
        params: Sequence[Any] = (),
        *,
        binary: bool = False,
        then: Callable[[Result], None] | None = None,
    ) -> Result:
        """Queue a statement with the placeholders `$1`, `$2`, …. Outside a transaction, call `flush` afterwards.

        Args:
            then: called when the results have arrived, before any statement returns its own. If it may raise, call
                `flush` before the commit.
        """
        if not self._queue and not self._connection.autocommit and self._is_idle():
            self._queue.append(Result(self._transformer, _BEGIN, (), Format.TEXT, None))
        result = Result(self._transformer, sql, params, Format.BINARY if binary else Format.TEXT, then)
        self._queue.append(result)
        return result

    def flush(self) -> None:
        """Send the queued statements, and wait for the results.

        Raises:
            Error: a statement failed. None after it was executed.
        """
        if not self._queue:
            return
        sent, self._queue = self._queue, []
        try:
            results = self._connection.wait(self._exchanged(sent))
        except BaseException:
            self._connection.close()  # after an interrupted round trip, the next one would read its results
            raise
        for one, result in results:
            if result.status not in _GOOD:
                for other in sent:
                    self._prepared.forget(other.key)
                    other.result = None
                raise error_from_result(result, encoding=self._connection.info.encoding)
            one.result = result
        for one in sent:
            if one.then is not None:
                one.then(one)

    def commit(self) -> None:
        """Commit, in the round trip of the queued statements."""
        if self._queue or not self._is_idle():
            self.queue(_COMMIT)
            self.flush()

    def savepoint(self, name: str) -> None:
        """Set a savepoint with the next statement."""
        self.queue(f"SAVEPOINT {name}".encode())

    def release(self, name: str) -> None:
        """Release a savepoint with the next statement. Changes since the savepoint are executed now."""
        self.flush()
        self.queue(f"RELEASE SAVEPOINT {name}".encode())

    def back_to(self, name: str) -> None:
        """Roll back to a savepoint with the next statement."""
        beginning = f"SAVEPOINT {name}".encode()
        while self._queue:
            if self._queue[-1].sql == beginning:
                return
            self._queue.pop()
        self.queue(f"ROLLBACK TO SAVEPOINT {name}".encode())

    def discard(self) -> None:
        """Drop the queued statements."""
        self._queue.clear()

    def forget_prepared(self) -> None:
        """Prepare statements again, because their tables were changed."""
        self._prepared.forget_all()

    def _is_idle(self) -> bool:
        return self._pgconn.transaction_status == TransactionStatus.IDLE

    def _exchanged(self, sent: list[Result]) -> PQGen[list[tuple[Result, PGresult]]]:
        """Send statements. Return their results and those of preparing them. The driver waits at each yield."""
        pgconn = self._pgconn
        named = [(one, *self._prepared.name_of(one.key)) for one in sent]
        closed = self._prepared.closed()
        if len(sent) == 1 and not closed and not named[0][2]:
            sent[0].send(pgconn, named[0][1])
            yield from _flushed(pgconn)
            return [(sent[0], (yield from _received(pgconn)))]
        pgconn.enter_pipeline_mode()
        expected: list[Result] = []
        for name in closed:
            pgconn.send_close_prepared(name)
        for one, prepared_as, is_new in named:
            if prepared_as is not None and is_new:
                one.prepare(pgconn, prepared_as)
                expected.append(one)
            one.send(pgconn, prepared_as)
            expected.append(one)
        pgconn.pipeline_sync()
        yield from _flushed(pgconn)
        for _ in closed:
            yield from _received(pgconn)
        results: list[PGresult] = []
        while len(results) < len(expected):
            results.append((yield from _received(pgconn)))
        yield from _received(pgconn)
        pgconn.exit_pipeline_mode()
        return list(zip(expected, results, strict=True))


def _flushed(pgconn: PGconn) -> PQGen[None]:
    """Send libpq's buffer, and read meanwhile, because a server that cannot send does not receive either."""
    while pgconn.flush():
        if (yield Wait.RW) & Ready.R:
            pgconn.consume_input()


def _received(pgconn: PGconn) -> PQGen[PGresult]:
    """Return the result of one command, or the end of the round trip."""
    found = None
    while True:
        while pgconn.is_busy():
            yield Wait.R
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:
            if found is None:
                raise InterfaceError("The server returned no result")
            return found
        if result.status == ExecStatus.PIPELINE_SYNC:
            return result
        found = found or result


class _Prepared:
    """The prepared statements of a connection, and the number of executions of others."""

    def __init__(self, after: int | None) -> None:
        self._after = after
        self._uses: OrderedDict[_Key, int] = OrderedDict()
        self._names: OrderedDict[_Key, bytes] = OrderedDict()
        self._numbers = count(1)
        self._closed: list[bytes] = []

    def name_of(self, key: _Key) -> tuple[bytes | None, bool]:
        """Return the name of a statement, or None if it is not prepared, and whether it must be prepared now."""
        if self._after is None:
            return None, False
        name = self._names.get(key)
        if name is not None:
            self._names.move_to_end(key)
            return name, False
        uses = self._uses.pop(key, 0)
        if uses < self._after:
            self._uses[key] = uses + 1
            if len(self._uses) > _MAX_COUNTED:
                self._uses.popitem(last=False)
            return None, False
        name = self._names[key] = f"statement_{next(self._numbers)}".encode()
        if len(self._names) > MAX_PREPARED:
            self._closed.append(self._names.popitem(last=False)[1])
        return name, True

    def closed(self) -> list[bytes]:
        """Return, once, the names that the server may forget."""
        closed, self._closed = self._closed, []
        return closed

    def forget(self, key: _Key) -> None:
        """Prepare it again at its next use, because it failed or was not reached."""
        name = self._names.pop(key, None)
        if name is not None:
            self._closed.append(name)

    def forget_all(self) -> None:
        """Prepare all statements again."""
        self._closed += self._names.values()
        self._names.clear()
