#!/bin/sh
# Starts lighttpd in the foreground with the files that it answers with in a scratch folder, so that
# any number of copies run side by side.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
FILES=$(mktemp -d "${TMPDIR:-/tmp}/lighttpd.XXXXXX")
STATIC_DIR=${STATIC_DIR:-$FILES/static}
# One process serves without a parent.
PROCESSES=$((WORKERS > 1 ? WORKERS : 0))
printf 'Hello, World!' > "$FILES/hello.txt"
: > "$FILES/empty.txt"
printf '{"result":"Hello world"}' > "$FILES/fillbuffer.json"

printf 'include "%s/lighttpd.conf"\n' "$here" > "$FILES/main.conf"
if [ "${PROTOCOL:-h1}" = h1-tls ]; then printf 'include "%s/tls.conf"\n' "$here" >> "$FILES/main.conf"; fi
export FILES STATIC_DIR PROCESSES

PATH=$PATH:/usr/sbin
exec lighttpd -D -f "$FILES/main.conf"
