"""The WSGI application; it does not start when a system check fails."""

import os

import django
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import BaseCommand

from studyservice.http.requests import Request
from studyservice.rates import limiter as rates

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")


class Handler(WSGIHandler):
    """Django's application, with requests whose body may be chunked."""

    request_class = Request


django.setup(set_prefix=False)
rates.start()
application = Handler()
BaseCommand().check()
