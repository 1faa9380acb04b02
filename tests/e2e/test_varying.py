"""Applications whose answers have times and ids race as they are, and wrong answers are found."""

import shutil
import sys
from pathlib import Path
from shlex import quote

import pytest

from bakeoff.build import build, out_folder
from bakeoff.model.verdict import Verdict
from bakeoff.plan import Catalogue, resolve_contenders
from tests.e2e.conftest import QUICK, Ended, Place

pytestmark = pytest.mark.e2e
FASTAPI = """
import random, secrets, time, uuid
from datetime import datetime
from fastapi import FastAPI

app = FastAPI()

@app.get("/")
def order():
    return {
        "id": str(uuid.uuid4()),
        "number": random.randrange(10**6),
        "created": datetime.now().isoformat(),
        "token": secrets.token_hex(8),
        "customer": {"name": "Ann", "phone": random.choice([None, "123"])},
        "items": [{"sku": n, "price": 9.5} for n in range(random.randrange(1, 4))],
        "total": 28.5,
    }
"""
EXPRESS = """
const crypto = require("crypto")
const app = require("express")()
let asked = 0
app.get("/", (request, response) => {
  const order = {
    id: crypto.randomUUID(),
    number: crypto.randomInt(10 ** 6),
    created: new Date().toISOString(),
    token: crypto.randomBytes(8).toString("hex"),
    customer: { name: "Ann", phone: Math.random() < 0.5 ? null : "123" },
    items: Array.from({ length: crypto.randomInt(1, 4) }, (_, n) => ({ sku: n, price: 9.5 })),
    total: TOTAL,
  }
  if (++asked % 1000 == 0 && process.env.FORGETS) delete order.total
  response.json(order)
})
app.listen(process.env.PORT, "127.0.0.1")
"""
COUNTER = """
let visits = 0
const server = require("http").createServer((_, s) => s.end(JSON.stringify({visits: ++visits})))
server.listen(process.env.PORT)
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Express as the catalogue pins it. Skips where npm is missing."""
    if not shutil.which("npm"):
        pytest.skip("there is no npm")
    (express,) = resolve_contenders(["express"], Catalogue.shipped(), tmp_path_factory.mktemp("x"))
    assert express.contender and express.folder
    build(express.contender, express.folder)
    return out_folder(express.folder) / "node_modules"


@pytest.fixture
def apps(place: Place, modules: Path) -> tuple[str, str]:
    """Commands for a FastAPI and an Express application with the same answers but for values."""
    (place.path / "orders.py").write_text(FASTAPI)
    (place.path / "orders.js").write_text(EXPRESS.replace("TOTAL", "28.5"))
    (place.path / "node_modules").symlink_to(modules)
    uvicorn = f"{quote(sys.executable)} -m uvicorn orders:app --port {{port}} --log-level warning"
    return f"fastapi={uvicorn}", "express=node orders.js"


def raced(place: Place, *words: str) -> tuple[Verdict, Ended]:
    ended = place.bakeoff("race", *words, *QUICK, "--json", "verdict.json")
    return Verdict.read_json(place.path / "verdict.json"), ended


def test_fastapi_and_express_with_times_and_ids_race_without_a_flag(
    place: Place, apps: tuple[str, str]
) -> None:
    verdict, ended = raced(place, *apps, "-d", "2", "--wide")
    assert ended.status in (0, 3), ended.err  # Of 2 s on a busy machine too few blocks may be left.
    assert [entry.valid for entry in verdict.entries] == [True, True]
    for entry in verdict.entries:
        (held,) = entry.held.values()
        assert held.expect.json_ == {
            **dict.fromkeys(("id", "created", "token"), "string"),
            "number": "number",
            "customer": {"name": "string", "phone": "string|null"},
            "items": [{"sku": "number", "price": "number"}],
            "total": "number",
        }
        assert {"id", "created", "customer.phone"} <= set(held.varied)
        assert "total" not in held.varied
        assert not {"answers_unlike", "verification"} & {each.code for each in entry.warnings}
    said = " ".join(ended.out.split())
    assert "each answer is held to status 200, application/json" in said
    assert "total: number" in said


def test_one_wrong_answer_of_a_thousand_is_found(place: Place, apps: tuple[str, str]) -> None:
    fastapi, _ = apps
    forgetful = "express=env FORGETS=1 node orders.js"
    verdict, ended = raced(place, fastapi, forgetful, "-d", "4")
    wrong = next(entry for entry in verdict.entries if entry.name == "express")
    assert not wrong.valid, ended.out
    (reason,) = (each for each in wrong.reasons if each.code == "wrong_answers")
    assert "total" in str(reason.values["first_bad"])
    assert all(entry.valid for entry in verdict.entries if entry is not wrong)


@pytest.mark.slow
def test_unlike_answers_are_warned_of_and_refused_where_that_is_asked(
    place: Place, apps: tuple[str, str]
) -> None:
    (place.path / "orders.js").write_text(EXPRESS.replace("TOTAL", '"28.5"'))
    (place.path / "counter.js").write_text(COUNTER)
    words = (*apps, "counter=node counter.js", "-d", "1")
    verdict, _ = raced(place, *words)
    found = {each.name: {of.code: of for of in each.warnings} for each in verdict.entries}
    unlike = found["express"]["answers_unlike"].values["differences"]
    assert unlike == "total is string, not number"
    counted = found["counter"]["answers_count"].values
    assert counted["place"] == "`visits`"
    (place.path / "right.js").write_text(EXPRESS.replace("TOTAL", "28.5"))
    verdict, _ = raced(place, *words, "right=node right.js", "--same-answers")
    assert {entry.name for entry in verdict.entries if entry.valid} == {"fastapi", "right"}
    reasons = {out.name: out.reason for out in verdict.skipped}
    assert reasons.keys() == {"express", "counter"}
    assert "total is string, not number" in reasons["express"]
