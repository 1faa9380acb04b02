#!/bin/sh
# Starts h2o in the foreground with its configuration in a scratch folder, so that any number of
# copies run side by side, as root or as an ordinary user.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/h2o.XXXXXX")

case "${PROTOCOL:-h1}" in
    h1-tls|h2) tls="s|@CERT@|$TLS_CERT|; s|@KEY@|$TLS_KEY|" ;;
    *)         tls='/^ *ssl:/,/cipher-suite/d' ;;
esac

user=
if [ "$(id -u)" = 0 ]; then user="user: $(id -un)"; fi
mkdir "$scratch/static"     # where there is nothing to serve

sed -e "s/@HOST@/${HOST:-127.0.0.1}/" -e "s/@PORT@/$PORT/" -e "s/@WORKERS@/${WORKERS:-1}/" \
    -e "s|@HERE@|$here|" -e "$tls" -e "s/@USER@/$user/" \
    -e "s|@STATIC_DIR@|${STATIC_DIR:-$scratch/static}|" \
    -e "s|@UPSTREAM@|${UPSTREAM:-http://127.0.0.1:9}|" "$here/h2o.conf" > "$scratch/h2o.conf"

# On SIGTERM h2o waits until the last idle connection is gone, which is 300 s with our timeout and
# has no shorter one for HTTP/1. When a load is over there is nothing to wait for.
h2o --conf "$scratch/h2o.conf" &
server=$!
trap 'kill -KILL $server; wait $server' TERM INT
wait $server
