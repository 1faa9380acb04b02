#!/bin/sh
# Starts lighttpd in the foreground with the files that it answers with in a scratch folder, so that
# any number of copies run side by side.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
FILES=$(mktemp -d "${TMPDIR:-/tmp}/lighttpd.XXXXXX")
STATIC_DIR=${STATIC_DIR:-$FILES/static}
# One process serves without a parent.
PROCESSES=$((WORKERS > 1 ? WORKERS : 0))
H2=disable
printf 'Hello, World!' > "$FILES/hello.txt"
: > "$FILES/empty.txt"
printf '{"result":"Hello world"}' > "$FILES/fillbuffer.json"

printf 'include "%s/lighttpd.conf"\n' "$here" > "$FILES/main.conf"
case "${PROTOCOL:=h1}" in *tls|h2) printf 'include "%s/tls.conf"\n' "$here" >> "$FILES/main.conf" ;; esac
case "$PROTOCOL" in h2*) H2=enable ;; esac
export FILES STATIC_DIR PROCESSES H2

PATH=$PATH:/usr/sbin
exec lighttpd -D -f "$FILES/main.conf"
