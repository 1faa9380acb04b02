"""`bakeoff replay`, and files of articles."""

from bakeoff import installation
from tests.e2e.conftest import ARTICLE
from tests.messages.case import Scene, Section, case, changed, typed
from tests.messages.worlds import world

SPEEDS = {"gunicorn": 5_000.0, "node-http": 9_000.0}
# ab's load, as other tools would make it.
KEPT = ARTICLE.replace('connection = "close"', 'connection = "keep-alive"')
THREADS = KEPT.replace('http = "1.0"', 'http = "1.1"').replace(
    "requests = 1000", "duration_s = 10\nthreads = 9"
)

IN_WORLD = world(requests_per_s=SPEEDS)
AGAIN = ARTICLE[ARTICLE.index("[[comparisons]]") : ARTICLE.index("[[claims]]")].replace("\n", "\\n")
SAID = "^bakeoff: |^[–!] |is out"


def _catalogue(scene: Scene) -> None:
    shipped = scene.folder.parent / "catalogue"
    (shipped / "articles").mkdir(parents=True)
    (shipped / "articles" / "forward.toml").write_text(ARTICLE.replace('"mine"', '"other"'))
    scene.patch.setattr(installation, "shipped", lambda _name: shipped)


SECTION = Section(
    "Replay and articles",
    (
        *typed("""
            replay go-vs-nod
            replay none.toml
            replay mine.toml --scale 0
            replay mine.toml --scale 999
            replay mine.toml --driver siege
            replay mine.toml --driver ab --protocol h2
            replay mine.toml --json /no/such/folder/x
        """),
        case("replay mine.toml --out file", "", world(requests_per_s=SPEEDS), shows="^bakeoff: "),
        case("replay forward", "articles/forward.toml has the name other", _catalogue),
        *(
            case(
                f"replay mine.toml --scale 0.01 --seed 1{words}",
                given,
                situation,
                files={"mine.toml": text},
                shows=SAID,
            )
            for words, given, text, situation in (
                ("", "its third contender is not in the catalogue", ARTICLE, IN_WORLD),
                (
                    "",
                    "its workload is one that gunicorn doesn't serve",
                    ARTICLE.replace('workload = "hello"', 'workload = "json-gzip"'),
                    IN_WORLD,
                ),
                (" --protocol h2", "gunicorn doesn't speak h2", ARTICLE, IN_WORLD),
                (" --driver wrk", "its load is over HTTP/1.0", ARTICLE, IN_WORLD),
                (" --driver oha", "its load keeps its connections, over HTTP/1.0", KEPT, IN_WORLD),
                (
                    " --driver wrk",
                    "its load is a number of requests",
                    ARTICLE.replace("1.0", "1.1", 1),
                    IN_WORLD,
                ),
                (" --driver wrk", "its load has 9 threads and 8 connections", THREADS, IN_WORLD),
                (
                    " --driver ab",
                    "ab is not installed",
                    ARTICLE,
                    world(
                        requests_per_s=SPEEDS,
                        missing_tools={"ab": "ab is not installed: apt-get install apache2-utils"},
                    ),
                ),
                (
                    " --driver ab",
                    "neither server starts",
                    ARTICLE,
                    world(
                        requests_per_s=SPEEDS,
                        unstartable=dict.fromkeys(SPEEDS, "exited with status 1"),
                    ),
                ),
            )
        ),
        *changed(
            "mine.toml",
            ARTICLE,
            """
            title = "gunicorn against Node" ~>
            over = "gunicorn" ~> oevr = "gunicorn"
            requests = 1000 ~>
            above = 1.0 ~>
            above = 1.0 ~> above = 2.0\\nbelow = 1.0
            load = "ab" ~> load = "wrk"
            name = "node-http" ~> name = "gunicorn"
            comparison = "ab" ~> comparison = "wrk"
            of = "node-http" ~> of = "apache"
            name = "ab" ~> name = "A B"
            [[claims]] ~> {AGAIN}[[claims]]
            tool = "ab" ~> tool = "siege"
            metric = "requests_per_s" ~> metric = "speed"
            """.replace("{AGAIN}", AGAIN),
            "replay mine.toml",
        ),
    ),
    files={"mine.toml": ARTICLE, "file": ""},
)
