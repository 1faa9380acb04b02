"""A secret that was planted anywhere in a recording is not in anything that is written."""

import base64
import json
import random
import string
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html import escape
from urllib.parse import quote, quote_plus, unquote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.traffic import Choices, Recording, draft, toml_of
from bakeoff.traffic.recording import Request, path_of

NAMES = st.sampled_from(
    [
        *("password", "newPassword", "access_token", "X-Api-Key", "client_secret", "sessionId"),
        *("authenticity_token", "csrfToken", "refreshToken", "pwd", "pass", "sig"),
    ]
)
PRINTABLE = "".join(map(chr, range(32, 127)))


def written(*several: Request) -> str:
    """All that is written of a recording, as one text."""
    made = draft(Recording("a.har", requests=Counter(several)), Choices("a", most=1000))
    files = [content.decode(errors="replace") for content in made.files().values()]
    return "\n".join([toml_of(made), *files])


def posted(body: str | bytes, kind: str | None) -> Request:
    data = body if isinstance(body, bytes) else body.encode()
    return Request("POST", "/", (("Content-Type", kind),) if kind else (), data)


# What is known by its name: any text around a core by which it is found again, however it is
# escaped. The core alone would not be known.
CORES = st.text("bcdfghjkmnpqrstvwxz", min_size=12, max_size=12)


def around(core: str, alphabet: str | None = None) -> st.SearchStrategy[str]:
    junk = st.text(alphabet, max_size=6) if alphabet else st.text(max_size=6)
    return st.tuples(junk, junk).map(lambda each: each[0] + core + each[1])


LINES = CORES.flatmap(lambda core: st.tuples(st.just(core), around(core, PRINTABLE)))


def as_json(name: str, value: str) -> str:
    return json.dumps({"user": "ann", "in": [{name: value}]})


def as_json_list(name: str, value: str) -> str:
    return json.dumps([{"a": 1, f"{name}s": [value]}], ensure_ascii=False)


def as_pairs(name: str, value: str) -> str:
    return json.dumps([{"name": "user", "value": "ann"}, {"name": name, "value": value}])


def as_json_in_json(name: str, value: str) -> str:
    return json.dumps({"event": json.dumps({name: value})})


def as_json_twice(name: str, value: str) -> str:
    return f'{{"{name}": {json.dumps(value)}, "{name}": "x", "half": "\\ud800"}}'


def as_lines_of_json(name: str, value: str) -> str:
    return "\n".join([json.dumps({"a": 1}), json.dumps({name: value})])


def as_graphql(name: str, value: str) -> str:
    query = "mutation($in: In!) { login(in: $in) { token } }"
    return json.dumps({"query": query, "variables": {"in": {name: value}}})


def as_literal(name: str, value: str) -> str:
    field = name.replace("-", "_")
    return (
        f'mutation {{\n  login(user: "ann", {field}: {json.dumps(value)}) {{ user {{ name }} }}\n}}'
    )


def as_literal_in_json(name: str, value: str) -> str:
    return json.dumps({"query": as_literal(name, value), "variables": None})


def as_form(name: str, value: str) -> str:
    return f"user=ann&{quote_plus(name)}={quote_plus(value)}&page=2"


def as_parts(name: str, value: str) -> str:
    value = value.replace("\r", "").replace("\n", "")
    return (
        '--x-1\r\nContent-Disposition: form-data; name="user"\r\n\r\nann\r\n'
        f'--x-1\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n--x-1--\r\n'
    )


def as_parts_of_json(name: str, value: str) -> str:
    return (
        '--x-1\r\nContent-Disposition: form-data; name="order"; filename="order.json"\r\n'
        f"Content-Type: application/json\r\n\r\n{as_json(name, value)}\r\n--x-1--\r\n"
    )


def as_element(name: str, value: str) -> str:
    return (
        f'<?xml version="1.0"?><a xmlns="urn:a"><b>1</b><{name} t="x">{escape(value)}</{name}></a>'
    )


def as_soap(name: str, value: str) -> str:
    data = value.replace("]]>", "")
    return f"\n<s:E xmlns:s='urn:s'>\n<s:{name}\n><![CDATA[{data}]]></s:{name}></s:E>"


def as_attribute(name: str, value: str) -> str:
    return f'<login user="ann" {name}="{escape(value)}"/>'


