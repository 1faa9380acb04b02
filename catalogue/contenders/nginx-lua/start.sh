#!/bin/sh
# Starts nginx with its module for Lua in the foreground with everything that it writes in one scratch folder,
# so that any number of copies run side by side, as root or as an ordinary user.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/nginx-lua.XXXXXX")

without='/ssl_/d'
with="s|@CERT@|${TLS_CERT:-}|; s|@KEY@|${TLS_KEY:-}|"
case "${PROTOCOL:-h1}" in
    h1)     protocol=            tls=$without ;;
    h2c)    protocol=http2       tls=$without ;;
    h1-tls) protocol=ssl         tls=$with ;;
    h2)     protocol='ssl http2' tls=$with ;;
esac

# Started as root, its workers would be nobody, who need not be allowed to read STATIC_DIR.
user=
if [ "$(id -u)" = 0 ]; then user="user $(id -un);"; fi
# Without an upstream, /forward is answered with 502.
upstream=${UPSTREAM:-http://127.0.0.1:9}

sed -e "s/@HOST@/${HOST:-127.0.0.1}/" -e "s/@PORT@/$PORT/" -e "s/@WORKERS@/${WORKERS:-1}/" \
    -e "s/@PROTOCOL@/$protocol/" -e "$tls" -e "s/@USER@/$user/" \
    -e "s|@STATIC_DIR@|${STATIC_DIR:-$scratch/static}|" -e "s|@UPSTREAM@|${upstream#http://}|" \
    "$here/nginx.conf" > "$scratch/nginx.conf"

# -e: without it nginx opens its compiled-in log file before it reads the configuration.
PATH=$PATH:/usr/sbin
exec nginx -e stderr -p "$scratch/" -c "$scratch/nginx.conf"
