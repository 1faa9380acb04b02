"""What becomes of a command of a contender.toml, in a shell's statuses."""

from pathlib import Path

from bakeoff.build.commands import run


def test_the_first_line_that_says_anything_has_no_colours(tmp_path: Path) -> None:
    outcome = run(["printf", r"\n\033[1mApache Maven\033[m 3.8.7\nmore"], tmp_path, timeout_s=10)
    assert outcome.first_line == "Apache Maven 3.8.7"


def test_a_program_that_is_not_there_has_a_shells_status(tmp_path: Path) -> None:
    outcome = run(["no-such-compiler"], tmp_path, timeout_s=10)
    assert (outcome.status, outcome.output) == (
        127,
        "no-such-compiler: No such file or directory",
    )


def test_past_its_time_its_output_stays(tmp_path: Path) -> None:
    for limit_s in (0.1, 1, 30):  # A busy machine may take longer to begin.
        outcome = run(["sh", "-c", "echo begun >&2; exec sleep 600"], tmp_path, timeout_s=limit_s)
        assert (outcome.status, outcome.timed_out) == (124, True)
        if "begun" in outcome.output:
            break
    assert outcome.output == f"begun\nsh: did not end within {limit_s:g} s"