def as_entry(name: str, value: str) -> str:
    text = escape(value)
    return f'<m><entry key="{name}">{text}</entry><i name="{name}" value="{text}"/></m>'


def as_property_list(name: str, value: str) -> str:
    return f"<dict><key>{name}</key>\n<string>{escape(value) or '-'}</string></dict>"


def as_table(name: str, value: str) -> str:
    value = value.replace("\r", "").replace("\n", "").replace("\0", "")
    return f'user,{name},page\nbob,,1\nann,"{value.replace(chr(34), chr(34) * 2)}",2\n'


XML_ALPHABET = "".join(map(chr, [*range(32, 0x250), 10]))
ANY_KIND = st.sampled_from(
    [None, "text/plain", "application/octet-stream", "application/x-www-form-urlencoded", "x/y"]
)
FORMATS: list[tuple[Callable[[str, str], str], str | None]] = [
    *((each, "application/json") for each in (as_json, as_json_list, as_pairs, as_json_in_json)),
    *((each, "application/vnd.api+json") for each in (as_json_twice, as_graphql)),
    (as_literal_in_json, "application/json; charset=utf-8"),
    (as_lines_of_json, "application/x-ndjson"),
    (as_literal, "application/graphql"),
    (as_form, "application/x-www-form-urlencoded"),
    (as_parts, "multipart/form-data; boundary=x-1"),
    (as_parts_of_json, 'multipart/form-data; boundary="x-1"'),
    *((each, "application/xml") for each in (as_element, as_attribute, as_entry, as_property_list)),
    (as_soap, "application/soap+xml"),
    (as_table, "text/csv"),
]


@pytest.mark.parametrize("make", FORMATS, ids=lambda made: made[0].__name__)
@given(name=NAMES, data=st.data())
def test_what_is_named_as_one_is_left_out_of_every_format(
    make: tuple[Callable[[str, str], str], str | None], name: str, data: st.DataObject
) -> None:
    render, kind = make
    is_xml = "xml" in (kind or "")
    core = data.draw(CORES)
    value = data.draw(around(core, XML_ALPHABET if is_xml else None))
    # What JSON can say and UTF-8 can't, `\ud800`, is in `as_json_twice`.
    body = render(name, value)
    assert core in body
    # A table is not known by its looks.
    kinds = st.just(kind) if render is as_table else st.just(kind) | ANY_KIND
    assert core not in written(posted(body, data.draw(kinds)))


@given(name=NAMES, secret=LINES, kind=ANY_KIND, between=st.sampled_from([": ", "=", " = ", ":"]))
def test_a_line_of_text_is_left_out_to_its_end(
    name: str, secret: tuple[str, str], kind: str | None, between: str
) -> None:
    core, value = secret
    body = f"user{between}ann\n{name}{between}{value}\npage{between}2\n"
    assert core not in written(posted(body, kind))


# What is known by its looks, wherever it is and whatever it is called.


def token_of(seed: int) -> str:
    drawn = random.Random(seed)
    bits = drawn.randbytes(drawn.choice([48, 64]))
    letters = string.ascii_letters + string.digits
    jwt = ".".join(
        base64.urlsafe_b64encode(each).decode().rstrip("=")
        for each in (b'{"alg":"HS256"}', b'{"sub":"1"}', bits)
    )
    return drawn.choice(
        [
            bits.hex(),
            base64.urlsafe_b64encode(bits).decode(),
            f"sk_live_{''.join(drawn.choices(letters, k=40))}",
            f"AKIA{''.join(drawn.choices(string.ascii_uppercase + '234567', k=16))}",
            jwt,
        ]
    )


