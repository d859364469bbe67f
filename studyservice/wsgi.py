"""Django's handler, which is also a WSGI application. It does not start if a system check fails."""

import os

import django
from django.core.cache import close_caches
from django.core.handlers.base import reset_urlconf
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import BaseCommand
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries

from studyservice.rates import limiter as rates

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")


django.setup(set_prefix=False)
# Before each request Django closes broken database connections; that stays. After it, Django does so again for
# connections that are not kept, closes caches, and forgets logged queries and the URL prefix. None of that applies
# here.
request_started.disconnect(reset_queries)
request_finished.disconnect(close_old_connections)
request_finished.disconnect(close_caches)
request_finished.disconnect(reset_urlconf)
rates.windows()
application = WSGIHandler()
BaseCommand().check()
