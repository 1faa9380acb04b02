"""What threads share is listed: in the engine's way of a request, and in the brick's README."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
# In C++, of what a header or a source file declares. A reference names what another file has.
SHARES = re.compile(
    r"(std::atomic(?:_\w+)?<[^&]*?>+|std::\w*mutex|std::once_flag|std::shared_ptr|std::condition_variable\w*"
    r"|\bthread_local\b|\bvolatile\b)(?! *&)"
)


def listed(document: str, heading: str) -> set[str]:
    """The files that the first column of a section's table names."""
    text = (ROOT / document).read_text()
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `([^`]+)`", section, re.M))


def test_files_that_may_share_are_those_of_the_engines_table() -> None:
    engine = ROOT / "engine"
    excepted = {
        str(path.relative_to(engine))
        for path in engine.glob("*/src/**/*.rs")
        if "expect(clippy::disallowed_types" in path.read_text()
    }
    assert excepted == listed("docs/engine-request.md", "What threads share")


def test_crates_on_a_requests_way_refuse_to_share() -> None:
    refused = "cfg_attr(not(test), warn(clippy::disallowed_types))"
    crates = {path.parts[-3] for path in (ROOT / "engine").glob("*/src/lib.rs")}
    refusing = {
        crate for crate in crates if refused in (ROOT / f"engine/{crate}/src/lib.rs").read_text()
    }
    # The imitations have the loops of the programs that they imitate; `volley` starts and watches.
    assert refusing == crates - {"personality", "volley"}


def test_files_of_the_brick_that_share_are_those_of_its_table() -> None:
    source = ROOT / "brick" / "src"
    sharing = {
        str(path.relative_to(source))
        for path in source.rglob("*.?pp")
        if SHARES.search(re.sub(r"//.*", "", path.read_text()))
    }
    assert sharing == listed("brick/README.md", "What reactors share")
