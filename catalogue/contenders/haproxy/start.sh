#!/bin/sh
# Starts haproxy in the foreground. It reads certificate and key from one file: where PROTOCOL has
# TLS, this puts them together in a scratch folder.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
case "${PROTOCOL:=h1}" in
    h1-tls|h2)
        umask 077
        scratch=$(mktemp -d "${TMPDIR:-/tmp}/haproxy.XXXXXX")
        export PEM="$scratch/server.pem"
        cat "$TLS_CERT" "$TLS_KEY" > "$PEM"
        ;;
esac

export PROTOCOL
if [ -n "${UPSTREAM:-}" ]; then export ASKED="${UPSTREAM#http://}"; fi
PATH=$PATH:/usr/sbin
exec haproxy -q -f "$here/haproxy.cfg"
