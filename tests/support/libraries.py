"""Slow imports that need no settings. The process that forks servers loads them once.

A library that reads settings here would read those of another process. The settings variable is removed from the
environment, so such a library fails instead.
"""

import gc
import os
import sys
from importlib import import_module

LIBRARIES = (
    "cryptography.x509",
    "django.contrib.admin.sites",
    "django.core.handlers.wsgi",
    "django.db.backends.postgresql.base",
    "django.db.migrations.executor",
    "django.test",  # which drf-spectacular imports
    "django.utils.feedgenerator",
    "environ",
    "fsrs",
    "gunicorn.arbiter",
    "gunicorn.workers.gasgi",
    "icalendar",
    "jwcrypto.jwk",
    "limits.aio",
    "math_core",
    "mcp.server.lowlevel",
    "mcp.server.runner",
    "mcp_types.methods",
    "oauth2_provider.validators",
    "oauthlib.oauth2",
    "platformdirs",
    "psycopg",
    "recurring_ical_events",
    "redis",
    "regex",
    "requests",
    "rest_framework.compat",
    "rest_framework.fields",
    "segno",
    "smtplib",
    "whitenoise.base",
)

os.environ.pop("DJANGO_SETTINGS_MODULE", None)
gc.disable()
for name in LIBRARIES:
    import_module(name)
if "studyservice" in sys.modules:
    raise RuntimeError("What is the service's own each process loads with its settings.")
gc.freeze()  # loaded modules are kept
gc.enable()
