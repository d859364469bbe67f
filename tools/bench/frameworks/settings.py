"""Settings of `startproject` for idiomatic Django REST framework."""

import os

import environ

SECRET_KEY = os.environ["SECRET_KEY"]
ALLOWED_HOSTS = ["127.0.0.1"]
DATABASES = {"default": environ.Env().db("DATABASE_URL") | {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.Member"
SERVICE_NAME = "Study data"  # title of the service's admin
ROOT_URLCONF = "tools.bench.frameworks.drf"
TIME_ZONE = "UTC"
USE_TZ = True

_OURS = ("studyservice", "accounts", "courses", "planning", "grades", "practice", "vocab")
_DJANGO = ("admin.apps.SimpleAdminConfig", "auth", "contenttypes", "sessions", "messages")
WEB_THREADS = 4  # read when the models are loaded
INSTALLED_APPS = [*_OURS, *(f"django.contrib.{name}" for name in _DJANGO), "rest_framework"]

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
    "DEFAULT_AUTHENTICATION_CLASSES": ["tools.bench.frameworks.drf_keys.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["tools.bench.frameworks.drf_keys.ActiveMembership"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "PAGE_SIZE": 25,
}
