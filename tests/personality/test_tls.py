"""ab and wrk with https. wrk takes any certificate."""

from pathlib import Path
from ssl import TLSVersion

from tests.personality.comparison import Case, answered, assert_same, commands, table
from tests.personality.server import Close, always, ordinary, response
from tests.personality.test_wrk_answers import COUNTS
from tests.personality.test_wrk_scripts import TWENTY

OLD = (TLSVersion.TLSv1_2, TLSVersion.TLSv1_2)
NEW = (TLSVersion.TLSv1_3, TLSVersion.TLSv1_3)
BOTH = (TLSVersion.TLSv1_2, TLSVersion.TLSv1_3)

AB_SESSIONS = [
    case
    for versions in (OLD, NEW, BOTH)
    for case in commands(
        "ab -n 3 {} https://@/",
        "| -k | -c 2 | -w | -f TLS1.2 | -f TLS1.3 | -f ALL | -f SSL2 | -f SSL3 | -f tls1.2"
        "| -f nonsense | -I",
        note=f"{versions[0].name} to {versions[1].name}",
        tls=versions,
    )
]
AB_ANSWERS = [
    *answered(
        "ab -n 3 https://@/",
        {
            "300 KB": ordinary(b"x" * 300_000),
            "closed without an answer": always(Close()),
            "500": always(response(status="500 X"), Close()),
        },
        tls=BOTH,
    ),
    Case("ab -n 4 -k -c 2 -l https://@/", tls=BOTH),
    Case("ab -n 3 -p post.txt https://@/", tls=BOTH, files={"post.txt": "x" * 40_000}),
    Case("ab -n 2 http://@/", "http to a server with TLS", tls=BOTH),
    Case("ab -n 2 -E both.pem https://@/", "a client's certificate nobody asked for", tls=BOTH),
    Case("ab -n 2 -v 2 https://@/", "what the certificate says", tls=NEW),
    Case("ab -n 2 -v 2 https://@/", "what the certificate says", tls=OLD),
    Case("ab -n 3 -f TLS1 https://@/", "TLS 1.0, which the server hasn't", tls=BOTH),
    Case("ab -n 3 -f TLS1.1 https://@/", "TLS 1.1, which the server hasn't", tls=BOTH),
]
AB_CIPHERS = commands(
    "ab -n 2 -Z {} https://@/",
    "ECDHE-RSA-AES128-GCM-SHA256 | ECDHE-RSA-AES256-GCM-SHA384 | ECDHE-RSA-CHACHA20-POLY1305"
    "| ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384 | HIGH"
    "| ALL | DEFAULT | HIGH:!aNULL",
    tls=OLD,
)
AB_REFUSED = commands("ab {} https://127.0.0.1:1/", "| -n 3 | -f SSL9 | -E nofile | -Z nonsense")
WRK_RUNS = [
    case
    for versions in (OLD, NEW)
    for case in commands(
        "wrk -d1 {} https://@/",
        "-t1 -c2 | -t2 -c4 --latency | -t1 -c1 -H 'Host: localhost'",
        note=versions[0].name,
        tls=versions,
        exact=False,
    )
]
WRK_COUNTED = [
    case
    for tls in (OLD, NEW)
    for case in answered(
        "wrk -t1 -c1 -d1 -s stop.lua https://@/",
        {
            f"200, {tls[0].name}": ordinary(),
            f"300 KB, {tls[0].name}": ordinary(b"x" * 300_000),
            f"500, {tls[0].name}": ordinary(status="500 Oops"),
        },
        tls=tls,
        files={"stop.lua": TWENTY + COUNTS},
    )
] + answered(
    "wrk -t1 -c1 -d1 -s stop.lua https://@/",
    {
        "said to be closed, and closed": always(
            response(b"hi", "200 OK", "Connection: close"), Close()
        )
    },
    tls=OLD,
    files={"stop.lua": TWENTY + COUNTS},
)
NO_ANSWER = "closed without an answer"
WRK_WRONG = [
    Case("wrk -t1 -c2 -d1 https://@/", NO_ANSWER, always(Close()), tls=NEW, exact=False),
    Case("wrk -t1 -c2 -d1 http://@/", "http to a server with TLS", tls=NEW, exact=False),
    Case("wrk -t1 -c2 -d1 https://@/", "https to a server without", exact=False),
]


@table(AB_SESSIONS, AB_ANSWERS, AB_CIPHERS, AB_REFUSED, WRK_RUNS, WRK_COUNTED, WRK_WRONG)
def test_https(case: Case, tmp_path: Path, certificate: Path) -> None:
    assert_same(case, tmp_path, certificate)
