"""Gunicorn's configuration: `gunicorn -c studyservice/gunicorn.py studyservice.wsgi`.

It reads HOST, PORT, WEB_CONCURRENCY (processes), WEB_THREADS (per process) and REDIS_URL.
"""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_CONCURRENCY", "1"))
threads = int(os.environ.get("WEB_THREADS", "4"))
worker_class = "studyservice.worker.JSONErrorWorker"
timeout = 60
graceful_timeout = 30
keepalive = 75
limit_request_line = 8190
limit_request_field_size = 16380
errorlog = "-"
accesslog = None
control_socket_disable = True

if workers > 1 and not os.environ.get("REDIS_URL"):
    raise SystemExit(
        f"WEB_CONCURRENCY is {workers} but REDIS_URL is not set: several processes need Redis to share their "
        "rate limits. Set REDIS_URL, or run one process."
    )
