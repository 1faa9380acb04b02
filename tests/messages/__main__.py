"""Write docs/MESSAGES.md anew, or some of its sections: `python -m tests.messages --help`."""

import argparse

from tests.messages.page import SECTIONS, write

parser = argparse.ArgumentParser(
    prog="python -m tests.messages", description="Write sections of docs/MESSAGES.md anew."
)
parser.add_argument(
    "section",
    nargs="*",
    metavar="SECTION",
    help=f"write this section; by default all are written: {', '.join(SECTIONS)}",
)
chosen = parser.parse_args().section or list(SECTIONS)
if unknown := [name for name in chosen if name not in SECTIONS]:
    parser.error(f"unknown section {unknown[0]}; the sections are {', '.join(SECTIONS)}")
write(chosen)
