"""Boards: their files, their cells, their budget, and whose machine they are of."""

from tests.e2e.conftest import Place
from tests.judge.facts import MACHINE
from tests.messages.case import Scene, Section, case
from tests.messages.worlds import world

MINE = 'contenders = ["nginx", "gin"]\n[cells]\nhello = ["h1"]\n[races]\nper_contender_s = 1\n'


def _raced(scene: Scene) -> None:
    Place(scene.folder).bakeoff_here("board", "mine.toml")


OTHER = world(on_machine=MACHINE.model_copy(update={"cpu_model": "another"}))
SECTION = Section(
    "Boards",
    (
        case("board none.toml --plan"),
        case("board empty.toml --plan"),
        case("board odd.toml --plan"),
        case("board command.toml --plan"),
        case("board mine.toml --plan --only helo/h1", "", world()),
        case("board mine.toml --plan --json board.json", "", world()),
        case("board mine.toml --budget soon", "", world()),
        case("board mine.toml --budget 2s", "", world()),
        case("board mine.toml", "./board is of another machine", world(), _raced, OTHER),
        case("board --site site"),
        case("board --site file/site", "./board is there", world(), _raced),
        case("board alone.toml --out file/board", "nothing is due", world()),
    ),
    files={
        "mine.toml": MINE,
        "empty.toml": "[cells]\n",
        "odd.toml": '[cells]\nhello = ["h9"]\n',
        "command.toml": 'contenders = ["sleep 1"]\n[cells]\nhello = ["h1"]\n',
        "alone.toml": 'contenders = ["nginx"]\n[cells]\nhello = ["h1"]\n',
        "file": "",
    },
)
