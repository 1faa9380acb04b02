"""wrk with https: it takes any certificate."""

from pathlib import Path
from ssl import TLSVersion

from tests.personality.comparison import Case, assert_same, table
from tests.personality.server import Answer, Close, always, ordinary, response
from tests.personality.test_wrk_answers import COUNTS
from tests.personality.test_wrk_scripts import TWENTY

OLD = (TLSVersion.TLSv1_2, TLSVersion.TLSv1_2)
NEW = (TLSVersion.TLSv1_3, TLSVersion.TLSv1_3)
STOPPING = "wrk -t1 -c1 -d1 -s stop.lua"
SCRIPT = {"stop.lua": TWENTY + COUNTS}
ANSWERS: dict[str, Answer] = {
    "200": ordinary(),
    "300 KB": ordinary(b"x" * 300_000),
    "500": ordinary(status="500 Oops"),
}
CLOSING = always(response(b"hi", "200 OK", "Connection: close"), Close())

RUNS = [
    Case(f"wrk -d1 {words} https://@/", versions[0].name, tls=versions, exact=False)
    for versions in (OLD, NEW)
    for words in ("-t1 -c2", "-t2 -c4 --latency", "-t1 -c1 -H 'Host: localhost'")
]
COUNTED = [
    Case(f"{STOPPING} https://@/", f"{note}, {tls[0].name}", answer, tls=tls, files=SCRIPT)
    for tls in (OLD, NEW)
    for note, answer in ANSWERS.items()
] + [
    Case(f"{STOPPING} https://@/", "said to be closed, and closed", CLOSING, tls=OLD, files=SCRIPT)
]
WRONG = [
    Case(
        "wrk -t1 -c2 -d1 https://@/",
        "closed without an answer",
        always(Close()),
        tls=NEW,
        exact=False,
    ),
    Case("wrk -t1 -c2 -d1 http://@/", "http to a server with TLS", tls=NEW, exact=False),
    Case("wrk -t1 -c2 -d1 https://@/", "https to a server without", exact=False),
]


@table([*RUNS, *COUNTED, *WRONG])
def test_https(case: Case, tmp_path: Path, certificate: Path) -> None:
    assert_same(case, tmp_path, certificate)
