"""What is said of two runs compared."""

from bakeoff.model.compare import RunChange, RunsComparison
from bakeoff.model.finding import Finding
from bakeoff.report.kinds.comparison import document, headline
from tests.report.render.test_terminal import printed
from tests.report.sample.comparison import compared, figures


def said(result: RunsComparison) -> str:
    return printed(document(result), 300)


def test_unlike_machines_are_said_in_every_line() -> None:
    keys = ("kernel", "cpus")
    unlike = tuple(Finding.of("machine_differs", key=k, before="1", after="2") for k in keys)
    text = said(compared(unlike=unlike))
    lines = [line for line in text.splitlines() if "go-nethttp" in line or "node-http" in line]
    findings = [line for line in lines if "version" not in line]
    assert len(findings) == 4
    assert all("unlike machines" in line for line in findings)
    assert "(unlike machines: kernel and cpus differ)." in text


def test_without_a_finding_the_reason_is_said() -> None:
    alone = RunChange(name="a", before=figures(), after=figures(), reason="only it is left")
    assert "a: only it is left." in said(compared(reference=None, changes=(alone,)))


def test_one_contender_alone_is_no_comparison() -> None:
    alone = RunChange(name="a", before=figures(), after=figures())
    assert headline(compared(reference=None, changes=(alone,))).startswith("Nothing to compare")
