"""The WSGI application."""

import os

from django.core.wsgi import get_wsgi_application

# Whatever it was: the shared configuration of gunicorn names this service's own settings.
os.environ["DJANGO_SETTINGS_MODULE"] = "bench.ninja.settings"

application = get_wsgi_application()
