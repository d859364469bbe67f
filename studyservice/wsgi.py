"""The WSGI application; it does not start when a system check fails."""

import os

import django
from django.core.cache import close_caches
from django.core.handlers.base import reset_urlconf
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import BaseCommand
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, reset_queries

from studyservice.http.requests import Request
from studyservice.rates import limiter as rates

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")


class Handler(WSGIHandler):
    """Django's application, with requests whose body may be chunked."""

    request_class = Request


django.setup(set_prefix=False)
# Before each request Django drops connections to the database that have failed, and does so here too. After it, it does
# so again, for those that are not kept between requests, and closes caches: here are neither, nor logged queries. It
# also forgets where the routes of the request stood, which each request says when it begins.
request_started.disconnect(reset_queries)
request_finished.disconnect(close_old_connections)
request_finished.disconnect(close_caches)
request_finished.disconnect(reset_urlconf)
rates.start()
application = Handler()
BaseCommand().check()
