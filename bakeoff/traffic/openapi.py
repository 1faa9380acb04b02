"""OpenAPI descriptions (3.x, and Swagger 2.0), in JSON or YAML."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import yaml

from bakeoff.model.errors import BadFile
from bakeoff.traffic.recording import Recording, Request, path_of, read_bytes

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_REFERENCES = 32
"""How many references may follow each other."""
_DEEPEST = 200
"""How many levels of YAML are read."""
_NOTHING = object()


def read_openapi(path: Path) -> Recording:
    """The GETs that can be sent: those without required parameters, and those with examples.

    Raises `BadFile`.
    """
    document = _Document(path, _read(path))
    paths = document.root.get("paths")
    version = document.root.get("openapi") or document.root.get("swagger")
    if not isinstance(paths, dict) or version is None:
        raise BadFile(path, None, "is not an OpenAPI description: it needs `openapi` and `paths`")
    recording = Recording(path.name)
    before = _prefix(document)
    for template, item in paths.items():
        item = document.followed(item)
        if not isinstance(template, str) or not isinstance(item, dict):
            continue
        for method in _METHODS:
            if method != "get" and isinstance(item.get(method), dict):
                recording.left_out[f"with the method {method.upper()}"] += 1
        if isinstance(operation := item.get("get"), dict):
            request, reason = _request(document, before, template, item, operation)
            if request:
                recording.requests[request] = 1
            else:
                recording.left_out[reason] += 1
    if document.root.get("security") or any("security" in operation for operation in _gets(paths)):
        recording.notes.append(
            "the description requires credentials: add them to [request.headers]"
        )
    return recording


def _read(path: Path) -> Any:
    text = read_bytes(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # The loader calls itself for each level; in C that would end the process.
        depth = 0
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise BadFile(path, None, f"is nested more than {_DEEPEST} levels deep")
        return yaml.load(text, Loader=loader)
    except RecursionError:
        raise BadFile(path, None, "is nested too deeply") from None
    except (yaml.YAMLError, ValueError, TypeError) as error:
        words = " ".join(str(error).split())
        raise BadFile(path, None, f"is neither JSON nor YAML: {words[:200]}") from None


class _Document:
    """The whole description, in which references are followed."""

    def __init__(self, path: Path, root: Any) -> None:
        if not isinstance(root, dict):
            raise BadFile(
                path, None, "is not an OpenAPI description: its top level is not an object"
            )
        self.path, self.root = path, root

    def followed(self, value: Any) -> Any:
        """The target of a reference within the document; any other value unchanged.

        None: the target doesn't exist.
        """
        for _ in range(_REFERENCES):
            if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
                return value
            value = self._at(value["$ref"])
        return None

    def _at(self, reference: str) -> Any:
        if not reference.startswith("#/"):
            return None
        value: Any = self.root
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            value = value.get(key) if isinstance(value, dict) else None
        return value


def _prefix(document: _Document) -> str:
    root = document.root
    servers = root.get("servers")
    url = root.get("basePath", "")
    if isinstance(servers, list) and servers and isinstance(servers[0], dict):
        url = servers[0].get("url", "")
        variables = servers[0].get("variables")
        for name, variable in variables.items() if isinstance(variables, dict) else ():
            if isinstance(variable, dict):
                url = str(url).replace(f"{{{name}}}", str(variable.get("default", "")))
    try:
        return urlsplit(str(url)).path.rstrip("/")
    except ValueError:
        return ""


def _request(
    document: _Document, before: str, template: str, item: dict[str, Any], operation: dict[str, Any]
) -> tuple[Request | None, str]:
    path = before + template
    query: list[tuple[str, str]] = []
    headers: list[tuple[str, str]] = []
    for parameter in _parameters(document, item, operation):
        name, where = str(parameter.get("name", "")), parameter.get("in")
        if not parameter.get("required") and where != "path":
            continue
        value = _example(document, parameter)
        if value is _NOTHING:
            return None, "with a required parameter that has no example"
        if where == "path":
            path = path.replace(f"{{{name}}}", quote(_joined(value), safe=""))
        elif where == "query":
            many = value if isinstance(value, list) else [value]
            query += [(name, _text(one)) for one in many]
        elif where == "header" and name:
            headers.append((name, _joined(value)))
        elif where == "cookie" and name:
            headers.append(("Cookie", f"{name}={_joined(value)}"))
    if "{" in path or not path.startswith("/"):
        return None, "with a path that isn't described whole"
    status, kind = _answer(document, operation)
    whole = path_of(path + (f"?{urlencode(query)}" if query else ""))
    label = operation.get("operationId")
    accept = ("Accept", kind or "*/*")
    named = label if isinstance(label, str) and label else None
    return Request("GET", whole, (accept, *headers), b"", status, kind, label=named), ""


def _parameters(
    document: _Document, item: dict[str, Any], operation: dict[str, Any]
) -> list[dict[str, Any]]:
    found: dict[tuple[Any, Any], dict[str, Any]] = {}
    for source in (item, operation):
        listed = source.get("parameters")
        for item in listed if isinstance(listed, list) else ():
            parameter = document.followed(item)
            if isinstance(parameter, dict):
                found[str(parameter.get("name")), str(parameter.get("in"))] = parameter
    return list(found.values())


def _example(document: _Document, parameter: dict[str, Any]) -> Any:
    """A value that the description gives: an example, a default, the first of a list of choices.

    A text, a number, or a list of them, but not an object, which could be written in several ways.
    """
    schema = document.followed(parameter.get("schema"))
    for source in (parameter, schema if isinstance(schema, dict) else {}):
        examples, choices = source.get("examples"), source.get("enum")
        first = None
        if isinstance(examples, dict) and examples:
            first = document.followed(next(iter(examples.values())))
        given = (
            source.get("example"),
            first.get("value") if isinstance(first, dict) else None,
            examples[0] if isinstance(examples, list) and examples else None,
            source.get("default"),
            choices[0] if isinstance(choices, list) and choices else None,
        )
        for value in given:
            several = value if isinstance(value, list) else [value]
            if several and all(isinstance(one, str | int | float | date) for one in several):
                return value
    return _NOTHING


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def _joined(value: Any) -> str:
    """Several values with commas between them, as in paths and headers."""
    return ",".join(map(_text, value)) if isinstance(value, list) else _text(value)


def _answer(document: _Document, operation: dict[str, Any]) -> tuple[int, str | None]:
    responses = operation.get("responses")
    for code, response in responses.items() if isinstance(responses, dict) else ():
        text = str(code).upper().replace("XX", "00")
        if not (text.isdecimal() and text.isascii() and 200 <= int(text) < 300):
            continue
        response = document.followed(response)
        content = response.get("content") if isinstance(response, dict) else None
        kinds = list(content) if isinstance(content, dict) else operation.get("produces")
        kind = kinds[0] if isinstance(kinds, list) and kinds else None
        return int(text), kind if isinstance(kind, str) and "*" not in kind else None
    return 200, None


def _gets(paths: dict[Any, Any]) -> Iterator[dict[str, Any]]:
    for item in paths.values():
        if isinstance(item, dict) and isinstance(item.get("get"), dict):
            yield item["get"]
