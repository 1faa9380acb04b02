"""A Django project in one file: settings, views, URLs and the WSGI application."""

import hashlib
import os
import secrets
import time

import requests
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

settings.configure(
    ROOT_URLCONF=__name__,
    SECRET_KEY=secrets.token_urlsafe(),
    ALLOWED_HOSTS=["127.0.0.1"],
    # Those of `django-admin startproject` but for the three that want a database. WhiteNoise, which
    # serves files where no other server does, stands where its documentation says.
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "whitenoise.middleware.WhiteNoiseMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    STATIC_URL="/static/",
    STATIC_ROOT=os.environ.get("STATIC_DIR"),
)

# As many connections to the upstream as a process has threads.
upstream = requests.Session()
upstream.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=4))


@require_GET
def hello(request):
    return HttpResponse("Hello, World!", content_type="text/plain")


@require_GET
def empty(request):
    return HttpResponse(content_type="text/plain")


@require_GET
def fillbuffer(request):
    # The separators leave out the spaces that json would put.
    return JsonResponse({"result": "Hello world"}, json_dumps_params={"separators": (",", ":")})


@csrf_exempt
@require_POST
def echo(request):
    return HttpResponse(request.body, content_type="text/plain")


@require_GET
def delay(request):
    time.sleep(0.005)
    return HttpResponse("Hello, World!", content_type="text/plain")


@csrf_exempt
@require_POST
def upload(request):
    digest = hashlib.sha256()
    while piece := request.read(65536):
        digest.update(piece)
    return HttpResponse(digest.hexdigest(), content_type="text/plain")


@require_GET
def forward(request):
    answer = upstream.get(os.environ["UPSTREAM"] + "/")
    kind = answer.headers["Content-Type"]
    return HttpResponse(answer.content, content_type=kind, status=answer.status_code)


urlpatterns = [
    path("", hello),
    path("empty", empty),
    path("fillbuffer", fillbuffer),
    path("echo", echo),
    path("delay", delay),
    path("upload", upload),
    path("forward", forward),
]

app = get_wsgi_application()
