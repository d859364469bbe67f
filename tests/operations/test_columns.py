"""A field is declared once, beside its column; a column that is forgotten somewhere fails here."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db.models import Model

from courses.models import Course
from courses.pages.course_forms import CourseForm
from studyservice.operations.serializers import Body, Record
from tests import ROOT
from tests.operations.test_rows import NAMES, OPERATIONS
from tests.support.any_share import APPS

pytestmark = pytest.mark.once("fields as they are declared")
