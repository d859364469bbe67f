"""The options of a test run, its start in each process, and its end."""

import os

import pytest

from tests.support import forked_readings, run


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database", choices=["sqlite", "postgresql", "citus"], default="sqlite")
    parser.addoption(
        "--entry-points", choices=["rest", "mcp", "both"], help="to the operations; REST alone on PostgreSQL"
    )
    parser.addoption("--thorough", action="store_true", help="every test on the database of the run, with all examples")
    parser.addoption("--refresh-baselines", action="store_true", help="rewrite the committed baselines")
    parser.addoption("--case", help="run only the cases of `each` whose values contain this text")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare the environment, then Django; xdist workers inherit the environment of the first process."""
    run.collect_no_garbage()
    if config.getoption("--refresh-baselines") and config.getoption("numprocesses", None):
        raise pytest.UsageError("Refresh baselines without -n: each process would write its share alone.")
    first = run.DIRECTORY not in os.environ
    if first:
        config.stash[_started] = run.prepare(config.getoption("--database"), thorough=config.getoption("--thorough"))
    import django

    django.setup()
    from django.conf import settings

    # Otherwise each test client reads every static file when it loads the middleware: 60 ms of CPU.
    settings.WHITENOISE_AUTOREFRESH = True
    # Databases are separate, so files must be too: tests set in the future delete old files without rows.
    settings.MEDIA_ROOT = settings.DATA_DIR / os.environ.get("PYTEST_XDIST_WORKER", "files")
    run.hash_passwords_cheaply()
    run.look_up_no_names()
    run.load_middleware_once()
    forked_readings.put_in_place()
    if text := config.getoption("--case"):
        from tests.support import cases

        cases.run_only(text)
    if first:
        config.stash[_started].migrate()
        run.collect_static_files()
    if config.getoption("--database") != "citus":
        run.flush_filled_tables()


_started = pytest.StashKey[run.Prepared]()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """The number of workers for `-n auto`."""
    return run.workers()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Runs once all tests are known, in the first process and in each worker."""
    run.collect_new_garbage()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Check the statements of requests on Citus from here on: tests being collected have no database."""
    if session.config.getoption("--database") == "citus":
        from tests.support import citus

        citus.route_every_statement()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With NO_SKIPS, as in CI, fail a run that skipped a test."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("NO_SKIPS") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the processes that this one started."""
    forked_readings.end()
    started = config.stash.get(_started, None)
    if started is not None:
        started.end()
