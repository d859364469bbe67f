"""Settings as `startproject` writes them, with the database kept open."""

import os

import environ

env = environ.Env()

SECRET_KEY = os.environ["SECRET_KEY"]
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {"default": env.db("DATABASE_URL") | {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.Member"
SERVICE_NAME = "Study data"  # the service's admin has it as its title
ROOT_URLCONF = "bench.idiomatic.urls"
TIME_ZONE = "UTC"
USE_TZ = True

INSTALLED_APPS = [
    "accounts",
    "courses",
    "planning",
    "grades",
    "practice",
    "vocab",
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "rest_framework",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["bench.idiomatic.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["bench.idiomatic.authentication.ActiveMembership"],
    "DEFAULT_PAGINATION_CLASS": "bench.idiomatic.pagination.SoonestFirst",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "PAGE_SIZE": 25,
}
