# The service as one image: migrations, commands and the server. docs/operating.md says how to run it.
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm
FROM ${PYTHON_IMAGE} AS build
# Use requirements/s3.txt for files in a bucket.
ARG REQUIREMENTS=requirements/runtime.txt
WORKDIR /srv
RUN python -m venv /opt/venv
COPY requirements requirements
RUN /opt/venv/bin/pip install --quiet --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: \
        -r "${REQUIREMENTS}" \
    && /opt/venv/bin/pip uninstall --quiet --yes pip setuptools
COPY . ./
# Hash the names of static files, and let the user below read everything, whatever the checkout's umask was. These values
# are for these commands only, and are not kept.
RUN export DATA_DIR=/tmp BASE_URL=http://127.0.0.1:8000 EMAIL_URL=consolemail:// \
        SECRET_KEY="$(/opt/venv/bin/python -c 'import secrets; print(secrets.token_urlsafe(64))')" \
    && /opt/venv/bin/python manage.py collectstatic --no-input --verbosity 0 \
    && /opt/venv/bin/python -m compileall -q . \
    && chmod -R a+rX .

FROM ${PYTHON_IMAGE}
RUN groupadd --gid 10001 study \
    && useradd --uid 10001 --gid study --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin study \
    && install -d -o study -g study -m 0700 /data
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv /srv
WORKDIR /srv
ENV PATH=/opt/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 DATA_DIR=/data HOST=0.0.0.0 PORT=8000
USER 10001:10001
EXPOSE 8000
# Gunicorn finishes running requests after this signal.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from os import environ as e; from urllib.request import urlopen; urlopen(f'http://127.0.0.1:{e[\"PORT\"]}/health', timeout=4)"]
CMD ["gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi"]