TOKENS = st.integers(0, 2**32).map(token_of)
PLACES: dict[str, Callable[[str], Request]] = {
    "a segment": lambda t: Request("GET", f"/go/{t}/now"),
    "the last segment": lambda t: Request("GET", f"/go/{quote(t, safe='')}?a=1"),
    "a parameter of a segment": lambda t: Request("GET", f"/go;x={t}/now"),
    "the query": lambda t: Request("GET", f"/?a=1&state={quote_plus(t)}"),
    "the query alone": lambda t: Request("GET", f"/?{t}"),
    "a name in the query": lambda t: Request("GET", f"/?{t}=1&password={t}"),
    "JSON in the query": lambda t: Request("GET", path_of(f"/?v={quote(json.dumps({'a': [t]}))}")),
    "an address in the query": lambda t: Request("GET", f"/?to={quote_plus(f'/a/{t}?b={t}')}"),
    "a header": lambda t: Request("GET", "/", (("X-Thing", f"a {t}"),)),
    "JSON": lambda t: posted(json.dumps({"a": [1, t, f"see {t}."]}), "application/json"),
    "a key of JSON": lambda t: posted(json.dumps({"a": {t: 1}}), None),
    "JSON that is cut off": lambda t: posted(f'{{"a": "{t}", "b', "application/json"),
    "an address in JSON": lambda t: posted(json.dumps({"to": f"https://a.b/c/{t}/d?e={t}"}), None),
    "GraphQL": lambda t: posted(json.dumps({"query": f'{{ a(b: "{t}") {{ c }} }}'}), None),
    "a form": lambda t: posted(f"a=1&b={quote_plus(t)}", "application/x-www-form-urlencoded"),
    "a form that is not encoded": lambda t: posted(f"a=1&b={t}", None),
    "a part": lambda t: posted(
        f'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n{t}\r\n--x--', None
    ),
    "an element": lambda t: posted(f"<a><b>{t}</b></a>", "text/xml"),
    "an attribute": lambda t: posted(f"<a b='{t}'/>", "text/xml"),
    "a comment": lambda t: posted(f"<a><!-- {t} --></a>", None),
    "a table": lambda t: posted(f"a,b\n1,{t}\n", "text/csv"),
    "text": lambda t: posted(f"It is {t}, or /a/{t}.", "text/plain"),
    "bytes": lambda t: posted(b"\xff\x00" + t.encode() + b"\xfe", "application/octet-stream"),
    "a key of an answer": lambda t: Request(
        "GET", "/", status=200, answer=json.dumps({"of": {t: {"a": 1}}})
    ),
}


@pytest.mark.parametrize("place", PLACES)
@given(token=TOKENS)
def test_what_looks_like_one_is_left_out_of_every_place(place: str, token: str) -> None:
    text = unquote_plus(written(PLACES[place](token)))
    begins = range(0, len(token) - 11)
    assert not [token[at : at + 12] for at in begins if token[at : at + 12] in text]


@given(tokens=st.lists(TOKENS, min_size=20, max_size=25, unique=True))
def test_paths_that_differ_in_a_secret_alone_are_one_request_without_rows(
    tokens: list[str],
) -> None:
    asked = Counter(Request("GET", f"/reset/{quote(token, safe='')}/now") for token in tokens)
    made = draft(Recording("a.log", requests=asked), Choices("a"))
    assert [(request.path, request.weight) for request in made.requests] == [
        ("/reset/LEFT-OUT/now", len(tokens))
    ]
    assert made.files() == {}


@given(tokens=st.lists(TOKENS, min_size=2, max_size=5, unique=True))
def test_rows_have_ids_and_no_secrets(tokens: list[str]) -> None:
    several = [
        replace(posted(f"<a>{t}</a>", "text/xml"), path=f"/u/{n}/{quote(t)}?s={quote_plus(t)}")
        for n, t in enumerate(tokens)
    ]
    made = draft(Recording("a.har", requests=Counter(several)), Choices("a"))
    assert [request.path for request in made.requests] == ["/u/{{u_id}}/LEFT-OUT?s=LEFT-OUT"]
    assert made.columns == {"u_id": [str(number) for number in range(len(tokens))]}


LINKS = ["3f786850e387550fdab836ed7e6dc881", "123e4567-e89b-12d3-a456-426614174000"]


@pytest.mark.parametrize(
    "before", ["reset", "password-reset", "invite", "token", "sessions/verify"]
)
@pytest.mark.parametrize("link", LINKS)
def test_what_looks_like_an_id_is_left_out_where_it_lets_people_in(before: str, link: str) -> None:
    assert link not in written(Request("GET", f"/{before}/{link}?a=1"))
    assert link in written(Request("GET", f"/items/{link}?a=1"))


