#!/bin/sh
# Starts Caddy in the foreground; its argument is the build folder. What it stores goes to a scratch
# folder.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
XDG_DATA_HOME=$(mktemp -d "${TMPDIR:-/tmp}/caddy.XXXXXX")
XDG_CONFIG_HOME=$XDG_DATA_HOME
export XDG_DATA_HOME XDG_CONFIG_HOME

case "${PROTOCOL:-h1}" in
    h1)     SCHEME=http  SPEAKS=h1       TERMS=cleartext   ALPN= ;;
    h2c)    SCHEME=http  SPEAKS='h1 h2c' TERMS=cleartext   ALPN= ;;
    h1-tls) SCHEME=https SPEAKS=h1       TERMS=certificate ALPN=http/1.1 ;;
    h2)     SCHEME=https SPEAKS='h1 h2'  TERMS=certificate ALPN=h2 ;;
    h3)     SCHEME=https SPEAKS=h3       TERMS=certificate ALPN=h3 ;;
esac
export SCHEME SPEAKS TERMS ALPN

exec "$1/caddy" run --config "$here/Caddyfile" --adapter caddyfile
