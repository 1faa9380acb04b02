"""`python -m bakeoff` is the command line."""

from bakeoff.cli import main

main()
