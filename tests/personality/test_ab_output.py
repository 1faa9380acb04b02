"""What ab prints and writes beside its usual page: -v, -w, -e, -g."""

from pathlib import Path

from tests.personality.comparison import Case, assert_same, table
from tests.personality.server import Asked, Close, Step, ordinary, response

POST = {"post.txt": "a=1&b=2"}


def mixed(asked: Asked) -> tuple[Step, ...]:
    """Another length each time; the second a 500, the third nothing."""
    if asked.total == 2:
        return (Close(),)
    status = "500 Oops" if asked.total == 1 else "200 OK"
    return response(b"x" * (1 + asked.total), status), Close()


VERBOSE = [
    Case(f"ab -n 4 -v {level} {words} @/", note, answer, files=POST)
    for level in (1, 2, 3, 4, 5)
    for words, note, answer in (
        ("", "", ordinary()),
        ("-k", "", ordinary()),
        ("-p post.txt", "", ordinary()),
        ("-u post.txt", "", ordinary()),
        ("-i", "", ordinary(b"")),
        ("-m PURGE", "", ordinary()),
        ("-l", "mixed", mixed),
        ("", "mixed", mixed),
        ("-w", "", ordinary()),
    )
]
HTML = [
    Case(f"ab -n 3 -w {words} @/", note, answer, files=POST)
    for words, note, answer in (
        ("", "", ordinary()),
        ("-k", "", ordinary()),
        ("-d -S -q", "", ordinary()),
        ("-x border=1 -y bgcolor=red -z align=left", "", ordinary()),
        ("-x ''", "", ordinary()),
        ("-l", "", ordinary()),
        ("-k -p post.txt", "", ordinary()),
        ("-k -p post.txt", "mixed", mixed),
        ("-r", "mixed", mixed),
        ("-X @", "", ordinary()),
    )
] + [Case("ab -n 200 -w @/", "progress")]
WRITTEN = [
    Case(f"ab -n {n} {words} -e out.csv -g out.tsv @/", written=("out.csv", "out.tsv"))
    for n, words in ((2, ""), (5, "-k"), (20, "-c 4"), (100, "-d -S"), (7, "-w"))
]


@table([*VERBOSE, *HTML])
def test_printed(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)


@table(WRITTEN)
def test_written(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