ORDINARY = [
    *("17", "1234567890123456", "2024-03-15", "v1.2.3", "20261121T204316Z-nginx-vs-2-others"),
    *("123e4567-e89b-12d3-a456-426614174000", "3F2A9C1B-E89B-12D3-A456-426614174000"),
    *("user-123e4567-e89b-12d3-a456-426614174000", "3f786850e387550fdab836ed7e6dc881"),
    *("507f1f77bcf86cd799439011", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "cjld2cjxh0000qzrmn831i7rn"),
    *("dQw4w9WgXcQ", "V1StGXR8_Z5jdHi6B-myT", "Jf3kQ9xLmN2pRs5tVw8y", "B08N5WRWNW"),
    *("how-to-build-a-web-server-in-2024-part-2-of-3", "the_quick_brown_fox_jumps_over_it"),
    *("getUserProfileByIdWithAllOfItsOrders", "com.example.shop.orders.OrderService"),
    *("samsung-galaxy-s24-ultra-256gb-titanium-black", "Lopadotemachoselachogaleokranio"),
    *("ann.smith+newsletter@mail.example.com", "00-3f786850e387550fdab836ed7e6dc881-3f2a-01"),
    *(base64.b64encode(b"User:1234567890123456").decode(), "YXJyYXljb25uZWN0aW9uOjk5"),
]
ASSETS = [
    *("app.3f2a9c1b.js", "main.3f786850e387550fdab836ed7e6dc88114.css", "index-BkX3f9Za.mjs"),
    *("3f786850e387550fdab836ed7e6dc881de23001b.png", "jquery-3.7.1.min.js"),
    "roboto-v30-latin-KFOmCnqEu92Fr1Mu4mxKKTU1Kg.woff2",
]


@pytest.mark.parametrize("ordinary", ORDINARY)
def test_ids_slugs_and_names_stay_wherever_they_are(ordinary: str) -> None:
    quoted = quote_plus(ordinary)
    several = [
        Request("GET", f"/items/{quoted}/x?id={quoted}", (("X-Thing", ordinary),)),
        posted(json.dumps({"id": ordinary, "text": f"It is {ordinary}."}), "application/json"),
        posted(f"<a id='{ordinary}'>{ordinary}</a>", "text/xml"),
        posted(f"id={quoted}", "application/x-www-form-urlencoded"),
        posted(f"It is {ordinary}, it is.", "text/plain"),
        posted(json.dumps({"query": f'{{ a(id: "{ordinary}") {{ token }} }}'}), None),
    ]
    for asked in several:
        text = written(asked)
        assert "LEFT-OUT" not in text and "left out" not in text
        assert (
            ordinary in unquote_plus(text.replace("+", "%2B")).replace("%2B", "+")
            or ordinary in text
        )


@pytest.mark.parametrize("asset", ASSETS)
def test_hashes_in_names_of_assets_stay(asset: str) -> None:
    assert f"/static/{asset}?v=3f2a9c1b" in written(Request("GET", f"/static/{asset}?v=3f2a9c1b"))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (
            "application/graphql",
            "mutation Login($password: String!, $in: [Token!]) {\n"
            "  login(password: $password, session: KEEP, in: $in) { token session { id } }\n}",
        ),
        (
            "application/xml",
            '<a xmlns:auth="https://a.example/auth" auth:b="1"><auth:c>1</auth:c></a>',
        ),
        (
            "text/plain",
            "The author of https://auth:8080/a says: a session of design, by Auth::User.",
        ),
        ("application/json", '{"sha256Hash": "%s"}' % ("3f786850" * 8)),
        ("application/json", '{"token": null, "session": {"a":  1}, "max_tokens": 100}'),
        ("text/csv", "author,page\nann,1\n"),
        ("application/x-www-form-urlencoded", "a=1&b=%7B%22c%22%3A+1%7D&d=x%2Fy%2B+z"),
    ],
)
def test_what_has_no_secret_stays_to_the_byte(kind: str, body: str) -> None:
    made = draft(Recording("a.har", requests=Counter([posted(body, kind)])), Choices("a"))
    assert [request.body for request in made.requests] == [body]
    assert made.remarks == []


def test_bodies_of_other_bytes_are_told() -> None:
    asked = Counter({posted(b"\x1f\x8b\x08\xff", "application/json"): 2, posted("a", None): 1})
    made = draft(Recording("a.har", requests=asked), Choices("a"))
    (remark,) = made.remarks
    assert remark.startswith("2 requests ")
    kept = draft(Recording("a.har", requests=asked), Choices("a", with_secrets=True))
    assert remark not in kept.remarks
