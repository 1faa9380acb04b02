"""A Django project in one file: settings, a model, views, URLs and the WSGI application."""

import hashlib
import os
import secrets
import time

import dj_database_url
import django
import requests
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import models
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

THREADS = 4
POOL = min(THREADS, 16 // int(os.environ.get("WEB_CONCURRENCY", 1))) or 1


def databases():
    if "DATABASE_URL" not in os.environ:
        return {}
    default = dj_database_url.parse(os.environ["DATABASE_URL"])
    default["OPTIONS"] = {
        # A connection for each thread, in all processes 16 at most.
        "pool": {"min_size": POOL, "max_size": POOL},
        # A statement is prepared once a connection has executed it five times, psycopg's default,
        # which Django turns off; without the binding each key would make a statement of its own.
        "prepare_threshold": 5,
        "server_side_binding": True,
    }
    return {"default": default}


settings.configure(
    DATABASES=databases(),
    ROOT_URLCONF=__name__,
    SECRET_KEY=secrets.token_urlsafe(),
    ALLOWED_HOSTS=["127.0.0.1"],
    # Those of `django-admin startproject` but for the three that want tables of their own.
    # WhiteNoise, which serves files where no other server does, stands where its documentation
    # says.
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

django.setup()  # before the first model


class Item(models.Model):
    id = models.IntegerField(primary_key=True)
    shelf = models.IntegerField()
    name = models.TextField()

    class Meta:
        app_label = "shop"
        db_table = "item"
        managed = False


# As many connections to the upstream as a process has threads.
upstream = requests.Session()
upstream.mount("http://", requests.adapters.HTTPAdapter(pool_maxsize=THREADS))


@require_GET
def hello(request):
    return HttpResponse("Hello, World!", content_type="text/plain")


@require_GET
def empty(request):
    return HttpResponse(content_type="text/plain")


def rendered(value):
    # The separators leave out the spaces that json would put. Django wants to be told of a list.
    return JsonResponse(value, safe=False, json_dumps_params={"separators": (",", ":")})


@require_GET
def fillbuffer(request):
    return rendered({"result": "Hello world"})


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


@require_GET
def row(request):
    key = request.GET["id"]
    if not key.isdecimal():
        raise Http404
    return rendered(get_object_or_404(Item.objects.values(), id=key))


@require_GET
def page(request):
    return rendered(list(Item.objects.filter(shelf=request.GET["shelf"]).order_by("id").values()))


urlpatterns = [
    path("", hello),
    path("empty", empty),
    path("fillbuffer", fillbuffer),
    path("echo", echo),
    path("delay", delay),
    path("upload", upload),
    path("forward", forward),
    path("row", row),
    path("page", page),
]

app = get_wsgi_application()
