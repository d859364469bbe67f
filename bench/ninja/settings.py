"""The settings of idiomatic DRF with other routes."""

from bench.idiomatic.settings import *  # noqa: F403  # one list of settings for both

ROOT_URLCONF = "bench.ninja.urls"
