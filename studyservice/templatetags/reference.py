"""Template tags of the API reference."""

from django.template import Library

from studyservice.openapi.reference import curl

register = Library()
register.filter("curl", curl)
