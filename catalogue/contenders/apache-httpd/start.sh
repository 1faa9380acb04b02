#!/bin/sh
# Starts Apache in the foreground with everything that it writes in one scratch folder, so that any
# number of copies run side by side, as root or as an ordinary user.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/apache.XXXXXX")
MODULES=/usr/lib/apache2/modules
REQUESTS=$((128 * WORKERS))
# Without an upstream, /forward is answered with 503.
UPSTREAM=${UPSTREAM:-http://127.0.0.1:9}
STATIC_DIR=${STATIC_DIR:-$SCRATCH/static}
export SCRATCH MODULES REQUESTS UPSTREAM STATIC_DIR

mkdir "$SCRATCH/files"
printf 'Hello, World!' > "$SCRATCH/files/hello.txt"
: > "$SCRATCH/files/empty.txt"
printf '{"result":"Hello world"}' > "$SCRATCH/files/fillbuffer.json"

case "${PROTOCOL:-h1}" in
    h1)     set -- ;;
    h2c)    set -- -D h2c ;;
    h1-tls) set -- -D tls ;;
    h2)     set -- -D tls -D h2 ;;
esac

PATH=$PATH:/usr/sbin
set -- apache2 -D FOREGROUND -f "$here/httpd.conf" "$@"
# It refuses to serve as root, and another user need not be allowed to read STATIC_DIR: in a
# namespace of its own root has another number.
if [ "$(id -u)" = 0 ]; then set -- unshare --user --map-user=33 --map-group=33 "$@"; fi
exec "$@"
