"""A workload's file with the files that it names: read, and checked for unsendable parts."""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bakeoff.model.errors import BadFile
from bakeoff.model.fields import FIELD, fault, filled
from bakeoff.model.request import ExpectSection, RequestSection
from bakeoff.model.workload import Workload
from bakeoff.plan.protos import with_messages

FILES_BYTES_MAX = 16 * 1024 * 1024
"""A run keeps the files of its workload in its plan, which is read often."""
OF_ENGINE = frozenset({"host", "connection", "content-length", "transfer-encoding"})
"""Headers that follow from the server, the connection and the body."""
_NO_TARGET = re.compile(r"[^!-~]")
_NO_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def read_workload(path: Path) -> Workload:
    """A workload's file, with the files that it names. Raises `BadFile`."""
    workload = Workload.read_toml(path)
    if not workload.model_fields_set & {"request", "requests"}:
        raise BadFile(
            path, "request", 'is missing; a workload has [request] with path = "/", or several'
        )
    return with_files(workload, path)


def with_files(workload: Workload, path: Path) -> Workload:
    """`workload`, read from `path`, with the files beside it that it names.

    Raises `BadFile` where they can't be read, or fields don't fit.
    """
    if workload.files:
        raise BadFile(
            path,
            "files",
            "is filled in by a run; leave it out, and name each file where it is used",
        )
    if workload.grpc:
        grpc = with_messages(workload.grpc, path)
        workload = workload.model_copy(update={"grpc": grpc})
    files: dict[str, str] = {}
    size = 0
    for key, name in workload.names_files:
        file = path.parent / name
        try:
            content = file.read_bytes()
        except OSError as error:
            why = f"names {name}, which can't be read: {error.strerror} ({file})"
            raise BadFile(path, key, why) from None
        size += len(content) if name not in files else 0
        if size > FILES_BYTES_MAX:
            raise BadFile(
                path, key, f"names {name}: all files are over 16 MiB, the most that a run keeps"
            )
        files[name] = base64.b64encode(content).decode()
    whole = workload.model_copy(update={"files": files})
    try:
        columns, _ = whole.table()
    except ValueError as error:
        raise BadFile(path.parent / str(workload.data), None, str(error)) from None
    for key, why in (*_faults(whole, columns), *_unsendable(whole)):
        raise BadFile(path, key, why)
    return whole


def _faults(workload: Workload, columns: list[str]) -> Iterator[tuple[str, str]]:
    """Key and fault of each part that the engine can't send or check."""
    names = list(columns)
    for place, once in enumerate(workload.once):
        yield from _of_request(workload, f"once.{place}", once, names)
        for name in once.take:
            if name in names:
                yield (
                    f"once.{place}.take.{name}",
                    "is the name of a column or of an earlier token; choose another",
                )
            names.append(name)
    for place, request in enumerate(workload.requests or (workload.request,)):
        at = f"request.{place}" if workload.requests else "request"
        yield from _of_request(workload, at, request, names)


def _of_request(
    workload: Workload, at: str, request: RequestSection, names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    texts = [] if workload.exchange else [*request.texts]
    if request.body_file is not None:
        with suppress(UnicodeDecodeError):  # A file that is not text is sent unchanged.
            texts.append(("body_file", workload.content(request.body_file).decode()))
    for key, text in texts:
        if why := fault(text, names):
            yield f"{at}.{key}", why
    given = {name.lower(): name for name in request.headers}
    for name in request.headers:
        if not _TOKEN.fullmatch(name):
            yield (
                f"{at}.headers.{name}",
                "is not a header name, which has letters, digits and hyphens",
            )
    for name in given.keys() & OF_ENGINE:
        yield f"{at}.headers.{given[name]}", "is sent by the load engine itself; leave it out"
    expect = request.expect or (ExpectSection() if workload.requests else workload.expect)
    if workload.differs_by_row(expect) and (why := _fault_of_row(expect.body or "", workload)):
        yield f"{at}.expect.body" if request.expect else "expect.body", why
    if "accept-encoding" in given and expect.looks_inside:
        why = "requests compressed answers, and what a body contains is looked for uncompressed"
        yield f"{at}.headers.{given['accept-encoding']}", f"{why}: leave one of the two out"


def _fault_of_row(body: str, workload: Workload) -> str:
    """Why a right body can't be known from a row of the data; empty: it can."""
    columns, _ = workload.table()
    if why := fault(body, columns):
        return why
    for field in (match[1].strip() for match in FIELD.finditer(body)):
        if field not in columns:
            return f"has {{{{{field}}}}}; what is expected has columns of the data alone"
    return ""


def _unsendable(workload: Workload) -> Iterator[tuple[str, str]]:
    """Paths and values of headers that are impossible in HTTP, with any row of the data."""
    columns, rows = workload.table()
    tokens = {name: "token" for once in workload.once for name in once.take}
    sections: list[tuple[str, RequestSection]] = [
        *((f"once.{place}", once) for place, once in enumerate(workload.once)),
        *((f"request.{place}", request) for place, request in enumerate(workload.requests)),
    ]
    if not workload.requests:
        sections.append(("request", workload.request))
    for at, section in sections:
        for key, text in section.texts:
            wrong = {"path": _NO_TARGET}.get(key, _NO_VALUE)
            if key == "body":
                continue
            used = {match[1].strip() for match in FIELD.finditer(text)} & set(columns)
            for row in rows if used else [()]:
                values = dict(zip(columns, row, strict=False))
                whole = filled(text, {**tokens, **values})
                if found := wrong.search(whole):
                    yield f"{at}.{key}", _why(key, whole, found[0], values, used)
                    return


def _why(key: str, whole: str, found: str, values: Mapping[str, str], used: set[str]) -> str:
    where = "".join(f", where {name} is {values[name]!r}" for name in sorted(used))
    if key == "path":
        encoded = "".join(f"%{byte:02X}" for byte in found.encode())
        return f"is {whole!r}{where}: in a path {found!r} is written {encoded}"
    return f"is {whole!r}{where}: a header's value has no control characters"
