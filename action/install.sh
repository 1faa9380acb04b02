#!/usr/bin/env bash
# install.sh [PACKAGE]: bakeoff in $RUNNER_TEMP/bakeoff, of the action's own version if nothing is named.
# Nothing is added to the job's PATH, and its PYTHONPATH is not read: its servers keep their Python.
set -euo pipefail
version="$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$(dirname "$0")/../bakeoff/__init__.py")"
for python in /usr/bin/python3 python3 "${RUNNER_TOOL_CACHE:-}"/Python/3.*/*/bin/python3; do
  if "$python" -I -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    "$python" -I -m venv "$RUNNER_TEMP/bakeoff"
    exec "$RUNNER_TEMP/bakeoff/bin/python" -I -m pip install --quiet --disable-pip-version-check \
      "${1:-bakeoff==$version}"
  fi
done
echo "bakeoff needs Python 3.11 or later with venv: put actions/setup-python before it" >&2
exit 1
