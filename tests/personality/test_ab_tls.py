"""ab with https."""

from pathlib import Path
from ssl import TLSVersion

from tests.personality.comparison import Case, assert_same, table
from tests.personality.server import Close, always, ordinary, response

OLD = (TLSVersion.TLSv1_2, TLSVersion.TLSv1_2)
NEW = (TLSVersion.TLSv1_3, TLSVersion.TLSv1_3)
BOTH = (TLSVersion.TLSv1_2, TLSVersion.TLSv1_3)

SESSIONS = [
    Case(f"ab -n 3 {words} https://@/", f"{versions[0].name} to {versions[1].name}", tls=versions)
    for versions in (OLD, NEW, BOTH)
    for words in (
        "",
        "-k",
        "-c 2",
        "-w",
        "-f TLS1.2",
        "-f TLS1.3",
        "-f ALL",
        "-f SSL2",
        "-f SSL3",
        "-f tls1.2",
        "-f nonsense",
        "-I",
    )
]
ANSWERS = [
    Case("ab -n 4 -k -c 2 -l https://@/", tls=BOTH),
    Case("ab -n 3 https://@/", "300 KB", ordinary(b"x" * 300_000), tls=BOTH),
    Case("ab -n 3 https://@/", "closed without an answer", always(Close()), tls=BOTH),
    Case("ab -n 3 https://@/", "500", always(response(status="500 X"), Close()), tls=BOTH),
    Case("ab -n 3 -p post.txt https://@/", tls=BOTH, files={"post.txt": "x" * 40_000}),
    Case("ab -n 2 http://@/", "http to a server with TLS", tls=BOTH),
]
CIPHERS = [
    Case(f"ab -n 2 -Z {ciphers} https://@/", tls=OLD)
    for ciphers in (
        "ECDHE-RSA-AES128-GCM-SHA256",
        "ECDHE-RSA-AES256-GCM-SHA384",
        "ECDHE-RSA-CHACHA20-POLY1305",
        "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384",
        "HIGH",
        "ALL",
        "DEFAULT",
        "HIGH:!aNULL",
    )
]
CLIENTS = [
    Case("ab -n 2 -E both.pem https://@/", "a client's certificate nobody asked for", tls=BOTH),
    Case("ab -n 2 -v 2 https://@/", "what the certificate says", tls=NEW),
    Case("ab -n 2 -v 2 https://@/", "what the certificate says", tls=OLD),
]
OLDER = [
    Case("ab -n 3 -f TLS1 https://@/", "TLS 1.0, which the server hasn't", tls=BOTH),
    Case("ab -n 3 -f TLS1.1 https://@/", "TLS 1.1, which the server hasn't", tls=BOTH),
]
REFUSED = [
    Case(f"ab {words} https://127.0.0.1:1/")
    for words in ("", "-n 3", "-f SSL9", "-E nofile", "-Z nonsense")
]


@table([*SESSIONS, *ANSWERS, *CIPHERS, *CLIENTS, *OLDER, *REFUSED])
def test_https(case: Case, tmp_path: Path, certificate: Path) -> None:
    assert_same(case, tmp_path, certificate)
